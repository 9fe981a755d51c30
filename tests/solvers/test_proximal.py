"""Accelerated proximal gradient: optimality, descent from anywhere, step sizes, purity."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls
from sklearn.linear_model import Lasso

from sksieve.kernels._nonnegative import extrapolation, projected_step
from sksieve.prox import project_simplex, prox_l1
from sksieve.solvers import accelerated_proximal_gradient


def least_squares(A, b):
    def value(x):
        return 0.5 * float(np.sum((A @ x - b) ** 2))

    return value, lambda x: (value(x), A.T @ (A @ x - b))


def lasso(seed, step=1.0, n_steps=500):
    rng = np.random.RandomState(seed)
    A, b = rng.standard_normal((30, 12)), rng.standard_normal(30)
    (x,), step = accelerated_proximal_gradient(
        *least_squares(A, b),
        (np.zeros(12),),
        step=step,
        n_steps=n_steps,
        prox=lambda v, t: prox_l1(v, 3.0 * t),
        penalty=lambda x: 3.0 * float(np.abs(x).sum()),
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
    (x,), _ = accelerated_proximal_gradient(
        *least_squares(np.eye(3), target),
        (np.full(3, 1 / 3),),
        step=1.0,
        n_steps=5,
        prox=lambda v, t: project_simplex(v),
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
    (x,), last = accelerated_proximal_gradient(
        value,
        value_and_gradient,
        (x0,),
        step=step,
        n_steps=n_steps,
        prox=prox_l1,
        penalty=lambda x: float(np.abs(x).sum()),
    )
    assert total(x) <= total(x0)
    assert 0 < last <= step
    assert_array_equal(x0, kept)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_without_a_prox_it_is_the_projection_on_the_orthant(order, dtype):
    """One pass over the arrays, whatever their memory order, in place of prox and penalty."""
    rng = np.random.RandomState(0)
    A, B = rng.standard_normal((30, 6)).astype(dtype), rng.standard_normal((30, 4)).astype(dtype)
    x0 = np.asarray(rng.random_sample((6, 4)), dtype=dtype, order=order)

    def value(x, Ax):
        return 0.5 * float(np.sum((Ax - B) ** 2))

    def value_and_gradient(x, Ax):
        return value(x, Ax), A.T @ (Ax - B)

    def run(**options):
        return accelerated_proximal_gradient(
            value,
            value_and_gradient,
            (x0, A @ x0),
            step=1.0,
            n_steps=40,
            image=lambda x: A @ x,
            **options,
        )

    (x, Ax), step = run()
    (same, _), same_step = run(prox=lambda v, t: np.maximum(v, 0))
    assert step == same_step
    tolerance = 1e-10 if dtype == np.float64 else 2e-3
    assert_allclose(x, same, atol=tolerance)
    best = np.column_stack([nnls(A.astype(float), b)[0] for b in B.T.astype(float)])
    assert_allclose(x, best, atol=1e-4 if dtype == np.float64 else 2e-3)
    assert_array_equal(Ax, A @ x)
    assert x.dtype == Ax.dtype == dtype
    assert (x >= 0).all()


def test_one_pass_over_entries_is_numpys_expression():
    rng = np.random.RandomState(0)
    y, g = rng.standard_normal((2, 7, 5))
    for a, b in [(y, g), (np.asfortranarray(y), g), (y, np.asfortranarray(g))]:
        z, slope, length2 = projected_step(a, b, 0.3)
        assert_allclose(z, np.maximum(y - 0.3 * g, 0), rtol=1e-15, atol=1e-16)
        assert_allclose([slope, length2], [np.vdot(g, z - y), np.vdot(z - y, z - y)], rtol=1e-13)
        assert z.flags.c_contiguous == a.flags.c_contiguous
        assert_allclose(extrapolation(a, b, 0.4), y + 0.4 * (y - g), rtol=1e-13)
    y[2, 3] = np.nan  # not sent to 0
    assert np.isnan(projected_step(y, g, 0.3)[0][2, 3])


def test_at_the_minimum_nothing_moves():
    A, b, x, step = lasso(0)
    (again,), _ = accelerated_proximal_gradient(
        *least_squares(A, b),
        (x,),
        step=step,
        n_steps=5,
        prox=lambda v, t: prox_l1(v, 3.0 * t),
        penalty=lambda x: 3.0 * float(np.abs(x).sum()),
    )
    assert_allclose(again, x, atol=1e-7)
