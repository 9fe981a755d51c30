"""``sksieve communities``: read a graph, check, fit, tell."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import Any

import numpy as np

from ..evaluation import inside_shares, partition
from ..exceptions import DataError
from ..io._messages import listed
from ..io.graphs import Graph, read_graph
from ._cluster_document import community_document
from ._cluster_fit import Grouping, compared, doubts, vertices
from ._cluster_options import CommunityOptions, check_count, check_groups
from ._cluster_show import show_communities
from ._cluster_write import check_targets, write_image, write_labels
from ._columns import Labels
from ._document import dumps
from ._fit import fit
from ._loading import graph_loading
from ._method import choose_clusterer, make_estimator
from ._output import errors, note, out, tell_interrupted

__all__ = ["AUTO", "REASON", "run"]

#: The method behind ``--method auto``, and why.
AUTO = "spectral_communities"
REASON = "quick on large graphs, and communities may differ in size"


def run(options: CommunityOptions) -> None:
    """Find communities and say so.

    Raises
    ------
    UsageError
        If a method or parameter does not exist, or fewer than two communities are asked for.
    ValueError
        If the graph or the method refuse.
    """
    check_count(options.c, options.against_labels, options.label_column)
    choice = choose_clusterer(options.method, AUTO, REASON)
    estimator = make_estimator(choice.method, replace(options, method=choice.method.name))
    check_targets(options)
    graph = read_graph(options.data, **vars(options.graph), largest=options.largest)
    labels = _labels(graph, options.label_column)
    _check_size(graph, options.c)
    title = f"Finding {options.c:,} communities of {len(graph.names):,} vertices"
    fitted = fit(estimator, graph.A, title, errors())
    groups = fitted.estimator.labels_
    found = partition(graph.A, groups)
    against = compared(labels, groups) if options.against_labels else None
    grouping = Grouping(choice, fitted, found, against)
    notes = [*graph.notes, *_remarks(options.c, graph, grouping)]
    _write(graph, grouping, labels, tuple(notes), options)
    tell_interrupted(fitted)
    console = errors()
    for text in notes:
        note(text, console)
    if options.json:
        out().file.write(dumps(community_document(graph, grouping, options, notes)) + "\n")
        return
    show_communities(graph, grouping, options)


def _labels(graph: Graph, wanted: str | None) -> Labels | None:
    if wanted is None:
        return None
    if wanted not in graph.side:
        near = difflib.get_close_matches(wanted, graph.side, n=2, cutoff=0.6)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else ""
        there = (
            f"it has {listed(graph.side)}." if graph.side else "no values come with its vertices."
        )
        raise DataError(f"{graph.name} has no labels {wanted!r}; {hint or there}")
    return Labels(wanted, graph.side[wanted])


def _check_size(graph: Graph, c: int) -> None:
    check_groups(c, len(graph.names), "vertices", graph.name)
    joined = int(np.count_nonzero(np.diff(graph.A.indptr)))
    if c > joined:
        raise DataError(
            f"-c {c:,} asks for more communities than the {joined:,} vertices of {graph.name} that "
            f"have an edge; ask for {joined:,} or fewer."
        )


def _remarks(c: int, graph: Graph, grouping: Grouping) -> list[str]:
    """On what the graph cannot tell: vertices without an edge, components by the number."""
    found = grouping.partition
    parts = found.component_sizes[found.component_sizes > 1]
    notes = doubts(c, found)
    alone = np.flatnonzero(np.diff(graph.A.indptr) == 0)
    if len(alone):
        one = len(alone) == 1
        notes.append(
            f"{vertices(len(alone))} {'has' if one else 'have'} no edge, and nothing says where "
            f"{'it belongs' if one else 'they belong'}: put into community "
            f"{grouping.labels[alone[0]]} (--largest leaves out all but the largest component)."
        )
    if len(parts) > c:
        beyond = int(parts[c:].sum())
        notes.append(
            f"The graph has {len(parts):,} connected components with edges, more than -c {c}: "
            f"only the {c} of most weight are looked at, and the {vertices(beyond)} of the others, "
            "which no edge joins to them, stand with the vertex of most edges."
        )
    elif len(parts) > 1:
        notes.append(
            f"The graph is not connected: it has {len(parts):,} components with edges, and no edge "
            "says how they belong together."
        )
    known = "vertices of the affinity lie in components without an edge"
    return notes + [text for text in grouping.fitted.warnings if known not in text]


def _write(
    graph: Graph,
    grouping: Grouping,
    labels: Labels | None,
    notes: tuple[str, ...],
    options: CommunityOptions,
) -> None:
    if options.output is not None:
        write_labels(options.output, _labelled_vertices(graph, grouping, labels))
    if options.adjacency is not None:
        write_image(options.adjacency, grouping)
    if options.report is not None:
        _write_report(graph, grouping, notes, options)


def _labelled_vertices(graph: Graph, grouping: Grouping, labels: Labels | None) -> dict[str, Any]:
    """One line per vertex: name, community, degree, share of its weight inside the community."""
    share, _ = inside_shares(graph.A, grouping.labels)
    columns: dict[str, Any] = {
        "vertex": graph.names,
        "community": grouping.labels,
        "degree": np.diff(graph.A.indptr),
        "inside": share.round(6),
    }
    if labels is not None:
        name = labels.name if labels.name not in columns else f"{labels.name} (set aside)"
        columns[name] = labels.values
    return columns


def _write_report(
    graph: Graph, grouping: Grouping, notes: tuple[str, ...], options: CommunityOptions
) -> None:
    from ..report import ClusteringResult, write_clustering_report

    choice, fitted = grouping.choice, grouping.fitted
    assert options.report is not None
    result = ClusteringResult(
        estimator=fitted.estimator,
        partition=grouping.partition,
        method=choice.method.name,
        command=replace(options, method=choice.method.name).command(),
        data_name=options.data,
        data_sha256=graph.sha256,
        seconds=fitted.seconds,
        seed=options.seed,
        names=graph.names,
        notes=notes,
        loading=graph_loading(options),
        against=grouping.against,
    )
    write_clustering_report(options.report, result)
