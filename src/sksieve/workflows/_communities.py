"""Which communities a graph has."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import is_symmetric
from .._validation import adjacency_of, is_graph
from .._wording import argument, counted, did_you_mean, listed, percent, spelled
from ..catalogue import Method, get_method
from ..evaluation import Partition, inside_shares, partition
from ..exceptions import ArgumentError, DataError
from ..io import Graph, read_graph
from ..io._numeric import Labels
from ..suggest import Suggestion, suggest_n_communities
from ._fitting import Fitted, fit
from ._grouping import (
    Grouping,
    GroupingPlan,
    check_size,
    finds_number,
    number,
    size_columns,
    with_labels,
)
from ._methods import Choice, choose
from ._tables import source_entry
from ._text import Blocks, Grid

#: The method behind ``method="auto"``, and why.
AUTO = "spectral_communities"
REASON = "auto: fast, and on networks as good as projection matrices"
#: Vertices named for each community, and characters of a name in the table.
NAMED, LONG = 4, 24


def communities(
    graph: Any,
    n_clusters: int | None = None,
    *,
    method: str = "auto",
    params: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    random_state: int = 0,
    label_column: str | None = None,
    against_labels: bool = False,
    progress: bool = False,
) -> Communities:
    """Find communities of a graph: what ``sksieve communities`` does.

    Parameters
    ----------
    graph : path, networkx or igraph graph, adjacency matrix or Graph
        A path is read by `sksieve.io.read_graph`; give its result to read with other options. A
        matrix is symmetric, with weights >= 0.
    n_clusters : int, optional
        How many communities; by default suggested from the graph.
    method : str, default="auto"
        Name of a clustering method in the catalogue.
    params : mapping of str to value, optional
        Parameters of the method.
    time_limit : float, optional
        Seconds. A method that iterates returns its best result so far.
    random_state : int, default=0
        Seed of the random numbers.
    label_column : str, optional
        Vertex attribute: not used, copied to the frame.
    against_labels : bool, default=False
        Report how well the communities agree with these labels.
    progress : bool, default=False
        Show a progress bar.

    Returns
    -------
    Communities

    Raises
    ------
    ArgumentError
        If an argument is none of those above, or two exclude each other.
    DataError
        If the graph cannot be used, or shows no communities and `n_clusters` is not given.

    Examples
    --------
    >>> import networkx
    >>> import sksieve
    >>> found = sksieve.communities(networkx.karate_club_graph(), 2)
    >>> sorted(found.partition.sizes.tolist())
    [16, 18]
    """
    plan = CommunityPlan(
        n_clusters=n_clusters,
        method=method,
        params=params or {},
        time_limit=time_limit,
        random_state=random_state,
        label_column=label_column,
        against_labels=against_labels,
        progress=progress,
    )
    return plan.run(_as_graph(graph))


def _as_graph(graph: Any) -> Graph:
    if isinstance(graph, Graph):
        return graph
    if isinstance(graph, str | os.PathLike):
        return read_graph(graph)
    if is_graph(graph):
        A = sp.csr_array(adjacency_of(graph))
        nodes = graph.nodes if hasattr(graph, "nodes") else range(A.shape[0])
        return Graph(
            "The graph", [str(v) for v in nodes], A, sha256="", hashed="array", side={}, notes=()
        )
    A = sp.csr_array(graph, dtype=np.float64)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise DataError(
            f"{argument('graph')} has the shape {A.shape}; an adjacency matrix is square."
        )
    if not is_symmetric(A) or (A.nnz and A.data.min() < 0):
        raise DataError(
            f"{argument('graph')} must be symmetric with weights of at least 0; read_graph makes "
            "directed edges undirected."
        )
    A.setdiag(0)
    A.eliminate_zeros()
    names = [str(v) for v in range(A.shape[0])]
    return Graph("The graph", names, A, sha256="", hashed="array", side={}, notes=())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Communities(Grouping):
    """Communities of a graph; made by `sksieve.communities`. See `Grouping`."""

    graph: Graph
    side: Labels | None

    schema: ClassVar[str] = "sksieve.communities/1"

    def rows(self) -> dict[str, Any]:
        """One line per vertex: name, community, degree, share of its weight inside it."""
        share, _ = inside_shares(self.graph.A, self.labels)
        columns: dict[str, Any] = {
            "vertex": self.graph.names,
            "community": self.labels,
            "degree": np.diff(self.graph.A.indptr),
            "inside": share.round(6),
        }
        return with_labels(columns, self.side)

    def _facts(self) -> dict[str, Any]:
        name = None if self.side is None else self.side.name
        return {"data": source_entry(self.graph, name), "names": list(self.graph.names)}

    def _page(self) -> dict[str, Any]:
        return {
            "data_name": self.graph.name,
            "data_sha256": self.graph.sha256,
            "names": self.graph.names,
        }

    def _body(self) -> Blocks:
        graph, facts = self.graph, self.partition
        weighted = graph.A.nnz and not np.all(graph.A.data == graph.A.data[0])
        within = [number(value, ".3g") for value in np.diagonal(facts.densities)]
        across = [number(value, ".3g") for value in facts.densities_outside]
        named = [_most_connected(graph, self.labels, k) for k in range(len(facts.sizes))]
        heads = (">community", ">size", ">share", ">inside", ">within", ">to others")
        columns = (*size_columns(facts), within, across, named)
        joined = set(facts.joined.tolist())
        rows = [row for row in zip(range(len(facts.sizes)), *columns) if row[0] in joined]
        n_alone = len(facts.sizes) - len(rows)
        alone = counted(n_alone, "community", "communities")
        return [
            f"Method: {self.choice.method.name} ({self.choice.reason})",
            f"Data: {graph.name}, undirected{', weighted' if weighted else ''}",
            f"Graph: {facts.graph_summary}",
            "",
            Grid([*heads, "most connected"], rows),
            *([f"Not listed: {alone} of one vertex without an edge."] if n_alone else ()),
            "",
            "Inside: the share of a community's edge weight that stays in it; for all communities "
            f"{percent(facts.share_inside)}, expected at random {percent(facts.share_expected)} "
            f"(modularity {facts.modularity:.3f}).",
            f"Density: {number(facts.density_within, '.3g')} within communities, "
            f"{number(facts.density_between, '.3g')} between (mean weight of a pair of vertices).",
            *([] if self.suggestion is None else [f"Number: {self.suggestion.sentence}"]),
        ]


@dataclass(frozen=True, kw_only=True)
class CommunityPlan(GroupingPlan):
    """The arguments of `communities`, checked before any graph is read."""

    def __post_init__(self) -> None:
        method = self.choice.method
        if "affinity" not in method.defaults():
            tables = spelled("sksieve.cluster", "sksieve cluster")
            listing = spelled("list_methods()", "sksieve methods --purpose communities")
            raise ArgumentError(
                f"{argument('method')} {method.name} groups the rows of a table ({tables}); for a "
                f"graph use one of {listing}, or spectral."
            )
        self.check_count(method)
        self._estimator(method)

    @property
    def choice(self) -> Choice:
        """The method, and why it is taken."""
        return choose(self.method, ("clusterer",), Choice(get_method(AUTO), REASON))

    def _estimator(self, method: Method) -> Any:
        given = {"affinity": "precomputed"}
        tables = spelled("sksieve.cluster", "sksieve cluster")
        own = {"affinity": f"{tables}, which makes the affinity from a table,"}
        return self.estimator(method, given, own)

    def run(self, graph: Graph) -> Communities:
        """Find communities of a graph."""
        choice, c = self.choice, self.n_clusters
        estimator = self._estimator(choice.method)
        labels = _labels(graph, self.label_column)
        suggestion = None
        if c is None and not finds_number(choice.method):
            suggestion = _suggested(graph, self.random_state)
            c = suggestion.n
            estimator.set_params(n_clusters=c)
        if c is not None:
            joined = int(np.count_nonzero(np.diff(graph.A.indptr)))
            check_size(c, len(graph.names), "vertices", graph.name)
            check_size(c, joined, "vertices with an edge", graph.name)
        many = "" if c is None else f"{c:,} "
        fitted = fit(
            estimator,
            graph.A,
            f"Finding {many}communities of {len(graph.names):,} vertices",
            progress=self.progress,
            seconds=self.time_limit,
        )
        groups = fitted.estimator.labels_
        c = fitted.estimator.n_clusters_ if c is None else c
        facts = partition(graph.A, groups)
        return Communities(
            plan=self,
            choice=choice,
            fitted=fitted,
            partition=facts,
            against=self.compared(labels, groups),
            n_groups=c,
            suggestion=suggestion,
            notes=[*graph.notes, *self._remarks(c, graph, facts, fitted)],
            graph=graph,
            side=labels,
        )

    def _remarks(self, c: int, graph: Graph, facts: Partition, fitted: Fitted) -> list[str]:
        """On isolated vertices, and on components by their number."""
        parts = facts.component_sizes[facts.component_sizes > 1]
        notes = facts.warnings(c)
        alone = np.flatnonzero(np.diff(graph.A.indptr) == 0)
        if len(alone):
            one = len(alone) == 1
            leaves_out = spelled("read_graph(..., largest=True) leaves out", "--largest leaves out")
            notes.append(
                f"{counted(len(alone), 'vertex', 'vertices')} {'has' if one else 'have'} no edge, "
                f"so it is unknown where {'it belongs' if one else 'they belong'}: "
                f"{'it' if one else 'each'} is a community of its own ({leaves_out} all but the "
                "largest component)."
            )
        if len(parts) > c:
            beyond = int(parts[c:].sum())
            notes.append(
                f"The graph has {len(parts):,} connected components with edges, more than the {c} "
                f"communities: at most the {c} heaviest are divided. Each of the others, with "
                f"{counted(beyond, 'vertex', 'vertices')} in all, is a community of its own."
            )
        elif len(parts) > 1:
            notes.append(
                f"The graph is not connected: it has {len(parts):,} components with edges, and no "
                "edge shows how they belong together."
            )
        isolated_warning = "vertices of the affinity lie in"
        return notes + [text for text in fitted.warnings if isolated_warning not in text]


def _suggested(graph: Graph, seed: int) -> Suggestion:
    """The number of communities, where none is given; a graph that shows none is refused."""
    count = suggest_n_communities(graph.A, random_state=seed)
    if count.kind == "none":
        raise DataError(
            f"{graph.name} shows no communities. {count.sentence} With "
            f"{argument('n_clusters')} it is divided anyway.",
            remedy=(("n_clusters", 2),),
        )
    return count


def _labels(graph: Graph, name: str | None) -> Labels | None:
    if name is None:
        return None
    if name not in graph.side:
        there = f"it has {listed(graph.side)}." if graph.side else "its vertices have no values."
        hint = did_you_mean(name, graph.side, quoted=True) or there
        raise DataError(f"{graph.name} has no labels {name!r}; {hint}")
    return Labels(name, graph.side[name])


def _most_connected(graph: Graph, labels: NDArray[np.intp], k: int) -> str:
    members = np.flatnonzero(labels == k)
    degree = np.asarray(graph.A.sum(axis=1)).ravel()[members]
    best = members[np.argsort(-degree, kind="stable")[:NAMED]]
    names = [graph.names[v] for v in best]
    return ", ".join(name if len(name) <= LONG else f"{name[: LONG - 3]}..." for name in names)
