"""Nearest-neighbor descent: leaves of a tree compared, then neighbors of neighbors.

A list of a row holds its nearest rows so far, nearest first, and of equally near ones the one that
came first; -1 stands for none. Rows are dense, or sparse where `dense` has no rows.
"""

import numpy as np

from ._jit import njit
from ._neighbors import _distance


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz", "contract"})
def _of_dense(dense, i, j):
    """Squared distance of rows i and j: a loop that vectorizes."""
    total = dense.dtype.type(0)
    for c in range(dense.shape[1]):
        difference = dense[i, c] - dense[j, c]
        total += difference * difference
    return total


@njit(cache=True, nogil=True)
def _insert(index, distance, is_new, j, d):
    """Put row j at distance d into a list where it belongs there; return whether it was put."""
    at = index.shape[0]
    while at > 0 and distance[at - 1] > d:
        at -= 1
    equal = at
    while equal > 0 and distance[equal - 1] == d:
        equal -= 1
        if index[equal] == j:
            return False
    for q in range(index.shape[0] - 1, at, -1):
        index[q], distance[q], is_new[q] = index[q - 1], distance[q - 1], is_new[q - 1]
    if at == index.shape[0]:
        return False
    index[at], distance[at], is_new[at] = j, d, True
    return True


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz", "contract"})
def places_along(Z, order, size, pivots, out):
    """Place of each row along the line through two rows of its node.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
    order : ndarray of int, shape (m,)
        The rows of the first node, then those of the second, ...
    size : int
        Rows of a node.
    pivots : ndarray of int, shape (m / size, 2)
        Two rows of Z for each node.
    out : ndarray of shape (m,)
        Filled.
    """
    line = np.empty(Z.shape[1], dtype=Z.dtype)
    for node in range(len(pivots)):
        line[:] = Z[pivots[node, 0]] - Z[pivots[node, 1]]
        for at in range(node * size, (node + 1) * size):
            i, total = order[at], Z.dtype.type(0)
            for c in range(Z.shape[1]):
                total += Z[i, c] * line[c]
            out[at] = total


@njit(cache=True, nogil=True)
def compare_leaves(Z, order, size, index, distance, is_new):
    """Put the rows of a leaf into each other's lists.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
    order, size
        As for `places_along`.
    index, distance, is_new : ndarrays of shape (n, m)
        The lists, changed in place.
    """
    for first in range(0, order.shape[0], size):
        for a in range(first, first + size):
            for b in range(a + 1, first + size):
                i, j = order[a], order[b]
                if i == j:
                    continue
                d = _of_dense(Z, i, j)
                if d < distance[i, -1]:
                    _insert(index[i], distance[i], is_new[i], j, d)
                if d < distance[j, -1]:
                    _insert(index[j], distance[j], is_new[j], i, d)


@njit(cache=True, nogil=True)
def _lists_with(index, is_new):
    """For each row, at most m rows whose lists have it: those with it among their nearest."""
    n, m = index.shape
    rows = np.full((n, m), -1, dtype=index.dtype)
    new = np.zeros((n, m), dtype=np.bool_)
    counts = np.zeros(n, dtype=np.int64)
    for q in range(m):
        for i in range(n):
            j = index[i, q]
            if counts[j] < m:
                rows[j, counts[j]], new[j, counts[j]] = i, is_new[i, q]
                counts[j] += 1
    return rows, new


@njit(cache=True, nogil=True)
def neighbors_of_neighbors(dense, data, indices, indptr, index, distance, is_new):
    """Compare each row with the lists of the rows near it, and of the rows it is near to.

    A row does not meet another again over two entries that were there in the round before.

    Parameters
    ----------
    dense : ndarray of shape (n, d), or (0, 0) for sparse rows
    data, indices, indptr : ndarrays
        The sparse rows; not looked at when `dense` is given.
    index, distance, is_new : ndarrays of shape (n, m)
        The lists, full; `is_new` marks what came in the round before. They stay as they are, so
        the order of the rows does not matter.

    Returns
    -------
    index, distance, is_new : ndarrays of shape (n, m)
        The next lists.
    n_changes : int
    """
    n, m = index.shape
    next_index, next_distance = index.copy(), distance.copy()
    next_new = np.zeros((n, m), dtype=np.bool_)
    reverse, reverse_new = _lists_with(index, is_new)
    seen = np.full(n, -1, dtype=np.int64)
    n_changes = 0
    for i in range(n):
        seen[i] = i
        for q in range(m):
            seen[index[i, q]] = i
        for place in range(2 * m):
            middle = index[i, place] if place < m else reverse[i, place - m]
            if middle < 0:
                break
            came = is_new[i, place] if place < m else reverse_new[i, place - m]
            for q in range(-1, m):
                j = middle if q < 0 else index[middle, q]
                if seen[j] == i or not (came or q < 0 or is_new[middle, q]):
                    continue
                seen[j] = i
                if dense.shape[0] > 0:
                    d = _of_dense(dense, i, j)
                else:
                    limit = next_distance[i, m - 1]
                    d = np.float32(_distance(dense, data, indices, indptr, i, j, limit))
                if d < next_distance[i, m - 1]:
                    n_changes += _insert(next_index[i], next_distance[i], next_new[i], j, d)
    return next_index, next_distance, next_new, n_changes
