"""Standardized columns of a dense or sparse table, without filling the sparse one in."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator
from sklearn.utils.sparsefuncs import inplace_column_scale, mean_variance_axis

from .._array import as_float
from .._typing import Array, Indices
from ..linalg import leading_eigenpairs
from ..solvers import forward_rows
from ..tables import (
    CenteredTable,
    by_column,
    column_norms2,
    columns_of,
    constant_columns,
    refuse_extremes,
    translated,
)

_COMPONENTS = 100


class Standardized:
    """Columns of mean 0 and variance 1; what is constant up to rounding becomes 0.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)

    Attributes
    ----------
    Z : ndarray or CenteredTable of shape (n, d)
    norms : ndarray of shape (d,)
        ``|x_j|^2``: n, or 0 for constant columns.

    Raises
    ------
    DataError
        If squares of X's entries overflow or underflow.
    """

    def __init__(self, X: Any) -> None:
        X = as_float(X)
        refuse_extremes(X)
        n = X.shape[0]
        if sp.issparse(X):
            center, variance = mean_variance_axis(X, axis=0)
        else:
            center = X.mean(axis=0)
            variance = column_norms2(X - center) / n
        spread = np.sqrt(variance)
        varies = (spread > 0) & ~constant_columns(X)
        scale = np.where(varies, 1 / np.where(varies, spread, 1), 0)
        self.shape = X.shape
        self.norms = n * varies.astype(float)
        if sp.issparse(X):
            rows = sp.csr_array(X, copy=True)
            inplace_column_scale(rows, scale)
            self.Z: Any = CenteredTable(rows, center * scale)
        else:
            self.Z = X - center
            self.Z *= scale

    @property
    def rows(self) -> Any:
        """For distances between samples: all may be moved by one vector."""
        return translated(self.Z)

    def by_column(self) -> None:
        """Lay the entries out by columns, for `take`."""
        self.Z = by_column(self.Z)

    def take(self, J: Indices) -> Array:
        """Columns J, dense, of shape (n, len(J))."""
        return columns_of(self.Z, J)

    def apply(self, W: Array) -> Array:
        """``XW`` for W with a row per column, of shape (n, c)."""
        return np.asarray(self.Z @ W)

    def times(self, V: Array) -> Array:
        """``X'V``, of shape (d, c)."""
        return np.asarray(self.Z.T @ V)

    def forward(self, Y: Array, lam: float, s: int) -> tuple[Indices, Array]:
        """`sksieve.solvers.forward_rows` for ``||XW - Y||^2 + lam ||W||^2``."""
        B = self.times(Y)
        return forward_rows(lambda J: self.times(self.take(J)), self.norms, B, lam, s)


def whitened(X: Standardized) -> Array:
    """The leading principal components of the rows, each of unit variance; at most 100.

    Cost O(n d) a Lanczos step; nothing is n x n beyond 1000 samples.
    """
    n, d = X.shape

    def product(V: Array) -> Array:
        return X.apply(X.times(V.reshape(n, -1))).reshape(V.shape)

    r = min(_COMPONENTS, n - 1, d)
    values, U = leading_eigenpairs(LinearOperator((n, n), product, matmat=product, dtype=float), r)
    return U[:, values > 1e-10 * values[0]] * np.sqrt(n)
