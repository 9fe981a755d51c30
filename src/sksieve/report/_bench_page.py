"""One page for a comparison of methods: tables, figures, failures, statistics."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from .._versions import versions
from ._html import render
from ._text import clean


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
    """A figure: its title, what it shows in words (also for screen readers), and the SVG."""

    title: str
    caption: str
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
    versions: dict[str, str] = field(default_factory=versions)


def bench_html(page: BenchPage) -> str:
    """The page as text."""
    view: dict[str, object] = {
        "page": page,
        "title": clean(page.title),
        "state": _state(page),
        "sections": [("Results", page.tables), ("Statistics", page.statistics)],
        "failures": page.failures,
        "created": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    return render(view, "bench.html")


def _state(page: BenchPage) -> str:
    if page.done < page.total:
        return f"{page.done} of {page.total} cells are done, {page.failed} of them failed."
    if page.failed:
        return (
            f"All {page.total} cells are done; {page.failed} of them failed, with the reason below."
        )
    return f"All {page.total} cells are done, and none failed."
