"""Second moments in one pass: whatever way the rows come, and however bad the scaling."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sksieve._array import row_blocks
from sksieve.tables import empty_moments, gram, moments, square
from sksieve.tables._moments import _exact_rows

SCALES = ["unit", "standard", "none"]


def scaled(X, scale):
    """The definition, literally."""
    X = np.asarray(X, dtype=np.longdouble)
    if scale == "standard":
        X = X - X.mean(axis=0)
    if scale == "none":
        return X
    length = np.sqrt((X**2).sum(axis=0))
    return X / np.where(length > 0, length, 1)


def table(seed=0, n=50, d=6):
    return np.random.RandomState(seed).standard_normal((n, d)) @ np.diag(10.0 ** np.arange(d) / 100)


def close(G, X, scale, rtol=1e-12):
    A = scaled(X, scale)
    expected = (A.T @ A).astype(float)
    length = np.sqrt(np.diagonal(expected))
    size = np.outer(length, length) + (length[:, None] == 0) + (length == 0)
    assert_allclose(G / size, expected / size, rtol=0, atol=rtol)


@pytest.mark.parametrize("scale", SCALES)
def test_gram_is_its_definition(scale):
    X = table() + 3
    G, center, divisor = gram(moments(X), scale)
    close(G, X, scale)
    assert_array_equal(G, G.T)
    A = (X - center) / divisor
    assert_allclose(A.T @ A, G, rtol=1e-12, atol=1e-12 * np.abs(G).max())


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("form", ["csr", "blocks", "float32 blocks", "dask", "resumed"])
def test_every_form_gives_the_same(scale, form):
    X = np.round(table(n=60) * 4) + 1  # exact in float32
    parts = [X[:7], X[7:8], X[8:41], X[41:]]
    if form == "csr":
        m = moments(sp.csr_array(X))
    elif form == "blocks":
        m = moments(iter(parts))
    elif form == "float32 blocks":
        m = moments(part.astype(np.float32) for part in parts)
    elif form == "dask":
        dask = pytest.importorskip("dask.array")
        m = moments(dask.from_array(X, chunks=(13, 4)))
    else:
        m = moments(sp.csr_array(X[50:]), moments(X[10:50], moments(X[:10])))
    assert m.n_samples == 60
    close(gram(m, scale)[0], X, scale)


def test_start_is_not_modified():
    X = table()
    first = moments(X[:20])
    before = [np.array(part) for part in first]
    for more in (X[20:], sp.csr_array(X[20:])):
        moments(more, first)
        for old, now in zip(before, first, strict=True):
            assert_array_equal(old, now)


def test_no_rows():
    with pytest.raises(ValueError, match="no row blocks"):
        moments(iter([]))
    empty = empty_moments(np.arange(3.0))
    assert moments(iter([]), empty) is empty


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("value", [0.0, 0.1, -3.3, 1e8, 1e-12])
def test_constant_columns_have_no_spread(form, value):
    X = np.random.RandomState(0).standard_normal((4000, 4))
    X[:, 1] = value
    X[:, 3] = 0
    G = gram(moments(form(X)), "standard")[0]
    assert_array_equal(G[[1, 3]], 0)
    assert_array_equal(np.diagonal(G), [1, 0, 1, 0])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_a_little_spread_on_a_large_mean_is_kept(form):
    X = np.random.RandomState(0).standard_normal((300, 3))
    X[:, 0] = 1e4 + X[:, 0]
    close(gram(moments(form(X)), "standard")[0], X, "standard", rtol=1e-6)


def test_dense_rows_do_not_lose_digits_to_a_large_mean():
    X = np.random.RandomState(0).standard_normal((300, 3)) + 1e7
    close(gram(moments(X), "standard")[0], X, "standard", rtol=1e-8)


def test_zero_columns_are_left_alone():
    X = table()
    X[:, 2] = 0
    G, center, divisor = gram(moments(X), "unit")
    assert_array_equal(G[2], 0)
    assert divisor[2] == 1
    assert_array_equal(center, 0)


@given(
    cuts=st.lists(st.integers(1, 29), max_size=5, unique=True),
    seed=st.integers(0, 10**6),
    offset=st.floats(-100, 100),
)
def test_moments_add_up_however_the_rows_are_cut(cuts, seed, offset):
    X = np.random.RandomState(seed).standard_normal((30, 4)) + offset
    parts = np.split(X, sorted(cuts))
    at_once, in_parts = moments(X), moments(iter(parts))
    assert in_parts.n_samples == 30
    assert_array_equal(in_parts.low, X.min(axis=0))
    assert_array_equal(in_parts.high, X.max(axis=0))
    assert_allclose(
        gram(in_parts, "standard")[0], gram(at_once, "standard")[0], atol=1e-10, err_msg=str(cuts)
    )


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("shape", [(5, 9), (9, 5)])
def test_square_goes_through_the_smaller_side(form, shape):
    A = np.random.RandomState(0).standard_normal(shape)
    G = A.T @ A
    F = square(G, form(A))
    assert_allclose(F, G @ G, rtol=1e-12, atol=1e-12)
    assert_array_equal(F, F.T)
    assert_allclose(square(G), G @ G, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_blocks_are_all_the_rows_in_order(form):
    X = np.round(table(n=37))
    blocks = list(row_blocks(form(X), block_bytes=8 * 6 * 5))
    assert len(blocks) > 1
    together = np.vstack([b.toarray() if sp.issparse(b) else b for b in blocks])
    assert_array_equal(together, X)


@pytest.mark.parametrize("n", [3, 7, 25, 50])
def test_a_column_that_is_constant_up_to_rounding_is_constant(n):
    X = np.c_[np.full(n, 0.1), np.where(np.arange(n) % 2, 0.3, 0.1 + 0.2), np.arange(n)]
    assert X[:, 0].mean() != 0.1
    G, _, divisor = gram(moments(X), "standard")
    assert_array_equal(G[:2], 0)
    assert_array_equal(divisor[:2], 1)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_moments_of_some_columns(form):
    X = table()
    S = np.array([4, 0, 3])
    taken, own = moments(form(X)).take(S), moments(form(X)[:, S])
    assert taken.n_samples == own.n_samples
    for a, b in zip(taken[1:], own[1:], strict=True):
        assert_allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(X).max())


def counts(m, n, density, largest, seed=0):
    X = sp.random_array(
        (m, n), density=density, format="csr", random_state=np.random.default_rng(seed)
    )
    X.data = np.ceil(largest * X.data)
    return X


@pytest.mark.parametrize("largest", [9, 3000, 10**5])
@pytest.mark.parametrize("density", [0.01, 0.04, 0.3])
def test_products_of_counts_are_exact(largest, density):
    """Whether CSR rows are multiplied as they are, or as dense blocks of either precision."""
    X = counts(5000, 30, density, largest)
    exact = X.toarray().astype(np.int64)
    assert_array_equal(moments(X).products, exact.T @ exact)


@pytest.mark.parametrize("density", [0.01, 0.04, 0.06, 0.3])
def test_products_of_csr_are_double_precision(density):
    X = counts(3000, 40, density, 5.0)
    X.data += 0.1
    A = X.toarray().astype(np.longdouble)
    expected = (A.T @ A).astype(float)
    assert_allclose(moments(X).products, expected, rtol=1e-14)


def test_single_precision_is_taken_only_where_it_is_exact():
    X = counts(100, 20, 0.5, 9)
    assert _exact_rows(X) == 2**24 // 81
    X.data[3] += 0.5
    assert _exact_rows(X) == 0
    X.data[3] = 5000.0  # its square is above 2^24
    assert _exact_rows(X) == 0
    parts = sp.csr_array((np.ones(3), [1, 1, 0], [0, 3]), shape=(1, 2))  # 2 in two parts
    assert _exact_rows(parts) == 0
    assert_array_equal(moments(parts).products, [[1, 2], [2, 4]])
