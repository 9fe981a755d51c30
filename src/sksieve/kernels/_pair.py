"""Moves of a column subset in a pair problem: the value of a swap in O(1), an exchange in O(c k).

The pair ``(G, F)``, both c x c, stands for ``f(S) = tau - tr(G_SS^-1 F_SS)``. What is kept for a
subset S of k columns:

====== =========================================================================
S      the columns, position by position, (k,)
H      ``G_SS^-1``, (k, k)
K      ``H F_SS H``, (k, k)
V      ``H G_S:``: row p has the coefficients of all columns on column p, (k, c)
Y      ``H F_S: - K G_S:``, (k, c)
r, N   ``r_j = G_jj - G_Sj.V_j`` and ``N_j = F_jj - 2 V_j.F_Sj + V_j'F_SS V_j``, (c,)
f      the error, (1,)
bar    residual a column must exceed to come in; infinite for columns of S, (c,)
====== =========================================================================

and, never modified: ``floor`` (bar outside S), ``d`` and ``e`` (roots of the diagonals of G and F),
``cost`` of each column. ``spare`` is what the budget has left, (1,).

Adding j gains ``N_j / r_j``; dropping position p loses ``K_pp / H_pp``; with ``h = H_pp``,
``v = V_p``, ``y = Y_p``, swapping p for j does both, with

    r'_j = r_j + v_j^2 / h        N'_j = N_j + v_j (2 y_j + v_j K_pp / h) / h.

``N'_j`` is a difference of numbers as large as ``F_jj``, so for nearly dependent columns the table
has rounding only. No exchange is made on it: the residual of column j beside S without p is formed
first, O(c k), and decides; where the tables disagree with it they are corrected.

Where the table has few rows m, neither G nor F is formed: ``G = A'A`` and ``F = A'KA``, and what is
needed of a column comes from ``A'`` (c, m) and K (m, m) (`Products`), O(c m).

An empty position (while a subset grows) has v = 0, Y_p = 0, K_p = 0, h = 1, and any column of S as
its own, whose cost has been taken from ``spare`` for it. Workspace comes from the caller.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._typing import Array, Indices
from ._jit import njit
from ._pocss_random import random_integer

#: Columns looked at for one position before it is left alone.
TRIES = 8
#: Draws for one random exchange before it is given up.
DRAWS = 20
#: Columns that an exchange goes through at a time: they stay in the processor's first cache.
STRIP = 512
EPS = np.finfo(np.float64).eps
#: A residual below this part of the numbers it is the difference of is rounding.
ROUNDING = 1e4 * EPS
#: Rounding of a quadratic form in F, as part of the numbers it is the difference of.
NOISE = 16 * EPS
#: A pivot below this part of the numbers it is the difference of counts as zero.
INDEPENDENT = 16 * EPS

FLAGS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "fastmath": {"contract", "reassoc"},
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": False,
}

jit = njit(**FLAGS)
#: For functions that only kernels call: without a wrapper for Python, which would crash.
inner = njit(**FLAGS, no_cpython_wrapper=True)
#: For functions called from one place: they are not compiled by themselves as well. A kernel that
#: calls another contains its code, and that of all it calls, optimized once more.
inlined = njit(inline="always", **{name: FLAGS[name] for name in FLAGS if name != "cache"})


class Products(NamedTuple):
    """The pair: G and F (c, c), or with ``from_rows`` ``A'`` (c, m) and K (m, m)."""

    G: Array
    F: Array
    from_rows: bool


class Tables(NamedTuple):
    """What is kept for a subset; see the head of this file."""

    S: Indices
    H: Array
    K: Array
    V: Array
    Y: Array
    r: Array
    N: Array
    f: Array
    bar: Array
    spare: Array
    floor: Array
    d: Array
    e: Array
    cost: Array


class Workspace(NamedTuple):
    """Preallocated arrays of a search: three of length c, and of length k the others."""

    col: Array
    s: Array
    gain: Array
    x: Array
    w: Array
    g: Array
    a: Array
    Kp: Array
    rows: Indices
    positions: Indices
    barred: Indices  # length c
    z: Array  # of length m where the pair comes from rows, else empty
    Kz: Array


