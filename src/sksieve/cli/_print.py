"""What a person reads: tables, notes, refusals. Colors and boxes on a terminal only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..workflows._text import Grid, as_json, plain, printable

if TYPE_CHECKING:
    from rich.console import Console

    from ..workflows._fitting import Fitted

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

    console = Console(stderr=stderr, highlight=False, emoji=False, soft_wrap=False)
    if not console.is_terminal:
        console = Console(
            stderr=stderr, highlight=False, emoji=False, width=PIPE_WIDTH, color_system=None
        )
    return console


def shows_progress() -> bool:
    """Whether a progress bar can be seen."""
    return errors().is_terminal


def show_table(console: Console, title: str, heads: Sequence[str], rows: Iterable[Any]) -> None:
    """A table; heads that begin with ``>`` are of numbers and go to the right."""
    grid = Grid(heads, list(rows))
    if not console.is_terminal:
        console.file.write(f"{title}\n{grid}\n" if title else f"{grid}\n")
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        header_style="bold",
        pad_edge=False,
        show_edge=False,
    )
    for head in heads:
        right = head.startswith(">")
        table.add_column(
            head.removeprefix(">"), justify="right" if right else "left", no_wrap=right
        )
    for row in grid.cells:
        table.add_row(*map(Text, row))
    console.print(table)


def note(text: str, console: Console | None = None) -> None:
    """A note, on standard error."""
    say(text, console or errors(), head="Note: ", style="yellow")


def refuse(text: str) -> None:
    """A refusal, on standard error."""
    say(text, errors(), head="Error: ", style="bold red")


def say(text: str, console: Console, *, head: str = "", style: str = "") -> None:
    """Print text that may hold names of the user: nothing in it is markup or moves the cursor."""
    from rich.text import Text

    lines = "\n".join(map(printable, text.split("\n")))
    console.print(Text.assemble((head, style), lines), soft_wrap=True)


def print_lines(*lines: str) -> None:
    """Lines of text on standard output, never wrapped or marked up."""
    console = out()
    for line in lines:
        say(line, console)


def print_notes(notes: Iterable[str], fitted: Fitted | None = None) -> None:
    """Notes on standard error, first that Ctrl-C stopped the fit where it did."""
    console = errors()
    if fitted is not None and fitted.interrupted:
        say(fitted.interruption, console)
    for text in notes:
        note(text, console)


def print_answer(options: Any, answer: Any, following: str = "") -> None:
    """The notes, then the JSON document or the answer as text and what to do next."""
    printed = () if options.json else getattr(answer, "left_out", ())
    print_notes([text for text in answer.notes if text not in printed], answer.fitted)
    if options.json:
        document = answer.document()
        written = {name: getattr(options, name, None) for name in ("output", "report", "adjacency")}
        paths = {name: str(path) for name, path in written.items() if path is not None}
        out().file.write(dumps(document | {"command": options.command_line()} | paths))
        return
    console, details = out(), getattr(options, "details", False)
    if not console.is_terminal:
        console.file.write(plain(answer.blocks(details=details)) + "\n")
    else:
        for block in answer.blocks(details=details):
            if isinstance(block, Grid):
                show_table(console, "", *block)
            else:
                print_lines(block)
    if following:
        print_lines(f"Next: {following}")


def dumps(value: Any) -> str:
    """JSON text: numbers that are not finite as null, arrays as lists, all else by its repr."""
    return json.dumps(as_json(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
