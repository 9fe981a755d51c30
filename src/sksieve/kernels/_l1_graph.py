"""Sparse codes of every sample on the others: lasso by an active set, from inner products alone.

Column i: ``min_z ||x_i - X'z||^2 + lam |z|_1, z_i = 0``, K = XX'. Optimal when
``K_t'z = K_ti - (lam/2) sign z_t`` on the support and ``|K_ti - K_t'z| <= lam/2`` off it.
"""

import numpy as np

from ._jit import njit

_RIDGE_PIVOT = 1e-13


@njit(cache=True, nogil=True)
def cholesky_in_place(A, m):
    """Lower Cholesky factor of A[:m, :m] in its lower triangle; the first bad pivot, or -1."""
    for j in range(m):
        row_j = A[j]
        pivot = row_j[j]
        for p in range(j):
            pivot -= row_j[p] * row_j[p]
        if pivot <= _RIDGE_PIVOT * row_j[j] or pivot <= 0.0:
            return j
        root = np.sqrt(pivot)
        row_j[j] = root
        for i in range(j + 1, m):
            row_i = A[i]
            value = row_i[j]
            for p in range(j):
                value -= row_i[p] * row_j[p]
            row_i[j] = value / root
    return -1


@njit(cache=True, nogil=True)
def solve_spd(L, b, m):
    """Solve L L'y = b in place of b, L lower triangular."""
    for i in range(m):
        value = b[i]
        for p in range(i):
            value -= L[i, p] * b[p]
        b[i] = value / L[i, i]
    for i in range(m - 1, -1, -1):
        value = b[i]
        for p in range(i + 1, m):
            value -= L[p, i] * b[p]
        b[i] = value / L[i, i]


@njit(cache=True, nogil=True)
def _sweeps(Kw, g, z, m, half, n_sweeps):
    """Covariance coordinate descent on the working block; g = b - Kw z is kept up to date.

    Says whether it has converged to rounding.
    """
    for _ in range(n_sweeps):
        moved, largest = 0.0, 0.0
        for a in range(m):
            old = z[a]
            u = g[a] + Kw[a, a] * old
            new = 0.0
            if u > half:
                new = (u - half) / Kw[a, a]
            elif u < -half:
                new = (u + half) / Kw[a, a]
            if new != old:
                delta = new - old
                for c in range(m):
                    g[c] -= delta * Kw[a, c]
                z[a] = new
                moved = max(moved, abs(delta))
            largest = max(largest, abs(new))
        if moved <= 1e-15 * largest:
            return True
    return False


@njit(cache=True, nogil=True)
def _slide(Kw, z, active, bad, L, y):
    """Column `bad` of the support depends on those before it: lower |z|_1 along that dependence.

    The fit does not change on the way, so the objective falls; it ends where a coordinate is zero.
    """
    new = active[bad]
    for p in range(bad):
        y[p] = Kw[active[p], new]
    solve_spd(L, y, bad)
    slope = 1.0 if z[new] < 0.0 else -1.0  # of |z|_1 along (y, -1)
    for p in range(bad):
        slope += y[p] if z[active[p]] > 0.0 else -y[p]
    direction = -1.0 if slope > 0.0 else 1.0
    step, leaving = np.inf, new
    for p in range(bad + 1):
        a = active[p]
        move = direction * (y[p] if p < bad else -1.0)
        if z[a] * move < 0.0 and -z[a] / move < step:
            step, leaving = -z[a] / move, a
    for p in range(bad + 1):
        z[active[p]] += step * direction * (y[p] if p < bad else -1.0)
    z[leaving] = 0.0


@njit(cache=True, nogil=True)
def _newton(Kw, b, z, m, half, L, y, active):
    """Exact solution on the support and signs of z; coordinates that change sign are dropped.

    Every pass either accepts the solution or drops a coordinate, so there are at most m passes.
    """
    while True:
        k = np.int64(0)
        for a in range(m):
            if z[a] != 0.0:
                active[k] = a
                k += 1
        if k == 0:
            return
        for p in range(k):
            a = active[p]
            for q in range(p + 1):
                L[p, q] = Kw[a, active[q]]
            y[p] = b[a] - (half if z[a] > 0.0 else -half)
        bad = cholesky_in_place(L, k)
        if bad >= 0:
            _slide(Kw, z, active, bad, L, y)
            continue
        solve_spd(L, y, k)
        step, leaving = 1.0, -1
        for p in range(k):
            old = z[active[p]]
            if old * y[p] <= 0.0:
                t = old / (old - y[p])
                if t < step:
                    step, leaving = t, p
        for p in range(k):
            a = active[p]
            z[a] += step * (y[p] - z[a])
        if leaving < 0:
            for p in range(k):
                z[active[p]] = y[p]
            return
        z[active[leaving]] = 0.0


