"""Aligned columns: the objective against its definition, exchanges, scales, samples of rows."""

import itertools
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh
from sklearn.datasets import load_breast_cancer, load_wine

from sksieve import AlignedColumns
from sksieve.exceptions import DataError, TooLargeError
from sksieve.selection import _aligned


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def literal_relevance(Z, bandwidth=1.0, n_vectors=20):
    """From three n x n kernels."""
    n = len(Z)
    D = ((Z[:, None] - Z) ** 2).sum(axis=2)
    H = np.eye(n) - 1 / n
    gaussian = H @ np.exp(-D / (bandwidth * np.median(D))) @ H
    near = np.argsort(D + np.diag(np.full(n, np.inf)), axis=1)[:, :7]
    W = np.zeros((n, n))
    np.put_along_axis(W, near, 1, axis=1)
    W = np.maximum(W, W.T)
    root = 1 / np.sqrt(W.sum(axis=1))
    U = eigh(root[:, None] * W * root)[1][:, ::-1][:, 1 : n_vectors + 1]
    U = H @ U
    U /= np.linalg.norm(U, axis=0)
    a = np.zeros(Z.shape[1])
    for K in (Z @ Z.T, gaussian, U @ U.T):
        part = np.array([z @ K @ z for z in Z.T])
        a += part / part.mean()
    return a


def objective(Z, a, S):
    return a[S].sum() / np.sqrt(((Z[:, S].T @ Z[:, S]) ** 2).sum())


@pytest.mark.parametrize(("n_clusters", "bandwidth", "vectors"), [(None, 1.0, 20), (4, 0.3, 3)])
def test_relevance_is_that_of_three_kernels(n_clusters, bandwidth, vectors):
    X = load_wine().data
    est = AlignedColumns(3, n_clusters=n_clusters).fit(X)
    expected = literal_relevance(standardized(X), bandwidth, vectors)
    assert_allclose(est.relevance_, expected, rtol=1e-6)


@pytest.mark.parametrize("k", [1, 3, 8])
def test_every_exchange_raises_the_objective(k):
    X = load_breast_cancer().data
    est = AlignedColumns(k).fit(X)
    path = est.objective_path_
    assert (np.diff(path) > 0).all()
    Z = standardized(X)
    assert_allclose(path[-1], objective(Z, est.relevance_, est.ranking_[:k]), rtol=1e-9)
    if k == 8:
        assert len(path) > 1, "forward selection is not the end here"


def test_small_tables_reach_the_best_subset():
    X = load_wine().data[:, :8]
    Z = standardized(X)
    est = AlignedColumns(3).fit(X)
    best = max(objective(Z, est.relevance_, list(S)) for S in itertools.combinations(range(8), 3))
    assert_allclose(est.objective_path_[-1], best, rtol=1e-9)


def test_order_is_that_of_forward_selection():
    X = load_wine().data
    est = AlignedColumns(5).fit(X)
    Z, a = standardized(X), est.relevance_
    chosen = list(est.ranking_[:5])
    for i in range(5):
        values = [objective(Z, a, [*chosen[:i], j]) for j in chosen[i:]]
        assert values[0] >= max(values) - 1e-12
    rest = [objective(Z, a, [*chosen, j]) for j in est.ranking_[5:]]
    assert (np.diff(rest) <= 1e-12).all()


def test_counts_keep_their_spread():
    rng = np.random.RandomState(0)
    X = np.exp(rng.standard_normal((80, 3)) * np.array([0.1, 1.0, 2.0]))
    est = AlignedColumns(1, scale="counts").fit(X)
    Z = np.log1p(X) - np.log1p(X).mean(axis=0)
    assert_allclose(est.relevance_, literal_relevance(Z, n_vectors=16), rtol=1e-6)
    assert est.ranking_[0] == np.argmax(est.relevance_ / (Z**2).sum(axis=0))
    with pytest.raises(DataError, match=r"counts.*needs values >= 0"):
        AlignedColumns(1, scale="counts").fit(X - 5.0)


@pytest.mark.parametrize("scale", ["standard", "counts"])
def test_sparse_is_not_filled_in_and_gives_the_same(scale):
    X = np.random.RandomState(0).poisson(0.5, (70, 15)).astype(float)
    X[:, 4] = 0
    dense = AlignedColumns(4, scale=scale).fit(X)
    sparse = AlignedColumns(4, scale=scale).fit(sp.csr_array(X))
    assert_array_equal(sparse.ranking_, dense.ranking_)
    assert_allclose(sparse.relevance_, dense.relevance_, atol=1e-9)
    assert_allclose(sparse.objective_path_, dense.objective_path_)
    assert dense.ranking_[-1] == 4


def test_relevance_of_a_sample_of_the_rows(monkeypatch):
    """Many rows: no n x n array, and the same answer as from these rows where they are all."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((20_000, 4)) @ rng.standard_normal((4, 12))
    X += 0.5 * rng.standard_normal(X.shape)
    tracemalloc.start()
    est = AlignedColumns(3, random_state=0).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2e8, "20000 x 20000 floats are 3.2e9 bytes"
    rows = np.sort(np.random.RandomState(0).permutation(20_000)[:2000])
    Z = standardized(X)[rows]
    assert_allclose(est.relevance_, _aligned.relevance(Z - Z.mean(axis=0)), rtol=1e-9)
    other = AlignedColumns(3, random_state=1).fit(X)
    assert not np.allclose(other.relevance_, est.relevance_, rtol=1e-9)


def test_repeated_rows_and_one_group_of_rows():
    X = np.repeat(np.eye(3), 10, axis=0)[:, :2] + np.array([0.0, 5.0])
    est = AlignedColumns(2).fit(X)  # the median distance may be 0
    assert np.isfinite(est.scores_).all()
    assert (est.relevance_ > 0).all()
    few = AlignedColumns(1).fit(X[::10][:2])
    assert np.isfinite(few.scores_).all()


def test_refusals():
    with pytest.raises(DataError, match="Every column of X is constant"):
        AlignedColumns(1).fit(np.ones((10, 3)))
    with pytest.raises(TooLargeError, match="relevance of 500000 columns"):
        AlignedColumns(1).fit(sp.eye_array(500, 500_000, format="csr"))


@pytest.mark.parametrize("scale", ["standard", "counts"])
def test_products_of_a_long_table_are_those_of_its_columns(monkeypatch, scale):
    rng = np.random.default_rng(0)
    X = rng.poisson(3.0, (400, 6)) @ rng.uniform(0, 1, (6, 25)) + 1e4 * (scale == "standard")
    X[:, 3] = 2.0
    long = AlignedColumns(8, scale=scale).fit(X)
    monkeypatch.setattr(_aligned, "MAX_PRODUCTS", 0)
    wide = AlignedColumns(8, scale=scale).fit(X)
    assert_array_equal(long.ranking_, wide.ranking_)
    assert_allclose(long.objective_path_, wide.objective_path_, rtol=1e-9)


def test_a_long_table_is_not_copied(monkeypatch):
    monkeypatch.setattr(_aligned, "MAX_ROWS", 200)
    X = np.random.default_rng(0).normal(size=(400_000, 25)).astype(np.float32)
    AlignedColumns(3).fit(X[:3000])
    tracemalloc.start()
    AlignedColumns(3).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes
