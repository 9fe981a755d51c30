"""The k nearest of every row, exactly, from a block of rounded inner products.

The products only tell which rows can be among the k nearest (their rounding error is bounded);
those few are compared by their exact distance. Distances that differ by the rounding of the rows
count as equal, and equal ones go by index. The answer therefore depends neither on the blocks nor
on the BLAS, and is the same for dense and sparse rows.
"""

import numpy as np
from numba import njit

__all__ = ["nearest_of_block", "rounding", "snap_rows"]

_EPS = np.finfo(np.float64).eps
#: Rows looked at together before any of them is looked at alone.
_RUN = 16


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
def rounding(distance, norm, width):
    """What the rounding of two rows can change of a squared distance between them.

    Every entry carries a relative error of some ulp: the difference of the rows then has one in
    proportion to their length, and the sum of `width` squares adds its own.
    """
    slack = _EPS * (64 + 4 * np.sqrt(width))
    return slack * (distance + np.sqrt(distance) * np.sqrt(norm) + slack * norm)


@njit(cache=True, nogil=True)
def _snap(values, order, norm, width):
    """Give values that are equal up to rounding, in ascending `order`, the first one's value.

    The order inside such a group becomes that of the places.
    """
    first, m = 0, order.shape[0]
    while first < m:
        least = values[order[first]]
        limit = least + rounding(least, norm, width)
        end = first + 1
        while end < m and values[order[end]] <= limit:
            values[order[end]] = least
            end += 1
        if end > first + 1:
            order[first:end] = np.sort(order[first:end])
        first = end


@njit(cache=True, nogil=True)
def snap_rows(data, indptr, norms, width):
    """Squared distances of sparse rows, those of a row that are equal up to rounding made equal.

    Parameters
    ----------
    data : ndarray of float64, shape (nnz,)
        Changed in place.
    indptr : ndarray of shape (n + 1,)
    norms : ndarray of float64, shape (n,)
        Squared length of the vector each row's distances are counted from.
    width : int
        Length of the vectors.
    """
    for i in range(norms.shape[0]):
        row = data[indptr[i] : indptr[i + 1]]
        _snap(row, np.argsort(row, kind="mergesort"), norms[i], width)


@njit(cache=True, nogil=True)
def _count_within(norms, products, scale, limit):
    """How many ``scale norms_j - 2 products_j`` are not above `limit`: a loop without branches."""
    count = 0
    for j in range(len(norms)):
        count += not norms[j] * scale - 2.0 * products[j] > limit
    return count


@njit(cache=True, nogil=True)
def _kth_upper_bound(heap, row, i, norms, slack):
    """The k-th least upper bound of ``d_ij^2 - norms_i`` over the others; `heap` is overwritten.

    Most runs have no bound below the k-th so far, and are only counted through.
    """
    n = norms.shape[0]
    heap[:] = np.inf
    kth = np.inf
    for first in range(0, n, _RUN):
        end = min(first + _RUN, n)
        if _count_within(norms[first:end], row[first:end], 1.0 + slack, kth) == 0:
            continue
        for j in range(first, end):
            upper = norms[j] * (1.0 + slack) - 2.0 * row[j]
            if upper < kth and j != i:
                _push(heap, upper)
                kth = heap[0]
    return kth


@njit(cache=True, nogil=True)
def _within(candidates, row, i, norms, slack, limit):
    """Write the others whose lower bound is at most `limit` to `candidates`; return how many."""
    n = norms.shape[0]
    found = 0
    for first in range(0, n, _RUN):
        end = min(first + _RUN, n)
        if _count_within(norms[first:end], row[first:end], 1.0 - slack, limit) == 0:
            continue
        for j in range(first, end):
            if not (norms[j] * (1.0 - slack) - 2.0 * row[j] > limit or j == i):
                candidates[found] = j
                found += 1
    return found


@njit(cache=True, nogil=True)
def nearest_of_block(
    products, first, norms, slack, dense, data, indices, indptr, width, index, distance
):
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
    width : int
        d.
    index : ndarray of int64, shape (n, k)
        Nearest first, of equal distances the smaller index first; the row itself is left out.
    distance : ndarray of float64, shape (n, k)
        Squared, ascending.
    """
    n = norms.shape[0]
    k = index.shape[1]
    heap = np.empty(k)
    seen = np.empty(n)
    place = np.empty(n, dtype=np.int64)
    candidates = np.empty(n, dtype=np.int64)
    for r in range(products.shape[0]):
        i = first + r
        row = products[r]
        kth = _kth_upper_bound(heap, row, i, norms, slack)
        limit = kth + 2.0 * slack * norms[i]
        limit += rounding(max(limit + norms[i], 0.0), norms[i], width)
        heap[:] = np.inf
        found, worst = 0, np.inf
        for j in candidates[: _within(candidates, row, i, norms, slack, limit)]:
            d = _distance(dense, data, indices, indptr, i, j, worst)
            if d > worst:
                continue
            seen[found], place[found] = d, j
            found += 1
            if d < heap[0]:
                _push(heap, d)
                if heap[0] < np.inf:
                    worst = heap[0] + rounding(heap[0], norms[i], width)
        some = seen[:found]
        order = np.argsort(some, kind="mergesort")
        exact = some[order[:k]]
        _snap(some, order, norms[i], width)
        for at in range(k):
            index[i, at] = place[order[at]]
            distance[i, at] = exact[at]
