"""What each column adds and how unique it is, against the definitions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sksieve.metrics import contributions, inner_products, uniqueness


@given(st.integers(0, 2**31), st.integers(1, 6))
def test_contributions_are_differences_of_reconstruction_errors(seed, k):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(9, 7)) * rng.uniform(0.1, 10, size=7)
    A[:, 5] = A[:, 1] - 2 * A[:, 0]  # dependent
    S = rng.permutation(7)[:k]
    adds = contributions(A[:, S].T @ A, S, np.sum(A**2, axis=0))
    errors = [np.sum(A**2)]
    for i in range(k):
        B = A[:, S[: i + 1]]
        errors.append(np.sum((A - B @ np.linalg.lstsq(B, A)[0]) ** 2))
    np.testing.assert_allclose(adds, -np.diff(errors), atol=1e-9 * errors[0])


def test_a_column_that_depends_on_those_before_it_adds_exactly_nothing():
    rng = np.random.default_rng(0)
    for _ in range(20):
        A = rng.normal(size=(9, 6))
        A[:, 3] = A[:, 1] - 2 * A[:, 0]
        S = np.array([0, 1, 3, 2])
        adds = contributions(*inner_products(A, S)[:1], S, np.sum(A**2, axis=0))
        assert adds[2] == 0.0
        assert (adds[[0, 1, 3]] > 0).all()


@given(st.integers(0, 2**31), st.integers(2, 6))
def test_uniqueness_is_what_the_others_leave(seed, k):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(9, k)) * rng.uniform(1e-4, 1e4, size=k)
    for j, share in enumerate(uniqueness(B.T @ B)):
        rest = np.delete(B, j, axis=1)
        left = B[:, j] - rest @ np.linalg.lstsq(rest, B[:, j])[0]
        assert share == pytest.approx(left @ left / (B[:, j] @ B[:, j]), rel=1e-6, abs=1e-10)


def test_dependent_and_zero_columns_are_not_unique():
    B = np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0], [1.0, 2.0, 1.0, 0.0]])
    first, second, third, zero = uniqueness(B.T @ B)
    assert first == pytest.approx(0.0, abs=1e-9)
    assert second == pytest.approx(0.0, abs=1e-9)
    assert 0.9 < third <= 1.0
    assert zero == 0.0


def test_inner_products_of_sparse_and_single_precision_columns():
    X = np.random.default_rng(0).poisson(0.5, (20, 6)).astype(np.float32)
    S = np.array([4, 1])
    for form in (X, sp.csr_array(X)):
        rows, norms = inner_products(form, S)
        assert rows.dtype == norms.dtype == np.float64
        np.testing.assert_allclose(rows, X[:, S].T @ X)
        np.testing.assert_allclose(norms, (X**2).sum(axis=0))
