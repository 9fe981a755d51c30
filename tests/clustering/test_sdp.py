"""The semidefinite relaxations: projections, feasibility, optimality, other solvers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sksieve import SDP1, SDP2
from sksieve.clustering._sdp import AminiLevina, ChenXu
from sksieve.datasets import make_sbm
from sksieve.metrics import clustering_accuracy
from sksieve.solvers import Stopping, iterate
from sksieve.testing import check_pure_step, check_resume

RELAXATIONS = {"SDP-1": AminiLevina, "SDP-2": ChenXu}
every_relaxation = pytest.mark.parametrize("kind", RELAXATIONS.values(), ids=RELAXATIONS.keys())
every_class = pytest.mark.parametrize("cls", [SDP1, SDP2])


def constraints(kind, n, K):
    """Rows B and right sides c of ``B vec(X) = c``."""
    E = np.eye(n)
    diagonal = [np.outer(E[i], E[i]).ravel() for i in range(n)]
    if kind is AminiLevina:
        rows = [np.outer(E[i], np.ones(n)).ravel() for i in range(n)]
        rows += [np.outer(np.ones(n), E[i]).ravel() for i in range(n)]
        return np.array(rows + diagonal), np.r_[np.full(2 * n, n / K), np.ones(n)]
    return np.array([np.ones(n * n), np.eye(n).ravel()]), np.array([n * n / K, n])


@every_relaxation
@pytest.mark.parametrize(("n", "K"), [(3, 2), (7, 2), (12, 3)])
def test_projection_on_the_affine_set(kind, n, K):
    """Beside least squares on the constraints written out."""
    M = np.random.RandomState(n).standard_normal((n, n))
    M = M + M.T
    B, c = constraints(kind, n, K)
    expected = M.ravel() + np.linalg.pinv(B) @ (c - B @ M.ravel())
    found = kind(M, K, 1.0).onto_affine(M)
    assert_allclose(found.ravel(), expected, atol=1e-10)


def solved(kind, A, K, tol=1e-6, rho=1.0):
    problem = kind(A, K, rho)
    return problem, iterate(
        problem.step, problem.start(None), change=problem.change, stopping=Stopping(20000, tol)
    )


def noisy(n=12, K=3, seed=0):
    A, _ = make_sbm(n, K, 0.7, 0.3, random_state=seed)
    return A.toarray()


@every_relaxation
@pytest.mark.parametrize("seed", [0, 2])
def test_optimum_by_its_dual(kind, seed):
    """The multipliers are a dual point: its value bounds every feasible <A, X> from above."""
    A, K = noisy(seed=seed), 3
    n = len(A)
    problem, run = solved(kind, A, K)
    assert run.reason == "tolerance"
    X = run.state.X
    B, c = constraints(kind, n, K)
    assert_allclose(B @ X.ravel(), c, atol=1e-6)
    assert np.linalg.eigvalsh(X)[0] >= -1e-5
    assert X.min() >= -1e-5
    assert X.max() <= problem.upper + 1e-5
    # A = -rho (U + V) + B'w: split into what each constraint answers for
    S, T = -problem.rho * run.state.U, -problem.rho * run.state.V  # PSD, and >= 0 where X = 0
    w = np.linalg.lstsq(B.T, (A + S + T).ravel(), rcond=None)[0]
    rest = (B.T @ w).reshape(n, n) - A - S - T
    assert np.abs(rest).max() <= 1e-4
    assert np.linalg.eigvalsh(S)[0] >= -1e-4
    over = np.maximum(-T, 0).sum() if np.isfinite(problem.upper) else 0.0
    if not np.isfinite(problem.upper):
        assert T.min() >= -1e-4
    assert_allclose(np.vdot(A, X), c @ w + over, rtol=1e-4)


@every_relaxation
def test_optimum_by_cvxpy(kind):
    cvxpy = pytest.importorskip("cvxpy")
    A, K = noisy(), 3
    n = len(A)
    X = cvxpy.Variable((n, n), PSD=True)
    B, c = constraints(kind, n, K)
    rules = [X >= 0, B @ cvxpy.vec(X, order="F") == c]
    if kind is ChenXu:
        rules.append(X <= 1)
    best = cvxpy.Problem(cvxpy.Maximize(cvxpy.trace(A @ X)), rules).solve(solver="SCS", eps=1e-7)
    _, run = solved(kind, A, K)
    assert_allclose(np.vdot(A, run.state.X), best, rtol=1e-4)


@every_relaxation
def test_steps_are_pure_and_resume(kind):
    problem = kind(noisy(), 3, 1.0)
    check_pure_step(problem, problem.start(None))
    check_resume(problem, problem.start(None), 8, 12)


@every_class
def test_answer_does_not_depend_on_the_scale(cls):
    A = noisy(24, 2)
    a, b = (cls(2, affinity="precomputed", random_state=0).fit(s * A) for s in (1, 1e4))
    assert_allclose(a.cluster_matrix_, b.cluster_matrix_, atol=1e-8)
    assert a.n_iter_ == b.n_iter_


@every_class
def test_blocks_are_found(cls):
    A, y = make_sbm(60, 3, 0.7, 0.15, random_state=0)
    est = cls(3, affinity="precomputed", random_state=0).fit(A)
    assert est.converged_
    assert clustering_accuracy(y, est.labels_) == 1
    same = est.cluster_matrix_[y[:, None] == y].mean()
    other = est.cluster_matrix_[y[:, None] != y].mean()
    assert same > 0.9
    assert other < 0.1


@every_class
def test_as_many_clusters_as_samples(cls):
    assert sorted(cls(2, affinity="precomputed").fit(1.0 - np.eye(2)).labels_) == [0, 1]


@every_class
@pytest.mark.parametrize("n", [2, 7])
def test_where_one_matrix_only_is_feasible_it_is_the_answer(cls, n):
    X = np.random.RandomState(0).standard_normal((n, 3))
    one = cls(1, random_state=0).fit(X)
    assert_allclose(one.cluster_matrix_, 1)
    assert set(one.labels_) == {0}
    each = cls(n, random_state=0).fit(X)
    assert_allclose(each.cluster_matrix_, np.eye(n))
    assert len(set(each.labels_)) == n
    assert one.converged_
    assert one.n_iter_ == len(each.history_) == 0
