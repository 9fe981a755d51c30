"""A column subset problem made ready for the swap kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...kernels._swap import Tables, build, independent, iterfs
from ...kernels._swap_rounds import grown
from ._problem import PIVOT_RTOL, GramProblem

__all__ = ["DROP_RTOL", "SwapProblem"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: A move counts only if it lowers f by more than this part of ``||A||^2``.
DROP_RTOL = 1e-12


class SwapProblem:
    """``G``, ``F`` and the thresholds that keep rounding from passing for progress.

    Parameters
    ----------
    problem : GramProblem
        What to choose from.

    Attributes
    ----------
    floor : ndarray of shape (n,)
        A column may join a subset only if more than this is left of its squared norm.
    min_drop : float
        A swap must lower f by more than this.
    """

    def __init__(self, problem: GramProblem) -> None:
        self.G, self.F = problem.G, problem.F
        self.n_columns = problem.n_columns
        self.trace = problem.trace
        self.floor = PIVOT_RTOL * np.diagonal(problem.G)
        self.min_drop = DROP_RTOL * problem.trace
        self._last: tuple[bytes, Tables] | None = None

    def independent(self, order: Indices, k: int) -> Indices:
        """The first `k` columns of `order` that do not depend on those before."""
        return independent(self.G, order, k, self.floor)

    def tables(self, S: Indices) -> Tables:
        """The tables of independent columns S, from scratch; those last asked for are kept.

        The kernels that improve a subset need a copy: these stay as they are.
        """
        key = S.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, build(self.G, self.F, S, self.floor)
        return self._last[1]

    def greedy(self, k: int) -> Indices:
        """`GreedyCSS`'s choice by growing tables, O(k^2 n); fewer than k columns at the rank."""
        norm2 = np.diagonal(self.G)
        if not norm2.any():
            return np.empty(0, np.intp)
        gain = np.divide(np.diagonal(self.F), norm2, out=np.zeros_like(norm2), where=norm2 > 0)
        T = build(self.G, self.F, np.array([gain.argmax()]), self.floor)
        while len(T.S) < k:
            larger = grown(self.G, self.F, T)
            if len(larger.S) == len(T.S):
                break
            T = larger
        return T.S

    def polish(self, S: Indices) -> tuple[Indices, float, int]:
        """Best replacements until no swap lowers f.

        Parameters
        ----------
        S : ndarray of shape (k,)
            Where to start; columns that depend on those before are left out.

        Returns
        -------
        S : ndarray of shape (<= k,)
            No swap of one column for another lowers its f by more than `min_drop`.
        f : float
            Its error, from scratch; never above that of the start.
        n_evaluations : int
            Swaps whose value was computed.
        """
        return iterfs(self.G, self.F, S, self.floor, self.min_drop, 1000 * max(1, len(S)))
