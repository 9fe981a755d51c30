"""Parquet and Feather."""

from __future__ import annotations

import struct
from typing import Any

from .._messages import damaged, package
from .._source import Source
from ._table import ReadOptions, Table, require_shape

#: Bytes that a cell takes: in Arrow, as a number, and scaled.
CELL_BYTES = 32.0
ARROW_MAGIC = b"ARROW1"


def read_parquet(source: Source, options: ReadOptions) -> Table:
    """Read a Parquet file."""
    parquet = package("pyarrow.parquet", "cli")
    with damaged(source.name, "Parquet"):
        file = parquet.ParquetFile(source.file)
        about = file.metadata
        texts = _texts(file.schema_arrow)
        groups = [about.row_group(i) for i in range(about.num_row_groups)]
        rows = max(about.num_rows, sum(group.num_rows for group in groups))
        columns = about.num_columns
        n_bytes = sum(group.total_byte_size for group in groups)
        require_shape(source.name, rows, columns, n_bytes + CELL_BYTES * rows * columns)
        table = parquet.ParquetFile(source.file, read_dictionary=texts).read()
    return _table(source, table, file.schema_arrow)


def read_feather(source: Source, options: ReadOptions) -> Table:
    """Read a Feather file (version 1 or 2)."""
    feather = package("pyarrow.feather", "cli")
    with damaged(source.name, "Feather"):
        if source.head(6) == ARROW_MAGIC:
            require_shape(source.name, 0, 0, 2.0 * _unpacked_bytes(source.file.read_bytes()))
        table = feather.read_table(source.file)
    return _table(source, table)


def _texts(schema: Any) -> list[str]:
    """Names of the columns of text: their values are stored once and must not be written out."""
    types = package("pyarrow", "cli").types
    return [f.name for f in schema if types.is_string(f.type) or types.is_large_string(f.type)]


def _text_bytes(column: Any) -> float:
    """Bytes of the values of a column of text when each is written out; 0 for other columns."""
    pa, pc = package("pyarrow", "cli"), package("pyarrow.compute", "cli")
    if not pa.types.is_dictionary(column.type):
        return 0.0
    if str(column.type.value_type) not in ("string", "large_string"):
        return 0.0
    total = 0.0
    for chunk in column.chunks:
        lengths = pc.binary_length(chunk.dictionary).cast(pa.float64())
        total += pc.sum(lengths.take(chunk.indices)).as_py() or 0.0
    return total


def _table(source: Source, table: Any, schema: Any = None) -> Table:
    """The table, checked and of the types of `schema`.

    Arrow trusts the lengths and offsets that a file declares.
    """
    with damaged(source.name, "a table"):
        rows, columns = table.num_rows, table.num_columns
        require_shape(source.name, rows, columns, CELL_BYTES * rows * columns)
        table.validate(full=True)
        n_bytes = sum(map(_text_bytes, table.columns))
        require_shape(source.name, rows, columns, 2 * n_bytes + CELL_BYTES * rows * columns)
        table = _plain(table if schema is None else table.cast(schema))
    return Table(source.name, table, list(table.column_names), source.sha256())


def _plain(table: Any) -> Any:
    """The table with runs of equal values written out, and UUIDs and JSON as what stores them."""
    pa, pc = package("pyarrow", "cli"), package("pyarrow.compute", "cli")
    for i, kind in enumerate(table.schema.types):
        column, chunks = table.column(i), []
        if pa.types.is_run_end_encoded(kind):
            chunks = [pc.run_end_decode(chunk) for chunk in column.chunks]
        elif str(getattr(kind, "extension_name", "")) in ("arrow.uuid", "arrow.json"):
            chunks = [chunk.storage for chunk in column.chunks]
        if chunks:
            table = table.set_column(i, table.column_names[i], pa.chunked_array(chunks))
    return table


def _unpacked_bytes(content: bytes) -> int:
    """What the compressed buffers of an Arrow file declare to unpack to, all together.

    The file ends in a footer that lists its blocks; the head of a block lists its buffers, and a
    compressed buffer begins with its length once unpacked. Footer and heads are FlatBuffers.
    """
    if content[-6:] != ARROW_MAGIC:
        raise ValueError("it is cut off")
    (length,) = struct.unpack("<i", content[-10:-6])
    footer = _FlatBuffer(content[-10 - length : -10])
    total = 0
    for field in (2, 3):  # dictionaries and record batches
        for at in footer.vector(footer.root(), field, 24):
            start, head_bytes, _ = struct.unpack_from("<qi4xq", footer.content, at)[:3]
            head = _FlatBuffer(content[start + 8 : start + head_bytes])
            batch = head.child(head.root(), 2)
            if field == 2 and batch is not None:
                batch = head.child(batch, 1)
            if batch is None or head.child(batch, 3) is None:  # not compressed
                continue
            for buffer in head.vector(batch, 2, 16):
                begin, stored = struct.unpack_from("<qq", head.content, buffer)
                if stored >= 8:
                    (declared,) = struct.unpack_from("<q", content, start + head_bytes + begin)
                    total += max(declared, 0)
    return total


class _FlatBuffer:
    """The few parts of a FlatBuffer that are needed: tables in tables, and vectors of structs."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def root(self) -> int:
        """Where the outermost table begins."""
        return int(struct.unpack_from("<I", self.content, 0)[0])

    def field(self, table: int, number: int) -> int | None:
        """Where a field of a table lies; None where it is left out."""
        offsets = table - struct.unpack_from("<i", self.content, table)[0]
        (size,) = struct.unpack_from("<H", self.content, offsets)
        if 4 + 2 * number >= size:
            return None
        (offset,) = struct.unpack_from("<H", self.content, offsets + 4 + 2 * number)
        return table + offset if offset else None

    def child(self, table: int, number: int) -> int | None:
        """Where the table begins that is a field of another."""
        at = self.field(table, number)
        return None if at is None else int(at + struct.unpack_from("<I", self.content, at)[0])

    def vector(self, table: int, number: int, size: int) -> range:
        """Where the structs of a vector lie, of `size` bytes each."""
        at = self.child(table, number)
        if at is None:
            return range(0)
        (n,) = struct.unpack_from("<I", self.content, at)
        if at + 4 + n * size > len(self.content):
            raise ValueError("it is cut off")
        return range(at + 4, at + 4 + n * size, size)
