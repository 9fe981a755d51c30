"""The archive of POCSS: for each size one subset with the tables its mutations need; and flips.

For the columns S of A (``G = A'A``, ``F = (T'A)'(T'A)``) let Q be any orthonormal basis of their
span. A slot of size c keeps

====== ===========================================================================
S, pos the columns, and for every column its place in S or -1, (c,), (n,)
B      ``A'Q``: row j has the coordinates of the projection of column j, (n, c)
K      ``B'WB = Q'TT'Q``, (c, c)
P      ``A'TT'Q - B K / 2``, (n, c)
D      the dual vectors: row i has the coordinates of ``(A_S^+)_i``, (c, c)
E      ``D K``, (c, c)
r, N   diagonals of the residual pair, (n,); N with what rounding may have taken from
       it added
gain   what one flip does to f: ``-N_j / r_j`` outside S, the loss inside S, and
       infinity where column j depends on S, (n,)
====== ===========================================================================

The residual pair, ``G - B B'`` and ``F - B P' - P B'``, is never formed. A flip writes the slot of
the new subset from that of the old one in O(n c), whatever the number of rows of A.

Where A is its own target, W has the weights of its columns. Any other target is appended to A as
columns that no mutation draws and none may choose (their ``floor`` is infinite): they have weight
1, the columns that may be chosen 0.

Subsets between two flips of a mutation are slots of a `Workspace`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from ._pocss_jit import inlined, inner, jit

#: Rounding error of ``N_j`` as part of ``F_jj``: it must not make a bound reject a subset.
N_SLACK = 4 * np.finfo(np.float64).eps


class Data(NamedTuple):
    """What does not change: the pair, the law of the mutations, the least gain.

    ``cdf`` and ``key`` are those of the columns that may be chosen, which come first.
    """

    G: Array
    F: Array
    weight: Array
    floor: Array
    G_diag: Array
    F_diag: Array
    cdf: Array
    key: NDArray[np.uint64]
    swap: float
    margin: float


class Archive(NamedTuple):
    """All slots of sizes 0 .. cap - 1, and the generator; also the state of the search.

    ``f[c]`` is infinite where slot c is empty; ``hash[c]`` is the exclusive or of the keys of its
    columns; ``seen`` holds the largest size that ever entered and the number of sets that did.
    Slots of different sizes lie one behind the other in the flat arrays B, P, K, D, E.
    """

    n_iter: int
    rng_state: NDArray[np.uint64]
    seen: NDArray[np.int64]
    f: Array
    hash: NDArray[np.uint64]
    S: NDArray[np.int64]
    pos: NDArray[np.int32]
    r: Array
    N: Array
    gain: Array
    B: Array
    P: Array
    K: Array
    D: Array
    E: Array


class Slot(NamedTuple):
    """One subset: views into an archive or a workspace; the matrices flat, row after row."""

    S: NDArray[np.int64]
    pos: NDArray[np.int32]
    B: Array
    P: Array
    K: Array
    D: Array
    E: Array


@inlined
def dot(x, y):
    """``x'y``."""
    total = 0.0
    for q in range(x.shape[0]):
        total += x[q] * y[q]
    return total


@inlined
def dot_at(X, x, Y, y, c):
    """Inner product of the c numbers from X[x] and from Y[y] on; unsigned offsets vectorize."""
    total = 0.0
    for q in range(c):
        total += X[x + q] * Y[y + q]
    return total


