"""The lasso path by least angle regression, from a Gram matrix, up to a number of nonzeros.

Efron, Hastie, Johnstone & Tibshirani, "Least angle regression", Annals of Statistics 32, 2004, with
the lasso modification: a coefficient that reaches zero leaves the active set.
"""

import numpy as np

from ._jit import njit
from ._l1_graph import solve_spd

#: A column whose part outside the active ones is shorter than this is never active.
_DEPENDENT = 1e-7
_SMALL = 1e-15
#: Coefficients smaller than this, relative to the largest, have left.
_GONE = 1e-13


@njit(cache=True, nogil=True)
def _append(L, m, G, active, j):
    """The row of L for column j; False, and L as it was, where j depends on the active columns."""
    total = G[j, j]
    for i in range(m):
        value = G[active[i], j]
        for k in range(i):
            value -= L[i, k] * L[m, k]
        L[m, i] = value / L[i, i]
        total -= L[m, i] * L[m, i]
    if total <= _DEPENDENT**2:
        return False
    L[m, m] = np.sqrt(total)
    return True


@njit(cache=True, nogil=True)
def _remove(L, m, at):
    """Delete row `at` of the factor of m columns; rotations make it triangular again."""
    for i in range(at, m - 1):
        for k in range(i + 2):
            L[i, k] = L[i + 1, k]
    for i in range(at, m - 1):
        a, b = L[i, i], L[i, i + 1]
        size = np.hypot(a, b)
        c, s = a / size, b / size
        for k in range(i, m - 1):
            a, b = L[k, i], L[k, i + 1]
            L[k, i] = c * a + s * b
            L[k, i + 1] = c * b - s * a


@njit(cache=True, nogil=True)
def _longer(x, size):
    """x enlarged to `size` entries."""
    longer = np.empty(size, dtype=x.dtype)
    for i in range(len(x)):
        longer[i] = x[i]
    return longer


@njit(cache=True, nogil=True)
def _n_nonzero(a, active, count):
    """Active coefficients that are not zero up to rounding."""
    largest = 0.0
    for i in range(count):
        largest = max(largest, abs(a[active[i]]))
    n_nonzero = 0
    for i in range(count):
        n_nonzero += abs(a[active[i]]) > _GONE * largest
    return n_nonzero


@njit(cache=True, nogil=True)
def lasso_knot(G, r, m, least):
    """Where the lasso path of ``a'Ga - 2 a'r`` first has `m` nonzeros or more; else its end.

    Equal columns enter together, so the knot may have more.

    Parameters
    ----------
    G : ndarray of float64, shape (d, d)
        Symmetric, positive semidefinite; its diagonal about 1.
    r : ndarray of float64, shape (d,)
        Its largest entry about 1.
    m : int
        At most d.
    least : float
        The path ends where the correlations are this small.

    Returns
    -------
    a : ndarray of shape (d,)

    Notes
    -----
    O(d m) for each of the steps, of which there are m and twice the number of coefficients that
    leave.
    """
    d = len(r)
    a, c = np.zeros(d), r.copy()
    size = min(d, m + 16)
    L, w = np.zeros((size, size)), np.empty(size)
    active, sign = np.empty(size, dtype=np.int64), np.empty(size)
    free = np.ones(d, dtype=np.bool_)
    slope = np.empty(d)
    count, left = np.int64(0), False
    while True:
        if count == size:
            size = min(d, 2 * size)
            wider = np.zeros((size, size))
            for i in range(count):
                for k in range(count):
                    wider[i, k] = L[i, k]
            L, w = wider, np.empty(size)
            active, sign = _longer(active, size), _longer(sign, size)
        level = least
        for i in range(count):
            level = max(level, abs(c[active[i]]))
        while not left:
            j, most = np.int64(-1), least
            for i in range(d):
                if free[i] and abs(c[i]) > most:
                    j, most = i, abs(c[i])
            if j < 0:
                break
            free[j] = False
            if _append(L, count, G, active, j):
                active[count], sign[count] = j, np.sign(c[j])
                count += 1
                level = max(level, most)
                break
        if count == 0 or level <= least:
            return a
        for i in range(count):
            w[i] = sign[i]
        solve_spd(L, w, count)
        for k in range(d):
            slope[k] = 0.0
        for i in range(count):
            for k in range(d):
                slope[k] += w[i] * G[active[i], k]
        step = level
        for i in range(d):
            if free[i]:
                for s in (1.0, -1.0):
                    rate = 1.0 - s * slope[i]
                    if rate > _SMALL:
                        step = min(step, max(0.0, level - s * c[i]) / rate)
        out = np.int64(-1)
        for i in range(count):
            if a[active[i]] * w[i] < 0.0 and -a[active[i]] / w[i] < step:
                step, out = -a[active[i]] / w[i], i
        for i in range(count):
            a[active[i]] += step * w[i]
        for k in range(d):
            c[k] -= step * slope[k]
        left = out >= 0
        if left:
            j = active[out]
            a[j] = 0.0
            _remove(L, count, out)
            for i in range(out, count - 1):
                active[i], sign[i] = active[i + 1], sign[i + 1]
            count -= 1
            free[j] = True
        if _n_nonzero(a, active, count) >= m:
            return a
