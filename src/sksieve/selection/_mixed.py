"""Columns of a mixed table: a text column, coded as several 0/1 columns, is one variable.

The variables are chosen that explain most of the variance of all variables by least squares. Each
variable has variance 1 in all. Of a text column, the explained share is the mean over its values of
what is explained of their indicators, weighted by their variance: Goodman and Kruskal's tau where
one text column explains another. A variable of p coded columns explains by chance
``c = p / (n - 1 - q)`` of what the q columns chosen before leave: its gain g is corrected for that,
``(g - c tr R) / (1 - c)``, so that text columns of noise with many values are not preferred.

====== ========== ============================================================
here   code       meaning, shape
====== ========== ============================================================
Z      --         centered columns, those of a variable scaled to variance 1 in all, n x d
G      G          ``Z'Z / n``, d x d
b      block      columns of one variable
S      S          columns of the chosen variables
R      R          ``G - G_S G_SS^+ G_S'``, what S leaves, d x d
====== ========== ============================================================

Goodman & Kruskal, "Measures of association for cross classifications", JASA 49, 1954.
"""

from __future__ import annotations

from typing import Any, ClassVar

import narwhals as nw
import numpy as np

from .. import _frames
from .._array import as_float
from .._ranking import position_scores
from .._typing import Array, Indices
from .._validation import check_header, check_random_state, text_columns
from .._wording import listed
from ..exceptions import DataError
from ..io import numeric_table
from ..tables import constant_columns, refuse_extremes
from ._base import BaseSelector

#: Eigenvalues of a block below this part of a variable's variance count as zero.
TOLERANCE = 1e-10
#: An exchange must explain so much more, as a part of all, to count; sweeps of exchanges at most.
GAIN, SWEEPS = 1e-10, 10
#: Random choices whose mean is the baseline.
DRAWS = 10


