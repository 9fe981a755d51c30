"""What a person reads about groups of samples or of vertices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..evaluation import Partition
from ..io._messages import counted
from ..io.graphs._graph import Graph
from ..io.tables import Table
from ._cluster_fit import Against, Grouping, spoken_graph
from ._cluster_options import ClusterOptions, CommunityOptions
from ._columns import Numeric
from ._output import SCALED, duration, out, percent, show_table, stopped

__all__ = ["show_clusters", "show_communities"]

#: Vertices named for each community.
NAMED = 4
#: Characters of a name in the table.
LONG = 24


def show_clusters(
    table: Table, numeric: Numeric, grouping: Grouping, options: ClusterOptions
) -> None:
    """Sizes and quality of groups of samples."""
    m, n = numeric.X.shape
    found = grouping.partition
    sparse = ", sparse" if hasattr(numeric.X, "tocsr") else ""
    size = f"{counted(m, 'row')} x {counted(n, 'column')}{sparse}"
    _lines(
        f"Method: {grouping.choice.method.name} ({grouping.choice.reason})",
        f"Data: {table.name}, {size}, {SCALED[options.scale]}",
        f"Graph: {spoken_graph(found)}",
        "",
    )
    heads = [">cluster", ">size", ">share", ">inside"]
    columns = [_sizes(found), _shares(found), _inside(found)]
    if found.silhouettes is not None:
        heads.append(">silhouette")
        columns.append([_number(value, 2) for value in found.silhouettes])
    show_table(out(), "", heads, list(zip(range(len(found.sizes)), *columns)))
    _lines("", *_conclusion(found, "cluster"))
    if found.silhouette is not None:
        over = "" if found.n_sampled == m else f" over {found.n_sampled:,} rows drawn at random"
        _lines(
            f"Silhouette: {found.silhouette:.2f} on average{over} (1 well apart, 0 on the border, "
            "below 0 nearer to another cluster)."
        )
    _close(grouping, options)


def show_communities(graph: Graph, grouping: Grouping, options: CommunityOptions) -> None:
    """Sizes, densities and quality of communities."""
    found = grouping.partition
    weighted = graph.A.nnz and not np.all(graph.A.data == graph.A.data[0])
    _lines(
        f"Method: {grouping.choice.method.name} ({grouping.choice.reason})",
        f"Data: {graph.name}, undirected{', weighted' if weighted else ''}",
        f"Graph: {spoken_graph(found)}",
        "",
    )
    densities = found.densities
    across = _mean_across(found)
    named = [_most_connected(graph, grouping, k) for k in range(len(found.sizes))]
    heads = [">community", ">size", ">share", ">inside", ">within", ">to others", "most connected"]
    rows = zip(
        range(len(found.sizes)),
        _sizes(found),
        _shares(found),
        _inside(found),
        [_density(densities[k, k]) for k in range(len(found.sizes))],
        [_density(value) for value in across],
        named,
    )
    show_table(out(), "", heads, list(rows))
    _lines(
        "",
        *_conclusion(found, "community"),
        f"Density: {_density(found.density_within)} within communities, "
        f"{_density(found.density_between)} between (mean weight of a pair of vertices).",
    )
    _close(grouping, options)


def _mean_across(found: Partition) -> Any:
    """Mean weight of a pair of which one vertex is in the group and the other is not."""
    pairs = found.sizes * (found.sizes.sum() - found.sizes)
    weight = found.weights.sum(axis=1) - np.diagonal(found.weights)
    return weight / np.where(pairs > 0, pairs, np.nan)


def _most_connected(graph: Graph, grouping: Grouping, k: int) -> str:
    members = np.flatnonzero(grouping.labels == k)
    degree = np.asarray(graph.A.sum(axis=1)).ravel()[members]
    best = members[np.argsort(-degree, kind="stable")[:NAMED]]
    names = [graph.names[v] for v in best]
    return ", ".join(name if len(name) <= LONG else f"{name[: LONG - 3]}..." for name in names)


def _sizes(found: Partition) -> list[str]:
    return [f"{size:,}" for size in found.sizes]


def _shares(found: Partition) -> list[str]:
    return [percent(size / found.sizes.sum()) for size in found.sizes]


def _inside(found: Partition) -> list[str]:
    return ["-" if math.isnan(share) else percent(share) for share in found.inside]


def _number(value: float, digits: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _density(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3g}"


def _conclusion(found: Partition, noun: str) -> list[str]:
    plural = {"cluster": "clusters", "community": "communities"}[noun]
    return [
        f"Inside: the share of a {noun}'s edge weight that stays in it. For all {plural} together "
        f"{percent(found.share_inside)}, by chance {percent(found.share_expected)}: modularity "
        f"{found.modularity:.3f}."
    ]


def _close(grouping: Grouping, options: ClusterOptions | CommunityOptions) -> None:
    """The outside check, the time, and what most people want next."""
    if grouping.against is not None:
        _lines(_against(grouping.against, len(grouping.labels)))
    steps = stopped(grouping.fitted.estimator)
    _lines(f"Time: {duration(grouping.fitted.seconds)}{f' ({steps})' if steps else ''}.")
    if options.output is None:
        _lines(f"Next: {options.command('-o', 'labels.csv')}")
    elif options.report is None:
        _lines(f"Next: {options.command('--report', 'report.html')}")
    else:
        _lines("Next: sksieve methods")


def _against(against: Against, n: int) -> str:
    used = "" if against.n_used == n else f" of the {against.n_used:,} labelled"
    return (
        f"Against {against.name!r} ({counted(against.n_classes, 'label')}; an outside check, the "
        f"clustering did not see them): accuracy {against.accuracy:.3f}{used}, "
        f"NMI {against.nmi:.3f}."
    )


def _lines(*lines: str) -> None:
    console = out()
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)
