"""The adaptive graph of projected samples: rows on the simplex with at most k nonzeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import norm as sparse_norm

from .._array import BLOCK_BYTES
from .._typing import Array
from ..graphs import (
    adaptive_graph,
    distances_on,
    find_neighbors,
    from_neighbors,
    project_rows,
)

_TIE = 1e-6
#: Bound of the rounding of distances, relative to them and to the rows; far above it.
_ROUNDING = 1e-12


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
    indices = _nearest_with_ties(Z, X, _TIE * float(np.linalg.norm(Z)), k, how)
    cost = distances_on(from_neighbors(indices, np.ones(indices.shape)), Z)
    cost.data /= -2 * alpha
    return project_rows(cost)


def _nearest_with_ties(Z: Array, X: Any, size: float, k: int, how: Any) -> NDArray[np.int64]:
    """The k nearest rows of Z with X beside it, scaled to that norm, in any order.

    Those in Z alone, but for the rows whose k-th and next neighbor in Z differ by less than what
    the ties and rounding can add to a distance. These are compared in both with the rows that may
    be near enough.
    """
    n = len(Z)
    if k + 1 >= n:
        return find_neighbors(_beside(Z, _of_size(size, X)), k, how).indices
    near = find_neighbors(Z, k + 1, how)
    indices, kth, beyond = near.indices[:, :k], near.distances[:, -2], near.distances[:, -1]
    limit = kth + _largest_addition(Z, size, beyond)
    unclear = np.flatnonzero(beyond <= limit)
    if not len(unclear):
        return indices
    ties = _of_size(size, X)
    rows = np.union1d(unclear, _rows_within(Z, unclear, limit[unclear]))
    if 2 * len(rows) > n:
        return find_neighbors(_beside(Z, ties), k, how).indices
    among = find_neighbors(_beside(Z[rows], ties[rows]), k).indices
    indices[unclear] = rows[among[np.searchsorted(rows, unclear)]]
    return indices


def _of_size(size: float, X: Any) -> Any:
    """X times a number, so that its norm is `size`."""
    norm = float(sparse_norm(X) if sp.issparse(X) else np.linalg.norm(X))
    return size / max(norm, 1e-300) * X


def _largest_addition(Z: Array, size: float, distances: Array) -> Array:
    """What ties of that norm and rounding change of such distances at most."""
    size2 = 4 * float(np.einsum("ij,ij->i", Z, Z).max())
    rounding = _ROUNDING * (distances + np.sqrt(distances * size2) + _ROUNDING * size2)
    return np.asarray(4 * size**2 + rounding)


def _rows_within(Z: Array, rows: NDArray[np.intp], limit: Array) -> NDArray[np.intp]:
    """Rows of Z within the limit (a squared distance) of any of some rows."""
    norms = np.einsum("ij,ij->i", Z, Z)
    slack = _ROUNDING * float(norms.max())
    is_near = np.zeros(len(Z), dtype=bool)
    step = max(1, BLOCK_BYTES // (8 * len(Z)))
    for first in range(0, len(rows), step):
        part = rows[first : first + step]
        distances = norms[part, None] + norms - 2 * (Z[part] @ Z.T)
        is_near |= (distances <= limit[first : first + step, None] + slack).any(axis=0)
    return np.flatnonzero(is_near)


def _beside(Z: Array, ties: Any) -> Any:
    return sp.csr_array(sp.hstack([Z, ties])) if sp.issparse(ties) else np.hstack([Z, ties])
