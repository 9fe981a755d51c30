"""Where each numbered formula of a paper stands in the code.

A line that computes a displayed equation ends in a comment such as ``# (24)``; a function that is
an algorithm box or a lemma ends its first line in ``# Algorithm 1`` or ``# Lemma 2``. Several may
stand in one comment: ``# (24), (25)``, ``# Lemmas 1 to 4``. Files that serve several papers name
the paper: ``# RPMA (17)``. ``tests/papers/equations.toml`` lists every numbered formula of the five
papers; those that stand nowhere have a reason there. This script brings both together.

    python tools/equation_index.py            print the index as Markdown
    python tools/equation_index.py --write    write docs/equations.md
    python tools/equation_index.py --check    fail if docs/equations.md is not up to date
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "equations.md"
LISTS = ROOT / "tests" / "papers" / "equations.toml"
PLACES = ("src/sksieve", "tests")

WORDS = "Algorithm|Lemma|Theorem|Definition|Corollary|Proposition|Property|Remark|Table"
MANY = "Lemmas|Theorems|Algorithms|Propositions"
#: ``(24)``, ``(3a)``, ``(A.2)``; a word and its number; a word and a range.
TAG = (
    rf"(?:\((?=[^)]*\d)[\w.'-]+\)"
    rf"|(?:{WORDS}) (?:A\.)?\d+(?:\.\d+)?\w?|(?:{MANY}) \d+ (?:to|and) \d+)"
)
TAGS = re.compile(rf"#\s*(?:([A-Z]{{3,}}) )?({TAG}(?:(?:,\s*|\s+and\s+){TAG})*)")

#: A list of formulas, and what stands for one of them: its meaning, or that and a reason.
Paper = Mapping[str, Any]


class Entry(NamedTuple):
    """One formula in one place; `paper` only where the comment names it."""

    tag: str
    path: str
    line: int
    function: str
    paper: str = ""


def find_tags(comment: str) -> list[tuple[str, str]]:
    """Paper (if named) and tag, of all tags that a comment, or one after a second #, begins with.

    >>> find_tags("# (24), (25): the sign is a misprint")
    [('', '(24)'), ('', '(25)')]
    >>> find_tags("# Algorithm 1")
    [('', 'Algorithm 1')]
    >>> find_tags("# BLUFS (49)  # SRSG (14)")
    [('BLUFS', '(49)'), ('SRSG', '(14)')]
    >>> find_tags("# Lemmas 1 to 3")
    [('', 'Lemma 1'), ('', 'Lemma 2'), ('', 'Lemma 3')]
    >>> find_tags("# Theorem 3.2, (13)")
    [('', 'Theorem 3.2'), ('', '(13)')]
    >>> find_tags("# as (24) says")
    []
    """
    return [
        (match[1] or "", single)
        for match in TAGS.finditer(comment)
        for tag in re.findall(TAG, match[2])
        for single in _singles(tag)
    ]


def _singles(tag: str) -> list[str]:
    """A range, one by one; anything else as it is."""
    parts = re.fullmatch(rf"({MANY}) (\d+) (?:to|and) (\d+)", tag)
    if parts is None:
        return [tag]
    return [f"{parts[1][:-1]} {i}" for i in range(int(parts[2]), int(parts[3]) + 1)]


def entries_of(source: str, path: str) -> Iterator[Entry]:
    """The tags of one file, in the order of their lines."""
    if not TAGS.search(source):  # of many files, few have one
        return
    spans = _spans(ast.parse(source))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            around = [span for span in spans if span[0] <= line <= span[1]]
            name = max(around)[2] if around else "module"
            for paper, tag in find_tags(token.string):
                yield Entry(tag, path, line, name, paper)


def _spans(tree: ast.Module) -> list[tuple[int, int, str]]:
    """First line, last line and dotted name of every class and function."""
    spans = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                continue
            name = prefix
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{prefix}.{child.name}" if prefix else child.name
                spans.append((child.lineno, child.end_lineno or child.lineno, name))
            visit(child, name)

    visit(tree, "")
    return spans


def index(root: Path = ROOT, places: Sequence[str] = PLACES) -> list[Entry]:
    """The tags of every Python file under `places`."""
    return [
        entry
        for place in places
        for path in sorted((root / place).rglob("*.py"))
        for entry in entries_of(path.read_text(encoding="utf-8"), _relative(path, root))
    ]


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def lists(path: Path = LISTS) -> dict[str, Paper]:
    """The papers and their formulas: title, numbering, equations, files, formulas."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def belongs(entry: Entry, name: str, paper: Paper) -> bool:
    """Is it a formula of this paper: named so, or unnamed in one of the paper's files?"""
    if entry.paper:
        return entry.paper == name
    return any(Path(entry.path).match(pattern) for pattern in paper["files"])


