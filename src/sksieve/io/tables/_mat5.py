"""What a MAT file of version 5 declares, checked before SciPy's compiled code reads it.

The file is a list of elements: type and length, four bytes each, and content. A variable is an
element of type 14 whose content is elements again: flags, dimensions, name, values. An element of
type 15 is one of these, compressed.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .._source import Source

MATRIX, COMPRESSED = 14, 15
#: Classes of variables.
CELL, CHAR, SPARSE, NUMERIC, OPAQUE = 1, 4, 5, range(6, 16), 17
#: Type of an element -> bytes of each of its values.
SIZES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8, 16: 1, 17: 2, 18: 4}
HEADER, HEAD = 128, 4096
#: Cell arrays in cell arrays deeper than this are refused.
DEEPEST = 3


class UnsupportedError(ValueError):
    """A cell array with cells that are neither numbers nor text."""


@dataclass(frozen=True)
class Variable:
    """A variable of the file, its content not yet looked at.

    Parameters
    ----------
    name : str
    kind : int
        Its class.
    shape : tuple of int
    n_bytes : int
        Length of its content as stored.
    """

    name: str
    kind: int
    shape: tuple[int, ...]
    n_bytes: int
    _stored: memoryview
    _is_packed: bool
    _order: str
    _header: bytes

    @property
    def is_table(self) -> bool:
        """Whether it is an array of numbers, dense or sparse."""
        return self.kind == SPARSE or self.kind in NUMERIC

    @property
    def is_readable(self) -> bool:
        """Whether it is an array or text; structs and objects are not opened."""
        return self.is_table or self.kind in (CELL, CHAR)

    def file(self, limit: float) -> bytes:
        """A MAT file of this variable alone, every length in it checked.

        Raises
        ------
        ValueError
            If its parts do not fit together, or it is longer than `limit` once unpacked.
        """
        content = bytes(self._stored)
        if self._is_packed:
            unpack = zlib.decompressobj()
            content = unpack.decompress(content, int(limit))
            if unpack.unconsumed_tail:
                raise ValueError(f"{self.name!r} is longer than it declares")
            (element,) = _elements(content, self._order)
            if element[0] != MATRIX:
                raise ValueError(f"{self.name!r} is not a variable")
            content = bytes(element[1])
        _check(memoryview(content), self._order, 0)
        return self._header + struct.pack(f"{self._order}II", MATRIX, len(content)) + content


def variables(source: Source) -> Iterator[Variable]:
    """The variables of a MAT file of version 5.

    Raises
    ------
    ValueError
        If the file is not one, or is cut off.
    """
    content = source.file.read_bytes()
    mark = content[126:128]
    if mark not in (b"IM", b"MI"):
        raise ValueError("its header is not that of a MAT file")
    order = "<" if mark == b"IM" else ">"
    for kind, stored in _elements(content[HEADER:], order):
        if kind not in (MATRIX, COMPRESSED):
            raise ValueError(f"an element of type {kind}")
        head = stored
        if kind == COMPRESSED:
            start = zlib.decompressobj().decompress(bytes(stored[: 2 * HEAD]), HEAD)
            if len(start) < 8 or struct.unpack(f"{order}I", start[:4])[0] != MATRIX:
                raise ValueError("a compressed element that is not a variable")
            head = memoryview(start)[8:]
        if len(head) < 16 or head[8] == OPAQUE or head[11] == OPAQUE:
            continue  # an object of MATLAB's own, of another layout
        flags, shape, name, _ = _described(head[:HEAD], order)
        yield Variable(
            name, flags & 0xFF, shape, len(stored), stored, kind == COMPRESSED, order,
            content[:HEADER],
        )  # fmt: skip


def _elements(content: bytes | memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Type and content of each element."""
    view, at = memoryview(content), 0
    while at < len(view):
        if len(view) - at < 8:
            if any(view[at:]):
                raise ValueError("it is cut off")
            return
        word, n_bytes = struct.unpack(f"{order}II", view[at : at + 8])
        if word >> 16:  # a short one: length and type in four bytes, content in the other four
            kind, n_bytes, begin, length = word & 0xFFFF, word >> 16, at + 4, 8
            if n_bytes > 4:
                raise ValueError("a short element that is too long")
        else:
            kind, begin = word, at + 8
            padding = 0 if kind == COMPRESSED else -n_bytes % 8
            length = 8 + n_bytes + padding
        if begin + n_bytes > len(view):
            raise ValueError("it is cut off")
        yield kind, view[begin : begin + n_bytes]
        at += length