@inner
def take_off(out, X, rows, coef):
    """``out -= sum_q coef[q] X[rows[q]]``."""
    k, n = rows.shape[0], out.shape[0]
    q = np.int64(0)
    while q + 4 <= k:
        a, b, c, d = coef[q], coef[q + 1], coef[q + 2], coef[q + 3]
        A, B, C, D = X[rows[q]], X[rows[q + 1]], X[rows[q + 2]], X[rows[q + 3]]
        for t in range(n):
            out[t] -= a * A[t] + b * B[t] + c * C[t] + d * D[t]
        q += 4
    while q < k:
        a, A = coef[q], X[rows[q]]
        for t in range(n):
            out[t] -= a * A[t]
        q += 1


@jit
def shuffled(order, rng_state):
    """Put 0, 1, ... into `order`, at random; advances `rng_state`."""
    n = order.shape[0]
    for i in range(n):
        order[i] = i
    for i in range(n - 1):
        other = i + random_integer(rng_state, n - i)
        order[i], order[other] = order[other], order[i]


@inner
def best_column(v, y, h, loss, r, N, bar, cost, limit, gain):
    """The column that gains most in a position that is empty; ``gain`` is negative if none fits."""
    c, inverse = v.shape[0], 1 / h
    for j in range(c):
        scaled = v[j] * inverse
        rest = r[j] + v[j] * scaled
        num = N[j] + scaled * (2 * y[j] + v[j] * loss)
        gain[j] = num / rest if rest > bar[j] and cost[j] <= limit else -1.0
    best = np.int64(0)
    for j in range(1, c):
        if gain[j] > gain[best]:
            best = j
    return best


@inlined
def row_residual(A, K, S, j, x, z, Kz):
    """``z = A_j - sum_q x_q A_{S_q}`` and ``K z``; rows of A are the columns. O(k m + m^2)."""
    m = z.shape[0]
    for i in range(m):
        z[i] = A[j, i]
    take_off(z, A, S, x)
    for i in range(m):
        total = np.float64(0.0)
        for l in range(m):  # noqa: E741
            total += K[i, l] * z[l]
        Kz[i] = total


@inner
def residual(pair, S, H, V, d, e, p, j, col, s, x, z, Kz):
    """Column j beside S without position p, from the pair.

    ``x`` becomes its coefficients (0 at p), ``col`` its residual inner products, ``s = F z`` with
    ``z = e_j - sum_q x_q e_{S_q}``. Returns r', N', and what rounding may have left of each.
    """
    G, F, from_rows = pair
    k, c = V.shape
    h, vj = H[p, p], V[p, j]
    size, length = np.float64(0.0), e[j]
    for q in range(k):
        x[q] = 0.0 if q == p else V[q, j] - H[q, p] / h * vj
        size += abs(x[q]) * d[S[q]]
        length += abs(x[q]) * e[S[q]]
    if from_rows:
        row_residual(G, F, S, j, x, z, Kz)
        for t in range(c):
            product, other = np.float64(0.0), np.float64(0.0)
            for i in range(z.shape[0]):
                product += G[t, i] * z[i]
                other += G[t, i] * Kz[i]
            col[t], s[t] = product, other
    else:
        for t in range(c):
            col[t], s[t] = G[j, t], F[j, t]
        take_off(col, G, S, x)
        take_off(s, F, S, x)
    rest, num = col[j], s[j]
    for q in range(k):
        rest -= x[q] * col[S[q]]
        num -= x[q] * s[S[q]]
    for q in range(k):
        if q != p:
            col[S[q]] = 0.0
    return rest, num, ROUNDING * size * size, NOISE * length * length


@inlined
def residual_of_all(pair, S, V, j, w, x, z, Kz):
    """``w_q = F_{S_q}' y`` and ``y'F y`` of ``y = e_j - sum_q V_qj e_{S_q}``."""
    G, F, from_rows = pair
    k, num = V.shape[0], np.float64(0.0)
    for q in range(k):
        x[q] = V[q, j]
    if from_rows:
        row_residual(G, F, S, j, x, z, Kz)
        for q in range(k):
            w[q] = np.float64(0.0)
            for i in range(z.shape[0]):
                w[q] += G[S[q], i] * Kz[i]
        for i in range(z.shape[0]):
            num += z[i] * Kz[i]
        return num
    num = F[j, j]
    for q in range(k):
        w[q] = F[j, S[q]]
        num -= x[q] * w[q]
    for l in range(k):  # noqa: E741
        for q in range(k):
            w[q] -= x[l] * F[S[l], S[q]]
    for q in range(k):
        num -= x[q] * w[q]
    return num


