"""XLSX, through openpyxl."""

from __future__ import annotations

import warnings
import zipfile
from typing import Any

from ..._wording import argument, counted, listed
from ...exceptions import DataError
from .._messages import damaged, package
from .._source import Source
from ._records import arrow_column
from ._table import ReadOptions, Table, require_shape
from ._text import MISSING, named_columns

#: Memory of a sheet's cells, over the length of its XML; and of a cell of the table.
CELLS, CELL_BYTES = 30.0, 48.0
#: What a cell shows whose formula fails.
ERRORS = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A")


def read_xlsx(source: Source, options: ReadOptions) -> Table:
    """Read a sheet of a workbook: `name`, or the only one that is not empty."""
    openpyxl = package("openpyxl", "excel")
    with damaged(source.name, "XLSX"):
        _check_members(source)
        with warnings.catch_warnings(), source.file.open("rb") as file:
            warnings.simplefilter("ignore")  # openpyxl's, on styles it does not know
            book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
            sheets = {sheet.title: sheet for sheet in book.worksheets}
            if options.name is not None and options.name not in sheets:
                raise DataError(
                    f"{source.name} has no sheet {options.name!r}; it has {listed(sheets)}."
                )
            read = [options.name] if options.name else list(sheets)
            missing = {*MISSING, *ERRORS, *options.missing}
            cells = {name: _cells(source, sheets[name], missing) for name in read}
    filled = {name: rows for name, rows in cells.items() if rows}
    if len(filled) != 1:
        if not filled:
            raise DataError(f"{source.name} holds no table: {counted(len(cells), 'empty sheet')}.")
        raise DataError(
            f"{source.name} has several sheets that could be the table: {listed(filled)}; choose "
            f"one, for example {argument('name', next(iter(filled)))}."
        )
    ((name, rows),) = filled.items()
    return _table(source, options, name, rows)


def _cells(source: Source, sheet: Any, missing: set[str]) -> list[list[Any]]:
    """The values of a sheet, None where one is missing; without empty rows at its end.

    Raises
    ------
    TooLargeError
        Where rows times columns need too much memory: one cell in the last row and the last
        column makes a table of 17 billion cells.
    """
    sheet.reset_dimensions()  # what the file declares need not be true
    rows: list[list[Any]] = []
    n_rows = width = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        values = [None if value in missing else _plain(value) for value in row]
        while values and values[-1] is None:
            values.pop()
        if values:
            n_rows, width = number, max(width, len(values))
            require_shape(source.name, n_rows, width, CELL_BYTES * n_rows * width)
        rows.append(values)
    del rows[n_rows:]
    return [values + [None] * (width - len(values)) for values in rows]


def _check_members(source: Source) -> None:
    """Refuse what would unpack to more than memory holds, and XML that defines entities."""
    with zipfile.ZipFile(source.file) as archive:
        n_bytes = sum(info.file_size for info in archive.infolist())
        require_shape(source.name, 0, 0, CELLS * n_bytes)
        for info in archive.infolist():
            if info.filename.endswith((".xml", ".rels")):
                with archive.open(info) as member:
                    head = member.read(4096)
                if b"<!DOCTYPE" in head or b"<!ENTITY" in head or b"<\0!\0" in head:
                    raise ValueError(f"{info.filename} defines XML entities")


def _table(source: Source, options: ReadOptions, name: str, rows: list[list[Any]]) -> Table:
    pa = package("pyarrow", "cli")
    first = ["" if cell is None else str(cell).strip() for cell in rows[0]]
    columns, notes = named_columns(source, options, first)
    columns_of_cells = zip(*rows[1:] if options.header is not False else rows, strict=True)
    arrays = [arrow_column(cells, source.name) for cells in columns_of_cells]
    arrays = arrays or [pa.nulls(0)] * len(columns)
    return Table(
        source.name, pa.table(arrays, names=columns), columns, source.sha256(), array=name,
        notes=notes,
    )  # fmt: skip


def _plain(value: Any) -> Any:
    """A cell's value; whole numbers that the file has as 3.0 are 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
