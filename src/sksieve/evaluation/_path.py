"""The chosen columns at every size: what they explain on rows not used, and what explains the rest.

All shares are those of `sksieve.metrics.HeldOut`, whatever the method optimizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._typing import Array, Indices
from ..columns import GramProblem
from ..metrics import HeldOut
from ._reconstruction import Reconstruction, correlations, worst_first
from ._summary import explains_table

#: Multiplications that may be spent on sizes other than the one selected.
BUDGET = 5e9
#: Sizes the slider stops at, at most.
POSITIONS = 150
#: Rows of all tables of dropped columns together, selected size apart.
TABLE_ROWS = 20_000
#: Columns of a table whose correlations are all computed, at most.
ALL_CORRELATIONS = 1000
#: Errors below this part of the total are rounding.
ROUNDING = 1e-10


class Variables(NamedTuple):
    """What is chosen or dropped as a whole: a column, or all columns that code one variable.

    Attributes
    ----------
    names : list of str
    members : list of ndarray
        Columns of each.
    """

    names: list[str]
    members: list[Indices]

    def columns(self, order: Sequence[int] | Indices) -> tuple[Indices, Indices]:
        """Columns of some variables in order, and where in them each variable ends."""
        if not len(order):
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
        columns = np.concatenate([self.members[v] for v in order])
        return columns, np.cumsum([len(self.members[v]) for v in order]) - 1


def variables_of(est: Any, names: Sequence[str]) -> Variables:
    """The variables of a method that chooses whole ones (`MixedColumns`), or else the columns."""
    groups = getattr(est, "groups", None) if hasattr(est, "variables_") else None
    if groups is None:
        return Variables(list(names), [np.array([j]) for j in range(len(names))])
    kinds = list(dict.fromkeys(groups))
    return Variables(
        [str(kind) for kind in kinds],
        [np.flatnonzero([group == kind for group in groups]) for kind in kinds],
    )


@dataclass(frozen=True, eq=False)
class PathStep:
    """One size of the path.

    Parameters
    ----------
    order : ndarray of shape (k,)
        The chosen variables in order.
    together : ndarray of shape (k,)
        Share that the first explains, the first two, and so on.
    reconstruction : Reconstruction or None
        How well the dropped variables are explained; None where the tables would be too large.
    """

    order: Indices
    together: Array
    reconstruction: Reconstruction | None

    @property
    def k(self) -> int:
        """Number of variables."""
        return len(self.order)

    @property
    def share(self) -> float:
        """Share that they explain together."""
        return float(self.together[-1])

    @property
    def adds(self) -> Array:
        """What each adds to those before it; below 0 where it adds noise only."""
        return np.diff(self.together, prepend=0.0)


@dataclass(frozen=True, eq=False)
class SelectionPath:
    """Chosen columns and smaller and larger choices.

    Parameters
    ----------
    variables : Variables
        What `PathStep.order` counts.
    selected : int
        The size that was asked for.
    components, random : ndarray
        Share that 1, 2, ... principal components explain (none where variables have several
        columns), and as many random variables (mean of ten draws).
    steps : dict of int -> PathStep
        The sizes, ascending, the selected one among them.
    last : int
        Largest size of the method's own path; larger sizes add columns by forward selection.
    has_prefixes : bool
        Are smaller sizes the first of the chosen columns, because the method has a subset of one
        size only? Asked for fewer columns it could choose others.
    """

    variables: Variables
    selected: int
    components: Array
    random: Array
    steps: dict[int, PathStep]
    last: int
    has_prefixes: bool = False

    @property
    def answer(self) -> PathStep:
        """The selected size."""
        return self.steps[self.selected]

    @property
    def sizes(self) -> Indices:
        """Every size."""
        return np.array(list(self.steps))

    @property
    def shares(self) -> Array:
        """What every size explains."""
        return np.array([step.share for step in self.steps.values()])

    @property
    def is_detailed(self) -> bool:
        """Has every size its table of dropped variables?"""
        return all(step.reconstruction is not None for step in self.steps.values())

    def component_share(self, k: int) -> float | None:
        """Share that k principal components explain; None where there are not so many."""
        return float(self.components[k - 1]) if 0 < k <= len(self.components) else None

    def random_share(self, k: int) -> float | None:
        """Share that k random variables explain; None where it was not computed."""
        return float(self.random[k - 1]) if 0 < k <= len(self.random) else None


def selection_path(est: Any, X: Any, names: Sequence[str]) -> SelectionPath:
    """What a fitted selector's columns explain at its own size and at others.

    Parameters
    ----------
    est : fitted selector
        A column subset method has a subset for each size in ``path_``; of any other, and of one
        with a subset of its own size only, the first 1, 2, ... columns of ``ranking_`` are taken.
    X : ndarray or CSR of shape (n_samples, n_features)
        The table, in any scaling.
    names : sequence of str
        Of the columns.

    Returns
    -------
    SelectionPath

    Notes
    -----
    Sizes are thinned until all of them cost no more than `BUDGET` multiplications.
    """
    variables = variables_of(est, names)
    home = np.empty(X.shape[1], dtype=np.intp)
    for v, members in enumerate(variables.members):
        home[members] = v
    is_mixed = len(variables.members) < len(home)
    judge = HeldOut(X, groups=home if is_mixed else None)
    ranking = np.array(list(dict.fromkeys(home[np.asarray(est.ranking_)].tolist())), dtype=np.intp)
    selected = len(dict.fromkeys(home[est.ranking_[: est.n_features_to_select_]].tolist()))
    path = _Path(X, judge, variables)
    orders, last = path.orders(est, ranking, selected)
    stops = _stops(path, orders, selected)
    with_tables = len(stops) * len(variables.members) <= TABLE_ROWS
    steps = {}
    for k in stops:
        reconstruction = path.reconstruction(orders[k]) if with_tables or k == selected else None
        steps[k] = PathStep(orders[k], path.together(orders[k]), reconstruction)
    largest = max(k for k in range(1, max(stops) + 1) if k == 1 or 10 * path.cost(k) <= BUDGET)
    components = np.zeros(0) if is_mixed else judge.components(max(stops))
    random = judge.random(largest)
    has_prefixes = selected > 1 and set(getattr(est, "path_", {})) - {0} == {selected}
    return SelectionPath(variables, selected, components, random, steps, last, has_prefixes)


class _Path:
    """Orders of variables, and what they explain; prefixes of one order are judged once."""

    def __init__(self, X: Any, judge: HeldOut, variables: Variables) -> None:
        self.X, self.judge, self.variables = X, judge, variables
        self.known: list[tuple[Indices, Array]] = []
        self.all_correlations: Array | None = None
        if X.shape[1] <= ALL_CORRELATIONS:
            self.all_correlations = correlations(X, np.arange(X.shape[1]))[0]

    def cost(self, k: int) -> float:
        """Multiplications to judge the prefixes of k variables."""
        n, d = self.X.shape
        rows = 0 if self.all_correlations is not None and 2 * d <= n else n
        return 20.0 * k * d * (k + rows)

    def orders(self, est: Any, ranking: Indices, selected: int) -> tuple[dict[int, Indices], int]:
        """The variables of each size in order, the largest ones first judged."""
        own = getattr(est, "path_", None)
        if own is None or len(self.variables.members) < self.X.shape[1]:
            most = max(POSITIONS, 2 * selected)  # the end of a ranking says little
            orders = {k: ranking[:k] for k in range(1, min(most, len(ranking)) + 1)}
            return self._affordable(orders, selected), len(ranking)
        orders = {
            k: self._ordered(np.asarray(S, dtype=np.intp), est.nested)
            for k, S in sorted(own.items())
            if k > 0
        }
        orders[selected] = ranking[:selected]
        if len(orders) == 1:
            orders = {k: ranking[:k] for k in range(1, selected + 1)}
        last = max(orders)
        limits = [getattr(est, name, None) for name in ("candidates", "keep", "budget")]
        if explains_table(est) and not any(limit is not None for limit in limits):
            more = self._continued(orders[last])
            orders |= {last + i: np.append(orders[last], more[:i]) for i in range(1, len(more) + 1)}
        return self._affordable(orders, selected), last

    def _affordable(self, orders: dict[int, Indices], selected: int) -> dict[int, Indices]:
        return {k: S for k, S in orders.items() if k <= selected or self.cost(k) <= BUDGET}

    def _ordered(self, S: Indices, nested: bool) -> Indices:
        """A subset in an order in which each column adds as much as it can to the fit."""
        if nested or self.all_correlations is None:
            return S
        order, _ = GramProblem(self.all_correlations).greedy_order(S, len(S))
        return np.concatenate([order, np.setdiff1d(S, order)])

    def _continued(self, S: Indices) -> Indices:
        """More columns by forward selection, up to the rank."""
        C = self.all_correlations
        if C is None or len(S) == len(C):
            return np.empty(0, dtype=np.intp)
        B = GramProblem(C).on(S).B
        rest = np.setdiff1d(np.arange(len(C)), S)
        order, left = GramProblem(C - B.T @ B).greedy_order(rest, len(rest))
        n_more = int(np.sum(left[1:] > ROUNDING * np.trace(C))) + 1  # the rest is rounding
        return np.asarray(order[:n_more], dtype=np.intp)

    def together(self, order: Indices) -> Array:
        """Share that the first variable explains, the first two, and so on."""
        for known, shares in self.known:
            if len(known) >= len(order) and np.array_equal(known[: len(order)], order):
                return shares[: len(order)]
        columns, ends = self.variables.columns(order)
        shares = self.judge.path(columns)[ends]
        self.known.append((order, shares))
        return shares

    def reconstruction(self, order: Indices) -> Reconstruction:
        """How well the dropped variables are explained, and by which."""
        columns, _ = self.variables.columns(order)
        C = (
            correlations(self.X, columns)[0]
            if self.all_correlations is None
            else self.all_correlations[columns]
        )
        coef = np.asarray(np.linalg.lstsq(C[:, columns], C, rcond=1e-10)[0], dtype=np.float64)
        shares = self.judge.by_column(columns)
        members = self.variables.members
        if len(members) == len(shares):
            return worst_first(order, shares, coef)
        owner = np.repeat(np.arange(len(order)), [len(members[v]) for v in order])
        weights = np.zeros((len(order), len(members)))
        means = np.full(len(members), np.nan)
        for v, columns_of in enumerate(members):
            squares = (coef[:, columns_of] ** 2).sum(axis=1)
            weights[:, v] = np.sqrt(np.bincount(owner, squares, len(order)) / len(columns_of))
            of = shares[columns_of]
            if not np.isnan(of).all():
                means[v] = float(np.nanmean(of))
        return worst_first(order, means, weights)


def _stops(path: _Path, orders: dict[int, Indices], selected: int) -> list[int]:
    """At most `POSITIONS` of the sizes, ends and selected one among them, within `BUDGET`.

    The largest size comes first in the order of judging where others are prefixes of it, so that
    sizes cost little; else each of them costs its own.
    """
    sizes = np.array(sorted(orders))
    longest = orders[int(sizes[-1])]
    separate = [k for k in orders if not np.array_equal(orders[k], longest[:k])]
    path.together(longest)
    limit = POSITIONS
    while True:
        places = np.linspace(0, len(sizes) - 1, min(limit, len(sizes))).round().astype(int)
        stops = sorted({int(k) for k in sizes[places]} | {selected})
        cost = sum(path.cost(k) for k in stops if k in separate and k != selected)
        if cost <= BUDGET or limit <= 2:
            return stops if cost <= BUDGET else [selected]
        limit = limit // 2