@inlined
def correct(pair, S, H, V, Y, r, N, p, j, rest, w, x, z, Kz):
    """Put column j of the tables right, given its residual ``rest`` without position p."""
    k = V.shape[0]
    num = residual_of_all(pair, S, V, j, w, x, z, Kz)
    left = rest - V[p, j] * V[p, j] / H[p, p]
    r[j], N[j] = left if left > 0 else 0.0, num if num > 0 else 0.0
    for q in range(k):
        y = np.float64(0.0)
        for l in range(k):  # noqa: E741
            y += H[q, l] * w[l]
        Y[q, j] = y


@inner
def exchange(T, W, p, j, rest, num):
    """Put column j into position p, in place; `residual` has filled the workspace. O(c k + k^2)."""
    S, H, K, V, Y, r, N, f, bar, spare, floor, _, _, cost = T
    col, s, _, x, w, g, a, Kp, rows, _, _, _, _ = W
    k, c = V.shape
    v, y, h, kpp, kappa = V[p], Y[p], H[p, p], K[p, p], num / rest
    shift = np.float64(0.0)
    for q in range(k):
        a[q], Kp[q] = H[q, p] / h, K[q, p]
        w[q] = 0.0 if q == p else s[S[q]]
        shift += w[q] * a[q]
    for q in range(k):  # g = H' w, H' the inverse without position p
        total, aq = np.float64(0.0), a[q]
        for l in range(k):  # noqa: E741
            total += (H[q, l] - aq * H[p, l]) * w[l]
        g[q] = total
    take_off(s, V, rows, w)
    for q in range(k):
        if q != p:
            s[S[q]] = -shift * v[S[q]]
    for t in range(c):
        s[t] = (s[t] + shift * v[t]) / rest
        u = col[t] / rest
        r[t] += v[t] * v[t] / h - col[t] * u
        N[t] += (2 * v[t] * y[t] + v[t] * v[t] * kpp / h) / h - col[t] * (2 * s[t] - u * kappa)
        col[t] = u
    s[j] = kappa
    for left in range(0, c, STRIP):
        end = min(left + STRIP, c)
        vt, yt, ut, st = v[left:end], y[left:end], col[left:end], s[left:end]
        for q in range(k):
            if q == p:
                continue
            Vq, Yq, aq, xq = V[q, left:end], Y[q, left:end], a[q], x[q]
            b, gq = (Kp[q] - aq * kpp) / h, g[q] - xq * kappa
            for t in range(end - left):
                Vq[t] -= aq * vt[t] + xq * ut[t]
                Yq[t] -= aq * yt[t] - b * vt[t] + xq * st[t] + gq * ut[t]
    for q in range(k):
        if q != p:
            V[q, j], Y[q, j] = 0.0, 0.0
    for t in range(c):
        V[p, t], Y[p, t] = col[t], s[t] - kappa * col[t]
    V[p, j], Y[p, j] = 1.0, 0.0
    for q in range(k):
        if q == p:
            continue
        aq, xq, ah, xr = a[q], x[q], a[q] * h, x[q] / rest
        ka, kx = aq * kpp - Kp[q], xr * kappa - g[q] / rest
        for l in range(k):  # noqa: E741
            H[q, l] += xr * x[l] - ah * a[l]
            K[q, l] += ka * a[l] - aq * Kp[l] + kx * x[l] - xr * g[l]
    for q in range(k):
        if q != p:
            H[q, p] = H[p, q] = -x[q] / rest
            K[q, p] = K[p, q] = (g[q] - x[q] * kappa) / rest
    H[p, p], K[p, p] = 1 / rest, kappa / rest
    f[0] += kpp / h - kappa
    spare[0] += cost[S[p]] - cost[j]
    bar[S[p]] = floor[S[p]]
    S[p] = j
    for i in S:
        bar[i] = np.inf
    r[j], N[j] = 0.0, 0.0


