"""What every reader of tables takes and returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from ..._memory import require_memory
from ..._wording import argument
from ...exceptions import DataError
from .._messages import package

#: Before the name of a data set of the catalogue.
PREFIX = "dataset:"
#: Bytes that every column costs beside its cells: its name, in a list and a dictionary, and sums.
COLUMN_BYTES = 400
#: Bytes that every row of a sparse table costs beside its entries.
ROW_BYTES = 32


@dataclass(frozen=True)
class ReadOptions:
    """How a table is to be read; see `sksieve.io.read_table`.

    Parameters
    ----------
    name : str or None
        Which array of an NPZ or MAT file, which layer of an H5AD file, which sheet of a workbook.
    sep : str or None
        Separator of a text table; when None a comma (a tab for TSV), or what separates the cells of
        the first line.
    decimal : str or None
        Decimal sign of a text table; None decides by the first lines.
    thousands : str or None
        What separates thousands in the numbers of a text table.
    header_row : int, str or None
        Row that names the columns, from 1, or two rows, such as ``"3-4"``.
    header : bool or None
        Whether the first line of a text table holds the names; None decides by the line.
    missing : tuple of str
        Cells that stand for a missing value, in addition to the usual ones.
    encoding : str or None
        Encoding of a text table; UTF-8 when None, or UTF-16 where the file begins so.
    was_decided : bool
        The first line was found to be data, not given as such.
    """

    name: str | None = None
    sep: str | None = None
    decimal: str | None = None
    header: bool | None = None
    missing: tuple[str, ...] = ()
    encoding: str | None = None
    was_decided: bool = False
    thousands: str | None = None
    header_row: int | str | None = None

    def given(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        defaults = vars(ReadOptions())
        return {key: value for key, value in vars(self).items() if value != defaults[key]}

    def require_only(self, applicable: Sequence[str], name: str) -> None:
        """Refuse an option that is given and does not apply to the table called `name`.

        Raises
        ------
        DataError
        """
        for key, value in self.given().items():
            if key not in applicable:
                option = argument(key, value) if isinstance(value, bool) else argument(key)
                raise DataError(f"{option} does not apply to {name}; leave it out.")


class Numbered(Sequence[str]):
    """The names ``x0``, ``x1``, ..., made on access.

    Examples
    --------
    >>> names = Numbered(1_000_000_000)
    >>> len(names), names[-1], list(names[:2]), "x5" in names, "y" in names
    (1000000000, 'x999999999', ['x0', 'x1'], True, False)
    """

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [f"x{i}" for i in range(self.n)[index]]
        return f"x{range(self.n)[index]}"

    def __contains__(self, name: object) -> bool:
        digits = name[1:] if isinstance(name, str) and name.startswith("x") else ""
        return digits.isdecimal() and f"x{int(digits)}" == name and int(digits) < self.n


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read: nothing dropped, nothing filled in, nothing scaled.

    Parameters
    ----------
    name : str
        The name in messages.
    data : pyarrow.Table, ndarray of shape (m, n), or CSR of shape (m, n)
        Columns of any type as an Arrow table; numbers only as an array.
    columns : sequence of str
        Name of each column, not necessarily distinct.
    side : dict of str -> array of shape (m,)
        Arrays beside the table with one value per row, labels among them.
    sha256 : str
        Of the file's bytes, or of the array or a server's rows when there is no file.
    hashed : {"file", "stdin", "array", "rows"}
        What `sha256` is of.
    array : str
        Which array of the file it is; empty where the file is one sparse matrix.
    notes : tuple of str
        Remarks on how the file was read.
    text : callable or None
        Of a text file: ``text(i)`` is column `i` as an Arrow array of strings, every cell as
        written.
    """

    name: str
    data: Any
    columns: Sequence[str]
    sha256: str
    hashed: str = "file"
    array: str = "X"
    side: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    text: Callable[[int], Any] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
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


def require_shape(name: str, rows: int, columns: int, n_bytes: float) -> None:
    """Refuse a table by the size its file declares, before memory is taken for it.

    Parameters
    ----------
    name : str
        The name in the message.
    rows, columns : int
    n_bytes : float
        What the cells will take, all copies together.

    Raises
    ------
    TooLargeError
    """
    require_memory(
        n_bytes + COLUMN_BYTES * columns,
        f"{name}, of {rows:,} x {columns:,},",
        "Keep fewer rows or columns, or check the sizes that the file declares.",
    )
