"""One line of the catalogue of methods."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

__all__ = ["Kind", "Method"]

Kind = Literal["columns", "selector", "clusterer"]


@dataclass(frozen=True)
class Method:
    """One line of the catalogue.

    Attributes
    ----------
    name : str
        Short name, as the command line takes it.
    class_name : str
        Public class in `sksieve`.
    kind : {"columns", "selector", "clusterer"}
        ``columns``: column subset selection (from the Gram matrix); ``selector``: any other feature
        selection; ``clusterer``: labels for samples or vertices.
    title : str
        What it is, in one line.
    paper : str
        Reference.
    cost : str
        Time, in the number of rows m (columns n) the class's docstring uses.
    nested : bool
        The k-subset is a prefix of the ranking: one fit serves every k.
    expects : str
        Preprocessing the method expects.
    """

    name: str
    class_name: str
    kind: Kind
    title: str
    paper: str
    cost: str
    nested: bool = True
    expects: str = "any scale"

    @property
    def wants_raw(self) -> bool:
        """Does the method look for large variance, so that standardised columns tell it nothing?"""
        return self.expects.startswith("columns in one unit")

    def load(self) -> type:
        """The estimator class."""
        return getattr(import_module("sksieve"), self.class_name)

    def defaults(self) -> dict[str, Any]:
        """The constructor's parameters and their defaults."""
        parameters = inspect.signature(self.load()).parameters
        return {name: p.default for name, p in parameters.items()}
