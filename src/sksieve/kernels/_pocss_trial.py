"""What a mutation would do to f, without making it; bounds first.

Dropping the columns X from S and adding the columns W changes f by ``loss - gain``. With the rows
``D_X``, ``E_X`` of the duals, ``H = D_X D_X'`` and ``M = D_X E_X'``::

    loss    = tr(H^-1 M)
    R'      = R + V' H^-1 V                                       V = D_X B_W'
    (R'^2)  = R^2 + Y' H^-1 V + V' H^-1 Y + V' H^-1 M H^-1 V      Y = D_X P_W' - E_X B_W' / 2
    gain    = tr(R'_WW^-1 (R'^2)_WW)

O((|X| + |W|)^2 c) in all. ``|(R'^2)_ab| <= ||R'_a|| ||R'_b||`` bounds the gain by half of the inner
products; most mutations are rejected there. A subset is also infeasible (infinity) if one of W, in
rising order, depends on the columns before it.
"""

from __future__ import annotations

import numpy as np

from ._pocss_jit import inlined, inner, merged
from ._pocss_slots import dot, dot_at, square_at, tall_at


@merged
def insert_pair(archive, data, c, a, b, need):
    """Change of f when a < b enter; infinity unless f falls by `need` or more."""
    B, n, u = archive.B, data.G.shape[0], np.uint64(c)
    B_a, B_b = tall_at(n, c, a), tall_at(n, c, b)
    r_a, r_b, N_a, N_b = archive.r[c, a], archive.r[c, b], archive.N[c, a], archive.N[c, b]
    m = data.G[a, b] - dot_at(B, B_a, B, B_b, u)
    det = r_a * r_b - m * m
    if not (
        N_a * r_b + N_b * r_a + 2 * np.abs(m) * np.sqrt(N_a * N_b) >= need * det
        and r_a > data.floor[a]
        and det > data.floor[b] * r_a
    ):
        return np.inf
    w = data.F[a, b] - dot_at(B, B_a, archive.P, B_b, u) - dot_at(archive.P, B_a, B, B_b, u)
    return -(N_a * r_b + N_b * r_a - 2 * m * w) / det


@merged
def drop_pair(archive, c, i, p):
    """Change of f when the columns at places i and p leave."""
    D, E, u = archive.D, archive.E, np.uint64(c)
    i, p = square_at(c, i), square_at(c, p)
    h_i, h_p, h = dot_at(D, i, D, i, u), dot_at(D, p, D, p, u), dot_at(D, i, D, p, u)
    m_i, m_p, m = dot_at(D, i, E, i, u), dot_at(D, p, E, p, u), dot_at(D, i, E, p, u)
    return (m_i * h_p + m_p * h_i - 2 * m * h) / (h_i * h_p - h * h)


@merged
def exchange(archive, data, c, i, j, need):
    """Change of f when the column at place i leaves and j enters; infinity unless f falls so far.

    ``need`` may be negative: then a rise by no more than ``-need`` is let through.
    """
    B, D, n, u = archive.B, archive.D, data.G.shape[0], np.uint64(c)
    D_i, B_j = square_at(c, i), tall_at(n, c, j)
    h = dot_at(D, D_i, D, D_i, u)
    v = dot_at(D, D_i, B, B_j, u)
    loss, N = archive.gain[c, archive.S[c, i]], archive.N[c, j]
    r = archive.r[c, j] + v * v / h
    most = np.sqrt(N) + np.abs(v) * np.sqrt(loss / h)
    if loss - most * most / r > -need or not r > data.floor[j]:
        return np.inf
    y = dot_at(D, D_i, archive.P, B_j, u) - dot_at(archive.E, D_i, B, B_j, u) / 2
    return loss - (N + 2 * y * v / h + v * v * loss / h) / r


@inner
def trial(archive, data, small, places, c, flips, need):
    """Change of f by the flips, in rising order; infinity unless f falls by `need` or more.

    `small` is (7, d, d) and `places` (3, d), d the largest number of flips a mutation may have.
    """
    L, M, R, V, Y, MV, z = (
        small[0], small[1], small[2], small[3], small[4], small[5], small[6, 0],
    )  # fmt: skip
    X, W = places[1], places[2]
    x, w = _split(archive.pos[c], flips, X, W)
    loss = _drop(archive, c, X[:x], L, M)
    if w == 0 or not loss < np.inf:
        return loss
    if not _residual(archive, data, X, W, L, R, V, c, x, w):
        return np.inf
    for a in range(w):
        for p in range(x):
            MV[a, p] = dot(M[p, :x], V[a, :x])
        z[a] = np.sqrt(archive.N[c, W[a]]) + np.sqrt(max(dot(V[a, :x], MV[a, :x]), 0.0))
    _invert_lower(R, w)
    most = 0.0
    for a in range(w):
        s = 0.0
        for b in range(a + 1):
            s += np.abs(R[a, b]) * z[b]
        most += s * s
    if loss - most > -need:
        return np.inf
    return loss - _gain(archive, data, X, W, L, R, V, Y, MV, c, x, w)


