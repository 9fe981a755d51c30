"""L1UFS: the optimum of an independent solver, and where the weights lead."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from sksieve import L1UFS
from sksieve.exceptions import TooLargeError
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
    problem = RobustSelfRepresentation(X, incidence(knn_graph(X, 3)), lam1, 1.0)
    problem.lam2 = part * problem.lam2_max()
    return problem


@pytest.mark.parametrize(("n", "d"), [(30, 6), (8, 14)])
def test_w_step_is_its_dense_twin(n, d):
    problem = problem_of(n, d)
    X, G = problem.X, problem.G
    rng = np.random.RandomState(0)
    start = problem.start()
    s = start._replace(
        **{f: rng.standard_normal(getattr(start, f).shape) for f in start._fields[:7]}
    )
    right = X.T @ (X - s.E + s.Y1) + G.T @ (s.Z + s.Y2) + s.J + s.Y3
    W = np.linalg.solve(X.T @ X + G.T @ G + np.eye(d), right)
    assert_allclose(problem.update_W(s).W, W, atol=1e-8)


def test_optimum_is_that_of_a_smoothed_quasi_newton_method():
    problem = problem_of(25, 6)
    X, G, eps = problem.X, problem.G, 1e-10
    s = problem.start()
    for _ in range(1500):
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
    assert problem.objective(s) == pytest.approx(rival, rel=2e-3)
    assert problem.objective(s) <= rival * (1 + 2e-3)


def test_steps_are_pure():
    problem = problem_of(25, 6)
    check_pure_step(problem, problem.start())
    check_resume(problem, problem.start(), 5, 6)


def test_small_lam2_gives_the_identity_and_the_largest_nothing():
    X = table(40, 6)
    scores = L1UFS(3, lam1=0.0, lam2=1e-7, max_iter=500).fit(X).scores_
    assert_allclose(scores, 1, atol=1e-2)
    assert_allclose(L1UFS(3, lam1=0.0, lam2=1.01, max_iter=500).fit(X).scores_, 0, atol=1e-6)


def test_graph_term_does_not_depend_on_a_basis():
    X = table(30, 5)
    A = knn_graph(X, 3)
    W = np.random.RandomState(1).standard_normal((5, 5))
    literal = sum(
        A[i, j] * np.abs((X[i] - X[j]) @ W).sum() for i in range(30) for j in range(i + 1, 30)
    )
    assert_allclose(np.abs(incidence(A) @ X @ W).sum(), literal)


def test_too_many_columns_are_refused():
    with pytest.raises(TooLargeError, match="6000"):
        L1UFS(3).fit(np.random.RandomState(0).standard_normal((6, 6000)))
