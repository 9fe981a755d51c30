"""Nearest-neighbor descent: nearly all nearest neighbors, in a time nearly linear in the rows.

Dong, Charikar & Li, "Efficient k-nearest neighbor graph construction for generic similarity
measures", WWW 2011, Algorithm 2.

Deviations:

D1. The first lists are not random: they come from the leaves of a few trees, which halve the rows
    along the line through two random ones of them.
D2. A round reads the lists of the round before and writes new ones, so that its answer does not
    depend on the order of the rows. Lists are read whole, not sampled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..kernels._descent import compare_leaves, neighbors_of_neighbors, places_along
from ._neighbors import _both_forms, _near_its_center, _sorted_rows, nearest_among

_TREES = 8
#: Rows of a leaf, at most; four times a list's length where that is more.
_LEAF = 128
_MAX_ROUNDS = 10
#: A round that changes a smaller share of the entries is the last one.
_FEW_CHANGES = 1e-3


def descend(X: NDArray[Any], m: int) -> NDArray[np.int64]:
    """Nearly the m nearest other rows of every row.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples are rows; finite.
    m : int
        ``1 <= m <= n - 1``.

    Returns
    -------
    ndarray of shape (n, m)
        Nearest first, by distances in float32.

    Notes
    -----
    Deterministic, on one thread. Cost about O(n m^2 d) and O(n d log n); memory two copies of X in
    float32 and O(n m).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs._descent import descend
    >>> descend(np.array([[0.0], [1.0], [3.0]]), 1).ravel()
    array([1, 0, 1])
    """
    rng, Z = np.random.RandomState(0), _scaled(X)
    n, size = len(Z), max(_LEAF, 4 * (m + 1))
    order = _leaves(Z, size, rng).ravel()
    order = order[np.sort(np.unique(order, return_index=True)[1])]
    Z = Z[order]  # rows of a leaf lie together in memory
    index, distance = np.full((n, m), -1, np.int32), np.full((n, m), np.inf, np.float32)
    is_new = np.zeros((n, m), dtype=bool)
    for _ in range(_TREES):
        leaves = _leaves(Z, size, rng)
        compare_leaves(Z, leaves.ravel(), leaves.shape[1], index, distance, is_new)
    near = np.empty((n, m), dtype=np.int64)
    near[order] = order[_rounds(Z, index, distance, is_new)]
    return near


def descend_from(X: Any, candidates: NDArray[np.int64], m: int) -> NDArray[np.int64]:
    """As `descend`, from candidates for each row, also of sparse rows.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    candidates : ndarray of int, shape (n, at least m)
        Other rows; each row has m different ones.
    m : int

    Returns
    -------
    ndarray of shape (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs._descent import descend_from
    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> descend_from(X, np.array([[1], [2], [1], [2]]), 1).ravel()
    array([1, 0, 3, 2])
    """
    Z = _scaled(X)
    index, distance = nearest_among(Z, candidates, m)
    return _rounds(Z, index.astype(np.int32), distance, np.ones(index.shape, dtype=bool))


def _rounds(
    Z: Any, index: NDArray[np.int32], distance: NDArray[np.float32], is_new: NDArray[np.bool_]
) -> NDArray[np.int64]:
    forms = _both_forms(Z)
    for _ in range(_MAX_ROUNDS):
        index, distance, is_new, n_changes = neighbors_of_neighbors(*forms, index, distance, is_new)
        if n_changes < _FEW_CHANGES * index.size:
            break
    return index.astype(np.int64)


def _scaled(X: Any) -> Any:
    """The rows in float32, entries at most 1; dense ones near their center."""
    X = _sorted_rows(X) if sp.issparse(X) else _near_its_center(X)
    return (X / (float(abs(X).max()) or 1.0)).astype(np.float32)


def _leaves(Z: NDArray[np.float32], size: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Rows of each leaf, equally many and at most `size`; some rows are in two leaves.

    Each node is halved along the line through two random ones of its rows.
    """
    n = len(Z)
    depth = max(0, int(np.ceil(np.log2(n / size))))
    order = np.arange(-(-n // 2**depth) * 2**depth).reshape(1, -1) % n
    for _ in range(depth):
        nodes, width = order.shape
        pivots = np.take_along_axis(order, rng.randint(width, size=(nodes, 2)), axis=1)
        place = np.empty(order.shape, dtype=Z.dtype)
        places_along(Z, order.ravel(), width, pivots, place.ravel())
        halves = np.argpartition(place, width // 2, axis=1)
        order = np.take_along_axis(order, halves, axis=1).reshape(2 * nodes, -1)
    return order