@inlined
def tall_at(n, c, j):
    """Where row j of the slot of size c begins in the flat B and P."""
    return np.uint64(n * (c * (c - 1) // 2) + j * c)


@inlined
def square_at(c, i):
    """Where row i of the slot of size c begins in the flat K, D and E."""
    return np.uint64((c - 1) * c * (2 * c - 1) // 6 + i * c)


@inlined
def slot_of(archive, c):
    """Views of the slot of size c."""
    n = archive.r.shape[1]
    tall, square = n * (c * (c - 1) // 2), (c - 1) * c * (2 * c - 1) // 6
    return Slot(
        archive.S[c, :c],
        archive.pos[c],
        archive.B[tall : tall + n * c],
        archive.P[tall : tall + n * c],
        archive.K[square : square + c * c],
        archive.D[square : square + c * c],
        archive.E[square : square + c * c],
    )


@inlined
def spare_slot(workspace, c):
    """A slot of size c of a `Workspace`: one for even sizes, one for odd; a flip changes c."""
    odd = c % 2
    numbers, tall, square = workspace.tables[odd], workspace.pos.shape[1] * c, c * c
    return Slot(
        workspace.S[odd, :c],
        workspace.pos[odd],
        numbers[:tall],
        numbers[tall : 2 * tall],
        numbers[2 * tall : 2 * tall + square],
        numbers[2 * tall + square : 2 * tall + 2 * square],
        numbers[2 * tall + 2 * square : 2 * tall + 3 * square],
    )


@inner
def insert(old, new, data, vectors, t, need):  # Lemma 2
    """Write into `new` the slot of `old` with column t; O(n c). `vectors` is (3, max(n, cap)).

    Returns the fall of f; if that is below `need`, or if t depends on the columns of `old` (minus
    infinity), `new` is not modified.
    """
    S, pos, B, P, K, D, E = old
    new_S, new_pos, new_B, new_P, new_K, new_D, new_E = new
    n, c = pos.shape[0], S.shape[0]
    u, width = np.uint64(c), np.uint64(c + 1)
    b, k, z = vectors[0], vectors[1], vectors[2]
    G_t, F_t, B_t, zero = data.G[t], data.F[t], np.uint64(t * c), np.uint64(0)
    r_t = data.G_diag[t] - dot_at(B, B_t, B, B_t, u)
    if not r_t > data.floor[t]:
        return -np.inf
    root = np.sqrt(r_t)
    for q in range(c):
        k[q] = 0.0
    kappa = data.weight[t] * r_t
    for j in range(n):  # b = R_t / sqrt(r_t), the new column of B; k = B'Wb
        b[j] = 0.0
        if pos[j] < 0:
            B_j = np.uint64(j * c)
            b[j] = root if j == t else (G_t[j] - dot_at(B, B_j, B, B_t, u)) / root
            x = data.weight[j] * b[j]
            kappa += 0.0 if j == t else x * b[j]
            for q in range(u):
                k[q] += x * B[B_j + q]
    if not kappa >= need:
        return kappa
    for q in range(c):
        z[q] = dot_at(K, np.uint64(q * c), B, B_t, u) / (2 * root) + k[q] / 2
    for j in range(n):
        at, to, x = np.uint64(j * c), np.uint64(j * (c + 1)), b[j] / 2
        new_P[to + u] = (
            (F_t[j] - dot_at(B, B_t, P, at, u)) / root - dot_at(z, zero, B, at, u) - kappa * x
        )
        new_B[to + u] = b[j]
        for q in range(u):
            new_B[to + q] = B[at + q]
            new_P[to + q] = P[at + q] - x * k[q]
        new_pos[j] = pos[j]
    for i in range(c):  # K, D and E; O(c^2)
        at, to = np.uint64(i * c), np.uint64(i * (c + 1))
        x, y = -dot_at(D, at, B, B_t, u) / root, dot_at(D, at, k, zero, u)
        for q in range(u):
            new_K[to + q] = K[at + q]
            new_D[to + q] = D[at + q]
            new_E[to + q] = E[at + q] + x * k[q]
        new_K[to + u] = k[i]
        new_D[to + u] = x
        new_E[to + u] = y + kappa * x
        new_S[i] = S[i]
    to = u * width
    for q in range(u):
        new_K[to + q] = k[q]
        new_D[to + q] = 0.0
        new_E[to + q] = k[q] / root
    new_K[to + u] = kappa
    new_D[to + u] = 1 / root
    new_E[to + u] = kappa / root
    new_S[c] = t
    new_pos[t] = c
    return kappa


@inner
def delete(old, new, vectors, i, most):  # Lemma 1
    """Write into `new` the slot of `old` without its i-th column; O(n c). `vectors` as in `insert`.

    A Householder reflection turns the i-th dual vector onto the last axis, which is dropped.
    Returns the rise of f; if that is above `most`, `new` is not modified.
    """
    S, pos, B, P, K, D, E = old
    new_S, new_pos, new_B, new_P, new_K, new_D, new_E = new
    n, c = pos.shape[0], S.shape[0]
    last, u, end = c - 1, np.uint64(c), np.uint64(c - 1)
    Kw, k, w, zero = vectors[0], vectors[1], vectors[2], np.uint64(0)
    D_i = np.uint64(i * c)
    h = dot_at(D, D_i, D, D_i, u)
    loss = dot_at(D, D_i, E, D_i, u) / h
    if not loss <= most:
        return loss
    root = np.sqrt(h)
    for q in range(u):
        w[q] = D[D_i + q] / root
    w[last] += 1.0 if w[last] >= 0 else -1.0
    w_l = w[last]
    beta = 1 / np.abs(w_l)  # 2 / w'w
    for q in range(c):
        Kw[q] = dot_at(K, np.uint64(q * c), w, zero, u)
    half = beta * dot_at(w, zero, Kw, zero, u) / 2
    for q in range(c):  # reflected K = K - w q' - q w'
        Kw[q] = beta * (Kw[q] - half * w[q])
    for q in range(c):
        k[q] = K[q * c + last] - Kw[q] * w_l - w[q] * Kw[last]
    for p in range(last):  # K, D and E; O(c^2)
        place = p + 1 if p >= i else p
        at, of, to = np.uint64(p * c), np.uint64(place * c), np.uint64(p * last)
        x, y = Kw[p], w[p]
        for q in range(end):
            new_K[to + q] = K[at + q] - x * w[q] - y * Kw[q]
        x, y = beta * dot_at(D, of, w, zero, u), beta * dot_at(E, of, w, zero, u)
        d = D[of + end] - x * w_l
        for q in range(end):
            new_D[to + q] = D[of + q] - x * w[q]
            new_E[to + q] = E[of + q] - y * w[q] - d * k[q]
        new_S[p] = S[place]
    for j in range(n):
        at, to = np.uint64(j * c), np.uint64(j * last)
        x, y = beta * dot_at(B, at, w, zero, u), beta * dot_at(P, at, w, zero, u)
        d = (B[at + end] - x * w_l) / 2
        for q in range(end):
            new_B[to + q] = B[at + q] - x * w[q]
            new_P[to + q] = P[at + q] - y * w[q] + d * k[q]
        new_pos[j] = pos[j] - 1 if pos[j] > i else pos[j]
    new_pos[S[i]] = -1
    return loss


@jit
def finish(archive, data, c):
    """Fill r, N, gain and f of the slot of size c, whose other tables are set; O(n c)."""
    B, P, D, E, u = archive.B, archive.P, archive.D, archive.E, np.uint64(c)
    r, N, gain = archive.r[c], archive.N[c], archive.gain[c]
    n = r.shape[0]
    f = 0.0
    for j in range(n):
        i = archive.pos[c, j]
        if i >= 0:
            D_i = square_at(c, i)
            r[j] = 0.0
            N[j] = 0.0
            gain[j] = dot_at(D, D_i, E, D_i, u) / dot_at(D, D_i, D, D_i, u)
        else:
            B_j = tall_at(n, c, j)
            rest = data.G_diag[j] - dot_at(B, B_j, B, B_j, u)
            r[j] = max(rest, 0.0)
            N[j] = max(data.F_diag[j] - 2 * dot_at(B, B_j, P, B_j, u), 0.0)
            N[j] += N_SLACK * data.F_diag[j]
            gain[j] = -N[j] / r[j] if r[j] > data.floor[j] else np.inf
            f += data.weight[j] * (r[j] if j < data.key.shape[0] else rest)
    archive.f[c] = max(f, 0.0)
