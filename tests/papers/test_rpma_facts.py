"""What Zhai, Xu, Wu & Li say of their algorithms, where it is so and where it is not.

"Regularized projection matrix approximation with applications to community detection".
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sksieve.clustering import Bounded, Huber, Positive
from sksieve.linalg import cayley
from sksieve.papers._rpma_solvers import ADMM

from ..clustering.rpma_cases import N_PENALTIES, problem, random_point


def test_woodbury_is_the_cayley_transform():  # (17)
    """The n x n curve written out."""
    p = problem(0, n=30)
    U = random_point(30, 3)
    _, G = p.fg(U)
    H = G - U @ (U.T @ G)
    W = H @ U.T - U @ H.T
    for t in (1e-4, 1e-2, 0.3):
        literal = np.linalg.solve(np.eye(30) + t / 2 * W, (np.eye(30) - t / 2 * W) @ U)
        assert_allclose(cayley(U, H, t), literal, atol=1e-12)


def test_the_curve_and_its_derivative():  # (18), (20), (22)
    """Woodbury's inverse of order 2K, and the derivative in both forms, by differences."""
    p = problem(0, n=30)
    U = random_point(30, 3)
    _, G = p.fg(U)
    P, Q = np.hstack([G, U]), np.hstack([U, -G])
    W, eye, t = P @ Q.T, np.eye(30), 0.01
    inverse = eye - t / 2 * P @ np.linalg.solve(np.eye(6) + t / 2 * Q.T @ P, Q.T)
    assert_allclose(inverse, np.linalg.inv(eye + t / 2 * W), atol=1e-12)

    def curve(t):
        return np.linalg.solve(eye + t / 2 * W, (eye - t / 2 * W) @ U)

    difference = (curve(t + 1e-6) - curve(t - 1e-6)) / 2e-6
    assert_allclose(-inverse @ W @ (U + curve(t)) / 2, difference, rtol=1e-5, atol=1e-6)
    start = (curve(1e-6) - curve(-1e-6)) / 2e-6
    assert_allclose(start, -G + U @ G.T @ U, rtol=1e-5, atol=1e-6)  # (19)


def test_canonical_gradient():  # (14), (15), (16), Proposition 1
    """It represents the derivative in the canonical metric, as the projection does in Euclid's."""
    rng = np.random.RandomState(0)
    U = random_point(12, 3)
    G = rng.standard_normal(U.shape)
    off = np.linalg.svd(U)[0][:, 3:]  # orthonormal complement
    assert_allclose(U @ U.T @ G + off @ off.T @ G, G, atol=1e-12)
    canonical = U @ (U.T @ G - G.T @ U) + off @ off.T @ G
    projected = U @ (U.T @ G - G.T @ U) / 2 + off @ off.T @ G
    A, B = rng.standard_normal((3, 3)), rng.standard_normal((9, 3))
    for V in (U @ (A - A.T) + off @ B, projected, canonical):
        inner = np.vdot(canonical, V - U @ (U.T @ V) / 2)
        assert_allclose([inner, np.vdot(projected, V)], np.vdot(G, V), rtol=1e-10)
    p = problem(0, n=12)
    _, G = p.fg(U)
    canonical = U @ (U.T @ G - G.T @ U) + off @ off.T @ G
    assert_allclose(canonical, G - U @ (U.T @ G), atol=1e-10)  # as U'grad is symmetric


def test_tangents_of_projections():  # (23)
    """``X' = XW - WX``, W skew, solves ``X'X + XX' = X'``, and the curve of Algorithm 3 has it."""
    rng = np.random.RandomState(0)
    U, W = random_point(12, 3), rng.standard_normal((12, 12))
    X, W = U @ U.T, W - W.T
    tangent = X @ W - W @ X
    assert_allclose(tangent @ X + X @ tangent, tangent, atol=1e-12)

    def curve(t):
        Q = np.linalg.solve(np.eye(12) + t / 2 * W, np.eye(12) - t / 2 * W)
        return Q @ X @ Q.T

    assert_allclose((curve(1e-6) - curve(-1e-6)) / 2e-6, tangent, atol=1e-6)


