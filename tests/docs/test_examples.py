"""The examples with prompts in the documents give what the documents say."""

import doctest
from pathlib import Path

import pytest

DOCUMENTS = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))
WITH_PROMPTS = [path for path in DOCUMENTS if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("document", WITH_PROMPTS, ids=lambda path: path.name)
def test_examples_with_prompts(document):
    failed, tried = doctest.testfile(str(document), module_relative=False, encoding="utf-8")
    assert tried
    assert not failed