def _described(
    content: memoryview, order: str
) -> tuple[int, tuple[int, ...], str, Iterator[tuple[int, memoryview]]]:
    """Flags, shape and name of a variable, and what follows."""
    elements = _elements(content, order)
    (flag_type, flags), (shape_type, shape), (name_type, name) = (
        next(elements, (0, memoryview(b""))) for _ in range(3)
    )
    if (flag_type, len(flags)) != (6, 8) or shape_type != 5 or name_type not in (1, 2, 16):
        raise ValueError("a variable without flags, shape or name")
    lengths = struct.unpack(f"{order}{len(shape) // 4}i", shape[: len(shape) // 4 * 4])
    if len(lengths) < 2 or len(lengths) > 32 or min(lengths) < 0:
        raise ValueError(f"a variable of the shape {lengths[:5]}")
    word = struct.unpack(f"{order}I", flags[:4])[0]
    return word, lengths, bytes(name).decode("latin-1"), elements


def _check(content: memoryview, order: str, depth: int) -> None:
    """Refuse a variable whose values do not have the number that its shape asks for."""
    flags, shape, name, parts = _described(content, order)
    kind, n = flags & 0xFF, math.prod(shape)
    n_parts = 2 if flags & 0x0800 else 1
    if kind == CELL:
        cells = list(parts)
        if depth == DEEPEST or len(cells) != n or any(type_ != MATRIX for type_, _ in cells):
            raise ValueError(f"the cell array {name!r} does not hold what it declares")
        for _, cell in cells:
            if len(cell):
                _check(cell, order, depth + 1)
    elif kind in NUMERIC:
        for _ in range(n_parts):
            type_, values = next(parts, (0, memoryview(b"")))
            if type_ not in SIZES or len(values) != n * SIZES[type_]:
                raise ValueError(f"{name!r} does not hold the {n:,} numbers that it declares")
    elif kind == CHAR:
        type_, values = next(parts, (0, memoryview(b"")))
        if n and (type_ not in SIZES or len(values) < n * (SIZES[type_] if type_ != 16 else 1)):
            raise ValueError(f"{name!r} does not hold the {n:,} characters that it declares")
    elif kind == SPARSE:
        _check_sparse(name, shape, list(parts), order, n_parts)
    else:
        raise UnsupportedError(f"{name!r} holds something that is neither numbers nor text")


def _check_sparse(
    name: str,
    shape: tuple[int, ...],
    parts: list[tuple[int, memoryview]],
    order: str,
    n_parts: int,
) -> None:
    if len(shape) != 2 or len(parts) < 2 + n_parts or (parts[0][0], parts[1][0]) != (5, 5):
        raise ValueError(f"the sparse matrix {name!r} lacks its indices")
    rows = np.frombuffer(parts[0][1], dtype=f"{order}i4")
    pointers = np.frombuffer(parts[1][1], dtype=f"{order}i4")
    last = int(pointers[-1]) if len(pointers) else -1
    if len(pointers) != shape[1] + 1 or pointers[0] != 0 or (np.diff(pointers) < 0).any():
        raise ValueError(f"the pointers of the sparse matrix {name!r} do not fit its shape")
    if last > len(rows) or (last and not 0 <= rows[:last].min() <= rows[:last].max() < shape[0]):
        raise ValueError(f"the sparse matrix {name!r} has entries outside its shape")
    for type_, values in parts[2 : 2 + n_parts]:
        if type_ not in SIZES or len(values) < last * SIZES[type_]:
            raise ValueError(f"the sparse matrix {name!r} holds fewer entries than it declares")
