"""Adaptive neighbors: weights that are a projection on the simplex.

Nie, Wang & Huang, "Clustering and projected clustering with adaptive neighbors", KDD 2014. Row i of
P solves ``min sum_j d_ij p_j + a_i p_j^2`` over the simplex (p_i = 0), d squared distances: the
projection of ``-d_i / (2 a_i)``. With a_i chosen so that exactly k entries are positive it is in
closed form.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import check_sparse
from ..prox import project_simplex_sparse
from ._search import find_neighbors
from ._weights import from_neighbors


def adaptive_weights(distances: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Weights with exactly k nonzeros, from the k + 1 smallest squared distances.

    Parameters
    ----------
    distances : ndarray of shape (n, k + 1)
        Squared, ascending in each row, the sample itself left out.

    Returns
    -------
    weights : ndarray of shape (n, k)
        ``(d_(k+1) - d_(h)) / (k d_(k+1) - sum_h d_(h))``; rows on the simplex. Where all k + 1 are
        equally far, 1/k each, the limit.
    alpha : ndarray of shape (n,)
        The a_i that make it so, ``(k d_(k+1) - sum_h d_(h)) / 2``.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import adaptive_weights
    >>> adaptive_weights(np.array([[1.0, 2.0, 4.0], [3.0, 3.0, 3.0]]))
    (array([[0.6, 0.4],
           [0.5, 0.5]]), array([2.5, 0. ]))
    """
    gap = distances[:, -1:] - distances[:, :-1]
    k = gap.shape[1]
    total = gap.sum(axis=1)
    clear = total > np.finfo(distances.dtype).eps * k * distances[:, -1]
    weights = np.full_like(gap, 1 / k)
    weights[clear] = gap[clear] / total[clear, None]
    return weights, np.where(clear, total / 2, 0).astype(distances.dtype)


def adaptive_graph(
    X: Any, n_neighbors: int, how: Any = "exact"
) -> tuple[sp.csr_array, NDArray[Any]]:
    """The graph of `adaptive_weights` on the nearest neighbors of each row of X.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    n_neighbors : int
        ``1 <= n_neighbors <= n - 2``: one neighbor more is needed for the weights.
    how : {"auto", "exact", "approximate"} or transformer, default="exact"
        See `find_neighbors`.

    Returns
    -------
    P : csr_array of shape (n, n)
        Directed; rows sum to 1, zero diagonal.
    alpha : ndarray of shape (n,)

    Notes
    -----
    Cost that of `nearest_neighbors`.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import adaptive_graph
    >>> P, alpha = adaptive_graph(np.array([[0.0], [1.0], [3.0]]), 1)
    >>> P.toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    indices, distances, _ = find_neighbors(X, n_neighbors + 1, how)
    weights, alpha = adaptive_weights(distances)
    return from_neighbors(indices[:, :-1], weights), alpha


def project_rows(U: sp.csr_array, k: int | None = None) -> sp.csr_array:
    """Nearest matrix with rows on the simplex, supported on the stored entries of U.

    With ``U = -V / (2 mu)`` row i minimizes ``sum_j V_ij p_j + mu p_j^2`` over the candidates (the
    stored entries of the row, explicit zeros among them).

    Parameters
    ----------
    U : csr_array of shape (n, m)
        At least one stored entry in every row.
    k : int, optional
        At most so many nonzeros in a row: the k largest are kept (ties to the smaller column), then
        projected, which is exact.

    Returns
    -------
    P : csr_array of shape (n, m)
        Rows sum to 1; no stored zeros.

    Raises
    ------
    ValueError
        If a row of U is empty.

    Notes
    -----
    Cost and memory O(n r log r), r the longest row.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from sksieve.graphs import project_rows
    >>> project_rows(sp.csr_array([[-1.0, -1.2, 0.0], [0.0, -3.0, -1.0]])).toarray()
    array([[0.6, 0.4, 0. ],
           [0. , 0. , 1. ]])
    """
    check_sparse(U, "U")
    if not U.has_sorted_indices:
        U = U.copy()
        U.sort_indices()
    size = np.diff(U.indptr)
    if not size.all():
        raise ValueError(f"U must have a stored entry in every row; row {size.argmin()} has none.")
    width = int(size.max(initial=1))
    stored = np.arange(width) < size[:, None]
    padded = np.full(stored.shape, -np.inf, dtype=U.dtype)
    padded[stored] = U.data
    values = project_simplex_sparse(padded, width if k is None else k)[stored]
    P = sp.csr_array((values, U.indices.copy(), U.indptr.copy()), shape=U.shape)
    P.eliminate_zeros()
    return P
