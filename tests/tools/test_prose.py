"""Numbers in pages, docstrings and remarks are those of the committed results."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import prose


def test_no_number_in_prose_is_stale():
    assert prose.stale() == []


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page with one sentence, whose number is .5 by the results."""
    path = tmp_path / "page.md"
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    monkeypatch.setattr(prose, "SENTENCES", (("page.md", "made", "is {share} of\n  all."),))
    monkeypatch.setattr(prose, "FACTS", {"made": lambda: {"share": ".5"}})
    prose._facts.cache_clear()
    yield path
    prose._facts.cache_clear()


def test_a_stale_number_is_reported_and_put_right(page):
    page.write_text("It is .75\nof all.")
    assert prose.stale() == ["page.md: 'is .75 of all.' should have .5."]
    prose.write()
    assert page.read_text() == "It is .5\nof all."
    assert prose.stale() == []


def test_a_sentence_that_was_changed_is_asked_for(page):
    page.write_text("It is half of all.")
    with pytest.raises(LookupError, match=r"page\.md has no sentence like"):
        prose.stale()
