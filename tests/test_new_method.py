"""CONTRIBUTING's steps, followed to the letter on a copy of the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILE = re.compile(r"^```python\n# new file: (\S+)\n(.*?)^```", flags=re.M | re.S)
ENTRIES = re.compile(r"^```python\n# new entries: (\S+)\n(.*?)^```", flags=re.M | re.S)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package and its tests, with the guide's methods added."""
    root = tmp_path_factory.mktemp("copy")
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("src", "tests", "tools"):
        shutil.copytree(ROOT / name, root / name, ignore=ignore)
    for name in ("pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, root)
    for path, code in FILE.findall(GUIDE):
        (root / path).write_text(code, encoding="utf-8")
    for path, entries in ENTRIES.findall(GUIDE):
        text = (root / path).read_text(encoding="utf-8")
        start = "METHODS: tuple[Method, ...] = (\n"
        assert start in text
        (root / path).write_text(text.replace(start, start + entries), encoding="utf-8")
    run(root, "tools/public_names.py", "--write")
    return root


def run(root, *words):
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    environment.pop("PYTEST_XDIST_WORKER", None)
    return subprocess.run(
        [sys.executable, *words],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_guide_has_a_selector_and_a_clusterer():
    assert len(FILE.findall(GUIDE)) == 2
    assert len(ENTRIES.findall(GUIDE)) == 1


@pytest.mark.parametrize(("name", "module"), [
    ("DeviationRank", "selection/_deviation.py"),
    ("AngleGraph", "clustering/_angle_graph.py"),
])  # fmt: skip
def test_every_contract_runs_on_the_new_method(copy, name, module):
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
    result = run(
        copy, *words, "tests/contracts", f"src/sksieve/{module}", "-k", f"{name} or {module}"
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert int(re.search(r"(\d+) passed", result.stdout)[1]) >= 30, result.stdout


def test_the_command_line_offers_the_new_methods(copy):
    listed = run(copy, "-m", "sksieve", "methods").stdout
    assert "deviation" in listed
    assert "angle_graph" in listed
