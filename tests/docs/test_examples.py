"""The examples with prompts in the documents give what the documents say."""

import doctest

import pytest

from .test_code_blocks import written_pages

WITH_PROMPTS = [path for path in written_pages() if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("document", WITH_PROMPTS, ids=lambda path: path.name)
def test_examples_with_prompts(document):
    failed, tried = doctest.testfile(
        str(document), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS
    )
    assert tried
    assert not failed
