"""Dirty tables: a sound one, and up to three things that people's files have.

python -m tests.io.dirty 300 1000   paste what is printed for so many tables, from a seed on
"""

from __future__ import annotations

import random
import re
import shlex
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sksieve.cli._data import read_numeric

from ..cli.conftest import app_result, parsed

ROWS = 30
QUOTED = '"good, but late"'
#: Commands that are pasted at most after the first.
STEPS = 2


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
    column(lambda rng, i: rng.choice(["TRUE", "FALSE"]), "flag"),
    column(lambda rng, i: f"2021-03-04T{i % 24:02d}:15:00Z", "taken at"),
    column(lambda rng, i: f"place {rng.randrange(9)}", "place"),
    column(lambda rng, i: rng.choice(["", "see page 2", "good", QUOTED]), "remark"),
    column(lambda rng, i: f"{rng.randrange(10)},{rng.randrange(10)}".join('""'), "comma"),
    column(lambda rng, i: rng.choice(["1", "2", "unknown"]), "grade"),
    column(lambda rng, i: "" if i % 3 else "x", '"sparse, box"'),
]


def dirty(seed: int) -> Dirty:
    """The dirty table of a seed."""
    rng = random.Random(seed)
    names = ["length", "width", "height", "depth"]
    cells = []
    for _ in range(ROWS):
        size, depth = rng.gauss(0, 3), rng.gauss(5, 1)
        row = (size, 2 * size + rng.gauss(0, 1), depth, depth - 3 + rng.gauss(0, 0.4))
        cells.append([f"{value:.3f}" for value in row])
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


def pasted(path: Path) -> list[str]:
    """The command that ends in an answer, after pasting at most so many printed ones.

    Raises
    ------
    ValueError
        If there is no answer.
    """
    words = ["select", str(path)]
    for _ in range(STEPS):
        result = app_result(*words)
        if result.exit_code == 0:
            return words
        command = re.search(r"^To continue: sksieve (.*)$", result.stderr, re.MULTILINE)
        if command is None:
            raise ValueError(result.stderr)
        words = shlex.split(command[1])
    if (result := app_result(*words)).exit_code:
        raise ValueError(f"{words}: {result.stderr}")
    return words


def problem(seed: int, folder: Path) -> str:
    """What is wrong with the advice on one table; empty where nothing is."""
    table = dirty(seed)
    path = folder / f"{seed}.csv"
    path.write_text(table.text, encoding="utf-8")
    try:
        words = pasted(path)
    except ValueError as error:
        return f"{seed} {table.what}: no answer: {error}"
    numeric = read_numeric(parsed(*words))
    groups = set(numeric.groups)
    lost = [name for name in table.kept if name not in groups]
    if lost:
        return f"{seed} {table.what}: {lost} left out by {words}"
    if numeric.X.shape[0] < ROWS:
        return f"{seed} {table.what}: {ROWS - numeric.X.shape[0]} rows left out by {words}"
    if (numeric.missing > 0.5).any():
        return f"{seed} {table.what}: more than half of a column filled in by {words}"
    return ""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        n, first = map(int, sys.argv[1:])
        seeds = range(first, first + n)
        problems = [text for seed in seeds if (text := problem(seed, Path(name)))]
    sys.stdout.write("\n".join([*problems, f"{len(problems)} of {n}\n"]))
