"""Public attributes of a column subset estimator: fields of the result of its fit."""

from __future__ import annotations

import re
import textwrap
from typing import Any, Generic, Self, TypeVar, overload

from .._docstrings import source_doc

T = TypeVar("T")


class FitAttribute(Generic[T]):
    """A public attribute: a field of the result, which is computed when it is first read.

    Parameters
    ----------
    kind : str
        Type and shape, as in docstrings.
    text : str
        What it is.

    Examples
    --------
    >>> from sksieve import GreedyCSS
    >>> print(GreedyCSS.n_passes_.__doc__)
    int
        How often X was read.
    """

    def __init__(self, kind: str, text: str) -> None:
        self.kind, self.text = kind, text
        self.__doc__ = f"{kind}\n    {text}"

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, est: None, owner: type) -> Self: ...

    @overload
    def __get__(self, est: Any, owner: type | None = None) -> T: ...

    def __get__(self, est: Any, owner: type | None = None) -> Self | T:
        if est is None:
            return self
        value: T = est._result.value_of(self.name)
        return value

    def __set__(self, est: Any, value: T) -> None:
        raise AttributeError(f"{self.name} is computed by fit and cannot be set.")


def described(cls: type) -> str | None:
    """The docstring of a class with the section Attributes: its own first, then inherited ones."""
    doc = source_doc(cls)
    if doc is None or "\n    Attributes\n" in doc:
        return doc
    attributes: dict[str, FitAttribute[Any]] = {}
    for base in cls.__mro__:
        for name, value in vars(base).items():
            if isinstance(value, FitAttribute):
                attributes.setdefault(name, value)
    entries = [_entry(attribute) for attribute in attributes.values()]
    section = f"    Attributes\n    {'-' * 10}\n" + "\n".join(entries) + "\n"
    first = re.search(r"^    (?!Parameters)\w+( \w+)?\n    -+$", doc, flags=re.M)
    at = len(doc) if first is None else first.start()
    return f"{doc[:at]}{section}\n{doc[at:]}"


def _entry(attribute: FitAttribute[Any]) -> str:
    text = textwrap.fill(attribute.text, 100, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return f"    {attribute.name} : {attribute.kind}\n{text}"
