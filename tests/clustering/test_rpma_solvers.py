"""Projection matrix approximation: solvers, their optima beside those of others, starts."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from sksieve.clustering import Bounded, Huber, Positive
from sksieve.clustering._rpma_problem import ProjectionProblem, mean_off_diagonal
from sksieve.clustering._rpma_search import Descent, Search
from sksieve.datasets import make_sbm
from sksieve.linalg import leading_eigenpairs
from sksieve.papers._rpma_solvers import ADMM, PerturbedSearch
from sksieve.testing import check_pure_step, check_resume

from .rpma_cases import (
    SOLVERS,
    every_solver,
    problem,
    random_point,
    solve,
    spectral,
    written_out,
)


@pytest.mark.parametrize(
    ("solver", "which"),
    [(s, w) for s in SOLVERS for w in (0, 2, 3) if (s, w) != ("admm", 2)],  # it crawls there
)
def test_solvers_end_at_stationary_points(solver, which):
    p = problem(which)
    run = solve(p, solver, spectral(p))
    assert run.reason == "tolerance"
    U = run.state.U
    assert p.kkt(U) <= 1e-6
    assert_allclose(U.T @ U, np.eye(p.K), atol=1e-10)
    assert_allclose(run.state.f + p.constant, written_out(p, U), rtol=1e-10)


@pytest.mark.parametrize("solver", ["lbfgs", "curvilinear", "perturbed"])
def test_no_step_raises_the_objective(solver):
    p = problem(2)
    run = solve(p, solver, random_point(60, 3), max_iter=200)
    values = [r["objective"] for r in run.history]
    assert all(b <= a + 1e-12 * abs(a) for a, b in itertools.pairwise(values))


@every_solver
def test_steps_are_pure_and_resume(solver):
    p = problem(0)
    s = SOLVERS[solver](p, 3)
    check_pure_step(s, s.start(random_point(60, 3)))
    check_resume(s, s.start(random_point(60, 3)), 8, 12)


def test_perturbation_leaves_a_saddle():
    """At the eigenvectors 2 and 3 of A (lam = 0) the gradient is zero and F is not lowest."""
    A = np.diag([5.0, 4.0, 3.0, 1.0, 0.5])
    p = ProjectionProblem(A, 2, Positive(), 0.0)
    U = np.eye(5)[:, 1:3]
    assert p.kkt(U) == 0
    stuck = solve(p, "curvilinear", U)
    assert_allclose(stuck.state.f + p.constant, p.F(U))
    free = solve(p, "perturbed", U)
    assert free.reason == "tolerance"
    assert_allclose(free.state.f + p.constant, p.F(np.eye(5)[:, :2]), rtol=1e-10)


def test_perturbation_decays_and_the_best_is_kept():
    p = problem(3)
    search = PerturbedSearch(p, c=0.5)
    assert search.angle(0) == 0.5
    assert search.angle(200) == 0
    run = solve(p, "perturbed", spectral(p))
    assert run.state.f <= min(r["objective"] for r in run.history) + 1e-9


def test_the_last_search_begins_at_the_best_point():
    p = problem(3)
    search = PerturbedSearch(p)
    k = next(k for k in itertools.count() if not search.angle(k))
    best, astray = search.start(spectral(p)), search.start(random_point(60, 3))
    assert best.f < astray.f
    assert search.step(best._replace(search=astray.search, k=k)).f <= best.f


@pytest.mark.parametrize("which", [1, 3, 4])
def test_admm_raises_rho_where_the_lagrangian_has_risen(which):
    p = problem(which)
    enough = np.sqrt(2) * p.lam * p.penalty.lipschitz
    admm, kept = ADMM(p), ADMM(p, rho=0.2 * p.lam * p.penalty.lipschitz)
    s, t = admm.start(spectral(p)), kept.start(spectral(p))
    rho = admm.rho
    for _ in range(30):
        new, t = admm.step(s), kept.step(t)
        before, after = admm.lagrangian(s), admm.lagrangian(new._replace(rho=s.rho))
        if rho == enough:
            assert after <= before + 1e-10 * abs(before)
        elif after > before:
            rho = enough
        assert new.rho == pytest.approx(rho)
        s = new
    assert rho == enough
    assert t.rho == kept.rho


def test_same_optimum_as_scipy():
    """X = Z (Z'Z)^-1 Z' over all Z of full rank, from the same start."""
    for which in (0, 3):
        p = problem(which, n=36)
        U0 = leading_eigenpairs(p.A, 3)[1]

        def fun(z, p=p):
            Z = z.reshape(-1, 3)
            U, R = np.linalg.qr(Z)
            f, G = p.fg(U)
            return f, (np.linalg.solve(R, (G - U @ (U.T @ G)).T).T).ravel()

        options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-9}
        rival = minimize(fun, U0.ravel(), jac=True, method="L-BFGS-B", options=options)
        ours = solve(p, "lbfgs", U0, tol=1e-8)
        assert_allclose(ours.state.f, rival.fun, rtol=1e-7)


def test_same_optimum_as_pymanopt():
    pymanopt = pytest.importorskip("pymanopt")
    p = problem(3)
    manifold = pymanopt.manifolds.Grassmann(60, 3)

    @pymanopt.function.numpy(manifold)
    def cost(U):
        return p.fg(U)[0]

    @pymanopt.function.numpy(manifold)
    def gradient(U):
        return p.fg(U)[1]

    task = pymanopt.Problem(manifold, cost, euclidean_gradient=gradient)
    optimizer = pymanopt.optimizers.ConjugateGradient(verbosity=0, min_gradient_norm=1e-6)
    U0 = spectral(p)
    rival = optimizer.run(task, initial_point=U0)
    assert_allclose(solve(p, "lbfgs", U0).state.f, rival.cost, rtol=1e-7)


def test_paths_end_at_the_problem():
    lam, penalty = Positive().path(3.0, 0.1)[-1]
    assert (lam, type(penalty)) == (3.0, Positive)
    assert [lam for lam, _ in Positive().path(64.0, 0.1)] == [1, 4, 16, 64]
    path = Huber(0.001).path(3.0, 0.1)
    deltas = [penalty.delta for _, penalty in path]
    assert deltas[0] == 0.1
    assert deltas[-1] == 0.001
    assert deltas == sorted(deltas, reverse=True)
    assert all(lam == 3.0 for lam, _ in path)
    assert len(Huber(1.0).path(3.0, 0.1)) == 1


def test_path_is_not_worse_than_direct_on_average():
    """BPMA, F of the path beside F of one descent from the eigenvectors."""
    better = []
    for seed in range(12):
        A, _ = make_sbm(40, 2, 0.65, 0.40, random_state=seed)
        m = mean_off_diagonal(A)
        p = ProjectionProblem(A, 2, Bounded(0.0, 2 / 40), 8 * m * 40 / 2)
        search = Search(p, SOLVERS["lbfgs"], np.random.RandomState(0), tol=1e-6, max_iter=500)
        U = spectral(p)
        better.append(search.descend("spectral", U).F - search.along_path(U).F)
    assert np.mean(better) >= 0


def test_descents_that_end_near_each_other_go_on():
    """What is lowest after rough descents need not be lowest in the end."""
    p = problem()
    search = Search(p, SOLVERS["lbfgs"], np.random.RandomState(0))
    gone_on = []

    def descend(name, U, problem=None, stopping=None, seed=None):
        gone_on.append(name)
        assert stopping.tol < search.stopping.tol
        assert stopping.max_iter > search.stopping.max_iter
        return Descent(name, U, {"a": -101.0, "b": -103.0, "c": -102.0}[name] + p.constant, 7)

    search.descend = descend
    U = spectral(p)
    rough = {"far": -90.0, "b": -99.9, "a": -100.0, "a again": -100.0 + 1e-5, "c": -99.95}
    found = search.settle([Descent(name, U, f + p.constant, 5) for name, f in rough.items()])
    assert gone_on == ["a", "c", "b"]
    assert [f.name for f in found] == ["b", "c", "a", "a again", "far"]
    assert [f.n_iter for f in found] == [12, 12, 12, 5, 5]


@pytest.mark.parametrize("angle", [0.01, 0.1, 0.3])
def test_perturbations_turn_the_subspace_by_their_angle(angle):
    """The largest principal angle between the point and the perturbed one, in radians."""
    p = problem(0)
    search = PerturbedSearch(p)
    state = search.start(spectral(p))
    U = state.search.U
    V = search._perturbed(state, angle)
    assert_allclose(V.T @ V, np.eye(p.K), atol=1e-12)
    assert_allclose(np.arcsin(np.linalg.norm(V - U @ (U.T @ V), 2)), angle, rtol=0.02)
