"""Columns of a mixed table: a text column, coded as several 0/1 columns, is one variable.

The variables are chosen that explain most of the variance of all variables by least squares. Each
variable has variance 1 in all. Of a text column, the explained share is the mean over its values of
what is explained of their indicators, weighted by their variance: Goodman and Kruskal's tau where
one text column explains another. A variable of p coded columns explains by chance
``c = p / (n - 1 - q)`` of what the q columns chosen before leave: its gain g is corrected for that,
``(g - c tr R) / (1 - c)``, so that text columns of noise with many values are not preferred.

The letters are those of `sksieve.suggest._variables`, which counts the variables.

Goodman & Kruskal, "Measures of association for cross classifications", JASA 49, 1954.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, ClassVar

import narwhals as nw
import numpy as np

from .. import _frames
from .._array import as_float
from .._ranking import position_scores
from .._typing import Array
from .._validation import check_header, check_random_state, text_columns
from .._wording import listed
from ..exceptions import DataError
from ..io import numeric_table
from ..suggest._columns import NUMBER, asks_table
from ..suggest._variables import Blocks, blocks_of, count_variables
from ..tables import refuse_extremes
from ._base import BaseSelector

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
    n_features_to_select : int, float in (0, 1), "auto" or None, default=None
        Variables to keep; half of them when None. ``"auto"``: the first of forward selection, as
        many as `sksieve.suggest.suggest_n_variables` says; a share: the first that explain so much
        of the table on rows not used. Neither is followed by exchanges.
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
        variables vary than are wanted, no number of variables is suggested, or columns of a data
        frame with text have missing numbers or more than 100 different texts.

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
        "n_features_to_select": NUMBER,
        "groups": ["array-like", None],
    }

    def __init__(
        self, n_features_to_select: int | float | str | None = None, *, groups: Any = None
    ) -> None:
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
        groups, d = self.groups, X.shape[1]
        if groups is not None and len(groups) != d:
            raise DataError(
                f"groups has {len(groups)} entries for the {d} columns of X; give one for each "
                "column."
            )
        if asks_table(self.n_features_to_select):
            return d  # until `_fit` has counted them
        coded = self._coded_groups if groups is None else groups
        return super()._n_to_select(d if coded is None else len(dict.fromkeys(coded)))

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        X = as_float(X)
        refuse_extremes(X)
        coded = self._coded_groups
        groups = range(X.shape[1]) if self.groups is None else self.groups
        names, blocks = blocks_of(groups if coded is None else coded)
        problem = _Search.of(X, blocks)
        if not problem.varies.any():
            raise DataError("Every column of X is constant; there is nothing to choose from.")
        chosen, self.adds_ = problem.ordered(self._chosen(problem, X))
        self.variables_ = [names[b] for b in chosen]
        self.unique_ = problem.unique(chosen)
        left = problem.left(chosen)
        lost = np.divide(left, problem.total, out=np.zeros_like(left), where=problem.varies)
        self.variable_explained_ = dict(zip(names, (1 - lost).tolist()))
        self.random_explained_ = problem.random(len(chosen))
        gains = problem.gains(problem.residual(chosen), chosen).total
        rest = np.argsort(-gains, kind="stable").tolist()
        order = [*chosen, *(b for b in rest if b not in chosen)]
        if coded is not None:  # the columns of the frame, not those that code them
            self.n_features_to_select_ = len(chosen)
            return position_scores(np.array(order))
        self.n_features_to_select_ = sum(len(blocks[b]) for b in chosen)
        return position_scores(np.concatenate([blocks[b] for b in order]))

    def _chosen(self, problem: _Search, X: Array) -> list[int]:
        """As many variables as are wanted, or as the table suggests."""
        number = self.n_features_to_select
        if asks_table(number):
            counted = count_variables(problem, X)
            if (variables := counted.enough(number)) is None:
                raise DataError(f"n_features_to_select={number!r}: {counted.suggestion.sentence}")
            return variables
        k = self.n_features_to_select_
        if k > problem.varies.sum():
            raise DataError(
                f"n_features_to_select={k} asks for more than the {problem.varies.sum()} variables "
                "of X that vary."
            )
        return problem.exchanged([b for b, _ in islice(problem.forward(), k)])


def _holds_text(X: Any) -> bool:
    """Whether X is a data frame with columns of text, none of which has numbers beside it."""
    if not _frames.is_frame(X):
        return False
    text, types = text_columns(X), {column.name: dtype for column, dtype in _frames.columns_of(X)}
    return bool(text) and all(types[name] != nw.Object for name in text)


class _Search(Blocks):
    """Exchanges of variables, and what is reported of chosen ones."""

    def exchanged(self, chosen: list[int]) -> list[int]:
        """Variables exchanged one for one while that explains more."""
        for _ in range(SWEEPS):
            before = list(chosen)
            for place in range(len(chosen)):
                others = chosen[:place] + chosen[place + 1 :]
                gains = self.gains(self.residual(others), others).total
                gains = np.where(self.varies, gains, -np.inf)
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
            gains = self.gains(R, order).total
            best = max((b for b in chosen if b not in order), key=lambda b: gains[b])
            order.append(best)
            adds.append(np.sum(self.half(R, self.blocks[best]) ** 2) / self.total.sum())
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
