"""Iterated local search for column subset selection: kick, replace until nothing improves, repeat.

The local search is IterFS: Ordozgoiti, Gomez Canaval & Mozo, "A fast iterative algorithm for
improved unsupervised feature selection", ICDM 2016. Kicking its result and searching again is
iterated local search: Lourenco, Martin & Stuetzle, "Iterated local search", Handbook of
Metaheuristics, 2003. Rows of A (m x n) are samples.

====== ============== ==========================================================================
here   code           meaning, shape
====== ============== ==========================================================================
A      --             data, m x n; only ``G = A'A`` and ``F = G^2`` (n x n) are used
S      S              chosen columns the next kick starts from
s*     S_best         best chosen columns so far
====== ============== ==========================================================================

Deviations
----------
D1. Where the textbook leaves acceptance open: only a lower error is accepted, and after 50 kicks in
    a row without one the search restarts from random columns. Kicks alone stay in one region
    (hard on word and base counts), restarts alone forget what they found (hard on images).
"""

from __future__ import annotations

from numbers import Integral
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from .._typing import Indices
from .._validation import Interval, common
from ..solvers import Record, Stopping
from ._attributes import FitAttribute
from ._base import BUDGET, BaseColumnSubset, IterativeColumnSubset, Path, Selected
from ._factored import Factored
from ._pair import PairProblem
from .search._front import greedy_path, swap_front
from .search._local_search import LocalSearchProblem, State

#: Swaps of the default number of rounds, which is this divided by n k, between 50 and 500.
DEFAULT_SWAPS = 25_000_000
#: Tables with fewer columns for each row are searched by the Gram matrix, which is quicker then.
COLUMNS_PER_ROW = 30


