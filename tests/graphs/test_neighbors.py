"""Nearest neighbors: exact, the sample itself left out by index, ties by index."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sksieve.graphs import (
    _neighbors,
    distances_on,
    mean_distance,
    nearest_among,
    nearest_neighbors,
    with_equal_ties,
)

tables = arrays(
    np.float64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(0, 3)
)


def by_definition(X, k):
    """All distances, written out; stable sort puts the smaller index first."""
    X = X.astype(np.float64)
    D = np.array([[np.add.accumulate((x - y) ** 2)[-1] for y in X] for x in X])
    np.fill_diagonal(D, np.inf)
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(D, order, axis=1)


@given(tables, st.integers(1, 11), st.booleans())
def test_by_definition_with_many_ties(X, k, sparse):
    k = min(k, len(X) - 1)
    indices, distances = nearest_neighbors(sp.csr_array(X) if sparse else X, k)
    order, want = by_definition(X, k)
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(distances, want)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shift", [0.0, 1e4, 1e7])
def test_by_definition_far_from_the_origin(dtype, shift):
    X = (np.random.RandomState(0).standard_normal((150, 6)) + shift).astype(dtype)
    indices, distances = nearest_neighbors(X, 7)
    order, want = by_definition(X, 7)
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(distances, want.astype(dtype))
    assert distances.dtype == dtype


def test_an_outlier_spoils_nothing():
    X = np.random.RandomState(1).standard_normal((80, 3))
    X[13] = 1e9
    indices, distances = nearest_neighbors(X.astype(np.float32), 4)
    order, want = by_definition(X.astype(np.float32), 4)
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(distances, want.astype(np.float32))


def test_neither_blocks_nor_sparsity_matter(monkeypatch):
    rng = np.random.RandomState(2)
    X = rng.standard_normal((90, 20)) * (rng.uniform(size=(90, 20)) < 0.2)
    whole = nearest_neighbors(X, 5)
    monkeypatch.setattr(_neighbors, "BLOCK_BYTES", 8 * 90 * 7)
    for form in (X, sp.csr_array(X), sp.csr_matrix(X), np.asfortranarray(X), sp.csc_array(X)):
        for got, want in zip(nearest_neighbors(form, 5), whole):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("seed", range(5))
def test_rounding_of_the_entries_decides_nothing(seed):
    """Counts have many equal distances; scaled, they differ in the last digits."""
    rng = np.random.RandomState(seed)
    X = rng.poisson(0.4, (120, 12)).astype(float)
    spread = X.std(axis=0)
    forms = [X / spread, X * (1 / spread), (X - X.mean(axis=0)) / spread, sp.csr_array(X / spread)]
    want, distance = nearest_neighbors(forms[0], 9)
    assert (np.diff(distance, axis=1) >= 0).all()
    plain = np.argsort(((forms[2][:, None] - forms[2]) ** 2).sum(axis=2), axis=1, kind="stable")
    assert (plain[:, 1:10] != want).any(), "the example has no ties that rounding would decide"
    for form in forms[1:]:
        got, other = nearest_neighbors(form, 9)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_allclose(other, distance, rtol=1e-10, atol=1e-20)


@pytest.mark.parametrize("kind", ["dense", "float32", "one place", "sparse", "given"])
def test_threads_do_not_matter(kind, monkeypatch):
    """Rows that float32 cannot decide are searched by products in the precision of X."""
    rng = np.random.RandomState(0)
    X = rng.randn(4300, 6) + 10 * rng.randint(3, size=(4300, 1))
    if kind == "float32":
        X = X.astype(np.float32)
    elif kind == "one place":
        X[1000:] = 1e-6 * X[1000:] + 1e3
    elif kind == "sparse":
        X = sp.random_array((2500, 300), density=0.03, format="csr", random_state=rng)
    candidates = rng.randint(X.shape[0], size=(X.shape[0], 40))
    answers = []
    for threads in (1, 3):
        monkeypatch.setattr("sksieve._threads.n_threads", lambda threads=threads: threads)
        given = nearest_among(X, candidates, 5) if kind == "given" else nearest_neighbors(X, 5)
        answers.append(given)
    for one, several in zip(*answers):
        np.testing.assert_array_equal(one, several)


def test_distances_that_differ_are_no_ties():
    """A part in 10^10 is no rounding: the smaller one comes first, however large its index."""
    X = np.array([[0.0], [1 + 1e-10], [1.0], [-1 + 1e-10]])
    np.testing.assert_array_equal(nearest_neighbors(X, 3)[0][0], [3, 2, 1])


def test_equal_ties_among_stored_distances():
    rng = np.random.RandomState(0)
    Z = rng.randint(0, 3, (40, 3)) @ rng.standard_normal((3, 2))
    pattern = sp.csr_array(np.ones((40, 40)) - np.eye(40))
    V = with_equal_ties(distances_on(pattern, Z), Z)
    moved = Z + 1e-15 * rng.standard_normal(Z.shape)
    W = with_equal_ties(distances_on(pattern, moved), moved)
    for i in range(40):
        v, w = V.data[V.indptr[i] : V.indptr[i + 1]], W.data[W.indptr[i] : W.indptr[i + 1]]
        order = np.argsort(v, kind="stable")
        np.testing.assert_array_equal(order, np.argsort(w, kind="stable"))
    np.testing.assert_allclose(V.data, distances_on(pattern, Z).data, rtol=1e-10, atol=1e-25)


def test_copies_are_neighbors_and_the_sample_itself_is_not():
    X = np.repeat(np.random.RandomState(3).standard_normal((3, 4)), 4, axis=0)
    indices, distances = nearest_neighbors(X, 3)
    np.testing.assert_array_equal(distances, 0)
    for i, row in enumerate(indices):
        np.testing.assert_array_equal(
            row, [j for j in range(4 * (i // 4), 4 * (i // 4) + 4) if j != i]
        )


def test_unsorted_sparse_rows_with_repeated_entries():
    X = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3, 3, 3])))
    before = X.indices.copy()
    np.testing.assert_array_equal(nearest_neighbors(X, 1)[1].ravel(), [20, 0, 0])
    np.testing.assert_array_equal(X.indices, before)


@pytest.mark.parametrize("k", [0, 4, 9])
def test_impossible_k_is_refused(k):
    with pytest.raises(ValueError, match=rf"n_neighbors={k} must be at least 1 and less than .* 4"):
        nearest_neighbors(np.eye(4), k)


def test_mean_distance_is_the_mean_of_all_entries(monkeypatch):
    X = np.random.RandomState(4).standard_normal((40, 3))
    want = np.sqrt(((X[:, None] - X) ** 2).sum(-1)).mean()
    monkeypatch.setattr(_neighbors, "BLOCK_BYTES", 8 * 40 * 9)
    assert mean_distance(X) == pytest.approx(want, rel=1e-12)
    assert mean_distance(sp.csr_array(X)) == pytest.approx(want, rel=1e-12)


def test_distances_on_a_pattern():
    rng = np.random.RandomState(5)
    Z = rng.standard_normal((30, 4)).astype(np.float32)
    pattern = sp.random_array((30, 30), density=0.2, format="csr", random_state=0)
    D = distances_on(pattern, Z)
    assert D.dtype == np.float32
    assert D.nnz == pattern.nnz
    dense = ((Z[:, None] - Z) ** 2).sum(-1)
    np.testing.assert_allclose(D.toarray(), np.where(pattern.toarray() != 0, dense, 0), rtol=1e-5)


@pytest.mark.parametrize("n", [1, 2, 256, 300])
def test_mean_distance_is_that_of_all_pairs_however_it_is_summed(n):
    X = np.random.RandomState(n).standard_normal((n, 3))
    expected = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)).mean()
    for rows in (X, X.astype(np.float32), sp.csr_array(X)):
        assert mean_distance(rows) == pytest.approx(expected, rel=1e-5)
    assert mean_distance(X) == pytest.approx(mean_distance(X, n), rel=1e-12)
    assert mean_distance(X) == pytest.approx(expected, rel=1e-12)


def test_mean_distance_does_not_feel_a_shift():
    X = np.random.RandomState(0).randint(-8, 8, size=(40, 3)) / 8.0  # exact beside the shift
    assert mean_distance(X + 2.0**30) == pytest.approx(mean_distance(X), rel=1e-12)


@pytest.mark.parametrize("kind", ["one row mostly", "a few rows", "all one", "pairs", "rounded"])
def test_copies_are_searched_among_the_distinct_rows(kind, monkeypatch):
    """Rows of which there are more copies than candidates fit: the same answer as row by row."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((1200, 3))
    if kind == "one row mostly":
        X[rng.random_sample(1200) < 0.6] = [0.0, -0.0, 1.0]
    elif kind == "a few rows":
        X = X[rng.randint(0, 4, 1200)]
    elif kind == "all one":
        X[:] = 0.1
    elif kind == "pairs":
        X[600:] = X[:600]
        X[:200] = X[0]
    else:  # copies, and rows that differ from them by rounding
        X[:] = X[rng.randint(0, 4, 1200)]
        X[::3] *= 1 + 1e-16 * rng.randint(-2, 3, (400, 1))
    k = 7
    indices, distances = nearest_neighbors(X, k)
    want = np.empty((1200, k), dtype=np.int64), np.empty((1200, k))
    _neighbors._search_by_rows(X, None, *want)
    np.testing.assert_array_equal(indices, want[0])
    np.testing.assert_array_equal(distances, want[1])
    S = sp.csr_array(X)
    by_rows = np.empty_like(want[0]), np.empty_like(want[1])
    _neighbors._search_by_rows(S, None, *by_rows)
    for found, expected in zip(nearest_neighbors(S, k), by_rows, strict=True):
        np.testing.assert_array_equal(found, expected)
    monkeypatch.setattr(_neighbors, "BLOCK_BYTES", 4096)
    np.testing.assert_array_equal(nearest_neighbors(X, k)[0], want[0])
