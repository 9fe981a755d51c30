"""A column subset at every size of its path: order, shares, dropped columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array, Indices
from ..columns import GramProblem
from ..tables import gram
from ._reconstruction import Reconstruction, worst_first
from ._summary import SelectionSummary

#: Multiplications that may be spent on sizes other than the one selected.
BUDGET = 5e9
#: Sizes the slider stops at, at most.
POSITIONS = 150
#: Rows of all tables of dropped columns together, selected size apart.
TABLE_ROWS = 20_000
#: Paths of more columns are not continued to the rank.
CONTINUED = 1000
#: Errors below this part of the total are rounding.
ROUNDING = 1e-10


@dataclass(frozen=True)
class PathStep:
    """One size of the path.

    Parameters
    ----------
    k : int
        Number of columns.
    share, bound : float
        Share of the variation kept, and that of the best rank-k approximation.
    order : ndarray of shape (k,)
        The columns, each adding as much as it can to those before.
    adds : ndarray of shape (k,)
        What each adds, as a share of the total variation.
    reconstruction : Reconstruction or None
        Left out where the tables would make the page too large.
    """

    k: int
    share: float
    bound: float
    order: Indices
    adds: Array
    reconstruction: Reconstruction | None


@dataclass(frozen=True)
class SelectionPath:
    """A column subset and its path.

    Parameters
    ----------
    selected : int
        The size that was asked for.
    sizes, shares : ndarray of shape (s,)
        Every size of the path and its share.
    bounds : ndarray of shape (max size + 1,)
        Shares of the best rank-k approximations, k = 0, 1, ...
    steps : dict of int -> PathStep
        The sizes the slider stops at, the selected one among them.
    last : int
        Largest size of the method's own path; larger sizes add columns by forward selection.
    """

    selected: int
    sizes: Indices
    shares: Array
    bounds: Array
    steps: dict[int, PathStep]
    last: int

    @property
    def detailed(self) -> bool:
        """Does every stop of the slider have its table of dropped columns?"""
        return all(step.reconstruction is not None for step in self.steps.values())


def selection_path(est: Any, summary: SelectionSummary | None = None) -> SelectionPath:
    """Read a fitted column subset method.

    Parameters
    ----------
    est : fitted BaseColumnSubset
    summary : SelectionSummary, optional
        Order, shares and bound of the selected size are read from it.

    Returns
    -------
    SelectionPath

    Notes
    -----
    Costs the scaled Gram matrix, O(n^2), and O(k^2 n) for each stop of the slider, which are
    thinned until they cost no more than `BUDGET`. Nothing is selected here.
    """
    total = est.error_path_[0]
    selected = int(est.n_features_to_select_)
    G, _, divisor = gram(est.moments_, est.scale)
    problem = GramProblem(G)
    path, errors, lost = _continued(est, G, problem)
    sizes = np.array([k for k in sorted(path) if k > 0])
    bounds = 1.0 - lost / total
    stops = slider_stops(sizes, selected, problem.n_columns)
    with_tables = len(stops) * problem.n_columns <= TABLE_ROWS
    steps = {}
    for k in stops:
        chosen = np.asarray(path[k], dtype=np.intp)
        order, adds = _ordered(problem, chosen, errors, in_order=est.nested)
        reconstruction = None
        if k == selected:
            reconstruction = _answer_reconstruction(est, divisor * np.sqrt(np.diagonal(G)))
        elif with_tables:
            reconstruction = _path_reconstruction(problem, order)
        share = 1.0 - errors[k] / total
        steps[k] = PathStep(k, share, float(bounds[k]), order, adds / total, reconstruction)
        if k == selected and summary is not None:
            steps[k] = PathStep(
                k,
                summary.explained,
                summary.best_possible,
                summary.chosen,
                summary.adds,
                reconstruction,
            )
    shares = np.array([1.0 - errors[int(k)] / total for k in sizes])
    return SelectionPath(selected, sizes, shares, bounds, steps, max(est.path_))


def _continued(
    est: Any, G: Array, problem: GramProblem
) -> tuple[dict[int, Any], dict[int, float], Array]:
    """The path continued to the rank by forward selection, its errors, and those of the best rank.

    Not continued are paths to another target, with limits on the columns, or of more than
    `CONTINUED` columns.
    """
    path, errors = dict(est.path_), dict(est.error_path_)
    bounds = np.array(list(est.svd_error_path_.values()))
    last, n = max(path), len(G)
    S = np.asarray(path[last], dtype=np.intp)
    limits = [getattr(est, name, None) for name in ("candidates", "keep", "budget")]
    plain = np.isclose(errors[0], np.trace(G)) and not any(limit is not None for limit in limits)
    if not plain or float(getattr(est, "ridge", 0.0)) > 0 or n > CONTINUED or last == n:
        return path, errors, bounds
    B = problem.on(S).B
    rest = np.setdiff1d(np.arange(n), S)
    order, more = GramProblem(G - B.T @ B).greedy_order(rest, len(rest))
    kept = int(np.sum(more[1:] > ROUNDING * errors[0])) + 1  # the rest is rounding
    for i in range(1, min(kept, len(order)) + 1):
        path[last + i] = [*S, *order[:i]]
        errors[last + i] = float(more[i])
    values = np.maximum(np.linalg.eigvalsh(G)[::-1], 0.0)
    lost = np.maximum(errors[0] - np.concatenate([[0.0], np.cumsum(values)]), 0.0)
    return path, errors, np.concatenate([bounds, lost[len(bounds) : max(path) + 1]])


def slider_stops(sizes: Indices, selected: int, n_columns: int) -> list[int]:
    """At most `POSITIONS` of `sizes`, ends and selected size among them, within `BUDGET`."""
    limit = POSITIONS
    while True:
        places = np.linspace(0, len(sizes) - 1, min(limit, len(sizes))).round().astype(int)
        stops = sorted({int(k) for k in sizes[places]} | {selected})
        cost = n_columns * sum(k * k for k in stops if k != selected)
        if cost <= BUDGET or limit <= 2:
            return stops if cost <= BUDGET else [selected]
        limit = limit // 2


def _ordered(
    problem: GramProblem, chosen: Indices, errors: dict[int, float], *, in_order: bool
) -> tuple[Indices, Array]:
    """The columns in order, each adding as much as it can (or in a nested method's order)."""
    k = len(chosen)
    if in_order and all(i in errors for i in range(k + 1)):
        return chosen, -np.diff([errors[i] for i in range(k + 1)])
    order, left = problem.greedy_order(chosen, k)
    rest = np.setdiff1d(chosen, order)
    return np.concatenate([order, rest]), np.append(-np.diff(left), np.zeros(len(rest)))


def _answer_reconstruction(est: Any, spread: Array) -> Reconstruction:
    """The table of the selected size, from what the estimator already worked out."""
    order = np.asarray(est.ranking_[: est.n_features_to_select_])
    r2 = np.where(spread > 0, est.explained_by_, np.nan)
    safe = np.where(spread > 0, spread, 1.0)
    return worst_first(order, r2, est.coef_.T * safe[order, None] / safe)


def _path_reconstruction(problem: GramProblem, order: Indices) -> Reconstruction:
    """The table of another size of the path."""
    coef, residual = problem.reconstruct(order)
    norm2 = np.diagonal(problem.G)
    safe = np.where(norm2 > 0, norm2, 1.0)
    r2 = np.where(norm2 > 0, 1.0 - residual / safe, np.nan)
    return worst_first(order, r2, coef * np.sqrt(safe)[order, None] / np.sqrt(safe))
