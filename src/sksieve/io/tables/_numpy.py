"""NPY and NPZ. Nothing is ever unpickled."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...exceptions import DataError
from .._messages import damaged
from .._source import Source
from ._arrays import array_table, choose
from ._table import ReadOptions, Table

__all__ = ["read_npy", "read_npz"]

#: What scipy.sparse.save_npz writes beside ``data``.
SPARSE_PARTS = {"format", "shape"}
SPARSE_ARRAYS = SPARSE_PARTS | {"data", "indices", "indptr", "row", "col", "offsets", "_is_array"}


def read_npy(source: Source, options: ReadOptions) -> Table:
    """Read an NPY file, as a memory map."""
    _check_magic(source, b"\x93NUMPY", "NPY")
    with damaged(source.name, "NPY"):
        try:
            X = np.load(source.file, mmap_mode="r", allow_pickle=False)
        except ValueError as error:
            if "Python objects" not in str(error):
                raise
            raise DataError(_pickled(source.name, "its array")) from error
    return array_table(source.name, X, {}, source.sha256())


def read_npz(source: Source, options: ReadOptions) -> Table:
    """Read an NPZ file: arrays, or a sparse matrix as scipy.sparse.save_npz writes it."""
    notes: list[str] = []
    _check_magic(source, b"PK", "NPZ")
    with damaged(source.name, "NPZ"), np.load(source.file, allow_pickle=False) as stored:
        arrays, pickled = _plain(stored)
        if SPARSE_PARTS < set(arrays) and "data" in arrays and options.name is None:
            X = sp.csr_array(sp.load_npz(source.file))
            others = {key: a for key, a in arrays.items() if key not in SPARSE_ARRAYS}
            return array_table(source.name, X, others, source.sha256(), array="")
    wanted = options.name or "X"
    if wanted in pickled or not arrays:
        raise DataError(_pickled(source.name, f"array {[*pickled, wanted][0]!r}"))
    if pickled:
        notes.append(
            f"Not read: {', '.join(map(repr, pickled))} of {source.name}, which would have to be "
            "unpickled; that is never done."
        )
    key = choose(source.name, {k: a.shape for k, a in arrays.items()}, options)
    name = source.name if key == "X" else f"{source.name}[{key}]"
    if key != "X" and options.name is None:
        notes.append(f"The table is the array {key!r}, the only one with two dimensions.")
    X = arrays.pop(key)
    return array_table(name, X, arrays, source.sha256(), notes=notes, array=key)


def _plain(stored: Any) -> tuple[dict[str, Any], list[str]]:
    """The arrays, and the names of those that would have to be unpickled."""
    arrays, pickled = {}, []
    for key in stored.files:
        try:
            arrays[key] = stored[key]
        except ValueError as error:
            if "allow_pickle" not in str(error):
                raise
            pickled.append(key)
    return arrays, pickled


def _check_magic(source: Source, magic: bytes, kind: str) -> None:
    """NumPy takes any file that begins otherwise for a pickle."""
    head = source.head()
    if head.startswith(b"\x80"):
        raise DataError(_pickled(source.name, "its content"))
    if not head.startswith(magic):
        raise DataError(
            f"{source.name} cannot be read as {kind}; it is damaged or of another format."
        )


def _pickled(name: str, what: str) -> str:
    return (
        f"{name}: {what} is stored as pickled Python objects, which could run any program and are "
        "never read; save it as an array of numbers (X.astype(float))."
    )
