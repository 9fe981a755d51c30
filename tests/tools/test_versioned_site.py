"""The published site: every version in its folder, the newest release on top."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "tools"))

import versioned_site


def built(folder: Path, text: str, *names: str) -> Path:
    folder.mkdir()
    for name in ("index.html", *names):
        (folder / name).write_text(text)
    return folder


def test_the_newest_release_is_on_top(tmp_path):
    published = tmp_path / "published"
    (published / ".git").mkdir(parents=True)

    def top() -> str:
        return (published / "index.html").read_text()

    def listed() -> list[tuple[str, bool]]:
        entries = json.loads((published / "versions.json").read_text())
        assert all(e["url"] == f"{versioned_site.ADDRESS}/{e['version']}/" for e in entries)
        return [(e["version"], e["preferred"]) for e in entries]

    versioned_site.add(built(tmp_path / "a", "first", "old.html"), published, "dev")
    assert (top(), listed()) == ("first", [("dev", True)])
    versioned_site.add(built(tmp_path / "b", "0.9"), published, "0.9.0")
    versioned_site.add(built(tmp_path / "c", "0.10"), published, "0.10.0")
    versioned_site.add(built(tmp_path / "d", "corrected"), published, "0.9.0")
    versioned_site.add(built(tmp_path / "e", "second"), published, "dev")
    assert top() == "0.10"
    assert listed() == [("0.10.0", True), ("0.9.0", False), ("dev", False)]
    assert (published / "0.9.0" / "index.html").read_text() == "corrected"
    assert (published / "dev" / "index.html").read_text() == "second"
    assert not (published / "old.html").exists(), "pages of the former top are gone"
    assert (published / ".git").exists()
    with pytest.raises(SystemExit, match="neither"):
        versioned_site.add(tmp_path / "e", published, "..")


def test_the_switcher_reads_what_is_published():
    conf = (Path(__file__).parents[2] / "docs" / "conf.py").read_text(encoding="utf-8")
    assert f'"{versioned_site.ADDRESS}/{versioned_site.VERSIONS}"' in conf
