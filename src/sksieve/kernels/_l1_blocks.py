"""l1 codes without the n x n Gram matrix: bounds of groups of samples, visits of groups, codes.

Samples lie in groups of near ones, group by group: ``starts[k]:starts[k + 1]`` is group k. A row of
`bound` holds for every group an upper bound of ``|x_t'r|`` over the members t that are not in the
code, r the residual. A group whose bound is not above lam/2 has no member that belongs in the code.
"""

import numpy as np
from numba import prange

from ._jit import njit
from ._l1_graph import l1_code

#: Violators that one visit of a group reports.
REPORTED = 4
#: Rows that visit a group together.
_TILE = 128
#: Rounds a bound up by more than float32 rounds it.
_UP = np.float32(1 + 4e-7)


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def _count_above(row, level):
    """How many entries are above a level: a loop that vectorizes."""
    count = np.float32(0)
    for k in range(row.shape[0]):
        count += np.float32(1) if row[k] > level else np.float32(0)
    return count


@njit(cache=True, nogil=True)
def _level(row, half, quota):
    """`half`, or a higher level that a quarter to all of `quota` groups exceed; how many do."""
    low, high = half, row.max()
    level, count = half, _count_above(row, half)
    while count > quota:
        low = level
        level = np.float32(0.5) * (low + high)
        if not low < level < high:  # many equal ones
            return low, _count_above(row, low)
        count = _count_above(row, level)
        while 4 * count < quota:
            high = level
            level = np.float32(0.5) * (low + high)
            if not low < level < high:
                return low, _count_above(row, low)
            count = _count_above(row, level)
    return level, count


@njit(cache=True, nogil=True, parallel=True)
def select_groups(bound, near, radius, length, slack, change, half, quota):
    """Bounds for the present residuals, and the groups to visit: those of largest bound.

    Parameters
    ----------
    bound : ndarray of float32, shape (b, K)
        For the residuals before the last change; changed in place.
    near : ndarray of float32, shape (b, K)
        Inner products of the residuals with the centers of the groups.
    radius : ndarray of float32, shape (K,)
        Largest distance of a member from the center.
    length, slack : ndarray of float32, shape (b,)
        Norms of the residuals, and the rounding of their products in float32.
    change : tuple (factor, drift) of ndarrays of float32, shape (b,)
        The residual is ``factor r + e`` and ``|x_t'e| <= drift``, r the one before.
    half : float32
        ``lam / 2``.
    quota : ndarray of shape (b,)
        How many groups a row visits at most; more where bounds are equal.

    Returns
    -------
    indptr : ndarray of shape (b + 1,)
    groups : ndarray of int32
        ``groups[indptr[r]:indptr[r + 1]]`` are those of row r.
    complete : ndarray of bool, shape (b,)
        Whether these are all whose bound is above `half`.
    """
    b, n_groups = bound.shape
    factor, drift = change
    level = np.empty(b, dtype=np.float32)
    indptr = np.zeros(b + 1, dtype=np.int64)
    for r in prange(b):
        row, product = bound[r], near[r]
        a, e, norm, extra = factor[r] * _UP, drift[r], length[r], slack[r]
        for k in range(n_groups):
            row[k] = min(a * row[k] + e, abs(product[k]) + radius[k] * norm + extra)
        level[r], indptr[r + 1] = _level(row, half, quota[r])
    indptr = np.cumsum(indptr)
    groups = np.empty(indptr[-1], dtype=np.int32)
    for r in prange(b):
        m = indptr[r]
        for k in range(n_groups):
            if bound[r, k] > level[r]:
                groups[m] = k
                m += 1
    return indptr, groups, level <= half


@njit(cache=True, nogil=True)
def _by_group(indptr, groups, n_groups):
    """Where each group begins in a list of all visits group by group, the visits and their rows."""
    begin = np.zeros(n_groups + 1, dtype=np.int64)
    for k in groups:
        begin[k + 1] += 1
    begin = np.cumsum(begin)
    place = begin[:-1].copy()
    visit = np.empty(groups.shape[0], dtype=np.int64)
    row = np.empty(groups.shape[0], dtype=np.int64)
    for r in range(indptr.shape[0] - 1):
        for v in range(indptr[r], indptr[r + 1]):
            k = groups[v]
            visit[place[k]], row[place[k]] = v, r
            place[k] += 1
    return begin, visit, row


