"""Gauss-Seidel sweep of the support regularized sparse graph.

Codes are kept as rows of padded arrays: the support of column i of Z is ``index[i, :size[i]]``
(ascending) with coefficients ``value[i, :size[i]]``.
"""

import numpy as np

from ._jit import njit
from ._l1_graph import cholesky_in_place, solve_spd

#: Larger than every index.
_LAST = np.iinfo(np.int64).max


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz", "contract"})
def _inner(X, i, j):
    """Inner product of rows i and j, in float64."""
    total = 0.0
    for c in range(X.shape[1]):
        total += np.float64(X[i, c]) * np.float64(X[j, c])
    return total


@njit(cache=True, nogil=True)
def _product(G, z, p):
    """Entry p of ``G z``."""
    total = 0.0
    for q in range(z.shape[0]):
        total += G[p, q] * z[q]
    return total


@njit(cache=True, nogil=True)
def _place(old, t):
    """Place of t in the ascending `old`, or of the first greater one."""
    low, high = 0, old.shape[0]
    while low < high:
        middle = (low + high) // 2
        if old[middle] < t:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def support_gram(X, K, support, i, G, b):
    """Fill ``G = X_A X_A'`` and ``b = X_A x_i``; from K when it has been formed."""
    m = support.shape[0]
    if K.shape[0] > 0:
        for p in range(m):
            for q in range(m):
                G[p, q] = K[support[p], support[q]]
            b[p] = K[support[p], i]
        return
    for p in range(m):
        for q in range(p + 1):
            G[p, q] = _inner(X, support[p], support[q])
            G[q, p] = G[p, q]
        b[p] = _inner(X, support[p], i)


@njit(cache=True, nogil=True)
def _count_supports(i, indptr, neighbors, weights, index, size, count, touched):
    """``count_t = sum_j St_ij 1[Z_t^j != 0]`` over the neighbors j of i; how many are not zero."""
    n_touched = 0
    for e in range(indptr[i], indptr[i + 1]):
        j = neighbors[e]
        for p in range(size[j]):
            t = index[j, p]
            if count[t] == 0.0:
                touched[n_touched] = t
                n_touched += 1
            count[t] += weights[e]
    return n_touched


@njit(cache=True, nogil=True)
def _edge_weight(i, t, indptr, neighbors, weights):
    """``St_it``; 0 when i and t are not neighbors."""
    for e in range(indptr[i], indptr[i + 1]):
        if neighbors[e] == t:
            return weights[e]
    return 0.0


@njit(cache=True, nogil=True)
def column_weights(i, graph, grow, index, value, size, count, touched):
    """The candidates of column i, their weights c and its coefficients.

    ``c_t = sum_j St_ij - St_it - 2 sum_j St_ij 1[Z_t^j != 0]`` is the exact change of the
    regularizer (the sum over S_ij d(Z^i, Z^j), both directions) when entry t joins column i.

    Returns
    -------
    support : ndarray of shape (m,)
        Support of the column, and with `grow` the t for which c_t < 0; ascending, without i.
    c, z : ndarray of shape (m,)
        Weights and present coefficients.
    """
    indptr, neighbors, weights, deg = graph
    n_touched = _count_supports(i, indptr, neighbors, weights, index, size, count, touched)
    old = index[i, : size[i]].copy()
    m = old.shape[0]
    support = np.empty(m + n_touched if grow else m, dtype=np.int64)
    for p in range(m):
        support[p] = old[p]
    if grow:
        for p in range(n_touched):
            t = touched[p]
            c_t = deg[i] - _edge_weight(i, t, indptr, neighbors, weights) - 2.0 * count[t]
            if t != i and c_t < 0.0:
                place = _place(old, t)
                if place == old.shape[0] or old[place] != t:
                    at = m
                    while at > 0 and support[at - 1] > t:
                        support[at] = support[at - 1]
                        at -= 1
                    support[at] = t
                    m += 1
    support = support[:m]
    c, z = np.empty(m), np.zeros(m)
    for p in range(m):
        t = support[p]
        c[p] = deg[i] - _edge_weight(i, t, indptr, neighbors, weights) - 2.0 * count[t]  # (5), (6)
        place = _place(old, t)
        if place < old.shape[0] and old[place] == t:
            z[p] = value[i, place]
    for p in range(n_touched):
        count[touched[p]] = 0.0
    return support, c, z


