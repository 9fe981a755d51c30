"""``sksieve communities``: read a graph, check, fit, report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._wording import counted, did_you_mean, listed, percent
from ..catalogue import get_method
from ..evaluation import Partition, inside_shares, partition
from ..exceptions import ArgumentError, DataError
from ..io import Graph, read_graph
from ..io._numeric import Labels
from ..io._write import FRAMES
from ..suggest import Suggestion, suggest_n_communities
from ..workflows._fitting import Fitted
from ..workflows._methods import Choice, choose
from ..workflows._tables import source_entry
from ._data import check_targets, graph_lines
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
from ._options import CommunityOptions
from ._print import out, print_lines, show_table

__all__ = ["run"]

#: The method behind ``--method auto``, and why.
AUTO = "spectral_communities"
REASON = "auto: fast, and on networks as good as projection matrices"
#: Vertices named for each community, and characters of a name in the table.
NAMED, LONG = 4, 24


@dataclass(frozen=True, eq=False, kw_only=True)
class Communities(Grouping):
    """Everything about one run."""

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

    def facts(self) -> dict[str, Any]:
        data = source_entry(self.graph, self.options.label_column)
        return {"data": data, "names": list(self.graph.names)}

    def page(self) -> dict[str, Any]:
        return {
            "data_name": self.graph.name,
            "data_sha256": self.graph.sha256,
            "names": self.graph.names,
            "loading": graph_lines(self.options),
        }

    def show(self) -> None:
        graph, facts = self.graph, self.partition
        weighted = graph.A.nnz and not np.all(graph.A.data == graph.A.data[0])
        print_lines(
            f"Method: {self.choice.method.name} ({self.choice.reason})",
            f"Data: {graph.name}, undirected{', weighted' if weighted else ''}",
            f"Graph: {facts.graph_summary}",
            "",
        )
        within = [number(value, ".3g") for value in np.diagonal(facts.densities)]
        across = [number(value, ".3g") for value in facts.densities_outside]
        named = [_most_connected(graph, self.labels, k) for k in range(len(facts.sizes))]
        heads = (">community", ">size", ">share", ">inside", ">within", ">to others")
        columns = (*size_columns(facts), within, across, named)
        rows = list(zip(range(len(facts.sizes)), *columns))
        show_table(out(), "", [*heads, "most connected"], rows)
        print_lines(
            "",
            "Inside: the share of a community's edge weight that stays in it; for all communities "
            f"{percent(facts.share_inside)}, expected at random {percent(facts.share_expected)} "
            f"(modularity {facts.modularity:.3f}).",
            f"Density: {number(facts.density_within, '.3g')} within communities, "
            f"{number(facts.density_between, '.3g')} between (mean weight of a pair of vertices).",
        )
        print_lines(*([f"Number: {self.suggestion.sentence}"] if self.suggestion else ()))
        print_close(self)


def run(options: CommunityOptions) -> None:
    """Find communities and report them."""
    choice = choose(options.method, ("clusterer",), Choice(get_method(AUTO), REASON))
    if "affinity" not in choice.method.defaults():
        raise ArgumentError(
            f"--method {choice.method.name} groups the rows of a table (sksieve cluster); for a "
            "graph use one of sksieve methods --purpose communities, or spectral."
        )
    check_count(options, choice.method)
    estimator = make_estimator(choice.method, options)
    check_targets(options, tuple(FRAMES))
    graph = read_graph(options.data, **options.reading)
    labels = _labels(graph, options.label_column)
    suggestion, c = None, options.clusters
    if c is None and not finds_number(choice.method):
        suggestion = _suggested(graph, options.seed)
        c = suggestion.n
        estimator.set_params(n_clusters=c)
    if c is not None:
        joined = int(np.count_nonzero(np.diff(graph.A.indptr)))
        check_size(c, len(graph.names), "vertices", graph.name)
        check_size(c, joined, "vertices with an edge", graph.name)
    title = f"Finding {'' if c is None else f'{c:,} '}communities of {len(graph.names):,} vertices"
    fitted = fit(estimator, graph.A, title, options.seconds)
    groups = fitted.estimator.labels_
    c = fitted.estimator.n_clusters_ if c is None else c
    against = compared(labels, groups) if options.against_labels else None
    facts = partition(graph.A, groups)
    Communities(
        options=options,
        choice=choice,
        fitted=fitted,
        partition=facts,
        against=against,
        n_groups=c,
        suggestion=suggestion,
        notes=[*graph.notes, *_remarks(c, graph, facts, fitted, choice)],
        graph=graph,
        side=labels,
    ).deliver()


def _suggested(graph: Graph, seed: int) -> Suggestion:
    """The number of communities, where none is given; a graph that shows none is refused."""
    count = suggest_n_communities(graph.A, random_state=seed)
    if count.kind == "none":
        raise DataError(
            f"{graph.name} shows no communities. {count.sentence} With -c it is divided anyway."
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


def _remarks(c: int, graph: Graph, facts: Partition, fitted: Fitted, choice: Choice) -> list[str]:
    """On isolated vertices, and on components by their number."""
    parts = facts.component_sizes[facts.component_sizes > 1]
    notes = facts.warnings(c)
    alone = np.flatnonzero(np.diff(graph.A.indptr) == 0)
    if len(alone):
        one = len(alone) == 1
        notes.append(
            f"{counted(len(alone), 'vertex', 'vertices')} {'has' if one else 'have'} no edge, so "
            f"it is unknown where {'it belongs' if one else 'they belong'}: "
            f"{'it' if one else 'each'} is a community of its own (--largest leaves out all but "
            "the largest component)."
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
            f"The graph is not connected: it has {len(parts):,} components with edges, and no edge "
            "shows how they belong together."
        )
    isolated_warning = "vertices of the affinity lie in"
    return notes + [text for text in fitted.warnings if isolated_warning not in text]


def _most_connected(graph: Graph, labels: NDArray[np.intp], k: int) -> str:
    members = np.flatnonzero(labels == k)
    degree = np.asarray(graph.A.sum(axis=1)).ravel()[members]
    best = members[np.argsort(-degree, kind="stable")[:NAMED]]
    names = [graph.names[v] for v in best]
    return ", ".join(name if len(name) <= LONG else f"{name[: LONG - 3]}..." for name in names)
