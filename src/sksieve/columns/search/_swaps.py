"""A column subset problem made ready for the swap kernels: tables that grow, shrink and improve."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..._typing import Indices
from ...kernels._pair import Tables, Workspace, search
from .._pair import PairProblem, tables

#: A move counts only if it lowers f by more than this part of the error of the empty subset.
DROP_RTOL = 1e-12
#: Replacements in a row after which tables are computed from scratch.
REFRESH = 128

_NO_RNG = np.zeros(4, np.uint64)


def error_of(T: Tables) -> float:
    """f of the subset, >= 0."""
    return max(float(T.f[0]), 0.0)


class SwapProblem:
    """A pair problem and the thresholds that keep rounding from passing for progress.

    Parameters
    ----------
    problem : PairProblem
        What to choose from.

    Attributes
    ----------
    min_drop : float
        A swap must lower f by more than this.
    """

    workspace: ClassVar[tuple[str, ...]] = ("_last", "_workspaces")  # the tables last asked for

    def __init__(self, problem: PairProblem) -> None:
        self.problem = problem
        self.n_columns = problem.n_columns
        self.target_norm2 = problem.target_norm2
        self.min_drop = DROP_RTOL * problem.target_norm2
        self._last: tuple[bytes, Tables] | None = None
        self._workspaces: dict[int, Workspace] = {}

    def independent(self, order: Indices, k: int) -> Indices:
        """The first `k` columns of `order` that do not depend on those before."""
        return self.problem.independent(order, k)

    def tables(self, S: Indices) -> Tables:
        """The tables of independent columns S, from scratch; not to be modified.

        Those last asked for are kept.
        """
        key = S.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, tables(self.problem, S)
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
        new = tables(self.problem, new.S)
        if not error_of(new) < error_of(T):
            return T, n_evaluations
        self._last = new.S.tobytes(), new
        return new, n_evaluations

    def searched(
        self,
        T: Tables,
        *,
        rng_state: NDArray[np.uint64] = _NO_RNG,
        n_kicks: int = 0,
        max_visits: int | None = None,
    ) -> tuple[Tables, int]:
        """Random columns into `n_kicks` random positions, then best replacements.

        Advances `rng_state`; T is not modified. The tables that come back have been through many
        exchanges: their f is not computed from scratch.
        """
        k, n_visits, done = len(T.S), 0, False
        limit = 1000 * k if max_visits is None else max_visits
        new = copied(T)
        while not done and n_visits < limit:
            n_swaps, visits, done = search(
                self.problem.products, new, self._workspace(k), -1, rng_state, n_kicks,
                self.min_drop, n_visits % k, limit - n_visits, REFRESH,
            )  # fmt: skip
            n_visits, n_kicks = n_visits + visits, 0
            if n_swaps == REFRESH:
                new = tables(self.problem, new.S)
        return new, n_visits * (self.n_columns - k)

    def grown(self, T: Tables) -> Tables:
        """One column more, the one that lowers f most; T itself when no other may join."""
        k, n = T.V.shape
        H, K = np.zeros((k + 1, k + 1)), np.zeros((k + 1, k + 1))
        H[:k, :k], H[k, k], K[:k, :k] = T.H, 1.0, T.K
        V, Y = (np.vstack([M, np.zeros((1, n))]) for M in (T.V, T.Y))
        S, spare = np.append(T.S, T.S[0]), T.spare - T.cost[T.S[0]]
        new = copied(T)._replace(S=S, H=H, K=K, V=V, Y=Y, spare=spare)
        improved, _, _ = search(
            self.problem.products, new, self._workspace(k + 1), k, _NO_RNG, 0,
            self.min_drop, 0, 0, 0,
        )  # fmt: skip
        return new if improved >= 0 else T

    def greedy(self, k: int) -> Indices:
        """`GreedyCSS`'s choice; fewer than k columns at the rank."""
        return self.problem.greedy_order(np.arange(self.n_columns), k)[0]

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
            return S, self.target_norm2, 0
        T, n_evaluations = self.improved(self.tables(S))
        return T.S, error_of(T), n_evaluations

    def _workspace(self, k: int) -> Workspace:
        if k not in self._workspaces:
            self._workspaces[k] = workspace(self.n_columns, k, self.problem.n_row_products)
        return self._workspaces[k]


def workspace(c: int, k: int, m: int = 0) -> Workspace:
    """Preallocated arrays for searches among c columns for k, products from m rows or none."""
    col, s, gain = np.empty((3, c))
    x, w, g, a, Kp = np.empty((5, k))
    return Workspace(
        col, s, gain, x, w, g, a, Kp,
        rows=np.arange(k), positions=np.arange(k), barred=np.zeros(c, np.intp),
        z=np.empty(m), Kz=np.empty(m),
    )  # fmt: skip


def copied(T: Tables) -> Tables:
    """A copy to be modified; what never is, is shared."""
    return T._replace(
        S=T.S.copy(),
        H=T.H.copy(),
        K=T.K.copy(),
        V=T.V.copy(),
        Y=T.Y.copy(),
        r=T.r.copy(),
        N=T.N.copy(),
        f=T.f.copy(),
        bar=T.bar.copy(),
        spare=T.spare.copy(),
    )


def shrunk(T: Tables) -> Tables:
    """Without the column whose removal costs least; O(n k)."""
    loss = np.diagonal(T.K) / np.diagonal(T.H)
    p = int(loss.argmin())
    keep = np.arange(len(T.S)) != p
    v, y, h, kpp = T.V[p], T.Y[p], T.H[p, p], T.K[p, p]
    a, Kp = T.H[keep, p] / h, T.K[keep, p]
    b = (Kp - a * kpp) / h
    bar = T.bar.copy()
    bar[T.S[p]] = T.floor[T.S[p]]
    return T._replace(
        S=T.S[keep],
        H=T.H[np.ix_(keep, keep)] - np.outer(a, T.H[p, keep]),
        K=T.K[np.ix_(keep, keep)] - np.outer(a, Kp) - np.outer(Kp, a) + np.outer(a, a) * kpp,
        V=T.V[keep] - np.outer(a, v),
        Y=T.Y[keep] - np.outer(a, y) + np.outer(b, v),
        r=T.r + v * v / h,
        N=T.N + v * (2 * y + v * loss[p]) / h,
        f=T.f + loss[p],
        bar=bar,
        spare=T.spare + T.cost[T.S[p]],
    )
