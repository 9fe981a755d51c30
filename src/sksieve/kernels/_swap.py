"""Exchanging columns of a subset: every swap value in O(1), one exchange in O(n k).

The letters are those of `_swap_tables`. Removing position p turns R into ``R + v v'/h`` and costs
``v.v / h`` (``v = V_p``, ``h = H_pp``); inserting j into R gains ``(R^2)_jj / R_jj`` and turns it
into ``R - R_:j R_j: / R_jj``. So the error after the swap of p for j is
``f + v.v/h - N'_j / r'_j`` with ``r'_j = r_j + v_j^2/h`` and
``N'_j = N_j + 2 v_j Y_pj / h + v_j^2 (v.v) / h^2``.

``N'_j`` is a difference of numbers of the size of ``F_jj``, so for nearly dependent columns it is
noise. No exchange is made on it: the column ``R'_:j`` is formed first, ``O(n k)``, and its length
decides; where the tables disagree they are repaired.

An empty position (while a subset grows) has v = 0, Y_p = 0, h = 1, and any column of S as its own.

There is one entry for all moves, and one call of `_exchange` in it, for what compiling takes.
"""

from __future__ import annotations

import numpy as np

from ._pocss_random import below
from ._swap_tables import inlined, jit, take_off

__all__ = ["search", "shuffled"]

#: Columns looked at for one position before it is left alone.
TRIES = 8
#: Draws for one random exchange before it is given up.
DRAWS = 20
#: A residual below this part of the numbers it is the difference of is not trusted.
ROUNDING = 1e4 * np.finfo(np.float64).eps


@jit
def shuffled(n, words):
    """A random order of n things; advances `words`."""
    order = np.arange(n)
    for i in range(n - 1):
        other = i + below(words, n - i)
        order[i], order[other] = order[other], order[i]
    return order


@inlined
def _best(T, p, gain):
    """Column that gains most once position p is empty, what it gains, and ``v.v / h``."""
    v, y, h = T.V[p], T.Y[p], T.H[p, p]
    n, loss, best = v.shape[0], 0.0, 0
    for t in range(n):
        loss += v[t] * v[t]
    loss /= h
    for j in range(n):
        r = T.r[j] + v[j] * v[j] / h
        N = T.N[j] + v[j] * (2 * y[j] + v[j] * loss) / h
        gain[j] = N / r if r > T.bar[j] else -1.0
    for j in range(1, n):
        if gain[j] > gain[best]:
            best = j
    return best, gain[best], loss


@jit
def _column(G, T, p, j, col):
    """``col`` becomes ``R'_:j``, position p empty; is what is left of j more than rounding?"""
    k, n = T.V.shape
    x, size = np.empty(k), 0.0
    for q in range(k):
        x[q] = T.V[q, j]
        size += 0.0 if q == p else abs(x[q] - T.H[q, p] / T.H[p, p] * T.V[p, j]) * T.d[T.S[q]]
    for t in range(n):
        col[t] = G[j, t]
    take_off(col, G, T.S, x, 0, k)
    for i in T.S:
        col[i] = 0.0
    a = x[p] / T.H[p, p]
    for t in range(n):
        col[t] += a * T.V[p, t]
    return col[j] > max(T.bar[j], ROUNDING * size * size)


@inlined
def _repair(T, p, j, col):
    """Put column j of the tables right, given ``col = R'_:j``."""
    k, n = T.V.shape
    a, N = T.V[p, j] / T.H[p, p], 0.0
    for t in range(n):
        N += (col[t] - a * T.V[p, t]) ** 2
    T.r[j], T.N[j] = max(col[j] - a * T.V[p, j], 0.0), N
    for q in range(k):
        T.Y[q, j] = 0.0
        for t in range(n):
            T.Y[q, j] += T.V[q, t] * (col[t] - a * T.V[p, t])


@inlined
def _replacement(G, T, p, filling, min_drop, col):
    """The column to put into position p, with `col` its residual; -1 if none is any good.

    To fill an empty position any independent column will do; else f must fall by `min_drop`.
    """
    n = T.V.shape[1]
    f, gain, found = 0.0, np.empty(n), -1
    for t in range(n):
        f += T.r[t]
    bar = T.bar.copy()
    for _ in range(n if filling else TRIES):
        j, most, loss = _best(T, p, gain)
        if most < 0 or not (filling or (most - loss > min_drop and f > min_drop)):
            break
        if _column(G, T, p, j, col):
            length2 = 0.0
            for t in range(n):
                length2 += col[t] * col[t]
            if filling or min_drop < length2 / col[j] - loss < f + min_drop:
                found = j
                break
        else:
            T.bar[j] = np.inf
        _repair(T, p, j, col)
    T.bar[:] = bar
    return found