class IteratedLocalSearchCSS(IterativeColumnSubset):
    """The best subset per second: kicks and restarts around the best-replacement search.

    Solves ``min_S ||A - A_S A_S^+ A||_F^2, |S| = k``, A being X after `scale`. Starts from the
    greedy subset, replaces columns until no swap improves (`IterFS`); then every round exchanges 3
    to 8 random columns, searches again and keeps what is better; 50 rounds in a row without
    progress are followed by a restart from random columns.

    Parameters
    ----------
    n_features_to_select, scale
        See `BaseColumnSubset`.
    max_iter : int or None, default=None
        Rounds at most. None: no limit when `time_budget` or `tol` is given; else
        ``2.5e7 / (n k)`` rounds, but at least 50 and at most 500, which takes a second or so.
    time_budget : float or None, default=None
        Seconds at most, from the beginning of `fit`. The answer then depends on the machine, and
        sizes of the path (see `full_path`) that are not reached take columns of the answer in
        greedy order.
    tol : float or None, default=None
        Stop when the best error has fallen by no more than this part over the last 100 rounds.
        None and not 1e-4: run the whole budget.
    warm_start : bool, default=False
        Go on where the last fit stopped (`max_iter` more rounds), on the same or on new data with
        the same columns. On the same data, two fits are one long one, bit for bit.
    full_path : bool, default=True
        Find a good subset of every size 1..k for `path_`, by growing and shrinking with local
        search at each size. Costs about as much as 50 rounds, more where k is in the hundreds.
        Where a callback stopped the search (Ctrl-C on the command line) smaller sizes are not
        searched: they take the answer's columns in greedy order. False: k only.
    random_state : int, RandomState or None, default=None
        For kicks and restarts.
    solver, candidates, keep, ridge, budget
        See `BaseColumnSubset`.

    Notes
    -----
    Cost O(m n^2) for the Gram matrix, O(n^3) for its square (O(m n^2) when m < n), O(n k^2) for the
    start, O(n k) for each column exchanged, some 10 to 30 of them a round. Memory 32 n^2 bytes.
    For a table in memory with at least 1000 columns and one row for 30 of them (for two, with
    `time_budget` or where the Gram matrix would be too large) no Gram matrix: O(m n + n k) an
    exchange and O(m n) memory. Deterministic for a seed unless `time_budget` is set.

    References
    ----------
    Ordozgoiti, Gomez Canaval & Mozo, "A fast iterative algorithm for improved unsupervised feature
    selection", ICDM 2016.
    Lourenco, Martin & Stuetzle, "Iterated local search", Handbook of Metaheuristics, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sksieve import GreedyCSS, IteratedLocalSearchCSS
    >>> X = load_digits().data
    >>> sel = IteratedLocalSearchCSS(20, scale="unit", random_state=0).fit(X)
    >>> greedy = GreedyCSS(20, scale="unit").fit(X)
    >>> round(sel.error_ratio_, 3), round(greedy.error_ratio_, 3)
    (1.582, 1.681)
    >>> list(sel.path_) == list(range(1, 21))
    True
    """

    nested: ClassVar[bool] = False
    reads_rows: ClassVar[bool] = True

    n_evaluations_ = FitAttribute[int](
        "int", "Swaps whose value was computed, the path's not counted."
    )
    history_ = FitAttribute[list[Record]](
        "list of dict",
        "``n_iter`` counts rounds, several a record when they are short. ``objective`` is the best "
        "error so far (that of the answer, or a little above when the path found a better one), "
        "``change`` its relative fall over the last 100 rounds.",
    )

    _state: State

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseColumnSubset._parameter_constraints,
        **common("time_budget", "tol", "random_state"),
        "budget": BUDGET,
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "warm_start": ["boolean"],
        "full_path": ["boolean"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        scale: str = "standard",
        max_iter: int | None = None,
        time_budget: float | None = None,
        tol: float | None = None,
        warm_start: bool = False,
        full_path: bool = True,
        random_state: int | np.random.RandomState | None = None,
        solver: str | Factored = "auto",
        candidates: Any = None,
        keep: Any = None,
        ridge: float | None = None,
        budget: float | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            scale=scale,
            solver=solver,
            candidates=candidates,
            keep=keep,
            ridge=ridge,
        )
        self.max_iter = max_iter
        self.time_budget = time_budget
        self.tol = tol
        self.warm_start = warm_start
        self.full_path = full_path
        self.random_state = random_state
        self.budget = budget

    def _select(self, problem: PairProblem, k: int, rng: np.random.RandomState) -> Selected:
        search = LocalSearchProblem(problem, k)
        state = search.start(rng)
        if not len(state.S):
            return Selected({})
        if self.warm_start and hasattr(self, "_state"):
            state = search.resume(self._state, state)
        max_iter = self._max_rounds(problem.n_columns, k)
        if max_iter is not None:
            search = search.ending_at(state.n_rounds + max_iter)
        tol = 0.0 if search.is_over(state) else self.tol
        stopping = Stopping(max_iter, tol, problem.seconds_left(self.time_budget))
        run = self._loop(search, state, stopping=stopping)
        self._state = run.state
        own = {"n_evaluations_": run.state.n_evaluations}
        path = self._path(search, run.state.S_best, stopped=run.reason == "callback")
        return Selected(path, self._loop_attributes(run) | own)

    def _path(self, search: LocalSearchProblem, S: Indices, *, stopped: bool) -> Path:
        """A subset of every size, S the answer; without a search where the user stopped the fit."""
        if not self.full_path:
            return {len(S): S}
        if stopped:
            return greedy_path(search.swaps, S)
        left = search.swaps.problem.seconds_left(self.time_budget)
        return swap_front(search.swaps, S, np.inf if left is None else perf_counter() + left)

    def _most_rows(self, n: int) -> int:
        """A search of thousands of exchanges repays a Gram matrix; one in seconds shall answer."""
        return n // COLUMNS_PER_ROW if self.time_budget is None else super()._most_rows(n)

    def _max_rounds(self, n: int, k: int) -> int | None:
        if self.max_iter is not None or self.time_budget is not None or self.tol is not None:
            return self.max_iter
        return int(np.clip(DEFAULT_SWAPS // (n * k), 50, 500))
