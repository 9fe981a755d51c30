"""Dirty tables: a sound one, and up to three things that people's files have.

python tests/io/dirty.py 300   follow what the messages advise on so many tables
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from sksieve.exceptions import DataError
from sksieve.io import NumericTable, UnusableTableError, numeric_table, read_table

#: Arguments of `read_table`; all others are those of `numeric_table`.
READING = ("sep", "decimal", "thousands", "header", "header_row", "missing", "encoding", "name")
ROWS = 30


class Dirty(NamedTuple):
    """A table as text, the names of its columns, and those that must not be left out."""

    text: str
    what: tuple[str, ...]
    n_columns: int
    kept: tuple[str, ...]


Cells = list[list[str]]


def gaps(rng: random.Random, names: list[str], cells: Cells) -> None:
    for _ in range(ROWS // 3):
        cells[rng.randrange(ROWS)][rng.randrange(3)] = rng.choice(["", "NA", "NaN"])


def column(make: Callable[[random.Random, int], str], name: str) -> Callable[..., None]:
    def add(rng: random.Random, names: list[str], cells: Cells) -> None:
        place = rng.randrange(len(names) + 1)
        names.insert(place, name)
        for i, row in enumerate(cells):
            row.insert(place, make(rng, i))

    add.__name__ = name
    return add


def stray(rng: random.Random, names: list[str], cells: Cells) -> None:
    cells[rng.randrange(ROWS)][0] = rng.choice(["n.d.", "-", "?", "<0.1"])


def repeated(rng: random.Random, names: list[str], cells: Cells) -> None:
    names[1] = names[0]


def code(rng: random.Random, names: list[str], cells: Cells) -> None:
    for i in range(0, ROWS, 4):
        cells[i][0] = cells[i][1] = "-999"


DIRT = [
    gaps,
    stray,
    repeated,
    code,
    column(lambda rng, i: rng.choice(["", "x"]), "ticked"),
    column(lambda rng, i: rng.choice(["yes", "no"]), "switch"),
    column(lambda rng, i: rng.choice(["red", "green", "blue"]), "color"),
    column(lambda rng, i: f"person {i}", "who"),
    column(lambda rng, i: f"{rng.uniform(0, 100):.1f}%", "percent"),
    column(lambda rng, i: f'"${rng.uniform(1000, 9000):,.2f}"', "price"),
    column(lambda rng, i: f'"{rng.randrange(1000, 900_000):,}"', "thousands"),
    column(lambda rng, i: f"{rng.randrange(5, 90)} kg", "weighed"),
    column(lambda rng, i: f"2020-01-{i % 28 + 1:02d}", "day"),
    column(lambda rng, i: str(1_423_072_260 + 60 * i), "unix time"),
    column(lambda rng, i: "" if i % 10 else f"{rng.random():.3f}", "mostly empty"),
    column(lambda rng, i: "", "empty"),
    column(lambda rng, i: "7", "constant"),
    column(lambda rng, i: str(i + 1), "row"),
    column(lambda rng, i: str(i % 3), "class"),
]


def dirty(seed: int) -> Dirty:
    """The dirty table of a seed."""
    rng = random.Random(seed)
    names = ["length", "width", "height", "depth"]
    cells = [[f"{rng.gauss(0, 3):.3f}" for _ in names] for _ in range(ROWS)]
    dirt = rng.sample(DIRT, rng.randint(1, 3))
    for one in dirt:
        one(rng, names, cells)
    lines = [",".join(row) for row in (names, *cells)]
    what = [one.__name__ for one in dirt]
    if rng.random() < 0.2:
        lines[:0] = ["Measurements", "of 2020"]
        what.append("lines above")
    elif rng.random() < 0.2 and not any('"' in line for line in lines):
        lines = [line.replace(",", ";").replace(".", ",") for line in lines]
        what.append("decimal commas")
    kept = tuple(
        name for name in ("length", "ticked", "switch", "percent", "price") if name in names
    )
    return Dirty("\n".join(lines) + "\n", tuple(what), len(names), kept)


def follow(path: Path, steps: int = 2) -> tuple[NumericTable, dict[str, Any]]:
    """The table, after at most so many times doing what a message advises."""
    given: dict[str, Any] = {}
    for _ in range(steps):
        try:
            return numbers(path, given), given
        except UnusableTableError as error:
            if not error.remedy:
                raise
            for name, value in error.remedy:
                several = name in ("drop", "missing", "include")
                given[name] = [*given.get(name, []), value] if several else value
    return numbers(path, given), given


def numbers(path: Path, given: dict[str, Any]) -> NumericTable:
    reading = {name: value for name, value in given.items() if name in READING}
    preparing = {name: value for name, value in given.items() if name not in READING}
    return numeric_table(read_table(path, **reading), **preparing)


def problem(seed: int, folder: Path) -> str:
    """What is wrong with the advice on one table; empty where nothing is."""
    table = dirty(seed)
    path = folder / f"{seed}.csv"
    path.write_text(table.text, encoding="utf-8")
    try:
        numeric, given = follow(path)
    except DataError as error:
        return f"{table.what}: no answer: {error}"
    groups = set(numeric.groups)
    lost = [name for name in table.kept if name not in groups]
    if lost:
        return f"{table.what}: {lost} left out by {given}"
    if numeric.X.shape[0] < ROWS:
        return f"{table.what}: {ROWS - numeric.X.shape[0]} rows left out by {given}"
    if (numeric.missing > 0.5).any():
        return f"{table.what}: more than half of a column filled in by {given}"
    return ""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        problems = [text for seed in range(int(sys.argv[1])) if (text := problem(seed, Path(name)))]
    sys.stdout.write("\n".join([*problems[:40], f"{len(problems)} of {sys.argv[1]}\n"]))
