"""Draw which packages import which, and list what each is for.

python tools/architecture.py --write   write the picture and the page of docs/about/architecture.md
python tools/architecture.py --check   exit with 1 if the page does not list the packages
python tools/architecture.py --count   lines of code, docstrings and blank lines of src
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src" / "sksieve"
PICTURE = ROOT / "docs" / "img" / "architecture.svg"
PAGE = ROOT / "docs" / "about" / "architecture.md"
#: A box, the distance of two boxes and of two rows, the margin; in pixels.
WIDTH, HEIGHT, GAP, ROW, MARGIN = 96, 28, 26, 62, 20

HEAD = """<!-- Made by tools/architecture.py from the sources; do not edit. -->
# Architecture

A package imports only from rows below its own; import-linter checks it. An arrow is an import that
does not follow from others.

![Packages and their imports](../img/architecture.svg)

From top to bottom, names with an underscore are private:

| package | holds |
|---|---|
"""


def packages() -> dict[str, str]:
    """Top-level packages and modules -> first sentence of their docstrings."""
    files = {path.parent.name: path for path in SRC.glob("*/__init__.py")}
    files |= {path.stem: path for path in SRC.glob("*.py") if not path.stem.startswith("__")}
    return {name: _first_sentence(path) for name, path in sorted(files.items())}


def _first_sentence(path: Path) -> str:
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(doc.split("\n\n")[0].split())


def layers() -> list[list[str]]:
    """Rows of packages, uppermost first, as import-linter checks them."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = config["tool"]["importlinter"]["contracts"][0]["layers"]
    return [[name.strip().removeprefix("sksieve.") for name in row.split("|")] for row in rows]


def imports(names: set[str]) -> set[tuple[str, str]]:
    """Pairs of packages of which the first imports from the second."""
    pairs = set()
    for path in SRC.rglob("*.py*"):
        if path.suffix not in {".py", ".pyi"} or (path.stem == "__init__" and path.parent == SRC):
            continue
        parts = path.relative_to(SRC).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = [*parts[: len(parts) - node.level], *(node.module or "").split(".")]
                heads = [base[0]] if base[0] else [alias.name for alias in node.names]
                pairs |= {(parts[0], head) for head in heads if head in names}
    return {(a, b) for a, b in pairs if a != b and a in names}


def reduced(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The pairs that do not follow from others."""
    below: dict[str, set[str]] = {}

    def reach(name: str) -> set[str]:
        if name not in below:
            direct = {b for a, b in pairs if a == name}
            below[name] = direct.union(*(reach(b) for b in direct))
        return below[name]

    return {
        (a, b) for a, b in pairs if not any(b in reach(c) for x, c in pairs if x == a and c != b)
    }


def picture() -> str:
    """An SVG: a box for each package, an arrow for each import that follows from no other."""
    rows = layers()
    widest = max(map(len, rows))
    total = 2 * MARGIN + widest * (WIDTH + GAP) - GAP
    place = {}
    for y, row in enumerate(rows):
        left = (total - len(row) * (WIDTH + GAP) + GAP) / 2
        for x, name in enumerate(row):
            place[name] = (left + x * (WIDTH + GAP), MARGIN + y * ROW)
    height = 2 * MARGIN + (len(rows) - 1) * ROW + HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {height}" width="{total}" '
        f'height="{height}" font-family="sans-serif" font-size="12" role="img" '
        'aria-label="Packages of sksieve and their imports">',
        '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
        ' orient="auto"><path d="M0 0L8 4L0 8z" fill="#789"/></marker></defs>',
        f'<rect width="{total}" height="{height}" fill="#fff"/>',
    ]
    for a, b in sorted(reduced(imports(set(place)))):
        (x1, y1), (x2, y2) = place[a], place[b]
        lines.append(
            f'<path d="M{x1 + WIDTH / 2:g} {y1 + HEIGHT:g}C{x1 + WIDTH / 2:g} {y1 + ROW:g} '
            f'{x2 + WIDTH / 2:g} {y2 + HEIGHT - ROW:g} {x2 + WIDTH / 2:g} {y2:g}" fill="none" '
            'stroke="#789" marker-end="url(#a)"/>'
        )
    for name, (x, y) in place.items():
        lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="4" fill="#eef4fa" '
            f'stroke="#357"/><text x="{x + WIDTH / 2:g}" y="{y + 18:g}" text-anchor="middle">'
            f"{name}</text>"
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


def page() -> str:
    """The page: the picture, and a line for each package in the order of the layers."""
    known = packages()
    ordered = [name for row in layers() for name in row if name in known]
    return HEAD + "".join(f"| `{name}` | {known[name]} |\n" for name in ordered)


def count() -> dict[str, int]:
    """Lines of the sources by what is on them."""
    numbers = dict.fromkeys(("all", "blank", "docstring", "comment", "code"), 0)
    for path in SRC.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        lines = source.splitlines()
        docstring: set[int] = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                docstring |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        blank = {i for i, line in enumerate(lines, 1) if not line.strip()} - docstring
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        comments = {t.start[0] for t in tokens if t.type == tokenize.COMMENT}
        alone = {i for i in comments if re.match(r"\s*#", lines[i - 1])}
        numbers["all"] += len(lines)
        numbers["blank"] += len(blank)
        numbers["docstring"] += len(docstring)
        numbers["comment"] += len(alone)
        numbers["code"] += len(lines) - len(blank) - len(docstring) - len(alone)
    return numbers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    action = parser.add_mutually_exclusive_group(required=True)
    for name in ("write", "check", "count"):
        action.add_argument(f"--{name}", action="store_true")
    arguments = parser.parse_args()
    if arguments.count:
        print("  ".join(f"{name} {number:,}" for name, number in count().items()))
        return 0
    if arguments.write:
        PICTURE.write_text(picture(), encoding="utf-8")
        PAGE.write_text(page(), encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        print(f"{PAGE.name} is not up to date; run: python tools/architecture.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
