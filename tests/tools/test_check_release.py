"""What keeps a tag from being released."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "tools"))

import check_release
from sksieve import __version__ as VERSION

ROOT = check_release.ROOT


@pytest.fixture
def copy(tmp_path):
    """The checked files without their placeholders."""
    for name in {*check_release.VERSIONS, *check_release.MARKED}:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
        path = tmp_path / name
        text = re.sub(f".*{check_release.MARK}.*\n", "", path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_one_version_and_no_placeholder(copy):
    assert check_release.problems(copy, f"v{VERSION}") == []


def test_versions_that_disagree(copy):
    found = check_release.problems(copy, "v99.0")
    assert found == [f"{name} has {VERSION}, not 99.0." for name in check_release.VERSIONS]


@pytest.mark.parametrize("name", check_release.MARKED)
def test_a_placeholder_is_named_with_its_line(copy, name):
    path = copy / name
    path.write_text(f"# {check_release.MARK} the owner\n{path.read_text(encoding='utf-8')}")
    assert check_release.problems(copy, VERSION) == [f"{name}:1: the owner"]


def test_the_marks_stand_in_checked_files_only():
    names = {".github", "docs", "src", "paper", "recipe"}
    files = [path for name in names for path in (ROOT / name).rglob("*") if path.is_file()]
    files += [path for path in ROOT.glob("*") if path.is_file()]
    marked = {
        path.relative_to(ROOT).as_posix()
        for path in files
        if f"{check_release.MARK} ".encode() in path.read_bytes()
    }
    assert marked <= set(check_release.MARKED)
