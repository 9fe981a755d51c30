"""Redundancy, neighbors kept and neighbor classification, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import ShuffleSplit

from sksieve.metrics import knn_accuracy, neighborhood_preservation, redundancy


@st.composite
def tables(draw):
    n, d = draw(st.integers(3, 20)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.integers(-5, 5, d)


@given(tables())
def test_redundancy_is_the_mean_absolute_correlation(X):
    d = X.shape[1]
    pairs = [abs(np.corrcoef(X[:, i], X[:, j])[0, 1]) for i in range(d) for j in range(i)]
    value = redundancy(X)
    assert value == pytest.approx(np.mean(pairs), abs=1e-9)
    assert 0 <= value <= 1
    assert redundancy(X, [1, 0]) == pytest.approx(pairs[0], abs=1e-9)
    order = np.arange(d)[::-1]
    assert redundancy(-2 * X[::-1] + 7, order) == pytest.approx(value, abs=1e-7)
    assert redundancy(sp.csr_array(X), np.ones(d, dtype=bool)) == pytest.approx(value, abs=1e-12)


def test_redundancy_of_constant_and_single_columns():
    x = np.arange(5.0)
    constant = np.full(5, 0.25)
    assert redundancy(np.column_stack([x, constant])) == 0.0
    assert redundancy(np.column_stack([constant, 3 * constant])) == 0.0
    assert redundancy(np.column_stack([x, -x, constant])) == pytest.approx(1 / 3)
    assert redundancy(x[:, None]) == 0.0
    rounded = np.full(13, 0.1)  # its mean is not 0.1: what centering leaves is rounding
    assert (rounded - rounded.mean()).any()
    assert redundancy(np.column_stack([np.arange(13.0) ** 2, rounded, 3 * rounded])) == 0.0
    assert redundancy(np.column_stack([x, x]), []) == 0.0


def literal_preservation(X, S, k):
    """Neighbors one by one, from the full distance matrices."""

    def distances(Z):
        D = np.sqrt(np.sum((Z[:, None] - Z) ** 2, axis=2))
        np.fill_diagonal(D, np.inf)
        return D

    full, part = distances(X), distances(X[:, S])
    radius = np.sort(full, axis=1)[:, k - 1]
    found = np.argsort(part, axis=1)[:, :k]
    return np.mean([full[i, found[i]] <= radius[i] * (1 + 1e-8) for i in range(len(X))])


@given(tables(), st.data())
def test_preservation_is_its_definition(X, data):
    k = data.draw(st.integers(1, len(X) - 1))
    S = data.draw(st.sampled_from([[0], [1], [0, 1]]))
    value = neighborhood_preservation(X, S, n_neighbors=k)
    assert value == pytest.approx(literal_preservation(X, S, k), abs=1e-12)
    assert 0 <= value <= 1
    assert neighborhood_preservation(X, range(X.shape[1]), n_neighbors=k) == 1.0
    assert neighborhood_preservation(X, S, n_neighbors=len(X) - 1) == 1.0


def test_preservation_of_columns_that_know_nothing():
    rng = np.random.default_rng(0)
    X = np.column_stack([1e-6 * rng.standard_normal(1000), rng.standard_normal((1000, 3))])
    value = neighborhood_preservation(X, [0], n_neighbors=20)
    assert value == pytest.approx(20 / 999, abs=0.004)
    assert neighborhood_preservation(X, [1, 2, 3], n_neighbors=20) > 0.999


def test_preservation_works_in_blocks_and_on_csr(monkeypatch):
    X = np.random.default_rng(1).poisson(2.0, size=(150, 8)).astype(float)
    whole = neighborhood_preservation(X, [0, 2, 5], n_neighbors=5)
    monkeypatch.setattr("sksieve.metrics._columns.BLOCK_BYTES", 1000)
    assert neighborhood_preservation(X, [0, 2, 5], n_neighbors=5) == whole
    all_of_them = neighborhood_preservation(sp.csr_array(X), range(8), n_neighbors=5)
    assert all_of_them == 1.0


def test_entries_of_a_sparse_table_that_are_stored_in_parts_count_as_their_sum():
    X = np.random.default_rng(0).poisson(1.0, (30, 6)).astype(float)
    plain = sp.csr_array(X)
    parts = sp.csr_array(
        (np.repeat(plain.data / 2, 2), np.repeat(plain.indices, 2), 2 * plain.indptr), X.shape
    )
    y = np.arange(30) % 2
    for measure in (
        lambda Z: neighborhood_preservation(Z, [0, 2], n_neighbors=5),
        lambda Z: knn_accuracy(Z, y, n_repeats=5, random_state=0).tolist(),
        redundancy,
    ):
        assert measure(parts) == measure(plain)
    assert parts.nnz == 2 * plain.nnz, "the caller's stays as it is"


@pytest.mark.parametrize("seed", range(5))
def test_ties_in_all_columns_do_not_matter(seed):
    """Points of a grid have neighbors at one and the same distance, which rounding tells apart."""
    grid = np.array([[i, j] for i in range(6) for j in range(6)], dtype=float)
    grid = grid[np.random.default_rng(seed).permutation(36)]
    X = np.column_stack([grid, grid @ [[0.6, -0.8], [0.8, 0.6]]])
    assert neighborhood_preservation(X, [0, 1], n_neighbors=3) == 1.0
    assert neighborhood_preservation(X, [2, 3], n_neighbors=3) == 1.0


def test_preservation_does_not_depend_on_where_zero_is():
    """Far from zero, products of rows lose the distances: columns are centered before."""
    X = np.random.default_rng(2).standard_normal((80, 30))
    value = neighborhood_preservation(X, range(20), n_neighbors=8)
    assert 0.2 < value < 0.9
    assert neighborhood_preservation(X + 1e8, range(20), n_neighbors=8) == value


def test_preservation_refuses():
    X = np.eye(4)
    with pytest.raises(ValueError, match=r"n_neighbors must lie in 1\.\.3"):
        neighborhood_preservation(X, [0], n_neighbors=4)
    with pytest.raises(ValueError, match="columns is empty"):
        neighborhood_preservation(X, [], n_neighbors=2)


def test_knn_accuracy_is_the_protocol_written_out():
    X, y = load_iris(return_X_y=True)
    X = X + 1e-6 * np.random.default_rng(0).standard_normal(X.shape)  # no ties
    S = [1, 3]
    measured = knn_accuracy(X, y, S, n_neighbors=1, n_repeats=3, random_state=5)
    expected = []
    for train, test in ShuffleSplit(3, train_size=0.5, random_state=5).split(X):
        D = np.sum((X[test][:, None, S] - X[train][:, S]) ** 2, axis=2)
        expected.append(np.mean(y[train][D.argmin(axis=1)] == y[test]))
        assert len(train) == len(test) == 75
    np.testing.assert_allclose(measured, expected)


def test_knn_accuracy_same_seed_same_splits_and_csr():
    X, y = load_iris(return_X_y=True)
    first = knn_accuracy(X, y, random_state=0, n_repeats=5)
    np.testing.assert_array_equal(first, knn_accuracy(X, y, random_state=0, n_repeats=5))
    assert first.shape == (5,)
    assert len(np.unique(first)) > 1
    names = np.array(["a", "b", "c"])[y]
    np.testing.assert_array_equal(first, knn_accuracy(X, names, random_state=0, n_repeats=5))
    sparse = knn_accuracy(sp.csr_array(X), y, random_state=0, n_repeats=5)
    np.testing.assert_allclose(sparse, first, atol=0.03)
    noise = np.random.default_rng(0).standard_normal((150, 1))
    assert knn_accuracy(noise, y, random_state=0).mean() == pytest.approx(1 / 3, abs=0.06)
    with pytest.raises(ValueError, match="n_neighbors"):
        knn_accuracy(X[:4], y[:4], n_neighbors=3, n_repeats=1)
