"""Shares that chosen columns explain on the rows of the fit itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._typing import Array, Indices
from ..metrics import contributions, error_ratio, uniqueness
from ..tables import gram, source_of
from ._reconstruction import correlations


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
    scale: str
    path: tuple[PathPoint, ...] = field(default=(), repr=False)
    variables: VariableSummary | None = None

    @property
    def explained(self) -> float:
        """Share that the chosen columns explain together."""
        return 1.0 - self.error / self.total if self.total else 1.0

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
    of the data.

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
        return _of_column_subset(est, chosen, scale, lambda T: G[T], np.diagonal(G))
    if X is None:
        raise ValueError("X must be given: this method keeps no inner products of the columns.")
    if explains_table(est):
        source = source_of(X, est.scale)
        return _of_column_subset(est, chosen, scale, lambda T: source.columns(T).T, source.norm2)
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
    return getattr(est, "target_", "") == "table" and not est.ridge


def _of_column_subset(
    est: Any,
    S: Indices,
    scale: str | None,
    rows: Callable[[Indices], Array],
    norms: Array,
) -> SelectionSummary:
    """`rows` gives inner products of some columns with all."""
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
        scale="standard",
    )
