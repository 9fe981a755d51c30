"""Check that a tag can be released: one version everywhere, no placeholder left.

python tools/check_release.py v0.2.0

A placeholder is a value that only the maintainers know. The comment above it begins with
PLACEHOLDER and a colon, and says what is needed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: Where the version stands, and how.
VERSIONS = {
    "pyproject.toml": r'^version = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
    "recipe/meta.yaml": r'^{% set version = "(.+)" %}$',
    "CHANGELOG.md": r"^## \[(\d.+?)\]",
}

#: Where placeholders may stand.
MARKED = (
    "pyproject.toml",
    "CHANGELOG.md",
    "CITATION.cff",
    "CODE_OF_CONDUCT.md",
    "SECURITY.md",
    "paper/paper.md",
    "recipe/meta.yaml",
)
MARK = "PLACEHOLDER:"


def problems(root: Path, tag: str) -> list[str]:
    """One sentence for each thing that keeps `tag` from being released."""
    found = []
    for name, pattern in VERSIONS.items():
        version = re.search(pattern, (root / name).read_text(encoding="utf-8"), flags=re.M)
        displayed = version[1] if version else "no version"
        if displayed != tag.removeprefix("v"):
            found.append(f"{name} has {displayed}, not {tag.removeprefix('v')}.")
    for name in MARKED:
        for number, line in enumerate((root / name).read_text(encoding="utf-8").splitlines(), 1):
            if MARK in line:
                found.append(f"{name}:{number}: {line.partition(MARK)[2].strip(' ->')}")
    return found


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    found = problems(ROOT, sys.argv[1])
    print("\n".join(found))
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
