"""Parquet and Feather."""

from __future__ import annotations

from .._messages import damaged, package
from .._source import Source
from ._table import ReadOptions, Table

__all__ = ["read_feather", "read_parquet"]


def read_parquet(source: Source, options: ReadOptions) -> Table:
    """Read a Parquet file."""
    parquet = package("pyarrow.parquet", "cli")
    with damaged(source.name, "Parquet"):
        table = parquet.ParquetFile(source.file).read()
    return Table(source.name, table, list(table.column_names), source.sha256())


def read_feather(source: Source, options: ReadOptions) -> Table:
    """Read a Feather file (version 1 or 2)."""
    feather = package("pyarrow.feather", "cli")
    with damaged(source.name, "Feather"):
        table = feather.read_table(source.file)
    return Table(source.name, table, list(table.column_names), source.sha256())
