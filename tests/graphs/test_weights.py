"""Nearest-neighbor graphs against literal twins; the Laplacian's identity."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from sksieve.graphs import (
    from_neighbors,
    gaussian_affinity,
    knn_graph,
    laplacian,
    normalized_adjacency,
    symmetrized,
)

X = np.random.RandomState(0).standard_normal((40, 5))


def construct_w(X, k, weights, width):
    """Cai's constructW, with the width given: k nearest others, A <- max(A, A')."""
    D = cdist(X, X)
    A = np.zeros_like(D)
    for i in range(len(X)):
        others = sorted((j for j in range(len(X)) if j != i), key=lambda j: D[i, j])[:k]
        A[i, others] = 1 if weights == "binary" else np.exp(-(D[i, others] ** 2) / (2 * width**2))
    return np.maximum(A, A.T)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_constructw(form):
    mean_all = cdist(X, X).mean()
    np.testing.assert_array_equal(knn_graph(form(X), 5).toarray(), construct_w(X, 5, "binary", 0))
    A = knn_graph(form(X), 5, weights="heat", sigma="mean_all")
    np.testing.assert_allclose(A.toarray(), construct_w(X, 5, "heat", mean_all), rtol=1e-12)


def test_widths():
    D = np.sort(cdist(X, X), axis=1)[:, 1:6]
    A = knn_graph(X, 5, weights="heat")
    np.testing.assert_allclose(A.toarray(), construct_w(X, 5, "heat", D.mean()), rtol=1e-12)
    B = knn_graph(X, 5, weights="heat", sigma=0.7)
    np.testing.assert_allclose(B.toarray(), construct_w(X, 5, "heat", 0.7), rtol=1e-12)


def test_cosine_weights_are_by_angle():
    cosine = (X @ X.T) / np.outer(*[np.linalg.norm(X, axis=1)] * 2)
    np.fill_diagonal(cosine, -np.inf)
    want = np.zeros_like(cosine)
    for i in range(len(X)):
        best = np.argsort(-cosine[i])[:4]
        want[i, best] = np.maximum(cosine[i, best], 0)
    A = knn_graph(7 * X, 4, weights="cosine", symmetrize="none")
    np.testing.assert_allclose(A.toarray(), want, atol=1e-12)


def test_cosine_leaves_right_angles_and_zero_rows_alone():
    A = knn_graph(np.array([[1.0, 0], [0, 2], [0, 0], [3, 0]]), 3, weights="cosine")
    np.testing.assert_allclose(
        A.toarray(), [[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]]
    )


@pytest.mark.parametrize("weights", ["binary", "heat", "cosine"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_form_of_the_graph(weights, dtype):
    A = knn_graph(X.astype(dtype), 3, weights=weights)
    assert isinstance(A, sp.csr_array)
    assert A.dtype == dtype
    assert A.has_sorted_indices
    assert (A.data > 0).all()
    assert not A.diagonal().any()
    assert (abs(A - A.T)).nnz == 0


def test_copies_only():
    A = knn_graph(np.ones((4, 2)), 2, weights="heat")
    assert set(A.data) == {1.0}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weights": "gauss"}, "weights='gauss' must be"),
        ({"weights": "heat", "sigma": "median"}, "sigma='median' must be"),
        ({"weights": "heat", "sigma": -1.0}, "sigma=-1.0 must be"),
        ({"weights": "heat", "sigma": 1e-300}, "sigma=1e-300 must be .* between 1e-150 and 1e.150"),
        ({"weights": "heat", "sigma": 1e300}, "sigma=1e.300 must be"),
        ({"symmetrize": "min"}, "symmetrize='min' must be"),
        ({"n_neighbors": 40}, "n_neighbors=40 must be"),
    ],
)
def test_refusals_name_the_argument(change, words):
    with pytest.raises(ValueError, match=words):
        knn_graph(X, **{"n_neighbors": 3, **change})


def test_from_neighbors_drops_zeros_and_sorts():
    P = from_neighbors(np.array([[2, 0], [1, 0]]), np.array([[1.0, 0.0], [2.0, 3.0]]), 3)
    np.testing.assert_array_equal(P.toarray(), [[0, 0, 1], [3, 2, 0]])
    assert P.nnz == 3
    assert P.has_sorted_indices


def test_gaussian_affinity():
    D = cdist(X, X)
    mean = (D**2).sum() / (40 * 39)
    for form in (np.asarray, sp.csr_array):
        A = gaussian_affinity(form(X + 5))
        np.testing.assert_allclose(A, np.exp(-(D**2) / mean), rtol=1e-9)
        np.testing.assert_array_equal(A, A.T)
    np.testing.assert_allclose(gaussian_affinity(X, 2.0), np.exp(-(D**2) / 8), rtol=1e-9)


weights = st.integers(0, 2**31 - 1)


@given(weights, st.booleans())
def test_the_identity_of_the_laplacian(seed, sparse):
    rng = np.random.RandomState(seed)
    n = rng.randint(1, 9)
    P = rng.standard_normal((n, n)) * (rng.uniform(size=(n, n)) < 0.5)
    Z = rng.standard_normal((n, 3))
    L = laplacian(sp.csr_array(P) if sparse else P)
    assert sp.issparse(L) == sparse
    total = (P * cdist(Z, Z, "sqeuclidean")).sum()
    assert 2 * np.trace(Z.T @ (L @ Z)) == pytest.approx(total, abs=1e-10)
    L = L.toarray() if sparse else L
    np.testing.assert_allclose(L, L.T, atol=1e-14)
    np.testing.assert_allclose(L.sum(axis=1), 0, atol=1e-12)


def test_laplacian_of_nonnegative_weights_is_positive_semidefinite():
    P = np.random.RandomState(1).uniform(size=(12, 12))
    assert np.linalg.eigvalsh(laplacian(P)).min() > -1e-12


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_normalized_adjacency(form):
    A = symmetrized(np.random.RandomState(2).uniform(size=(6, 6)))
    A[3] = A[:, 3] = 0
    d = A.sum(axis=1)
    with np.errstate(divide="ignore"):
        root = np.where(d > 0, 1 / np.sqrt(d), 0)
    M = normalized_adjacency(form(A))
    dense = M.toarray() if sp.issparse(M) else M
    np.testing.assert_allclose(dense, root[:, None] * A * root, rtol=1e-14)
    assert np.linalg.eigvalsh(dense).max() == pytest.approx(1)
    M = normalized_adjacency(form(A), tau=2.0)
    dense = M.toarray() if sp.issparse(M) else M
    np.testing.assert_allclose(dense, A / np.sqrt(np.outer(d + 2, d + 2)), rtol=1e-14)
    assert normalized_adjacency(form(A.astype(np.float32)), tau=np.float64(1)).dtype == np.float32


def test_from_neighbors_leaves_its_arguments_alone():
    indices, values = np.array([[2, 0], [1, 0]]), np.array([[5.0, 1.0], [0.0, 2.0]])
    before = indices.copy(), values.copy()
    P = from_neighbors(indices, values, 3)
    np.testing.assert_array_equal(P.toarray(), [[1, 0, 5], [2, 0, 0]])
    np.testing.assert_array_equal(indices, before[0])
    np.testing.assert_array_equal(values, before[1])


@pytest.mark.parametrize("sigma", [0.0, -1.0, 1e-300, 1e300, np.nan])
def test_a_width_that_cannot_be_squared_is_refused(sigma):
    with pytest.raises(ValueError, match=r"sigma=.* must be a number > 0, and between"):
        gaussian_affinity(np.eye(3), sigma=sigma)
