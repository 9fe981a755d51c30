"""What is computed: a cell says it in full, its key names it, its seed follows from its names."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

__all__ = ["Cell", "Data", "Item", "canonical", "freeze", "seed_of"]

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
        A name of `sksieve.datasets.load`, or ``sbm``.
    scale : {"standard", "unit", "minmax", "symmetric", "none"}
        What is done to the columns first.
    classes : int or None
        Only the samples of the first so many classes; all when None.
    options : tuple of (str, value)
        What else is done to the set, or asked of a random one; sorted.
    draw : int or None
        Which of many random graphs or splits.

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

    @property
    def label(self) -> str:
        """Name for tables; all draws have the same."""
        first = "" if self.classes is None else f"[:{self.classes}]"
        said = ", ".join(f"{name}={value}" for name, value in self.options)
        return f"{self.name}{first}{f'({said})' if said else ''}"

    def names(self) -> dict[str, Any]:
        """What it is, for the key of a cell."""
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
        return cls(names["dataset"], names["scale"], names["classes"], options, names.get("draw"))


@dataclass(frozen=True)
class Cell:
    """One fit.

    Attributes
    ----------
    data : Data
        On what.
    method : str
        A name of the catalogue, or ``package.module:Class``.
    parameters : tuple of (str, value)
        The constructor's parameters that differ from the defaults, sorted; without the seed.
    repetition : int
        Which of several fits that differ in the seed only.

    Examples
    --------
    >>> cell = Cell(Data("iris"), "greedy", (("n_features_to_select", 2),))
    >>> cell == Cell.read(cell.text), cell.key[:8], cell.seed
    (True, '8cd5e3b1', 860524010)
    """

    data: Data
    method: str
    parameters: Pairs = ()
    repetition: int = 0

    def names(self) -> dict[str, Any]:
        """What key and seed are made of."""
        return {
            **self.data.names(),
            "method": self.method,
            "parameters": dict(self.parameters),
            "repetition": self.repetition,
        }

    @cached_property
    def text(self) -> str:
        """Canonical JSON."""
        return canonical(self.names())

    @cached_property
    def key(self) -> str:
        """sha256 of `text`."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def seed(self) -> int:
        """Seed of the fit."""
        return _seed(f'["seed",{self.text}]')

    @classmethod
    def read(cls, text: str) -> Cell:
        """The cell whose `text` this is."""
        names = json.loads(text)
        return cls(
            Data.read(names), names["method"], freeze(names["parameters"]), names["repetition"]
        )


@dataclass(frozen=True)
class Item:
    """One score of a fit: how, with how many columns (0: all, or labels), which repeat."""

    scoring: str
    k: int = 0
    repeat: int = 0

    def seed(self, cell: Cell) -> int:
        """Seed of the scoring of this item of `cell`."""
        return _seed(f'["seed",{cell.text},"{self.scoring}",{self.k},{self.repeat}]')
