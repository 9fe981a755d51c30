"""Exchanging columns of a subset: every swap value in O(1), one exchange in O(n k).

The columns S of A (m x n, ``G = A'A``, ``F = G^2``) leave the residual Gram matrix
``R = G - G_:S H G_S:``, ``H = G_SS^-1``, which is never formed. What is kept:

====== ==========================================================================
S      the columns, position by position, (k,)
H      ``G_SS^-1``, (k, k)
V      ``H G_S:``: row p is A' times the p-th dual vector of A_S, (k, n)
Y      ``V R``, (k, n)
r, N   ``diag R`` and ``diag R^2``, (n,)
d      column norms, (n,)
floor  residual a column must exceed to be let in, (n,)
bar    the same, infinite for columns of S, (n,)
====== ==========================================================================

Removing position p turns R into ``R + v v'/h`` (``v = V_p``, ``h = H_pp``) and costs ``v.v / h``;
inserting j into R gains ``(R^2)_jj / R_jj`` and turns it into ``R - R_:j R_j: / R_jj``. Both
follow from the block inverse of ``G_SS``. So the error after the swap of p for j is
``f + v.v/h - N'_j / r'_j`` with ``r'_j = r_j + v_j^2/h`` and
``N'_j = N_j + 2 v_j Y_pj / h + v_j^2 (v.v) / h^2``.

``N'_j`` is a difference of numbers of the size of ``F_jj``, so for nearly dependent columns it is
noise. No exchange is made on it: the column ``R'_:j`` is formed first, ``O(n k)``, and its length
decides; where the tables disagree they are repaired.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "Tables",
    "build",
    "exchange",
    "independent",
    "iterfs",
    "local_search",
    "refresh",
    "replace",
]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Exchanges between two computations of the tables from scratch.
REFRESH = 128
#: Columns of the tables put right for one position before it is left alone.
REPAIRS = 8
#: A residual below this part of the numbers it is the difference of is not trusted.
ROUNDING = 1e4 * np.finfo(np.float64).eps
#: The same for a subset to be taken as linearly independent at all.
INDEPENDENT = 16 * np.finfo(np.float64).eps


class Tables(NamedTuple):
    """What is kept for a subset; see the head of this file."""

    S: Indices
    H: Array
    V: Array
    Y: Array
    r: Array
    N: Array
    d: Array
    floor: Array
    bar: Array


_jit = njit(cache=True, nogil=True, fastmath={"contract", "reassoc"}, error_model="numpy")


@_jit
def _take_off(out, X, rows, coef, first, last):
    """``out -= sum_q coef[q] X[rows[q]]``, q = first..last - 1."""
    n = out.shape[0]
    q = first
    while q + 4 <= last:
        a, b, c, d = coef[q], coef[q + 1], coef[q + 2], coef[q + 3]
        A, B, C, D = X[rows[q]], X[rows[q + 1]], X[rows[q + 2]], X[rows[q + 3]]
        for t in range(n):
            out[t] -= a * A[t] + b * B[t] + c * C[t] + d * D[t]
        q += 4
    while q < last:
        a, A = coef[q], X[rows[q]]
        for t in range(n):
            out[t] -= a * A[t]
        q += 1


@_jit
def independent(G, order, k, floor):
    """The first `k` columns of `order` that do not depend on those before; O(k^2) a column.

    A column's residual must exceed ``floor`` and what rounding alone could leave.
    """
    S = np.empty(k, np.intp)
    L = np.zeros((k, k))
    x = np.empty(k)
    c = 0
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
        size = 0.0
        for p in range(c - 1, -1, -1):  # x becomes G_SS^-1 G_Sj
            x[p] /= L[p, p]
            for q in range(p):
                x[q] -= L[p, q] * x[p]
            size += abs(x[p]) * np.sqrt(G[S[p], S[p]])
        if pivot > max(floor[j], INDEPENDENT * size * size):
            L[c, c] = np.sqrt(pivot)
            S[c] = j
            c += 1
    return S[:c].copy()


@_jit
def _factor(G, F, S):
    """``L`` with ``LL' = G_SS``, ``B = L^-1 G_S:`` and ``P = L^-1 F_S:``."""
    k, n = S.shape[0], G.shape[0]
    rows = np.arange(k)
    L, B, P = np.zeros((k, k)), np.empty((k, n)), np.empty((k, n))
    for p in range(k):
        for q in range(p):
            L[p, q] = B[q, S[p]]
        B[p], P[p] = G[S[p]], F[S[p]]
        _take_off(B[p], B, rows, L[p], 0, p)
        _take_off(P[p], P, rows, L[p], 0, p)
        L[p, p] = np.sqrt(B[p, S[p]])
        B[p] /= L[p, p]
        P[p] /= L[p, p]
    return L, B, P


