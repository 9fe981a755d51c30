"""The k nearest of every row, exactly, from a block of rounded inner products.

The products only tell which rows can be among the k nearest (their rounding error is bounded);
those few are compared by their exact distance. Distances that differ by the rounding of the rows
count as equal, and equal ones go by index. The answer therefore depends neither on the blocks nor
on the BLAS, and is the same for dense and sparse rows.
"""

import numpy as np

from ._jit import njit

_EPS = np.finfo(np.float64).eps
_EPS32 = float(np.finfo(np.float32).eps)
_TINY32 = float(np.finfo(np.float32).tiny)
#: Columns of a tile looked at together.
STRIP = 64
#: Rows of a group of which `first_limits` takes the nearest.
GROUP = 8
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
def distances_of_pairs(indptr, indices, Z, out):
    """Squared distances of row i of Z to each of its rows ``indices[indptr[i]:indptr[i + 1]]``.

    Parameters
    ----------
    indptr : ndarray of shape (n + 1,)
    indices : ndarray of shape (nnz,)
    Z : ndarray of shape (n, c)
    out : ndarray of shape (nnz,)
        Filled.
    """
    for i in range(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            total = 0.0
            for c in range(Z.shape[1]):
                diff = np.float64(Z[i, c]) - np.float64(Z[j, c])
                total += diff * diff
            out[p] = total


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def sum_of_distances(products, norms):
    """Sum of the distances of row i to the rows after it, over the first rows.

    Parameters
    ----------
    products : ndarray of shape (b, n)
        Inner products of the first b rows with all.
    norms : ndarray of float64, shape (n,)
        Squared norms of the rows.
    """
    total = 0.0
    for i in range(products.shape[0]):
        for j in range(i + 1, products.shape[1]):
            total += np.sqrt(max(norms[i] + norms[j] - 2.0 * products[i, j], 0.0))
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
def _sort(order, first, end, values):
    """Sort the places ``order[first:end]`` by their values, equal ones by place: a merge sort."""
    buffer = np.empty(end - first, dtype=order.dtype)
    width = 1
    while width < end - first:
        for left in range(first, end, 2 * width):
            middle, right = min(left + width, end), min(left + 2 * width, end)
            p, q = left, middle
            for at in range(left, right):
                takes_left = q == right
                if p < middle and q < right:
                    a, b = order[p], order[q]
                    takes_left = values[a] < values[b] or (values[a] == values[b] and a < b)
                if takes_left:
                    buffer[at - first] = order[p]
                    p += 1
                else:
                    buffer[at - first] = order[q]
                    q += 1
        for at in range(first, end):
            order[at] = buffer[at - first]
        width *= 2


@njit(cache=True, nogil=True)
def _snap(values, order, norm, width):
    """Give values that are equal up to rounding, in ascending `order`, the first one's value.

    The order inside such a group becomes that of the places.
    """
    first, m = np.int64(0), order.shape[0]
    while first < m:
        least = values[order[first]]
        limit = least + rounding(least, norm, width)
        end = first + 1
        while end < m and values[order[end]] <= limit:
            values[order[end]] = least
            end += 1
        if end > first + 1:
            _sort(order, first, end, values)
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
        order = np.empty(len(row), dtype=np.int64)
        for at in range(len(row)):
            order[at] = at
        _sort(order, np.int64(0), len(row), row)
        _snap(row, order, norms[i], width)


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
    for at in range(heap.shape[0]):
        heap[at] = np.inf
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
    count = 0
    for first in range(0, n, _RUN):
        end = min(first + _RUN, n)
        if _count_within(norms[first:end], row[first:end], 1.0 - slack, limit) == 0:
            continue
        for j in range(first, end):
            if not (norms[j] * (1.0 - slack) - 2.0 * row[j] > limit or j == i):
                candidates[count] = j
                count += 1
    return count


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def _any_within(bounds, limit):
    """Is any of `STRIP` bounds at most `limit`? A loop that vectorizes."""
    count = np.float32(0)
    for c in range(STRIP):
        count += np.float32(1) if bounds[c] <= limit else np.float32(0)
    return count > 0


@njit(cache=True, nogil=True)
def _limit(kth, norm, slack, width):
    """No row with a lower bound beyond this is among the nearest; a float32, rounded up."""
    limit = kth + 2.0 * slack * norm
    limit += rounding(max(limit + norm, 0.0), norm, width)
    return np.float32(limit + _EPS32 * abs(limit) + 16 * width * _TINY32)


@njit(cache=True, nogil=True)
def _still_within(candidates, lower, count, limit):
    """Drop the candidates whose lower bound is beyond `limit`; return how many stay."""
    kept = 0
    for m in range(count):
        candidates[kept], lower[kept] = candidates[m], lower[m]
        kept += lower[m] <= limit
    return kept


@njit(cache=True, nogil=True)
def scan_tile(bounds, first, left, norms, slack, width, heap, limit, candidates, lower, counts):
    """Take the rows left, left + 1, ... into account for the rows first, first + 1, ...

    Parameters
    ----------
    bounds : ndarray of float32, shape (b, w)
        ``(1 - slack) norms_j - 2 x_i'x_j``, lower bounds of ``d_ij^2 - norms_i`` up to ``slack
        norms_i``; w a multiple of `STRIP`, infinite beyond the last row.
    first, left : int
        i and j of the first one.
    norms : ndarray of float64, shape (n,)
        Squared norms of the rows.
    slack : float
        As for `nearest_of_rows`.
    width : int
        Length of the rows.
    heap : ndarray of float64, shape (b, k)
        The k least upper bounds so far, each row a max-heap; infinite at the start.
    limit : ndarray of float32, shape (b,)
        Rows with a lower bound beyond it are none of the nearest; of `first_limits` at the start.
    candidates, lower : ndarrays of int64 and float32, shape (b, capacity)
        The rows within the limit, ascending, and their bounds.
    counts : ndarray of int64, shape (b,)
        How many candidates; -1 where the workspace is too small.
    """
    capacity = candidates.shape[1]
    for r in range(bounds.shape[0]):
        count, bound = counts[r], limit[r]
        for start in range(0, bounds.shape[1], STRIP):
            strip = bounds[r, start : start + STRIP]
            if count < 0 or not _any_within(strip, bound):
                continue
            for c in range(STRIP):
                j = left + start + c
                if strip[c] > bound or j == first + r:
                    continue
                upper = strip[c] + 2.0 * slack * norms[j]
                if upper < heap[r, 0]:
                    _push(heap[r], upper)
                    bound = min(bound, _limit(heap[r, 0], norms[first + r], slack, width))
                if count == capacity:
                    count = _still_within(candidates[r], lower[r], count, bound)
                    if 4 * count > 3 * capacity:
                        count = -1
                        break
                candidates[r, count], lower[r, count] = j, strip[c]
                count += 1
        counts[r], limit[r] = count, bound


@njit(cache=True, nogil=True)
def first_limits(bounds, first, sample, norms, slack, width, k, limit):
    """Limits of the rows first, first + 1, ... from a sample of all rows.

    The k-th least of the smallest upper bounds of disjoint groups: k different rows are that near.

    Parameters
    ----------
    bounds : ndarray of float32, shape (b, s)
        ``(1 - slack) norms_j - 2 x_i'x_j``; overwritten.
    first : int
    sample : ndarray of int64, shape (s,)
        The rows j, ascending; s a multiple of `GROUP`.
    norms, slack, width
        As for `scan_tile`.
    k : int
        At most ``s / GROUP``.
    limit : ndarray of float32, shape (b,)
        Filled.
    """
    n_groups = len(sample) // GROUP
    heap = np.empty(k)
    nearest = np.empty(n_groups, dtype=np.float32)
    spread = (2 * slack * norms[sample]).astype(np.float32)
    for r in range(bounds.shape[0]):
        i = first + r
        row = bounds[r]
        at = np.searchsorted(sample, i)
        if at < len(sample) and sample[at] == i:
            row[at] = np.inf
        nearest[:] = np.inf
        for start in range(0, len(sample), n_groups):
            part, more = row[start : start + n_groups], spread[start : start + n_groups]
            for g in range(n_groups):
                upper = part[g] + more[g]
                nearest[g] = upper if upper < nearest[g] else nearest[g]
        heap[:] = np.inf
        for upper in nearest:
            if upper < heap[0]:
                _push(heap, np.float64(upper))
        limit[r] = _limit(heap[0], norms[i], slack, width)


@njit(cache=True, nogil=True)
def _choose(
    candidates, i, norm, width, dense, data, indices, indptr, heap, seen, place, index, distance
):
    """The nearest of row i among `candidates` (ascending), by exact distances."""
    k = index.shape[1]
    for at in range(k):
        heap[at] = np.inf
    n_seen, worst = 0, np.inf
    for j in candidates:
        d = _distance(dense, data, indices, indptr, i, j, worst)
        if d > worst:
            continue
        seen[n_seen], place[n_seen] = d, j
        n_seen += 1
        if d < heap[0]:
            _push(heap, d)
            if heap[0] < np.inf:
                worst = heap[0] + rounding(heap[0], norm, width)
    order = np.empty(n_seen, dtype=np.int64)
    for at in range(n_seen):
        order[at] = at
    _sort(order, np.int64(0), n_seen, seen)
    for at in range(k):
        distance[i, at] = seen[order[at]]
    _snap(seen, order, norm, width)
    for at in range(k):
        index[i, at] = place[order[at]]


@njit(cache=True, nogil=True)
def nearest_of_candidates(
    first,
    candidates,
    lower,
    limit,
    counts,
    norms,
    dense,
    data,
    indices,
    indptr,
    width,
    index,
    distance,
):
    """Fill the rows first, first + 1, ... of `index` and `distance`.

    Parameters
    ----------
    first, candidates, lower, limit, counts
        As `scan_tile` leaves them; rows with ``counts < 0`` are left out.
    norms, dense, data, indices, indptr, width, index, distance
        As for `nearest_of_rows`.
    """
    heap = np.empty(index.shape[1])
    seen = np.empty(candidates.shape[1])
    place = np.empty(candidates.shape[1], dtype=np.int64)
    for r in range(len(counts)):
        if counts[r] < 0:
            continue
        count = _still_within(candidates[r], lower[r], counts[r], limit[r])
        i = first + r
        _choose(
            *(candidates[r, :count], i, norms[i], width, dense, data, indices, indptr),
            *(heap, seen, place, index, distance),
        )


@njit(cache=True, nogil=True)
def nearest_of_given(rows, candidates, norms, dense, data, indices, indptr, width, index, distance):
    """Fill some rows of `index` and `distance` from candidates of any order.

    Parameters
    ----------
    rows : ndarray of int64, shape (b,)
    candidates : ndarray of int64, shape (b, m)
        Negative numbers, the row itself and repeated ones are left out.
    norms, dense, data, indices, indptr, width, index, distance
        As for `nearest_of_rows`.

    Returns
    -------
    ndarray of bool, shape (b,)
        True for rows with fewer than k candidates, which are left as they are.
    """
    k = index.shape[1]
    heap = np.empty(k)
    seen = np.empty(candidates.shape[1])
    place = np.empty(candidates.shape[1], dtype=np.int64)
    too_few = np.empty(len(rows), dtype=np.bool_)
    for r in range(len(rows)):
        i = rows[r]
        row = np.sort(candidates[r])
        count = 0
        for j in row:
            if j >= 0 and j != i and (count == 0 or j != row[count - 1]):
                row[count] = j
                count += 1
        too_few[r] = count < k
        if not too_few[r]:
            _choose(
                *(row[:count], i, norms[i], width, dense, data, indices, indptr),
                *(heap, seen, place, index, distance),
            )
    return too_few


@njit(cache=True, nogil=True)
def nearest_of_rows(
    products, rows, norms, slack, dense, data, indices, indptr, width, index, distance
):
    """Fill some rows of `index` and `distance`.

    Parameters
    ----------
    products : ndarray of shape (b, n)
        Inner products of the rows `rows` with all rows (all shifted by one vector).
    rows : ndarray of int64, shape (b,)
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
    heap = np.empty(index.shape[1])
    seen = np.empty(n)
    place = np.empty(n, dtype=np.int64)
    candidates = np.empty(n, dtype=np.int64)
    for r in range(products.shape[0]):
        i = rows[r]
        row = products[r]
        kth = _kth_upper_bound(heap, row, i, norms, slack)
        limit = kth + 2.0 * slack * norms[i]
        limit += rounding(max(limit + norms[i], 0.0), norms[i], width)
        some = candidates[: _within(candidates, row, i, norms, slack, limit)]
        _choose(
            *(some, i, norms[i], width, dense, data, indices, indptr),
            *(heap, seen, place, index, distance),
        )
