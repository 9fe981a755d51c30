"""What is computed: a cell describes one fit in full, its key identifies it, its seed its names."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

#: Parameters as sorted pairs, so that a cell can be compared and hashed.
Pairs = tuple[tuple[str, Any], ...]

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces; NaN and infinity are refused.

    Examples
    --------
    >>> canonical({"b": 1, "a": [0.5, None]})
    '{"a":[0.5,null],"b":1}'
    """
    return _ENCODER.encode(value)


def seed_of(*names: Any) -> int:
    """A seed in [0, 2^32) from names alone, never from the order in which things are done."""
    return _seed(canonical(["seed", *names]))


def _seed(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])


def freeze(parameters: dict[str, Any]) -> Pairs:
    """A dict as sorted pairs; lists become tuples."""
    return tuple(
        (name, tuple(value) if isinstance(value, list) else value)
        for name, value in sorted(parameters.items())
    )


@dataclass(frozen=True)
class Data:
    """A data set as a method sees it.

    Attributes
    ----------
    name : str
        A name of `sksieve.datasets.load`, ``sbm``, or a path as the spec gives it.
    scale : {"standard", "unit", "minmax", "symmetric", "none"}
        How the columns are scaled first.
    classes : int or None
        Only the samples of the first so many classes; all when None.
    options : tuple of (str, value)
        Further options of the set, or parameters of a random one; sorted.
    draw : int or None
        Number of the random graph, split or subsample.
    content : str
        Digest of the file or the arrays, of the generator's source for a random set. Part of the
        key of a cell, not of its seed.
    path : str
        The file of a data set that is given by its path; it may move, so it is in no key.

    Examples
    --------
    >>> Data("COIL20", classes=5).label, Data("dna", options=(("rows", 1400),)).label
    ('COIL20[:5]', 'dna(rows=1400)')
    """

    name: str
    scale: str = "none"
    classes: int | None = None
    options: Pairs = ()
    draw: int | None = None
    content: str = ""
    path: str = field(default="", compare=False)

    @property
    def label(self) -> str:
        """Name for tables; all draws have the same. The column of the labels is not shown."""
        first = "" if self.classes is None else f"[:{self.classes}]"
        options = ", ".join(f"{name}={value}" for name, value in self.options if name != "label")
        return f"{self.name}{first}{f'({options})' if options else ''}"

    def names(self) -> dict[str, Any]:
        """What identifies it to a person: the part of a cell that seeds depend on."""
        names: dict[str, Any] = {
            "dataset": self.name,
            "scale": self.scale,
            "classes": self.classes,
        }
        if self.options:
            names["options"] = dict(self.options)
        return names if self.draw is None else {**names, "draw": self.draw}

    @classmethod
    def read(cls, names: dict[str, Any]) -> Data:
        """The data with these `names`."""
        options = freeze(names.get("options", {}))
        content = names.get("content", "")
        return cls(
            *(names["dataset"], names["scale"], names["classes"], options),
            *(names.get("draw"), content),
        )


@dataclass(frozen=True)
class Cell:
    """One fit.

    Attributes
    ----------
    data : Data
        The data set.
    method : str
        A name of the catalogue, or ``package.module:Class``.
    parameters : tuple of (str, value)
        The constructor's parameters that differ from the defaults, sorted; without the seed.
    repetition : int
        Number of the fit among several that differ in the seed only.
    version : str
        Digest of the method's code (`method_version`). Part of the key, not of the seed.

    Examples
    --------
    >>> cell = Cell(Data("iris"), "greedy", (("n_features_to_select", 2),))
    >>> cell == Cell.read(cell.text), cell.seed
    (True, 860524010)
    """

    data: Data
    method: str
    parameters: Pairs = ()
    repetition: int = 0
    version: str = ""

    @cached_property
    def names(self) -> str:
        """Data, method, parameters and repetition by name, as canonical JSON; seeds follow."""
        return canonical(self._names())

    def _names(self) -> dict[str, Any]:
        return {
            **self.data.names(),
            "method": self.method,
            "parameters": dict(self.parameters),
            "repetition": self.repetition,
        }

    @cached_property
    def text(self) -> str:
        """`names`, the content of the data and the version of the method, as canonical JSON."""
        return canonical({**self._names(), "content": self.data.content, "version": self.version})

    @cached_property
    def key(self) -> str:
        """sha256 of `text`: another content or version is another cell."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def seed(self) -> int:
        """Seed of the fit, from `names` alone: a changed method meets the same random numbers."""
        return _seed(f'["seed",{self.names}]')

    @classmethod
    def read(cls, text: str) -> Cell:
        """The cell whose `text` this is."""
        names = json.loads(text)
        parameters = freeze(names["parameters"])
        return cls(
            *(Data.read(names), names["method"], parameters),
            *(names["repetition"], names.get("version", "")),
        )


@dataclass(frozen=True)
class Item:
    """One score of a fit: its scoring, the number of columns (0: all, or labels), its repeat."""

    scoring: str
    k: int = 0
    repeat: int = 0

    def seed(self, cell: Cell) -> int:
        """Seed of the scoring of this item of `cell`."""
        return _seed(f'["seed",{cell.names},"{self.scoring}",{self.k},{self.repeat}]')
