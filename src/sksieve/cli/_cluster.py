"""``sksieve cluster``: read, check, fit, tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from ..evaluation import partition
from ..io.tables import Table, read_table
from ._cluster_document import cluster_document
from ._cluster_fit import Grouping, compared, doubts
from ._cluster_options import ClusterOptions, check_count, check_groups, check_rows
from ._cluster_show import show_clusters
from ._cluster_write import check_targets, labelled_rows, write_image, write_labels
from ._columns import Numeric, numeric_columns
from ._document import dumps
from ._fit import fit, prescaled
from ._loading import loading
from ._matrix import checked
from ._method import Choice, choose_clusterer, make_estimator
from ._options import UsageError
from ._output import errors, note, out, tell_interrupted

__all__ = ["AUTO", "REASON", "run"]

#: The method behind ``--method auto``, and why.
AUTO = "spectral"
REASON = "a graph of nearest neighbours serves round and curved clusters on most tables"


class Clustering(NamedTuple):
    """All that a clustering of samples leaves behind."""

    table: Table
    numeric: Numeric
    grouping: Grouping


def run(options: ClusterOptions) -> None:
    """Find groups of samples and say so.

    Raises
    ------
    UsageError
        If a method or parameter does not exist, or fewer than two groups are asked for.
    ValueError
        If the data or the method refuse.
    """
    check_count(options.c, options.against_labels, options.label_column)
    if options.params.get("affinity") == "precomputed":
        raise UsageError("--param affinity=precomputed: a graph goes to sksieve communities.")
    choice = choose_clusterer(options.method, AUTO, REASON)
    estimator = make_estimator(choice.method, options)
    check_targets(options)
    table = read_table(options.data, **vars(options.reading))
    numeric = numeric_columns(table, options)
    check_groups(options.c, numeric.X.shape[0], "rows", table.name)
    numeric = checked(table.name, numeric, impute=options.impute)
    check_rows(options.c, numeric.X, table.name)
    options = options.scaled_for(choice.method, hasattr(numeric.X, "tocsr"))
    grouping = _grouped(numeric, choice, estimator, options)
    done = Clustering(table, numeric, grouping)
    notes = [*numeric.notes, *doubts(options.c, grouping.partition)]
    notes += grouping.fitted.warnings
    if options.output is not None:
        write_labels(options.output, labelled_rows(numeric, grouping.labels))
    if options.adjacency is not None:
        write_image(options.adjacency, grouping)
    if options.report is not None:
        _write_report(done, tuple(notes), options)
    tell_interrupted(grouping.fitted)
    console = errors()
    for text in notes:
        note(text, console)
    if options.json:
        document = cluster_document(table, numeric, grouping, options, notes)
        out().file.write(dumps(document) + "\n")
        return
    show_clusters(table, numeric, grouping, options)


def _grouped(numeric: Numeric, choice: Choice, estimator: Any, options: ClusterOptions) -> Grouping:
    X = prescaled(choice.method, numeric.X, options.scale)
    _fewer_neighbours(numeric, estimator, options)
    title = f"Finding {options.c:,} groups of {X.shape[0]:,} samples"
    fitted = fit(estimator, X, title, errors())
    est = fitted.estimator
    found = partition(est.affinity_, est.labels_, X)
    against = compared(numeric.labels, est.labels_) if options.against_labels else None
    return Grouping(choice, fitted, found, against)


def _fewer_neighbours(numeric: Numeric, estimator: Any, options: ClusterOptions) -> None:
    """On a table of a few rows the default number of neighbours cannot be met."""
    n, wanted = numeric.X.shape[0], estimator.get_params().get("n_neighbors")
    if wanted is not None and wanted >= n and "n_neighbors" not in options.params:
        estimator.set_params(n_neighbors=n - 1)
        numeric.notes.append(f"n_neighbors={n - 1} is used, as there are {n} rows.")


def _write_report(done: Clustering, notes: tuple[str, ...], options: ClusterOptions) -> None:
    from ..report import ClusteringResult, write_clustering_report

    table, numeric, grouping = done
    choice, fitted = grouping.choice, grouping.fitted
    assert options.report is not None
    result = ClusteringResult(
        estimator=fitted.estimator,
        partition=grouping.partition,
        method=choice.method.name,
        command=replace(options, method=choice.method.name).command(),
        data_name=options.data,
        data_sha256=table.sha256,
        seconds=fitted.seconds,
        seed=options.seed,
        feature_names=numeric.names,
        X=numeric.X,
        seen=fitted.X,
        scale=options.scale,
        notes=notes,
        loading=loading(table, numeric, choice.method, options),
        against=grouping.against,
    )
    write_clustering_report(options.report, result)
