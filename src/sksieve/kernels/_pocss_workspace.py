"""Where the arrays of POCSS come from: archives, copies of archives, workspace."""

from __future__ import annotations

import numpy as np

from ._pocss import Workspace
from ._pocss_slots import Archive


def _tall(n: int, cap: int) -> int:
    """Numbers in B, and in P, of all slots below `cap`."""
    return n * (cap * (cap - 1) // 2)


def _square(cap: int) -> int:
    """Numbers in K, in D and in E of all slots below `cap`."""
    return (cap - 1) * cap * (2 * cap - 1) // 6


def n_bytes(n: int, cap: int) -> int:
    """Bytes of the slots below `cap`: ``16 n k (2k - 1)`` for ``cap = 2k``, and smaller terms."""
    return 8 * (2 * _tall(n, cap) + 3 * _square(cap)) + 28 * n * cap


def empty_archive(n: int, cap: int) -> Archive:
    """An archive without any subset, and without a seed."""
    tall, square = _tall(n, cap), _square(cap)
    return Archive(
        n_iter=0,
        rng_state=np.zeros(4, np.uint64),
        seen=np.zeros(2, np.int64),
        f=np.full(cap, np.inf),
        hash=np.zeros(cap, np.uint64),
        S=np.zeros((cap, cap), np.int64),
        pos=np.full((cap, n), -1, np.int32),
        r=np.zeros((cap, n)),
        N=np.zeros((cap, n)),
        gain=np.zeros((cap, n)),
        B=np.zeros(tall),
        P=np.zeros(tall),
        K=np.zeros(square),
        D=np.zeros(square),
        E=np.zeros(square),
    )


def copy_archive(archive: Archive) -> Archive:
    """A copy; slots that were never filled are left alone, and cost no memory."""
    n, cap = archive.pos.shape[1], int(archive.seen[0]) + 1
    used = {"B": _tall(n, cap), "P": _tall(n, cap)} | dict.fromkeys("KDE", _square(cap))
    arrays = {}
    for name, array in archive._asdict().items():
        if name in used:
            arrays[name] = np.zeros_like(array)
            arrays[name][: used[name]] = array[: used[name]]
        elif name != "n_iter":
            arrays[name] = array.copy()
    return Archive(n_iter=archive.n_iter, **arrays)


def make_workspace(n: int, cap: int, n_counts: int) -> Workspace:
    """Preallocated arrays for subsets below `cap` and mutations of fewer than `n_counts` flips."""

    d = max(n_counts, 3)
    return Workspace(
        S=np.zeros((2, cap), np.int64),
        pos=np.full((2, n), -1, np.int32),
        tables=np.zeros((2, 2 * n * cap + 3 * cap * cap)),
        vectors=np.zeros((3, max(n, cap))),
        small=np.zeros((7, d, d)),
        places=np.zeros((3, d), np.int64),
        sizes=np.zeros(cap, np.int64),
        limit=np.zeros(cap),
    )
