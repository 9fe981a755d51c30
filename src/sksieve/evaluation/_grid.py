"""From a TOML file to tasks: a cell and the scores that are wanted of it."""

from __future__ import annotations

import itertools
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ..exceptions import DataError
from ._cells import Cell, Data, Item, freeze
from ._data import OPTIONS, SBM, SCALES, is_graph, kind, size
from ._methods import Candidate, candidate
from ._protocols import PROTOCOLS, Protocol
from ._scores import REPEATED, n_repeats

__all__ = ["Entry", "Source", "Spec", "Task", "parse_spec", "read_spec"]

#: Entry -> how TOML must write it, in words and as types.
KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    **dict.fromkeys(("name", "protocol", "scale"), ("a text", (str,))),
    **dict.fromkeys(("datasets", "k", "classes", "method"), ("a list", (list,))),
    **dict.fromkeys(("repetitions", "repeats", "draws"), ("a whole number", (int,))),
    "budget": ("a number", (int, float)),
}

OWN = ("random_state", "n_features_to_select", "n_clusters")


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
        names = [name for name, _ in self.options]
        for first in self.classes or classes or (None,):
            for values in itertools.product(*(values for _, values in self.options)):
                yield Data(self.name, "none", first, tuple(zip(names, values)))


@dataclass(frozen=True)
class Entry:
    """A method of a spec: fixed parameters, and lists of values to try.

    Attributes
    ----------
    name : str
        A name of the registry, ``package.module:Class``, ``all_columns`` or ``kmeans``.
    parameters : dict
        Fixed ones.
    grids : tuple of dict
        Each a product of lists of values; the points of all are tried.
    label : str
        What tables call it.
    scale : str or None
        What is done to the columns before this method sees them, in place of the spec's.
    """

    name: str
    parameters: dict[str, Any]
    grids: tuple[dict[str, list[Any]], ...] = ()
    label: str = ""
    scale: str | None = None

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
        for setting, parameters in entry.settings():
            for fixed, items in self._fits(method, scoring, ks, n_classes):
                whole = freeze({**parameters, **given, **fixed})
                for repetition in range(repetitions):
                    yield Task(
                        Cell(data, entry.name, whole, repetition),
                        items,
                        entry.label or entry.name.rpartition(":")[2],
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


def read_spec(path: str | os.PathLike[str]) -> Spec:
    """A spec from a TOML file.

    Raises
    ------
    DataError
        If the file is no TOML, or asks for what does not exist; the message says which entry.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        return parse_spec(tomllib.loads(text), name=Path(path).stem)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not a TOML file: {error}.") from error
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def parse_spec(content: dict[str, Any], name: str = "") -> Spec:
    """A spec from a dict as TOML gives it, checked.

    Raises
    ------
    DataError
        If an entry is missing, unknown or out of range.

    Examples
    --------
    >>> spec = parse_spec({"protocol": "css", "datasets": ["iris"], "k": [1, 2],
    ...                    "method": [{"name": "greedy"}, {"name": "pocss"}]})
    >>> [(t.cell.method, len(t.items)) for t in spec.tasks()]
    [('greedy', 2), ('pocss', 1), ('pocss', 1)]
    """
    _check_kinds(content)
    content = dict(content)
    known = {f.name for f in fields(Spec)} - {"methods"}
    unknown = sorted(set(content) - known - {"method"})
    if unknown:
        raise DataError(f"there is no entry {unknown[0]!r}; known: {', '.join(sorted(known))}.")
    for needed in ("protocol", "datasets"):
        if needed not in content:
            raise DataError(f"the entry {needed!r} is missing.")
    if content["protocol"] not in PROTOCOLS:
        raise DataError(f"no protocol {content['protocol']!r}; known: {', '.join(PROTOCOLS)}.")
    rules = PROTOCOLS[content["protocol"]]
    values: dict[str, Any] = {"name": name, "repeats": rules.repeats, "draws": rules.draws}
    values["repetitions"] = rules.repetitions
    values["methods"] = tuple(_entry(entry) for entry in content.pop("method", []))
    content["datasets"] = [_source(given) for given in content["datasets"]]
    values |= {k: tuple(v) if isinstance(v, list) else v for k, v in content.items()}
    spec = Spec(**values)
    _check(spec)
    return spec


def _check_kinds(content: dict[str, Any]) -> None:
    for name, (words, types) in KINDS.items():
        if name in content and not isinstance(content[name], types):
            raise DataError(f"{name} must be {words}; got {content[name]!r}.")


def _source(given: Any) -> Source:
    if isinstance(given, str):
        given = {"name": given}
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        raise DataError(
            f"datasets must be a list of names, or of tables that have a name; got {given!r}."
        )
    options = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
    (name,), scale = options.pop("name"), options.pop("scale", [None])[0]
    classes = tuple(options.pop("classes", []))
    known = OPTIONS[kind(name)]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise DataError(
            f"{name} has no option {unknown[0]!r}; it may have "
            f"{', '.join((*known, 'scale', 'classes'))}."
        )
    if name == SBM and set(options) != set(known):
        raise DataError(f"{SBM} must say {', '.join(known)}.")
    return Source(name, scale, classes, tuple((o, tuple(v)) for o, v in sorted(options.items())))


def _entry(given: Any) -> Entry:
    if not isinstance(given, dict):
        raise DataError(f"method must be tables, [[method]]; got {given!r}.")
    unknown = sorted(set(given) - {"name", "parameters", "grid", "label", "scale"})
    if unknown or "name" not in given:
        raise DataError(
            "[[method]] needs name and may have parameters, grid, label and scale; "
            f"got {', '.join(given)}."
        )
    name, parameters, grid = given["name"], given.get("parameters", {}), given.get("grid", {})
    grids = grid if isinstance(grid, list) else [grid] if grid else []
    if not isinstance(parameters, dict) or not all(isinstance(part, dict) for part in grids):
        raise DataError(f"{name}: parameters and grid must be tables.")
    if not all(isinstance(values, list) and values for part in grids for values in part.values()):
        raise DataError(f"{name}: each entry of grid must be a list of values to try.")
    return Entry(name, parameters, tuple(grids), given.get("label", ""), given.get("scale"))


def _check(spec: Spec) -> None:
    scales = [spec.scale, *(s.scale for s in spec.datasets), *(e.scale for e in spec.methods)]
    for scale in scales:
        if scale is not None and scale not in SCALES:
            raise DataError(f"scale must be one of {', '.join(SCALES)}; got {scale!r}.")
    counts = {"k": spec.k, "classes": spec.classes}
    counts |= {name: (getattr(spec, name),) for name in ("repetitions", "repeats", "draws")}
    for name, numbers in counts.items():
        if not all(isinstance(number, int) and number >= 1 for number in numbers):
            raise DataError(f"{name} must be whole numbers from 1; got {numbers}.")
    if not spec.budget > 0:
        raise DataError(f"budget must be seconds, more than 0; got {spec.budget}.")
    if not spec.methods or not spec.datasets:
        raise DataError("there must be at least one data set and one [[method]].")
    labels = [entry.label or entry.name for entry in spec.methods]
    for label in labels:
        if labels.count(label) > 1:
            raise DataError(f"two methods are called {label!r}; give one of them a label.")
    for source in spec.datasets:
        if ("train" in dict(source.options)) != spec.rules.splits:
            raise DataError(
                f"{source.name}: 'train' goes with a protocol of splits (lsdcl-cv), and with none "
                "other."
            )
    for entry in spec.methods:
        _check_entry(spec, entry)


def _check_entry(spec: Spec, entry: Entry) -> None:
    method, rules = candidate(entry.name), spec.rules
    names = {*entry.parameters, *(name for grid in entry.grids for name in grid)}
    if entry.grids and not rules.tuned:
        raise DataError(
            f"{entry.name} has a grid, but protocol {spec.protocol!r} tunes nothing; "
            "use protocol 'oracle'."
        )
    for name in sorted(names & set(OWN)):
        raise DataError(f"{entry.name}: {name} is set by the protocol.")
    for name in sorted(names - set(method.accepts)):
        raise DataError(f"{entry.name} has no parameter {name!r}.")
    if not (rules.of_labels if method.clusters else rules.of_columns):
        does = "finds groups" if method.clusters else "chooses columns"
        raise DataError(f"{entry.name} {does}, which protocol {spec.protocol!r} does not measure.")
    if method.floor and rules.of_columns not in REPEATED:
        raise DataError(f"{entry.name} says nothing under protocol {spec.protocol!r}.")
    if not method.clusters and not (spec.k or rules.k):
        raise DataError(f"{entry.name} chooses columns: the entry 'k' must say how many.")
    for source in spec.datasets:
        if is_graph(source.name) and "affinity" not in method.accepts:
            raise DataError(f"{source.name} is a graph, and {entry.name} does not take graphs.")
