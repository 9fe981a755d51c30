"""From a TOML file to tasks: a cell and the scores that are wanted of it."""

from __future__ import annotations

import itertools
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ..exceptions import DataError
from ._cells import Cell, Data, Item, freeze
from ._methods import Candidate, candidate
from ._protocols import PROTOCOLS, Protocol

__all__ = ["Entry", "Spec", "Task", "parse_spec", "read_spec"]

SCALES = ("standard", "unit", "minmax", "none")
#: Entry -> how TOML must write it, in words and as types.
KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    **dict.fromkeys(("name", "protocol", "scale"), ("a text", (str,))),
    **dict.fromkeys(("datasets", "k", "classes", "method"), ("a list", (list,))),
    **dict.fromkeys(("repetitions", "repeats"), ("a whole number", (int,))),
    "budget": ("a number", (int, float)),
}

OWN = ("random_state", "n_features_to_select", "n_clusters")


@dataclass(frozen=True)
class Task:
    """A cell, the scores wanted of it, and which column of a table it belongs to."""

    cell: Cell
    items: tuple[Item, ...]
    setting: str
    budget: float


@dataclass(frozen=True)
class Entry:
    """A method of a spec: fixed parameters, and lists of values to try."""

    name: str
    parameters: dict[str, Any]
    grid: dict[str, list[Any]]

    def settings(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """``("", parameters)``, then every point of the grid with its text."""
        yield "", self.parameters
        if self.grid:
            for values in itertools.product(*self.grid.values()):
                point = dict(zip(self.grid, values))
                text = ", ".join(f"{name}={value}" for name, value in point.items())
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
    datasets : tuple of str
        Names of `sksieve.datasets.load`.
    methods : tuple of Entry
        Methods with their parameters.
    k : tuple of int
        Numbers of columns; those larger than a data set has columns are left out there.
    repetitions : int
        Fits of a random method, which differ in the seed.
    repeats : int
        k-means runs for each fit and k.
    scale : str
        What is done to the columns first.
    classes : tuple of int
        Run on the first c classes, for each of these c; all classes when empty.
    budget : float
        Seconds that one fit, and one round of scoring it, may take.
    """

    name: str
    protocol: str
    datasets: tuple[str, ...]
    methods: tuple[Entry, ...]
    k: tuple[int, ...] = ()
    repetitions: int = 1
    repeats: int = 10
    scale: str = "none"
    classes: tuple[int, ...] = ()
    budget: float = 3600.0

    @property
    def rules(self) -> Protocol:
        """The protocol itself."""
        return PROTOCOLS[self.protocol]

    def tasks(self) -> Iterator[Task]:
        """All tasks, one after the other; the order has no meaning."""
        for name in self.datasets:
            for classes in self.classes or (None,):
                data = Data(name, self.scale, classes)
                for entry in self.methods:
                    yield from self._of(data, entry)

    def _of(self, data: Data, entry: Entry) -> Iterator[Task]:
        method = candidate(entry.name)
        scoring = self.rules.of_labels if method.clusters else self.rules.of_columns
        n_features, n_classes = _size(data)
        ks = tuple(k for k in self.k if k <= n_features)
        if scoring is None or not (method.clusters or ks):
            return
        for setting, parameters in entry.settings():
            for fixed, items in self._fits(method, scoring, ks, n_classes):
                whole = freeze({**parameters, **fixed})
                for repetition in range(self.repetitions if method.random else 1):
                    cell = Cell(data, entry.name, whole, repetition)
                    yield Task(cell, items, setting, self.budget)

    def _fits(
        self, method: Candidate, scoring: str, ks: tuple[int, ...], n_classes: int
    ) -> Iterator[tuple[dict[str, Any], tuple[Item, ...]]]:
        """What a fit must be told, and what it then serves: a nested method all k at once."""
        repeats = range(self.repeats if scoring == "kmeans" else 1)
        clusters = method.told_clusters(n_classes)
        if method.clusters:
            yield clusters, (Item(scoring),)
        elif method.nested:
            items = tuple(Item(scoring, k, repeat) for k in ks for repeat in repeats)
            yield {**method.told_columns(max(ks)), **clusters}, items
        else:
            for k in ks:
                items = tuple(Item(scoring, k, repeat) for repeat in repeats)
                yield {**method.told_columns(k), **clusters}, items


def _size(data: Data) -> tuple[int, int]:
    from ..datasets import find

    record = find(data.name)
    return record.n_features, data.classes or record.n_classes


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
    entries = tuple(_entry(entry) for entry in content.pop("method", []))
    known = {f.name for f in fields(Spec)} - {"methods"}
    unknown = sorted(set(content) - known)
    if unknown:
        raise DataError(f"there is no entry {unknown[0]!r}; known: {', '.join(sorted(known))}.")
    for needed in ("protocol", "datasets"):
        if needed not in content:
            raise DataError(f"the entry {needed!r} is missing.")
    values: dict[str, Any] = {"name": name, "methods": entries}
    values |= {k: tuple(v) if isinstance(v, list) else v for k, v in content.items()}
    spec = Spec(**values)
    _check(spec)
    return spec


def _check_kinds(content: dict[str, Any]) -> None:
    for name, (words, types) in KINDS.items():
        if name in content and not isinstance(content[name], types):
            raise DataError(f"{name} must be {words}; got {content[name]!r}.")
    if not all(isinstance(name, str) for name in content.get("datasets", [])):
        raise DataError(f"datasets must be a list of names; got {content['datasets']}.")


def _entry(given: Any) -> Entry:
    if not isinstance(given, dict):
        raise DataError(f"method must be tables, [[method]]; got {given!r}.")
    unknown = sorted(set(given) - {"name", "parameters", "grid"})
    if unknown or "name" not in given:
        raise DataError(
            f"[[method]] needs name and may have parameters and grid; got {', '.join(given)}."
        )
    entry = Entry(given["name"], given.get("parameters", {}), given.get("grid", {}))
    if not isinstance(entry.parameters, dict) or not isinstance(entry.grid, dict):
        raise DataError(f"{entry.name}: parameters and grid must be tables.")
    if not all(isinstance(values, list) and values for values in entry.grid.values()):
        raise DataError(f"{entry.name}: each entry of grid must be a list of values to try.")
    return entry


def _check(spec: Spec) -> None:
    from ..datasets import find

    if spec.protocol not in PROTOCOLS:
        raise DataError(f"no protocol {spec.protocol!r}; known: {', '.join(PROTOCOLS)}.")
    if spec.scale not in SCALES:
        raise DataError(f"scale must be one of {', '.join(SCALES)}; got {spec.scale!r}.")
    counts = {"k": spec.k, "classes": spec.classes}
    counts |= {"repetitions": (spec.repetitions,), "repeats": (spec.repeats,)}
    for name, numbers in counts.items():
        if not all(isinstance(number, int) and number >= 1 for number in numbers):
            raise DataError(f"{name} must be whole numbers from 1; got {numbers}.")
    if not spec.budget > 0:
        raise DataError(f"budget must be seconds, more than 0; got {spec.budget}.")
    if not spec.methods or not spec.datasets:
        raise DataError("there must be at least one data set and one [[method]].")
    for name in spec.datasets:
        if find(name).kind == "graph":
            raise DataError(f"{name} is a graph; these protocols work on tables.")
    for entry in spec.methods:
        _check_entry(spec, entry)


def _check_entry(spec: Spec, entry: Entry) -> None:
    names = {*entry.parameters, *entry.grid}
    if entry.grid and not spec.rules.tuned:
        raise DataError(
            f"{entry.name} has a grid, but protocol {spec.protocol!r} tunes nothing; "
            "use protocol 'oracle'."
        )
    for name in sorted(names & set(OWN)):
        raise DataError(f"{entry.name}: {name} is set by the protocol.")
    for name in sorted(names - set(candidate(entry.name).accepts)):
        raise DataError(f"{entry.name} has no parameter {name!r}.")
    if not candidate(entry.name).clusters and spec.rules.of_columns and not spec.k:
        raise DataError(f"{entry.name} chooses columns: the entry 'k' must say how many.")
