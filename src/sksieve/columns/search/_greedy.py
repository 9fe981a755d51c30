"""Greedy choice on a pair problem that is read one row at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rows", "greedy"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Gains closer than this part of the largest are equal: the smaller index wins.
TIE_RTOL = 1e-12


class Rows(Protocol):
    """What `greedy` reads: one row at a time, so that neither matrix need exist."""

    target_norm2: float
    floor: Array
    cost: Array | None
    budget: float

    @property
    def n_columns(self) -> int: ...

    @property
    def diag_G(self) -> Array: ...

    @property
    def diag_F(self) -> Array: ...

    def row_G(self, j: int) -> Array: ...

    def row_F(self, j: int) -> Array: ...


def greedy(
    pair: Rows, k: int, alive: NDArray[np.bool_], start: Sequence[int] | Indices = ()
) -> tuple[Indices, Array]:
    """Add up to `k` of the columns `alive` (modified), each the one that lowers f most.

    Where the columns have costs: the one that lowers f most per cost, of those that the budget
    still allows. Ties go to the smaller index. The columns `start` come first, in this order. See
    `PairProblem.greedy_order`.
    """
    c = pair.n_columns
    r, N = pair.diag_G.copy(), pair.diag_F.copy()
    forced = [int(j) for j in start]
    k = min(k, int(alive.sum()))
    B, E = np.empty((k, c)), np.empty((k, c))
    order: list[int] = []
    errors, spare = [pair.target_norm2], pair.budget
    for i in range(k):
        alive &= r > pair.floor
        if pair.cost is not None:
            alive &= pair.cost <= spare
        if not alive.any():
            break
        gain = np.divide(N, r, out=np.full(c, -np.inf), where=alive)
        if i < len(forced):
            j = forced[i]
        else:
            j = _first_best(gain if pair.cost is None else _per_cost(gain, pair.cost))
        root = np.sqrt(r[j])
        b = (pair.row_G(j) - B[:i, j] @ B[:i]) / root
        w = (pair.row_F(j) - B[:i, j] @ E[:i] - E[:i, j] @ B[:i]) / root
        gained = max(w[j] / root, 0.0)  # N_j / r_j, afresh
        e = w - b * (gained / 2)
        B[i], E[i] = b, e
        r -= b * b
        N = np.maximum(N - 2 * b * e, 0.0)
        alive[j] = False
        order.append(j)
        errors.append(max(errors[-1] - gained, 0.0))
        spare -= 0.0 if pair.cost is None else pair.cost[j]
    return np.array(order, dtype=np.intp), np.array(errors)


def _first_best(gain: Array) -> int:
    """First index whose gain is the largest, to rounding."""
    largest = gain.max()
    return int(np.argmax(gain >= largest - TIE_RTOL * abs(largest)))


def _per_cost(gain: Array, cost: Array) -> Array:
    """Gain per cost; columns that cost nothing come first, by their gain."""
    tiny = np.finfo(float).tiny
    return np.where(gain > -np.inf, gain / np.maximum(cost, np.sqrt(tiny)), -np.inf)
