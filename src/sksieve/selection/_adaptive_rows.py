"""The adaptive graph of projected samples: rows on the simplex with at most k nonzeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import norm as sparse_norm

from ..graphs import (
    adaptive_graph,
    distances_on,
    find_neighbors,
    from_neighbors,
    nearest_among,
    project_rows,
)

__all__ = ["first_rows", "nearest_rows"]

Array = NDArray[np.float64]

_TIE = 1e-6


def first_rows(X: Any, k: int, how: Any = "exact") -> tuple[sp.csr_array, float]:
    """The adaptive graph of the samples themselves, and the weight that makes it.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    k : int
        Nonzeros in a row; n - 2 where there are not so many samples, the other one of two.
    how : {"auto", "exact", "approximate"} or transformer, default="exact"
        See `sksieve.graphs.find_neighbors`.

    Returns
    -------
    S : csr_array of shape (n, n)
    alpha : float
        Mean over the rows; 1 where all neighbors are equally far.

    Examples
    --------
    >>> import numpy as np
    >>> S, alpha = first_rows(np.array([[0.0], [1.0], [3.0]]), 2)
    >>> S.toarray(), round(alpha, 3)
    (array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]]), 2.667)
    """
    if X.shape[0] == 2:
        return sp.csr_array(np.eye(2)[::-1]), 1.0
    S, alpha = adaptive_graph(X, min(k, X.shape[0] - 2), how)
    return S, float(alpha.mean()) or 1.0


def nearest_rows(Z: Array, X: Any, k: int, alpha: float, how: Any = "exact") -> sp.csr_array:
    """``argmin sum_ij ||z_i - z_j||^2 s_ij + alpha s_ij^2``, at most k nonzeros a row; exact.

    Parameters
    ----------
    Z : ndarray of shape (n, c)
        Projected samples.
    X : ndarray or CSR of shape (n, d)
        The samples: they only break ties, as a tiny copy of them beside Z.
    k : int
    alpha : float
    how : {"auto", "exact", "approximate"} or transformer, default="exact"
        See `sksieve.graphs.find_neighbors`.
    """
    size = float(sparse_norm(X) if sp.issparse(X) else np.linalg.norm(X))
    tie = _TIE * np.linalg.norm(Z) / max(size, 1e-300)
    indices = _nearest_with_ties(Z, tie * X, k, how)
    cost = distances_on(from_neighbors(indices, np.ones(indices.shape)), Z)
    cost.data /= -2 * alpha
    return project_rows(cost)


def _nearest_with_ties(Z: Array, ties: Any, k: int, how: Any) -> NDArray[np.int64]:
    """The k nearest rows of ``[Z, ties]``, most of them from the nearest in Z alone.

    Distances in both are at least those in Z: of m candidates, the m nearest in Z, the k nearest in
    both are the nearest of all rows where they are nearer than the last candidate is in Z.
    """
    n, m = len(Z), 3 * k + 10
    both = sp.csr_array(sp.hstack([Z, ties])) if sp.issparse(ties) else np.hstack([Z, ties])
    if m >= n or ties.shape[1] <= m:
        return find_neighbors(both, k, how).indices
    near = find_neighbors(Z, m, how)
    indices, distances = nearest_among(both, near.indices, k)
    open_ = distances[:, -1] * (1 + 1e-9) >= near.distances[:, -1]
    if near.exact and open_.any():  # too many rows equally far: compare these with all
        candidates = np.where(open_[:, None], -1, near.indices)
        indices = nearest_among(both, candidates, k)[0]
    return indices
