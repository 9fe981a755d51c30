"""Accelerated proximal gradient: optimality, descent from anywhere, step sizes, purity."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Lasso

from sksieve.prox import project_simplex, prox_l1
from sksieve.solvers import accelerated_proximal_gradient


def least_squares(A, b):
    def value(x):
        return 0.5 * float(np.sum((A @ x - b) ** 2))

    return value, lambda x: (value(x), A.T @ (A @ x - b))


def lasso(seed, step=1.0, n_steps=500):
    rng = np.random.RandomState(seed)
    A, b = rng.standard_normal((30, 12)), rng.standard_normal(30)
    x, step = accelerated_proximal_gradient(
        *least_squares(A, b),
        lambda x: 3.0 * float(np.abs(x).sum()),
        lambda v, t: prox_l1(v, 3.0 * t),
        np.zeros(12),
        step=step,
        n_steps=n_steps,
    )
    return A, b, x, step


@pytest.mark.parametrize("seed", range(3))
def test_lasso(seed):
    A, b, x, _ = lasso(seed)
    model = Lasso(alpha=3.0 / 30, fit_intercept=False, tol=1e-12).fit(A, b)
    assert_allclose(x, model.coef_, atol=1e-7)


def test_a_step_that_is_too_long_is_halved():
    A, _, x, step = lasso(0, step=1e6)
    L = np.linalg.norm(A, 2) ** 2
    assert 1 / (4 * L) < step < 1e6
    assert_allclose(x, lasso(0, step=1 / L)[2], atol=1e-7)


def test_simplex():
    target = np.array([0.9, 0.8, -3.0])
    x, _ = accelerated_proximal_gradient(
        *least_squares(np.eye(3), target),
        lambda x: 0.0,
        lambda v, t: project_simplex(v),
        np.full(3, 1 / 3),
        step=1.0,
        n_steps=5,
    )
    assert_allclose(x, [0.55, 0.45, 0], atol=1e-12)


@given(seed=st.integers(0, 10**6), step=st.floats(1e-4, 1e3), n_steps=st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_never_uphill_also_without_convexity(seed, step, n_steps):
    rng = np.random.RandomState(seed)
    A, x0 = rng.standard_normal((6, 4)), 3 * rng.standard_normal(4)

    def value(x):
        return float(np.sum(np.cos(A @ x)) + 0.1 * x @ x)

    def value_and_gradient(x):
        return value(x), -A.T @ np.sin(A @ x) + 0.2 * x

    def total(x):
        return value(x) + float(np.abs(x).sum())

    kept = x0.copy()
    x, last = accelerated_proximal_gradient(
        value,
        value_and_gradient,
        lambda x: float(np.abs(x).sum()),
        prox_l1,
        x0,
        step=step,
        n_steps=n_steps,
    )
    assert total(x) <= total(x0)
    assert 0 < last <= step
    assert_array_equal(x0, kept)


def test_at_the_minimum_nothing_moves():
    A, b, x, step = lasso(0)
    again, _ = accelerated_proximal_gradient(
        *least_squares(A, b),
        lambda x: 3.0 * float(np.abs(x).sum()),
        lambda v, t: prox_l1(v, 3.0 * t),
        x,
        step=step,
        n_steps=5,
    )
    assert_allclose(again, x, atol=1e-7)