@_jit
def _inverse(L):
    """Inverse of a lower triangular matrix."""
    k = L.shape[0]
    M = np.zeros((k, k))
    for p in range(k):
        M[p, p] = 1 / L[p, p]
        for q in range(p):
            x = 0.0
            for s in range(q, p):
                x -= L[p, s] * M[s, q]
            M[p, q] = x / L[p, p]
    return M


@_jit
def build(G, F, S, floor):
    """The tables of linearly independent columns S, from scratch; O(k^2 n).

    With ``Q`` the orthonormal basis behind ``B = Q'A``: ``P = B G``, ``R = G - B'B``,
    ``B R = P - B B' B`` and ``R^2 = F - B'P - (B R)' B``.
    """
    k = S.shape[0]
    rows = np.arange(k)
    L, B, Y = _factor(G, F, S)
    r, N = np.diag(G).copy(), np.diag(F).copy()
    d = np.sqrt(r)
    K = np.empty((k, k))
    for p in range(k):
        for q in range(p + 1):
            K[p, q] = K[q, p] = (B[p] * B[q]).sum()
    for p in range(k):
        r -= B[p] * B[p]
        N -= B[p] * Y[p]
        _take_off(Y[p], B, rows, K[p], 0, k)
        N -= B[p] * Y[p]
    M = _inverse(L)
    H = np.zeros((k, k))
    for p in range(k):
        for q in range(k):
            for s in range(max(p, q), k):
                H[p, q] += M[s, p] * M[s, q]
        up = -M[:, p].copy()
        B[p] *= M[p, p]
        Y[p] *= M[p, p]
        _take_off(B[p], B, rows, up, p + 1, k)
        _take_off(Y[p], Y, rows, up, p + 1, k)
    r[S], N[S] = 0.0, 0.0
    bar = floor.copy()
    bar[S] = np.inf
    return Tables(S.copy(), H, B, Y, r, N, d, floor, bar)


@_jit
def _best(T, p):
    """Column whose insertion gains most once position p is empty, what it gains, and v.v / h."""
    v, y, h = T.V[p], T.Y[p], T.H[p, p]
    loss = (v * v).sum() / h
    n = v.shape[0]
    gain = np.empty(n)
    for j in range(n):
        r = T.r[j] + v[j] * v[j] / h
        N = T.N[j] + v[j] * (2 * y[j] + v[j] * loss) / h
        gain[j] = N / r if r > T.bar[j] else -1.0
    best = 0
    for j in range(1, n):
        if gain[j] > gain[best]:
            best = j
    return best, gain[best], loss


@_jit
def _residual(G, T, j):
    """``R_:j``, O(n k)."""
    col = G[j].copy()
    _take_off(col, G, T.S, T.V[:, j].copy(), 0, T.S.shape[0])
    col[T.S] = 0.0
    return col


@_jit
def _residual_square(F, T, j):
    """``(R^2)_:j = e - V' e_S`` with ``e = F_:j - F_:S V_:j``, O(n k)."""
    k = T.S.shape[0]
    e = F[j].copy()
    _take_off(e, F, T.S, T.V[:, j].copy(), 0, k)
    _take_off(e, T.V, np.arange(k), e[T.S], 0, k)
    return e


@_jit
def _repair(T, j, col):
    """Put column j of the tables right, given ``col = R_:j``."""
    T.r[j] = max(col[j], 0.0)
    T.N[j] = (col * col).sum()
    for q in range(T.S.shape[0]):
        T.Y[q, j] = (T.V[q] * col).sum()


