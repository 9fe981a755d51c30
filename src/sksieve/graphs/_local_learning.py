"""Weights by which kernel ridge regression on its neighbors predicts a value at a sample.

Wu & Scholkopf, "A local learning approach for clustering", NIPS 2006.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import floating
from ._differences import difference_products
from ._search import Neighbors, as_neighbors
from ._weights import from_neighbors


def local_learning_weights(
    X: NDArray, n_neighbors: int | Neighbors, reg: float = 0.1
) -> sp.csr_array:
    """B with ``(B g)_i`` the prediction of g_i by kernel ridge regression from its neighbors.

    Row i is ``k_i' (K_i + k reg I)^-1`` on the k nearest neighbors of sample i: K_i the kernel
    ``exp(-||x - y||^2 / (2 t))`` between them, k_i that between them and x_i, t the mean squared
    distance of all samples to their neighbors. ``||g - Bg||^2 = g'Lg`` with ``L = (I - B)'(I -
    B)`` is what local learning minimizes.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Samples are rows.
    n_neighbors : int or Neighbors
        ``1 <= n_neighbors <= n - 1``, or what `find_neighbors` found in X.
    reg : float, default=0.1
        > 0.

    Returns
    -------
    B : csr_array of shape (n, n)
        Zero diagonal. Rows sum to less than 1: the regression shrinks.

    Notes
    -----
    Cost that of `nearest_neighbors` plus O(n k^2 (d + k)).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import local_learning_weights
    >>> local_learning_weights(np.array([[0.0], [1.0], [5.0]]), 1).toarray().round(3)
    array([[0.   , 0.836, 0.   ],
           [0.836, 0.   , 0.   ],
           [0.   , 0.24 , 0.   ]])
    """
    X = floating(X)
    indices, distances, _ = as_neighbors(X, n_neighbors)
    k = indices.shape[1]
    t = float(distances.mean()) or 1.0
    to_sample = np.exp(distances / (-2 * t))
    weights = np.empty(indices.shape, dtype=X.dtype)
    at = np.arange(k)
    for rows, K in difference_products(X, indices):
        norms = K[:, at, at]
        K = np.exp(np.maximum(norms[:, :, None] + norms[:, None, :] - 2 * K, 0) / (-2 * t))
        K[:, at, at] = 1 + k * reg
        weights[rows] = np.linalg.solve(K, to_sample[rows, :, None])[..., 0]
    return from_neighbors(indices, weights)