@njit(cache=True, nogil=True)
def _violators(g, skip, inside, half, tol, n_most, bad):
    """Write the `n_most` worst entries that belong in the working set to `bad`.

    Returns how many there are and the largest violation.
    """
    n_bad, violation = 0, 0.0
    for t in range(g.shape[0]):
        excess = abs(g[t]) - half
        if not skip[t] and not inside[t] and excess > tol:
            if n_bad < n_most:
                bad[n_bad] = t
            n_bad += 1
            violation = max(violation, excess)
    if n_bad <= n_most:
        return n_bad, violation
    count = 0
    for t in range(g.shape[0]):  # the worst first, of equal ones the smaller index
        size = abs(g[t])
        if skip[t] or inside[t] or size - half <= tol:
            continue
        if count == n_most and size <= abs(g[bad[count - 1]]):
            continue
        at = min(count, n_most - 1)
        while at > 0 and abs(g[bad[at - 1]]) < size:
            bad[at] = bad[at - 1]
            at -= 1
        bad[at] = t
        count = min(count + 1, n_most)
    return n_most, violation


@njit(cache=True, nogil=True)
def _block(k_i, K, ridge, g, z, work, m):
    """The problem on the working set: Gram matrix, inner products, coefficients, gradient."""
    Kw = np.empty((m, m))
    b, zw, gw = np.empty(m), np.empty(m), np.empty(m)
    for p in range(m):
        for q in range(m):
            Kw[p, q] = K[work[p], work[q]]
        Kw[p, p] += ridge
        b[p], zw[p], gw[p] = k_i[work[p]], z[work[p]], g[work[p]]
    return Kw, b, zw, gw


