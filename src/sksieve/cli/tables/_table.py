"""What every reader gives back, and how tables and columns are named in messages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

from ...exceptions import DataError

__all__ = [
    "PREFIX",
    "ReadOptions",
    "Table",
    "counted",
    "damaged",
    "listed",
    "package",
    "sparse_arrays",
]

#: Before the name of a data set of the catalogue.
PREFIX = "dataset:"


@dataclass(frozen=True)
class ReadOptions:
    """What the command line says about reading.

    Parameters
    ----------
    name : str or None
        Which array of an NPZ or MAT file, which layer of an H5AD file.
    sep : str or None
        Separator of a text table; a comma (a tab for TSV) when None.
    decimal : str
        Decimal sign of a text table.
    header : bool
        The first line of a text table holds the names.
    missing : tuple of str
        Cells of a text table that stand for a missing value, beside the usual ones.
    """

    name: str | None = None
    sep: str | None = None
    decimal: str = "."
    header: bool = True
    missing: tuple[str, ...] = ()

    def given(self) -> list[str]:
        """The options that differ from their defaults, as a person types them."""
        spelled = {"header": "--no-header"}
        changed = [key for key, value in vars(self).items() if value != getattr(ReadOptions, key)]
        return [spelled.get(key, f"--{key}") for key in changed]


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read: nothing dropped, nothing filled in, nothing scaled.

    Parameters
    ----------
    name : str
        How messages call it.
    data : pyarrow.Table, ndarray of shape (m, n), or CSR of shape (m, n)
        Columns of any type as an Arrow table; numbers only as an array.
    columns : sequence of str
        Name of each column, not necessarily distinct.
    side : dict of str -> array of shape (m,)
        Arrays beside the table with one value per row, labels among them.
    sha256 : str
        Of the file's bytes, or of the array when there is no file.
    hashed : {"file", "stdin", "array"}
        What `sha256` is of.
    array : str
        Which array of the file it is; empty where the file is one sparse matrix.
    notes : tuple of str
        What the reader must be told.
    """

    name: str
    data: Any
    columns: Sequence[str]
    sha256: str
    hashed: str = "file"
    array: str = "X"
    side: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.data.shape[0]), int(self.data.shape[1])


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


def sparse_arrays(read: Callable[..., Any]) -> dict[str, bool]:
    """What asks a reader of scipy's for sparse arrays, where it can be asked (from 1.15 on)."""
    return {"spmatrix": False} if "spmatrix" in inspect.signature(read).parameters else {}
