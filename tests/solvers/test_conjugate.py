"""Conjugate gradients on several right-hand sides."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sksieve.solvers import conjugate_gradients


def system(seed, d=12, c=3):
    rng = np.random.RandomState(seed)
    M = rng.standard_normal((d, d))
    return M.T @ M + 0.1 * np.eye(d), rng.standard_normal((d, c)), rng.standard_normal((d, c))


@given(st.integers(0, 10**6))
def test_solves(seed):
    A, B, W = system(seed)
    found = conjugate_gradients(lambda V: A @ V, B, W)
    assert_allclose(A @ found, B, atol=1e-7 * np.linalg.norm(B))


@given(st.integers(0, 10**6))
def test_never_rises_wherever_it_stops(seed):
    A, B, W = system(seed)
    steps = [conjugate_gradients(lambda V: A @ V, B, W, max_steps=k) for k in range(8)]
    values = [np.vdot(V, A @ V) - 2 * np.vdot(V, B) for V in steps]
    assert_array_equal(steps[0], W)
    assert (np.diff(values) <= 1e-10 * np.abs(values[0])).all()


def test_a_solved_column_stays_and_zero_is_fine():
    A, B, _ = system(0)
    W = np.linalg.solve(A, B)
    W[:, 1] = 0
    B[:, 2] = W[:, 2] = 0
    found = conjugate_gradients(lambda V: A @ V, B, W)
    assert_allclose(found, np.linalg.solve(A, B), atol=1e-6)
    assert np.isfinite(found).all()
