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
    ignore = shutil.ignore_patterns("*.nbi", "*.nbc")  # bytecode comes along: it saves seconds
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


def test_every_contract_runs_on_the_new_methods(copy):
    """A selector and a clusterer."""
    modules = [path for path, _ in FILE.findall(GUIDE)]
    names = ["DeviationRank", "AngleGraph"]
    words = ("-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:xdist")
    chosen = " or ".join([*names, *(Path(module).name for module in modules)])
    result = run(copy, *words, "tests/contracts", *modules, "-k", chosen)
    assert result.returncode == 0, result.stdout + result.stderr
    passed = re.findall(r"\S+ PASSED", result.stdout)
    for name, module in zip(names, modules, strict=True):
        assert len([line for line in passed if f"[{name}" in line]) >= 25, result.stdout
        assert [line for line in passed if f"{module}::" in line], result.stdout


def test_the_command_line_offers_the_new_methods(copy):
    listed = run(copy, "-m", "sksieve", "methods").stdout
    assert "deviation" in listed
    assert "angle_graph" in listed
