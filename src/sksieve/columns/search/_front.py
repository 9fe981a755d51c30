"""One good subset of every size: grow and shrink by the best column, local search at each size."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from ..._typing import Indices
from ...kernels._pair import Tables
from .._pair import Path, prefixes, tables
from ._swaps import SwapProblem, error_of, shrunk

#: Passes up and down through the sizes; one pair only where n k^2 is above `LARGE`.
PAIRS = 2
LARGE = 1e8
#: Tables are carried from size to size, and computed from scratch at every tenth.
REFRESH = 10


def swap_front(swaps: SwapProblem, S: Indices, deadline: float = np.inf) -> Path:
    """The best subset found of each size 1..k, S being one of k columns.

    Up: add the column that lowers f most, then replace columns until no swap improves. Down: drop
    the column whose loss costs least, then the same. At every size a pass goes on from the better
    of what it brings and what is known.

    Parameters
    ----------
    swaps : SwapProblem
        What to choose from.
    S : ndarray of shape (k,)
        Linearly independent columns, k >= 1.
    deadline : float
        Of `time.perf_counter`; sizes not reached by then take columns of S in greedy order.

    Returns
    -------
    path : dict of int -> ndarray
        At size k S itself unless something better was met.

    Notes
    -----
    Two passes up and two down, fewer when one finds nothing or where n k^2 > 1e8. Cost of a pass:
    O(k^2 n) for the growing or shrinking, O(n k) for each swap found; about 10 runs of `IterFS`.
    """
    front, k = Front(swaps, deadline), len(S)
    if front.is_late:
        return greedy_path(swaps, S)
    front.settle(swaps.tables(S))
    front.settle(swaps.tables(swaps.greedy(1)))
    for _ in range(PAIRS if swaps.n_columns * k * k <= LARGE else 1):
        if not (front.up(k) and front.down(k)):
            break
    found = {size: best[1] for size, best in front.best.items()}
    if front.is_late:
        return greedy_path(swaps, S) | found
    front.straighten(k)
    return {size: front.best[size][1] for size in sorted(front.best)}


def greedy_path(swaps: SwapProblem, S: Indices) -> Path:
    """The columns S in greedy order as a subset of each size, and S itself."""
    order, _ = swaps.problem.greedy_order(S, len(S))
    return prefixes(order) if len(order) == len(S) else {**prefixes(order), len(S): S}


class Front:
    """The best error and subset known of each size."""

    def __init__(self, swaps: SwapProblem, deadline: float = np.inf) -> None:
        self.swaps, self.deadline = swaps, deadline
        self.best: dict[int, tuple[float, Indices]] = {}

    @property
    def is_late(self) -> bool:
        return perf_counter() > self.deadline

    def settle(self, T: Tables) -> tuple[Tables, bool]:
        """Search from T; the tables of the best known of its size, and whether that is new."""
        swaps, k = self.swaps, len(T.S)
        T, _ = swaps.searched(T)
        if k % REFRESH == 0:
            T = tables(swaps.problem, T.S)
        f = error_of(T)
        lowest, S = self.best.get(k, (np.inf, T.S))
        if f < lowest - swaps.min_drop:
            self.best[k] = f, T.S.copy()
            return T, True
        return (T if f <= lowest + swaps.min_drop else swaps.tables(S)), False

    def up(self, k: int) -> bool:
        T, news = self.swaps.tables(self.best[1][1]), False
        for _ in range(1, k):
            larger = self.swaps.grown(T)
            if larger is T or self.is_late:
                break
            T, new = self.settle(larger)
            news |= new
        return news

    def down(self, k: int) -> bool:
        T, news = self.swaps.tables(self.best[k][1]), False
        for _ in range(1, k):
            if self.is_late:
                break
            T, new = self.settle(shrunk(T))
            news |= new
        return news

    def straighten(self, k: int) -> None:
        """Where one column more does not lower the error, grow the smaller subset instead."""
        for size in range(1, k):
            if self.best[size + 1][0] >= self.best[size][0]:
                T = self.swaps.grown(self.swaps.tables(self.best[size][1]))
                if len(T.S) > size and error_of(T) < self.best[size + 1][0]:
                    self.best[size + 1] = error_of(T), T.S
