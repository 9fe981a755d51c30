"""How counts, names, missing packages and damaged files are worded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

from ..exceptions import DataError

__all__ = ["counted", "damaged", "listed", "package"]


def listed(names: Iterable[str], limit: int = 5) -> str:
    """Names for a message: quoted, the first `limit` of them.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a", "b", "c"], limit=1)
    ("'a', 'b'", "'a' and 2 more")
    """
    names = list(names)
    text = ", ".join(repr(str(name)) for name in names[:limit])
    return text if len(names) <= limit else f"{text} and {len(names) - limit:,} more"


def counted(n: int, noun: str) -> str:
    """A number and its noun.

    Examples
    --------
    >>> counted(1, "column"), counted(1200, "column")
    ('1 column', '1,200 columns')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


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
