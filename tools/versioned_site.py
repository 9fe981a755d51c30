"""Add a built site to the published ones: one folder for each version, the newest release on top.

python tools/versioned_site.py BUILT PUBLISHED VERSION

PUBLISHED/VERSION is replaced by BUILT; PUBLISHED itself shows the newest release, ``dev`` before
there is one; PUBLISHED/versions.json is what the switcher of the pages reads.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

#: Where the site is published; the documentation's configuration has the same.
ADDRESS = "https://scikit-sieve.github.io/scikit-sieve"
DEVELOPMENT, VERSIONS = "dev", "versions.json"


def add(built: Path, published: Path, version: str) -> None:
    """Put a built site where its version belongs, and on top if it is the newest release."""
    if version != DEVELOPMENT and not release(version):
        raise SystemExit(f"{version!r} is neither {DEVELOPMENT!r} nor a version such as 0.2.0")
    published.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(published / version, ignore_errors=True)
    shutil.copytree(built, published / version)
    versions = sorted(
        (path.name for path in published.iterdir() if release(path.name)), key=release, reverse=True
    )
    top = versions[0] if versions else DEVELOPMENT
    if version == top:
        for path in published.iterdir():
            if not (release(path.name) or path.name in (DEVELOPMENT, ".git")):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(built, published, dirs_exist_ok=True)
    if (published / DEVELOPMENT).exists():
        versions.append(DEVELOPMENT)
    entries = [
        {"version": name, "url": f"{ADDRESS}/{name}/", "preferred": name == top}
        for name in versions
    ]
    (published / VERSIONS).write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


def release(name: str) -> tuple[int, ...]:
    """The numbers of a version; empty if the name is none."""
    return tuple(map(int, name.split("."))) if re.fullmatch(r"\d+\.\d+\.\d+", name) else ()


if __name__ == "__main__":
    add(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
