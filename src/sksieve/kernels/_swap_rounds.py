"""Moves on the tables of `_swap`: kicks, growth, shrinkage, and rounds of kick and local search."""

from __future__ import annotations

import numpy as np

from ._pocss_random import below
from ._swap import (
    Tables,
    _best,
    _jit,
    _residual,
    _rounding,
    exchange,
    local_search,
    refresh,
)

__all__ = ["copied", "grown", "kick", "rounds", "shrunk", "shuffled"]

#: Random swaps of a kick: from, to.
KICK = (3, 8)
#: Draws for one swap of a kick before it is given up.
DRAWS = 20


@_jit
def copied(T):
    """A copy whose search leaves T as it is."""
    S, H, V, Y = T.S.copy(), T.H.copy(), T.V.copy(), T.Y.copy()
    return Tables(S, H, V, Y, T.r.copy(), T.N.copy(), T.d, T.floor, T.bar.copy())


@_jit
def shuffled(n, words):
    """A random order of n things; advances `words`."""
    order = np.arange(n)
    for i in range(n - 1):
        other = i + below(words, n - i)
        order[i], order[other] = order[other], order[i]
    return order


@_jit
def kick(G, F, T, words, count):
    """Exchange `count` random positions for random columns, in place; advances `words`."""
    k, n = T.V.shape
    positions = np.arange(k)
    for i in range(count):
        other = i + below(words, k - i)
        positions[i], positions[other] = positions[other], positions[i]
        p = positions[i]
        for _ in range(DRAWS):
            j = below(words, n)
            if T.bar[j] == np.inf:
                continue
            col = _residual(G, T, j) + T.V[p, j] / T.H[p, p] * T.V[p]
            if col[j] > max(T.bar[j], _rounding(T, p, j)):
                exchange(F, T, p, j, col)
                break


@_jit
def rounds(G, F, T, words, n_rounds, min_drop):
    """Kick T and search, until a round ends below f(T) or `n_rounds` are over.

    Parameters
    ----------
    G, F : ndarray of shape (n, n)
        ``A'A`` and its square.
    T : Tables
        Of the subset to start every round from; not modified.
    words : ndarray of shape (4,), uint64
        Random generator, advanced in place.
    n_rounds : int
        Rounds at most.
    min_drop : float
        What counts as lower.

    Returns
    -------
    S : ndarray of shape (k,)
        The better subset, or T's.
    f : float
        Its error.
    n_done, n_evaluations : int
        Rounds gone through, and swaps whose value was computed.
    """
    k, n = T.V.shape
    f, n_evaluations = T.r.sum(), 0
    for done in range(1, n_rounds + 1):
        new = copied(T)
        kick(G, F, new, words, min(k, KICK[0] + below(words, KICK[1] - KICK[0] + 1)))
        n_visits = local_search(G, F, new, min_drop, 1000 * k)[1]
        n_evaluations += n_visits * (n - k)
        if new.r.sum() < f - min_drop:
            refresh(G, F, new)
            if new.r.sum() < f - min_drop:
                return new.S, new.r.sum(), done, n_evaluations
    return T.S.copy(), f, n_rounds, n_evaluations


@_jit
def grown(G, F, T):
    """Tables of one column more, the one that lowers f most; T itself when all depend on T's."""
    k, n = T.V.shape
    S = np.empty(k + 1, np.intp)
    H, V, Y = np.zeros((k + 1, k + 1)), np.zeros((k + 1, n)), np.zeros((k + 1, n))
    S[:k], S[k] = T.S, T.S[0]  # the empty position: v = 0, h = 1
    H[:k, :k], H[k, k] = T.H, 1.0
    V[:k], Y[:k] = T.V, T.Y
    new = Tables(S, H, V, Y, T.r.copy(), T.N.copy(), T.d, T.floor, T.bar.copy())
    for _ in range(n):
        j, gain, _ = _best(new, k)
        if gain < 0:
            break
        col = _residual(G, new, j)
        if col[j] > max(new.bar[j], _rounding(new, k, j)):
            new.bar[:] = T.bar
            exchange(F, new, k, j, col)
            return new
        new.bar[j] = np.inf
    return T


@_jit
def shrunk(T):
    """Tables without the column whose removal costs least; O(n k)."""
    k, n = T.V.shape
    loss = np.array([(T.V[p] * T.V[p]).sum() / T.H[p, p] for p in range(k)])
    p = loss.argmin()
    v, y, h = T.V[p], T.Y[p], T.H[p, p]
    rest = np.array([q for q in range(k) if q != p])
    H, V, Y = T.H[rest][:, rest].copy(), T.V[rest], T.Y[rest]
    for i, q in enumerate(rest):
        a = T.H[q, p] / h
        b = (T.V[q] * v).sum() / h - a * loss[p]
        V[i] -= a * v
        Y[i] -= a * y - b * v
        for s in range(k - 1):
            H[i, s] -= a * T.H[rest[s], p]
    r = T.r + v * v / h
    N = T.N + v * (2 * y + v * loss[p]) / h
    bar = T.bar.copy()
    bar[T.S[p]] = T.floor[T.S[p]]
    return Tables(T.S[rest], H, V, Y, r, N, T.d, T.floor, bar)
