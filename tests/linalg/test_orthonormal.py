"""Cholesky QR and the Cayley curve."""

import numpy as np
import pytest
from scipy.linalg import qr

from sksieve.linalg import cayley, orthonormalize


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e6, 1e9, 1e13])
def test_orthonormal_at_any_condition(condition):
    rng = np.random.RandomState(0)
    P, Q = (orthonormalize(rng.standard_normal((n, 6))) for n in (200, 6))
    V = P * np.geomspace(1, 1 / condition, 6) @ Q.T
    U = orthonormalize(V)
    np.testing.assert_allclose(U.T @ U, np.eye(6), atol=1e-13)
    R = U.T @ V
    assert (np.diagonal(R) > 0).all()
    np.testing.assert_allclose(np.tril(R, -1), 0, atol=1e-13)
    np.testing.assert_allclose(U @ R, V, atol=1e-12)


def test_equal_to_householder_up_to_signs():
    V = np.random.RandomState(1).standard_normal((50, 5))
    Q, R = qr(V, mode="economic")
    np.testing.assert_allclose(orthonormalize(V), Q * np.sign(np.diagonal(R)), atol=1e-12)


def test_without_full_rank():
    V = np.ones((8, 3))
    Q = orthonormalize(V)
    np.testing.assert_allclose(Q.T @ Q, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(Q @ (Q.T @ V), V, atol=1e-12)


def test_float32_stays_float32():
    V = np.random.RandomState(2).standard_normal((30, 4)).astype(np.float32)
    assert orthonormalize(V).dtype == np.float32
    H = V - orthonormalize(V) @ (orthonormalize(V).T @ V)
    assert cayley(orthonormalize(V), H, np.float64(0.1)).dtype == np.float32


def tangent(seed, n=12, K=3):
    rng = np.random.RandomState(seed)
    U = orthonormalize(rng.standard_normal((n, K)))
    H = rng.standard_normal((n, K))
    return U, H - U @ (U.T @ H)


@pytest.mark.parametrize("t", [-2.0, 1e-3, 0.3, 5.0])
def test_cayley_is_the_dense_formula(t):
    U, H = tangent(0)
    W = H @ U.T - U @ H.T
    eye = np.eye(12)
    want = np.linalg.solve(eye + t / 2 * W, (eye - t / 2 * W) @ U)
    np.testing.assert_allclose(cayley(U, H, t), want, atol=1e-12)


def test_cayley_leaves_with_minus_H_and_does_not_drift():
    U, H = tangent(1)
    h = 1e-5
    velocity = (cayley(U, H, h) - cayley(U, H, -h)) / (2 * h)
    np.testing.assert_allclose(velocity, -H, atol=1e-8)
    np.testing.assert_array_equal(cayley(U, H, 0.0).round(14), U.round(14))
    rng = np.random.RandomState(0)
    for _ in range(2000):
        G = rng.standard_normal(U.shape)
        U = cayley(U, G - U @ (U.T @ G), 3.0)
    np.testing.assert_allclose(U.T @ U, np.eye(3), atol=1e-13)


def test_cayley_for_projectors_is_the_curve_at_half_the_step():
    # X(t) = (I + t/2 W)^-1 (I - t/2 W) X (I + t/2 W)(I - t/2 W)^-1 for the projector X = U U'
    U, H = tangent(2)
    W = H @ U.T - U @ H.T
    turn = np.linalg.solve(np.eye(12) + 0.2 * W, np.eye(12) - 0.2 * W)
    V = cayley(U, H, 0.4)
    np.testing.assert_allclose(V @ V.T, turn @ U @ U.T @ turn.T, atol=1e-12)
