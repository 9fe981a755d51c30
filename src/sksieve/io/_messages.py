"""How missing packages, damaged files and repeated names are worded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from .._wording import counted, listed
from ..exceptions import DataError


def package(name: str, extra: str) -> ModuleType:
    """Import an optional package, or say how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise
        raise DataError(
            f"Reading this needs the package {error.name}: pip install 'scikit-sieve[{extra}]'"
        ) from error


@contextmanager
def damaged(name: str, kind: str) -> Iterator[None]:
    """Turn whatever a format's parser raises into one sentence.

    The parsers of other projects raise nearly anything on a damaged file (struct.error, zlib.error,
    KeyError, TypeError among them), hence the wide net; the cause stays chained for ``--debug``.
    """
    try:
        yield
    except (DataError, MemoryError):
        raise
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise DataError(
            f"{name} cannot be read as {kind}; it is damaged or of another format ({reason})."
        ) from error


def refuse_repeated(what: str, names: Iterable[Any]) -> None:
    """Refuse a table, `what` in the message, in which a name of a column occurs more than once."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise DataError(
            f"{what}: {counted(len(repeated), 'column name')} "
            f"{'occurs' if len(repeated) == 1 else 'occur'} more than once: {listed(repeated)}; "
            "rename the columns so that each name occurs once."
        )
