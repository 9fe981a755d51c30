"""The archive of POCSS: for each size one subset with the tables its mutations need; and flips.

For the columns S of A (m x n, ``G = A'A``, ``F = G^2``) let Q be any orthonormal basis of their
span. A slot of size c keeps

====== ===========================================================================
S, pos the columns, and for every column its place in S or -1, (c,), (n,)
B      ``A'Q``: row j has the coordinates of the projection of column j, (n, c)
K      ``B'B``, (c, c)
P      ``G B - B K / 2``, (n, c)
D      the dual vectors: row i has the coordinates of ``(A_S^+)_i``, (c, c)
E      ``D K``, (c, c)
r, N   ``diag R`` and ``diag R^2`` of the residual Gram matrix R, (n,); N with what
       rounding may have taken from it added
gain   what one flip does to f: ``-N_j / r_j`` outside S, the loss inside S, and
       infinity where column j depends on S, (n,)
====== ===========================================================================

``R = G - B B'`` and ``R^2 = F - B P' - P B'`` are never formed. A flip writes the slot of the new
subset from that of the old one in O(n c), whatever the number of rows of A.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._pocss_jit import inlined, jit

__all__ = [
    "PIVOT_RTOL",
    "Archive",
    "Data",
    "Slot",
    "Vectors",
    "delete",
    "dot",
    "dot_at",
    "finish",
    "insert",
    "room_for",
    "slot_of",
    "square_at",
    "tall_at",
]

Array = NDArray[np.float64]

#: A column enters a subset only if its residual is more than this part of its squared norm.
PIVOT_RTOL = 1e-10
#: Rounding error of ``N_j`` as part of ``F_jj``: it must not make a bound reject a subset.
N_SLACK = 4 * np.finfo(np.float64).eps


class Data(NamedTuple):
    """What does not change: the Gram matrix, the law of the mutations, the least gain."""

    G: Array
    F: Array
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
    words: NDArray[np.uint64]
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
    """One subset: views into an archive; or, with flat arrays, room for one of any size."""

    S: NDArray[np.int64]
    pos: NDArray[np.int32]
    B: Array
    P: Array
    K: Array
    D: Array
    E: Array


class Vectors(NamedTuple):
    """Room for the vectors of a flip, of lengths n, cap, cap."""

    b: Array
    k: Array
    z: Array


@inlined
def dot(x, y):
    """``x'y``."""
    total = 0.0
    for q in range(x.shape[0]):
        total += x[q] * y[q]
    return total


@inlined
def dot_at(X, x, Y, y, c):
    """Inner product of the c numbers from X[x] and from Y[y] on; unsigned offsets vectorise."""
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
    tall, square = np.int64(tall_at(n, c, 0)), np.int64(square_at(c, 0))
    return Slot(
        archive.S[c, :c],
        archive.pos[c],
        archive.B[tall : tall + n * c].reshape((n, c)),
        archive.P[tall : tall + n * c].reshape((n, c)),
        archive.K[square : square + c * c].reshape((c, c)),
        archive.D[square : square + c * c].reshape((c, c)),
        archive.E[square : square + c * c].reshape((c, c)),
    )


@inlined
def room_for(room, c):
    """A slot of size c in `room`, a `Slot` of flat arrays."""
    n = room.pos.shape[0]
    return Slot(
        room.S[:c],
        room.pos,
        room.B[: n * c].reshape((n, c)),
        room.P[: n * c].reshape((n, c)),
        room.K[: c * c].reshape((c, c)),
        room.D[: c * c].reshape((c, c)),
        room.E[: c * c].reshape((c, c)),
    )


@jit
def insert(old, new, data, vectors, t, need):
    """Write into `new` the slot of `old` with column t; O(n c).

    Returns the fall of f; if that is below `need`, or if t depends on the columns of `old` (minus
    infinity), `new` is left as it was.
    """
    n, c = old.B.shape
    b, k, z = vectors.b, vectors.k[:c], vectors.z[:c]
    B_t, G_t, F_t = old.B[t], data.G[t], data.F[t]
    r_t = data.G_diag[t] - dot(B_t, B_t)
    if not r_t > PIVOT_RTOL * data.G_diag[t]:
        return -np.inf
    root = np.sqrt(r_t)
    for q in range(c):
        k[q] = 0.0
    kappa = r_t
    for j in range(n):  # b = R_t / sqrt(r_t), the new column of B; k = B'b
        b[j] = 0.0
        if old.pos[j] < 0:
            B_j = old.B[j]
            b[j] = root if j == t else (G_t[j] - dot(B_j, B_t)) / root
            kappa += 0.0 if j == t else b[j] * b[j]
            for q in range(c):
                k[q] += b[j] * B_j[q]
    if not kappa >= need:
        return kappa
    for q in range(c):
        z[q] = dot(old.K[q], B_t) / (2 * root) + k[q] / 2
    for j in range(n):
        B_j, P_j, new_B, new_P = old.B[j], old.P[j], new.B[j], new.P[j]
        new_P[c] = (F_t[j] - dot(B_t, P_j)) / root - dot(z, B_j) - kappa * b[j] / 2
        new_B[c] = b[j]
        for q in range(c):
            new_B[q] = B_j[q]
            new_P[q] = P_j[q] - b[j] * k[q] / 2
    _insert_duals(old, new, B_t, root, k, kappa)
    for q in range(c):
        new.S[q] = old.S[q]
    for j in range(n):
        new.pos[j] = old.pos[j]
    new.S[c] = t
    new.pos[t] = c
    return kappa


