"""A sparse table minus the means of its columns, without filling it in.

`CenteredTable` serves wherever a table in memory is centered. Two others center as they read:
`RowSource`, which passes over blocks of rows, and the folds of `metrics.HeldOut`, which take the
means of other rows and keep their Gram matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._typing import Array

#: Columns of larger density are centered and filled in, which at most doubles what is stored:
#: the mean of such a column may be large compared with its spread, and would be lost in rounding.
_DENSE = 0.5
#: Entries of a block of a sparse product.
_BLOCK_ENTRIES = 1e7
#: Columns of a block of a symmetric product.
_BLOCK_COLUMNS = 128


class CenteredTable:
    """``Z = S - 1 mean'`` with S in CSR, of which products are formed but not the entries.

    It stands where an array Z would: ``Z @ V``, ``Z.T @ U``, ``Z[:, columns]``, ``len(Z)`` and
    ``Z.shape`` work as they do for an array. The functions below are for what else methods need.

    Parameters
    ----------
    X : csr_array of shape (n, d)
    center : ndarray of shape (d,)
        What is subtracted from each column of X.

    Attributes
    ----------
    S : csr_array of shape (n, d), or csc_array after `by_column`
        X; columns with more than half of their entries stored are centered and filled in.
    mean : ndarray of shape (d,)
        What is to be subtracted from S; 0 for columns that are filled in.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> Z = CenteredTable(sp.csr_array([[3.0, 1.0], [0.0, 2.0], [0.0, 3.0]]), np.array([1.0, 2.0]))
    >>> Z @ np.eye(2)
    array([[ 2., -1.],
           [-1.,  0.],
           [-1.,  1.]])
    """

    def __init__(self, X: Any, center: Array) -> None:
        stored = np.bincount(X.indices, minlength=X.shape[1])
        full = (stored > _DENSE * X.shape[0]) & (center != 0)
        self.S = _filled(X, full, center) if full.any() else sp.csr_array(X)
        self.mean = np.where(full, 0.0, center)
        self.shape: tuple[int, int] = self.S.shape
        self.dtype = self.S.dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __matmul__(self, V: Array) -> Array:
        return np.asarray(self.S @ V - self.mean @ V)

    @property
    def T(self) -> _Transposed:
        return _Transposed(self)

    def __getitem__(self, key: tuple[slice, Any]) -> CenteredTable:
        rows, columns = key
        if rows != slice(None):
            raise TypeError("of a centered sparse table, only columns can be taken")
        part = object.__new__(CenteredTable)
        part.S, part.mean = sp.csr_array(self.S[:, columns]), self.mean[columns]
        part.shape, part.dtype = part.S.shape, self.dtype
        return part

    def by_column(self) -> CenteredTable:
        """The same with S in CSC, of which some columns are read in the time that these take."""
        same = object.__new__(CenteredTable)
        same.S, same.mean = sp.csc_array(self.S), self.mean
        same.shape, same.dtype = self.shape, self.dtype
        return same

    def norms2(self) -> Array:
        """Squared lengths of the columns."""
        n, d = self.shape
        S = self.S
        sums = np.bincount(S.indices, S.data, minlength=d)
        squares = np.bincount(S.indices, S.data**2, minlength=d)
        result: Array = np.maximum(squares - self.mean * (2 * sums - n * self.mean), 0.0)
        return result

    def gram(self, a: Array | None = None) -> Array:
        """``Z' diag(a) Z``, of order d; a = 1 where it is not given."""
        left = self.S if a is None else self.S.multiply(a[:, None]).tocsr()
        G = (self.S.T @ left).toarray()
        sums = np.asarray(left.sum(axis=0)).ravel()
        total = len(self) if a is None else float(a.sum())
        G -= np.outer(sums, self.mean) + np.outer(self.mean, sums)
        G += total * np.outer(self.mean, self.mean)
        return np.asarray(G)

    def outer(self, q: Array | None = None) -> Array:
        """``Z diag(q) Z'``, of order n; q = 1 where it is not given."""
        q = np.ones(self.shape[1]) if q is None else q
        K = (self.S.multiply(q[None, :]).tocsr() @ self.S.T).toarray()
        shift = self.S @ (q * self.mean)
        K -= shift[:, None] + shift[None, :]
        K += float(q @ self.mean**2)
        return np.asarray(K)


