"""A spec, and the tasks it stands for: a cell and the scores that are wanted of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ._cells import Cell, Data, Item, freeze
from ._data import SBM, content_of, is_graph, size
from ._methods import Candidate, candidate
from ._protocols import PROTOCOLS, Protocol
from ._scores import n_repeats

__all__ = ["Entry", "Source", "Spec", "Task"]


@dataclass(frozen=True)
class Task:
    """A cell, the scores wanted of it, and where they belong in a table.

    Attributes
    ----------
    cell : Cell
        What is fitted.
    items : tuple of Item
        Scores wanted.
    method, setting : str
        Column of a table: name of the method, point of its grid (empty for its defaults).
    budget : float
        Seconds for the fit, and for scoring it.
    shown : tuple of int
        Numbers of columns at which a table shows the items; their own k when empty.
    """

    cell: Cell
    items: tuple[Item, ...]
    method: str
    setting: str
    budget: float
    shown: tuple[int, ...] = ()


@dataclass(frozen=True)
class Source:
    """A data set of a spec.

    Attributes
    ----------
    name : str
        A name of `sksieve.datasets.load`, or ``sbm``.
    scale : str or None
        In place of the spec's.
    classes : tuple of int
        In place of the spec's.
    options : tuple of (str, tuple)
        What else is done to it, each with the values to take in turn.
    """

    name: str
    scale: str | None = None
    classes: tuple[int, ...] = ()
    options: tuple[tuple[str, tuple[Any, ...]], ...] = ()

    @property
    def drawn(self) -> bool:
        """Is it random: a graph of a model, or a split?"""
        return self.name == SBM or "train" in dict(self.options)

    def data(self, classes: tuple[int, ...]) -> Iterator[Data]:
        """The set with each number of classes and each value of its options, not yet scaled."""
        names, content = [name for name, _ in self.options], content_of(self.name)
        for first in self.classes or classes or (None,):
            for values in itertools.product(*(values for _, values in self.options)):
                options = tuple(zip(names, values))
                yield Data(self.name, "none", first, options, content=content)


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
        What is done to the columns before this method sees them, in place of the spec's.
    """

    name: str
    parameters: dict[str, Any]
    grids: tuple[dict[str, list[Any]], ...] = ()
    label: str = ""
    scale: str | None = None

    @property
    def said(self) -> str:
        """What tables call it."""
        return self.label or self.name.rpartition(":")[2]

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
        Seconds that one fit, and one round of scoring it, may take.
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
                for draw in range(self.draws) if source.drawn else (None,):
                    for entry in self.methods:
                        scale = entry.scale or source.scale or self.scale
                        scale = "none" if is_graph(source.name) else scale
                        yield from self._of(replace(plain, scale=scale, draw=draw), entry)

    def _of(self, data: Data, entry: Entry) -> Iterator[Task]:
        method = candidate(entry.name)
        scoring = self.rules.of_labels if method.clusters else self.rules.of_columns
        n_features, n_classes = size(data)
        ks = tuple(k for k in self.k if k <= n_features) or (
            () if self.k else self.rules.sizes(n_features)
        )
        if scoring is None or not (method.clusters or ks):
            return
        given = {"affinity": "precomputed"} if is_graph(data.name) else {}
        repetitions = self.repetitions if method.random and data.draw is None else 1
        fits = list(self._fits(method, scoring, ks, n_classes))
        for setting, parameters in entry.settings():
            for fixed, items in fits:
                whole = freeze({**parameters, **given, **fixed})
                for repetition in range(repetitions):
                    yield Task(
                        Cell(data, entry.name, whole, repetition, method.version),
                        items,
                        entry.said,
                        setting,
                        self.budget,
                        ks if method.floor else (),
                    )

    def _fits(
        self, method: Candidate, scoring: str, ks: tuple[int, ...], n_classes: int
    ) -> Iterator[tuple[dict[str, Any], tuple[Item, ...]]]:
        """What a fit must be told, and what it then serves: a nested method all k at once."""
        repeats = range(n_repeats(scoring, self.repeats))
        clusters = method.told_clusters(n_classes)
        if method.clusters or method.floor:
            yield clusters, tuple(Item(scoring, 0, repeat) for repeat in repeats)
        elif method.nested:
            items = tuple(Item(scoring, k, repeat) for k in ks for repeat in repeats)
            yield {**method.told_columns(max(ks)), **clusters}, items
        else:
            for k in ks:
                items = tuple(Item(scoring, k, repeat) for repeat in repeats)
                yield {**method.told_columns(k), **clusters}, items
