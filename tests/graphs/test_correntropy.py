"""The local correntropy: the double sum it stands for, its gradient, its two widths."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from sksieve.graphs import LocalCorrentropy, knn_graph, laplacian, mean_squared_distance


def problem(seed=0, n=17, r=3):
    rng = np.random.RandomState(seed)
    A = knn_graph(rng.standard_normal((n, 4)), 3)
    A.data *= rng.uniform(0.5, 2, A.nnz)
    return sp.csr_array((A + A.T) / 2), rng.standard_normal((n, r))


def double_sum(A, Y, delta2):
    return float((A.toarray() * (1 - np.exp(-cdist(Y, Y, "sqeuclidean") / delta2))).sum())


def numeric_gradient(f, Y, h=1e-5):
    g = np.zeros_like(Y)
    for i in np.ndindex(Y.shape):
        E = np.zeros_like(Y)
        E[i] = h
        g[i] = (f(Y + E) - f(Y - E)) / (2 * h)
    return g


def test_mean_squared_distance_is_over_all_pairs():
    _, Y = problem()
    assert_allclose(mean_squared_distance(Y), cdist(Y, Y, "sqeuclidean").mean(), rtol=1e-12)


@pytest.mark.parametrize("delta2", [0.05, 0.7, 40.0])
def test_value_is_the_double_sum(delta2):
    A, Y = problem()
    cim = LocalCorrentropy(A, gamma=1.0, delta2=delta2)
    assert_allclose(cim.value(Y), double_sum(A, Y, delta2), rtol=1e-12)


@pytest.mark.parametrize("delta2", [0.3, 5.0, None], ids=["narrow", "wide", "coupled"])
@pytest.mark.parametrize("seed", range(5))
def test_gradient(delta2, seed):
    A, Y = problem(seed)
    cim = LocalCorrentropy(A, gamma=0.25, delta2=delta2)
    g = cim.gradient(Y)
    assert_allclose(g, numeric_gradient(cim.value, Y), atol=1e-6 * np.abs(g).max())


def test_coupled_width_does_not_feel_scale():
    A, Y = problem()
    cim = LocalCorrentropy(A, gamma=0.25)
    assert_allclose(cim.value(1e3 * Y), cim.value(Y), rtol=1e-12)
    g = cim.gradient(Y)
    assert abs(np.vdot(g, Y)) < 1e-10 * np.linalg.norm(g) * np.linalg.norm(Y)


def test_frozen_gradient_is_a_laplacian():
    """Half-quadratic weights with their constant: the gradient is 4 L_w Y, w/delta^2 on edges."""
    A, Y = problem()
    cim = LocalCorrentropy(A, gamma=1.0, delta2=0.9)
    G = cim.attraction(Y)
    weights = A.toarray() * np.exp(-cdist(Y, Y, "sqeuclidean") / 0.9) / 0.9
    assert_allclose(G.toarray(), weights, rtol=1e-12)
    assert_allclose(cim.gradient(Y), 4 * (laplacian(G) @ Y), atol=1e-12)


def test_half_quadratic_bound_lies_above_and_touches():
    A, Y = problem()
    cim = LocalCorrentropy(A, gamma=1.0, delta2=0.9)
    L = laplacian(cim.attraction(Y))

    def bound(Z):
        return cim.value(Y) + 2 * np.vdot(Z, L @ Z) - 2 * np.vdot(Y, L @ Y)

    rng = np.random.RandomState(1)
    for size in (1e-3, 0.1, 1.0, 10.0):
        Z = Y + size * rng.standard_normal(Y.shape)
        assert cim.value(Z) <= bound(Z) + 1e-12


def test_equal_rows_cost_nothing():
    A, _ = problem()
    Y = np.ones((17, 3))
    for delta2 in (None, 1.0):
        cim = LocalCorrentropy(A, gamma=0.25, delta2=delta2)
        assert cim.value(Y) == 0
        assert not cim.gradient(Y).any()


def test_float32_stays():
    A, Y = problem()
    for delta2 in (None, 1.0):
        cim = LocalCorrentropy(A.astype(np.float32), gamma=0.25, delta2=delta2)
        assert cim.gradient(Y.astype(np.float32)).dtype == np.float32
