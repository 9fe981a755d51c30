"""Multiplicative steps: descent, fixed points, zeros, the two rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls

from sksieve.solvers import multiplicative_step

RULES = ["sqrt", "root"]


@pytest.mark.parametrize("rule", RULES)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=50, deadline=None)
def test_never_uphill(rule, seed):
    """``x'Ax - 2c'x - x'Bx``, A dominant so that it is bounded below."""
    rng = np.random.RandomState(seed)
    B = rng.random_sample((5, 5))
    B = B + B.T
    A = np.diag(B.sum(axis=1) + rng.random_sample(5)) + 0.1 * (B @ B)
    c, x = rng.random_sample(5), 3 * rng.random_sample(5)

    def f(x):
        return x @ A @ x - 2 * c @ x - x @ B @ x

    for _ in range(5):
        new = multiplicative_step(x, A @ x, c, B @ x, rule=rule)
        assert f(new) <= f(x) + 1e-12 * abs(f(x))
        x = new


@pytest.mark.parametrize("rule", RULES)
def test_finds_nonnegative_least_squares(rule):
    rng = np.random.RandomState(0)
    M, b = rng.random_sample((20, 4)), rng.random_sample(20)
    x = np.ones(4)
    for _ in range(3000):
        x = multiplicative_step(x, M.T @ (M @ x), M.T @ b, rule=rule)
    assert_allclose(x, nnls(M, b)[0], atol=1e-4)


def test_root_goes_further_the_same_way():
    rng = np.random.RandomState(0)
    x, a, c, b = rng.random_sample((4, 50)) + 0.1
    short = np.log(multiplicative_step(x, a, c, b) / x)
    long = np.log(multiplicative_step(x, a, c, b, rule="root") / x)
    assert (np.sign(short) == np.sign(long)).all()
    assert (np.abs(long) >= np.abs(short) - 1e-15).all()


@pytest.mark.parametrize("rule", RULES)
def test_zeros_stay_and_nothing_is_divided_by_zero(rule):
    x = np.array([0.0, 2.0, 1.0])
    with np.errstate(all="raise"):
        new = multiplicative_step(x, np.array([1.0, 0, 1]), np.array([1.0, 0, 1]), rule=rule)
    assert_array_equal(new, x)
