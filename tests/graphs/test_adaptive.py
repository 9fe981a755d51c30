"""Adaptive neighbors, projections on candidate lists, reconstruction weights."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.kernel_ridge import KernelRidge

from sksieve.graphs import (
    adaptive_graph,
    adaptive_weights,
    difference_products,
    lle_weights,
    local_learning_weights,
    nearest_neighbors,
    project_rows,
)
from sksieve.prox import project_simplex, project_simplex_sparse

X = np.random.RandomState(0).standard_normal((30, 4))


def test_closed_form_is_the_projection_over_all_samples():
    P, alpha = adaptive_graph(X, 5)
    D = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    want = np.array([project_simplex(-d / (2 * a)) for d, a in zip(D, alpha)])
    np.testing.assert_allclose(P.toarray(), want, atol=1e-12)
    np.testing.assert_array_equal(np.diff(P.indptr), 5)
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-12)


def test_equidistant_neighbors_get_equal_weights():
    P, alpha = adaptive_graph(np.eye(6), 3)
    np.testing.assert_array_equal(alpha, 0)
    np.testing.assert_allclose(P.data, 1 / 3)
    weights, _ = adaptive_weights(np.zeros((2, 4)))
    np.testing.assert_allclose(weights, 1 / 3)


def test_nearly_equidistant_neighbors_tend_to_the_limit_and_never_to_nan():
    for eps in (1e-6, 1e-12, 1e-15, 1e-17):
        weights, alpha = adaptive_weights(np.array([[1.0, 1.0, 1.0 + eps]]))
        np.testing.assert_allclose(weights, 0.5)
        assert (alpha >= 0).all()


def test_float32_stays_float32():
    P, alpha = adaptive_graph(X.astype(np.float32), 3)
    assert P.dtype == alpha.dtype == np.float32
    assert lle_weights(X.astype(np.float32), 3).dtype == np.float32


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_projection_on_candidates_is_the_dense_one(seed, k):
    rng = np.random.RandomState(seed)
    stored = rng.uniform(size=(6, 8)) < 0.4
    stored[np.arange(6), rng.randint(8, size=6)] = True
    values = rng.standard_normal((6, 8)).round(1)
    columns = np.nonzero(stored)[1]
    indptr = np.concatenate([[0], np.cumsum(stored.sum(axis=1))])
    U = sp.csr_array((values[stored], columns, indptr), shape=(6, 8))
    dense = np.where(stored, values, -np.inf)
    np.testing.assert_allclose(project_rows(U).toarray(), project_simplex(dense), atol=1e-14)
    P = project_rows(U, k)
    np.testing.assert_allclose(P.toarray(), project_simplex_sparse(dense, k), atol=1e-14)
    assert np.diff(P.indptr).max() <= k
    assert (P.data > 0).all()


def test_candidates_in_any_order_and_rows_without_any():
    U = sp.csr_array((np.array([0.0, -1.2, -1.0]), np.array([2, 1, 0]), np.array([0, 3])))
    np.testing.assert_allclose(project_rows(U, 2).toarray(), [[0, 0, 1]])
    np.testing.assert_array_equal(U.indices, [2, 1, 0])
    with pytest.raises(ValueError, match="row 1 has none"):
        project_rows(sp.csr_array(np.array([[1.0], [0.0]])))


@pytest.mark.parametrize("k", [2, 7])  # fewer and more neighbors than columns
def test_reconstruction_weights_minimize(k):
    W = lle_weights(X, k).toarray()
    np.testing.assert_allclose(W.sum(axis=1), 1, rtol=1e-12)
    indices, _ = nearest_neighbors(X, k)
    rng = np.random.RandomState(1)
    for i, near in enumerate(indices):
        Z = X[near] - X[i]
        ridge = 1e-3 * np.trace(Z @ Z.T)
        w = W[i, near]
        best = np.sum((w @ Z) ** 2) + ridge * w @ w
        for _ in range(20):
            v = w + rng.choice([1e-4, 1e-1]) * rng.standard_normal(k)
            v += (1 - v.sum()) / k
            assert np.sum((v @ Z) ** 2) + ridge * v @ v >= best - 1e-14
        assert np.count_nonzero(W[i]) == k


def test_reconstruction_of_copies():
    np.testing.assert_allclose(lle_weights(np.ones((4, 2)), 2).data, 0.5)


def test_reconstruction_does_not_feel_scale_or_shift():
    W = lle_weights(X, 4).toarray()
    np.testing.assert_allclose(lle_weights(1e3 * X + 50, 4).toarray(), W, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_local_learning_is_kernel_ridge_regression_on_neighbors(dtype):
    """Each row against scikit-learn's regression, which predicts g_i from the neighbors' g."""
    Z = X.astype(dtype)
    B = local_learning_weights(Z, 4, reg=0.3)
    assert B.dtype == dtype
    near, distances = nearest_neighbors(X, 4)
    gamma = 1 / (2 * distances.mean())
    g = np.random.RandomState(3).standard_normal(len(X))
    rtol = 1e-10 if dtype == np.float64 else 1e-4
    for i in range(len(X)):
        model = KernelRidge(alpha=4 * 0.3, kernel="rbf", gamma=gamma).fit(X[near[i]], g[near[i]])
        predicted = model.predict(X[i : i + 1])[0]
        np.testing.assert_allclose((B @ g)[i], predicted, rtol=rtol)
    assert not B.diagonal().any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_of_differences_of_dense_and_sparse_rows(dtype, monkeypatch):
    """Blocks, rows without entries and entries stored in parts change nothing."""
    rng = np.random.RandomState(0)
    Z = (rng.standard_normal((40, 9)) * (rng.random_sample((40, 9)) < 0.3)).astype(dtype)
    Z[7] = 0
    near = np.array([rng.permutation(np.delete(np.arange(40), i))[:4] for i in range(40)])
    want = np.array([(Z[b] - Z[i]) @ (Z[b] - Z[i]).T for i, b in enumerate(near)])
    whole = sp.csr_array(Z)
    twice = np.repeat(whole.data / 2, 2), np.repeat(whole.indices, 2), 2 * whole.indptr
    monkeypatch.setattr("sksieve.graphs._differences.BLOCK_BYTES", 8 * 4 * 9 * 7)
    for table in (Z, whole, sp.csr_array(twice, shape=Z.shape)):
        blocks = list(difference_products(table, near))
        assert len(blocks) > 1
        found = np.concatenate([products for _, products in blocks])
        assert found.dtype == dtype
        np.testing.assert_allclose(found, want, atol=1e-12 if dtype == np.float64 else 1e-5)
        assert [at for part, _ in blocks for at in range(part.start, part.stop)] == [*range(40)]
