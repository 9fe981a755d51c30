"""L1UFS: the optimum of an independent solver, and where the weights lead."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from sksieve import L1UFS
from sksieve.exceptions import DataWarning, TooLargeError
from sksieve.graphs import knn_graph
from sksieve.selection._l1ufs import RobustSelfRepresentation, incidence
from sksieve.testing import check_pure_step, check_resume


def table(n, d, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((n, 4)) @ rng.standard_normal((4, d)) + 0.3 * rng.standard_normal(
        (n, d)
    )
    return (X - X.mean(axis=0)) / X.std(axis=0)


def problem_of(n, d, lam1=0.05, part=0.2):
    X = table(n, d)
    return RobustSelfRepresentation(X, incidence(knn_graph(X, 3)), lam1, part)


@pytest.mark.parametrize(("n", "d"), [(30, 6), (8, 14)])
def test_w_step_is_its_dense_twin(n, d):
    problem = problem_of(n, d)
    X, G = problem.X, problem.D @ problem.X
    rng = np.random.RandomState(0)
    start = problem.start()
    s = start._replace(
        **{f: rng.standard_normal(getattr(start, f).shape) for f in start._fields[:8]}
    )
    zeta, kappa = problem.zeta, problem.kappa
    right = X.T @ (X - s.E + s.Y1) + zeta * G.T @ (s.Z + s.Y2) + kappa * (s.J + s.Y3)
    W = np.linalg.solve(X.T @ X + zeta * G.T @ G + kappa * np.eye(d), right)
    assert_allclose(problem.update_W(s).W, W, atol=1e-8)


def literal_run(X, D, lam1, lam2, steps):
    """The method of multipliers with every matrix written out; J at the end."""
    d, G, norm = X.shape[1], D @ X, np.linalg.norm
    size = norm(X, axis=1).mean()
    zeta, kappa, rho = lam1 * size, max(lam2 * size, 1), 1 / size
    inverse = np.linalg.inv(X.T @ X + zeta * G.T @ G + kappa * np.eye(d))
    J, Y3 = np.zeros((2, d, d))
    E, Z, Y1, Y2 = X, np.zeros_like(G), np.zeros_like(X), np.zeros_like(G)

    def shrunk_rows(V, t):
        length = norm(V, axis=1, keepdims=True)
        return V * np.maximum(1 - t / np.maximum(length, 1e-300), 0)

    def all_of(E, Z, J):
        return np.sqrt(norm(E) ** 2 + zeta * norm(Z) ** 2 + kappa * norm(J) ** 2)

    for t in range(1, steps + 1):
        old = E, Z, J
        W = inverse @ (X.T @ (X - E + Y1) + zeta * G.T @ (Z + Y2) + kappa * (J + Y3))
        R, T, V = 1.6 * (X - X @ W) - 0.6 * E, 1.6 * G @ W - 0.6 * Z, 1.6 * W - 0.6 * J
        E = shrunk_rows(R + Y1, 1 / rho)
        Z = np.sign(T - Y2) * np.maximum(np.abs(T - Y2) - lam1 / rho / zeta, 0)
        J = shrunk_rows(V - Y3, lam2 / rho / kappa)
        Y1, Y2, Y3 = Y1 + R - E, Y2 + Z - T, Y3 + J - V
        if t % 10 == 0:
            primal = all_of(X - X @ W - E, Z - G @ W, J - W) / all_of(X, Z, J)
            dual = all_of(E - old[0], Z - old[1], J - old[2]) / all_of(Y1, Y2, Y3)
            factor = 2.0 if primal > 3 * dual else 0.5 if dual > 3 * primal else 1.0
            rho, Y1, Y2, Y3 = rho * factor, Y1 / factor, Y2 / factor, Y3 / factor
    return J


@pytest.mark.parametrize(("n", "d"), [(30, 6), (12, 25)])
def test_whole_method_is_its_dense_twin(n, d):
    X = table(n, d)
    est = L1UFS(3, n_neighbors=3, lam1=0.05, lam2=0.2, max_iter=40, tol=None).fit(X)
    problem = problem_of(n, d)
    J = literal_run(X, problem.D.toarray(), 0.05, problem.lam2, 40)
    assert_allclose(est.coef_, J.T, atol=1e-8)
    assert_allclose(est.scores_, np.linalg.norm(J, axis=1), atol=1e-8)


def test_parts_of_a_wide_problem_are_those_of_the_dense_twin():
    problem = problem_of(20, 400, part=0.05)
    s = problem.start()
    for _ in range(20):
        s = problem.step(s)
    J = literal_run(problem.X, problem.D.toarray(), 0.05, problem.lam2, 20)
    assert 0 < J.any(axis=1).sum() < 400
    assert_allclose(s.J, J, atol=1e-8)


def test_optimum_is_that_of_a_smoothed_quasi_newton_method():
    problem = problem_of(25, 6)
    X, G, eps = problem.X, problem.D @ problem.X, 1e-10
    s = problem.start()
    for _ in range(300):
        s = problem.step(s)

    def smoothed(w):
        W = w.reshape(6, 6)
        R, T = X - X @ W, G @ W
        r, t = np.sqrt((R**2).sum(1) + eps), np.sqrt(T**2 + eps)
        q = np.sqrt((W**2).sum(1) + eps)
        value = r.sum() + problem.lam1 * t.sum() + problem.lam2 * q.sum()
        slope = -X.T @ (R / r[:, None]) + problem.lam1 * G.T @ (T / t)
        return value, (slope + problem.lam2 * W / q[:, None]).ravel()

    rival = minimize(smoothed, np.eye(6).ravel(), jac=True, options={"maxiter": 5000}).fun
    assert problem.objective(s) == pytest.approx(rival, rel=1e-4)
    assert problem.objective(s) <= rival * (1 + 1e-4)


def test_steps_are_pure():
    problem = problem_of(25, 6)
    check_pure_step(problem, problem.start())
    check_resume(problem, problem.start(), 5, 6)


@pytest.mark.parametrize(
    ("primal", "dual", "factor"), [(4.0, 1.0, 2.0), (1.0, 4.0, 0.5), (2.0, 1.0, 1.0)]
)
def test_rho_follows_the_larger_residual(primal, dual, factor):
    problem = problem_of(20, 5)
    s = problem.start()
    for _ in range(8):
        s = problem.step(s)
    problem.residuals = lambda old, new: (primal, dual)
    ninth = problem.step(s)
    assert ninth.rho == s.rho, "only every tenth step looks"
    tenth, plain = problem.step(ninth), problem.update_copies(problem.update_W(ninth))
    assert tenth.rho == s.rho * factor
    assert_allclose(tenth.Y1, plain.Y1 / factor)  # scaled multipliers: rho Y stays


def test_small_lam2_gives_the_identity_and_the_largest_nothing():
    X = table(40, 6)
    with pytest.warns(DataWarning, match="every column reconstructs itself: .* Raise lam2"):
        scores = L1UFS(3, lam1=0.0, lam2=1e-7, max_iter=500).fit(X).scores_
    assert_allclose(scores, 1, atol=1e-2)
    with pytest.warns(DataWarning, match="no column reconstructs any: .* Lower lam2"):
        scores = L1UFS(3, lam1=0.0, lam2=1.01, max_iter=500).fit(X).scores_
    assert_allclose(scores, 0, atol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        L1UFS(3).fit(X)


def test_graph_term_does_not_depend_on_a_basis():
    X = table(30, 5)
    A = knn_graph(X, 3)
    W = np.random.RandomState(1).standard_normal((5, 5))
    literal = sum(
        A[i, j] * np.abs((X[i] - X[j]) @ W).sum() for i in range(30) for j in range(i + 1, 30)
    )
    assert_allclose(np.abs(incidence(A) @ X @ W).sum(), literal)


def test_too_many_columns_are_refused():
    with pytest.raises(TooLargeError, match=r"L1UFS on 6 rows and 9000 columns .* GB"):
        L1UFS(3).fit(np.zeros((6, 9000)))
