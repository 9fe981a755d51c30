"""How the page of reproductions shows the figures that specs quote from the papers: in TOML."""

from __future__ import annotations

import os
import tomllib
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from ..exceptions import DataError
from ._protocols import PROTOCOLS

__all__ = ["Paper", "PaperTable", "read_papers"]

ORACLES = ("setting", "each k")


@dataclass(frozen=True)
class PaperTable:
    """A table of the page.

    Attributes
    ----------
    name, what, why : str
        Title; what is measured; why the figures differ.
    protocol : str
        A name of `PROTOCOLS`.
    methods : tuple of str
        Methods whose printed figures are shown.
    scores : tuple of str
        The figures that are printed, in order.
    unit : float
        Results are multiplied by it: 100 where the paper prints per cent.
    digits : int
        Decimals.
    printed : str
        What the specs call the paper's table; `name` when empty.
    floors : tuple of str
        Methods that stand beside: what no knowledge gives.
    oracle : {"setting", "each k"}
        How labels choose from the grid: one setting, or one for each number of columns.
    brackets : bool
        Show the best number of columns (by true labels) in brackets.
    tuned : bool
        False where nothing is tuned; there is no oracle then.
    names : dict
        What the page calls a data set, where not as results do.
    """

    name: str
    what: str
    why: str
    protocol: str
    methods: tuple[str, ...]
    scores: tuple[str, ...]
    unit: float
    digits: int
    printed: str = ""
    floors: tuple[str, ...] = ()
    oracle: str = "setting"
    brackets: bool = False
    tuned: bool = True
    names: dict[str, str] = field(default_factory=dict)

    @property
    def quoted(self) -> str:
        """What the specs call the paper's table."""
        return self.printed or self.name


@dataclass(frozen=True)
class Paper:
    """Title, reference, tables, and what our data do not allow."""

    title: str
    reference: str
    tables: tuple[PaperTable, ...]
    left_out: str = ""


def read_papers(folder: str | os.PathLike[str]) -> tuple[Paper, ...]:
    """All papers of a folder, one TOML file each, by file name.

    Raises
    ------
    DataError
        If there is no such file, or one is wrong; the message says which and where.
    """
    paths = sorted(Path(folder).glob("*.toml"))
    if not paths:
        raise DataError(f"{folder}: there are no papers here (files *.toml).")
    papers = []
    for path in paths:
        try:
            papers.append(_paper(tomllib.loads(path.read_text(encoding="utf-8"))))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, DataError) as error:
            raise DataError(f"{path}: {error}") from error
    return tuple(papers)


def _paper(content: dict[str, Any]) -> Paper:
    tables = tuple(_table(given) for given in content.pop("table", []))
    return Paper(**_known(Paper, {**content, "tables": tables}))


def _table(given: dict[str, Any]) -> PaperTable:
    lists = {key: tuple(v) if isinstance(v, list) else v for key, v in given.items()}
    table = PaperTable(**_known(PaperTable, lists))
    if table.protocol not in PROTOCOLS:
        raise DataError(f"{table.name}: no protocol {table.protocol!r}.")
    if table.oracle not in ORACLES:
        raise DataError(f"{table.name}: oracle must be one of {', '.join(ORACLES)}.")
    return table


def _known(cls: Any, values: dict[str, Any]) -> dict[str, Any]:
    """The values, if they are those the class asks for."""
    known = {entry.name: entry for entry in fields(cls)}
    for name in values:
        if name not in known:
            raise DataError(f"there is no entry {name!r}; known: {', '.join(known)}.")
    for name, entry in known.items():
        needed = entry.default is MISSING and entry.default_factory is MISSING
        if needed and values.get(name) in (None, "", ()):
            raise DataError(f"the entry {name!r} is missing.")
    return values
