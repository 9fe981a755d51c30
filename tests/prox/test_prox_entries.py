"""Entrywise proximal maps are the minimizers they claim to be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sksieve.prox import (
    project_box,
    prox_box_penalty,
    prox_huber,
    prox_l1,
)
from sksieve.testing import check_prox

RNG = np.random.RandomState(3)
V = 2 * RNG.standard_normal((5, 4))
V[0, 0] = 0.0
WEIGHTS = RNG.uniform(0, 3, V.shape)

numbers = st.floats(-50, 50, allow_subnormal=False)
vectors = arrays(np.float64, st.integers(1, 6), elements=numbers)
steps = st.floats(1e-3, 20)


def on_box(value, lower, upper):
    return lambda X: value(X) if np.all(np.clip(X, lower, upper) == X) else np.inf


def huber(X, delta):
    return np.where(np.abs(X) <= delta, X**2 / (2 * delta), np.abs(X) - delta / 2).sum()


CASES = {
    "l1": (prox_l1, lambda X: np.abs(X).sum()),
    "l1, weights": (lambda V, t: prox_l1(V, t * WEIGHTS), lambda X: (WEIGHTS * np.abs(X)).sum()),
    "Huber": (lambda V, t: prox_huber(V, t, 0.7), lambda X: huber(X, 0.7)),
    "box": (lambda V, t: project_box(V, -0.5, 1.0), on_box(lambda X: 0.0, -0.5, 1.0)),
    "box penalty": (
        lambda V, t: prox_box_penalty(V, t, -0.5, 1.0),
        lambda X: ((X - np.clip(X, -0.5, 1.0)) ** 2).sum(),
    ),
    "half line penalty": (
        lambda V, t: prox_box_penalty(V, t, 0, np.inf),
        lambda X: (np.minimum(X, 0) ** 2).sum(),
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("t", [0.05, 0.8, 6.0])
def test_beats_every_rival(name, t):
    check_prox(*CASES[name], V, t)


@pytest.mark.parametrize("name", CASES)
def test_float32_stays_float32(name):
    single = CASES[name][0](V.astype(np.float32), 0.5)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, CASES[name][0](V, 0.5), atol=2e-6)
    assert CASES[name][0](V.astype(np.float32), np.float64(0.5)).dtype == np.float32


@given(vectors, vectors, steps)
def test_convex_ones_do_not_expand(u, v, t):
    m = min(len(u), len(v))
    u, v = u[:m], v[:m]
    for prox in (prox_l1, lambda a, t: prox_huber(a, t, 0.3)):
        assert np.linalg.norm(prox(u, t) - prox(v, t)) <= np.linalg.norm(u - v) * (1 + 1e-12)


def test_huber_is_the_shrinkage_of_its_quadratic_and_its_linear_part():
    # In the scaling (X - V)^2 + tau g, tau = 2t, the linear part moves by tau/2 = t.
    np.testing.assert_allclose(prox_huber([0.5, 10.0, -10.0], 3.0, 1.0), [0.125, 7.0, -7.0])


def test_whole_numbers_are_taken_as_floats():
    np.testing.assert_array_equal(prox_l1([3, -3, 1], 0.5), [2.5, -2.5, 0.5])