def test_algorithm_3_is_algorithm_1_at_half_the_step():  # Algorithm 3
    p = problem(0, n=30)
    U = random_point(30, 3)
    _, G = p.fg(U)
    X, H = U @ U.T, G - U @ (U.T @ G)
    gradient = -2 * p.A + p.lam * p.penalty.grad(X)  # of X
    W = gradient @ X - X @ gradient
    for t in (1e-4, 1e-2, 0.3):
        Q = np.linalg.solve(np.eye(30) + t / 2 * W, np.eye(30) - t / 2 * W)
        half = cayley(U, H, t / 2)
        assert_allclose(Q @ X @ Q.T, half @ half.T, atol=1e-12)


@pytest.mark.parametrize("which", range(N_PENALTIES))
def test_lagrangian_falls_and_the_multiplier_is_the_gradient(which):  # Lemmas 1 and 2
    """Lemma 2 at rho = 3 lam l, and Lam = lam g'(Y) after every update of Y.

    So the multiplier moves by at most lam l times the step of Y, half the bound of Lemma 1.
    """
    p = problem(which)
    l = p.penalty.lipschitz  # noqa: E741 - the paper's letter
    solver = ADMM(p, rho=3 * p.lam * l)
    s = solver.start(random_point(60, 3))
    for _ in range(30):
        middle = solver.update_X(s)
        assert solver.lagrangian(middle) <= solver.lagrangian(s) + 1e-10 * abs(s.f)
        new = solver.step(s)
        stored = solver.multiplier(s.Y) + s.rho * (new.U @ new.U.T - new.Y)
        assert_allclose(stored, solver.multiplier(new.Y), atol=1e-10 * p.lam)
        moved = np.linalg.norm(new.Y - s.Y)
        step = np.linalg.norm(solver.multiplier(new.Y) - solver.multiplier(s.Y))
        assert step <= p.lam * l * moved * (1 + 1e-10)
        fall = solver.lagrangian(s) - solver.lagrangian(new)
        assert fall >= 7 / 6 * l * p.lam * moved**2 - 1e-10 * abs(s.f)
        s = new


@pytest.mark.parametrize("penalty", [Bounded(0.0, 0.05), Positive(), Huber(0.05)])
def test_admm_ends_at_a_stationary_point(penalty):  # Theorem 1
    """With a small delta it crawls (D6 of the solvers)."""
    p = problem(0).with_penalty(problem(0).lam, penalty)
    solver = ADMM(p, rho=3 * p.lam * penalty.lipschitz)
    s = solver.start(random_point(60, 3))
    for _ in range(1000):
        s = solver.step(s)
        if s.residual <= 1e-6:
            break
    assert s.residual <= 1e-6
    assert p.kkt(s.U) == pytest.approx(s.residual, rel=1e-3)


def test_proximal_maps_in_the_scaling_of_the_paper():  # Table 2
    """``argmin (x - s)^2 + tau g(x)`` on a fine grid, and the map at t = tau / 2."""
    delta, alpha, beta, tau = 0.3, -0.5, 1.0, 0.8
    s = np.linspace(-3, 3, 61)
    grid = np.linspace(-4, 4, 80001)
    inside = np.abs(s) <= delta + tau / 2
    closed = {
        "Huber": np.where(inside, s * 2 * delta / (2 * delta + tau), s - np.sign(s) * tau / 2),
        "bounded": (s + tau * np.clip(s, alpha, beta)) / (1 + tau),
        "positive": (s + tau * np.maximum(s, 0)) / (1 + tau),
    }
    penalties = {"Huber": Huber(delta), "bounded": Bounded(alpha, beta), "positive": Positive()}
    for name, penalty in penalties.items():
        cost = (grid - s[:, None]) ** 2 + tau * penalty.value(grid)
        assert_allclose(grid[cost.argmin(axis=1)], closed[name], atol=2e-4)
        assert_allclose(penalty.prox(s, tau / 2), closed[name], atol=1e-12)


def test_choosing_by_the_printed_values_takes_the_wrong_point():  # Table 2
    """Its last column at s = tau = 1, delta = .1: f(z1) as it is, f(z2) = s^2 without constants."""
    s, tau, delta = 1.0, 1.0, 0.1
    z1, z2 = delta, s - tau / 2
    printed = {z1: (delta - s) ** 2 + tau * delta / 2, z2: s**2}
    true = {z: (z - s) ** 2 + tau * float(Huber(delta).value(np.array(z))) for z in (z1, z2)}
    assert min(printed, key=printed.__getitem__) == z1
    assert min(true, key=true.__getitem__) == z2
    assert true == pytest.approx({z1: 0.86, z2: 0.70})
