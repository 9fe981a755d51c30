"""The one file that knows array back ends: NumPy, CSR, memory maps, dask, row blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .exceptions import DataError

BLOCK_BYTES = 16 * 2**20


def is_dask(X: Any) -> bool:
    """Is `X` a dask array (without importing dask)?"""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "chunks")


def is_device_array(X: Any) -> bool:
    """Is `X` an array of another library with the array API: torch, CuPy, array_api_strict?"""
    if isinstance(X, np.ndarray) or is_dask(X):
        return False
    return hasattr(X, "__array_namespace__") or type(X).__module__.partition(".")[0] == "torch"


def namespace_of(X: Any) -> Any:
    """The functions of the array API for a device array."""
    if hasattr(X, "__array_namespace__"):
        return X.__array_namespace__()
    compat = import_module("sklearn.externals.array_api_compat")  # typed apart from sklearn
    return compat.array_namespace(X)


def is_block_source(X: Any) -> bool:
    """Is `X` something read block by block: a dask array, or an iterator of row blocks?"""
    return is_dask(X) or (isinstance(X, Iterator) and not hasattr(X, "shape"))


def row_blocks(X: Any, block_bytes: int = BLOCK_BYTES) -> Iterator[Any]:
    """Yield `X` in blocks of consecutive rows, each of about `block_bytes` when held as float64.

    Parameters
    ----------
    X : ndarray, memmap, CSR, dask array, or iterator of row blocks
        An iterator's blocks are passed on as they come.
    block_bytes : int
        Size of a block; ignored for iterators.

    Yields
    ------
    block : ndarray or CSR of shape (rows, n_features)
    """
    if is_dask(X):
        for rows in X.to_delayed().reshape(X.numblocks):
            parts = [part.compute() for part in rows]
            yield (
                sp.hstack(parts, "csr") if sp.issparse(parts[0]) else np.concatenate(parts, axis=1)
            )
    elif isinstance(X, Iterable) and not hasattr(X, "shape"):
        yield from X
    elif sp.issparse(X):
        mean_nnz = max(1.0, X.nnz / max(1, X.shape[0]))
        step = max(1, int(block_bytes / (16 * mean_nnz)))
        for start in range(0, X.shape[0], step):
            yield X[start : start + step]
    else:
        step = max(1, block_bytes // (8 * max(1, X.shape[1])))
        for start in range(0, X.shape[0], step):
            yield X[start : start + step]


def joined(X: Any) -> Any:
    """A dask array of sparse blocks as one CSR matrix in memory; anything else as it is."""
    if is_dask(X) and sp.issparse(X._meta):
        return sp.vstack(list(row_blocks(X)), format="csr")
    return X


def as_float(X: Any, dtype: Any = np.float64) -> Any:
    """`X` as `dtype`, copied only if it must be; sparse stays sparse."""
    X = joined(X)
    if sp.issparse(X):
        return X.astype(dtype, copy=False)
    return np.asarray(X, dtype=dtype)


def floating(X: Any) -> Any:
    """`X` as an array of floats: float32 stays float32, everything else becomes float64."""
    if not sp.issparse(X):
        X = np.asarray(X)
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def dense(X: Any) -> Any:
    """X as an ndarray, a sparse matrix filled in."""
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def stored_values(X: Any) -> Any:
    """The entries of X: those that a sparse matrix stores, or the array itself."""
    return X.data if sp.issparse(X) else X


def n_stored(X: Any) -> int:
    """How many entries X stores."""
    return int(X.nnz if sp.issparse(X) else X.shape[0] * X.shape[1])


def n_nonzero(X: Any) -> int:
    """How many entries of X are not 0."""
    return int(X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X))


def missing_per_column(X: Any) -> Any:
    """How many entries of each column are NaN, for an array or CSR."""
    if sp.issparse(X):
        return np.bincount(X.indices[np.isnan(X.data)], minlength=X.shape[1])
    return np.isnan(X).sum(axis=0)


def is_symmetric(X: Any) -> bool:
    """Whether X is square and equals its transpose, entry by entry."""
    if X.shape[0] != X.shape[1]:
        return False
    return not (X != X.T).nnz if sp.issparse(X) else np.array_equal(X, X.T)


def n_distinct_rows(X: Any, at_most: int) -> int:
    """Number of distinct rows of X, counted up to `at_most`.

    Examples
    --------
    >>> n_distinct_rows(np.array([[1.0, 0.0], [1.0, -0.0], [2.0, 0.0]]), 5)
    2
    """
    seen: set[bytes] = set()
    for key in _row_keys(X):
        seen.add(key)
        if len(seen) >= at_most:
            break
    return len(seen)


def distinct_rows(X: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first of each of the distinct rows of X, ascending, and of which of them each row is.

    Examples
    --------
    >>> distinct_rows(np.array([[1.0, 0.0], [2.0, 0.0], [1.0, -0.0]]))
    (array([0, 1]), array([0, 1, 0]))
    """
    seen: dict[bytes, int] = {}
    group = np.array([seen.setdefault(key, len(seen)) for key in _row_keys(X)], dtype=np.intp)
    first = np.flatnonzero(np.diff(np.maximum.accumulate(group), prepend=-1))
    return first, group


