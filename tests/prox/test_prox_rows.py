"""Row-wise proximal maps are the minimizers they claim to be."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sksieve.prox import (
    project_l20,
    prox_l21,
    prox_l21_nonneg,
    row_norms,
)
from sksieve.testing import check_prox

RNG = np.random.RandomState(5)
V = 2 * RNG.standard_normal((6, 3))
V[1] = 0.0
V[2] = -np.abs(V[2])
WEIGHTS = RNG.uniform(0, 2, 6)

matrices = arrays(np.float64, (5, 2), elements=st.floats(-9, 9, allow_subnormal=False))


def lengths(X):
    return np.sqrt((X**2).sum(axis=1))


CASES = {
    "l2,1": (prox_l21, lambda X: lengths(X).sum()),
    "l2,1, weights": (lambda V, t: prox_l21(V, t * WEIGHTS), lambda X: WEIGHTS @ lengths(X)),
    "l2,1, nonnegative": (
        prox_l21_nonneg,
        lambda X: lengths(X).sum() if (X >= 0).all() else np.inf,
    ),
    "at most 3 rows": (
        lambda V, t: project_l20(V, 3),
        lambda X: 0.0 if np.count_nonzero(lengths(X)) <= 3 else np.inf,
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("t", [0.05, 0.8, 4.0])
def test_beats_every_rival(name, t):
    check_prox(*CASES[name], V, t)


@pytest.mark.parametrize("name", CASES)
def test_float32_stays_float32(name):
    single = CASES[name][0](V.astype(np.float32), 0.5)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, CASES[name][0](V, 0.5), atol=2e-6)


def test_clip_then_shrink_and_not_the_other_way_round():
    v = np.array([[3.0, -4.0]])
    np.testing.assert_allclose(prox_l21_nonneg(v, 1.0), [[2.0, 0.0]])


@given(matrices, st.integers(0, 5))
def test_best_rows_by_enumeration(V, s):
    X = project_l20(V, s)
    kept = [(V[list(rows)] ** 2).sum() for rows in combinations(range(5), s)]
    assert (X**2).sum() == pytest.approx(max(kept), rel=1e-12)
    np.testing.assert_array_equal(project_l20(X, s), X)


def test_ties_go_to_the_smaller_index():
    np.testing.assert_array_equal(project_l20(np.ones((4, 1)), 2).ravel(), [1, 1, 0, 0])


@given(matrices)
def test_rows_turn_with_the_basis(V):
    Q = np.array([[0.6, -0.8], [0.8, 0.6]])
    np.testing.assert_allclose(prox_l21(V @ Q, 0.7), prox_l21(V, 0.7) @ Q, atol=1e-12)


def test_lengths_of_extreme_rows():
    v = np.array([[3e200, 4e200], [3e-200, 4e-200], [0.0, 0.0]])
    np.testing.assert_allclose(row_norms(v), [5e200, 5e-200, 0.0], rtol=1e-15)
