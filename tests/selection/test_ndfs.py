"""NDFS: a literal dense twin, descent for every gamma, and F frozen by a large one."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.preprocessing import StandardScaler

from sksieve import NDFS
from sksieve.exceptions import DataWarning
from sksieve.graphs import knn_graph
from sksieve.selection._ndfs import (
    NonnegativeSpectral,
    lifted_indicator,
    spectral_labels,
    warn_if_frozen,
)
from sksieve.testing import check_block_descent, check_pure_step, check_resume

from . import ufs_twins


def table(n, d, seed=0):
    rng = np.random.RandomState(seed)
    centers = 3 * rng.standard_normal((3, d))
    return centers[np.arange(n) % 3] + rng.standard_normal((n, d))


def start(X, c, beta):
    """The dense Laplacian, and F and W as the method starts from them."""
    n, d = X.shape
    A = knn_graph(X, 5, weights="heat", sigma="mean_all")
    root = np.diag(A.sum(axis=1) ** -0.5)
    F = lifted_indicator(spectral_labels(A, c))
    W = np.linalg.solve(X.T @ X + beta / 2 * np.eye(d), X.T @ F)
    return np.eye(n) - root @ A.toarray() @ root, F, W


def reweighted(X, L, W, alpha, beta, eps=1e-10):
    """The paper's G and M for the weights of W."""
    D = np.diag(1 / (2 * np.sqrt((W**2).sum(axis=1) + eps)))
    G = np.linalg.inv(X.T @ X + beta * D)
    return G, L + alpha * (np.eye(len(X)) - X @ G @ X.T)


def literal(X, c, alpha, beta, gamma, steps):
    L, F, W = start(X, c, beta)
    step = 1.0
    for _ in range(steps):
        G, M = reweighted(X, L, W, alpha, beta)

        def value(F, M=M):
            return np.trace(F.T @ M @ F) + gamma / 2 * ((F.T @ F - np.eye(c)) ** 2).sum()

        def gradient(F, M=M):
            return 2 * M @ F + 2 * gamma * F @ (F.T @ F - np.eye(c))

        F, step = ufs_twins.gradient_steps(value, gradient, F, 4 * step, 1)
        W = G @ X.T @ F
    return F, np.linalg.norm(W, axis=1)


@pytest.mark.parametrize(("n", "d"), [(60, 15), (25, 70)])
def test_dense_twin(n, d):
    X = table(n, d)
    est = NDFS(5, n_clusters=3, alpha=0.5, beta=2.0, gamma=20.0, max_iter=8, tol=None).fit(X)
    F, norms = literal(StandardScaler().fit_transform(X), 3, 0.5, 2.0, 20.0, 8)
    assert_allclose(est.indicators_, F, atol=1e-8)
    assert_allclose(est.scores_, norms, atol=1e-8)


@pytest.mark.parametrize("gamma", [1e-2, 1.0, 10.0, 1e2, 1e3, 1e5, 1e8])
@pytest.mark.parametrize(("n", "d"), [(60, 15), (25, 70)])
def test_it_descends_and_stays_nonnegative(gamma, n, d):
    X = StandardScaler().fit_transform(table(n, d))
    A = knn_graph(X, 5)
    degree = A.sum(axis=1)
    L = np.eye(n) - A.toarray() / np.sqrt(np.outer(degree, degree))
    problem = NonnegativeSpectral(X, L, alpha=1.0, beta=1.0, gamma=gamma)
    state = problem.start(lifted_indicator(spectral_labels(A, 3)))
    problem.start = lambda rng: state
    check_block_descent(problem, n_sweeps=20)
    check_pure_step(problem, state)
    check_resume(problem, state, 3, 4)
    for _ in range(20):
        state = problem.step(state)
        assert (state.F >= 0).all()


def test_published_gamma_freezes_f_and_says_so():
    with pytest.warns(DataWarning, match="did not move"):
        NDFS(5, n_clusters=3, gamma=1e8).fit(table(60, 15))


def test_it_finds_the_columns_with_groups():
    rng = np.random.RandomState(0)
    centers = np.array([[4, 0, 0, 4, 4, 0], [0, 4, 0, 4, 0, 4], [0, 0, 4, 0, 4, 4.0]])
    X = rng.standard_normal((90, 26))
    X[:, :6] += centers[np.arange(90) % 3]
    assert set(NDFS(6, n_clusters=3).fit(X).ranking_[:6]) == set(range(6))


def test_one_cluster_cannot_move_and_nothing_is_said():
    F = np.full((9, 1), 1 / 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_frozen(F, F, "gamma=1")
    F = lifted_indicator(np.arange(9) % 3)
    H = (F == F.max(axis=1, keepdims=True)) / np.sqrt(3)
    with pytest.warns(DataWarning, match="gamma=1 is so large .* Lower gamma"):
        warn_if_frozen(F, H, "gamma=1")


def published(X, c, alpha, beta, gamma, steps):
    """The program's rule made safe: fourth root, M split by sign (multiplicative). F and W."""
    L, F, W = start(X, c, beta)
    for _ in range(steps):
        G, M = reweighted(X, L, W, alpha, beta)
        plus, minus = (np.abs(M) + M) / 2, (np.abs(M) - M) / 2
        F = F * ((minus @ F + gamma * F) / (plus @ F + gamma * F @ F.T @ F)) ** 0.25
        W = G @ X.T @ F
    return F, W


@pytest.mark.parametrize(("n", "d"), [(60, 15), (25, 70)])
@pytest.mark.parametrize("gamma", [1.0, 10.0, 100.0])
def test_gradient_steps_end_below_the_multiplicative_rule(n, d, gamma):
    X = StandardScaler().fit_transform(table(n, d))
    A = knn_graph(X, 5, weights="heat", sigma="mean_all")
    degree = A.sum(axis=1)
    L = np.eye(n) - A.toarray() / np.sqrt(np.outer(degree, degree))
    problem = NonnegativeSpectral(X, L, alpha=1.0, beta=1.0, gamma=gamma)
    state = problem.start(lifted_indicator(spectral_labels(A, 3)))
    for _ in range(30):
        state = problem.step(state)
    F, W = published(X, 3, 1.0, 1.0, gamma, 30)
    assert problem.objective(state) <= problem.objective(state._replace(F=F, W=W)) * (1 + 1e-9)