@njit(cache=True, nogil=True)
def _store_column(i, support, z, index, value, size):
    """Write column i back; 1 if its support changed, 0 if not, -1 if it does not fit."""
    k = 0
    for p in range(support.shape[0]):
        k += z[p] != 0.0
    if k > index.shape[1]:
        return -1
    same = k == size[i]
    k = 0
    for p in range(support.shape[0]):
        if z[p] != 0.0:
            same = same and index[i, k] == support[p]
            index[i, k] = support[p]
            value[i, k] = z[p]
            k += 1
    size[i] = k
    return 0 if same else 1


@njit(cache=True, nogil=True)
def _column_objective(G, b, z, c, gamma):
    """What column z adds to the objective, but for a constant."""
    total = 0.0
    for p in range(z.shape[0]):
        if z[p] != 0.0:
            total += z[p] * (_product(G, z, p) - 2.0 * b[p]) + gamma * c[p]
    return total


@njit(cache=True, nogil=True)
def _prox_least_squares(G, b, z, c, gamma):
    """Proximal step, then least squares on what is left, until the support stays; in place.

    The least squares have a ridge of 1e-9; z stays as it is where that would raise the objective.
    """
    m = z.shape[0]
    given = z.copy()
    before = _column_objective(G, b, z, c, gamma)
    s = 0.99 / (2.0 * max(np.linalg.eigvalsh(G)[-1], 1e-300))
    alive = np.ones(m, dtype=np.bool_)
    started = False
    L = np.empty((m, m))
    kept = np.empty(m, dtype=np.int64)
    y = np.empty(m)
    while True:
        changed = not started
        started = True
        for p in range(m):
            u = z[p] - 2.0 * s * (_product(G, z, p) - b[p])
            # (7): with c <= 0 an entry is free
            if alive[p] and c[p] > 0.0 and (u * u <= 2.0 * s * gamma * c[p] or z[p] == 0.0):
                alive[p] = False
                changed = True
        if not changed:
            break
        k = np.int64(0)
        for p in range(m):
            if alive[p]:
                kept[k] = p
                k += 1
        for p in range(m):
            z[p] = 0.0
        if k == 0:
            break
        for p in range(k):
            for q in range(p + 1):
                L[p, q] = G[kept[p], kept[q]]
            L[p, p] += 1e-9
            y[p] = b[kept[p]]
        cholesky_in_place(L, k)
        solve_spd(L, y, k)
        for p in range(k):
            z[kept[p]] = y[p]
    if _column_objective(G, b, z, c, gamma) > before:
        for p in range(m):
            z[p] = given[p]


@njit(cache=True, nogil=True)
def _fast_proximal_gradient(G, b, z, c, gamma, s, eta, n_steps, tol):
    """Accelerated proximal gradient with support projection, one column."""  # Algorithm 1
    m = z.shape[0]
    u, v, g = np.empty(m), z.copy(), np.empty(m)
    alive = np.ones(m, dtype=np.bool_)
    for k in range(1, n_steps + 1):
        a_k = 2.0 / (k + 1.0)
        for p in range(m):
            u[p] = (1.0 - a_k) * z[p] + a_k * v[p]  # (9)
        for p in range(m):
            g[p] = 2.0 * (_product(G, u, p) - b[p])
        moved, scale = 0.0, 0.0
        for p in range(m):
            new = 0.0
            if alive[p]:
                new = u[p] - s * g[p]
                if c[p] > 0.0 and new * new <= 2.0 * s * gamma * c[p]:
                    new = 0.0  # (8), (10), (19)
            v[p] = v[p] - eta * k * g[p]  # (11)
            moved = max(moved, abs(new - z[p]))
            z[p] = new
            scale = max(scale, abs(new))
            alive[p] = alive[p] and (new != 0.0 or c[p] <= 0.0)
            if not alive[p]:
                v[p] = 0.0  # (12)
        if moved <= tol * scale:
            return


