"""What Zhai, Xu, Wu & Li say of their algorithms, where it is so and where it is not.

"Regularized projection matrix approximation with applications to community detection".
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sksieve.clustering import Bounded, Huber, Positive
from sksieve.clustering._rpma_solvers import ADMM
from sksieve.linalg import cayley

from ..clustering.rpma_cases import N_PENALTIES, problem, random_point


def test_woodbury_is_the_cayley_transform():  # Algorithm 1
    """(17)-(22): the n x n curve written out."""
    p = problem(0, n=30)
    U = random_point(30, 3)
    _, G = p.fg(U)
    H = G - U @ (U.T @ G)
    W = H @ U.T - U @ H.T
    for t in (1e-4, 1e-2, 0.3):
        literal = np.linalg.solve(np.eye(30) + t / 2 * W, (np.eye(30) - t / 2 * W) @ U)
        assert_allclose(cayley(U, H, t), literal, atol=1e-12)


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
def test_lagrangian_falls_and_the_multiplier_is_the_gradient(which):  # Lemma 2
    """Lemma 2 at rho = 3 lam l, and Lam = lam g'(Y) after every update of Y."""
    p = problem(which)
    solver = ADMM(p, rho=3 * p.lam * p.penalty.lipschitz)
    s = solver.start(random_point(60, 3))
    for _ in range(30):
        middle = solver.update_X(s)
        assert solver.lagrangian(middle) <= solver.lagrangian(s) + 1e-10 * abs(s.f)
        new = solver.step(s)
        stored = solver.multiplier(s.Y) + s.rho * (new.U @ new.U.T - new.Y)
        assert_allclose(stored, solver.multiplier(new.Y), atol=1e-10 * p.lam)
        assert solver.lagrangian(new) <= solver.lagrangian(s) + 1e-10 * abs(s.f)
        s = new


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