@jit
def _insert_duals(old, new, B_t, root, k, kappa):
    """K, D and E of `insert`; O(c^2)."""
    c = k.shape[0]
    for i in range(c):
        D_i = old.D[i]
        x, dk = -dot(D_i, B_t) / root, dot(D_i, k)
        for q in range(c):
            new.K[i, q] = old.K[i, q]
            new.D[i, q] = D_i[q]
            new.E[i, q] = old.E[i, q] + x * k[q]
        new.K[i, c] = k[i]
        new.D[i, c] = x
        new.E[i, c] = dk + kappa * x
    for q in range(c):
        new.K[c, q] = k[q]
        new.D[c, q] = 0.0
        new.E[c, q] = k[q] / root
    new.K[c, c] = kappa
    new.D[c, c] = 1 / root
    new.E[c, c] = kappa / root


@jit
def delete(old, new, vectors, i, most):
    """Write into `new` the slot of `old` without its i-th column; O(n c).

    A Householder reflection turns the i-th dual vector onto the last axis, which is dropped.
    Returns the rise of f; if that is above `most`, `new` is left as it was.
    """
    n, c = old.B.shape
    last, D_i = c - 1, old.D[i]
    h = dot(D_i, D_i)
    loss = dot(D_i, old.E[i]) / h
    if not loss <= most:
        return loss
    w, k, root = vectors.z[:c], vectors.k[:c], np.sqrt(h)
    for q in range(c):
        w[q] = D_i[q] / root
    w[last] += 1.0 if w[last] >= 0 else -1.0
    beta = 1 / np.abs(w[last])  # 2 / w'w
    _delete_duals(old, new, vectors, i, beta)
    for j in range(n):
        B_j, P_j, new_B, new_P = old.B[j], old.P[j], new.B[j], new.P[j]
        beta_B, beta_P = beta * dot(B_j, w), beta * dot(P_j, w)
        b_j = B_j[last] - beta_B * w[last]
        for q in range(last):
            new_B[q] = B_j[q] - beta_B * w[q]
            new_P[q] = P_j[q] - beta_P * w[q] + b_j * k[q] / 2
    for q in range(last):
        new.S[q] = old.S[q + (q >= i)]
    for j in range(n):
        new.pos[j] = old.pos[j] - (old.pos[j] > i)
    new.pos[old.S[i]] = -1
    return loss


@jit
def _delete_duals(old, new, vectors, i, beta):
    """K, D and E of `delete`, O(c^2); leaves the last column of the reflected K in ``k``."""
    c = old.S.shape[0]
    last = c - 1
    w, k, Kw = vectors.z[:c], vectors.k[:c], vectors.b[:c]
    for q in range(c):
        Kw[q] = dot(old.K[q], w)
    half = beta * dot(w, Kw) / 2
    for q in range(c):  # reflected K = K - w q' - q w'
        Kw[q] = beta * (Kw[q] - half * w[q])
    for q in range(c):
        k[q] = old.K[q, last] - Kw[q] * w[last] - w[q] * Kw[last]
    for p in range(last):
        for q in range(last):
            new.K[p, q] = old.K[p, q] - Kw[p] * w[q] - w[p] * Kw[q]
    for p in range(last):
        D_p, E_p = old.D[p + (p >= i)], old.E[p + (p >= i)]
        beta_D, beta_E = beta * dot(D_p, w), beta * dot(E_p, w)
        d = D_p[last] - beta_D * w[last]
        for q in range(last):
            new.D[p, q] = D_p[q] - beta_D * w[q]
            new.E[p, q] = E_p[q] - beta_E * w[q] - d * k[q]


@jit
def finish(archive, data, c):
    """Fill r, N, gain and f of the slot of size c, whose other tables are set; O(n c)."""
    slot = slot_of(archive, c)
    r, N, gain = archive.r[c], archive.N[c], archive.gain[c]
    f = 0.0
    for j in range(r.shape[0]):
        i = slot.pos[j]
        if i >= 0:
            r[j] = 0.0
            N[j] = 0.0
            gain[j] = dot(slot.D[i], slot.E[i]) / dot(slot.D[i], slot.D[i])
        else:
            r[j] = max(data.G_diag[j] - dot(slot.B[j], slot.B[j]), 0.0)
            N[j] = max(data.F_diag[j] - 2 * dot(slot.B[j], slot.P[j]), 0.0)
            N[j] += N_SLACK * data.F_diag[j]
            gain[j] = -N[j] / r[j] if r[j] > PIVOT_RTOL * data.G_diag[j] else np.inf
            f += r[j]
    archive.f[c] = f
