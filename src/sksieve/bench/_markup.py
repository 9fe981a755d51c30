"""Rows of text as tables in Markdown and LaTeX; names are escaped, so that none is markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Rows = Iterable[Sequence[str]]

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{sign: "\\" + sign for sign in "{}_%&#$"},
}


def markdown(heads: Sequence[str], rows: Rows) -> list[str]:
    r"""The lines of a table whose cells are Markdown.

    Examples
    --------
    >>> markdown(["method", "acc"], [[escape_markdown("a|b"), "**0.5**"]])
    ['| method | acc |', '| --- | --- |', '| a\\|b | **0.5** |']
    """
    lines = ["| " + " | ".join(row) + " |" for row in (heads, *rows)]
    lines.insert(1, "|" + " --- |" * len(heads))
    return lines


def latex(title: str, heads: Sequence[str], rows: Rows, form: str) -> str:
    """A ``tabular`` of the columns `form`, of cells that are LaTeX; the title is a comment."""
    first, *others = [" & ".join(row) + r" \\" for row in (heads, *rows)]
    lines = [f"% {_line(title)}", rf"\begin{{tabular}}{{{form}}}", r"\hline", first, r"\hline"]
    return "\n".join([*lines, *others, r"\hline", r"\end{tabular}"]) + "\n"


def escape_latex(text: str) -> str:
    r"""A text as LaTeX that prints it, with no command in it.

    Examples
    --------
    >>> print(escape_latex(r"\input{x} l2_1 & 5%"))
    \textbackslash{}input\{x\} l2\_1 \& 5\%
    """
    return "".join(_LATEX.get(sign, sign) for sign in _line(text))


def escape_markdown(text: str) -> str:
    r"""A text as Markdown that shows it: no markup, no HTML, no new cell of a table.

    Underscores inside a word stay as they are, since they are no markup there.

    Examples
    --------
    >>> print(escape_markdown("l2_1 <b> *x* | `y`"))
    l2_1 &lt;b> \*x\* \| \`y\`
    """
    text = re.sub(r"[\\`*|~$]|\](?=[(\[:])|(?<!\w)_|_(?!\w)|^(?=[#+-]|>)", r"\\\g<0>", _line(text))
    return re.sub(r"&(?=#?\w+;)", "&amp;", text).replace("<", "&lt;")


def _line(text: str) -> str:
    """Line breaks and other white space as single spaces, control characters left out."""
    return " ".join(re.sub(r"[\x00-\x08\x0e-\x1f\x7f]", "", text).split())
