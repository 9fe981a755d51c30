"""One page for a comparison of methods: tables, figures, failures, statistics."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ._html import render, write_page
from ._repeat import versions
from ._text import clean

__all__ = ["BenchFigure", "BenchPage", "BenchTable", "write_bench_report"]


@dataclass(frozen=True)
class BenchTable:
    """A table of the page.

    Parameters
    ----------
    title : str
        What it shows.
    heads : sequence of str
        Heads of the columns.
    rows : sequence of sequence of (str, str)
        Text of each cell, and its kind: ``name``, ``best``, ``tie``, ``failed``, or empty.
    note : str
        A sentence below.
    folded : bool
        Shown only when asked for.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[tuple[str, str]]]
    note: str = ""
    folded: bool = False


@dataclass(frozen=True)
class BenchFigure:
    """A figure: its title, what it shows in words (for those who do not see it), and the SVG."""

    title: str
    said: str
    svg: str

    @property
    def source(self) -> str:
        """The picture as an address that holds all of it."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode()).decode("ascii")


@dataclass(frozen=True)
class BenchPage:
    """Everything on the page.

    Parameters
    ----------
    title, protocol : str
        Name of the spec, and in a sentence how the results came about.
    done, total, failed : int
        Cells.
    notes : sequence of str
        What a reader must know first.
    tables, failures, statistics : sequence of BenchTable
        Results; what failed and why; tests over data sets.
    figures : sequence of BenchFigure
        In the order of the page.
    command, spec : str
        How to repeat it: the command, and the text of the spec.
    """

    title: str
    protocol: str
    done: int
    total: int
    failed: int
    notes: Sequence[str] = ()
    tables: Sequence[BenchTable] = ()
    figures: Sequence[BenchFigure] = ()
    statistics: Sequence[BenchTable] = ()
    failures: Sequence[BenchTable] = ()
    command: str = ""
    spec: str = ""
    made_with: dict[str, str] = field(default_factory=versions)


def write_bench_report(path: str | os.PathLike[str], page: BenchPage) -> Path:
    """Write the report of a comparison: one HTML file that needs nothing beside itself.

    Parameters
    ----------
    path : str or Path
        File to write; replaced when it exists.
    page : BenchPage
        What is on it.

    Returns
    -------
    path : Path

    Raises
    ------
    ImportError
        If jinja2 is not installed (it comes with ``scikit-sieve[cli]``).

    Examples
    --------
    >>> import tempfile
    >>> from sksieve.report import BenchPage, BenchTable, write_bench_report
    >>> table = BenchTable("acc", ["data set", "a"], [[("iris", "name"), ("0.9", "best")]])
    >>> page = BenchPage("quick", "nothing tuned with labels", 3, 3, 0, tables=[table])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = write_bench_report(f"{folder}/quick.html", page).read_text("utf-8")
    >>> "<strong>0.9</strong>" in text
    True
    """
    view: dict[str, object] = {
        "page": page,
        "title": clean(page.title),
        "state": _state(page),
        "sections": [("Results", page.tables), ("Statistics", page.statistics)],
        "failures": page.failures,
        "created": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    return write_page(path, render(view, "bench.html"))


def _state(page: BenchPage) -> str:
    if page.done < page.total:
        return f"{page.done} of {page.total} cells are done, {page.failed} of them failed."
    if page.failed:
        return (
            f"All {page.total} cells are done; {page.failed} of them failed, with the reason below."
        )
    return f"All {page.total} cells are done, and none failed."
