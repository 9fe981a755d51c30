"""``sksieve cluster``: read, check, fit, report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._array import different_rows
from .._wording import listed, percent
from ..catalogue import get_method
from ..evaluation import partition
from ..exceptions import DataError
from ..graphs import gower_columns, gower_shares
from ..io import NumericTable
from ..io._write import FRAMES
from ..suggest import Suggestion, suggest_n_clusters
from ..workflows._methods import Choice, choose, prescaled, suitable_scale
from ..workflows._tables import data_entry, data_line
from ._data import check_targets, read_numeric, report_fields
from ._errors import UsageError
from ._fit import fit, make_estimator
from ._groups import (
    Grouping,
    check_count,
    check_size,
    compared,
    finds_number,
    number,
    print_close,
    size_columns,
    with_labels,
)
from ._options import ClusterOptions
from ._print import out, print_lines, print_result, show_table

__all__ = ["run"]

SCHEMA = "sksieve.cluster/1"
#: The method behind ``--method auto``.
AUTO = "cluster_choice"
#: A larger share of the distances made by text columns is reported.
DOMINANT = 0.5
#: Groups follow text where its values tell the groups of so many rows; each value then has at least
#: so many rows on average.
FOLLOWED, ROWS_OF_VALUE = 0.95, 5


@dataclass(frozen=True, eq=False, kw_only=True)
class Clustering(Grouping):
    """Everything about one run."""

    numeric: NumericTable
    scale: str

    schema: ClassVar[str] = SCHEMA

    def rows(self) -> dict[str, Any]:
        """One line per row of the table: its number from 0, its cluster, its label."""
        rows = np.arange(len(self.labels)) if self.numeric.rows is None else self.numeric.rows
        return with_labels({"row": rows, "cluster": self.labels}, self.numeric.labels)

    def facts(self) -> dict[str, Any]:
        est, data = self.fitted.estimator, data_entry(self.numeric)
        return {
            "data": data | {"scale": self.scale},
            "suggestion": self.suggestion and self.suggestion.record(),
            "choice": {"taken": est.method_, "modularity": est.candidates_}
            if hasattr(est, "candidates_")
            else None,
        }

    def page(self) -> dict[str, Any]:
        fields = report_fields(self.numeric, self.options, self.choice.method, self.scale)
        return fields | {
            "feature_names": self.numeric.columns,
            "X": self.numeric.X,
            "seen": self.fitted.X,
            "scale": self.scale,
        }

    def show(self) -> None:
        facts = self.partition
        print_lines(
            _method_line(self),
            data_line(self.numeric, self.scale),
            f"Graph: {facts.graph_summary}",
            "",
        )
        heads = [">cluster", ">size", ">share", ">inside"]
        columns = size_columns(facts)
        if facts.silhouettes is not None:
            heads.append(">silhouette")
            columns.append([number(value, ".2f") for value in facts.silhouettes])
        show_table(out(), "", heads, list(zip(range(len(facts.sizes)), *columns)))
        print_lines(
            "",
            f"Inside: the share of a cluster's edge weight that stays in it; for all clusters "
            f"{percent(facts.share_inside)} (modularity {facts.modularity:.3f}).",
        )
        if facts.silhouette is not None:
            m = len(self.labels)
            over = "" if facts.n_sampled == m else f" over {facts.n_sampled:,} random rows"
            print_lines(
                f"Silhouette: {facts.silhouette:.2f} on average{over} (1 well separated, 0 on the "
                "border, below 0 closer to another cluster)."
            )
        if self.suggestion is not None:
            print_lines(f"Number: {self.suggestion.sentence}")
        print_close(self)


def run(options: ClusterOptions) -> None:
    """Find groups of samples and report them."""
    if options.params.get("affinity") == "precomputed":
        raise UsageError("--param affinity=precomputed: a graph goes to sksieve communities.")
    choice = choose(options.method, ("clusterer",), Choice(get_method(AUTO), "auto"))
    check_count(options, choice.method)
    estimator = make_estimator(choice.method, options)
    check_targets(options, tuple(FRAMES))
    numeric = read_numeric(options)
    suggestion = None
    if options.clusters is None and not finds_number(choice.method):
        groups = numeric.groups if numeric.is_mixed and choice.method.name == AUTO else None
        try:
            suggestion = suggest_n_clusters(numeric.X, groups=groups, random_state=options.seed)
        except DataError as error:
            name = numeric.table.name
            raise DataError(f"{name}: give a number of groups with -c N. {error}") from error
        if suggestion.kind == "none":
            _report_one_lump(options, suggestion, numeric)
            return
    _clustered(options, numeric, suggestion, choice=choice, estimator=estimator).deliver()


def _report_one_lump(
    options: ClusterOptions, suggestion: Suggestion, numeric: NumericTable
) -> None:
    """The answer that there are no groups; nothing is written."""
    text = (
        "No groups found: the table looks like one lump "
        f"(p = {suggestion.evidence['p_value']:.2f}). With -c it is divided anyway."
    )
    notes, table = numeric.notes, numeric.table
    written = [path for path in (options.output, options.report, options.adjacency) if path]
    if written:
        notes = [*notes, f"Not written: {', '.join(map(str, written))}."]
    document = {
        "schema": SCHEMA,
        "command": options.command_line(),
        "data": {"name": table.name, "sha256": table.sha256},
        "n_groups": 1,
        "suggestion": suggestion.record(),
        "notes": [*notes, text],
    }
    print_result(options, lambda: document, lambda: print_lines(text), notes)


def _clustered(
    options: ClusterOptions,
    numeric: NumericTable,
    suggestion: Suggestion | None,
    *,
    choice: Choice,
    estimator: Any,
) -> Clustering:
    m, c = numeric.X.shape[0], options.clusters or 0
    if suggestion is not None and suggestion.n is not None:
        c = suggestion.n
        estimator.set_params(n_clusters=c)
    check_size(c, m, "rows", numeric.table.name)
    _check_rows(c, numeric.X, numeric.table.name)
    notes = list(numeric.notes)
    scale: str = options.scale
    by_gower = numeric.is_mixed and choice.method.name == AUTO
    if numeric.is_mixed:
        notes += _text_notes(numeric, choice.method.name)
    if by_gower:
        estimator.set_params(groups=numeric.groups)
        scale = "none"
    elif scale == "auto":
        scale, _ = suitable_scale(choice.method, sparse=hasattr(numeric.X, "tocsr"))
    X = prescaled(choice.method, numeric.X, scale)
    neighbors = estimator.get_params().get("n_neighbors")
    if neighbors is not None and neighbors >= m and "n_neighbors" not in options.params:
        estimator.set_params(n_neighbors=m - 1)
        notes.append(f"n_neighbors={m - 1} is used, as there are {m} rows.")
    title = f"Finding {f'{c:,} ' if c else ''}groups of {m:,} samples"
    fitted = fit(estimator, X, title, options.seconds)
    est = fitted.estimator
    c = c or est.n_clusters_
    facts = partition(est.affinity_, est.labels_, None if by_gower else X)
    against = compared(numeric.labels, est.labels_) if options.against_labels else None
    notes += [*facts.warnings(c), *fitted.warnings]
    if numeric.is_mixed:
        notes += _text_followed(numeric, est.labels_)
    return Clustering(
        options=options,
        choice=choice,
        fitted=fitted,
        partition=facts,
        against=against,
        n_groups=c,
        suggestion=suggestion,
        notes=notes,
        numeric=numeric,
        scale=scale,
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
                f"{percent(share)} of the rows. To compare numbers only: --numeric-only."
            ]
    return []


def _text_notes(numeric: NumericTable, method: str) -> list[str]:
    """How rows with text are compared, and that text columns decide the groups where they do."""
    groups = numeric.groups
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
    if share > DOMINANT:
        notes.append(
            f"Text columns make {percent(share)} of the {of} and may decide the groups; to compare "
            "numbers only: --numeric-only."
        )
    return notes


def _check_rows(c: int, X: Any, name: str) -> None:
    """Refuse more groups than there are different rows: nothing can separate equal rows."""
    n_different = different_rows(X, c)
    if n_different == 1 < c:
        raise DataError(f"All rows of {name} are equal; there are no groups to find.")
    check_size(c, n_different, "different rows", name)


def _method_line(done: Clustering) -> str:
    """The method; of a choice the one that was taken, and why."""
    est, (method, reason) = done.fitted.estimator, done.choice
    if not hasattr(est, "candidates_"):
        return f"Method: {method.name} ({reason})"
    judged = ", ".join(f"{name} {value:.3f}" for name, value in est.candidates_.items())
    return f"Method: {est.method_} ({reason}: largest modularity of {judged})"
