"""A column subset problem made ready for the swap kernels: tables that grow, shrink and improve."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..kernels._swap import search
from ..kernels._swap_tables import Tables, build, independent
from ._problem import PIVOT_RTOL, GramProblem

__all__ = ["DROP_RTOL", "SwapProblem", "error_of"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: A move counts only if it lowers f by more than this part of ``||A||^2``.
DROP_RTOL = 1e-12
#: Replacements in a row after which tables are computed from scratch.
REFRESH = 128

_NO_WORDS = np.zeros(4, np.uint64)


def error_of(T: Tables) -> float:
    """f of the subset, >= 0."""
    return max(float(T.r.sum()), 0.0)


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

    workspace: ClassVar[tuple[str, ...]] = ("_last",)  # the tables last asked for

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
        """The tables of independent columns S, from scratch; not to be modified.

        Those last asked for are kept.
        """
        key = S.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, build(self.G, self.F, S, self.floor)
        return self._last[1]

    def improved(self, T: Tables, max_visits: int | None = None) -> tuple[Tables, int]:
        """Best replacements, position by position, until no swap lowers f.

        Parameters
        ----------
        T : Tables
            Where to start; not modified.
        max_visits : int, optional
            Positions to look at, at most. Default: 1000 k.

        Returns
        -------
        T : Tables
            T itself, or tables of a lower f, from scratch.
        n_evaluations : int
            Swaps whose value was computed, ``n - k`` for each position looked at.
        """
        new, n_evaluations = self.searched(T, max_visits=max_visits)
        if (new.S == T.S).all():
            return T, n_evaluations
        new = build(self.G, self.F, new.S, self.floor)
        if not error_of(new) < error_of(T):
            return T, n_evaluations
        self._last = new.S.tobytes(), new
        return new, n_evaluations

    def searched(
        self,
        T: Tables,
        *,
        words: NDArray[np.uint64] = _NO_WORDS,
        n_kicks: int = 0,
        max_visits: int | None = None,
    ) -> tuple[Tables, int]:
        """Random columns into `n_kicks` random positions, then best replacements.

        Advances `words`; T is not modified. The tables that come back have been through many
        exchanges: their f is not computed from scratch.
        """
        k, n_visits, done = len(T.S), 0, False
        limit = 1000 * k if max_visits is None else max_visits
        new = copied(T)
        while not done and n_visits < limit:
            n_swaps, visits, done = search(
                self.G, self.F, new, -1, words, n_kicks,
                self.min_drop, n_visits % k, limit - n_visits, REFRESH,
            )  # fmt: skip
            n_visits, n_kicks = n_visits + visits, 0
            if n_swaps == REFRESH:
                new = build(self.G, self.F, new.S, self.floor)
        return new, n_visits * (self.n_columns - k)

    def grown(self, T: Tables) -> Tables:
        """One column more, the one that lowers f most; T itself when all others depend on T's."""
        k, n = T.V.shape
        H = np.zeros((k + 1, k + 1))
        H[:k, :k], H[k, k] = T.H, 1.0
        V, Y = (np.vstack([M, np.zeros((1, n))]) for M in (T.V, T.Y))
        new = copied(T)._replace(S=np.append(T.S, T.S[0]), H=H, V=V, Y=Y)
        found, _, _ = search(self.G, self.F, new, k, _NO_WORDS, 0, self.min_drop, 0, 0, 0)
        return new if found >= 0 else T

    def greedy(self, k: int) -> Indices:
        """`GreedyCSS`'s choice by growing tables, O(k^2 n); fewer than k columns at the rank."""
        norm2 = np.diagonal(self.G)
        if not norm2.any():
            return np.empty(0, np.intp)
        gain = np.divide(np.diagonal(self.F), norm2, out=np.zeros_like(norm2), where=norm2 > 0)
        T = build(self.G, self.F, np.array([gain.argmax()]), self.floor)
        while len(T.S) < k:
            larger = self.grown(T)
            if larger is T:
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
            Its error, from scratch, >= 0; never above that of the start.
        n_evaluations : int
            Swaps whose value was computed.
        """
        S = self.independent(S, len(S))
        if not len(S):
            return S, self.trace, 0
        T, n_evaluations = self.improved(self.tables(S))
        return T.S, error_of(T), n_evaluations


def copied(T: Tables) -> Tables:
    """A copy to be modified; what never is, is shared."""
    return Tables(
        S=T.S.copy(),
        H=T.H.copy(),
        V=T.V.copy(),
        Y=T.Y.copy(),
        r=T.r.copy(),
        N=T.N.copy(),
        d=T.d,
        floor=T.floor,
        bar=T.bar.copy(),
    )


def shrunk(T: Tables) -> Tables:
    """Without the column whose removal costs least; O(n k)."""
    loss = np.einsum("pt,pt->p", T.V, T.V) / np.diagonal(T.H)
    p = int(loss.argmin())
    keep = np.arange(len(T.S)) != p
    v, y, h = T.V[p], T.Y[p], T.H[p, p]
    a = T.H[keep, p] / h
    b = T.V[keep] @ v / h - a * loss[p]
    bar = T.bar.copy()
    bar[T.S[p]] = T.floor[T.S[p]]
    return Tables(
        S=T.S[keep],
        H=T.H[np.ix_(keep, keep)] - np.outer(a, T.H[p, keep]),
        V=T.V[keep] - np.outer(a, v),
        Y=T.Y[keep] - np.outer(a, y) + np.outer(b, v),
        r=T.r + v * v / h,
        N=T.N + v * (2 * y + v * loss[p]) / h,
        d=T.d,
        floor=T.floor,
        bar=bar,
    )
