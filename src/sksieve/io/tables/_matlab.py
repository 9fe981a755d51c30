"""MAT files: version 5 (and 4) through SciPy, version 7.3 through h5py."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from ...exceptions import DataError
from .._messages import counted, damaged, package
from .._source import Source
from ._arrays import array_table, choose, sparse_arrays
from ._table import ReadOptions, Table

__all__ = ["is_hdf5", "read_mat"]

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"


def read_mat(source: Source, options: ReadOptions) -> Table:
    """Read a MAT file of any version."""
    with damaged(source.name, "a MAT file"):
        arrays = _version_73(source) if is_hdf5(source) else _version_5(source)
    numbers = {key: a.shape for key, a in arrays.items() if _is_table(a)}
    key = choose(source.name, numbers, options)
    notes = []
    if key != "X" and options.name is None:
        notes.append(f"The table is the array {key!r}, the only one with two dimensions.")
    X = arrays.pop(key)
    if sp.issparse(X):
        X = sp.csr_array(X)
    name = source.name if key == "X" else f"{source.name}[{key}]"
    return array_table(name, X, arrays, source.sha256(), notes=notes, array=key)


def _is_table(a: Any) -> bool:
    return sp.issparse(a) or (isinstance(a, np.ndarray) and a.dtype.kind in "fiubc" and a.ndim >= 2)


def is_hdf5(source: Source) -> bool:
    """Version 7.3: MATLAB puts 512 bytes before the HDF5 signature, other writers put none."""
    head = source.head(520)
    return HDF5_MAGIC in (head[:8], head[512:520])


def _version_5(source: Source) -> dict[str, Any]:
    arrays = sparse_arrays(scipy.io.loadmat)
    stored = scipy.io.loadmat(source.file, appendmat=False, chars_as_strings=True, **arrays)
    return {
        key: _cell_text(a) if isinstance(a, np.ndarray) and a.dtype == object else a
        for key, a in stored.items()
        if not key.startswith("__")
    }


def _cell_text(cells: Any) -> Any:
    """A cell array of strings as an array of strings; any other cell array as it is."""
    flat = [np.ravel(cell) for cell in cells.ravel()]
    if all(cell.size <= 1 and cell.dtype.kind == "U" for cell in flat):
        return np.array([str(cell[0]) if cell.size else "" for cell in flat])
    return cells


def _version_73(source: Source) -> dict[str, Any]:
    """Every variable that is an array; MATLAB stores columns first, so all are transposed."""
    h5py = package("h5py", "cli")
    arrays = {}
    with h5py.File(source.file, "r") as file:
        for key, item in file.items():
            if key.startswith("#"):
                continue
            if isinstance(item, h5py.Dataset):
                arrays[key] = _dataset(h5py, file, item)
            elif "MATLAB_sparse" in item.attrs:
                arrays[key] = _sparse(item)
    if not arrays:
        raise DataError(
            f"{source.name} has no array at its top level ({counted(0, 'variable')} that can be "
            "read; structs are not opened)."
        )
    return arrays


def _dataset(h5py: Any, file: Any, item: Any) -> Any:
    if h5py.check_ref_dtype(item.dtype) is not None:
        return np.array([_text(file[ref][()]) for ref in item[()].T.ravel()])
    value = item[()]
    if item.attrs.get("MATLAB_class", b"") == b"char":
        return np.array([_text(value)])
    if value.dtype.names == ("real", "imag"):
        return np.transpose(value["real"] + 1j * value["imag"])
    return np.transpose(value)


def _text(codes: Any) -> str:
    if np.asarray(codes).dtype.kind not in "ui":
        return ""
    return "".join(map(chr, np.ravel(codes)))


def _sparse(group: Any) -> Any:
    rows = int(group.attrs["MATLAB_sparse"])
    indptr = group["jc"][()]
    empty = "data" not in group
    data = np.zeros(0) if empty else group["data"][()]
    indices = np.zeros(0, dtype=np.int64) if empty else group["ir"][()].astype(np.int64)
    return sp.csc_array((data, indices, indptr.astype(np.int64)), shape=(rows, len(indptr) - 1))