class MixedColumns(BaseSelector):
    """Choose variables of a table in which some variables take several columns.

    Forward selection of whole variables, then exchanges of one variable for another while that
    explains more, in both what a variable of so many columns explains by chance set aside. Every
    variable weighs the same, whether it is a number or a text column coded as
    0/1 columns with many values.

    A data frame with columns of text or categories is taken as it is: `fit` codes it as
    ``sksieve.io.numeric_table(X, encode="onehot")`` does, every column of the frame is a variable,
    and `transform` keeps the chosen columns of the frame.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        Variables to keep; half of them when None.
    groups : array-like of shape (n_features,) or None, default=None
        Variable that each column belongs to, as numbers or names; `sksieve.io.numeric_table` has
        them as ``groups``. None: every column is a variable.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        Positions in the ranking; the columns of a variable follow each other.
    n_features_to_select_ : int
        Columns of the chosen variables.
    variables_ : list of length n_variables
        Chosen variables, as in `groups` (column indices without it), each explaining as much as it
        can in addition to those before.
    adds_ : ndarray of shape (n_variables,)
        Share of the variance of all variables that each adds to those before it.
    unique_ : ndarray of shape (n_variables,)
        Share of each that the other chosen variables do not explain.
    variable_explained_ : dict
        Share of every variable that the chosen ones explain.
    random_explained_ : float
        Share that as many random variables explain, mean of ten draws.

    Raises
    ------
    DataError
        If every column is constant, `groups` does not have one entry for each column, fewer
        variables vary than are wanted, or columns of a data frame with text have missing numbers or
        more than 100 different texts.

    Notes
    -----
    Cost O(n d^2) for the Gram matrix, then O(k d^2) a step of forward selection and O(k^2 d^2) a
    sweep of exchanges.

    References
    ----------
    Farahat, Ghodsi & Kamel, "Efficient greedy feature selection for unsupervised learning",
    Knowledge and Information Systems 35, 2013; Goodman & Kruskal, "Measures of association for
    cross classifications", JASA 49, 1954.

    Examples
    --------
    >>> import pandas as pd
    >>> from sksieve import MixedColumns
    >>> city = ["Delft", "Gent", "Lyon"] * 20
    >>> people = pd.DataFrame({"city": city, "age": range(60)})
    >>> people["country"] = people.city.map({"Delft": "NL", "Gent": "BE", "Lyon": "FR"})
    >>> est = MixedColumns(2).fit(people)
    >>> est.variables_, est.adds_.round(2), round(est.variable_explained_["country"], 2)
    (['city', 'age'], array([0.67, 0.33]), 1.0)
    """

    nested: ClassVar[bool] = False
    ranks_only: ClassVar[bool] = True
    _accept_text: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        "groups": ["array-like", None],
    }

    def __init__(self, n_features_to_select: int | None = None, *, groups: Any = None) -> None:
        self.n_features_to_select = n_features_to_select
        self.groups = groups

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return 2.0 * stored + 4.0 * d * d

    def _validate(self, X: Any, reset: bool = True, min_samples: int = 2) -> Any:
        self._coded_groups: list[str] | None = None
        if self.groups is not None or not _holds_text(X):
            return super()._validate(X, reset, min_samples)
        check_header(self, X, reset)
        names = [str(name) for name in _frames.names_of(X) or ()]
        coded = numeric_table(X, encode="onehot", include=names)
        unused = sorted({*names} - {*coded.groups})
        if unused:
            raise DataError(f"X has columns that name the rows: {listed(unused)}. Leave them out.")
        self._require_memory(coded.X)
        self._coded_groups = coded.groups
        return coded.X

    def _number_for(self, X: Any) -> int:
        if self._coded_groups is not None:
            return super()._n_to_select(len(set(self._coded_groups)))
        return super()._number_for(X)

    def _n_to_select(self, n_features: int) -> int:
        if self.groups is None:
            return super()._n_to_select(n_features)
        if len(self.groups) != n_features:
            raise DataError(
                f"groups has {len(self.groups)} entries for the {n_features} columns of X; give "
                "one for each column."
            )
        return super()._n_to_select(len(dict.fromkeys(self.groups)))

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        X = as_float(X)
        refuse_extremes(X)
        d, k = X.shape[1], self.n_features_to_select_
        coded = self._coded_groups
        groups = range(d) if self.groups is None else self.groups
        names, blocks = _blocks(groups if coded is None else coded)
        problem = _Blocks(_gram(X, blocks), blocks, len(X))
        if not problem.varies.any():
            raise DataError("Every column of X is constant; there is nothing to choose from.")
        if k > problem.varies.sum():
            raise DataError(
                f"n_features_to_select={k} asks for more than the {problem.varies.sum()} variables "
                "of X that vary."
            )
        chosen = problem.exchanged(problem.forward(k))
        chosen, self.adds_ = problem.ordered(chosen)
        self.variables_ = [names[b] for b in chosen]
        self.unique_ = problem.unique(chosen)
        left = problem.left(chosen)
        lost = np.divide(left, problem.total, out=np.zeros_like(left), where=problem.varies)
        self.variable_explained_ = dict(zip(names, (1 - lost).tolist()))
        self.random_explained_ = problem.random(k)
        gains = problem.gains(problem.residual(chosen), chosen)
        rest = np.argsort(-gains, kind="stable").tolist()
        order = [*chosen, *(b for b in rest if b not in chosen)]
        if coded is not None:  # the columns of the frame, not those that code them
            return position_scores(np.array(order))
        self.n_features_to_select_ = sum(len(blocks[b]) for b in chosen)
        return position_scores(np.concatenate([blocks[b] for b in order]))


def _holds_text(X: Any) -> bool:
    """Whether X is a data frame with columns of text, none of which has numbers beside it."""
    if not _frames.is_frame(X):
        return False
    text, types = text_columns(X), {column.name: dtype for column, dtype in _frames.columns_of(X)}
    return bool(text) and all(types[name] != nw.Object for name in text)


def _blocks(groups: Any) -> tuple[list[Any], list[Indices]]:
    """The variables, in the order of their first columns, and the columns of each."""
    places: dict[Any, list[int]] = {}
    for j, group in enumerate(groups):
        places.setdefault(group.item() if hasattr(group, "item") else group, []).append(j)
    return list(places), [np.array(columns) for columns in places.values()]


def _gram(X: Array, blocks: list[Indices]) -> Array:
    """Inner products of the centered columns, the columns of a variable of variance 1 in all."""
    Z = X.astype(np.float64)
    Z -= Z.mean(axis=0)
    Z[:, constant_columns(X)] = 0.0
    for block in blocks:
        size = np.sqrt(np.sum(Z[:, block] ** 2) / len(Z))
        Z[:, block] /= size or 1.0
    return Z.T @ Z / len(Z)