class _Transposed:
    """``Z'`` for products from the left."""

    def __init__(self, Z: CenteredTable) -> None:
        self.Z = Z
        self.shape = Z.shape[::-1]

    def __matmul__(self, U: Array) -> Array:
        Z = self.Z
        product = np.asarray(Z.S.T @ U)
        sums = U.sum(axis=0)
        return product - (np.outer(Z.mean, sums) if U.ndim == 2 else Z.mean * sums)


class MixedTable:
    """``M^(1/2) S`` for a form M of the samples with ``M1 = 0``, without a dense n x d array.

    Parameters
    ----------
    M : csr_array of shape (n, n)
        Positive semidefinite.
    S : csr_array of shape (n, d)
    """

    def __init__(self, M: Any, S: Any) -> None:
        values, vectors = np.linalg.eigh(M.toarray())
        self.root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
        self.M, self.S = M, S
        self.shape: tuple[int, int] = S.shape
        self.dtype = S.dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __matmul__(self, V: Array) -> Array:
        return np.asarray(self.root @ (self.S @ V))

    @property
    def T(self) -> _MixedTransposed:
        return _MixedTransposed(self)

    def norms2(self) -> Array:
        """Squared lengths of the columns."""
        return form_diagonal(self.M, self.S)

    def gram(self, a: Array | None = None) -> Array:
        """``S'MS``; weights of mixed rows have no meaning."""
        if a is not None:
            raise TypeError("rows of a mixed table have no weights")
        return np.asarray((self.S.T @ (self.M @ self.S)).toarray())

    def outer(self, q: Array | None = None) -> Array:
        """``M^(1/2) S diag(q) S' M^(1/2)``."""
        q = np.ones(self.shape[1]) if q is None else q
        K = (self.S.multiply(q[None, :]).tocsr() @ self.S.T).toarray()
        return np.asarray(self.root @ K @ self.root)


class _MixedTransposed:
    """``S'M^(1/2)`` for products from the left."""

    def __init__(self, Z: MixedTable) -> None:
        self.Z = Z
        self.shape = Z.shape[::-1]

    def __matmul__(self, U: Array) -> Array:
        return np.asarray(self.Z.S.T @ (self.Z.root @ U))


def form_diagonal(M: Any, Z: Any) -> Array:
    """Diagonal of ``Z'MZ`` for a sparse form of the samples with ``M1 = 0``."""
    if isinstance(Z, np.ndarray):
        return np.einsum("ij,ij->j", Z, M @ Z)
    S = translated(Z)
    diagonal = np.zeros(S.shape[1])
    for rows in _row_blocks(M, S):
        diagonal += np.asarray(S[rows].multiply(M[rows] @ S).sum(axis=0)).ravel()
    return diagonal


def form_of_columns(M: Any, Z: Any) -> Array:
    """``Z'MZ``, of order d, for a sparse symmetric form of the samples with ``M1 = 0``."""
    if isinstance(Z, np.ndarray):
        return _symmetric_product(Z, M @ Z)
    S = translated(Z)
    A = np.zeros((S.shape[1], S.shape[1]))
    for rows in _row_blocks(M, S):
        A += (S[rows].T @ (M[rows] @ S)).toarray()
    return np.asarray((A + A.T) / 2)


def _row_blocks(M: Any, S: Any) -> Iterator[slice]:
    """Rows of M whose product with S has about `_BLOCK_ENTRIES` entries."""
    step = max(1, int(_BLOCK_ENTRIES / max(1.0, M.nnz / M.shape[0] * S.nnz / S.shape[0])))
    for first in range(0, S.shape[0], step):
        yield slice(first, first + step)


def _symmetric_product(Z: Array, Y: Array) -> Array:
    """``Z'Y`` where it is symmetric: little more than one half of it is computed."""
    d = Z.shape[1]
    A = np.empty((d, d), dtype=np.result_type(Z, Y))
    for first in range(0, d, _BLOCK_COLUMNS):
        part = slice(first, first + _BLOCK_COLUMNS)
        A[part, first:] = Z[:, part].T @ Y[:, first:]
        A[first:, part] = A[part, first:].T
        A[part, part] = (A[part, part] + A[part, part].T) / 2
    return A


