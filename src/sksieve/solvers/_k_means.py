"""scikit-learn's k-means, with starts in half the time."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from .._threads import one_thread
from .._typing import Array, Indices


def k_means(Z: Any, c: int, n_init: int, rng: np.random.RandomState) -> KMeans:
    """k-means, fitted; fewer groups than asked for where fewer rows are distinct."""
    if sp.issparse(Z) and max(Z.nnz, *Z.shape) <= np.iinfo(np.int32).max:
        indices, indptr = Z.indices.astype(np.int32), Z.indptr.astype(np.int32)
        Z = sp.csr_array((Z.data, indices, indptr), shape=Z.shape)  # all that scikit-learn takes
    start = "k-means++" if sp.issparse(Z) else spread_rows
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than groups
        return KMeans(c, init=start, n_init=n_init, random_state=rng).fit(Z)


def spread_rows(X: Array, n_clusters: int, random_state: np.random.RandomState) -> Array:
    """Starts of k-means that lie apart: those of scikit-learn for a seed, without its checks.

    Each row is the best of a few that are drawn by their squared distance to the nearest start.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        float32 or float64.
    n_clusters : int
    random_state : RandomState

    Returns
    -------
    ndarray of shape (n_clusters, d)

    References
    ----------
    Arthur & Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.solvers._k_means import spread_rows
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> spread_rows(X, 2, np.random.RandomState(0)).ravel()
    array([9. , 0.1])
    """
    n, n_trials = len(X), 2 + int(np.log(n_clusters))
    precise, ones = X.astype(np.float64, copy=False), np.ones(n, dtype=X.dtype)
    norms = np.einsum("ij,ij->i", precise, precise)

    def squared_distances(rows: Indices) -> Array:
        distances = -2.0 * (precise[rows] @ precise.T)
        distances += norms[rows, None]
        distances += norms
        return np.maximum(distances, 0.0, out=distances).astype(X.dtype, copy=False)

    starts = [random_state.choice(n, p=ones / n)]
    nearest = squared_distances(np.array(starts))[0]
    total = nearest @ ones
    for _ in range(1, n_clusters):
        drawn = np.searchsorted(np.cumsum(nearest), random_state.uniform(size=n_trials) * total)
        np.minimum(drawn, n - 1, out=drawn)
        distances = squared_distances(drawn)
        np.minimum(nearest, distances, out=distances)
        totals = distances @ ones
        best = totals.argmin()
        total, nearest = totals[best], distances[best]
        starts.append(drawn[best])
    return X[starts]
