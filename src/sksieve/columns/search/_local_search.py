"""The search of `IteratedLocalSearchCSS`; the head of ``columns/_local_search.py`` describes it."""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._typing import Array, Indices
from ...kernels._pair import shuffled
from ...kernels._pocss_random import random_integer
from .._pair import PairProblem
from ._swaps import SwapProblem, error_of

#: Random exchanges of a kick: from, to.
KICK = (3, 8)
#: Kicks in a row without a lower error, after which the search restarts.
PATIENCE = 50
#: Rounds over which `tol` looks back.
WINDOW = 100
#: A step of the loop has this many rounds, divided by n k: about a millisecond or one round.
BATCH = 20_000


class State(NamedTuple):
    """Everything the search knows between two rounds."""

    S: Indices
    f: float
    S_best: Indices
    f_best: float
    failed: int  # kicks of S in a row that led nowhere
    n_rounds: int
    n_evaluations: int
    rng_state: NDArray[np.uint64]  # random generator, (4,)
    trail: Array  # best error after each of the last WINDOW rounds, round i at i mod WINDOW


class LocalSearchProblem:
    """Rounds of kick and search, and restarts."""

    def __init__(self, problem: PairProblem, k: int) -> None:
        self.swaps = SwapProblem(problem)
        self.k = k
        self.batch = max(1, BATCH // (problem.n_columns * k))
        self.last_round: int | None = None

    def ending_at(self, n_rounds: int) -> LocalSearchProblem:
        """The same search, whose batches do not go past so many rounds."""
        other = copy.copy(self)
        other.last_round = n_rounds
        return other

    def start(self, rng: np.random.RandomState) -> State:
        rng_state = rng.randint(0, 2**64, size=4, dtype=np.uint64)
        S, f, n_evaluations = self.swaps.polish(self.swaps.greedy(self.k))
        trail = np.full(WINDOW, self.swaps.target_norm2)
        return State(S, f, S, f, 0, 0, n_evaluations, rng_state, trail)

    def resume(self, old: State, new: State) -> State:
        """`old` for these data, which may be others; `new` if it does not fit."""
        if len(old.S) != len(new.S) or max(old.S.max(), old.S_best.max()) >= self.swaps.n_columns:
            return new
        S, S_best = (self.swaps.independent(T, len(T)) for T in (old.S, old.S_best))
        if len(S) < len(old.S) or len(S_best) < len(old.S):
            return new
        f, f_best = error_of(self.swaps.tables(S)), error_of(self.swaps.tables(S_best))
        return old._replace(S=S, f=f, S_best=S_best, f_best=f_best)

    def is_over(self, state: State) -> bool:
        """Is there nothing left to gain? One column is optimal after one look at all."""
        k = len(state.S)
        return k == 1 or k == self.swaps.n_columns or state.f_best <= self.swaps.min_drop

    def objective(self, state: State) -> float:
        return state.f_best

    def count(self, state: State) -> int:
        """Rounds done."""
        return state.n_rounds

    def change(self, old: State, new: State) -> float:
        if self.is_over(new):
            return 0.0
        return max(new.trail[new.n_rounds % WINDOW] / new.f_best - 1.0, 0.0)

    def step(self, state: State) -> State:
        """Rounds up to the next lower error, the next restart, or the end of the batch."""
        if state.failed >= PATIENCE:
            return self._restart(state)
        count = min(self.batch, PATIENCE - state.failed)
        if self.last_round is not None and state.n_rounds < self.last_round:
            count = min(count, self.last_round - state.n_rounds)
        rng_state, old = state.rng_state.copy(), self.swaps.tables(state.S)
        done = n_evaluations = 0
        lower = False
        while done < count and not lower:
            n_kicks = min(len(state.S), KICK[0] + random_integer(rng_state, KICK[1] - KICK[0] + 1))
            T, n = self.swaps.searched(old, rng_state=rng_state, n_kicks=n_kicks)
            done, n_evaluations = done + 1, n_evaluations + n
            if error_of(T) < state.f - self.swaps.min_drop:
                T = self.swaps.tables(T.S)
                lower = error_of(T) < state.f - self.swaps.min_drop
        S, f = (T.S, error_of(T)) if lower else (state.S, state.f)
        failed = 0 if lower else state.failed + done
        return self._after(state, S, f, done, n_evaluations)._replace(
            failed=failed, rng_state=rng_state
        )

    def _restart(self, state: State) -> State:
        rng_state = state.rng_state.copy()
        order = np.empty(self.swaps.n_columns, np.intp)
        shuffled(order, rng_state)
        S = self.swaps.independent(order, len(state.S))
        if len(S) < len(state.S):  # random columns may fall short of the rank by rounding
            return self._after(state, state.S, state.f, 1, 0)._replace(
                failed=0, rng_state=rng_state
            )
        S, f, n_evaluations = self.swaps.polish(S)
        return self._after(state, S, f, 1, n_evaluations)._replace(failed=0, rng_state=rng_state)

    def _after(self, state: State, S: Indices, f: float, done: int, n_evaluations: int) -> State:
        S_best, f_best = state.S_best, state.f_best
        if f < f_best - self.swaps.min_drop:
            S_best, f_best = S, f
        trail, n_rounds = state.trail.copy(), state.n_rounds + done
        trail[np.arange(state.n_rounds, n_rounds) % WINDOW] = state.f_best
        trail[(n_rounds - 1) % WINDOW] = f_best
        return state._replace(
            S=S,
            f=f,
            S_best=S_best,
            f_best=f_best,
            n_rounds=n_rounds,
            n_evaluations=state.n_evaluations + n_evaluations,
            trail=trail,
        )