@_jit
def exchange(F, T, p, j, col):
    """Put column j into position p, in place; ``col = R'_:j`` without position p. O(n k)."""
    k, n = T.V.shape
    v, y, h = T.V[p].copy(), T.Y[p].copy(), T.H[p, p]
    x, Hp = T.V[:, j].copy(), T.H[:, p].copy()
    vv, vj, yj, rj = (v * v).sum(), v[j], y[j], col[j]
    u = col / rj
    s = _residual_square(F, T, j)
    for t in range(n):
        s[t] = (s[t] + (v[t] * (yj + vj * vv / h) + y[t] * vj) / h) / rj  # R' u
    kappa = (col * u).sum()
    for t in range(n):
        T.r[t] += v[t] * v[t] / h - col[t] * u[t]
        T.N[t] += (2 * v[t] * y[t] + v[t] * v[t] * vv / h) / h
        T.N[t] -= col[t] * (2 * s[t] - u[t] * kappa)
    w = np.empty(k)
    for q in range(k):
        if q == p:
            w[q] = -1.0
            continue
        V, Y = T.V[q], T.Y[q]
        a = Hp[q] / h
        b = ((V * v).sum() - a * vv) / h
        w[q] = x[q] - a * vj
        g = Y[j] - a * yj + b * vj - w[q] * kappa
        for t in range(n):
            V[t] -= a * v[t] + w[q] * u[t]
            Y[t] -= a * y[t] - b * v[t] + w[q] * s[t] + g * u[t]
    for q in range(k):
        for t in range(k):
            T.H[q, t] += w[q] * w[t] / rj - (Hp[q] * Hp[t] / h if q != p and t != p else 0.0)
    T.H[p, :] = -w / rj
    T.H[:, p] = -w / rj
    T.V[p] = u
    T.Y[p] = s - kappa * u
    T.bar[T.S[p]] = T.floor[T.S[p]]
    T.S[p] = j
    T.bar[T.S] = np.inf
    T.r[j], T.N[j] = 0.0, 0.0


@_jit
def _rounding(T, p, j):
    """Residual of column j, position p empty, that could be rounding alone."""
    size = 0.0
    for q in range(T.S.shape[0]):
        if q != p:
            size += abs(T.V[q, j] - T.H[q, p] / T.H[p, p] * T.V[p, j]) * T.d[T.S[q]]
    return ROUNDING * size * size


@_jit
def replace(G, F, T, p, min_drop):
    """Exchange position p for the column that lowers f most, if any does by `min_drop`."""
    f = T.r.sum()
    for _ in range(REPAIRS):
        j, gain, loss = _best(T, p)
        if not (gain - loss > min_drop and f > min_drop):
            return False
        col = _residual(G, T, j)
        full = col + T.V[p, j] / T.H[p, p] * T.V[p]
        if full[j] > max(T.bar[j], _rounding(T, p, j)):
            drop = (full * full).sum() / full[j] - loss
            if min_drop < drop < f + min_drop:
                exchange(F, T, p, j, full)
                return True
        _repair(T, j, col)
    return False


@_jit
def local_search(G, F, T, min_drop, max_visits):
    """Visit the positions in turn, replacing each, until none improves; in place.

    Returns
    -------
    n_swaps, n_visits : int
    """
    k = T.S.shape[0]
    idle = n_swaps = n_visits = 0
    while idle < k and n_visits < max_visits:
        idle += 1
        if replace(G, F, T, n_visits % k, min_drop):
            idle = 0
            n_swaps += 1
            if n_swaps % REFRESH == 0:
                refresh(G, F, T)
        n_visits += 1
    return n_swaps, n_visits


@_jit
def refresh(G, F, T):
    """The tables from scratch, in place."""
    new = build(G, F, T.S, T.floor)
    T.H[:], T.V[:], T.Y[:] = new.H, new.V, new.Y
    T.r[:], T.N[:] = new.r, new.N


@_jit
def iterfs(G, F, S, floor, min_drop, max_visits):
    """Replace every column of S in turn by the best other one until no swap lowers f.

    Parameters
    ----------
    G, F : ndarray of shape (n, n)
        ``A'A`` and its square.
    S : ndarray of shape (k,)
        Where to start; columns that depend on those before are left out.
    floor : ndarray of shape (n,)
        Residual a column must exceed to be let in.
    min_drop : float
        A swap must lower f by more than this.
    max_visits : int
        Positions looked at, at most.

    Returns
    -------
    S : ndarray of shape (<= k,)
        Ties between columns go to the smaller index.
    f : float
        Its error, from scratch, >= 0; never above that of the start.
    n_evaluations : int
        Swaps whose value was computed, ``n - k`` for each position looked at.
    """
    S = independent(G, S, S.shape[0], floor)
    T = build(G, F, S, floor)
    first = T.r.sum()
    n_swaps, n_visits = local_search(G, F, T, min_drop, max_visits)
    n_evaluations = n_visits * (G.shape[0] - S.shape[0])
    if n_swaps:
        refresh(G, F, T)
        if not T.r.sum() <= first:
            return S, max(first, 0.0), n_evaluations
    return T.S, max(T.r.sum(), 0.0), n_evaluations
