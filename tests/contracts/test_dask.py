"""Dask arrays larger than memory: column methods read them in chunks, other methods refuse."""

import numpy as np
import pytest

from sksieve import GreedyCSS, config_context
from sksieve.exceptions import TooLargeError

from .cases import answer, cases, make

array = pytest.importorskip("dask.array")

#: Less than the table takes, more than a chunk and what is computed from it.
LIMIT = "100 kB"


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4)) @ rng.normal(size=(4, 12)) + rng.normal(size=(2000, 12))
    assert X.nbytes > 150_000
    return X


@cases("columns")
def test_column_methods_read_chunks(method, rows):
    chunks = array.from_array(rows, chunks=(300, 7))
    with config_context(memory_limit=LIMIT):
        est = make(method).fit(chunks)
    assert np.array_equal(answer(est), answer(make(method).fit(rows)))


def _read(chunk):
    raise AssertionError("a chunk was read")


@cases("selector", "clusterer")
def test_other_methods_refuse_before_a_chunk_is_read(method, rows):
    chunks = array.from_array(rows, chunks=(300, 7)).map_blocks(_read, dtype=float, meta=rows[:0])
    sentence = r"^.*2,?000 rows.* would need about .* of memory, more than the limit of 100 kB\. "
    with config_context(memory_limit=LIMIT), pytest.raises(TooLargeError, match=sentence):
        make(method).fit(chunks)


@pytest.mark.parametrize("shape", [(5,), (4, 3, 2)])
def test_a_dask_array_that_is_no_table(shape):
    with pytest.raises(ValueError, match=f"2 axes .*, not {len(shape)}"):
        GreedyCSS(1).fit(array.zeros(shape))