@njit(cache=True, nogil=True)
def _leave_out(products, first, entries, own):
    """Zero the products with the members of a group that are in the code, and with the sample."""
    last = first + products.shape[0]
    if first <= own < last:
        products[own - first] = 0.0
    for p in range(np.searchsorted(entries, first), entries.shape[0]):
        if entries[p] >= last:
            break
        products[entries[p] - first] = 0.0


@njit(cache=True, nogil=True)
def _largest(bits):
    """Bits of the largest magnitude of some float32, from theirs: a loop that vectorizes."""
    largest = np.int32(0)
    for t in range(bits.shape[0]):
        largest = max(largest, bits[t] & np.int32(0x7FFFFFFF))
    return largest


@njit(cache=True, nogil=True)
def _product(x, r):
    """|x'r|, in the precision of r."""
    total = 0.0
    for j in range(x.shape[0]):
        total += x[j] * r[j]
    return abs(total)


@njit(cache=True, nogil=True)
def _report(products, first, X, residual, half, tol, slack, violators, key):
    """The worst violators of a group; returns a bound of the other members.

    Products that are within their rounding of `half` are computed again in float64.
    """
    rest = np.float32(0)
    for t in range(products.shape[0]):
        value = abs(products[t])
        if value <= half - slack:
            rest = max(rest, value + slack)
            continue
        if value <= half + slack and _product(X[first + t], residual) <= half + tol:
            rest = max(rest, np.float32(half))
            continue
        p = REPORTED - 1
        if violators[p] >= 0 and value <= key[p]:
            rest = max(rest, value + slack)
            continue
        if violators[p] >= 0:
            rest = max(rest, key[p] + slack)
        while p > 0 and (violators[p - 1] < 0 or key[p - 1] < value):
            key[p], violators[p] = key[p - 1], violators[p - 1]
            p -= 1
        key[p], violators[p] = value, first + t
    return rest


@njit(cache=True, nogil=True, parallel=True)
def visit_groups(
    indptr, groups, X, tiles, starts, residual, residual32, codes, own, half, tol, slack
):
    """Look for violators in the groups that each row visits.

    Parameters
    ----------
    indptr, groups
        Of `select_groups`.
    X : ndarray of shape (m, d)
        The samples, group by group.
    tiles : ndarray of float32, shape (m d,)
        The same, the samples of each group as the columns of a matrix.
    starts : ndarray of shape (K + 1,)
        Where each group begins.
    residual, residual32 : ndarray of shape (b, d)
        In float64 and float32.
    codes : tuple (support, size)
        The samples in the code of each row, ascending; they are passed over.
    own : ndarray of shape (b,)
        The sample itself, which is passed over; -1 for none.
    half, tol : float
        A member violates where ``|x_t'r| > half + tol``.
    slack : ndarray of float32, shape (b,)
        The rounding of the products in float32.

    Returns
    -------
    violators : ndarray of shape (visits, REPORTED)
        Violators, worst first, then -1.
    key : ndarray of float32, shape (visits, REPORTED)
        Their ``|x_t'r|``.
    rest : ndarray of float32, shape (visits,)
        Bound of the other members of the group.
    """
    support, size = codes
    n_groups, d = starts.shape[0] - 1, X.shape[1]
    begin, visit, row = _by_group(indptr, groups, n_groups)
    violators = np.full((groups.shape[0], REPORTED), -1, dtype=np.int64)
    key = np.zeros(violators.shape, dtype=np.float32)
    rest = np.empty(groups.shape[0], dtype=np.float32)
    for k in prange(n_groups):
        first, last = starts[k], starts[k + 1]
        largest = np.empty(1, dtype=np.int32)
        members = tiles[first * d : last * d].reshape(d, last - first)
        for a in range(begin[k], begin[k + 1], _TILE):
            tile = row[a : min(a + _TILE, begin[k + 1])]
            part = np.empty((tile.shape[0], d), dtype=np.float32)
            for p in range(tile.shape[0]):
                part[p] = residual32[tile[p]]
            products = np.dot(part, members)
            bits = products.view(np.int32)
            for p in range(tile.shape[0]):
                r, v = tile[p], visit[a + p]
                _leave_out(products[p], first, support[r, : size[r]], own[r])
                largest[0] = _largest(bits[p])
                rest[v] = largest.view(np.float32)[0] + slack[r]
                if rest[v] <= half:
                    continue
                rest[v] = _report(
                    products[p], first, X, residual[r], half, tol, slack[r], violators[v], key[v]
                )
    return violators, key, rest


