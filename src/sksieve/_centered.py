"""A sparse table minus the means of its columns, without filling it in."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = [
    "CenteredTable",
    "column_norms2",
    "row_norms2",
    "rows_of",
    "translated",
    "weighted_gram",
    "weighted_outer",
]

Array = NDArray[np.float64]

#: Columns of larger density are centered and filled in, which at most doubles what is stored:
#: the mean of such a column may be large beside its spread, and would be lost in rounding.
_DENSE = 0.5


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
    S : csr_array of shape (n, d)
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


def column_norms2(Z: Any) -> Array:
    """Squared lengths of the columns of an array or a `CenteredTable`."""
    return Z.norms2() if isinstance(Z, CenteredTable) else np.einsum("ij,ij->j", Z, Z)


def row_norms2(Z: Any) -> Array:
    """Squared lengths of the rows of an array or a `CenteredTable`."""
    if not isinstance(Z, CenteredTable):
        return np.einsum("ij,ij->i", Z, Z)
    squares = np.asarray(Z.S.multiply(Z.S).sum(axis=1)).ravel()
    result: Array = np.maximum(squares - 2 * (Z.S @ Z.mean) + float(Z.mean @ Z.mean), 0.0)
    return result


def weighted_gram(Z: Any, a: Array | None = None) -> Array:
    """``Z' diag(a) Z`` for an array or a `CenteredTable`; a >= 0, 1 where it is not given."""
    if isinstance(Z, CenteredTable):
        return Z.gram(a)
    if a is not None:
        Z = np.sqrt(a)[:, None] * Z
    return np.asarray(Z.T @ Z)  # NumPy forms one half of such a product


def weighted_outer(Z: Any, q: Array | None = None) -> Array:
    """``Z diag(q) Z'`` for an array or a `CenteredTable`; q >= 0, 1 where it is not given."""
    if isinstance(Z, CenteredTable):
        return Z.outer(q)
    if q is not None:
        Z = Z * np.sqrt(q)
    return np.asarray(Z @ Z.T)


def rows_of(Z: Any, index: Any) -> Array:
    """Some rows of an array or a `CenteredTable`, as an array."""
    return Z.S[index].toarray() - Z.mean if isinstance(Z, CenteredTable) else Z[index]


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
