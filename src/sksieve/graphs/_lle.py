"""Locally linear reconstruction weights.

Roweis & Saul, "Nonlinear dimensionality reduction by locally linear embedding", Science 290, 2000.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import floating
from ._differences import difference_products
from ._search import Neighbors, as_neighbors
from ._weights import from_neighbors


def lle_weights(X: NDArray, n_neighbors: int | Neighbors, reg: float = 1e-3) -> sp.csr_array:
    """Weights that reconstruct every sample from its neighbors.

    Row i solves ``min ||x_i - sum_j w_j x_j||^2 + reg tr(C) ||w||^2, sum_j w_j = 1`` over the
    nearest neighbors j, C the Gram matrix of ``x_j - x_i``.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Samples are rows.
    n_neighbors : int or Neighbors
        ``1 <= n_neighbors <= n - 1``, or what `find_neighbors` found in X.
    reg : float, default=1e-3
        > 0. C is singular when there are more neighbors than columns, or duplicates: always
        regularized.

    Returns
    -------
    W : csr_array of shape (n, n)
        Rows sum to 1, entries of any sign, zero diagonal.

    Notes
    -----
    Where all neighbors are duplicates of the sample, 1/k each. Cost that of `nearest_neighbors`
    plus O(n k^2 (d + k)).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import lle_weights
    >>> lle_weights(np.array([[0.0], [1.0], [2.0]]), 2).toarray().round(2)
    array([[ 0.  ,  1.99, -0.99],
           [ 0.5 ,  0.  ,  0.5 ],
           [-0.99,  1.99,  0.  ]])
    """
    X = floating(X)
    indices = as_neighbors(X, n_neighbors).indices
    k = indices.shape[1]
    weights = np.empty(indices.shape, dtype=X.dtype)
    for rows, C in difference_products(X, indices):
        trace = np.trace(C, axis1=1, axis2=2)
        ridge = np.where(trace > 0, reg * trace, 1).astype(X.dtype)
        C[:, np.arange(k), np.arange(k)] += ridge[:, None]
        w = np.linalg.solve(C, np.ones((*C.shape[:2], 1), dtype=X.dtype))[..., 0]
        weights[rows] = w / w.sum(axis=1, keepdims=True)
    return from_neighbors(indices, weights)