@njit(cache=True, nogil=True)
def _take(visits, groups, violators, key, rest, bound, entries, m, n_more):
    """Append the worst violators of a row to its code; set the bounds of the groups it visited."""
    first, last = visits
    keys = np.empty((last - first) * REPORTED, dtype=np.float32)
    count = 0
    for v in range(first, last):
        for p in range(REPORTED):
            if violators[v, p] >= 0:
                keys[count] = key[v, p]
                count += 1
    least = np.float32(0)
    if count > n_more:
        least = np.partition(keys[:count], count - n_more)[count - n_more]
    room = m + n_more
    for v in range(first, last):
        left = rest[v]
        for p in range(REPORTED):
            if violators[v, p] < 0:
                break
            if key[v, p] >= least and m < room:
                entries[m] = violators[v, p]
                m += 1
            else:
                left = max(left, key[v, p] * _UP)
        bound[groups[v]] = left
    return m


@njit(cache=True, nogil=True)
def _solve(X, x, half, tol, max_rounds, old, entries, value, residual):
    """The code of x on the samples `entries`, ascending; the first `old` values are given.

    Returns the size of the support, for which entries and value are filled, and the other entries
    with the magnitude of their products with the residual.
    """
    m = entries.shape[0]
    order = np.argsort(entries)
    A = np.empty((m, X.shape[1]))
    index = np.empty(m, dtype=np.int64)
    z = np.empty(m)
    start = 0
    for p in range(m):
        A[p] = X[entries[order[p]]]
        if order[p] < old:
            index[start], z[start] = p, value[order[p]]
            start += 1
    skip = np.zeros(m, dtype=np.bool_)
    k, _ = l1_code(np.dot(A, x), np.dot(A, A.T), 0.0, skip, half, tol, max_rounds, index, z, start)
    residual[:] = x
    for p in range(k):
        for j in range(X.shape[1]):
            residual[j] -= z[p] * A[index[p], j]
    left = np.empty(m - k, dtype=np.int64)
    product = np.empty(m - k)
    names = entries[order]
    q = 0
    for p in range(m):
        if p - q < k and index[p - q] == p:
            entries[p - q], value[p - q] = names[p], z[p - q]
        else:
            left[q], product[q] = names[p], _product(A[p], residual)
            q += 1
    return k, left, product


@njit(cache=True, nogil=True, parallel=True)
def update_codes(
    indptr, groups, seen, bound, X, longest, group_of, rows, half, tol, max_rounds, n_more,
    support, value, size, residual,
):  # fmt: skip
    """Take the violators that were found into the codes, and solve for these.

    Parameters
    ----------
    indptr, groups
        Of `select_groups`.
    seen : tuple (violators, key, rest)
        Of `visit_groups`.
    bound : ndarray of float32, shape (b, K)
        Changed in place; for the residuals before this call.
    X : ndarray of shape (m, d)
        The samples, group by group.
    longest : float
        Largest norm of a sample.
    group_of : ndarray of shape (m,)
        The group of each.
    rows : ndarray of shape (b,)
        The samples to code.
    half, tol, max_rounds
        As for `l1_code`.
    n_more : int
        How many violators to take at most.
    support, value, size : ndarray of shape (b, cap), (b, cap), (b,)
        The codes, supports ascending; changed in place, with a capacity of `n_more` more.
    residual : ndarray of shape (b, d)
        Changed in place.

    Returns
    -------
    changed : ndarray of bool, shape (b,)
        Whether there were violators.
    factor, drift : ndarray of float32, shape (b,)
        The residual is now ``factor r + e`` and ``|x_t'e| <= drift``, r the one before.
    """
    b = rows.shape[0]
    changed = np.zeros(b, dtype=np.bool_)
    factor, drift = np.ones(b, dtype=np.float32), np.zeros(b, dtype=np.float32)
    for r in prange(b):
        old = size[r]
        visits = indptr[r], indptr[r + 1]
        m = _take(visits, groups, *seen, bound[r], support[r], old, n_more)
        if m == old:
            continue
        changed[r] = True
        before = residual[r].copy()
        x = X[rows[r]].astype(np.float64)
        entries = support[r, :m]
        k, left, product = _solve(X, x, half, tol, max_rounds, old, entries, value[r], residual[r])
        size[r] = k
        a = np.dot(residual[r], before) / np.dot(before, before)
        e = np.linalg.norm(residual[r] - a * before) * longest
        a = max(abs(a), 1e-6)
        factor[r], drift[r] = a, e * 1.000001
        for p in range(left.shape[0]):  # they were candidates, and are members like others now
            at = group_of[left[p]]
            bound[r, at] = max(bound[r, at], (product[p] - e) / a)
    return changed, factor, drift
