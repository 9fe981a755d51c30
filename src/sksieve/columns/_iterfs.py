"""Iterative column subset selection: replace every chosen column by the best one, again and again.

Ordozgoiti, Gomez Canaval & Mozo, "A fast iterative algorithm for improved unsupervised feature
selection", ICDM 2016; "Iterative column subset selection", KAIS 54, 2018. Rows of A (m x n) are
samples.

====== ============== ==========================================================================
paper  code           meaning, shape
====== ============== ==========================================================================
A      --             data, m x n; only ``G = A'A`` and ``F = G^2`` (n x n) are used
S      S              chosen columns, position by position
C      --             ``A_S``, m x k
E      --             residual ``A - C C^+ A``, never formed: ``E'E`` is R of `kernels._pair`
====== ============== ==========================================================================

Deviations
----------
D1. The value of every replacement is read off tables (`kernels._pair`) in O(1) and the tables are
    updated in O(n k) an exchange, from the Gram matrix: the paper works on the rows of A.
D2. A position keeps its column unless another lowers the error by more than 1e-12 of ``||A||^2``,
    and a column that the others nearly reconstruct (`PIVOT_RTOL`) may not enter: rounding would
    count as progress. A sweep that does not lower the error, computed from scratch, is not kept.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from .._validation import Interval, StrOptions, common
from ..solvers import Record, Stopping
from ._attributes import FitAttribute
from ._base import BUDGET, BaseColumnSubset, IterativeColumnSubset, Selected
from ._factored import Factored
from ._pair import PairProblem
from .search._iterfs import IterFSProblem


class IterFS(IterativeColumnSubset):
    """Sweep over the chosen columns, replacing each by the best other one, until none improves.

    Solves ``min_S ||A - A_S A_S^+ A||_F^2, |S| = k``, A being X after `scale`, down to a subset
    that no swap of one column for another improves.

    Parameters
    ----------
    n_features_to_select, scale
        See `BaseColumnSubset`.
    n_init : int, default=1
        Starts; the best end is the answer. 1 and not 20: a start is a whole search.
    init : {"random", "greedy"}, default="random"
        Every start random, or the first the greedy subset and the others random.
    max_iter : int or None, default=None
        Sweeps in all, at most; None sweeps until no swap improves.
    random_state : int, RandomState or None, default=None
        For the random starts.
    solver, candidates, keep, ridge, budget
        See `BaseColumnSubset`.

    Notes
    -----
    Cost O(m n^2) for the Gram matrix, O(n^3) for its square (O(m n^2) when m < n), then O(n k^2) a
    start, O(n k) a sweep and O(n k) for each column exchanged. Memory 16 n^2 bytes. For a table in
    memory with at least 1000 columns and at most half as many rows O(m n k) a start, O(m n) an
    exchange and O(m n) memory. Deterministic for a seed; ties go to the smaller index. `path_` has
    the answer only.

    References
    ----------
    Ordozgoiti, Gomez Canaval & Mozo, "A fast iterative algorithm for improved unsupervised feature
    selection", ICDM 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import IterFS
    >>> X = load_wine(as_frame=True).data
    >>> sel = IterFS(n_features_to_select=3, scale="standard", random_state=0).fit(X)
    >>> sel.get_feature_names_out()
    array(['alcalinity_of_ash', 'flavanoids', 'color_intensity'], dtype=object)
    >>> sel.converged_
    True
    """

    nested: ClassVar[bool] = False
    reads_rows: ClassVar[bool] = True

    n_evaluations_ = FitAttribute[int](
        "int", "Swaps whose value was computed, ``k (n - k)`` a sweep."
    )
    history_ = FitAttribute[list[Record]](
        "list of dict",
        "One record a sweep: ``objective`` is the best error so far, ``change`` the relative fall "
        'of the current start\'s error in this sweep. 0 ends the search: reason ``"tolerance"``.',
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseColumnSubset._parameter_constraints,
        **common("n_init", "random_state"),
        "budget": BUDGET,
        "init": [StrOptions({"random", "greedy"})],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        scale: str = "standard",
        n_init: int = 1,
        init: str = "random",
        max_iter: int | None = None,
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
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state
        self.budget = budget

    def _select(self, problem: PairProblem, k: int, rng: np.random.RandomState) -> Selected:
        search = IterFSProblem(problem, k, self.n_init, self.init)
        run = self._loop(search, search.start(rng), stopping=Stopping(self.max_iter, tol=0.0))
        S = run.state.S_best
        own = {"n_evaluations_": run.state.n_evaluations}
        return Selected({len(S): S} if len(S) else {}, self._loop_attributes(run) | own)
