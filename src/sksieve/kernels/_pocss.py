"""The loop of POCSS: draw a mutation, evaluate it from tables, apply it if it is accepted.

Feng, Qian & Tang, "Unsupervised feature selection by Pareto optimization", AAAI 2019, Algorithm 1.
The archive holds at most one subset of each size; about 37 % of the mutations flip nothing, as
many flip one column and cost one look at a table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._pocss_jit import jit, merged
from ._pocss_random import random_integer, uniform
from ._pocss_slots import delete, finish, insert, slot_of, spare_slot
from ._pocss_trial import drop_pair, exchange, insert_pair, trial


class Workspace(NamedTuple):
    """Preallocated arrays, shared by all mutations.

    Two slots for subsets between flips, vectors of a flip, and small matrices of a trial.
    """

    S: NDArray[np.int64]
    pos: NDArray[np.int32]
    tables: NDArray[np.float64]
    vectors: NDArray[np.float64]
    small: NDArray[np.float64]
    places: NDArray[np.int64]
    sizes: NDArray[np.int64]
    limit: NDArray[np.float64]


def mutate(archive, data, workspace, n_mutations):  # Algorithm 1
    """Make `n_mutations` mutations; the archive is changed in place, all but its ``n_iter``.

    The kernels that propose and accept are called one after the other: one that called the other
    would contain its code, compiled once more.
    """
    while n_mutations:
        n_mutations, c, d, size = propose(archive, data, workspace, n_mutations)
        if d:
            flips = workspace.places[0, :d]
            accept(archive, data, workspace, c, flips, workspace.limit[size])


@jit
def propose(archive, data, workspace, n_mutations):
    """Make up to `n_mutations` mutations, until one may be accepted; `workspace` has its flips.

    Returns how many are left to make, the size of the subset that changes, the number of flips (0:
    there was no such mutation) and the size that the subset gets.
    """
    cap, n = archive.pos.shape[0], data.key.shape[0]
    rng_state, pos, f, flips = archive.rng_state, archive.pos, archive.f, workspace.places[0]
    sizes, limit = workspace.sizes, workspace.limit
    occupied = survey(f, data.margin, sizes, limit)
    for left in range(n_mutations - 1, -1, -1):
        if data.swap > 0 and uniform(rng_state) < data.swap:
            c = sizes[random_integer(rng_state, occupied)]
            d = draw_swap(rng_state, n, archive.S[c], pos[c], c, flips)
            if d == 0:
                continue
        else:
            d = draw_count(rng_state, data.cdf)
            if d == 0:
                continue
            c = sizes[random_integer(rng_state, occupied)]
            draw_columns(rng_state, n, d, flips)
        size = c
        for p in range(d):
            size += 1 if pos[c, flips[p]] < 0 else -1
        if size >= cap or limit[size] < 0:
            continue
        if d == 1:
            change = archive.gain[c, flips[0]]
        else:
            change = judge(archive, data, workspace, c, flips[:d], f[c] - limit[size])
        if f[c] + change > limit[size]:
            continue
        h = archive.hash[c]
        for p in range(d):
            h ^= data.key[flips[p]]
        if h == archive.hash[size] and f[size] < np.inf:
            continue
        return left, c, d, size
    return 0, 0, 0, 0


@jit
def survey(f, margin, sizes, limit):
    """Empty the dominated slots; list the sizes held, and what a subset of each size may cost.

    A subset may cost what the one of its size costs; where there is none it must be better than
    the next smaller one, by `margin`. Beside one that costs nothing (`margin` or less) there is no
    space: the limit is negative. Returns how many sizes there are.
    """
    occupied = np.int64(0)
    best = np.inf
    for c in range(f.shape[0]):
        if f[c] < np.inf and not f[c] < best:
            f[c] = np.inf
        if f[c] < np.inf:
            sizes[occupied] = c
            occupied += 1
            limit[c] = f[c] if f[c] > margin else -1.0
            best = f[c] - margin
        else:
            limit[c] = best
    return occupied


@merged
def draw_count(rng_state, cdf):
    """How many of n bits flip, each with probability 1/n: Binomial(n, 1/n)."""
    u = uniform(rng_state)
    d = 0
    while u >= cdf[d]:
        d += 1
    return d


@merged
def draw_columns(rng_state, n, d, flips):
    """`d` distinct columns of n, in the order drawn."""
    for p in range(d):
        again = True
        while again:
            flips[p] = random_integer(rng_state, n)
            again = False
            for q in range(p):
                again |= flips[q] == flips[p]


@merged
def draw_swap(rng_state, n, S, pos, c, flips):
    """One column of S and one outside, or nothing (0) when there is no such pair."""
    if c == 0 or c == n:
        return 0
    flips[0] = S[random_integer(rng_state, c)]
    j = random_integer(rng_state, n)
    while pos[j] >= 0:
        j = random_integer(rng_state, n)
    flips[1] = j
    return 2


@merged
def judge(archive, data, workspace, c, flips, need):  # Algorithm 2
    """Change of f by a mutation of two or more flips; infinity where a bound rejects it."""
    for p in range(1, flips.shape[0]):  # rising order
        for q in range(p, 0, -1):
            if flips[q - 1] > flips[q]:
                flips[q - 1], flips[q] = flips[q], flips[q - 1]
    if flips.shape[0] > 2:
        return trial(archive, data, workspace.small, workspace.places, c, flips, need)
    a, b = flips[0], flips[1]
    i, p = archive.pos[c, a], archive.pos[c, b]
    if i < 0 and p < 0:
        return insert_pair(archive, data, c, a, b, need)
    if i < 0 or p < 0:
        return exchange(archive, data, c, max(i, p), a if i < 0 else b, need)
    if max(archive.gain[c, a], archive.gain[c, b]) > -need:
        return np.inf
    return drop_pair(archive, c, i, p)


@jit
def accept(archive, data, workspace, c, flips, limit):
    """Make the mutation, deletions first; false if f, now computed without tables, is too high.

    The last flip writes the new slot, those before it go through `workspace`.
    """
    slot, f, size, left = slot_of(archive, c), archive.f[c], c, flips.shape[0]
    for entering in range(2):
        for p in range(flips.shape[0]):
            j = flips[p]
            if left == 0 or (archive.pos[c, j] < 0) != (entering == 1):
                continue
            left -= 1
            size += 1 if entering == 1 else -1
            new = slot_of(archive, size) if left == 0 else spare_slot(workspace, size)
            most = limit if left == 0 else np.inf
            if entering == 1:
                f -= insert(slot, new, data, workspace.vectors, j, f - most)
            else:
                f += delete(slot, new, workspace.vectors, np.int64(slot.pos[j]), most - f)
            if not f <= most or f == np.inf:
                return False
            slot = new
    finish(archive, data, size)
    h = np.uint64(0)
    for p in range(size):
        h ^= data.key[archive.S[size, p]]
    archive.hash[size] = h
    archive.seen[0] = max(archive.seen[0], size)
    archive.seen[1] += 1
    return True


def best_exchange(archive, data, c, i):
    """The column that best replaces the one at place i of slot c, or -1 if f falls by none."""
    slot, n = slot_of.py_func(archive, c), len(data.key)
    d, e = slot.D[i * c : (i + 1) * c], slot.E[i * c : (i + 1) * c]
    B, P = (M[: n * c].reshape(n, c) for M in (slot.B, slot.P))
    loss, h, v = archive.gain[c, slot.S[i]], d @ d, B @ d
    y = P @ d - B @ e / 2
    r = archive.r[c, :n] + v * v / h
    may_enter = (slot.pos[:n] < 0) & (r > data.floor[:n])
    gained = archive.N[c, :n] + 2 * y * v / h + v * v * loss / h
    gained = np.divide(gained, r, out=np.zeros(n), where=may_enter)
    j = int(gained.argmax())
    return j if gained[j] - loss > data.margin else -1


def polish(archive, data, workspace, c):
    """Best replacements in slot c, place by place, until no exchange lowers f."""
    i, idle = 0, 0
    while idle < c:
        idle += 1
        j = best_exchange(archive, data, c, i)
        if j >= 0:
            flips = np.array([archive.S[c, i], j], dtype=np.int64)
            if accept(archive, data, workspace, c, flips, archive.f[c] - data.margin):
                idle = 0
        i = (i + 1) % c


def place(archive, data, workspace, S):
    """Build the slot of the independent columns S, unless that of their size is as good."""
    size = len(S)
    if size:
        most = archive.f[size]
        most = np.nextafter(most, -np.inf) if most < np.inf else most
        accept(archive, data, workspace, 0, S.astype(np.int64), most)


def extend(archive, data, workspace, k):
    """Add the column that gains most to the largest subset of k or fewer, until it has k.

    Ends before if none lowers f.
    """
    survey(archive.f, data.margin, workspace.sizes, workspace.limit)
    c = k
    while archive.f[c] == np.inf:
        c -= 1
    while c < k:
        j = np.argmin(archive.gain[c])
        if not archive.f[c] + archive.gain[c, j] < archive.f[c] - data.margin:
            return
        accept(archive, data, workspace, c, np.array([j], dtype=np.int64), np.inf)
        c += 1
    survey(archive.f, data.margin, workspace.sizes, workspace.limit)
