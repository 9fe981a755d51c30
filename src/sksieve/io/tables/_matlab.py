"""MAT files: version 5 (and 4) through SciPy, version 7.3 through h5py."""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from ...config import memory_limit
from ...exceptions import DataError
from .._messages import damaged
from .._source import Source
from ._arrays import array_table, choose, is_per_row, sparse_arrays, sparse_table
from ._hdf5 import HDF5_MAGIC, opened_hdf5, read_dataset
from ._mat5 import UnsupportedError, Variable, variables
from ._table import ReadOptions, Table, require_shape

#: What a compressed variable may unpack to, over the memory limit: the copies that follow.
COPIES = 3
#: Bytes of a number of version 4, by the second digit of its type from the right.
SIZES_4 = {0: 8, 1: 4, 2: 4, 3: 2, 4: 2, 5: 1}

Shapes = Mapping[str, tuple[int, ...]]
Read = Callable[[str], Any]


def read_mat(source: Source, options: ReadOptions) -> Table:
    """Read a MAT file of any version."""
    with damaged(source.name, "a MAT file"):
        if is_hdf5(source):
            return _version_73(source, options)
        if 0 in source.head(4):
            return _version_4(source, options)
        return _version_5(source, options)


def is_hdf5(source: Source) -> bool:
    """Version 7.3: MATLAB puts 512 bytes before the HDF5 signature, other writers put none."""
    head = source.head(520)
    return HDF5_MAGIC in (head[:8], head[512:520])


def _table(
    source: Source, options: ReadOptions, tables: Shapes, others: Shapes, read: Read
) -> Table:
    """The table among a file's arrays, and the arrays beside it."""
    key = choose(source.name, tables, options)
    notes = []
    if key != "X" and options.name is None:
        notes.append(f"The table is the array {key!r}, the only one with two dimensions.")
    name = source.name if key == "X" else f"{source.name}[{key}]"
    X = read(key)
    if sp.issparse(X):
        X = sparse_table(name, X)
    beside = {}
    for other, shape in {**tables, **others}.items():
        if other != key and (other == "feature_names" or is_per_row(shape, X.shape[0])):
            try:
                beside[other] = read(other)
            except UnsupportedError:  # cells of anything: not labels
                continue
    return array_table(name, X, beside, source.sha256(), notes=notes, array=key)


def _version_5(source: Source, options: ReadOptions) -> Table:
    stored = {v.name: v for v in variables(source) if v.name and v.is_readable}
    tables = {name: v.shape for name, v in stored.items() if v.is_table}
    others = {name: v.shape for name, v in stored.items() if not v.is_table}

    def read(name: str) -> Any:
        variable = stored[name]
        rows, columns = variable.shape[:2]
        dense = 0 if variable.kind == 5 else 24.0 * math.prod(variable.shape)
        require_shape(f"{source.name}[{name}]", rows, columns, dense)
        return _values(variable)

    return _table(source, options, tables, others, read)


def _values(variable: Variable) -> Any:
    file = io.BytesIO(variable.file(memory_limit() / COPIES))
    arrays = sparse_arrays(scipy.io.loadmat)
    value = scipy.io.loadmat(file, chars_as_strings=True, **arrays)[variable.name]
    return _cell_text(value) if isinstance(value, np.ndarray) and value.dtype == object else value


def _cell_text(cells: Any) -> Any:
    """A cell array of strings as an array of strings; any other cell array as it is."""
    flat = [np.ravel(cell) for cell in cells.ravel()]
    if all(cell.size <= 1 and cell.dtype.kind == "U" for cell in flat):
        return np.array([str(cell[0]) if cell.size else "" for cell in flat])
    return cells


def _version_4(source: Source, options: ReadOptions) -> Table:
    shapes = _shapes_4(source)
    arrays = sparse_arrays(scipy.io.loadmat)

    def read(name: str) -> Any:
        return scipy.io.loadmat(
            source.file, appendmat=False, chars_as_strings=True, variable_names=[name], **arrays
        )[name]

    return _table(source, options, shapes, {}, read)


def _shapes_4(source: Source) -> Shapes:
    """The matrices of numbers of a file of version 4, which is headers and numbers in turn."""
    content, at, shapes = source.file.read_bytes(), 0, {}
    order = ">" if content[:1] == b"\0" and content[:4] != b"\0\0\0\0" else "<"
    while at < len(content):
        if len(content) - at < 20:
            raise ValueError("it is cut off")
        kind, m, n, is_complex, length = struct.unpack(f"{order}5i", content[at : at + 20])
        digit, size = kind % 10, SIZES_4.get(kind // 10 % 10)
        if size is None or min(kind, m, n) < 0 or is_complex not in (0, 1) or digit > 2:
            raise ValueError("a header that is not one of a MAT file")
        end = at + 20 + length + m * n * size * (1 + is_complex)
        if not 0 < length < 1000 or end > len(content):
            raise ValueError("it is cut off")
        name = content[at + 20 : at + 20 + length].rstrip(b"\0").decode("latin-1")
        if digit != 1:  # text
            shapes[name] = (m, n)
        at = end
    return shapes


def _version_73(source: Source, options: ReadOptions) -> Table:
    """Every variable that is an array; MATLAB stores columns first, so all are transposed."""
    with opened_hdf5(source) as (h5py, file):
        tables: dict[str, tuple[int, ...]] = {}
        others: dict[str, tuple[int, ...]] = {}
        for key, item in file.items():
            if key.startswith("#"):
                continue
            if isinstance(item, h5py.Dataset):
                shapes = tables if item.dtype.kind in "fiubcV" and item.ndim >= 2 else others
                shapes[key] = item.shape[::-1]
                if h5py.check_ref_dtype(item.dtype) is not None or _is_text(item):
                    others[key] = tables.pop(key, item.shape[::-1])
            elif "MATLAB_sparse" in item.attrs and "jc" in item:
                tables[key] = (int(item.attrs["MATLAB_sparse"]), item["jc"].size - 1)
        if not tables:
            raise DataError(
                f"{source.name} has no array of numbers at its top level; structs are not opened."
            )

        def read(key: str) -> Any:
            item = file[key]
            name = f"{source.name}[{key}]"
            return (
                _variable(h5py, file, item, name)
                if isinstance(item, h5py.Dataset)
                else _sparse(item, name)
            )

        return _table(source, options, tables, others, read)


def _is_text(item: Any) -> bool:
    return item.attrs.get("MATLAB_class", b"") == b"char"


def _variable(h5py: Any, file: Any, item: Any, name: str) -> Any:
    value = read_dataset(item, name)
    if h5py.check_ref_dtype(item.dtype) is not None:
        return np.array([_text(read_dataset(file[ref], name)) for ref in value.T.ravel()])
    if _is_text(item):
        return np.array([_text(value)])
    if value.dtype.names == ("real", "imag"):
        return np.transpose(value["real"] + 1j * value["imag"])
    return np.transpose(value)


def _text(codes: Any) -> str:
    if np.asarray(codes).dtype.kind not in "ui":
        return ""
    return "".join(map(chr, np.ravel(codes)))


def _sparse(group: Any, name: str) -> Any:
    rows = int(group.attrs["MATLAB_sparse"])
    indptr = read_dataset(group["jc"], name).ravel().astype(np.int64)
    is_empty = "data" not in group
    data = np.zeros(0) if is_empty else read_dataset(group["data"], name).ravel()
    indices = np.zeros(0, dtype=np.int64)
    if not is_empty:
        indices = read_dataset(group["ir"], name).ravel().astype(np.int64)
    return sp.csc_array((data, indices, indptr), shape=(rows, len(indptr) - 1))
