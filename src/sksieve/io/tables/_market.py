"""Matrix Market."""

from __future__ import annotations

import io

import scipy.io
import scipy.sparse as sp

from ...exceptions import DataError
from .._messages import damaged
from .._source import Source
from ._arrays import array_table, sparse_arrays, sparse_table
from ._table import ROW_BYTES, ReadOptions, Table, require_shape

#: Characters of entries.
TEXT = bytes([9, 10, 13, *range(32, 127)])
#: Bytes of text that an entry takes at least, in a file of entries and in one of all numbers.
ENTRY, NUMBER = 4, 2
#: Memory of an entry: as read, and as CSR.
ENTRY_BYTES = 40.0


def read_mtx(source: Source, options: ReadOptions) -> Table:
    """Read a Matrix Market file; coordinate files stay sparse."""
    with damaged(source.name, "Matrix Market"):
        content = source.unpacked(ENTRY_BYTES / ENTRY) if source.packing else b""
        _check(source, content)
        stored = io.BytesIO(content) if content else source.file
        X = scipy.io.mmread(stored, **sparse_arrays(scipy.io.mmread))
    if sp.issparse(X):
        X = sparse_table(source.name, X)
    return array_table(source.name, X, {}, source.sha256())


def _check(source: Source, content: bytes) -> None:
    """Refuse sizes that the file is too short for, or that memory is too small for, and entries
    that are not text: SciPy's parser ends the process at a zero byte."""
    size = len(content) or source.size()
    with io.BytesIO(content) if content else source.stream() as stream:
        words = stream.readline(1024).split()
        if len(words) < 4 or words[0].lower() != b"%%matrixmarket":
            raise ValueError("its first line is not that of a Matrix Market file")
        line = stream.readline(1 << 16)
        while line and (line.startswith(b"%") or not line.strip()):
            line = stream.readline(1 << 16)
        _check_sizes(source.name, size, words, line)
        while piece := stream.read(1 << 20):
            if other := piece.translate(None, TEXT):
                raise ValueError(f"byte {other[0]} among its numbers")


def _check_sizes(name: str, size: int, words: list[bytes], line: bytes) -> None:
    sizes = [int(word) for word in line.split()]
    is_coordinate = words[2].lower() == b"coordinate"
    if len(sizes) != 2 + is_coordinate or min(sizes) < 0:
        raise ValueError("the line of its sizes")
    m, n = sizes[:2]
    halved = len(words) > 4 and words[4].lower() != b"general"
    entries = sizes[2] if is_coordinate else m * n // (1 + halved)
    if entries * (ENTRY if is_coordinate else NUMBER) > size + NUMBER:
        raise DataError(
            f"{name} declares {entries:,} entries, more than {size:,} bytes can hold; it "
            "is damaged or incomplete."
        )
    n_bytes = 24.0 * m * n
    if is_coordinate:
        n_bytes = (1 + halved) * ENTRY_BYTES * entries + ROW_BYTES * m
    require_shape(name, m, n, n_bytes)
