"""NPY and NPZ. Nothing is ever unpickled, and only the requested array is read."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..._array import check_sparse
from ...exceptions import DataError
from .._messages import damaged
from .._source import Source
from ._arrays import array_table, choose, is_per_row, sparse_table
from ._table import ReadOptions, Table, require_shape

#: What scipy.sparse.save_npz writes beside ``data``.
SPARSE_PARTS = {"format", "shape"}
SPARSE_ARRAYS = SPARSE_PARTS | {"data", "indices", "indptr", "row", "col", "offsets", "_is_array"}
#: Largest array beside the table that may name columns or hold labels, in entries per row.
LONGEST_NAME = 4000  # bytes
HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class Header(NamedTuple):
    """What the beginning of an array's file declares."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def n_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


def read_npy(source: Source, options: ReadOptions) -> Table:
    """Read an NPY file, as a memory map."""
    _check_magic(source, b"\x93NUMPY", "NPY")
    with damaged(source.name, "NPY"):
        with source.file.open("rb") as file:
            header = _header(file)
        if header.dtype.hasobject:
            raise DataError(_pickled(source.name, "its array"))
        if header.n_bytes == 0:  # cannot be mapped
            X = np.empty(header.shape, header.dtype)
        else:
            X = np.load(source.file, mmap_mode="r", allow_pickle=False)
    return array_table(source.name, X, {}, source.sha256())


def read_npz(source: Source, options: ReadOptions) -> Table:
    """Read an NPZ file: arrays, or a sparse matrix as scipy.sparse.save_npz writes it."""
    with opened_npz(source) as stored:
        if SPARSE_PARTS | {"data"} <= set(stored.headers) and options.name is None:
            return _sparse(source, stored)
        requested = options.name or "X"
        if requested in stored.pickled or not stored.headers:
            raise DataError(_pickled(source.name, f"array {[*stored.pickled, requested][0]!r}"))
        notes = []
        if stored.pickled:
            notes.append(
                f"Not read: {', '.join(map(repr, stored.pickled))} of {source.name}, which would "
                "have to be unpickled; that is never done."
            )
        key = choose(source.name, {k: h.shape for k, h in stored.headers.items()}, options)
        name = source.name if key == "X" else f"{source.name}[{key}]"
        if key != "X" and options.name is None:
            notes.append(f"The table is the array {key!r}, the only one with two dimensions.")
        X = stored.read(key)
        others = stored.beside(X.shape, {key})
    return array_table(name, X, others, source.sha256(), notes=notes, array=key)


class NpzFile:
    """The arrays of an NPZ file: what each declares, and their content one by one.

    Parameters
    ----------
    name : str
        The file, for messages.
    archive : ZipFile
    """

    def __init__(self, name: str, archive: zipfile.ZipFile) -> None:
        self.name, self.archive = name, archive
        self.headers: dict[str, Header] = {}
        self.pickled: list[str] = []
        for info in archive.infolist():
            key = info.filename.removesuffix(".npy")
            if key == info.filename:
                continue
            if key in self.headers or key in self.pickled:
                raise DataError(f"{name} has two arrays called {key!r}.")
            with archive.open(info) as member:
                header = _header(member)
                begins = member.tell()
            if header.dtype.hasobject:
                self.pickled.append(key)
                continue
            if header.n_bytes != info.file_size - begins:
                raise DataError(
                    f"{name}: the array {key!r} declares {header.n_bytes:,} bytes and holds "
                    f"{info.file_size - begins:,}; the file is damaged."
                )
            self.headers[key] = header

    def read(self, key: str) -> Any:
        """One array; refused where it and its scaled copies would take more than the limit."""
        header = self.headers[key]
        rows, columns = (*header.shape, 1, 1)[:2]
        n_bytes = max(3.0 * header.n_bytes, 24.0 * math.prod(header.shape))
        require_shape(f"{self.name}[{key}]", rows, columns, n_bytes)
        with self.archive.open(f"{key}.npy") as member:
            return np.lib.format.read_array(member, allow_pickle=False)

    def beside(self, shape: tuple[int, ...], used: Collection[str]) -> dict[str, Any]:
        """The arrays that may name columns or hold one value per row; no others are read."""
        return {
            key: self.read(key)
            for key, header in self.headers.items()
            if key not in used
            and header.dtype.itemsize <= LONGEST_NAME
            and (key == "feature_names" or (shape and is_per_row(header.shape, shape[0])))
        }


@contextmanager
def opened_npz(source: Source) -> Iterator[NpzFile]:
    """The arrays of an NPZ file; whatever is wrong with it becomes one sentence."""
    _check_magic(source, b"PK", "NPZ")
    with damaged(source.name, "NPZ"), zipfile.ZipFile(source.file) as archive:
        yield NpzFile(source.name, archive)


def _header(file: Any) -> Header:
    version = np.lib.format.read_magic(file)
    if version not in HEADERS:
        raise ValueError(f"version {version[0]}.{version[1]} of the format, for records")
    shape, _, dtype = HEADERS[version](file)
    if any(length < 0 for length in shape):
        raise ValueError("a negative length")
    return Header(shape, dtype)


def _sparse(source: Source, stored: NpzFile) -> Table:
    """A matrix of one of SciPy's formats, checked before any of SciPy's code converts it."""
    shape = stored.read("shape").ravel()
    kind = stored.read("format").ravel()
    if shape.dtype.kind not in "iu" or len(shape) != 2 or not kind.size or shape.min() < 0:
        raise ValueError("its shape or format is not that of a sparse matrix")
    m, n = map(int, shape)
    word = kind[0].decode() if kind.dtype.kind == "S" else str(kind[0])
    X = _as_csr(source.name, word, stored, (m, n))
    others = stored.beside((m, n), SPARSE_ARRAYS)
    return array_table(source.name, X, others, source.sha256(), array="")


def _as_csr(name: str, kind: str, stored: NpzFile, shape: tuple[int, int]) -> Any:
    nnz = math.prod(stored.headers["data"].shape)
    whole = {key: stored.headers[key] for key in ("indices", "indptr", "row", "col", "offsets")
             if key in stored.headers}  # fmt: skip
    if any(header.dtype.kind not in "iu" or len(header.shape) != 1 for header in whole.values()):
        raise ValueError("its indices are not rows of whole numbers")
    if kind in ("csr", "csc"):
        construct = sp.csr_array if kind == "csr" else sp.csc_array
        parts = (stored.read("data"), stored.read("indices"), stored.read("indptr"))
        return sparse_table(name, construct(parts, shape=shape))
    if kind == "coo":
        require_shape(name, *shape, 40.0 * nnz)
        ends = (stored.read("row"), stored.read("col"))
        return sparse_table(name, sp.coo_array((stored.read("data"), ends), shape=shape))
    if kind == "dia":
        require_shape(name, *shape, 40.0 * nnz)
        diagonals = (stored.read("data"), stored.read("offsets"))
        return sparse_table(name, sp.dia_array(diagonals, shape=shape).tocoo())
    if kind != "bsr":
        raise ValueError(f"{kind[:20]!r} is not one of SciPy's formats")
    data, indices, indptr = (stored.read(key) for key in ("data", "indices", "indptr"))
    if data.ndim != 3 or not all(data.shape[1:]) or shape[0] % data.shape[1]:
        raise ValueError("its blocks do not fit its shape")
    blocks = (shape[0] // data.shape[1], shape[1] // data.shape[2])
    check_sparse(sp.csr_array((np.ones(len(data)), indices, indptr), shape=blocks), name)
    return sparse_table(name, sp.bsr_array((data, indices, indptr), shape=shape))


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
