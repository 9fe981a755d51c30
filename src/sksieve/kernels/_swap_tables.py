"""The tables of the swap search: what is kept for a subset, and how it is computed from scratch.

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

Loops are written out: they compile in half the time of array expressions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Tables", "build", "independent", "inlined", "jit", "take_off"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: A residual below this part of the numbers it is the difference of is taken for zero.
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


FLAGS: dict[str, Any] = {"nogil": True, "fastmath": {"contract", "reassoc"}, "error_model": "numpy"}

jit = njit(cache=True, **FLAGS)
#: For functions called from one place: they are not compiled by themselves as well.
inlined = njit(inline="always", **FLAGS)


@jit
def take_off(out, X, rows, coef, first, last):
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


@jit
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


@inlined
def _factor(G, F, S, L, W):
    """``L L' = G_SS`` and ``W = L^-1 [G_S:, F_S:]``."""
    k, n = S.shape[0], G.shape[0]
    rows = np.arange(k)
    for p in range(k):
        out, i = W[p], S[p]
        for t in range(n):
            out[t], out[n + t] = G[i, t], F[i, t]
        for q in range(p):
            L[p, q] = W[q, i]
        take_off(out, W, rows, L[p], 0, p)
        L[p, p] = np.sqrt(out[i])
        for t in range(2 * n):
            out[t] /= L[p, p]


@inlined
def _invert(L, M):
    """M, all zeros, becomes the inverse of the lower triangular L."""
    for p in range(L.shape[0]):
        M[p, p] = 1 / L[p, p]
        for q in range(p):
            for s in range(q, p):
                M[p, q] -= L[p, s] * M[s, q]
            M[p, q] /= L[p, p]


@jit
def build(G, F, S, floor):
    """The tables of linearly independent columns S, from scratch; O(k^2 n).

    With ``Q`` the orthonormal basis behind ``B = Q'A``: ``P = B G``, ``R = G - B'B``,
    ``B R = P - B B' B`` and ``R^2 = F - B'P - (B R)' B``.
    """
    k, n = S.shape[0], G.shape[0]
    L, M, K, H, W = _zeros(k), _zeros(k), _zeros(k), _zeros(k), np.empty((k, 2 * n))
    V, Y, rows = np.empty((k, n)), np.empty((k, n)), np.arange(k)
    _factor(G, F, S, L, W)  # [B, P]
    r, N, d, bar = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for t in range(n):
        r[t], N[t], d[t], bar[t] = G[t, t], F[t, t], np.sqrt(G[t, t]), floor[t]
    for p in range(k):
        for q in range(p + 1):
            for t in range(n):
                K[p, q] += W[p, t] * W[q, t]
            K[q, p] = K[p, q]
    for p in range(k):
        for t in range(n):
            V[p, t], Y[p, t] = W[p, t], W[p, n + t]
    for p in range(k):
        y = Y[p]
        take_off(y, V, rows, K[p], 0, k)
        for t in range(n):
            r[t] -= W[p, t] * W[p, t]
            N[t] -= W[p, t] * (W[p, n + t] + y[t])
            W[p, n + t] = y[t]  # W = [B, B R]
    _invert(L, M)
    for p in range(k):
        up = np.empty(k)
        for q in range(k):
            up[q] = -M[q, p]
            for s in range(max(p, q), k):
                H[p, q] += M[s, p] * M[s, q]
        out = W[p]
        for t in range(2 * n):
            out[t] *= M[p, p]
        take_off(out, W, rows, up, p + 1, k)  # L^-T [B, B R]
        for t in range(n):
            V[p, t], Y[p, t] = out[t], out[n + t]
    for i in S:
        r[i], N[i], bar[i] = 0.0, 0.0, np.inf
    return Tables(S.copy(), H, V, Y, r, N, d, floor, bar)


@jit
def _zeros(k):
    return np.zeros((k, k))
