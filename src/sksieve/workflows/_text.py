"""Results as text and as JSON: the same for the terminal, a notebook and a file."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple
from unicodedata import category, east_asian_width

#: Space between two columns of a table.
GAP = "  "


class Grid(NamedTuple):
    """A table of text; heads that begin with ``>`` are of numbers and go to the right."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def cells(self) -> list[list[str]]:
        """The rows, printable."""
        return [[printable(str(cell)) for cell in row] for row in self.rows]

    def __str__(self) -> str:
        rights = [head.startswith(">") for head in self.heads]
        lines = [[head.removeprefix(">") for head in self.heads], *self.cells]
        widths = [max(map(_width, column)) for column in zip(*lines)]
        return "\n".join(
            GAP.join(
                " " * (width - _width(cell)) + cell
                if right
                else cell + " " * (width - _width(cell))
                for cell, width, right in zip(line, widths, rights)
            ).rstrip()
            for line in lines
        )


#: What is printed: lines and tables.
Blocks = list[str | Grid]


def plain(blocks: Iterable[str | Grid]) -> str:
    """The blocks as text, as they are printed into a file."""
    return "\n".join(str(b) if isinstance(b, Grid) else printable(b) for b in blocks)


#: Characters that set the direction of what follows.
BIDI = {*"\u200e\u200f\u061c", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}


def printable(text: str) -> str:
    """`text` with what moves the cursor or sets a direction as escapes: it may be a name."""
    return "".join(
        c.encode("unicode_escape").decode()
        if category(c) in ("Cc", "Cs", "Zl", "Zp") or c in BIDI
        else c
        for c in text
    )


def _width(text: str) -> int:
    """Cells of a terminal that a text takes."""
    return sum(
        0 if category(c) in ("Mn", "Me", "Cf") else 1 + (east_asian_width(c) in "WF") for c in text
    )


def as_html(blocks: Iterable[str | Grid]) -> str:
    """The blocks as HTML, for a notebook."""
    parts = []
    for block in blocks:
        if isinstance(block, Grid):
            heads = "".join(f"<th>{escape(head.strip('> '))}</th>" for head in block.heads)
            rows = "".join(
                f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
                for row in block.cells
            )
            parts.append(f"<table><tr>{heads}</tr>{rows}</table>")
        elif block:
            parts.append(f"<p>{escape(block)}</p>")
    return "".join(parts)


class Printed(ABC):
    """A result whose blocks are its text, in a terminal and in a notebook."""

    @abstractmethod
    def blocks(self, *, details: bool = False) -> Blocks:
        """What is printed, line by line."""

    def __str__(self) -> str:
        return plain(self.blocks())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return as_html(self.blocks())


def as_json(value: Any) -> Any:
    """What JSON can hold: numbers not finite as None, arrays as lists, all else by its repr."""
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if hasattr(value, "tolist"):
        return as_json(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else repr(value)
