"""XLSX, through pandas and openpyxl."""

from __future__ import annotations

import warnings
import zipfile
from typing import Any

from ..._wording import counted, listed
from ...exceptions import DataError
from .._messages import damaged, package
from .._source import Source
from ._records import arrow_column
from ._table import ReadOptions, Table, require_shape
from ._text import MISSING, named_columns

__all__ = ["read_xlsx"]

#: Memory of a sheet's cells, over the length of its XML.
CELLS = 30.0


def read_xlsx(source: Source, options: ReadOptions) -> Table:
    """Read a sheet of a workbook: --name, or the only one that is not empty."""
    pandas = package("pandas", "cli")
    package("openpyxl", "excel")
    with damaged(source.name, "XLSX"):
        _check_members(source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl's, on styles it does not know
            with pandas.ExcelFile(source.file, engine="openpyxl") as book:
                sheets = [str(name) for name in book.sheet_names]
                if options.name is not None and options.name not in sheets:
                    raise DataError(
                        f"{source.name} has no sheet {options.name!r}; it has {listed(sheets)}."
                    )
                frames = {
                    name: book.parse(
                        name,
                        header=None,
                        dtype=object,
                        na_values=[*MISSING, *options.missing],
                        keep_default_na=False,
                    )
                    for name in ([options.name] if options.name else sheets)
                }
    filled = {name: frame for name, frame in frames.items() if not frame.empty}
    if len(filled) != 1:
        if not filled:
            raise DataError(f"{source.name} holds no table: {counted(len(frames), 'empty sheet')}.")
        raise DataError(
            f"{source.name} has several sheets that could be the table: {listed(filled)}; choose "
            f"one, for example --name {next(iter(filled))!r}."
        )
    ((name, frame),) = filled.items()
    return _table(source, options, name, frame)


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


def _table(source: Source, options: ReadOptions, name: str, frame: Any) -> Table:
    pa = package("pyarrow", "cli")
    cells = frame.astype(object).where(frame.notna(), None)
    has_header = options.header is not False
    first = [cells[j].iloc[0] for j in cells] if has_header else []
    columns = ["" if cell is None else str(cell).strip() for cell in first]
    columns = columns or [""] * cells.shape[1]
    columns, notes = named_columns(source, options, columns)
    rows = cells.iloc[1:] if has_header else cells
    arrays = [arrow_column([_plain(cell) for cell in rows[j]]) for j in rows]
    return Table(
        source.name, pa.table(arrays, names=columns), columns, source.sha256(), array=name,
        notes=notes,
    )  # fmt: skip


def _plain(cell: Any) -> Any:
    """A cell as one of Python's own values."""
    return cell.item() if hasattr(cell, "item") else cell
