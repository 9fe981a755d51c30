"""The search of `ExactCSS`; the head of ``columns/_exact.py`` describes it."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._typing import Indices
from ..._validation import check_random_state
from ...kernels._exact import explore
from .._pair import PairProblem
from ._local_search import LocalSearchProblem
from ._swaps import error_of

#: Least part of its squared norm that a column must have outside the span of the others.
FLOOR = 1e-8
#: Rounds of local search for the first upper bound.
ROUNDS = 50
#: A step of the loop looks at this many pairs, at least one node: a few hundredths of a second.
PAIRS = 2e7


class State(NamedTuple):
    """Where the search stands, in the order of columns of `ExactProblem`, and the best so far."""

    head: NDArray[np.int64]  # the node's columns head[:level], and the next one to look at
    level: int  # below 0: nothing left
    S_best: Indices
    f_best: float
    n_nodes: int


class ExactProblem:
    """Nodes in lexicographic order, the columns sorted by what each gains alone."""

    workspace: ClassVar[tuple[str, ...]] = ("buffers",)

    def __init__(self, problem: PairProblem, k: int, max_iter: int | None = None) -> None:
        self.local = LocalSearchProblem(problem, k)
        self.swaps = self.local.swaps
        self.max_iter = max_iter
        n, norm2 = problem.n_columns, np.diagonal(problem.G)
        gain = np.divide(np.diagonal(problem.F), norm2, out=np.zeros(n), where=norm2 > 0)
        self.order = np.argsort(-gain, kind="stable")
        self.G, self.F = (
            np.ascontiguousarray(M[np.ix_(self.order, self.order)]) for M in (problem.G, problem.F)
        )
        self.rows = np.ascontiguousarray(problem.target_rows[self.order])
        self.floor = FLOOR * problem.norm2[self.order]
        self.svd_errors = problem.svd_errors(k)
        self.buffers = np.empty((2, max(k - 3, 0), n, n))
        self.chunk = max(1, int(PAIRS / n**2))

    def start(self, rng: Any) -> State:
        """A subset from local search; proven at once if it has one column or meets the bound."""
        local = self.local.start(check_random_state(0))
        while len(local.S) and not self.local.is_over(local) and local.n_rounds < ROUNDS:
            local = self.local.step(local)
        k = len(local.S_best)
        state = State(np.zeros(max(k - 2, 1), np.int64), 0, local.S_best, local.f_best, 0)
        gap = local.f_best - self.svd_errors[k]
        over = k <= 1 or k == len(self.order) or gap <= self.swaps.min_drop
        return state._replace(level=-1) if over else state

    def objective(self, state: State) -> float:
        return state.f_best

    def count(self, state: State) -> int:
        """Nodes looked at."""
        return state.n_nodes

    def is_over(self, state: State) -> bool:
        return state.level < 0

    def lower_bound(self, state: State) -> float:
        """No subset of this size has a smaller error."""
        return state.f_best if self.is_over(state) else float(self.svd_errors[len(state.S_best)])

    def change(self, old: State, new: State) -> float:
        """Relative gap."""
        return 0.0 if self.is_over(new) else 1.0 - self.lower_bound(new) / new.f_best

    def step(self, state: State) -> State:
        """Some nodes, up to the first that has a better subset."""
        if self.is_over(state):  # proven by the start, which counts as a node
            return state._replace(n_nodes=max(state.n_nodes, 1))
        k = len(state.S_best)
        count = self.chunk
        if self.max_iter is not None and state.n_nodes < self.max_iter:
            count = min(count, self.max_iter - state.n_nodes)
        limit = state.f_best - self.swaps.min_drop
        most = self.swaps.target_norm2 - self.svd_errors[: k + 1]
        S, head, level, n_nodes = explore(
            self.G, self.F, self.rows, self.swaps.target_norm2, most, self.floor,
            state.head, state.level, limit, count, *self.buffers,
        )  # fmt: skip
        state = state._replace(head=head, level=level, n_nodes=state.n_nodes + n_nodes)
        if len(S):
            S = self.order[S]
            f = error_of(self.swaps.tables(S))
            if f < state.f_best:
                state = state._replace(S_best=S, f_best=f)
        return state
