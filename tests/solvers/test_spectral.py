"""Spectral proximal gradient: optimality, descent from anywhere, images, purity."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Lasso

from sksieve.prox import project_simplex, prox_l1
from sksieve.solvers import Composite, spectral_proximal_gradient


def lasso(A, b, weight):
    return Composite(
        lambda x: A @ x,
        lambda x, u: 0.5 * float(np.sum((u - b) ** 2)),
        lambda x, u: A.T @ (u - b),
        lambda x: weight * float(np.abs(x).sum()),
        lambda v, t: prox_l1(v, weight * t),
    )


@pytest.mark.parametrize("step", [0.0, 1.0, np.inf])
@pytest.mark.parametrize("seed", range(3))
def test_lasso(seed, step):
    rng = np.random.RandomState(seed)
    A, b = rng.standard_normal((30, 12)), rng.standard_normal(30)
    L = np.linalg.norm(A, 2) ** 2
    x, u, _ = spectral_proximal_gradient(
        lasso(A, b, 3.0), np.zeros(12), np.zeros(30), step=step, shortest=1 / L, n_steps=300
    )
    model = Lasso(alpha=3.0 / 30, fit_intercept=False, tol=1e-12).fit(A, b)
    assert_allclose(x, model.coef_, atol=1e-6)  # flat there: 1e-12 in the value
    assert_allclose(u, A @ x, atol=1e-12)


def test_badly_conditioned():
    """Condition 1e4: far below what as many steps of size 1/L reach."""
    scales, target = np.geomspace(1, 1e-2, 50), np.linspace(1, 2, 50)
    problem = lasso(np.diag(scales), scales * target, 0.0)
    x, u, _ = spectral_proximal_gradient(
        problem, np.zeros(50), np.zeros(50), step=0.0, shortest=1.0, n_steps=200
    )
    plain = target * (1 - (1 - scales**2) ** 200)
    assert problem.value(x, u) < 0.02 * problem.value(plain, scales * plain)


def test_simplex():
    target = np.array([0.9, 0.8, -3.0])
    problem = Composite(
        lambda x: x,
        lambda x, u: 0.5 * float((u - target) @ (u - target)),
        lambda x, u: u - target,
        lambda x: 0.0,
        lambda v, t: project_simplex(v),
    )
    x = np.full(3, 1 / 3)
    x, _, _ = spectral_proximal_gradient(problem, x, x, step=0.0, shortest=0.2, n_steps=10)
    assert_allclose(x, [0.55, 0.45, 0], atol=1e-12)


@given(seed=st.integers(0, 10**6), step=st.floats(1e-4, 1e3), n_steps=st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_never_uphill_also_without_convexity(seed, step, n_steps):
    rng = np.random.RandomState(seed)
    A, x0 = rng.standard_normal((6, 4)), 3 * rng.standard_normal(4)
    problem = Composite(
        lambda x: A @ x,
        lambda x, u: float(np.sum(np.cos(u)) + 0.1 * x @ x),
        lambda x, u: -A.T @ np.sin(u) + 0.2 * x,
        lambda x: float(np.abs(x).sum()),
        prox_l1,
    )

    def total(x):
        return problem.value(x, A @ x) + problem.penalty(x)

    kept = x0.copy()
    x, u, _ = spectral_proximal_gradient(
        problem, x0, A @ x0, step=step, shortest=1e-3, n_steps=n_steps
    )
    assert total(x) <= total(x0) + 1e-12
    assert_allclose(u, A @ x, atol=1e-12)
    assert_array_equal(x0, kept)


def test_an_image_and_a_gradient_a_step():
    rng = np.random.RandomState(0)
    A, b = rng.standard_normal((30, 12)), rng.standard_normal(30)
    calls = []

    def counted(part, name):
        return lambda *given: (calls.append(name), part(*given))[1]

    parts = lasso(A, b, 0.1)
    parts = parts._replace(
        image=counted(parts.image, "image"), gradient=counted(parts.gradient, "gradient")
    )
    spectral_proximal_gradient(
        parts, np.zeros(12), np.zeros(30), step=1e3, shortest=1e-3, n_steps=5
    )
    assert calls.count("image") == calls.count("gradient") == 5


def test_at_the_minimum_nothing_moves():
    A, b = np.eye(3), np.array([3.0, -2.0, 0.5])
    x = prox_l1(b, 1.0)
    again, _, _ = spectral_proximal_gradient(
        lasso(A, b, 1.0), x, x, step=0.0, shortest=1.0, n_steps=5
    )
    assert_array_equal(again, x)


def test_a_map_that_errs_uphill_is_not_followed_backwards():
    """The parabola's minimizer along such a direction lies outside the convex set."""
    problem = Composite(
        lambda x: x,
        lambda x, u: 0.5 * float(u @ u),
        lambda x, u: u,
        lambda x: 0.0,
        lambda v, t: np.array([1.5]),  # the set is [1, 2], the projection off by 0.5
    )
    x = np.ones(1)
    again, _, _ = spectral_proximal_gradient(problem, x, x, step=1.0, shortest=0.5, n_steps=5)
    assert_array_equal(again, x)


def test_steps_have_few_digits():
    rng = np.random.RandomState(0)
    A, b = rng.standard_normal((30, 12)), rng.standard_normal(30)
    x = rng.standard_normal(12)
    for n_steps in range(2, 9):
        step = spectral_proximal_gradient(
            lasso(A, b, 0.3), x, A @ x, step=1.0, shortest=1e-6, n_steps=n_steps
        )[2]
        assert (16 * np.frexp(step)[0]).is_integer()