def column_norms2(Z: Any) -> Array:
    """Squared lengths of the columns of an array, a sparse matrix or a `CenteredTable`."""
    if sp.issparse(Z):
        return np.asarray(Z.multiply(Z).sum(axis=0)).ravel()
    return np.einsum("ij,ij->j", Z, Z) if isinstance(Z, np.ndarray) else np.asarray(Z.norms2())


def column_std(Z: Any) -> Array:
    """Standard deviations of the columns of an array or a `CenteredTable`."""
    if isinstance(Z, np.ndarray):
        return np.asarray(Z.std(axis=0))
    n = len(Z)
    mean = (Z.T @ np.ones(n)) / n
    return np.sqrt(np.maximum(Z.norms2() / n - mean**2, 0.0))


def row_norms2(Z: Any) -> Array:
    """Squared lengths of the rows of an array or a `CenteredTable`."""
    if not isinstance(Z, CenteredTable):
        return np.einsum("ij,ij->i", Z, Z)
    squares = np.asarray(Z.S.multiply(Z.S).sum(axis=1)).ravel()
    result: Array = np.maximum(squares - 2 * (Z.S @ Z.mean) + float(Z.mean @ Z.mean), 0.0)
    return result


def weighted_gram(Z: Any, a: Array | None = None) -> Array:
    """``Z' diag(a) Z`` for an array or a `CenteredTable`; a >= 0, 1 where it is not given."""
    if not isinstance(Z, np.ndarray):
        return np.asarray(Z.gram(a))
    if a is not None:
        Z = np.sqrt(a)[:, None] * Z
    return np.asarray(Z.T @ Z)  # NumPy forms one half of such a product


def weighted_outer(Z: Any, q: Array | None = None) -> Array:
    """``Z diag(q) Z'`` for an array or a `CenteredTable`; q >= 0, 1 where it is not given."""
    if not isinstance(Z, np.ndarray):
        return np.asarray(Z.outer(q))
    if q is not None:
        Z = Z * np.sqrt(q)
    return np.asarray(Z @ Z.T)


def rows_product(U: Array, Z: Any) -> Array:
    """``U'Z`` for an array or a `CenteredTable`; for few columns of U faster than ``Z'U``."""
    return U.T @ Z if isinstance(Z, np.ndarray) else np.asarray((Z.T @ U).T)


def rows_of(Z: Any, index: Any) -> Array:
    """Some rows of an array or a `CenteredTable`, as an array."""
    return Z.S[index].toarray() - Z.mean if isinstance(Z, CenteredTable) else Z[index]


def columns_of(Z: Any, index: Any) -> Array:
    """Some columns of an array or a `CenteredTable`, as an array in their own layout."""
    if isinstance(Z, CenteredTable):
        return np.asarray(Z.S[:, index].toarray() - Z.mean[index])
    return Z.T[index].T


def by_column(Z: Any) -> Any:
    """An array or a `CenteredTable` laid out for `columns_of`."""
    return Z.by_column() if isinstance(Z, CenteredTable) else np.asfortranarray(Z)


def translated(Z: Any) -> Any:
    """Z, or in CSR Z with all rows moved by one vector: for distances and differences of rows."""
    return Z.S if isinstance(Z, CenteredTable) else Z


def _filled(X: Any, full: NDArray[np.bool_], center: Array) -> sp.csr_array:
    """X with the columns `full` centered and every entry of them stored."""
    of_rest = np.where(full, 0.0, 1.0)[X.indices].astype(bool)
    counts = np.zeros(len(of_rest) + 1, dtype=X.indptr.dtype)
    np.cumsum(of_rest, out=counts[1:])
    rest = sp.csr_array((X.data[of_rest], X.indices[of_rest], counts[X.indptr]), shape=X.shape)
    at = np.flatnonzero(full)
    D = X[:, at].toarray() - center[at]
    columns = np.tile(at.astype(X.indices.dtype), len(D))
    pointers = len(at) * np.arange(len(D) + 1, dtype=X.indptr.dtype)
    return sp.csr_array(rest + sp.csr_array((D.ravel(), columns, pointers), shape=X.shape))
