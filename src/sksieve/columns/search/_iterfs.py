"""The search of `IterFS`; the head of ``columns/_iterfs.py`` describes it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._typing import Indices
from ..._validation import check_random_state
from .._pair import PairProblem
from ._swaps import SwapProblem, error_of


class State(NamedTuple):
    """Where the current start has got to, and the best end so far."""

    S: Indices
    f: float
    fall: float  # relative, in the last sweep
    S_best: Indices
    f_best: float
    started: int
    seeds: NDArray[np.int64]  # of the starts
    n_evaluations: int


class IterFSProblem:
    """Sweeps of best replacements from one start after the other."""

    def __init__(self, problem: PairProblem, k: int, n_init: int, init: str) -> None:
        self.swaps = SwapProblem(problem)
        self.k = k
        self.n_init = n_init
        self.init = init

    def start(self, rng: np.random.RandomState) -> State:
        seeds = rng.randint(2**31 - 1, size=self.n_init)
        nothing = np.empty(0, np.intp)
        empty = State(
            nothing, self.swaps.target_norm2, 0.0, nothing, self.swaps.target_norm2, 0, seeds, 0
        )
        return self._next_start(empty)

    def objective(self, state: State) -> float:
        return state.f_best

    def change(self, old: State, new: State) -> float:
        return new.fall

    def step(self, state: State) -> State:
        """One sweep; when it finds nothing, the first sweep of the next start."""
        state = self._sweep(state)
        while state.fall == 0 and state.started < len(state.seeds):
            state = self._sweep(self._next_start(state))
        return state

    def _next_start(self, state: State) -> State:
        if state.started == 0 and self.init == "greedy":
            S = self.swaps.greedy(self.k)
        else:
            rng = check_random_state(int(state.seeds[state.started]))
            S = self.swaps.independent(rng.permutation(self.swaps.n_columns), self.k)
        f = error_of(self.swaps.tables(S)) if len(S) else self.swaps.target_norm2
        return _keep_best(state._replace(S=S, f=f, started=state.started + 1))

    def _sweep(self, state: State) -> State:
        k = len(state.S)
        if k == 0:
            return state._replace(fall=0.0)
        old = self.swaps.tables(state.S)
        T, n_evaluations = self.swaps.improved(old, max_visits=k)
        state = state._replace(fall=0.0, n_evaluations=state.n_evaluations + n_evaluations)
        if T is old:
            return state
        f = error_of(T)
        return _keep_best(state._replace(S=T.S, f=f, fall=(state.f - f) / state.f))


def _keep_best(state: State) -> State:
    """Larger subsets first (at the rank a start may end short of k), then smaller errors."""
    if (-len(state.S), state.f) < (-len(state.S_best), state.f_best):
        return state._replace(S_best=state.S, f_best=state.f)
    return state
