"""What a message advises leads to an answer and loses nothing that the table holds."""

from __future__ import annotations

import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")

from .dirty import problem


@pytest.mark.parametrize("seed", range(20))
def test_following_the_advice_ends_in_an_answer(seed, tmp_path):
    assert problem(seed, tmp_path) == ""
