"""Rows of text as tables in Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["latex", "markdown", "tex"]

Rows = Iterable[Sequence[str]]


def markdown(heads: Sequence[str], rows: Rows) -> list[str]:
    """The lines of a table; a bar in a cell begins no new one.

    Examples
    --------
    >>> markdown(["method", "acc"], [["a|b", "0.5"]])
    ['| method | acc |', '| --- | --- |', '| a\\\\|b | 0.5 |']
    """
    safe = ([cell.replace("|", r"\|") for cell in row] for row in (heads, *rows))
    lines = ["| " + " | ".join(row) + " |" for row in safe]
    lines.insert(1, "|" + " --- |" * len(heads))
    return lines


def latex(title: str, heads: Sequence[str], rows: Rows, form: str) -> str:
    """A ``tabular`` of the columns `form`, of cells that are LaTeX; the title is a comment."""
    first, *others = [" & ".join(row) + r" \\" for row in (heads, *rows)]
    lines = [f"% {title}", rf"\begin{{tabular}}{{{form}}}", r"\hline", first, r"\hline"]
    return "\n".join([*lines, *others, r"\hline", r"\end{tabular}"]) + "\n"


def tex(text: str) -> str:
    """A name as LaTeX prints it.

    Examples
    --------
    >>> tex("l2_1 & 5%")
    'l2\\\\_1 \\\\& 5\\\\%'
    """
    return re.sub(r"[_%&#$]", r"\\\g<0>", text)