def _row_keys(X: Any) -> Iterator[bytes]:
    """A digest of each row: equal ones for equal rows, also where one has -0.0 for 0.0."""
    if not sp.issparse(X):
        rows = (np.ascontiguousarray(x + 0.0).tobytes() for x in X)
    else:
        X = in_one_part(sp.csr_array(X))
        if not X.data.all():
            X = X.copy()
            X.eliminate_zeros()
        rows = (
            X.indices[start:end].tobytes() + X.data[start:end].tobytes()
            for start, end in pairwise(X.indptr)
        )
    return (blake2b(row, digest_size=16).digest() for row in rows)


def same_index_type(X: Any) -> Any:
    """A CSR or CSC array whose indices and pointers have one type; anything else as it is.

    Compiled code of scikit-learn takes no other.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> X = sp.csr_array(np.eye(2))
    >>> X.indices = X.indices.astype(np.int64)
    >>> same_index_type(X).indices.dtype == X.indptr.dtype
    True
    """
    if not sp.issparse(X) or X.format not in ("csr", "csc"):
        return X
    if X.indices.dtype == X.indptr.dtype:
        return X
    largest = max(max(X.shape), X.nnz)
    kind = np.int32 if largest <= np.iinfo(np.int32).max else np.int64
    same = X.copy()
    same.indices, same.indptr = X.indices.astype(kind), X.indptr.astype(kind)
    return same


def in_one_part(X: Any) -> Any:
    """`X` itself, or where a sparse `X` stores entries in parts or out of order, one that does not.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> X = sp.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    >>> in_one_part(X).data, X.data
    (array([3.]), array([1., 2.]))
    """
    if not sp.issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()  # may be the caller's
    X.sum_duplicates()
    return X


def check_sparse(X: Any, name: str = "X") -> None:
    """Refuse a sparse matrix whose arrays contradict its shape; anything else passes.

    SciPy's own checks are partial, and compiled code reads and writes where the indices point.
    Costs one pass over the indices.

    Parameters
    ----------
    X : object
    name : str
        What the message calls it.

    Raises
    ------
    DataError
        If an index lies outside the shape, the pointers fall or do not end at the number of
        stored entries, or the arrays differ in length.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> X = sp.csr_array(np.eye(2))
    >>> X.indices[0] = 7
    >>> check_sparse(X)
    Traceback (most recent call last):
        ...
    sksieve.exceptions.DataError: X is not a valid sparse matrix: index 7 where the 2 columns are \
numbered 0 to 1. Build it again from its entries.
    """
    if sp.issparse(X) and (problem := _sparse_problem(X)):
        raise DataError(
            f"{name} is not a valid sparse matrix: {problem}. Build it again from its entries."
        )


def _sparse_problem(X: Any) -> str:
    checks = {
        "csr": _compressed_problem,
        "csc": _compressed_problem,
        "bsr": _compressed_problem,
        "coo": _coordinate_problem,
        "lil": _list_problem,
        "dok": _key_problem,
        "dia": _diagonal_problem,
    }
    return checks[X.format](X) if X.ndim == 2 else ""


def _compressed_problem(X: Any) -> str:
    axis, other = (1, 0) if X.format == "csc" else (0, 1)
    block = X.blocksize if X.format == "bsr" else (1, 1)
    counts = X.shape[0] // block[0], X.shape[1] // block[1]
    lines = ("block rows", "block columns") if X.format == "bsr" else _LINES
    pointers, indices = np.asarray(X.indptr), np.asarray(X.indices)
    if pointers.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
        return "its indices are not integers"
    if len(indices) != len(X.data):
        return f"{len(indices)} indices for {len(X.data)} entries"
    if len(pointers) != counts[axis] + 1:
        return f"{len(pointers)} pointers for {counts[axis]} {lines[axis]}"
    if pointers[0] != 0 or pointers[-1] > len(X.data):
        return f"pointers from {pointers[0]} to {pointers[-1]} for {len(X.data)} entries"
    if (pointers[1:] < pointers[:-1]).any():
        return "the pointers fall"
    return _outside(indices[: pointers[-1]], counts[other], lines[other])


def _coordinate_problem(X: Any) -> str:
    if len({len(part) for part in (X.row, X.col, X.data)}) > 1:
        return "row indices, column indices and entries differ in number"
    return _outside(X.row, X.shape[0], "rows") or _outside(X.col, X.shape[1], "columns")


def _list_problem(X: Any) -> str:
    if len(X.rows) != X.shape[0] or len(X.data) != X.shape[0]:
        return f"{len(X.rows)} lists of indices for {X.shape[0]} rows"
    if any(len(a) != len(b) for a, b in zip(X.rows, X.data, strict=True)):
        return "indices and entries of a row differ in number"
    columns = np.fromiter((j for row in X.rows for j in row), dtype=np.int64)
    return _outside(columns, X.shape[1], "columns")


def _key_problem(X: Any) -> str:
    keys = np.array(list(X.keys()), dtype=np.int64).reshape(-1, 2)
    return _outside(keys[:, 0], X.shape[0], "rows") or _outside(keys[:, 1], X.shape[1], "columns")


def _diagonal_problem(X: Any) -> str:
    if X.data.ndim != 2 or X.offsets.shape != X.data.shape[:1]:
        return f"{len(X.offsets)} offsets for {len(X.data)} diagonals"
    return ""


_LINES = ("rows", "columns")


def _outside(indices: Any, n: int, lines: str) -> str:
    if len(indices) == 0:
        return ""
    worst = int(indices.min()) if indices.min() < 0 else int(indices.max())
    return (
        "" if 0 <= worst < n else f"index {worst} where the {n} {lines} are numbered 0 to {n - 1}"
    )