@jit
def search(pair, T, W, fill, rng_state, n_kicks, min_drop, first, max_visits, max_swaps):
    """Fill a position, exchange random columns, replace columns until no swap helps; in place.

    Parameters
    ----------
    pair : Products
    T : Tables
        Modified.
    W : Workspace
    fill : int
        Empty position to put the best column into, or -1. If there is none nothing else is done.
    rng_state : ndarray of shape (4,), uint64
        Random generator, advanced in place.
    n_kicks : int
        Random positions to put random columns into, <= k.
    min_drop : float
        A swap must lower f by more than this.
    first : int
        Position to look at first.
    max_visits : int
        Positions to look at in turn, at most, until k in a row have their best column.
    max_swaps : int
        Replacements at most.

    Returns
    -------
    n_swaps, n_visits : int
        Replacements made and positions looked at; -1, 0 if there was nothing to fill with.
    done : bool
        No swap helps.
    """
    S, H, K, V, Y, r, N, f, bar, spare, floor, d, e, cost = T
    col, s, gain, x, w, _, _, _, _, positions, barred, z, Kz = W
    k, c = V.shape
    for q in range(k):
        positions[q] = q
    idle, n_swaps, n_visits, kicks = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    while True:
        filling, kicking = fill >= 0, fill < 0 and kicks < n_kicks
        if kicking:
            other = kicks + random_integer(rng_state, k - kicks)
            p = positions[other]
            positions[other] = positions[kicks]
            kicks += 1
            tries = np.int64(DRAWS)
        elif filling or (idle < k and n_visits < max_visits and n_swaps < max_swaps):
            p = fill if filling else (first + n_visits) % k
            tries = c if filling else np.int64(TRIES)
        else:
            return n_swaps, n_visits, idle == k
        h, loss = H[p, p], K[p, p] / H[p, p]
        limit = spare[0] + cost[S[p]]
        enters, n_barred, j = False, np.int64(0), np.int64(0)
        rest, num = np.float64(0.0), np.float64(0.0)
        for _ in range(tries):
            if kicking:
                j = random_integer(rng_state, c)
                if not (bar[j] < np.inf and cost[j] <= limit):
                    continue
            else:
                j = best_column(V[p], Y[p], h, loss, r, N, bar, cost, limit, gain)
                if gain[j] < 0 or not (filling or (gain[j] - loss > min_drop and f[0] > min_drop)):
                    break
            rest, num, least, noise = residual(pair, S, H, V, d, e, p, j, col, s, x, z, Kz)
            may_enter = rest > floor[j] and rest > least
            if may_enter:
                drop = num / rest - loss
                enters = kicking or filling or min_drop + noise / rest < drop < f[0] + min_drop
            if enters:
                break
            if kicking:
                continue
            correct(pair, S, H, V, Y, r, N, p, j, rest, w, x, z, Kz)
            if not may_enter or num - loss * rest > min_drop * rest:
                bar[j] = np.inf
                barred[n_barred] = j
                n_barred += 1
        for i in range(n_barred):
            bar[barred[i]] = floor[barred[i]]
        if filling:
            fill = np.int64(-1)
            if not enters:
                return np.int64(-1), np.int64(0), False
        elif not kicking:
            idle = np.int64(0) if enters else idle + 1
            n_visits += 1
            n_swaps += 1 if enters else 0
        if enters:
            exchange(T, W, p, j, rest, num)


@jit
def independent(G, order, floor, S, L, x):
    """Put into S the first columns of `order` that do not depend on those before; how many.

    O(k^2) a column. A column's residual must exceed ``floor`` and what rounding alone could leave.
    ``L`` (k, k) and ``x`` (k,) are workspace.
    """
    k, c = S.shape[0], np.int64(0)
    for j in order:
        if c == k:
            break
        pivot = G[j, j]
        for p in range(c):
            y = G[S[p], j]
            for q in range(p):
                y -= L[c, q] * L[p, q]
            L[c, p] = x[p] = y / L[p, p]
            pivot -= x[p] * x[p]
        size = np.float64(0.0)
        for p in range(c - 1, -1, -1):  # x becomes G_SS^-1 G_Sj
            x[p] /= L[p, p]
            for q in range(p):
                x[q] -= L[p, q] * x[p]
            size += abs(x[p]) * np.sqrt(G[S[p], S[p]])
        if pivot > floor[j] and pivot > INDEPENDENT * size * size:
            L[c, c] = np.sqrt(pivot)
            S[c] = j
            c += 1
    return c
