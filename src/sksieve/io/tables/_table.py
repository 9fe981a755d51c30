"""What every reader of tables takes and returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._messages import package

__all__ = ["PREFIX", "ReadOptions", "Table"]

#: Before the name of a data set of the catalogue.
PREFIX = "dataset:"


@dataclass(frozen=True)
class ReadOptions:
    """How a table is to be read; see `sksieve.io.read_table`.

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

    def to_frame(self) -> Any:
        """The table as a ``pandas.DataFrame``; a sparse one has sparse columns."""
        pandas = package("pandas", "cli")
        if hasattr(self.data, "to_pandas"):
            frame = self.data.to_pandas()
            frame.columns = list(self.columns)
            return frame
        if hasattr(self.data, "tocsr"):
            return pandas.DataFrame.sparse.from_spmatrix(self.data, columns=list(self.columns))
        return pandas.DataFrame(self.data, columns=list(self.columns))
