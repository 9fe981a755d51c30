"""Weighted A* search for column subset selection, with bounds on what it may miss.

Arai, Maung, Xu & Schweitzer, "Unsupervised feature selection by heuristic search with provable
bounds on suboptimality", AAAI 2016. Rows of A (m x n) are samples.

======= ============= ==================================================================
paper   code          meaning, shape
======= ============= ==================================================================
X       C             data as ``C'C = A'A``, r x n, r the rank (pivoted Cholesky)
--      X             target as ``C'XC = F``, r x r; ``CC'`` where the target is the data
S_i     S             a node of the search: i chosen columns
R       W             what S leaves of A, in the r - i dimensions it does not span
g_i     g             ``||R||_F^2``, the error of S
h_i     h             sum of the k - i largest eigenvalues of RR'
f_i     f             ``g - h``: no k columns that contain S have a smaller error
f'_i    f_weighted    ``f + epsilon v``, v = g or h: the order in which nodes are expanded
F       State         open nodes: (parent, added) into ``closed``, with f and f'
C       closed        expanded nodes
======= ============= ==================================================================

The search ends when the next node has k columns. On the way to the best subset S* there is always
an open node with f <= f(S*); its f' is no smaller than that of the node that ended the search.
Hence the answer's error e satisfies ``(1 + epsilon) e <= e* + epsilon ||A||^2`` for v = g, and
``e <= e* + epsilon h_0`` for v = h (``h_0 = ||A||^2 - ||A - A_k||^2``); epsilon = 0 is exact.

Deviations
----------
D1. A greedy solution is known from the start: nodes with ``f`` no better are dropped, and it (or
    the best subset met since) is the answer when the budget runs out. Neither changes the order of
    expansion.
D2. Of the children with k columns of one node only the best is opened; the others cannot win.
D3. The children's eigenvalues are found from their parent's, as roots of a secular equation.
D4. ``lower_bound_`` = the smallest f left open: a certificate after the fact, far tighter than the
    bounds above. `proven_` says that it meets the answer.
"""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from .._validation import NON_NEGATIVE, Interval, StrOptions, common
from ..solvers import Record, Stopping
from ._attributes import FitAttribute
from ._base import BaseColumnSubset, IterativeColumnSubset, Selected
from ._factored import Factored
from ._pair import PairProblem
from .search._astar import WEIGHTS, AStarProblem


class WeightedAStarCSS(IterativeColumnSubset):
    """Best-first search over subsets with a bound on the error of everything below a node.

    Solves ``min_S ||A - A_S A_S^+ A||_F^2, |S| = k``, A being X after `scale`, exactly for
    ``epsilon=0`` and small problems, to a known gap otherwise.

    Parameters
    ----------
    n_features_to_select, scale
        See `BaseColumnSubset`.
    epsilon : float, default=0.5
        Weight >= 0 of `v` in the order of expansion; 0 is the exact A*, larger ends sooner.
    v : {"g", "h"}, default="g"
        What is weighted: the error left, or the part of it the remaining columns could take.
    max_iter : int or None, default=1000
        Nodes expanded at most; None for no limit.
    time_budget : float or None, default=None
        Seconds at most.
    solver, candidates, keep, ridge
        See `BaseColumnSubset`.

    Notes
    -----
    Cost O(m n^2) for the Gram matrix, O(n^3) to start, then O(r^2 (n + r) + n r k) a node, r the
    rank; memory 32 bytes a child, up to n of them a node. The number of nodes an optimum takes
    grows fast with k. With epsilon = 0.5 the answer is at least as good as that of `GreedyCSS` on
    the seven tables of ``benchmarks/css_quality.py``. `path_` has the answer only.

    References
    ----------
    Arai, Maung, Xu & Schweitzer, "Unsupervised feature selection by heuristic search with provable
    bounds on suboptimality", AAAI 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import WeightedAStarCSS
    >>> X = load_wine(as_frame=True).data
    >>> sel = WeightedAStarCSS(n_features_to_select=3, scale="standard", epsilon=0).fit(X)
    >>> sel.get_feature_names_out()
    array(['alcalinity_of_ash', 'flavanoids', 'color_intensity'], dtype=object)
    >>> sel.proven_
    True
    """

    nested: ClassVar[bool] = False

    proven_ = FitAttribute[bool](
        "bool", "The chosen subset is the best of its size (to 1e-12 of ``||A||^2``)."
    )
    lower_bound_ = FitAttribute[float](
        "float", "No subset of this size has a smaller error, in the unit of `objective_`."
    )
    history_ = FitAttribute[list[Record]](
        "list of dict",
        "One record a node expanded: ``objective`` is the best error so far, ``change`` the "
        "relative gap between it and the lower bound, 0 once the search has ended by its own rule.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseColumnSubset._parameter_constraints,
        **common("time_budget"),
        "epsilon": NON_NEGATIVE,
        "v": [StrOptions({"g", "h"})],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        scale: str = "standard",
        epsilon: float = 0.5,
        v: str = "g",
        max_iter: int | None = 1000,
        time_budget: float | None = None,
        solver: str | Factored = "auto",
        candidates: Any = None,
        keep: Any = None,
        ridge: float | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            scale=scale,
            solver=solver,
            candidates=candidates,
            keep=keep,
            ridge=ridge,
        )
        self.epsilon = epsilon
        self.v = v
        self.max_iter = max_iter
        self.time_budget = time_budget

    def _memory(self, n: int, k: int) -> float:
        return 80.0 * n * n

    def _select(self, problem: PairProblem, k: int, rng: Any) -> Selected:
        greedy, _ = problem.greedy_order(np.arange(problem.n_columns), k)
        if not len(greedy):
            return Selected({})
        search = AStarProblem(problem, greedy, weight=partial(WEIGHTS[self.v], self.epsilon))
        left = problem.seconds_left(self.time_budget)
        stopping = Stopping(self.max_iter, tol=0.0, time_budget=left)
        run = self._loop(search, search.start(), stopping=stopping)
        own = {
            "lower_bound_": search.lower_bound(run.state),
            "proven_": search.gap(run.state) == 0.0,
        }
        return Selected({len(greedy): run.state.best}, self._loop_attributes(run) | own)
