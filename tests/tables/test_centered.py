"""Centered sparse tables: every product against the array written out."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine

from sksieve import FSPCA, NDFS, RUFS, SOGFS, SPCAFS, UDFS
from sksieve.exceptions import DataError
from sksieve.graphs import knn_graph, laplacian
from sksieve.linalg import SignedGram, ridge_coefficients
from sksieve.tables import (
    CenteredTable,
    MixedTable,
    centered_columns,
    column_norms2,
    column_std,
    form_diagonal,
    form_of_columns,
    row_norms2,
    rows_of,
    rows_product,
    translated,
    varying_columns,
    weighted_gram,
    weighted_outer,
)


def table(n=40, d=14):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((n, d)) * (rng.random_sample((n, d)) < 0.3)
    X[:, 1] = 1e6 + rng.standard_normal(n)  # all stored, mean large beside the spread
    X[:, 2] = np.where(rng.random_sample(n) < 0.7, 5.0, 0.0)
    return X


@pytest.fixture(params=["array", "table"])
def pair(request):
    X = table()
    Z = X - X.mean(axis=0)
    return (Z, Z) if request.param == "array" else (centered_columns(sp.csr_array(X))[0], Z)


def test_products(pair):
    T, Z = pair
    rng = np.random.RandomState(1)
    V, U = rng.standard_normal((14, 3)), rng.standard_normal((40, 3))
    a, q = rng.random_sample(40), rng.random_sample(14)
    close = {"rtol": 1e-9, "atol": 1e-9}
    assert_allclose(T @ V, Z @ V, **close)
    assert_allclose(T.T @ U, Z.T @ U, **close)
    assert_allclose(T @ V[:, 0], Z @ V[:, 0], **close)
    assert_allclose(T.T @ U[:, 0], Z.T @ U[:, 0], **close)
    assert_allclose(column_norms2(T), (Z**2).sum(axis=0), **close)
    assert_allclose(row_norms2(T), (Z**2).sum(axis=1), **close)
    assert_allclose(column_std(T), Z.std(axis=0), **close)
    assert_allclose(weighted_gram(T), Z.T @ Z, **close)
    assert_allclose(weighted_gram(T, a), Z.T @ np.diag(a) @ Z, **close)
    assert_allclose(weighted_outer(T), Z @ Z.T, **close)
    assert_allclose(weighted_outer(T, q), Z @ np.diag(q) @ Z.T, **close)
    assert_allclose(rows_of(T, np.array([3, 1])), Z[[3, 1]], **close)
    assert_allclose(T[:, np.array([2, 1])] @ V[:2], Z[:, [2, 1]] @ V[:2], **close)
    assert_allclose(
        ridge_coefficients(T, q, U, a), ridge_coefficients(Z, q, U, a), rtol=1e-7, atol=1e-9
    )
    assert_allclose(rows_product(U, T), U.T @ Z, **close)
    assert_allclose(rows_product(U, Z), U.T @ Z, **close)
    L = laplacian(knn_graph(Z, 3))
    assert_allclose(form_of_columns(L, T), Z.T @ L @ Z, **close)
    assert_allclose(form_diagonal(L, T), np.diag(Z.T @ L @ Z), **close)


@pytest.mark.parametrize("d", [1, 127, 128, 300])
def test_a_symmetric_form_is_computed_by_blocks_of_one_half(d):
    Z = np.random.RandomState(d).standard_normal((40, d))
    L = laplacian(knn_graph(Z, 3))
    A = form_of_columns(L, Z)
    assert_allclose(A, Z.T @ (L @ Z), atol=1e-12)
    assert_array_equal(A, A.T)


def test_rows_cannot_be_taken_as_columns_can():
    T = centered_columns(sp.csr_array(table()))[0]
    with pytest.raises(TypeError, match="only columns"):
        T[[1, 2], :]


def test_mixed_rows():
    X = table(12, 30)
    X = X[:, np.ptp(X, axis=0) > 0]
    d = X.shape[1]
    L = laplacian(knn_graph(X[:, 3:], 3))
    B = MixedTable(L, translated(centered_columns(sp.csr_array(X))[0]))
    rng = np.random.RandomState(0)
    V, q = rng.standard_normal((d, 2)), rng.random_sample(d)
    form = SignedGram(B)
    assert form.low_rank
    close = {"rtol": 1e-7, "atol": 1e-7}
    A = (X - X.mean(axis=0)).T @ L @ (X - X.mean(axis=0))
    assert_allclose(form.diagonal(), np.diag(A), **close)
    assert_allclose(form.trace(V), np.trace(V.T @ A @ V), **close)
    assert_allclose(B.T @ (B @ V), A @ V, **close)
    assert_allclose(np.trace(B.outer(q)), np.diag(A) @ q, **close)
    assert_allclose(B.gram(), A, **close)
    with pytest.raises(TypeError, match="no weights"):
        B.gram(q)


@pytest.mark.parametrize("scale", ["standard", "correlation", "unit", "minmax", "none"])
def test_scales_of_sparse_columns_are_those_of_dense_ones(scale):
    X = np.abs(table())
    X[:, 3] = 0
    Z, varies = varying_columns(X, scale)
    T, same = varying_columns(sp.csr_array(X), scale)
    assert isinstance(T, CenteredTable)
    assert (varies == same).all()
    assert_allclose(T @ np.eye(T.shape[1]), Z, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("cls", [UDFS, NDFS, SPCAFS, FSPCA, RUFS, SOGFS])
@pytest.mark.parametrize(("n", "d"), [(60, 12), (20, 60)])
def test_sparse_tables_are_not_filled_in(monkeypatch, cls, n, d):
    """No array of the size of X is made from CSR, and the answer is that of the dense table."""
    rng = np.random.RandomState(0)
    X = rng.random_sample((n, d)) * (rng.random_sample((n, d)) < 0.4)
    X += np.arange(n)[:, None] % 3 * (rng.random_sample((n, d)) < 0.4)
    dense = cls(4).fit(X)

    def refuse(self, *args, **kwargs):
        if self.shape == (n, d):
            raise AssertionError("X was filled in")
        return filled(self, *args, **kwargs)

    filled = sp.csr_array.toarray
    for module in ("graphs._differences", "selection._rufs"):
        monkeypatch.setattr(f"sksieve.{module}.BLOCK_BYTES", 4096)  # many blocks
    monkeypatch.setattr(sp.csr_array, "toarray", refuse)
    sparse = cls(4).fit(sp.csr_array(X))
    assert_allclose(sparse.scores_, dense.scores_, rtol=1e-4, atol=1e-5 * dense.scores_.max())


def test_regression_without_weight_on_sparse_rows_is_refused_with_a_message():
    X = sp.csr_array(np.round(load_wine().data))
    with pytest.raises(DataError, match="beta"):
        NDFS(3, beta=1e-15).fit(X)
