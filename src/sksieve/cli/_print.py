"""What a person reads: tables, notes, refusals. Colors and boxes on a terminal only."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any
from unicodedata import category

from .._wording import STOPPED, counted, duration, percent

if TYPE_CHECKING:
    from rich.console import Console

    from ._fit import Fitted

__all__ = [
    "dumps",
    "duration",
    "errors",
    "note",
    "out",
    "percent",
    "print_lines",
    "print_next",
    "print_notes",
    "print_result",
    "refuse",
    "show_table",
    "stopped",
]

#: In a pipe nothing is cut off or wrapped.
PIPE_WIDTH = 100_000


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
    """A note, on standard error."""
    (console or errors()).print(f"[yellow]Note:[/yellow] {_escaped(text)}", soft_wrap=True)


def refuse(text: str) -> None:
    """A refusal, on standard error."""
    errors().print(f"[bold red]Error:[/bold red] {_escaped(text)}", soft_wrap=True)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def stopped(fitted: Fitted) -> str:
    """ "7 iterations in 3 ms, stopped by tolerance", empty for methods without a loop.

    Time limits are of the loop; what goes before it may take longer. The loop's time is left out
    where kernels were compiled in it: the time of the fit is without that.
    """
    est = fitted.estimator
    if not hasattr(est, "n_iter_"):
        return ""
    reason = STOPPED[est.stop_reason_]
    if est.stop_reason_ == "callback" and not fitted.interrupted:
        reason = STOPPED["time_budget"]
    seconds = est.history_[-1]["seconds"] if est.history_ else math.inf
    spent = f" in {duration(seconds)}" if seconds <= fitted.seconds else ""
    return f"{counted(est.n_iter_, 'iteration')}{spent}, stopped by {reason}"


def print_lines(*lines: str) -> None:
    """Lines of text on standard output, never wrapped or marked up."""
    console = out()
    for line in lines:
        console.print(_visible(line), markup=False, soft_wrap=True)


def print_notes(notes: Iterable[str], fitted: Fitted | None = None) -> None:
    """Notes on standard error, first that Ctrl-C stopped the fit where it did."""
    console = errors()
    if fitted is not None and fitted.interrupted:
        done = counted(fitted.estimator.n_iter_, "iteration")
        nested = "; smaller sizes take its columns in greedy order and were not searched"
        more = nested if getattr(fitted.estimator, "full_path", False) else ""
        text = f"Interrupted: best result after {done} ({duration(fitted.seconds)}){more}."
        console.print(text, soft_wrap=True)
    for text in notes:
        note(text, console)


def print_result(
    options: Any,
    document: Callable[[], dict[str, Any]],
    show: Callable[[], None],
    notes: Iterable[str],
    fitted: Fitted | None = None,
) -> None:
    """The notes, then the JSON document or the result as text."""
    print_notes(notes, fitted)
    if options.json:
        out().file.write(dumps(document()))
    else:
        show()


def print_next(options: Any, output: str) -> None:
    """The command that most people want next: one that writes a file."""
    if options.output is None:
        print_lines(f"Next: {options.command_line('-o', output)}")
    elif options.report is None:
        print_lines(f"Next: {options.command_line('--report', 'report.html')}")
    else:
        print_lines("Next: sksieve methods")


def dumps(value: Any) -> str:
    """JSON text: numbers that are not finite as null, arrays as lists, all else by its repr."""
    return json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else repr(value)
