"""Which columns to keep for a purpose: one method for each, checked against random columns."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._array import as_float, dense
from .._ranking import position_scores
from .._typing import Array
from .._validation import StrOptions, common
from ..columns import IteratedLocalSearchCSS, IterFS
from ..exceptions import DataError, warn_user
from ..metrics import HeldOut, neighborhood_preservation
from ..selection import AlignedColumns
from ..selection._base import BaseSelector
from ..suggest._columns import NUMBER, asks_table, suggested_number
from ..tables import constant_columns, refuse_extremes, scale_columns

#: Rows on which neighbors are compared, and neighbors of a row.
JUDGED_ROWS, NEIGHBORS = 1000, 10


class ColumnChoice(BaseSelector):
    """Choose columns for a purpose by the method that serves it best.

    On tables with known classes that no method saw, columns chosen for the structure target keep
    the classes better than columns chosen for reconstruction, by about two points, at a small loss
    of reconstruction; see the page on the structure target.

    Parameters
    ----------
    n_features_to_select : int, float in (0, 1), "auto" or None, default=None
        Columns to keep; half of them when None, as `suggest_n_columns` says for ``"auto"`` (what
        ``sksieve select`` does), and for a share as many as carry it.
    use : {"any", "groups", "reconstruct", "neighbors"}, default="any"
        ``"any"``, ``"groups"``: the columns that carry the groups and the variance, by `IterFS`
        from the greedy subset with ``target="structure"``. ``"reconstruct"``:
        `IteratedLocalSearchCSS`. ``"neighbors"``: `IteratedLocalSearchCSS` or `AlignedColumns`,
        whichever keeps more of the 10 nearest neighbors.
    random_state : int, RandomState or None, default=None
        For the methods, and the rows on which neighbors are compared.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        Positions in the ranking of the chosen method, from 1 for the best column to 0.
    method_ : str
        Name of the chosen method in the catalogue.
    estimator_ : estimator
        The chosen method, fitted.
    compared_ : list of dict
        One record for each method that was fitted and one for random columns (mean of ten draws):
        ``method``, ``columns``, ``explained`` (cross-validated share of the variance of all
        columns, `sksieve.evaluation.explained`) and, for ``use="neighbors"``, ``neighbors`` (share
        of the nearest neighbors that the columns keep). A data frame takes the list as it is.

    Raises
    ------
    DataError
        If every column is constant, or the table shows no structure and is to say the number of
        columns.

    Warns
    -----
    DataWarning
        If the columns of the structure target explain no more than random columns; local search
        then answers. If the columns of the answer explain less than random columns.

    Notes
    -----
    Cost: the fits, and O(m n k) for the shares.

    References
    ----------
    See `IterFS`, `IteratedLocalSearchCSS` and `AlignedColumns`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import ColumnChoice
    >>> X = load_wine(as_frame=True).data
    >>> choice = ColumnChoice(4, use="reconstruct", random_state=0).fit(X)
    >>> choice.method_
    'local_search'
    >>> for record in choice.compared_:
    ...     print(record["method"], round(record["explained"], 2))
    local_search 0.63
    random 0.52
    """

    nested: ClassVar[bool] = False
    ranks_only: ClassVar[bool] = True
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("random_state"),
        "n_features_to_select": NUMBER,
        "use": [StrOptions({"any", "groups", "reconstruct", "neighbors"})],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        use: str = "any",
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.use = use
        self.random_state = random_state

    def _number_for(self, X: Any) -> int:
        if asks_table(self.n_features_to_select):
            return suggested_number(self.n_features_to_select, X, self.random_state)
        return super()._number_for(X)

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        X = as_float(X)
        refuse_extremes(X)
        if constant_columns(X).all():
            raise DataError("Every column of X is constant; there is nothing to choose from.")
        seed, k, judge = int(rng.randint(2**31 - 1)), self.n_features_to_select_, HeldOut(X)
        random = judge.random(k)
        first = "iterfs" if self.use in ("any", "groups") else "local_search"
        fitted = {first: self._fitted(first, X, seed)}
        records = [_record(first, fitted[first], judge)]
        self.method_ = first
        if first == "iterfs" and records[0]["explained"] <= random[-1] < 1:
            warn_user(
                "The columns of the structure target explain no more than random columns; local "
                "search answers."
            )
            self.method_ = "local_search"
            fitted[self.method_] = self._fitted(self.method_, X, seed)
            records.append(_record(self.method_, fitted[self.method_], judge))
        if self.use == "neighbors":
            fitted["aligned"] = self._fitted("aligned", X, seed)
            records.append(_record("aligned", fitted["aligned"], judge))
            kept = _neighbors_kept(X, [record["columns"] for record in records], rng)
            for record, share in zip(records, kept):
                record["neighbors"] = share
            self.method_ = "aligned" if kept[1] > kept[0] else "local_search"
        self.estimator_ = fitted[self.method_]
        share = next(one["explained"] for one in records if one["method"] == self.method_)
        if share < random[-1]:
            warn_user(
                "These columns explain less than random columns on rows not used: few rows, or "
                "outliers, decide what fits best. Use more rows, or logarithms of skewed columns."
            )
        mean = {"method": "random", "columns": [], "explained": float(random[-1])}
        self.compared_ = [*records, mean]
        return position_scores(self.estimator_.ranking_)

    def _fitted(self, name: str, X: Any, seed: int) -> Any:
        """A method, fitted to the table."""
        k = self.n_features_to_select_
        fit: dict[str, Any] = {}
        est: Any
        if name == "iterfs":
            est = IterFS(k, init="greedy", scale="standard", random_state=seed)
            fit = {"target": "structure"}
        elif name == "aligned":
            est = AlignedColumns(k, random_state=seed)
        else:
            est = IteratedLocalSearchCSS(k, scale="standard", random_state=seed)
        est.set_callbacks(*getattr(self, "_callbacks", ()))
        est.fit(X, **fit)
        est.set_callbacks()
        return est


def _record(name: str, est: Any, judge: HeldOut) -> dict[str, Any]:
    columns = [int(j) for j in est.ranking_[: est.n_features_to_select_]]
    return {"method": name, "columns": columns, "explained": judge.explained(columns)}


def _neighbors_kept(X: Any, choices: list[list[int]], rng: np.random.RandomState) -> list[float]:
    """Share of the nearest neighbors that each choice keeps, on some rows of the table."""
    n = X.shape[0]
    rows = np.sort(rng.permutation(n)[:JUDGED_ROWS])
    part = X[rows]
    Z = scale_columns(dense(part), "standard").X
    near = min(NEIGHBORS, len(rows) - 1)
    return [neighborhood_preservation(Z, columns, n_neighbors=near) for columns in choices]