@njit(cache=True, nogil=True)
def l1_code(k_i, K, ridge, skip, half, tol, max_rounds, index, value, start):
    """Sparse code of one sample.

    Parameters
    ----------
    k_i : ndarray of shape (n,)
        Inner products of the sample with the dictionary.
    K : ndarray of shape (n, n)
        Gram matrix of the dictionary.
    ridge : float >= 0
        Added to the diagonal of K (a squared l2 norm in the objective).
    skip : ndarray of bool, shape (n,)
        Dictionary entries that may not be used (the sample itself, later copies of duplicates).
    half : float
        ``lam / 2``.
    tol : float
        Largest violation of the optimality conditions that is let pass.
    max_rounds : int
        Bound on the rounds of adding violators.
    index, value : ndarray of shape (n,)
        Filled with the support (ascending) and its coefficients.
    start : int
        Length of a support in `index`, with coefficients in `value`, to start from; 0: from zero.

    Returns
    -------
    size : int
        Length of the support.
    violation : float
        Largest violation of the optimality conditions at the end.
    """
    n = k_i.shape[0]
    g, z = np.empty(n), np.empty(n)
    inside = np.empty(n, dtype=np.bool_)
    for t in range(n):
        g[t], z[t], inside[t] = k_i[t], 0.0, False
    work, bad = np.empty(2 * n, dtype=np.int64), np.empty(n, dtype=np.int64)
    m = start
    for p in range(start):
        t = index[p]
        work[p] = t
        z[t] = value[p]
        for c in range(n):
            g[c] -= value[p] * K[t, c]
        g[t] -= value[p] * ridge
    violation = 0.0
    for turn in range(max_rounds):
        if turn > 0 or start == 0 or ridge == 0.0:
            n_most = min(max(10, m // 2), n)
            n_bad, violation = _violators(g, skip, inside, half, tol, n_most, bad)
            if n_bad == 0:
                break
            for p in range(n_bad):
                work[m + p] = bad[p]
            m += n_bad
        Kw, b, zw, gw = _block(k_i, K, ridge, g, z, work, m)
        # with a ridge supports are large and sweeps converge fast; without, Newton is exact
        if not _sweeps(Kw, gw, zw, m, half, 4 if ridge == 0.0 else 20) and ridge == 0.0:
            _newton(Kw, b, zw, m, half, np.empty((m, m)), np.empty(m), np.empty(m, dtype=np.int64))
        for t in range(n):
            g[t], z[t], inside[t] = k_i[t], 0.0, False
        keep = 0
        for p in range(m):
            if zw[p] != 0.0:
                t = work[p]
                z[t] = zw[p]
                inside[t] = True
                for c in range(n):
                    g[c] -= zw[p] * K[t, c]
                g[t] -= zw[p] * ridge
                work[keep] = t
                keep += 1
        m = keep
    size = 0
    for t in range(n):
        if z[t] != 0.0:
            index[size] = t
            value[size] = z[t]
            size += 1
    return size, violation


@njit(cache=True, nogil=True)
def skipped(K, copy_of, i):
    """Samples that may not code sample i: itself, later copies, zero rows."""
    n = K.shape[0]
    skip = np.empty(n, dtype=np.bool_)
    stand_in = -1
    for t in range(n):
        skip[t] = copy_of[t] != t or K[t, t] <= 0.0
        if stand_in < 0 and t != i and copy_of[t] == i:
            stand_in = t
    skip[i] = True
    if stand_in >= 0:
        skip[stand_in] = K[i, i] <= 0.0
    return skip


@njit(cache=True, nogil=True)
def l1_codes(K, first, last, copy_of, half, tol, max_rounds):
    """Codes of samples first..last-1 on all the others.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix.
    first, last : int
        The samples to code.
    copy_of : ndarray of shape (n,)
        Smallest index of a sample equal to this one.
    half, tol, max_rounds
        As for `l1_code`.

    Returns
    -------
    index, value : ndarray of shape (last - first, n)
        Supports and coefficients, the first ``size`` of each row.
    size : ndarray of shape (last - first,)
    violation : ndarray of shape (last - first,)
    """
    n = K.shape[0]
    m = last - first
    index = np.empty((m, n), dtype=np.int64)
    value = np.empty((m, n))
    size = np.zeros(m, dtype=np.int64)
    violation = np.zeros(m)
    for row in range(m):
        i = first + row
        skip = skipped(K, copy_of, i)
        size[row], violation[row] = l1_code(
            K[i], K, 0.0, skip, half, tol, max_rounds, index[row], value[row], np.int64(0)
        )
    return index, value, size, violation


@njit(cache=True, nogil=True)
def smooth_codes_sweep(K, graph, copy_of, half, gamma, tol, max_rounds, index, value, size):
    """One Gauss-Seidel pass over codes tied by a graph: each column lowered, the others fixed.

    Column i minimizes
    ``||x_i - X'z||^2 + lam |z|_1 + gamma (deg_i ||z||^2 - 2 z' sum_j P_ij Z^j)``.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix.
    graph : tuple (indptr, neighbors, weights, deg)
        Symmetric P as CSR, and its row sums.
    copy_of, half, tol, max_rounds
        As for `l1_codes`.
    gamma : float
        Weight of the graph.
    index, value, size : ndarray of shape (n, n), (n, n), (n,)
        The codes; modified.

    Returns
    -------
    moved : float
        Largest change of a coefficient.
    """
    indptr, neighbors, weights, deg = graph
    n = K.shape[0]
    moved = 0.0
    before = np.zeros(n)
    for i in range(n):
        skip = skipped(K, copy_of, i)
        k_i = K[i].copy()
        for e in range(indptr[i], indptr[i + 1]):
            j = neighbors[e]
            for p in range(size[j]):
                k_i[index[j, p]] += gamma * weights[e] * value[j, p]
        for p in range(size[i]):
            before[index[i, p]] = value[i, p]
        m, _ = l1_code(
            k_i, K, gamma * deg[i], skip, half, tol, max_rounds, index[i], value[i], size[i]
        )
        size[i] = m
        for p in range(m):
            t = index[i, p]
            moved = max(moved, abs(value[i, p] - before[t]))
            before[t] = 0.0
        for t in range(n):
            if before[t] != 0.0:
                moved = max(moved, abs(before[t]))
                before[t] = 0.0
    return moved
