"""`POCSS` where columns have costs: error against cost, Algorithm 1 with the cost for f_2.

The archive holds subsets of at most k columns within the budget of which none is as cheap as
another of no larger error. A mutation is that of Algorithm 1 (or an exchange, D6); its outcome is
kept if no subset held is as good and as cheap, and those it is as good and as cheap as are dropped.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf

from ..._typing import Array, Indices
from .._pair import PairProblem
from ._swaps import DROP_RTOL, SwapProblem

#: Mutations of a step.
BATCH = 1000


class CostFront(NamedTuple):
    """The archive, by rising cost; the empty set first."""

    member: NDArray[np.bool_]  # (p, n)
    f: Array  # (p,)
    cost: Array  # (p,)
    seed: NDArray[np.uint64]  # (2,), of a generator that counts the batches
    n_iter: int


class CostSearch:
    """The problem for the one loop: a step is a batch of mutations.

    Parameters
    ----------
    problem : PairProblem
        With costs.
    k : int
        Most columns of a subset.
    swap : float
        Probability that a mutation exchanges two columns.
    """

    workspace: ClassVar[tuple[str, ...]] = ()

    def __init__(self, problem: PairProblem, k: int, swap: float = 0.0) -> None:
        if problem.cost is None:
            raise TypeError("a front of error against cost needs costs")
        self.problem, self.k, self.swap = problem, k, swap
        self.price: Array = problem.cost
        self.n = problem.n_columns
        self.margin = DROP_RTOL * problem.target_norm2
        self.last: int | None = None

    def start(self, rng: np.random.RandomState) -> CostFront:
        """The archive that holds the empty set."""
        seed = rng.randint(0, 2**64, size=2, dtype=np.uint64)
        empty = np.zeros((1, self.n), dtype=bool)
        return CostFront(empty, np.array([self.problem.target_norm2]), np.zeros(1), seed, 0)

    def step(self, state: CostFront) -> CostFront:  # Algorithm 1
        """A batch of mutations."""
        rng = np.random.Generator(np.random.Philox(key=state.seed, counter=state.n_iter))
        left = BATCH if self.last is None else min(BATCH, self.last - state.n_iter)
        chosen, exchanged = rng.random(left), rng.random(left) < self.swap
        n_flips = rng.binomial(self.n, 1 / self.n, size=left)
        state = state._replace(n_iter=state.n_iter + left)
        for u, is_exchange, d in zip(chosen, exchanged, n_flips):
            s = state.member[int(u * len(state.f))]
            flips = self._exchange(rng, s) if is_exchange else rng.permutation(self.n)[:d]
            if len(flips):
                new = s.copy()
                new[flips] ^= True
                state = self.met(state, new)
        return state

    def _exchange(self, rng: np.random.Generator, s: NDArray[np.bool_]) -> Indices:
        inside, outside = np.flatnonzero(s), np.flatnonzero(~s)
        if not len(inside) or not len(outside):
            return inside[:0]
        return np.array([rng.choice(inside), rng.choice(outside)])

    def met(self, state: CostFront, new: NDArray[np.bool_]) -> CostFront:
        """The archive once the subset `new` has been looked at."""
        S = np.flatnonzero(new)
        cost = float(self.price[S].sum())
        if len(S) > self.k or cost > self.problem.budget:
            return state
        at = int(np.searchsorted(state.cost, cost, side="right"))
        least = state.f[at - 1]  # errors fall along the archive
        f = self.value(S)
        if not f < least - self.margin:
            return state
        kept = (state.cost < cost) | (state.f < f)
        at = int(kept[:at].sum())
        return state._replace(
            member=np.insert(state.member[kept], at, new, axis=0),
            f=np.insert(state.f[kept], at, f),
            cost=np.insert(state.cost[kept], at, cost),
        )

    def value(self, S: Indices) -> float:
        """``f(S)``; infinite where the columns depend on each other."""
        if not len(S):
            return self.problem.target_norm2
        L, info = dpotrf(self.problem.G[S[:, None], S], lower=1, clean=1)
        if info or (np.diagonal(L) ** 2 <= self.problem.floor[S]).any():
            return np.inf
        M = dtrsm(1.0, L, self.problem.F[S[:, None], S], lower=1)
        M = dtrsm(1.0, L, M.T, lower=1)
        return max(self.problem.target_norm2 - float(np.trace(M)), 0.0)

    def objective(self, state: CostFront) -> float:
        """Smallest error within the budget."""
        return float(state.f[-1])

    def count(self, state: CostFront) -> int:
        """Mutations behind a state."""
        return state.n_iter

    def polished(self, state: CostFront) -> CostFront:
        """The archive, each subset improved by exchanges within what it costs (D5).

        To the best of all, columns are added first as long as the budget allows (D4).
        """
        for member, cost in zip(state.member, state.cost):
            S = np.flatnonzero(member)
            is_last = cost == state.cost[-1]
            if not len(S) and not is_last:
                continue
            problem = self.problem if is_last else _within(self.problem, cost)
            swaps = SwapProblem(problem)
            if is_last:
                S = self._filled(swaps, S)
            new = np.zeros(self.n, dtype=bool)
            new[swaps.polish(S)[0]] = True
            state = self.met(state, new)
        return state

    def _filled(self, swaps: SwapProblem, S: Indices) -> Indices:
        S = S if len(S) else swaps.greedy(1)
        if not len(S):
            return S
        T = swaps.tables(S)
        while len(T.S) < self.k:
            larger = swaps.grown(T)
            if larger is T or not larger.f[0] < T.f[0] - self.margin:
                break
            T = larger
        return T.S


def _within(problem: PairProblem, budget: float) -> PairProblem:
    """The same problem with another budget."""
    return PairProblem(
        problem.G,
        problem.F,
        problem.target_norm2,
        rows=problem.rows,
        norm2=problem.norm2,
        cost=problem.cost,
        budget=budget,
    )


def nondominated(cost: Array, error: Array) -> Indices:
    """Positions by rising cost, without those for which another is as cheap and as good.

    Examples
    --------
    >>> nondominated(np.array([2.0, 1.0, 3.0, 2.0]), np.array([5.0, 7.0, 6.0, 5.0]))
    array([1, 0])
    """
    order = np.lexsort((error, cost))
    before = np.concatenate([[np.inf], np.minimum.accumulate(error[order])[:-1]])
    return order[error[order] < before]