def reason(formula: str | Mapping[str, str]) -> str | None:
    """Why a formula stands nowhere; None where it must."""
    return None if isinstance(formula, str) else formula["none"]


def problems(entries: Sequence[Entry], name: str, paper: Paper) -> list[str]:
    """Formulas without place and reason, or with both, and tags that are not on the list.

    >>> paper = {"files": ["src/a*.py"], "formulas": {
    ...     "(1)": "model", "(2)": "step", "(3)": {"is": "bound", "none": "proof step"}}}
    >>> here = [Entry("(1)", "src/a.py", 1, "f"), Entry("(2)", "src/b.py", 1, "g")]
    >>> problems(here, "RPMA", paper)
    ['(2): neither a place nor a reason']
    >>> problems([*here, Entry("(2)", "src/b.py", 1, "g", "RPMA")], "RPMA", paper)
    []
    >>> problems([*here, *(Entry(t, "src/a.py", 2, "f") for t in ("(2)", "(3)", "(4)"))], "", paper)
    ['(3): a reason for no place, and a place', '(4): not on the list (src/a.py:2)']
    """
    own = [entry for entry in entries if belongs(entry, name, paper)]
    tags, formulas = {entry.tag for entry in own}, paper["formulas"]
    found = []
    for tag, formula in formulas.items():
        why = reason(formula)
        if why is None and tag not in tags:
            found.append(f"{tag}: neither a place nor a reason")
        if why is not None and tag in tags:
            found.append(f"{tag}: a reason for no place, and a place")
    off = (entry for entry in own if entry.tag not in formulas)
    return found + [f"{e.tag}: not on the list ({e.path}:{e.line})" for e in off]


def markdown(entries: Sequence[Entry], papers: Mapping[str, Paper], root: Path = ROOT) -> str:
    """The index as a page: a table a paper, in its order; then the other files that have tags."""
    lines = [
        "# Equations",
        "",
        "Every numbered formula of the five papers in its paper's order, with its place in the",
        "code or the tests, or the reason why it has none; then those of other papers.",
        "Made by `python tools/equation_index.py --write`.",
    ]
    for name, paper in papers.items():
        lines += _paper_lines([e for e in entries if belongs(e, name, paper)], name, paper)
    rest = [e for e in entries if not any(belongs(e, *item) for item in papers.items())]
    return "\n".join([*lines, *_other_lines(rest, root)]) + "\n"


def _paper_lines(own: Sequence[Entry], name: str, paper: Paper) -> list[str]:
    lines = ["", f"## {name}: {paper['title']}", ""]
    if "numbering" in paper:
        lines += [paper["numbering"], ""]
    lines += ["| number | what it is | where |", "|---|---|---|"]
    for tag, formula in paper["formulas"].items():
        what = formula if isinstance(formula, str) else formula["is"]
        places = "<br>".join(dict.fromkeys(_place(e) for e in own if e.tag == tag))
        lines.append(f"| {tag} | {what} | {places or f'none: {reason(formula)}'} |")
    return lines


def _place(e: Entry) -> str:
    return f"[{e.path}:{e.line}](../{e.path}#L{e.line}) → `{e.function}`"


def _other_lines(entries: Iterable[Entry], root: Path) -> list[str]:
    lines = []
    for path, group in groupby(entries, key=lambda e: e.path):
        title = ast.get_docstring(ast.parse((root / path).read_text(encoding="utf-8"))) or path
        lines += ["", f"## {title.splitlines()[0].rstrip('.')}", ""]
        lines += ["| number | where |", "|---|---|"]
        lines += [f"| {e.tag} | {_place(e)} |" for e in sorted(group, key=_order)]
    return lines


def _order(entry: Entry) -> tuple[str, int, str, int]:
    """Equations first, then words; each by number."""
    word = entry.tag.partition(" ")[0] if not entry.tag.startswith("(") else ""
    number = re.search(r"\d+", entry.tag)
    return word, int(number[0]) if number else 0, entry.tag, entry.line


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; see the top of this file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write docs/equations.md")
    parser.add_argument("--check", action="store_true", help="fail unless it is up to date")
    chosen = parser.parse_args(arguments)
    page = markdown(index(), lists())
    if chosen.write:
        TARGET.write_text(page, encoding="utf-8")
    elif chosen.check:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != page:
            print("docs/equations.md is not up to date: python tools/equation_index.py --write")
            return 1
    else:
        print(page, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
