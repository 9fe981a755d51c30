"""Shares that chosen columns explain on the rows of the fit itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator

from .._typing import Array, Indices
from ..linalg import leading_ritz_pairs
from ..metrics import contributions, uniqueness
from ..tables import (
    column_norms2,
    gram,
    source_of,
    varying_columns,
    weighted_gram,
    weighted_outer,
)
from ._reconstruction import correlations

#: Part of the total below which an error counts as zero.
EQUAL = 1e-9
#: Smaller side of the table up to which its inner products are written out.
WRITTEN = 5000
#: Of the share that the best approximation explains.
TOLERANCE = 1e-10


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
    total, error : float
        ``||A||^2``, ``||A - A_S A_S^+ A||^2``.
    bound : float or callable
        Error of the best rank-k approximation, or what computes it when it is asked for.
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
    bound: float | Callable[[], float] = field(repr=False)
    scale: str
    path: tuple[PathPoint, ...] = field(default=(), repr=False)
    variables: VariableSummary | None = None

    @property
    def explained(self) -> float:
        """Share that the chosen columns explain together."""
        return 1.0 - self.error / self.total if self.total else 1.0

    @cached_property
    def least(self) -> float:
        """Error of the best rank-k approximation (PCA, SVD); NaN where it did not converge."""
        return self.bound() if callable(self.bound) else self.bound

    @property
    def ratio(self) -> float:
        """The error over the least one; 1 where both are zero."""
        if self.least > 0 or np.isnan(self.least):
            return max(1.0, self.error / self.least)  # rounding may go below
        return 1.0 if self.error <= EQUAL * self.total else float("inf")

    @property
    def best_possible(self) -> float:
        """Share that the best rank-k approximation explains."""
        return 1.0 - self.least / self.total if self.total else 1.0

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
    O(k^2 n) for column subset methods, O(m n k) for others. Of these, `least`, `ratio` and
    `best_possible` are computed when they are first read: O(m n min(m, n)).

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
        bound=float(bounds[len(S)]),
        scale=scale or est.scale,
        path=path,
    )


def _of_table(X: Any, S: Indices) -> SelectionSummary:
    C, varies = correlations(X, S)
    norms = varies.astype(np.float64)
    total = float(norms.sum())
    adds = contributions(C, S, norms)
    return SelectionSummary(
        chosen=S,
        adds=adds / (total or 1.0),
        unique=uniqueness(C[:, S]),
        total=total,
        error=max(total - float(adds.sum()), 0.0),
        bound=partial(_least_error, X, len(S), total) if total else 0.0,
        scale="standard",
    )


def _least_error(X: Any, k: int, total: float) -> float:
    """Error of the best rank-k approximation of the standardized table of squared norm `total`."""
    Z, _ = varying_columns(X, "standard")
    n, d = Z.shape
    size = min(n, d)
    if size <= WRITTEN:
        small = weighted_gram(Z) if d <= n else weighted_outer(Z)
    else:
        A, B = (Z.T, Z) if d <= n else (Z, Z.T)

        def product(V: Array) -> Array:
            return np.asarray(A @ (B @ V))

        small = LinearOperator((size, size), matvec=product, matmat=product, dtype=float)
    values = leading_ritz_pairs(small, min(k, size), tol=TOLERANCE)[0]
    least = 1 - float(values.sum() / column_norms2(Z).sum())
    return total * least if least > d * np.finfo(float).eps else 0.0
