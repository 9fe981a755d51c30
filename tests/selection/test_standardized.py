"""Standardized columns: dense and sparse are one."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import scale

from sksieve.selection._standardized import Standardized, whitened


def table(n=30, d=9):
    rng = np.random.RandomState(0)
    X = rng.poisson(1.0, (n, d)) * rng.random_sample((n, d))
    X[:, 4] = 0
    return X


@pytest.mark.parametrize("form", [np.array, sp.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("by_column", [False, True])
def test_products_are_those_of_the_scaled_table(form, by_column):
    X = table()
    data, Z = Standardized(form(X)), scale(X)
    if by_column:
        data.by_column()
    rng = np.random.RandomState(1)
    V, W = rng.standard_normal((30, 4)), rng.standard_normal((9, 4))
    assert_allclose(data.take(np.array([7, 4, 0])), Z[:, [7, 4, 0]], atol=1e-12)
    assert_allclose(data.times(V), Z.T @ V, atol=1e-12)
    assert_allclose(data.apply(W), Z @ W, atol=1e-12)
    assert_allclose(data.norms, (Z * Z).sum(axis=0), atol=1e-10)


def test_the_table_given_is_left_alone():
    X = sp.csr_array(table())
    before = X.copy()
    Standardized(X)
    assert (X != before).nnz == 0


@pytest.mark.parametrize("form", [np.array, sp.csr_array], ids=["dense", "CSR"])
def test_constant_up_to_rounding_becomes_zero(form):
    X = np.column_stack([np.full(50, 0.1), np.full(50, 1e9), np.arange(50.0), np.zeros(50)])
    data = Standardized(form(X))
    assert_array_equal(data.norms > 0, [False, False, True, False])
    assert_allclose(data.take(np.array([0, 1, 3])), 0)


@pytest.mark.parametrize("form", [np.array, sp.csr_array], ids=["dense", "CSR"])
def test_little_change_in_large_numbers_is_no_rounding(form):
    X = 1e6 + np.random.RandomState(0).standard_normal((50, 2)) * [1.0, 1e-3]
    data = Standardized(form(X))
    assert_allclose(data.take(np.arange(2)), (X - X.mean(axis=0)) / X.std(axis=0), rtol=1e-4)


@pytest.mark.parametrize("form", [np.array, sp.csr_array], ids=["dense", "CSR"])
def test_whitened_rows_span_the_components(form):
    X = table()
    T = whitened(Standardized(form(X)))
    assert T.shape == (30, 8), "one column is constant"
    assert_allclose(T.T @ T / 30, np.eye(8), atol=1e-10)
    assert_allclose(T.mean(axis=0), 0, atol=1e-10)
    U = np.linalg.svd(scale(X), full_matrices=False)[0][:, :8]
    assert_allclose(T @ T.T / 30, U @ U.T, atol=1e-8)