@njit(cache=True, nogil=True)
def srsg_sweep(X, K, graph, gamma, grow, fpgd, index, value, size):
    """One Gauss-Seidel pass over the columns of Z, in place.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples; read only where K is empty.
    K : ndarray of shape (n, n) or (0, 0)
        Gram matrix.
    graph : tuple (indptr, neighbors, weights, deg)
        ``St = S + S'`` as CSR, and its row sums.
    gamma : float
        Weight of the regularizer.
    grow : bool
        May supports take in new entries?
    fpgd : tuple (s, eta, n_steps, tol)
        Settings of accelerated proximal gradient; ``n_steps = 0`` means proximal step and least
        squares with a local step instead.
    index, value, size : ndarray of shape (n, cap), (n, cap), (n,)
        The codes; modified.

    Returns
    -------
    changed : int
        Number of columns whose support changed; -1 - i when column i does not fit into cap.
    """
    n = size.shape[0]
    s, eta, n_steps, tol = fpgd
    count = np.zeros(n)
    touched = np.empty(n, dtype=np.int64)
    changed = 0
    for i in range(n):
        support, c, z = column_weights(i, graph, grow, index, value, size, count, touched)
        m = support.shape[0]
        if m == 0:
            continue
        G = np.empty((m, m))
        b = np.empty(m)
        support_gram(X, K, support, i, G, b)
        if n_steps > 0:
            _fast_proximal_gradient(G, b, z, c, gamma, s, eta, n_steps, tol)
        else:
            _prox_least_squares(G, b, z, c, gamma)
        outcome = _store_column(i, support, z, index, value, size)
        if outcome < 0:
            return -1 - i
        changed += outcome
    return changed


@njit(cache=True, nogil=True)
def _misfit(X, K, i, support, z):
    """``||x_i - X_A'z||^2``; from K when it has been formed."""
    m = support.shape[0]
    if K.shape[0] == 0:
        total = 0.0
        for c in range(X.shape[1]):
            r = np.float64(X[i, c])
            for p in range(m):
                r -= z[p] * X[support[p], c]
            total += r * r
        return total
    G = np.empty((m, m))
    b = np.empty(m)
    support_gram(X, K, support, i, G, b)
    total = K[i, i]
    for p in range(m):
        total += z[p] * (_product(G, z, p) - 2.0 * b[p])
    return total


@njit(cache=True, nogil=True)
def srsg_objective(X, K, graph, gamma, index, value, size):
    """``sum_i ||x_i - X'Z^i||^2 + gamma sum_ij S_ij d(Z^i, Z^j)``.

    d counts the rows m, other than i and j, where exactly one of Z_m^i, Z_m^j is non-zero.
    """
    n = size.shape[0]
    indptr, neighbors, weights, _ = graph
    fit, penalty = 0.0, 0.0
    for i in range(n):
        fit += _misfit(X, K, i, index[i, : size[i]], value[i, : size[i]])
        for e in range(indptr[i], indptr[i + 1]):
            j = neighbors[e]
            if j > i:
                penalty += weights[e] * _support_distance(index, size, i, j)
    return fit + gamma * penalty


@njit(cache=True, nogil=True)
def _support_distance(index, size, i, j):
    """Rows other than i and j in exactly one of the two supports."""  # (4)
    p, q, d = 0, 0, 0
    while p < size[i] or q < size[j]:
        a = index[i, p] if p < size[i] else _LAST
        b = index[j, q] if q < size[j] else _LAST
        t = min(a, b)
        if a != b and t != i and t != j:
            d += 1
        p += a == t
        q += b == t
    return d
