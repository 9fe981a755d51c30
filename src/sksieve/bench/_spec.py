"""A spec, and the tasks it stands for: a cell and the scores requested of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ._cells import Cell, Data, Item, freeze
from ._data import SBM, content_of, is_graph, shape
from ._methods import Candidate, candidate
from ._protocols import PROTOCOLS, Protocol
from ._scores import SCORINGS


@dataclass(frozen=True)
class Task:
    """A cell, the scores requested of it, and where they belong in a table.

    Attributes
    ----------
    cell : Cell
        What is fitted.
    items : tuple of Item
        Scores requested.
    method, setting : str
        Column of a table: name of the method, point of its grid (empty for its defaults).
    budget, score_budget : float
        Seconds for the fit, and for all its scores.
    ks : tuple of int
        Numbers of columns at which a table shows the items; their own k when empty.
    """

    cell: Cell
    items: tuple[Item, ...]
    method: str
    setting: str
    budget: float
    score_budget: float
    ks: tuple[int, ...] = ()


@dataclass(frozen=True)
class Source:
    """A data set of a spec.

    Attributes
    ----------
    name : str
        A name of `sksieve.datasets.load`, ``sbm``, or what tables call the file.
    scale : str or None
        In place of the spec's.
    classes : tuple of int
        In place of the spec's.
    options : tuple of (str, tuple)
        Further options, each with the values to take in turn.
    path : str
        File of a table; empty for a data set of the catalogue.
    """

    name: str
    scale: str | None = None
    classes: tuple[int, ...] = ()
    options: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    path: str = ""

    @property
    def is_random(self) -> bool:
        """Is it drawn: a graph of a model, a split, or a sample of the rows?"""
        return self.name == SBM or bool({"train", "sample"} & set(dict(self.options)))

    @property
    def is_graph(self) -> bool:
        """Is it an adjacency matrix?"""
        return is_graph(self.name, self.path)

    def data(self, classes: tuple[int, ...]) -> Iterator[Data]:
        """The set with each number of classes and each value of its options, not yet scaled."""
        names, content = [name for name, _ in self.options], content_of(self.name, self.path)
        for first in self.classes or classes or (None,):
            for values in itertools.product(*(values for _, values in self.options)):
                options = tuple(zip(names, values))
                whole = Data(*(self.name, "none", first, options), content=content, path=self.path)
                yield _without_idle_limits(whole)


def _without_idle_limits(data: Data) -> Data:
    """The data without the limits on rows and columns that do not apply to them."""
    options = dict(data.options)
    if not {"max_rows", "max_columns"} & set(options):
        return data
    size = shape(data)
    for name, number in (("max_rows", size.n_samples), ("max_columns", size.n_features)):
        if options.get(name, 0) >= number:
            options.pop(name, None)
    return replace(data, options=tuple(sorted(options.items())))


@dataclass(frozen=True)
class Entry:
    """A method of a spec: fixed parameters, and lists of values to try.

    Attributes
    ----------
    name : str
        A name of the catalogue, ``package.module:Class``, ``all_columns`` or ``kmeans``.
    parameters : dict
        Fixed ones.
    grids : tuple of dict
        Each a product of lists of values; the points of all are tried.
    label : str
        What tables call it; its name when empty.
    scale : str or None
        How the columns are scaled for this method, in place of the spec's.
    clusters : {"given", "eigengap"}
        The number of clusters for a method that takes one: that of the classes, or estimated.
    repetitions : int or None
        In place of the spec's.
    """

    name: str
    parameters: dict[str, Any]
    grids: tuple[dict[str, list[Any]], ...] = ()
    label: str = ""
    scale: str | None = None
    clusters: Literal["given", "eigengap"] = "given"
    repetitions: int | None = None

    @property
    def column(self) -> str:
        """What tables call it."""
        name = self.label or self.name.rpartition(":")[2]
        return f"{name} (c by eigengap)" if self.clusters == "eigengap" and not self.label else name

    def settings(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """``("", parameters)``, then every point of the grids with its text, each once."""
        yield "", self.parameters
        seen = set()
        for grid in self.grids:
            for values in itertools.product(*grid.values()):
                point = dict(zip(grid, values))
                text = ", ".join(f"{name}={value}" for name, value in point.items())
                if text not in seen:
                    seen.add(text)
                    yield text, {**self.parameters, **point}


@dataclass(frozen=True)
class Spec:
    """What ``sksieve bench run`` does.

    Attributes
    ----------
    name : str
        Title of its tables.
    protocol : str
        A name of `PROTOCOLS`.
    datasets : tuple of Source
        Data sets with what is done to them.
    methods : tuple of Entry
        Methods with their parameters.
    k : tuple of int
        Numbers of columns, the protocol's when empty; those larger than a data set has columns are
        left out there.
    repetitions : int
        Fits of a random method, which differ in the seed.
    repeats : int
        k-means runs, or splits, for each fit and k.
    draws : int
        Random graphs or splits, where a data set is one; each is fitted once.
    scale : str
        What is done to the columns before methods see them.
    classes : tuple of int
        Run on the first c classes, for each of these c; all classes when empty.
    budget : float
        Seconds that one fit may take.
    score_budget : float
        Seconds that all scores of one fit may take; 0 for as many as `budget`.
    text : str
        The file it was read from, as written; empty if it is none.
    """

    name: str
    protocol: str
    datasets: tuple[Source, ...]
    methods: tuple[Entry, ...]
    k: tuple[int, ...] = ()
    repetitions: int = 1
    repeats: int = 10
    draws: int = 1
    scale: str = "none"
    classes: tuple[int, ...] = ()
    budget: float = 3600.0
    score_budget: float = 0.0
    text: str = field(default="", compare=False, repr=False)

    @property
    def labels(self) -> set[str]:
        """What its data sets are called in tables."""
        return {data.label for source in self.datasets for data in source.data(self.classes)}

    @property
    def rules(self) -> Protocol:
        """The protocol itself."""
        return PROTOCOLS[self.protocol]

    def tasks(self) -> Iterator[Task]:
        """All tasks, one after the other; the order has no meaning."""
        for source in self.datasets:
            for plain in source.data(self.classes):
                for draw in range(self.draws) if source.is_random else (None,):
                    for entry in self.methods:
                        scale = entry.scale or source.scale or self.scale
                        scale = "none" if source.is_graph else scale
                        data = replace(plain, scale=scale, draw=draw)
                        yield from self._tasks_of(data, entry, is_graph=source.is_graph)

    def _tasks_of(self, data: Data, entry: Entry, *, is_graph: bool) -> Iterator[Task]:
        method, size = candidate(entry.name), shape(data)
        scorings = self.rules.of_labels if method.clusters else self.rules.of_columns
        if not size.n_classes:
            scorings = tuple(name for name in scorings if not SCORINGS[name].needs_labels)
        n_features = min(size.n_features, dict(data.options).get("max_columns", size.n_features))
        ks = tuple(k for k in self.k if k <= n_features) or (
            () if self.k else self.rules.sizes(n_features)
        )
        if not scorings or not (method.clusters or ks) or not _fits_kind(method, is_graph):
            return
        fixed = dict(self.rules.fixed) if method.kind == "columns" else {}
        given = {"affinity": "precomputed"} if is_graph else {}
        n_clusters = size.n_classes if entry.clusters == "given" else "eigengap"
        repetitions = self.repetitions if entry.repetitions is None else entry.repetitions
        fits = list(self._fits(method, scorings, ks, method.cluster_parameters(n_clusters)))
        for setting, parameters in entry.settings():
            for requested, items in fits:
                whole = freeze({**fixed, **parameters, **given, **requested})
                for repetition in range(repetitions if method.random and data.draw is None else 1):
                    yield Task(
                        Cell(data, entry.name, whole, repetition, method.version),
                        items,
                        entry.column,
                        setting,
                        self.budget,
                        self.score_budget or self.budget,
                        ks if method.keeps_all else (),
                    )

    def _fits(
        self,
        method: Candidate,
        scorings: tuple[str, ...],
        ks: tuple[int, ...],
        clusters: dict[str, Any],
    ) -> Iterator[tuple[dict[str, Any], tuple[Item, ...]]]:
        """Parameters of each fit, and its scores: a nested method serves all k at once."""

        def items(*sizes: int) -> tuple[Item, ...]:
            return tuple(
                Item(scoring, k, repeat)
                for scoring in scorings
                for k in sizes
                for repeat in range(SCORINGS[scoring].n_repeats or self.repeats)
            )

        if method.clusters or method.keeps_all:
            yield clusters, items(0)
        elif method.nested:
            yield {**method.column_parameters(max(ks)), **clusters}, items(*ks)
        else:
            for k in ks:
                yield {**method.column_parameters(k), **clusters}, items(k)


def _fits_kind(method: Candidate, is_graph: bool) -> bool:
    """Can this method take a graph, or a table?"""
    return method.takes_graphs if is_graph else not method.only_graphs
