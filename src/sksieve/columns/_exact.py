"""The best subset of a few columns, proven: branch and bound with most subsets valued in bulk.

Rows of A (m x n) are samples. ``f(I + {a, b})`` needs only the residual Gram matrix R of I and its
square, so all pairs that complete a set of k - 2 columns are valued in one sweep, at about a
nanosecond a pair. Sets are gone through in the order of what each column gains alone.

====== ============== ==========================================================================
here   code           meaning, shape
====== ============== ==========================================================================
A      --             data, m x n; only ``G = A'A`` and ``F = G^2`` (n x n) are used
I      head           node: i <= k - 2 columns; below it are the sets that add later ones
R, Q   R, Q           residual Gram matrix of I and its square, for the later columns
U      f_best         best error so far: a node is cut when ``f(I) - gain(I, k - i) >= U``
L      lower_bound    ``||A - A_k||_F^2``, which no k columns can beat
====== ============== ==========================================================================

``gain(I, t)`` is the sum of the t largest eigenvalues of the residual within the span of the later
columns: Cauchy's interlacing. `WeightedAStarCSS` uses the same kind of bound to expand few nodes;
here it serves only where a node has so many subsets below it that its eigenvalues cost less.

Deviations
----------
D1. Columns with less than 1e-8 of their squared norm outside the span of the others are not
    combined with them (`PIVOT_RTOL` elsewhere: 1e-10): rounding would decide. "Best" is meant among
    the rest.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from sklearn.exceptions import ConvergenceWarning

from .._validation import Interval, common
from ..exceptions import warn_user
from ..solvers import Record, Stopping
from ._attributes import FitAttribute
from ._base import GRAM_BYTES, BaseColumnSubset, IterativeColumnSubset, Selected
from ._factored import Factored
from ._pair import PairProblem
from .search._exact import ExactProblem


class ExactCSS(IterativeColumnSubset):
    """The best k columns, with proof; for a handful of columns.

    Solves ``min_S ||A - A_S A_S^+ A||_F^2, |S| = k``, A being X after `scale`, to the optimum.

    Parameters
    ----------
    n_features_to_select, scale
        See `BaseColumnSubset`.
    max_iter : int or None, default=1_000_000
        Nodes at most: sets of k - 2 columns or fewer; each takes O(n^2). None: no limit.
    time_budget : float or None, default=None
        Seconds at most.
    solver, candidates, keep, ridge
        See `BaseColumnSubset`.

    Warns
    -----
    ConvergenceWarning
        When the budget runs out first: the best subset met is returned, `proven_` is False.

    Notes
    -----
    Cost O(m n^2) for the Gram matrix, O(n^3) for its square (O(m n^2) when m < n), then some
    nanoseconds for each of the n! / (k! (n - k)!) subsets that the bounds do not cut: 4 of 300
    columns take 1.4 s (``benchmarks/cost_growth.py``). The bounds cut little while k is small, more
    when k is a good part of n. Memory (32 + 16 k) n^2 bytes. Deterministic. `path_` has the answer
    only.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import ExactCSS
    >>> X = load_wine(as_frame=True).data
    >>> sel = ExactCSS(n_features_to_select=3, scale="standard").fit(X)
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
        "``n_iter`` counts nodes. ``objective`` is the best error so far, ``change`` the relative "
        'gap between it and the bound by singular values, 0 once proven: reason ``"tolerance"``.',
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseColumnSubset._parameter_constraints,
        **common("time_budget"),
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        scale: str = "standard",
        max_iter: int | None = 1_000_000,
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
        self.max_iter = max_iter
        self.time_budget = time_budget

    def _memory(self, n: int, k: int) -> float:
        return (GRAM_BYTES + 16.0 * k) * n * n

    def _select(self, problem: PairProblem, k: int, rng: Any) -> Selected:
        search = ExactProblem(problem, k, self.max_iter)
        state = search.start(rng)
        if not len(state.S_best):
            return Selected({})
        left = problem.seconds_left(self.time_budget)
        stopping = Stopping(self.max_iter, tol=0.0, time_budget=left)
        run = self._loop(search, state, stopping=stopping)
        end = run.state
        if not search.is_over(end):
            warn_user(
                f"Not proven: the search stopped ({run.reason}) after {end.n_nodes} nodes. The "
                f"best subset met is returned, its error is {end.f_best:.6g}; the least possible "
                f"is not below {search.lower_bound(end):.6g}. Raise max_iter or time_budget, or "
                f"ask for fewer columns.",
                ConvergenceWarning,
            )
        own = {"lower_bound_": search.lower_bound(end), "proven_": search.is_over(end)}
        return Selected({len(end.S_best): end.S_best}, self._loop_attributes(run) | own)
