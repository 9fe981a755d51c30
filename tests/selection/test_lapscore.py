"""Laplacian score: its definition entry by entry, constant columns, scale, sparse tables."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sksieve import MCFS, NDFS, RUFS, LaplacianScore
from sksieve.exceptions import DataError, DataWarning
from sksieve.graphs import NeighborGraph, knn_graph
from sksieve.selection._lapscore import CONSTANT, laplacian_scores


def table(n=40, d=6, seed=0):
    return np.random.RandomState(seed).standard_normal((n, d)) + 3


def literal(A, X):
    """The double sum of the paper, column by column."""
    A = A.toarray()
    D = A.sum(axis=1)
    scores = []
    for f in X.T:
        f = f - (f @ D) / D.sum()
        rough = 0.5 * sum(
            A[i, j] * (f[i] - f[j]) ** 2 for i in range(len(f)) for j in range(len(f))
        )
        scores.append(1 - rough / (D @ f**2))
    return np.array(scores)


@pytest.mark.parametrize(
    ("weights", "sigma"),
    [("heat", "mean_all"), ("heat", "mean_knn"), ("heat", 0.7), ("binary", "mean_all")],
)
def test_definition(weights, sigma):
    X = table()
    est = LaplacianScore(graph=NeighborGraph(weights, sigma=sigma)).fit(X)
    A = knn_graph(X, 5, weights=weights, sigma=sigma)
    assert (est.affinity_ != A).nnz == 0
    assert_allclose(est.scores_, literal(A, X), rtol=1e-10)


@given(st.integers(0, 10**6))
def test_scores_lie_between_minus_one_and_one(seed):
    scores = LaplacianScore(n_neighbors=3).fit(table(12, 4, seed)).scores_
    assert (scores <= 1).all()
    assert (scores >= -1 - 1e-12).all()


def test_width_of_the_authors_program():
    """``exp(-d^2 / (2 t^2))``, t the mean of all n^2 distances."""
    X = table()
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    t = np.sqrt(squared).mean()
    A = LaplacianScore().fit(X).affinity_.toarray()
    joined = A > 0
    assert_allclose(A[joined], np.exp(-squared / (2 * t**2))[joined], rtol=1e-10)


def test_constant_columns_come_after_the_roughest():
    """The authors' program puts them at L_r = 1, ahead of a column with L_r > 1."""
    A = sp.csr_array(np.kron(np.eye(4), [[0.0, 1.0], [1.0, 0.0]]))
    rough = np.tile([1.0, -1.0], 4)
    smooth = np.repeat([1.0, 2.0, 3.0, 4.0], 2)
    X = np.column_stack([np.full(8, 0.1), rough, smooth, np.zeros(8)])
    scores = laplacian_scores(A, X)
    assert_allclose(scores, [CONSTANT, -1, 1, CONSTANT])


def test_constant_up_to_rounding_is_constant():
    X = table()
    X = np.column_stack([X, 0.1 + 1e-17 * X[:, 0], np.full(40, 1e8) * (1 + 1e-16)])
    assert_array_equal(LaplacianScore().fit(X).ranking_[-2:], [6, 7])


def test_copies_get_one_score():
    X = table()
    scores = LaplacianScore().fit(np.column_stack([X, X[:, 2]])).scores_
    assert_allclose(scores[6], scores[2], rtol=1e-12)


def test_scale_of_a_column_counts_in_the_graph_only():
    X = table()
    A = knn_graph(X, 5)
    assert_allclose(laplacian_scores(A, X * [1, 10, 100, 1e3, 1e-3, 1]), laplacian_scores(A, X))


def test_clusters_are_seen():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((60, 6))
    X[:, [1, 4]] += 6 * (np.arange(60) % 3)[:, None]
    assert set(LaplacianScore(2).fit(X).get_support(indices=True)) == {1, 4}


def test_sparse_is_dense():
    X = table(50, 30)
    X[np.random.RandomState(1).random_sample(X.shape) < 0.7] = 0
    assert_allclose(
        LaplacianScore().fit(sp.csr_array(X)).scores_, LaplacianScore().fit(X).scores_, rtol=1e-10
    )


@pytest.mark.parametrize(
    "module", ["tables._centered._BLOCK_ENTRIES", "selection._lapscore.BLOCK_BYTES"]
)
def test_sparse_columns_of_any_kind_have_the_scores_of_dense_ones(monkeypatch, module):
    """Few entries, many, a large mean, one value, none, and entries at isolated samples only."""
    rng = np.random.RandomState(0)
    X = rng.poisson(2.0, (300, 40)) * (rng.random_sample((300, 40)) < 0.1).astype(float)
    X[:, 1] = rng.standard_normal(300)
    X[:, 2] = 1e7 + rng.standard_normal(300)
    X[:, 3], X[:, 4] = 7.0, 0.0
    A = knn_graph(rng.standard_normal((300, 2)), 5, weights="heat").tolil()
    A[:5], A[:, :5] = 0, 0
    X[:, 5] = np.arange(300) < 5
    A = sp.csr_array(A)
    monkeypatch.setattr(f"sksieve.{module}", 2000)
    scores = laplacian_scores(A, sp.csr_array(X))
    assert_allclose(scores, laplacian_scores(A, X), rtol=1e-9)
    assert_array_equal(np.flatnonzero(scores == CONSTANT), [3, 4, 5])


def test_blocks_of_columns_are_only_a_matter_of_memory(monkeypatch):
    X = table(40, 25)
    whole = LaplacianScore().fit(X).scores_
    monkeypatch.setattr("sksieve.selection._lapscore.BLOCK_BYTES", 8 * 40 * 7)
    assert_allclose(LaplacianScore().fit(X).scores_, whole, rtol=1e-14)


def test_few_samples():
    with pytest.warns(DataWarning, match="n_neighbors=2 is used"):
        LaplacianScore(1).fit(table(3, 4))


@pytest.mark.parametrize("method", [LaplacianScore, MCFS])
def test_a_column_that_makes_the_graph_alone_is_told(method):
    X = np.random.RandomState(0).standard_normal((60, 6))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        method(2).fit(X)
        method(2).fit(np.column_stack([X, np.full(60, 7.0)]))
    wide = X * [1, 1, 1, 1e4, 1, 1]
    for form in (wide, sp.csr_array(wide)):
        with pytest.warns(
            DataWarning, match=r"Column 3 of X has \d+ times the spread of the median"
        ):
            method(2).fit(form)


@pytest.mark.parametrize("cls", [LaplacianScore, MCFS, NDFS, RUFS])
def test_a_width_that_leaves_no_weight_is_refused(cls):
    X = np.random.RandomState(0).standard_normal((20, 4))
    with pytest.raises(DataError, match="is so small compared with the distances"):
        cls(2, graph=NeighborGraph(sigma=1e-4)).fit(X)
    assert cls(2, graph=NeighborGraph("binary")).fit(X).affinity_.nnz
