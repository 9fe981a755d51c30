"""What each of the chosen columns contributes, from inner products of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._array import as_float, check_sparse, dense
from .._typing import Array
from ..tables import column_norms2

#: A column whose residual is a smaller part of its squared norm adds nothing.
PIVOT_RTOL = 1e-10
#: Added to the unit diagonal, so that dependent columns come out as 0 % unique.
RIDGE = 1e-12


def inner_products(X: Any, S: NDArray[np.intp]) -> tuple[Array, Array]:
    """``A_S' A`` and the squared norms of the columns of A, A being X as it is.

    Parameters
    ----------
    X : ndarray or CSR of shape (m, n)
    S : ndarray of shape (k,)
        The chosen columns.

    Returns
    -------
    rows : ndarray of shape (k, n)
    norms : ndarray of shape (n,)

    Notes
    -----
    O(m k n), O(nnz k) for CSR; in float64 whatever X is.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.metrics import inner_products
    >>> inner_products(np.array([[2.0, 2.0], [0.0, 1.0]]), np.array([1]))
    (array([[4., 5.]]), array([4., 5.]))
    """
    check_sparse(X)
    X = as_float(X)
    return dense(X[:, S].T @ X), column_norms2(X)


def contributions(rows: Array, S: NDArray[np.intp], norms: Array) -> Array:
    """Squared norm of A that each column explains beyond those before it.

    Parameters
    ----------
    rows : ndarray of shape (k, n)
        ``A_S' A``.
    S : ndarray of shape (k,)
        The chosen columns, in order.
    norms : ndarray of shape (n,)
        Squared norms of all columns.

    Returns
    -------
    ndarray of shape (k,)
        0 for a column that depends on those before it.

    Notes
    -----
    Cholesky factorization in the given order, O(k^2 n): the squared norm of row i of
    ``L^-1 A_S' A`` is what column i adds.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.metrics import contributions, inner_products
    >>> S = np.array([1, 0])
    >>> rows, norms = inner_products(np.array([[2.0, 2.0], [0.0, 1.0]]), S)
    >>> contributions(rows, S, norms).round(3)
    array([8.2, 0.8])
    """
    V = np.zeros(rows.shape)
    for i, j in enumerate(S):
        v = V[:i, j]
        pivot = norms[j] - v @ v
        if pivot > PIVOT_RTOL * norms[j]:
            V[i] = (rows[i] - v @ V[:i]) / np.sqrt(pivot)
    return np.einsum("ij,ij->i", V, V)


def uniqueness(G: Array) -> Array:
    """Share of each column that the others do not explain.

    Parameters
    ----------
    G : ndarray of shape (k, k)
        Gram matrix of the columns.

    Returns
    -------
    ndarray of shape (k,)
        In [0, 1]; 0 for a column that is zero or depends on the others.

    Notes
    -----
    O(k^3): one over the diagonal of the inverse of the Gram matrix of unit columns.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.metrics import uniqueness
    >>> uniqueness(np.array([[4.0, 2.0], [2.0, 2.0]])).round(3)
    array([0.5, 0.5])
    """
    d = np.sqrt(np.diagonal(G))
    zero = d == 0
    C = G / np.outer(np.where(zero, 1.0, d), np.where(zero, 1.0, d))
    C[np.diag_indices_from(C)] = 1.0 + RIDGE
    share = 1.0 / np.diagonal(np.linalg.inv(C))
    return np.where(zero, 0.0, np.clip(share, 0.0, 1.0))
