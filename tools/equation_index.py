"""Where each numbered formula of a paper stands in the code.

A line that computes a displayed equation ends in a comment such as ``# (24)``; a function that is
an algorithm box or a lemma ends its first line in ``# Algorithm 1`` or ``# Lemma 2``. Several may
stand in one comment: ``# (24), (25)``, ``# Lemmas 1 to 4``. This script collects them.

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
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "equations.md"
PLACES = ("src/sksieve", "tests/papers")

WORDS = "Algorithm|Lemma|Theorem|Definition|Corollary|Proposition|Property|Remark|Table"
MANY = "Lemmas|Theorems|Algorithms|Propositions"
#: ``(24)``, ``(3a)``, ``(A.2)``, ``(opt_usv)``; a word and its number; a word and a range.
TAG = rf"(?:\((?=[^)]*[\d_])[\w.'-]+\)|(?:{WORDS}) \d+\w?|(?:{MANY}) \d+ (?:to|and) \d+)"
TAGS = re.compile(rf"#\s*({TAG}(?:(?:,\s*|\s+and\s+){TAG})*)")


class Entry(NamedTuple):
    """One formula in one place."""

    tag: str
    path: str
    line: int
    function: str


def find_tags(comment: str) -> list[str]:
    """The tags a comment, or one after a second ``#`` in it, begins with.

    >>> find_tags("# (24), (25): the sign is a misprint")
    ['(24)', '(25)']
    >>> find_tags("# Algorithm 1")
    ['Algorithm 1']
    >>> find_tags("# noqa: X  # (2)")
    ['(2)']
    >>> find_tags("# Lemmas 1 to 3")
    ['Lemma 1', 'Lemma 2', 'Lemma 3']
    >>> find_tags("# as (24) says")
    []
    """
    found = [tag for tags in TAGS.finditer(comment) for tag in re.findall(TAG, tags[1])]
    return [single for tag in found for single in _singles(tag)]


def _singles(tag: str) -> list[str]:
    """A range, one by one; anything else as it is."""
    parts = re.fullmatch(rf"({MANY}) (\d+) (?:to|and) (\d+)", tag)
    if parts is None:
        return [tag]
    return [f"{parts[1][:-1]} {i}" for i in range(int(parts[2]), int(parts[3]) + 1)]


def entries_of(source: str, path: str) -> Iterator[Entry]:
    """The tags of one file, in the order of their lines."""
    spans = _spans(ast.parse(source))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            around = [span for span in spans if span[0] <= line <= span[1]]
            name = max(around)[2] if around else "module"
            for tag in find_tags(token.string):
                yield Entry(tag, path, line, name)


def _spans(tree: ast.Module) -> list[tuple[int, int, str]]:
    """First line, last line and dotted name of every class and function."""
    spans = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
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


def missing(entries: Iterable[Entry], files: Sequence[str], required: Sequence[str]) -> list[str]:
    """Those of `required` that no file matching one of the patterns `files` has.

    >>> here = [Entry("(3)", "src/a.py", 1, "f"), Entry("(4)", "src/b.py", 1, "g")]
    >>> missing(here, ["src/a*.py"], ["(3)", "(4)"])
    ['(4)']
    """
    there = {e.tag for e in entries if any(Path(e.path).match(pattern) for pattern in files)}
    return [tag for tag in required if tag not in there]


def markdown(entries: Iterable[Entry], root: Path = ROOT) -> str:
    """The index as a page: one table a file."""
    lines = [
        "# Equations",
        "",
        "Where each numbered formula of a paper stands.",
        "Made by `python tools/equation_index.py --write`.",
    ]
    for path, group in groupby(entries, key=lambda e: e.path):
        title = ast.get_docstring(ast.parse((root / path).read_text(encoding="utf-8"))) or path
        lines += ["", f"## {title.splitlines()[0].rstrip('.')}", "", f"`{path}`", ""]
        lines += ["| formula | line | function |", "|---|---|---|"]
        for e in sorted(group, key=_order):
            lines.append(f"| {e.tag} | [{e.line}](../{e.path}#L{e.line}) | `{e.function}` |")
    return "\n".join(lines) + "\n"


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
    page = markdown(index())
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
