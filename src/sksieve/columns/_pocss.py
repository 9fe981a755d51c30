"""POCSS: column subset selection by Pareto optimization.

Feng, Qian & Tang, "Unsupervised feature selection by Pareto optimization", AAAI 2019. Rows of A
(m x n) are samples, as in the paper.

====== =============== =========================================================
paper  code            meaning, shape
====== =============== =========================================================
A      --              data, m x n; only ``G = A'A`` and ``F = G^2`` are used
s, S   ``S[c, :c]``    a subset; the archive holds at most one of each size c
f_1    ``f[c]``        ``||A - S S^+ A||_F^2``, infinite above `max_size` columns
f_2    c               ``|s|``
P      ``Archive``     the archive, ``f[c] < inf`` where it has a subset
T      ``max_iter``    mutations
====== =============== =========================================================

`sksieve.kernels._pocss` has Algorithm 1; ``_pocss_slots`` and ``_pocss_trial`` say how f_1 is had
from tables in O(1) to O(d^2 c) for d flips, where Lemmas 1 to 4 keep ``S^+`` and the residual of A
at O(m n) a flip.

Deviations
----------
D1  The random process is the paper's, but a mutation is drawn as the number of its flips,
    Binomial(n, 1/n), and then which: the same law, two draws and not n.
D2  The literal algorithm fails where columns depend on each other (``S^+`` is noise there and f
    negative): a column enters only if its residual is more than 1e-10 of its squared norm, and a
    subset stays beside a smaller one only if its f is lower by more than 1e-12 ||A||_F^2. Where f
    is no more than that, another subset of the same size is not better, and does not replace it.
D3  A mutation that gives a subset already held changes nothing, not even by rounding.
D4  Algorithm 1 returns the best subset of at most k columns. Where that has fewer than k, columns
    are added to it one by one, the one that gains most first.
D5  `polish` (not in the paper) ends with best replacements of single columns of the k-subset.
D6  `mutation` offers exchanges of one column for another beside bit flips (not in the paper).
D7  The paper takes f_1 as infinite for 2k columns and more, and so does the default of `max_size`.
    Theorem 2 needs larger subsets; for Theorem 1, k + 1 is enough.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh

from .._typing import Array, Indices
from .._validation import Interval, StrOptions, common
from ..kernels._pocss_slots import Archive
from ..kernels._pocss_workspace import n_bytes
from ..solvers import Stopping
from ._attributes import FitAttribute
from ._base import BUDGET, GRAM_BYTES, BaseColumnSubset, IterativeColumnSubset, Selected
from ._factored import Factored
from ._pair import PairProblem, Path
from ._result import Choice
from .search._cost_front import CostSearch, nondominated
from .search._pocss import ParetoSearch, digest_of, subsets

#: Probability that a mutation is an exchange.
SWAPS = {"bitwise": 0.0, "swap": 0.5}


class ParetoFront(NamedTuple):
    """Subsets of which none is as cheap as another of no larger error, by rising cost."""

    cost: Array
    error: Array
    columns: tuple[Indices, ...]
    of: str  # "columns" or "cost"


class POCSS(IterativeColumnSubset):
    """Minimize the reconstruction error and the number of columns together, by random mutations.

    Solves ``min_S ||A - A_S A_S^+ A||_F^2, |S| <= k``, A being X after `scale`. An archive keeps,
    for each number of columns, the best subset met unless a smaller one is as good. A mutation
    takes one of them at random, lets each column enter or leave with probability 1/n, and keeps
    the outcome if no subset of the archive is as good with fewer columns or better with as many.

    Parameters
    ----------
    n_features_to_select, scale
        See `BaseColumnSubset`.
    max_iter : int or None, default=None
        Mutations; None takes the paper's ``ceil(2 e k^2 n)`` (Theorem 1 for the cap 2k).
    time_budget : float or None, default=None
        Seconds after which to stop with the best subset so far, if `max_iter` has not come first.
        Batches of up to about a second are finished.
    max_size : int or None, default=None
        Largest subsets considered, between k and n. None takes the paper's 2k - 1, or n if that is
        less.
    mutation : {"bitwise", "swap"} or float, default="bitwise"
        ``"bitwise"`` is the paper's. A number in [0, 1] is the probability that a mutation
        exchanges one column for another; ``"swap"`` means 0.5. Better early on.
    polish : bool, default=True
        Replace single columns of the k chosen by better ones, as long as there are any. The path
        then has that subset for k; the guarantee stays. False is the paper.
    warm_start : bool, default=False
        Continue from the archive of the last `fit` or answer, instead of an empty one. If the data
        or `max_size` have changed, its subsets are taken over.
    random_state : int, RandomState instance or None, default=None
        Where the mutations come from. Same seed, same answer.
    solver, candidates, keep, ridge, budget
        See `BaseColumnSubset`.

    Raises
    ------
    ValueError
        If `max_size` does not lie between k and n; if it or `warm_start` is given with costs.

    Warns
    -----
    RankDeficiencyWarning
        If fewer than k columns already reconstruct all the others; they are returned.

    Notes
    -----
    Cost O(m n^2) for the Gram matrix and O(n^3) for its square (O(m n^2) if m < n), then for a
    mutation that flips d columns O(1) if d <= 1 and else O(d^2 k), and O(n k) for the few that are
    kept: in all 0.1 to 0.6 microseconds a mutation (n = 60 to 5748, k = 50;
    ``benchmarks/css_speed.py``). Memory
    32 n^2 + 32 n k (2k - 1) bytes. The first fit on a machine compiles the
    kernels, some ten seconds.

    Theorem 1 bounds the mean number of mutations after which `guarantee_` is reached: by ``e k n
    (n + 1)``, with the cap 2k by ``2 e k^2 n``. A run may need more. Theorem 2 needs subsets larger
    than the paper's cap admits. For small k the paper's budget is short: an optimum of two to six
    columns is often met only after several times as many mutations, or by the polish.

    With costs, f_2 is the cost, subsets have at most k columns, and the archive holds the front; a
    mutation takes O(k^3) time: give `max_iter` or `time_budget` for many columns.

    At equal numbers of evaluations restarts of local search find better subsets; what POCSS offers
    is the front, the guarantee, and an answer at any time.

    References
    ----------
    Feng, Qian & Tang, "Unsupervised feature selection by Pareto optimization", AAAI 2019:
    Algorithm 1, Theorems 1 and 2, Lemmas 1 to 4.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import POCSS
    >>> X = load_wine(as_frame=True).data
    >>> sel = POCSS(n_features_to_select=3, scale="standard", random_state=0).fit(X)
    >>> sel.get_feature_names_out()
    array(['alcalinity_of_ash', 'flavanoids', 'color_intensity'], dtype=object)
    >>> list(sel.path_)
    [1, 2, 3, 4, 5]
    """

    nested: ClassVar[bool] = False

    path_ = FitAttribute[Path](
        "dict of int -> ndarray",
        "The best subset met of each size. Without costs the Pareto front: no subset is as good as "
        "another with fewer columns.",
    )
    front_ = FitAttribute[ParetoFront](
        "ParetoFront",
        "The Pareto front of error against cost, by rising cost: ``cost`` and ``error`` of shape "
        '(p,), the subsets ``columns``, and ``of``, which says what the cost is: ``"cost"``, or '
        '``"columns"``, their number, where `fit` was given no costs.',
    )
    guarantee_ = FitAttribute[float](
        "float in [0, 1)",
        "What Theorem 1 promises before the search, see Notes: the variance that the k columns "
        "explain is at least this share of the most that k columns can. ``1 - exp(-gamma)``, with "
        "the smallest eigenvalue of the correlations (cosines, if not centered) for gamma, which "
        "the submodularity ratio is never below (Das & Kempe, ICML 2011, Lemma 2.4); 0 where "
        "columns depend on each other. Of a shortlist for its columns; after columns to `keep` "
        "for what the others add. Of the answer itself more is known: its error is at most "
        "`error_ratio_` times the smallest. NaN with costs.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseColumnSubset._parameter_constraints,
        **common("time_budget", "random_state"),
        "budget": BUDGET,
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "max_size": [Interval(Integral, 1, None, closed="left"), None],
        "mutation": [StrOptions({"bitwise", "swap"}), Interval(Real, 0, 1, closed="both")],
        "polish": ["boolean"],
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        scale: str = "standard",
        max_iter: int | None = None,
        time_budget: float | None = None,
        max_size: int | None = None,
        mutation: str | float = "bitwise",
        polish: bool = True,
        warm_start: bool = False,
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
        self.max_size = max_size
        self.mutation = mutation
        self.polish = polish
        self.warm_start = warm_start
        self.random_state = random_state
        self.budget = budget

    def _select(self, problem: PairProblem, k: int, rng: np.random.RandomState) -> Selected:
        n = problem.n_columns
        k = min(k, n)  # a shortlist may be shorter
        swap = SWAPS[self.mutation] if isinstance(self.mutation, str) else self.mutation
        T = self.max_iter
        if T is None:
            T = math.ceil(2 * math.e * k**2 * n)  # Theorem 1
        if problem.cost is not None:
            return self._select_by_cost(CostSearch(problem, k, swap), T, rng)
        promised = guarantee(problem.G)  # before the archives: it needs two arrays like G
        search = ParetoSearch(problem, k, self._cap(n, k), swap)
        state = self._first(search, rng)
        search = search.ending_at(state.n_iter + T)
        left = problem.seconds_left(self.time_budget)
        stopping = Stopping(max_iter=T, time_budget=left)
        run = self._loop(search, state, stopping=stopping)
        if self.warm_start:
            self._kept = (digest_of(problem), run.state)
        front = search.filled(run.state)
        path = subsets(search.polished(front) if self.polish else front)
        return Selected(path, self._loop_attributes(run) | {"guarantee_": promised})

    def _select_by_cost(self, search: CostSearch, T: int, rng: np.random.RandomState) -> Selected:
        """The best subset of each size in the front of error against cost, which is kept."""
        if self.warm_start or self.max_size is not None:
            raise ValueError(
                "max_size and warm_start are for the archive of one subset of each size; leave "
                "them out where columns have costs."
            )
        search.last = T
        left = search.problem.seconds_left(self.time_budget)
        stopping = Stopping(max_iter=T, time_budget=left)
        run = self._loop(search, search.start(rng), stopping=stopping)
        front = search.polished(run.state) if self.polish else run.state
        met = tuple(np.flatnonzero(member) for member in front.member)
        path = {len(S): S for S in met if len(S)}  # errors fall: the last is the best
        return Selected(path, self._loop_attributes(run) | {"guarantee_": np.nan}, met)

    def _own_attributes(self, choice: Choice) -> dict[str, Any]:
        pair, cost = choice.pair, choice.pair.cost
        met = [S for S in [*choice.selected.others, *choice.path.values()] if len(S)]
        spent = np.array([len(S) if cost is None else cost[S].sum() for S in met], dtype=float)
        error = np.array([pair.error(S) for S in met])
        on_front = nondominated(spent, error)
        front = ParetoFront(
            cost=spent[on_front],
            error=error[on_front],
            columns=tuple(choice.candidates[met[i]] for i in on_front),
            of="columns" if cost is None else "cost",
        )
        return super()._own_attributes(choice) | {"front_": front}

    def _cap(self, n: int, k: int) -> int:
        """The first size that is not considered."""
        if self.max_size is None:
            return min(2 * k, n + 1)
        if not k <= self.max_size <= n:
            raise ValueError(
                f"max_size={self.max_size} must lie between n_features_to_select={k} and the "
                f"number of columns, {n}."
            )
        return self.max_size + 1

    def _first(self, search: ParetoSearch, rng: np.random.RandomState) -> Archive:
        """The archive to start from."""
        digest, state = getattr(self, "_kept", (None, None))
        if not self.warm_start or state is None:
            return search.start(rng)
        if digest == digest_of(search.problem) and len(state.f) == search.cap:
            return state
        return search.adapt(state)

    def _memory(self, n: int, k: int) -> float:
        cap = self._cap(n, k)
        return GRAM_BYTES * n * n + 2 * (n_bytes(n, cap) + 28.0 * n * cap)


def guarantee(G: Array) -> float:
    """``1 - exp(-gamma)`` of Theorem 1, gamma bounded by the smallest eigenvalue of unit columns.

    For unit columns C = G, any U and S, and what a set explains, g: the gains of the single columns
    of S after U sum to at least lambda_min(C) times the gain of S (Das & Kempe, Lemma 2.4, summed
    over the columns of the target). Zero columns explain nothing and are left out.

    Examples
    --------
    >>> import numpy as np
    >>> round(guarantee(np.eye(3)), 4), guarantee(np.ones((2, 2)))
    (0.6321, 0.0)
    """
    norms = np.sqrt(np.diagonal(G))
    used = norms > 0
    if not used.any():
        return 0.0
    C = G[np.ix_(used, used)] / np.outer(norms[used], norms[used])
    try:
        cholesky(C, check_finite=False)  # fails early where columns depend on each other
    except LinAlgError:
        return 0.0
    smallest = eigh(C, eigvals_only=True, subset_by_index=[0, 0], check_finite=False)[0]
    return float(-np.expm1(-max(smallest, 0.0)))  # Theorem 1
