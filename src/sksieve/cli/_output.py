"""What a person reads: tables, remarks, refusals. Colours and boxes on a terminal only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from unicodedata import category

from .._wording import duration, percent
from ..io._messages import counted

if TYPE_CHECKING:
    from rich.console import Console

    from ._fit import Fitted

__all__ = [
    "SCALED",
    "duration",
    "errors",
    "note",
    "out",
    "percent",
    "refuse",
    "show_table",
    "stopped",
    "tell_interrupted",
]

#: In a pipe nothing is cut off or wrapped.
PIPE_WIDTH = 100_000

#: What each scaling does, after "Data: table.csv, 30 rows x 5 columns, ".
SCALED = {
    "standard": "each column centred and scaled to variance 1",
    "unit": "each column scaled to length 1, not centred",
    "minmax": "each column scaled to 0..1",
    "none": "columns as they are",
}
#: The words of ``stop_reason_`` that need others.
STOPPED = {
    "max_iter": "the iteration limit",
    "time_budget": "the time limit",
    "callback": "Ctrl-C",
}


def out() -> Console:
    """Standard output."""
    return _console(stderr=False)


def errors() -> Console:
    """Standard error."""
    return _console(stderr=True)


def _console(stderr: bool) -> Console:
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console = Console(stderr=stderr, highlight=False, width=PIPE_WIDTH, color_system=None)
    return console


def show_table(console: Console, title: str, heads: Sequence[str], rows: Iterable[Any]) -> None:
    """A table; heads that begin with ``>`` are of numbers and go to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD if console.is_terminal else None,
        header_style="bold" if console.is_terminal else "",
        pad_edge=False,
        show_edge=False,
    )
    for head in heads:
        right = head.startswith(">")
        table.add_column(
            head.removeprefix(">"), justify="right" if right else "left", no_wrap=right
        )
    for row in rows:
        table.add_row(*(Text(_visible(str(cell))) for cell in row))
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    console.file.write("\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n")


def _visible(text: str) -> str:
    """`text` with control characters and line ends as escapes: a name must not move the cursor."""
    return "".join(
        c.encode("unicode_escape").decode() if category(c) in ("Cc", "Cs", "Zl", "Zp") else c
        for c in text
    )


def note(text: str, console: Console | None = None) -> None:
    """A remark, on standard error."""
    (console or errors()).print(f"[yellow]Note:[/yellow] {_escaped(text)}", soft_wrap=True)


def refuse(text: str) -> None:
    """A refusal, on standard error: one sentence."""
    errors().print(f"[bold red]Error:[/bold red] {_escaped(text)}", soft_wrap=True)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def stopped(est: Any) -> str:
    """ "7 iterations in 3 ms, stopped by tolerance", empty for methods without a loop.

    Time limits are of the loop; what goes before it may take longer, above all on the first run of
    an installation, which compiles.
    """
    if not hasattr(est, "n_iter_"):
        return ""
    reason = STOPPED.get(est.stop_reason_, est.stop_reason_)
    spent = f" in {duration(est.history_[-1]['seconds'])}" if est.history_ else ""
    return f"{counted(est.n_iter_, 'iteration')}{spent}, stopped by {reason}"


def tell_interrupted(fitted: Fitted, more: str = "") -> None:
    """After Ctrl-C, on standard error: the answer is the best so far; then `more`."""
    if fitted.interrupted:
        done = counted(fitted.estimator.n_iter_, "iteration")
        errors().print(
            f"Interrupted: best answer after {done} ({duration(fitted.seconds)}){more}.",
            soft_wrap=True,
        )