@inlined
def _random_column(G, T, p, words, col):
    """A random column that may stand in position p, with `col` its residual; -1 if none is met."""
    for _ in range(DRAWS):
        j = below(words, T.V.shape[1])
        if T.bar[j] < np.inf and _column(G, T, p, j, col):
            return j
    return -1


@inlined
def _exchange(F, T, p, j, col):
    """Put column j into position p, in place; ``col = R'_:j`` without position p. O(n k)."""
    k, n = T.V.shape
    v, y, u, s = T.V[p].copy(), T.Y[p].copy(), np.empty(n), np.empty(n)
    x, w, Hp, rows = np.empty(k), np.empty(k), np.empty(k), np.arange(k)
    h, vj, yj, rj, vv, kappa = T.H[p, p], v[j], y[j], col[j], 0.0, 0.0
    for q in range(k):
        x[q], Hp[q] = T.V[q, j], T.H[q, p]
    for t in range(n):
        u[t], s[t] = col[t] / rj, F[j, t]
        vv += v[t] * v[t]
        kappa += col[t] * u[t]
    take_off(s, F, T.S, x, 0, k)  # (R^2)_:j = e - V' e_S, e = F_:j - F_:S V_:j
    for q in range(k):
        w[q] = s[T.S[q]]
    take_off(s, T.V, rows, w, 0, k)
    for t in range(n):
        s[t] = (s[t] + (v[t] * (yj + vj * vv / h) + y[t] * vj) / h) / rj  # R' u
        T.r[t] += v[t] * v[t] / h - col[t] * u[t]
        T.N[t] += (2 * v[t] * y[t] + v[t] * v[t] * vv / h) / h
        T.N[t] -= col[t] * (2 * s[t] - u[t] * kappa)
    for q in range(k):
        if q == p:
            w[q] = -1.0
            continue
        V, Y, a, b = T.V[q], T.Y[q], Hp[q] / h, 0.0
        for t in range(n):
            b += V[t] * v[t]
        b = (b - a * vv) / h
        w[q] = c = x[q] - a * vj
        g = Y[j] - a * yj + b * vj - c * kappa
        for t in range(n):
            V[t] -= a * v[t] + c * u[t]
            Y[t] -= a * y[t] - b * v[t] + c * s[t] + g * u[t]
    for t in range(n):
        T.V[p, t], T.Y[p, t] = u[t], s[t] - kappa * u[t]
    _rename(T, p, j, w, Hp, rj)


@inlined
def _rename(T, p, j, w, Hp, rj):
    """What an exchange does to H, and to the names."""
    k, h = w.shape[0], Hp[p]
    for q in range(k):
        for s in range(k):
            if q == p or s == p:
                T.H[q, s] = w[q] * w[s] / rj
            else:
                T.H[q, s] += w[q] * w[s] / rj - Hp[q] * Hp[s] / h
    T.bar[T.S[p]] = T.floor[T.S[p]]
    T.S[p] = j
    for i in T.S:
        T.bar[i] = np.inf
    T.r[j], T.N[j] = 0.0, 0.0


@jit
def search(G, F, T, fill, words, n_kicks, min_drop, first, max_visits, max_swaps):
    """Fill a position, exchange random columns, replace columns until no swap helps; in place.

    Parameters
    ----------
    G, F : ndarray of shape (n, n)
        ``A'A`` and its square.
    T : Tables
        Modified.
    fill : int
        Empty position to put the best column into, or -1. If there is none nothing else is done.
    words : ndarray of shape (4,), uint64
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
    k, n = T.V.shape
    col, positions = np.empty(n), np.arange(k)
    idle = n_swaps = n_visits = kicks = 0
    while True:
        if fill < 0 and kicks < n_kicks:
            other = kicks + below(words, k - kicks)
            p, positions[other] = positions[other], positions[kicks]
            kicks += 1
            j = _random_column(G, T, p, words, col)
        elif fill >= 0 or (idle < k and n_visits < max_visits and n_swaps < max_swaps):
            filling = fill >= 0
            p = fill if filling else (first + n_visits) % k
            j = _replacement(G, T, p, filling, min_drop, col)
            if filling:
                fill = -1
                if j < 0:
                    return -1, 0, False
            else:
                idle = idle + 1 if j < 0 else 0
                n_visits += 1
                n_swaps += 0 if j < 0 else 1
        else:
            return n_swaps, n_visits, idle == k
        if j >= 0:
            _exchange(F, T, p, j, col)
