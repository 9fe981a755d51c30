"""Shares that chosen columns explain: the numbers that terminal, JSON and page show."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._typing import Array, Indices
from .._validation import check_random_state
from .._wording import counted, percent
from ..metrics import contributions, error_ratio, uniqueness
from ..tables import gram, source_of
from ._reconstruction import correlations

#: Random choices of as many columns, whose mean is the baseline.
DRAWS = 10
#: Multiplications that the baseline may cost; it is left out where it would cost more.
BUDGET = 1e10


@dataclass(frozen=True)
class PathPoint:
    """The best subset found of one size."""

    k: int
    columns: tuple[int, ...]
    error: float
    best_possible: float


class VariableSummary(NamedTuple):
    """Shares that chosen variables, which may take several columns, explain; all weigh 1.

    Attributes
    ----------
    names : list
        In the order of choice.
    sizes : list of int
        Columns of each.
    adds : ndarray of shape (k,)
        Share that each adds to those before it.
    unique : ndarray of shape (k,)
        Share of each that the other chosen variables do not explain.
    random : float
        Share that as many random variables explain, mean of ten draws.
    """

    names: list[Any]
    sizes: list[int]
    adds: Array
    unique: Array
    random: float


@dataclass(frozen=True, eq=False)
class SelectionSummary:
    """Shares are of the total squared norm of the scaled columns.

    Attributes
    ----------
    chosen : ndarray of shape (k,)
        Column indices in order.
    adds : ndarray of shape (k,)
        Share each column adds to those before it.
    unique : ndarray of shape (k,)
        Share of each column that the other chosen ones do not explain.
    total, error, ratio : float
        ``||A||^2``, ``||A - A_S A_S^+ A||^2``, and the error over that of the best rank-k
        approximation.
    best_possible : float
        Share that the best rank-k approximation (PCA, SVD) explains.
    random_path : ndarray of shape (s,) or None
        Share that 1, 2, ... columns drawn at random explain, mean of ten draws, up to the largest
        size of the path or k; None where it would cost too much, or fewer columns vary.
    scale : {"standard", "unit", "minmax", "none"}
        The scaling of the columns that all shares refer to: the method's own for column subset
        methods, ``"standard"`` for all others.
    path : tuple of PathPoint
        Empty for methods without a path.
    variables : VariableSummary or None
        Of methods that choose whole variables (`MixedColumns`).
    """

    chosen: Indices
    adds: Array
    unique: Array
    total: float
    error: float
    ratio: float
    best_possible: float
    random_path: Array | None
    scale: str
    path: tuple[PathPoint, ...] = field(default=(), repr=False)
    variables: VariableSummary | None = None

    @property
    def explained(self) -> float:
        """Share that the chosen columns explain together."""
        return 1.0 - self.error / self.total if self.total else 1.0

    def random_share(self, k: int) -> float | None:
        """Share that k columns drawn at random explain, mean of ten draws; None if not known."""
        if self.random_path is None or not 0 < k <= len(self.random_path):
            return None
        return float(self.random_path[k - 1])

    @property
    def random(self) -> float | None:
        """Share that as many columns drawn at random explain, mean of ten draws."""
        return self.random_share(len(self.chosen))

    def sentence(self, n_features: int) -> str:
        """`summary_sentence` of these columns."""
        return summary_sentence(
            len(self.chosen),
            n_features,
            share=self.explained,
            bound=self.best_possible,
            random=self.random,
            scale=self.scale,
        )

    @property
    def together(self) -> Array:
        """Share that the first column explains, the first two, and so on."""
        shares = np.cumsum(self.adds)
        shares[-1:] = self.explained
        return shares


def selection_summary(est: Any, X: Any = None, *, scale: str | None = None) -> SelectionSummary:
    """Shares that the columns of a fitted selector explain, each and together.

    Parameters
    ----------
    est : fitted selector
        A column subset method brings its own Gram matrix and scaling; of any other the columns are
        judged on the standardized table, so that methods with different scalings can be compared.
    X : ndarray or CSR of shape (n_samples, n_features), optional
        The table; needed for methods that are no column subset methods, in any scaling.
    scale : str, optional
        Scaling of the table that a column subset method was given, where it is not the method's
        own parameter (``"minmax"``).

    Returns
    -------
    SelectionSummary

    Raises
    ------
    ValueError
        If `X` is needed and missing.

    Notes
    -----
    O(k^2 n) for column subset methods; O(m n^2) for others, whose error ratio takes a factorization
    of the data. The random baseline costs ten times O(k^2 n).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import GreedyCSS
    >>> from sksieve.evaluation import selection_summary
    >>> summary = selection_summary(GreedyCSS(5, scale="standard").fit(load_wine().data))
    >>> round(summary.explained, 3), round(summary.best_possible, 3), summary.scale
    (0.714, 0.802, 'standard')
    """
    chosen = np.asarray(est.ranking_[: int(est.n_features_to_select_)], dtype=np.intp)
    if explains_table(est) and hasattr(est, "moments_"):
        G, _, _ = gram(est.moments_, est.scale)
        return _of_column_subset(est, chosen, scale, lambda T: G[T], np.diagonal(G), n_rows=0)
    if X is None:
        raise ValueError("X must be given: this method keeps no inner products of the columns.")
    if explains_table(est):
        source = source_of(X, est.scale)
        return _of_column_subset(
            est, chosen, scale, lambda T: source.columns(T).T, source.norm2, n_rows=X.shape[0]
        )
    return replace(_of_table(X, chosen), variables=_variables(est))


def _variables(est: Any) -> VariableSummary | None:
    if not hasattr(est, "variables_"):
        return None
    names = est.variables_
    sizes = [1] * len(names) if est.groups is None else list(map(list(est.groups).count, names))
    return VariableSummary(names, sizes, est.adds_, est.unique_, est.random_explained_)


def explains_table(est: Any) -> bool:
    """Has a fit a path of subsets whose errors are least-squares errors of the whole table?

    Not so with another target, weights or a ridge: those choices are judged on the standardized
    table, as those of all other methods.
    """
    return getattr(est, "target_", "") == "table" and est.ridge == 0


def _of_column_subset(
    est: Any,
    S: Indices,
    scale: str | None,
    rows: Callable[[Indices], Array],
    norms: Array,
    *,
    n_rows: int,
) -> SelectionSummary:
    """`rows` gives inner products of some columns with all, at the cost of `n_rows` each."""
    total = float(norms.sum())
    G_S = rows(S)
    bounds = est.svd_error_path_
    path = tuple(
        PathPoint(int(k), tuple(map(int, subset)), float(est.error_path_[k]), float(bounds[k]))
        for k, subset in est.path_.items()
    )
    return SelectionSummary(
        chosen=S,
        adds=contributions(G_S, S, norms) / (total or 1.0),
        unique=uniqueness(G_S[:, S]),
        total=total,
        error=float(est.objective_),
        ratio=float(est.error_ratio_),
        best_possible=1.0 - float(bounds[len(S)]) / total if total else 1.0,
        random_path=_random_path(rows, norms, [max(est.path_), len(S)], n_rows=n_rows),
        scale=scale or est.scale,
        path=path,
    )


def _of_table(X: Any, S: Indices) -> SelectionSummary:
    C, varies = correlations(X, S)
    norms = varies.astype(np.float64)
    total = float(norms.sum())
    adds = contributions(C, S, norms)
    error = max(total - float(adds.sum()), 0.0)
    ratio = float(error_ratio(X, S, scale="standard")) if total else 1.0
    return SelectionSummary(
        chosen=S,
        adds=adds / (total or 1.0),
        unique=uniqueness(C[:, S]),
        total=total,
        error=error,
        ratio=ratio,
        best_possible=1.0 - error / ratio / total if total else 1.0,
        random_path=_random_path(
            lambda T: correlations(X, T)[0], norms, [len(S)], n_rows=X.shape[0]
        ),
        scale="standard",
    )


def _random_path(
    rows: Callable[[Indices], Array], norms: Array, sizes: list[int], *, n_rows: int
) -> Array | None:
    """Mean shares that the first 1, 2, ... columns explain, in random orders of those that vary.

    Parameters
    ----------
    rows : callable
        Inner products of some columns with all.
    norms : ndarray of shape (n,)
    sizes : list of int
        Largest sizes to go up to; the first that is affordable counts.
    n_rows : int
        Rows of the table that `rows` goes through.
    """
    columns = np.flatnonzero(norms > 0)
    for size in sizes:
        if 0 < size <= len(columns) and DRAWS * len(norms) * size * (size + n_rows) <= BUDGET:
            rng = check_random_state(0)
            orders = [rng.permutation(columns)[:size] for _ in range(DRAWS)]
            adds = np.mean([contributions(rows(T), T, norms) for T in orders], axis=0)
            return np.cumsum(adds) / norms.sum()
    return None


def summary_sentence(
    k: int, n_features: int, *, share: float, bound: float, random: float | None, scale: str
) -> str:
    """Share that k columns explain, next to the best possible and the random baseline.

    Parameters
    ----------
    k, n_features : int
        Columns chosen, and columns there are.
    share, bound, random : float
        What the columns explain, the best rank-k approximation (NaN if not known), as many random
        columns (None if not known).
    scale : {"standard", "unit", "minmax", "none"}
        The scaling that the shares refer to.

    Examples
    --------
    >>> summary_sentence(1, 13, share=0.25, bound=0.36, random=0.2, scale="standard")
    '1 column of 13 explains 25.0 % of the variance and loses 75.0 %. PCA with 1 component would
    lose 64.0 %, 1 random column 80.0 % (mean of 10 draws).'
    """
    explains, loses = ("explains", "loses") if k == 1 else ("explain", "lose")
    total = "the variance" if scale == "standard" else "the squared norm"
    best = "PCA" if scale == "standard" else "The SVD"
    text = (
        f"{counted(k, 'column')} of {n_features:,} {explains} {percent(share)} of {total} and "
        f"{loses} {percent(1.0 - share)}."
    )
    baselines = []
    if not math.isnan(bound):
        with_components = f"{best} with {counted(k, 'component')}"
        baselines.append(f"{with_components} would lose {percent(1.0 - bound)}")
    if random is not None:
        verb = "" if baselines else "would lose "
        baselines.append(
            f"{counted(k, 'random column')} {verb}{percent(1.0 - random)} (mean of 10 draws)"
        )
    return f"{text} {', '.join(baselines)}." if baselines else text
