"""Workbooks, XLSX and XLS, through calamine: it reads values, and no entities, links or macros."""

from __future__ import annotations

import re
import zipfile
from typing import Any

from ..._optional import optional
from ..._wording import argument, counted, listed
from ...exceptions import DataError
from .._messages import damaged, package
from .._source import Source
from ._layout import header_row_of, joined_headers
from ._records import arrow_column
from ._table import ReadOptions, Table, require_shape
from ._text import MISSING, named_columns

#: Memory of a workbook's text, over the length of its XML; and of a cell of the table.
CELLS, CELL_BYTES = 8.0, 48.0
#: Rows and columns that a sheet may have.
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
#: What a cell shows whose formula fails.
ERRORS = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A")
#: The place of a row or of a cell in the XML of a sheet.
PLACE = re.compile(rb'<(?:\w+:)?(?:row|c)\s(?:[^<>]*?\s)?r\s*=\s*["\']([A-Za-z]*)(\d+)["\']')
CHUNK = 1 << 20


def read_workbook(source: Source, options: ReadOptions) -> Table:
    """Read a sheet of a workbook: `name`, or the only one that is not empty."""
    calamine = optional("python_calamine", f"Reading {source.name}")
    with damaged(source.name, source.suffix[1:].upper()):
        if source.suffix == ".xlsx":
            _check_members(source)
        book = calamine.CalamineWorkbook.from_path(str(source.file))
        sheets = [
            sheet.name
            for sheet in book.sheets_metadata
            if sheet.typ == calamine.SheetTypeEnum.WorkSheet
        ]
        if options.name is not None and options.name not in sheets:
            raise DataError(
                f"{source.name} has no sheet {options.name!r}; it has {listed(sheets)}."
            )
        read = [options.name] if options.name else sheets
        missing = {*MISSING, *ERRORS, *options.missing}
        cells = {name: _cells(source, book.get_sheet_by_name(name), missing) for name in read}
    filled = {name: rows for name, rows in cells.items() if rows}
    if len(filled) != 1:
        if not filled:
            raise DataError(f"{source.name} holds no table: {counted(len(cells), 'empty sheet')}.")
        raise DataError(
            f"{source.name} has several sheets that could be the table: {listed(filled)}; choose "
            f"one, for example {argument('name', next(iter(filled)))}.",
            remedy=(("name", next(iter(filled))),),
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
    if sheet.end is None:
        return []
    n_rows, width = sheet.end[0] + 1, sheet.end[1] + 1
    require_shape(source.name, n_rows, width, CELL_BYTES * n_rows * width)
    rows = [
        [None if value in missing else _plain(value) for value in row]
        for row in sheet.to_python(skip_empty_area=False)
    ]
    while rows and all(value is None for value in rows[-1]):
        rows.pop()
    width = max(
        (i + 1 for row in rows for i, value in enumerate(row) if value is not None), default=0
    )
    return [row[:width] for row in rows]


def _check_members(source: Source) -> None:
    """Refuse what unpacks to more than memory holds, and places that no sheet has."""
    with zipfile.ZipFile(source.file) as archive:
        n_bytes = 0
        for info in archive.infolist():
            rows = columns = n_tags = 0
            tail = b""
            with archive.open(info) as member:
                while piece := member.read(CHUNK):
                    n_bytes += len(piece)
                    require_shape(source.name, 0, 0, CELLS * n_bytes)
                    if "worksheets/" not in info.filename:
                        continue
                    for letters, digits in PLACE.findall(tail + piece):
                        rows, columns = max(rows, int(digits)), max(columns, _column(letters))
                    n_tags += piece.count(b"<row")  # a row need not have a number
                    rows = max(rows, n_tags)
                    tail = (tail + piece)[-512:]
            if rows > MOST_ROWS or columns > MOST_COLUMNS:
                raise DataError(
                    f"{source.name}: {info.filename} has a cell in row {rows:,}, column "
                    f"{columns:,}; a sheet has at most {MOST_ROWS:,} rows and {MOST_COLUMNS:,} "
                    "columns. Save it again with a program for spreadsheets."
                )
            require_shape(source.name, rows, columns, CELL_BYTES * rows * columns)


def _column(letters: bytes) -> int:
    """The number of a column, from 1: A, B, ..., Z, AA, ..."""
    number = 0
    for letter in letters.upper()[:8]:
        number = 26 * number + letter - 64
    return number


def _table(source: Source, options: ReadOptions, name: str, rows: list[list[Any]]) -> Table:
    pa = package("pyarrow", "cli")
    texts = [["" if cell is None else str(cell).strip() for cell in row] for row in rows[:200]]
    start, n_headers, remarks = header_row_of(source.name, texts, options)
    first = joined_headers(texts[start : start + n_headers])
    columns, notes = named_columns(source, options, first)
    body = rows[start + n_headers :] if options.header is not False else rows[start:]
    n_rows = len(body)
    while start and body and sum(cell is not None for cell in body[-1]) <= len(columns) / 2:
        body.pop()
    if len(body) < n_rows:
        remarks = (*remarks, f"{counted(n_rows - len(body), 'row')} below the table not used.")
    arrays = [
        arrow_column(cells, source.name, options.missing) for cells in zip(*body, strict=True)
    ]
    arrays = arrays or [pa.nulls(0)] * len(columns)
    return Table(
        source.name, pa.table(arrays, names=columns), columns, source.sha256(), array=name,
        notes=(*remarks, *notes),
    )  # fmt: skip


def _plain(value: Any) -> Any:
    """A cell's value; whole numbers that the file has as 3.0 are 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
