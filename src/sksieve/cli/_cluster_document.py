"""The JSON documents of ``sksieve cluster --json`` and ``sksieve communities --json``.

The layouts are stable: within ``sksieve.cluster/1`` and ``sksieve.communities/1`` fields are added,
never renamed or removed. Shares lie in [0, 1]; a number that is not finite is null; samples,
vertices and groups are counted from 0.
"""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np

from ..evaluation import Partition
from ..io.graphs._graph import Graph
from ..io.tables import Table
from ._cluster_fit import Against, Grouping
from ._cluster_options import ClusterOptions, CommunityOptions
from ._columns import Numeric
from ._document import FitEntry, fit_entry, versions

__all__ = ["ClusterDocument", "CommunityDocument", "cluster_document", "community_document"]


class GroupEntry(TypedDict):
    group: int
    size: int
    inside: float | None  # share of its edge weight that stays in it
    density: float | None  # mean weight of a pair of its members
    silhouette: float | None  # null for vertices


class GraphEntry(TypedDict):
    vertices: int
    edges: int
    components: list[int]  # sizes, largest first; 1 for a vertex without an edge
    isolated: int


class QualityEntry(TypedDict):
    inside: float  # share of all edge weight that is inside groups
    expected: float  # the same for edges at random between vertices of these degrees
    modularity: float
    density_within: float
    density_between: float
    silhouette: float | None
    silhouette_rows: int  # rows it was worked out for


class AgainstEntry(TypedDict):
    label_column: str
    accuracy: float
    nmi: float
    n_labels: int
    n_used: int


class _Document(TypedDict):
    schema: str
    versions: dict[str, str]
    command: str  # repeats the clustering
    data: dict[str, Any]
    method: dict[str, Any]
    n_groups: int  # as asked
    groups: list[GroupEntry]
    graph: GraphEntry
    quality: QualityEntry
    against: AgainstEntry | None  # only if asked for
    fit: FitEntry
    output: str | None
    report: str | None
    adjacency: str | None
    notes: list[str]
    labels: list[int]


class ClusterDocument(_Document):
    """Of groups of samples."""


class CommunityDocument(_Document):
    """Of groups of vertices."""

    names: list[str]  # of the vertices


def cluster_document(
    table: Table, numeric: Numeric, grouping: Grouping, options: ClusterOptions, notes: list[str]
) -> ClusterDocument:
    """Everything there is to say, as plain values."""
    m, n = numeric.X.shape
    data = {
        "name": table.name,
        "sha256": table.sha256,
        "sha256_of": table.hashed,
        "n_samples": int(m),
        "n_features": int(n),
        "sparse": hasattr(numeric.X, "tocsr"),
        "label_column": options.label_column,
        "scale": options.scale,
    }
    return ClusterDocument(**_document("sksieve.cluster/1", data, grouping, options, notes))


def community_document(
    graph: Graph, grouping: Grouping, options: CommunityOptions, notes: list[str]
) -> CommunityDocument:
    """Everything there is to say, as plain values."""
    data = {
        "name": graph.name,
        "sha256": graph.sha256,
        "sha256_of": graph.hashed,
        "label_column": options.label_column,
    }
    shared = _document("sksieve.communities/1", data, grouping, options, notes)
    return CommunityDocument(**shared, names=list(graph.names))


def _document(
    schema: str,
    data: dict[str, Any],
    grouping: Grouping,
    options: ClusterOptions | CommunityOptions,
    notes: list[str],
) -> _Document:
    est, choice, found = grouping.fitted.estimator, grouping.choice, grouping.partition
    return {
        "schema": schema,
        "versions": versions(),
        "command": options.command(),
        "data": data,
        "method": {
            "name": choice.method.name,
            "class": choice.method.class_name,
            "reason": choice.reason,
            "parameters": est.get_params(deep=False),
            "seed": options.seed,
        },
        "n_groups": options.c,
        "groups": _groups(found),
        "graph": {
            "vertices": int(found.component_sizes.sum()),
            "edges": found.n_edges,
            "components": [int(size) for size in found.component_sizes],
            "isolated": found.n_isolated,
        },
        "quality": _quality(found),
        "against": _against(grouping.against),
        "fit": fit_entry(grouping.fitted),
        "output": None if options.output is None else str(options.output),
        "report": None if options.report is None else str(options.report),
        "adjacency": None if options.adjacency is None else str(options.adjacency),
        "notes": notes,
        "labels": [int(label) for label in grouping.labels],
    }


def _groups(found: Partition) -> list[GroupEntry]:
    densities, silhouettes = np.diagonal(found.densities), found.silhouettes
    return [
        {
            "group": k,
            "size": int(found.sizes[k]),
            "inside": float(found.inside[k]),
            "density": float(densities[k]),
            "silhouette": None if silhouettes is None else float(silhouettes[k]),
        }
        for k in range(len(found.sizes))
    ]


def _quality(found: Partition) -> QualityEntry:
    return {
        "inside": found.share_inside,
        "expected": found.share_expected,
        "modularity": found.modularity,
        "density_within": found.density_within,
        "density_between": found.density_between,
        "silhouette": found.silhouette,
        "silhouette_rows": found.n_sampled,
    }


def _against(against: Against | None) -> AgainstEntry | None:
    if against is None:
        return None
    return {
        "label_column": against.name,
        "accuracy": against.accuracy,
        "nmi": against.nmi,
        "n_labels": against.n_classes,
        "n_used": against.n_used,
    }
