"""What is computed: a cell says it in full, its key names it, its seed follows from its names."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

__all__ = ["Cell", "Data", "Item", "canonical", "freeze", "seed_of"]

#: Parameters as sorted pairs, so that a cell can be compared and hashed.
Pairs = tuple[tuple[str, Any], ...]


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces; NaN and infinity are refused.

    Examples
    --------
    >>> canonical({"b": 1, "a": [0.5, None]})
    '{"a":[0.5,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def seed_of(*names: Any) -> int:
    """A seed in [0, 2^32) from names alone, never from the order in which things are done."""
    return int.from_bytes(hashlib.sha256(canonical(["seed", *names]).encode()).digest()[:4])


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
        A name of `sksieve.datasets.load`.
    scale : {"standard", "unit", "minmax", "none"}
        What is done to the columns first.
    classes : int or None
        Only the samples of the first so many classes; all when None.
    """

    name: str
    scale: str = "none"
    classes: int | None = None

    @property
    def label(self) -> str:
        """Name for tables: ``COIL20``, or ``COIL20[:5]`` for its first five classes."""
        return self.name if self.classes is None else f"{self.name}[:{self.classes}]"


@dataclass(frozen=True)
class Cell:
    """One fit.

    Attributes
    ----------
    data : Data
        On what.
    method : str
        A name of the registry, or ``package.module:Class``.
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
            "dataset": self.data.name,
            "scale": self.data.scale,
            "classes": self.data.classes,
            "method": self.method,
            "parameters": dict(self.parameters),
            "repetition": self.repetition,
        }

    @property
    def text(self) -> str:
        """Canonical JSON."""
        return canonical(self.names())

    @property
    def key(self) -> str:
        """sha256 of `text`."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def seed(self) -> int:
        """Seed of the fit."""
        return seed_of(self.names())

    @classmethod
    def read(cls, text: str) -> Cell:
        """The cell whose `text` this is."""
        names = json.loads(text)
        data = Data(names["dataset"], names["scale"], names["classes"])
        return cls(data, names["method"], freeze(names["parameters"]), names["repetition"])


@dataclass(frozen=True)
class Item:
    """One score of a fit: how, with how many columns (0 where that means nothing), which repeat."""

    scoring: str
    k: int = 0
    repeat: int = 0

    def seed(self, cell: Cell) -> int:
        """Seed of the scoring of this item of `cell`."""
        return seed_of(cell.names(), self.scoring, self.k, self.repeat)
