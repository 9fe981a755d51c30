"""Parquet and Feather."""

from __future__ import annotations

from typing import Any

from .._messages import damaged, package
from .._source import Source
from ._table import ReadOptions, Table, require_shape

__all__ = ["read_feather", "read_parquet"]

CELL_BYTES = 16.0


def read_parquet(source: Source, options: ReadOptions) -> Table:
    """Read a Parquet file."""
    parquet = package("pyarrow.parquet", "cli")
    with damaged(source.name, "Parquet"):
        file = parquet.ParquetFile(source.file)
        about = file.metadata
        groups = [about.row_group(i) for i in range(about.num_row_groups)]
        rows = max(about.num_rows, sum(group.num_rows for group in groups))
        columns = about.num_columns
        n_bytes = sum(group.total_byte_size for group in groups)
        require_shape(source.name, rows, columns, n_bytes + CELL_BYTES * rows * columns)
        table = file.read()
    return _table(source, table)


def read_feather(source: Source, options: ReadOptions) -> Table:
    """Read a Feather file (version 1 or 2)."""
    feather = package("pyarrow.feather", "cli")
    with damaged(source.name, "Feather"):
        table = feather.read_table(source.file, memory_map=True)
    return _table(source, table)


def _table(source: Source, table: Any) -> Table:
    """The table, checked: Arrow trusts the lengths and offsets that a file declares."""
    with damaged(source.name, "a table"):
        require_shape(
            source.name, table.num_rows, table.num_columns,
            CELL_BYTES * table.num_rows * table.num_columns,
        )  # fmt: skip
        table.validate(full=True)
    return Table(source.name, table, list(table.column_names), source.sha256())
