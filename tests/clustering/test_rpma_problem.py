"""Projection matrix approximation: the objective, its gradient, penalties, the certificate."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from sksieve import RPMA
from sksieve.clustering import Bounded, Huber, Penalty, Positive
from sksieve.clustering._rpma_problem import (
    ProjectionProblem,
    fantope_bound,
    indicator,
    mean_off_diagonal,
)
from sksieve.testing import check_prox

from .rpma_cases import (
    N_PENALTIES,
    blobs,
    problem,
    random_point,
    solve,
    spectral,
    written_out,
)


@pytest.mark.parametrize("which", range(5))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_objective_is_its_definition(which, form):
    p = problem(which)
    p = ProjectionProblem(form(p.A), p.K, p.penalty, p.lam)
    U = random_point(60, 3)
    assert_allclose(p.F(U), written_out(p, U), rtol=1e-12)


@pytest.mark.parametrize("which", range(5))
def test_gradient_along_tangents(which):
    p = problem(which)
    U = random_point(60, 3)
    D = np.random.RandomState(2).standard_normal(U.shape)
    D -= U @ (U.T @ D)
    _, G = p.fg(U)
    h = 1e-5
    forward, backward = (p.fg(np.linalg.qr(U + t * D)[0])[0] for t in (h, -h))
    assert_allclose((forward - backward) / (2 * h), np.vdot(G, D), rtol=1e-6)
    assert_allclose(U.T @ G, G.T @ U, atol=1e-10 * np.abs(G).max())  # canonical = Euclidean


def test_own_penalty_goes_in_blocks():
    class Quartic(Penalty):
        lipschitz = 3.0

        def value(self, X):
            return X**4

        def grad(self, X):
            return 4 * X**3

        def prox(self, V, t):
            raise NotImplementedError

    p = problem()
    p = ProjectionProblem(p.A, 3, Quartic(), 1000.0)
    U = random_point(60, 3)
    assert_allclose(p.F(U), written_out(p, U), rtol=1e-12)
    run = solve(p, "lbfgs", spectral(p))
    assert run.reason == "tolerance"
    X, _ = blobs()
    est = RPMA(3, penalty=Quartic(), lam=50.0, random_state=0).fit(X)
    assert est.converged_
    assert est.penalty_ == {}


@pytest.mark.parametrize("penalty", [Huber(0.3), Positive(), Bounded(-0.5, 1.0)])
def test_prox_is_the_minimizer(penalty):
    V = 2 * np.random.RandomState(0).standard_normal((6, 5))
    for t in (0.01, 0.4, 3.0):
        check_prox(penalty.prox, lambda X: float(penalty.value(X).sum()), V, t)
    grid = np.linspace(-8, 8, 160001)
    for v in (-3.0, -0.31, 0.1, 0.7, 2.5):
        best = grid[(0.5 * (grid - v) ** 2 + 0.4 * penalty.value(grid)).argmin()]
        assert_allclose(penalty.prox(np.array([v]), 0.4), best, atol=1e-4)


@pytest.mark.parametrize("penalty", [Huber(0.3), Positive(), Bounded(-0.5, 1.0)])
def test_gradient_and_lipschitz_constant_of_penalties(penalty):
    x = np.linspace(-2, 2, 4001)
    h = 1e-6
    numeric = (penalty.value(x + h) - penalty.value(x - h)) / (2 * h)
    assert_allclose(penalty.grad(x), numeric, atol=1e-5)
    slopes = np.diff(penalty.grad(x)) / np.diff(x)
    assert_allclose(slopes.max(), penalty.lipschitz, rtol=1e-6)


def test_bounds_and_delta_are_checked():
    with pytest.raises(ValueError, match="alpha < beta"):
        Bounded(1.0, 0.0).check()
    with pytest.raises(ValueError, match="one of them finite"):
        Bounded(-np.inf, np.inf).check()
    with pytest.raises(ValueError, match="'delta' parameter of Huber must be"):
        Huber(0.0).check()


def test_empty_clusters_are_filled_from_what_the_indicators_leave():
    fill = np.linalg.qr(np.c_[np.ones(9), np.random.RandomState(0).standard_normal((9, 3))])[0]
    U = indicator(np.zeros(9, dtype=int), fill)
    assert_allclose(U.T @ U, np.eye(4), atol=1e-12)
    assert_allclose(U @ U.T, fill @ fill.T, atol=1e-12)


def test_indicator_is_orthonormal_also_with_empty_clusters():
    fill = random_point(10, 3)
    labels = np.array([0, 0, 0, 2, 2, 2, 2, 0, 0, 0])
    U = indicator(labels, fill)
    assert U.shape == (10, 3)
    assert_allclose(U.T @ U, np.eye(3), atol=1e-12)
    assert_allclose(U[labels == 2, 1], 0.5)


@pytest.mark.parametrize("which", [0, 2, 3])
def test_bound_is_below_every_projector(which):
    p = problem(which, n=24)
    U = solve(p, "lbfgs", spectral(p)).state.U
    bound = fantope_bound(p, U)
    for seed in range(5):
        start = random_point(24, 3, seed)
        assert bound <= p.F(start)
        assert bound <= p.F(solve(p, "lbfgs", start, tol=1e-4, max_iter=100).state.U) + 1e-9


def test_own_penalty_of_two_slopes_goes_through_the_fused_kernel():
    """Steep from -.01 to .02 and less so beyond."""

    class TwoSlopes(Penalty):
        lipschitz = 1.0

        def value(self, X):
            p = np.clip(X, -0.01, 0.02)
            return p * (X - p / 2) + 1e-3 * (X - p) ** 2 / 2

        def grad(self, X):
            p = np.clip(X, -0.01, 0.02)
            return p + 1e-3 * (X - p)

        def prox(self, V, t):
            raise NotImplementedError

        def slopes(self):
            return 1.0, 1e-3, -0.01, 0.02

        def in_blocks(self, U):
            raise AssertionError("the fused kernel serves this penalty")

    p = problem()
    p = ProjectionProblem(p.A, 3, TwoSlopes(), 1000.0)
    U = random_point(60, 3)
    assert_allclose(p.F(U), written_out(p, U), rtol=1e-12)
    X = U @ U.T
    assert_allclose(p.fg(U)[1], -4 * (p.A - np.eye(60)) @ U + 2000 * p.penalty.grad(X) @ U)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_mean_off_the_diagonal(form):
    A = form(np.array([[9.0, 1.0, 2.0], [1.0, 9.0, 3.0], [2.0, 3.0, 9.0]]))
    assert mean_off_diagonal(A) == 2.0


@pytest.mark.parametrize("which", range(N_PENALTIES))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("factor", [1.0, 1e-30, 1e30])
def test_single_precision_has_the_same_objective(which, form, factor):
    p = problem(which)
    p = ProjectionProblem(form(factor * p.A), p.K, p.penalty, factor * p.lam)
    single = p.in_single_precision()
    U = random_point(60, 3).astype(np.float32)
    f, G = single.fg(U)
    expected, H = p.fg(U.astype(np.float64))
    assert single.A.dtype == G.dtype == np.float32
    assert sp.issparse(single.A) == sp.issparse(p.A)
    assert_allclose(single.scale * f, expected, rtol=1e-5, atol=1e-5 * np.linalg.norm(H))
    assert_allclose(single.scale * G, H, atol=1e-5 * np.abs(H).max())
    assert_allclose(single.F(U), p.F(U.astype(np.float64)), rtol=1e-5)
    assert p.scale == 1
