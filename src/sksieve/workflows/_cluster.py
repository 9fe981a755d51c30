"""Which groups of samples are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from .._array import n_distinct_rows
from .._wording import argument, counted, listed, percent, spelled
from ..catalogue import get_method
from ..evaluation import HalfGroups, partition
from ..exceptions import ArgumentError, DataError
from ..graphs import gower_columns, gower_shares
from ..io import NumericTable
from ..suggest import Suggestion, suggest_n_clusters
from ._fitting import fit
from ._grouping import (
    Grouping,
    GroupingPlan,
    check_size,
    finds_number,
    number,
    size_columns,
    with_labels,
)
from ._methods import Choice, choose, prescaled, suitable_scale
from ._select import SCALES, check_word
from ._stability import stability_of_groups
from ._tables import Preparing, as_numeric, data_entry, data_line
from ._text import Blocks, Grid, Printed, as_json

SCHEMA = "sksieve.cluster/1"
#: The method behind ``method="auto"``.
AUTO = "cluster_choice"
#: A larger share of the distances made by text columns is reported.
DOMINANT = 0.5
#: Groups follow text where its values tell the groups of so many rows; each value then has at least
#: so many rows on average.
FOLLOWED, ROWS_OF_VALUE = 0.95, 5


def cluster(
    X: Any,
    n_clusters: int | None = None,
    *,
    method: str = "auto",
    params: Mapping[str, Any] | None = None,
    scale: str = "auto",
    time_limit: float | None = None,
    random_state: int = 0,
    against_labels: bool = False,
    stability: bool = False,
    progress: bool = False,
    **preparing: Unpack[Preparing],
) -> Clustering | OneLump:
    """Find groups of the rows of a table: what ``sksieve cluster`` does.

    Parameters
    ----------
    X : path, DataFrame, array, sparse matrix, AnnData, Table or NumericTable
        Samples are rows; as for `select`.
    n_clusters : int, optional
        How many groups; by default suggested from the table, after a test whether it shows any.
    method : str, default="auto"
        Name of a clustering method in the catalogue; ``"auto"``: see `ClusterChoice`.
    params : mapping of str to value, optional
        Parameters of the method.
    scale : {"auto", "standard", "unit", "minmax", "none"}, default="auto"
        Scaling of the columns; ``"auto"``: what suits the method.
    time_limit : float, optional
        Seconds. A method that iterates returns its best result so far.
    random_state : int, default=0
        Seed of the random numbers.
    against_labels : bool, default=False
        Report how well the groups agree with the labels of ``label_column``.
    stability : bool, default=False
        Repeat the clustering on 20 random halves of the rows, and report how well the groups agree.
        Takes about ten times as long; a `time_limit` holds for each half.
    progress : bool, default=False
        Show a progress bar.
    **preparing
        Arguments of `sksieve.io.numeric_table`, as for `select`.

    Returns
    -------
    Clustering or OneLump
        `OneLump` where no number was given and the table shows no groups.

    Raises
    ------
    ArgumentError
        If an argument is none of those above, or two exclude each other.
    DataError
        If the table cannot be used, or has fewer different rows than groups.

    Examples
    --------
    >>> import sksieve
    >>> from sklearn.datasets import load_iris
    >>> groups = sksieve.cluster(load_iris(as_frame=True).data, 3)
    >>> sorted(groups.partition.sizes.tolist())
    [48, 50, 52]
    """
    plan = ClusterPlan(
        n_clusters=n_clusters,
        method=method,
        params=params or {},
        scale=scale,
        time_limit=time_limit,
        random_state=random_state,
        against_labels=against_labels,
        stability=stability,
        label_column=_label_column(X, preparing),
        progress=progress,
    )
    return plan.run(as_numeric(X, preparing))


def _label_column(X: Any, preparing: Preparing) -> str | None:
    if isinstance(X, NumericTable) and X.labels is not None:
        return X.labels.name
    return preparing.get("label_column")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Clustering(Grouping):
    """Groups of the rows of a table; made by `sksieve.cluster`. See `Grouping`.

    ``stability`` is a `sksieve.evaluation.HalfGroups` where it was asked for, else None.
    """

    numeric: NumericTable
    scale: str
    stability: HalfGroups | None = None

    schema: ClassVar[str] = SCHEMA

    @property
    def left_out(self) -> list[str]:
        """The notes on columns that are not used, which the text holds."""
        return self.numeric.left_out

    def rows(self) -> dict[str, Any]:
        """One line per row of the table: its number from 0, its cluster, its label."""
        rows = np.arange(len(self.labels)) if self.numeric.rows is None else self.numeric.rows
        return with_labels({"row": rows, "cluster": self.labels}, self.numeric.labels)

    def _facts(self) -> dict[str, Any]:
        est = self.estimator
        return {
            "data": data_entry(self.numeric) | {"scale": self.scale},
            "choice": {"taken": est.method_, "modularity": est.modularities_}
            if hasattr(est, "modularities_")
            else None,
            "stability": self.stability and asdict(self.stability),
        }

    def _page(self) -> dict[str, Any]:
        return {
            "data_name": self.numeric.table.name,
            "data_sha256": self.numeric.table.sha256,
            "feature_names": self.numeric.columns,
            "X": self.numeric.X,
            "seen": self.fitted.X,
            "scale": self.scale,
            "stability": "" if self.stability is None else self.stability.sentence,
        }

    def _body(self) -> Blocks:
        facts = self.partition
        heads = [">cluster", ">size", ">share", ">inside"]
        columns = size_columns(facts)
        if facts.silhouettes is not None:
            heads.append(">silhouette")
            columns.append([number(value, ".2f") for value in facts.silhouettes])
        lines: Blocks = [
            self._method_line(),
            ". ".join(filter(None, [self._data_line(), " ".join(self.left_out)])),
            f"Graph: {facts.graph_summary}",
            "",
            Grid(heads, list(zip(range(len(facts.sizes)), *columns))),
            "",
            "Inside: the share of a cluster's edge weight that stays in it; for all clusters "
            f"{percent(facts.share_inside)} (modularity {facts.modularity:.3f}).",
        ]
        if facts.silhouette is not None:
            m = len(self.labels)
            over = "" if facts.n_sampled == m else f" over {facts.n_sampled:,} random rows"
            lines.append(
                f"Silhouette: {facts.silhouette:.2f} on average{over} (1 well separated, 0 on the "
                "border, below 0 closer to another cluster)."
            )
        if self.suggestion is not None:
            lines.append(f"Number: {self.suggestion.sentence}")
        if self.stability is not None:
            lines.append(f"Stability: {self.stability.sentence}")
        return lines

    def _data_line(self) -> str:
        """The table in one line; of a mixed one its variables."""
        numeric = self.numeric
        if getattr(self.estimator, "groups", None) is None:
            return data_line(numeric, self.scale)
        size = (
            f"{counted(len(self.labels), 'row')} x {counted(len(set(numeric.groups)), 'variable')}"
        )
        return f"Data: {numeric.table.name}, {size}, compared by Gower's distance"

    def _method_line(self) -> str:
        """The method; of a choice the one that was taken, and why."""
        est, (method, reason) = self.estimator, self.choice
        if not hasattr(est, "modularities_"):
            return f"Method: {method.name} ({reason})"
        judged = ", ".join(f"{name} {value:.3f}" for name, value in est.modularities_.items())
        return f"Method: {est.method_} ({reason}: largest modularity of {judged})"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OneLump(Printed):
    """The answer that a table shows no groups; made by `sksieve.cluster`.

    Attributes
    ----------
    numeric : NumericTable
    suggestion : Suggestion
        With the p-value of the test.
    labels : ndarray of shape (n,)
        0 for every row.
    n_groups : int
        1.
    notes : list of str
    """

    numeric: NumericTable
    suggestion: Suggestion
    notes: list[str] = field(default_factory=list)

    n_groups: ClassVar[int] = 1
    fitted: ClassVar[None] = None

    @property
    def labels(self) -> NDArray[np.intp]:
        """0 for every row."""
        return np.zeros(self.numeric.X.shape[0], dtype=np.intp)

    @property
    def sentence(self) -> str:
        """The answer."""
        given = argument("n_clusters")
        return (
            "No groups found: the table looks like one lump "
            f"(p = {self.suggestion.evidence['p_value']:.2f}). With {given} it is divided anyway."
        )

    def blocks(self, *, details: bool = False) -> Blocks:
        """What is printed."""
        return [self.sentence]

    def document(self) -> dict[str, Any]:
        """The answer as JSON can hold it."""
        return as_json(
            {
                "schema": SCHEMA,
                "data": data_entry(self.numeric),
                "n_groups": self.n_groups,
                "suggestion": self.suggestion.record(),
                "notes": [*self.notes, self.sentence],
            }
        )


@dataclass(frozen=True, kw_only=True)
class ClusterPlan(GroupingPlan):
    """The arguments of `cluster`, checked before any table is read."""

    scale: str = "auto"
    stability: bool = False

    def __post_init__(self) -> None:
        if self.params.get("affinity") == "precomputed":
            asked = spelled("params['affinity']='precomputed'", "--param affinity=precomputed")
            to = spelled("sksieve.communities", "sksieve communities")
            raise ArgumentError(f"{asked}: a graph goes to {to}.")
        check_word("scale", self.scale, SCALES)
        method = self.choice.method
        self.check_count(method)
        self.estimator(method)

    @property
    def choice(self) -> Choice:
        """The method, and why it is taken."""
        return choose(self.method, ("clusterer",), Choice(get_method(AUTO), "auto"))

    def run(self, numeric: NumericTable) -> Clustering | OneLump:
        """Find groups of the rows of a table."""
        suggestion, method = None, self.choice.method
        if self.n_clusters is None and not finds_number(method):
            groups = numeric.groups if numeric.is_mixed and method.name == AUTO else None
            try:
                suggestion = suggest_n_clusters(
                    numeric.X, groups=groups, random_state=self.random_state
                )
            except DataError as error:
                how = argument("n_clusters", "N")
                raise DataError(
                    f"{numeric.table.name}: give a number of groups ({how}). {error}",
                    remedy=(("n_clusters", 2),),
                ) from error
            if suggestion.kind == "none":
                return OneLump(numeric=numeric, suggestion=suggestion, notes=[*numeric.notes])
        return self._clustered(numeric, suggestion)

    def _clustered(self, numeric: NumericTable, suggestion: Suggestion | None) -> Clustering:
        choice, m, c = self.choice, numeric.X.shape[0], self.n_clusters or 0
        estimator = self.estimator(choice.method)
        if suggestion is not None:
            c = suggestion.n or 0
            estimator.set_params(n_clusters=c)
        check_size(c, m, "rows", numeric.table.name)
        _check_rows(c, numeric.X, numeric.table.name)
        scale = self.scale
        by_gower = numeric.is_mixed and choice.method.name == AUTO
        if by_gower:
            estimator.set_params(groups=numeric.groups)
            scale = "none"
        elif scale == "auto":
            scale, _ = suitable_scale(choice.method, sparse=hasattr(numeric.X, "tocsr"))
        X = prescaled(choice.method, numeric.X, scale)
        title = f"Finding {f'{c:,} ' if c else ''}groups of {m:,} samples"
        fitted = fit(estimator, X, title, progress=self.progress, seconds=self.time_limit)
        est = fitted.estimator
        c = c or est.n_clusters_
        facts = partition(est.affinity_, est.labels_, None if by_gower else X)
        notes = [*numeric.notes, *facts.warnings(c), *fitted.warnings]
        if numeric.is_mixed:
            notes += _text_notes(numeric, choice.method.name, est.labels_)
        return Clustering(
            plan=self,
            choice=choice,
            fitted=fitted,
            partition=facts,
            against=self.compared(numeric.labels, est.labels_),
            n_groups=c,
            suggestion=suggestion,
            notes=notes,
            numeric=numeric,
            scale=scale,
            stability=stability_of_groups(fitted, self.random_state) if self.stability else None,
        )


def _text_followed(numeric: NumericTable, labels: Any) -> list[str]:
    """A note where the values of a text column, or of all, tell the group of nearly every row."""
    text_columns = dict.fromkeys(g for g, name in zip(numeric.groups, numeric.columns) if g != name)
    for names in [*((name,) for name in text_columns), tuple(text_columns)]:
        X = numeric.X[:, [group in names for group in numeric.groups]]
        values, value = np.unique(X, axis=0, return_inverse=True)
        if len(values) > len(X) / ROWS_OF_VALUE:
            continue
        table = np.zeros((len(values), labels.max() + 1))
        np.add.at(table, (value.ravel(), labels), 1)
        share = table.max(axis=1).sum() / len(X)
        if share >= FOLLOWED:
            one = len(names) == 1
            return [
                f"The groups follow {'the column' if one else 'the text columns'} "
                f"{listed(names)}: {'its' if one else 'their'} values tell the group of "
                f"{percent(share)} of the rows. To compare numbers only: "
                f"{argument('numeric_only', True)}."
            ]
    return []


def _text_notes(numeric: NumericTable, method: str, labels: Any) -> list[str]:
    """How rows with text are compared, and that text columns decide the groups where they do."""
    groups, followed = numeric.groups, _text_followed(numeric, labels)
    text_columns = {group for group, name in zip(groups, numeric.columns) if group != name}
    notes = []
    if method == AUTO:
        notes.append(
            "Rows are compared by Gower's distance: every column of the table counts once."
        )
        shares = gower_shares(gower_columns(numeric.X, groups), groups)
        share, of = sum(shares[group] for group in text_columns), "distances between rows"
    else:
        share, of = sum(group in text_columns for group in groups) / len(groups), "columns"
    if share > DOMINANT and not followed:
        notes.append(
            f"Text columns make {percent(share)} of the {of} and may decide the groups; to compare "
            f"numbers only: {argument('numeric_only', True)}."
        )
    return [*notes, *followed]


def _check_rows(c: int, X: Any, name: str) -> None:
    """Refuse more groups than there are different rows: nothing can separate equal rows."""
    n_different = n_distinct_rows(X, c)
    if n_different == 1 < c:
        raise DataError(f"All rows of {name} are equal; there are no groups to find.")
    check_size(c, n_different, "different rows", name)