class _Blocks:
    """The Gram matrix of variables that take one or several columns each."""

    def __init__(self, G: Array, blocks: list[Indices], n: int) -> None:
        self.G, self.blocks, self.n = G, blocks, n
        self.ranks = np.array([self._half(G, b).shape[1] for b in blocks])
        self.total = np.array([np.trace(G[np.ix_(b, b)]) for b in blocks])
        self.varies = self.total > 0

    def residual(self, chosen: Any, R: Array | None = None) -> Array:
        """What the chosen variables leave of G, or of a residual R."""
        R = self.G if R is None else R
        for b in chosen:
            half = self._half(R, self.blocks[b])
            R = R - half @ half.T
        return R

    def _half(self, R: Array, block: Indices) -> Array:
        """H with ``H H' = R_b R_bb^+ R_b'``."""
        values, vectors = np.linalg.eigh(R[np.ix_(block, block)])
        kept = values > TOLERANCE
        return R[:, block] @ (vectors[:, kept] / np.sqrt(values[kept]))

    def gains(self, R: Array, chosen: list[int]) -> Array:
        """What each variable would explain of the residual R of `chosen`, corrected for chance."""
        n_free = self.n - 1 - int(self.ranks[chosen].sum())
        left = float(np.trace(R))
        gains = np.zeros(len(self.blocks))
        for b, block in enumerate(self.blocks):
            half = self._half(R, block)
            by_chance = half.shape[1] / n_free if n_free > 0 else 1.0
            if by_chance < 1:
                gains[b] = (np.sum(half**2) - by_chance * left) / (1 - by_chance)
        return gains

    def left(self, chosen: Any) -> Array:
        """What the chosen variables leave of each variable."""
        R = self.residual(chosen)
        return np.array([max(np.trace(R[np.ix_(b, b)]), 0.0) for b in self.blocks])

    def explained(self, chosen: Any) -> float:
        return 1 - self.left(chosen).sum() / self.total.sum()

    def forward(self, k: int) -> list[int]:
        chosen: list[int] = []
        R = self.G
        for _ in range(k):
            gains = np.where(self.varies, self.gains(R, chosen), -np.inf)
            gains[chosen] = -np.inf
            chosen.append(int(np.argmax(np.round(gains, 12))))
            R = self.residual(chosen[-1:], R)
        return chosen

    def exchanged(self, chosen: list[int]) -> list[int]:
        """Variables exchanged one for one while that explains more."""
        for _ in range(SWEEPS):
            before = list(chosen)
            for place in range(len(chosen)):
                others = chosen[:place] + chosen[place + 1 :]
                gains = np.where(self.varies, self.gains(self.residual(others), others), -np.inf)
                gains[others] = -np.inf
                best = int(np.argmax(gains))
                if gains[best] > gains[chosen[place]] + GAIN * self.total.sum():
                    chosen = [*chosen[:place], best, *chosen[place + 1 :]]
            if chosen == before:
                break
        return chosen

    def ordered(self, chosen: list[int]) -> tuple[list[int], Array]:
        """The chosen variables, each explaining as much as it can in addition to those before."""
        order: list[int] = []
        adds = []
        R = self.G
        while len(order) < len(chosen):
            gains = self.gains(R, order)
            best = max((b for b in chosen if b not in order), key=lambda b: gains[b])
            order.append(best)
            adds.append(np.sum(self._half(R, self.blocks[best]) ** 2) / self.total.sum())
            R = self.residual([best], R)
        return order, np.array(adds)

    def unique(self, chosen: list[int]) -> Array:
        shares = []
        for b in chosen:
            R = self.residual([other for other in chosen if other != b])
            shares.append(np.trace(R[np.ix_(self.blocks[b], self.blocks[b])]) / self.total[b])
        return np.clip(np.array(shares), 0.0, 1.0)

    def random(self, k: int) -> float:
        """Mean share that k random variables explain."""
        rng = check_random_state(0)
        varying = np.flatnonzero(self.varies)
        draws = [self.explained(rng.permutation(varying)[:k]) for _ in range(DRAWS)]
        return float(np.mean(draws))