@merged
def _split(pos, flips, X, W):
    """The places of the columns that leave, and the columns that enter."""
    x = w = np.int64(0)
    for j in flips:
        if pos[j] >= 0:
            X[x] = pos[j]
            x += 1
        else:
            W[w] = j
            w += 1
    return x, w


@merged
def _drop(archive, c, X, L, M):
    """``L L' = H``; M becomes ``L^-1 M L^-T``; returns its trace, the loss."""
    D, E, u, x = archive.D, archive.E, np.uint64(c), X.shape[0]
    for p in range(x):
        for q in range(p + 1):
            D_p, D_q = square_at(c, X[p]), square_at(c, X[q])
            L[p, q] = dot_at(D, D_p, D, D_q, u)
            M[p, q] = M[q, p] = dot_at(D, D_p, E, D_q, u)
    for p in range(x):
        for q in range(p):
            L[p, q] = (L[p, q] - dot(L[p, :q], L[q, :q])) / L[q, q]
        pivot = L[p, p] - dot(L[p, :p], L[p, :p])
        if not pivot > 0:
            return np.inf
        L[p, p] = np.sqrt(pivot)
    for p in range(x):
        _forward(L, M[p, :x])
    for p in range(x):
        for q in range(p):
            M[p, q], M[q, p] = M[q, p], M[p, q]
    loss = 0.0
    for p in range(x):
        _forward(L, M[p, :x])
        loss += M[p, p]
    return loss


@merged
def _residual(archive, data, X, W, L, R, V, c, x, w):
    """V becomes ``(L^-1 V)'``, R the Cholesky factor of R'_WW; false if a pivot is too small."""
    B, n, u = archive.B, data.G.shape[0], np.uint64(c)
    for a in range(w):
        B_a = tall_at(n, c, W[a])
        for p in range(x):
            V[a, p] = dot_at(archive.D, square_at(c, X[p]), B, B_a, u)
        _forward(L, V[a, :x])
        for b in range(a):
            R[a, b] = data.G[W[a], W[b]] - dot_at(B, B_a, B, tall_at(n, c, W[b]), u)
            R[a, b] += dot(V[a, :x], V[b, :x])
            R[a, b] = (R[a, b] - dot(R[a, :b], R[b, :b])) / R[b, b]
        pivot = archive.r[c, W[a]] + dot(V[a, :x], V[a, :x]) - dot(R[a, :a], R[a, :a])
        if not pivot > data.floor[W[a]]:
            return False
        R[a, a] = np.sqrt(pivot)
    return True


@merged
def _gain(archive, data, X, W, L, R, V, Y, MV, c, x, w):
    """``tr(R'^-1 R'^2)`` with the inverse Cholesky factor of R'."""
    B, P, n, u = archive.B, archive.P, data.G.shape[0], np.uint64(c)
    gain = 0.0
    for a in range(w):
        j = tall_at(n, c, W[a])
        for p in range(x):
            i = square_at(c, X[p])
            Y[a, p] = dot_at(archive.D, i, P, j, u) - dot_at(archive.E, i, B, j, u) / 2
        _forward(L, Y[a, :x])
        for b in range(a + 1):
            if a == b:
                N = archive.N[c, W[a]]
            else:
                i = tall_at(n, c, W[b])
                N = data.F[W[a], W[b]] - dot_at(B, j, P, i, u) - dot_at(P, j, B, i, u)
            N += dot(Y[a, :x], V[b, :x]) + dot(Y[b, :x], V[a, :x]) + dot(V[a, :x], MV[b, :x])
            inverse = 0.0
            for p in range(a, w):
                inverse += R[p, a] * R[p, b]
            gain += N * inverse if a == b else 2 * N * inverse
    return gain


@inlined
def _forward(L, v):
    """v becomes ``L^-1 v``."""
    for p in range(v.shape[0]):
        v[p] = (v[p] - dot(L[p, :p], v[:p])) / L[p, p]


@merged
def _invert_lower(L, w):
    """The leading w x w block of L becomes its inverse (lower triangle)."""
    for q in range(w):
        L[q, q] = 1 / L[q, q]
        for p in range(q + 1, w):
            s = 0.0
            for t in range(q, p):
                s -= L[p, t] * L[t, q]
            L[p, q] = s / L[p, p]
