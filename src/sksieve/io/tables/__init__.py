"""Reading tables: one reader per format; an error names the defect and the remedy."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module

from ..._wording import argument
from ...exceptions import DataError
from .._source import COMPRESSIONS, PACKED, Source, open_source
from ._codes import without_codes
from ._places import is_place, read_place
from ._table import PREFIX, Numbered, ReadOptions, Table

__all__ = [
    "PREFIX",
    "Numbered",
    "ReadOptions",
    "Table",
    "read_table",
    "read_with",
]

TEXT_OPTIONS = ("sep", "decimal", "header", "missing", "encoding", "thousands", "header_row")
SHEET_OPTIONS = ("name", "header", "missing", "header_row")

#: Endings of files that store numbers; codes for missing values are replaced after reading.
STORED = (".parquet", ".feather", ".npy", ".npz", ".mat", ".mtx", ".h5ad")

#: Suffix -> module, function, the options it takes.
READERS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    ".csv": ("_text", "read_text", TEXT_OPTIONS),
    ".tsv": ("_text", "read_text", TEXT_OPTIONS),
    ".txt": ("_text", "read_words", TEXT_OPTIONS),
    ".data": ("_text", "read_words", TEXT_OPTIONS),
    ".dat": ("_text", "read_words", TEXT_OPTIONS),
    ".json": ("_records", "read_json", ("missing",)),
    ".jsonl": ("_records", "read_jsonl", ("missing",)),
    ".xlsx": ("_workbook", "read_workbook", SHEET_OPTIONS),
    ".xls": ("_workbook", "read_workbook", SHEET_OPTIONS),
    ".parquet": ("_arrow", "read_parquet", ("missing",)),
    ".feather": ("_arrow", "read_feather", ("missing",)),
    ".npy": ("_numpy", "read_npy", ("missing",)),
    ".npz": ("_numpy", "read_npz", ("name", "missing")),
    ".mat": ("_matlab", "read_mat", ("name", "missing")),
    ".mtx": ("_market", "read_mtx", ("missing",)),
    ".h5ad": ("_anndata", "read_h5ad", ("name", "missing")),
}


def read_table(
    data: str | os.PathLike[str],
    *,
    name: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool | None = None,
    header_row: int | str | None = None,
    missing: Sequence[str] = (),
    encoding: str | None = None,
) -> Table:
    """Read a table of samples (rows) and columns.

    Parameters
    ----------
    data : str or path-like
        A CSV, TSV, TXT (also .data, .dat), XLSX, XLS, JSON (records), JSONL, Parquet, Feather, NPY,
        NPZ, MAT, Matrix Market or H5AD file; the ending of its name says which. Files of text may
        be compressed (.gz, .bz2, .xz, .zip). ``-`` is CSV on standard input, ``dataset:NAME`` a
        data set of `sksieve.datasets`, ``data.sqlite::table``, ``data.duckdb::table`` or
        ``postgresql://user@host/database::table`` a table of a database, which is opened for
        reading only (in place of the table, a query that begins with ``select`` or ``with``),
        ``folder/*.parquet`` the rows of several files, ``https://...`` or ``s3://...`` a file that
        is fetched.
    name : str, optional
        Which array of an NPZ or MAT file, layer of an H5AD file, sheet of a workbook. By
        default ``X``, or the only array with two dimensions, or the only sheet.
    sep : str, optional
        Separator of a text table: one ASCII character, ``"tab"`` or ``"space"``. By default a
        comma, a tab for TSV; a semicolon, tab or bar where the first line has these and no comma.
    decimal : {".", ","}, optional
        Decimal sign of a text table. By default a point; a comma where semicolons separate the
        cells and the numbers of the first lines have one.
    thousands : {",", ".", " ", "'"}, optional
        What separates thousands in the numbers of a text table. By default what leaves no doubt,
        such as the commas of 1,234,567.
    header : bool, optional
        Whether the first line of a text table holds the names of the columns. Without names they
        are called ``x0``, ``x1``, ... By default it does, unless most of its cells are numbers that
        neither rise nor fall from left to right.
    header_row : int or str, optional
        Row that names the columns, from 1; what is above it is not used. ``"3-4"``: two rows that
        name them together. By default the first row, or the first one as wide as those below it.
    encoding : str, optional
        Encoding of a text table. By default UTF-8, or UTF-16 where the file begins with its mark.
    missing : sequence of str, default=()
        Cells that stand for a missing value, in addition to NaN and null, and in a text table or
        workbook the empty cell, NA and None. A number such as ``"-200"`` stands for it in columns
        of numbers, too.

    Returns
    -------
    Table
        Its `data` are a ``pyarrow.Table``, an array, or a CSR array; `Table.to_frame` makes a
        ``pandas.DataFrame``.

    Raises
    ------
    DataError
        One sentence that says what is wrong and what to do.
    TooLargeError
        If the table would need more memory than the limit.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sksieve.io import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "people.csv"
    ...     n = path.write_text("age,height\\n31,1.8\\n45,1.7\\n")
    ...     table = read_table(path)
    >>> table.shape, list(table.columns)
    ((2, 2), ['age', 'height'])
    >>> table.to_frame()
       age  height
    0   31     1.8
    1   45     1.7
    """
    options = ReadOptions(
        name,
        sep,
        decimal,
        header,
        tuple(missing),
        encoding,
        thousands=thousands,
        header_row=header_row,
    )
    return read_with(os.fspath(data), options)


def read_with(data: str, options: ReadOptions) -> Table:
    """Read a table with the options of `read_table` as one object."""
    if data.startswith(PREFIX):
        options.require_only((), data)
        named = import_module("._named", __name__)
        return named.read_named(data.removeprefix(PREFIX))
    if options.decimal not in (".", ",", None):
        raise DataError(f'{argument("decimal")} is "." or ","; got {options.decimal!r}.')
    if is_place(data):
        return read_place(data, options)
    source = open_source(data)
    if source.suffix not in READERS or (source.packing and source.suffix not in PACKED):
        raise DataError(
            f"{source.name}: the ending {source.suffix or '(none)'} is not one of "
            f"{', '.join(READERS)} (text files may be compressed: {', '.join(COMPRESSIONS)}); save "
            "the table as one of these, or pipe text to standard input (-)."
        )
    module, function, applicable = READERS[source.suffix]
    options.require_only(applicable, source.name)
    read: Callable[[Source, ReadOptions], Table]
    read = getattr(import_module(f".{module}", __name__), function)
    table = read(source, options)
    if options.missing and source.suffix in STORED:
        return without_codes(table, options.missing)
    return table
