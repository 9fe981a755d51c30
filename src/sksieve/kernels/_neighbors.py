"""The k nearest of every row, exactly, from a block of rounded inner products.

The products only tell which rows can be among the k nearest (their rounding error is bounded);
those few are compared by their exact distance, ties by index. The answer therefore depends neither
on the blocks nor on the BLAS, and is the same for dense and sparse rows.
"""

import numpy as np
from numba import njit

__all__ = ["nearest_of_block"]


@njit(cache=True, nogil=True)
def _push(heap, u):
    """Replace the largest of a max-heap by u, which is smaller."""
    k = heap.shape[0]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= k:
            break
        if child + 1 < k and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= u:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = u


@njit(cache=True, nogil=True)
def _distance(dense, data, indices, indptr, i, j, stop):
    """Squared distance of rows i and j, in the order of the columns; given up beyond `stop`."""
    total = 0.0
    if dense.shape[0] > 0:
        for c in range(dense.shape[1]):
            diff = np.float64(dense[i, c]) - np.float64(dense[j, c])
            total += diff * diff
            if total > stop:
                break
        return total
    p, q = indptr[i], indptr[j]
    while p < indptr[i + 1] or q < indptr[j + 1]:
        if q == indptr[j + 1] or (p < indptr[i + 1] and indices[p] < indices[q]):
            diff = np.float64(data[p])
            p += 1
        elif p == indptr[i + 1] or indices[q] < indices[p]:
            diff = np.float64(data[q])
            q += 1
        else:
            diff = np.float64(data[p]) - np.float64(data[q])
            p += 1
            q += 1
        total += diff * diff
        if total > stop:
            break
    return total


@njit(cache=True, nogil=True)
def nearest_of_block(products, first, norms, slack, dense, data, indices, indptr, index, distance):
    """Fill rows first, first + 1, ... of `index` and `distance`.

    Parameters
    ----------
    products : ndarray of shape (b, n)
        Inner products of rows first..first+b-1 with all rows (all shifted by one vector).
    first : int
    norms : ndarray of float64, shape (n,)
        Squared norms of the shifted rows.
    slack : float
        ``|norms_i + norms_j - 2 products_ij - d_ij^2| <= slack (norms_i + norms_j)``.
    dense : ndarray of shape (n, d), or (0, 0) for sparse rows
    data, indices, indptr : ndarrays
        The sparse rows, column indices ascending; not looked at when `dense` is given.
    index : ndarray of int64, shape (n, k)
        Nearest first, of equal distances the smaller index first; the row itself is left out.
    distance : ndarray of float64, shape (n, k)
        Squared.
    """
    n = norms.shape[0]
    k = index.shape[1]
    heap = np.empty(k)
    for r in range(products.shape[0]):
        i = first + r
        row = products[r]
        heap[:] = np.inf
        kth = np.inf
        for j in range(n):
            upper = norms[j] * (1.0 + slack) - 2.0 * row[j]
            if upper < kth and j != i:
                _push(heap, upper)
                kth = heap[0]
        limit = kth + 2.0 * slack * norms[i]
        found, worst = 0, np.inf
        for j in range(n):
            if norms[j] * (1.0 - slack) - 2.0 * row[j] > limit or j == i:
                continue
            d = _distance(dense, data, indices, indptr, i, j, worst)
            if found == k and d >= worst:
                continue
            at = found if found < k else k - 1
            while at > 0 and distance[i, at - 1] > d:
                distance[i, at] = distance[i, at - 1]
                index[i, at] = index[i, at - 1]
                at -= 1
            distance[i, at] = d
            index[i, at] = j
            found = min(found + 1, k)
            if found == k:
                worst = distance[i, k - 1]
