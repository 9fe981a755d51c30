"""RUFS and RNE: gradients, descent, literal twins of what is in closed form."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from sklearn.preprocessing import StandardScaler

from sksieve import RNE, RUFS
from sksieve.exceptions import DataWarning
from sksieve.graphs import (
    NeighborGraph,
    knn_graph,
    lle_weights,
    local_learning_weights,
    normalized_adjacency,
)
from sksieve.kernels._residual_rows import residual_squares
from sksieve.kernels._sparse_product import product_with_few
from sksieve.papers import ProgramRNE
from sksieve.selection import _rne
from sksieve.selection._ndfs import lifted_indicator, spectral_labels
from sksieve.selection._rne import NeighborhoodEmbedding
from sksieve.selection._rufs import RobustClustering
from sksieve.tables import CenteredTable
from sksieve.testing import check_block_descent, check_pure_step, check_resume

from . import ufs_twins

SHAPES = [(60, 15), (25, 70)]


def table(n, d, seed=0):
    rng = np.random.RandomState(seed)
    centers = 3 * rng.standard_normal((3, d))
    X = centers[np.arange(n) % 3] + rng.standard_normal((n, d))
    X -= X.min(axis=0)
    return X / X.max(axis=0)


def robust(n, d, **weights):
    X = table(n, d)
    A = knn_graph(X, 5, weights="heat", sigma="mean_all")
    L = sp.csr_array(sp.eye_array(n) - normalized_adjacency(A))
    weights = {"nu": 1.0, "alpha": 1.0, "beta": 0.1, "zeta": 100.0} | weights
    problem = RobustClustering(X, L, **weights)
    state = problem.start(lifted_indicator(spectral_labels(A, 3)))
    problem.start = lambda rng: state
    return problem, state


@pytest.mark.parametrize(("n", "d"), SHAPES)
@pytest.mark.parametrize("zeta", [0.0, 100.0, 1e7])
def test_rufs_descends_and_stays_nonnegative(n, d, zeta):
    problem, state = robust(n, d, zeta=zeta)
    check_block_descent(problem, n_sweeps=6)
    check_pure_step(problem, state)
    check_resume(problem, state, 2, 3)
    for _ in range(5):
        state = problem.step(state)
    assert (state.G >= 0).all()
    assert (state.F >= 0).all()


@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_rufs_w_step_is_its_dense_twin(n, d):
    problem, s = robust(n, d, alpha=2.0)
    X = problem.X
    a = 2.0 / (2 * np.sqrt(((X @ s.W - s.G) ** 2).sum(axis=1) + 1e-10))
    b = 0.1 / (2 * np.sqrt((s.W**2).sum(axis=1) + 1e-10))
    W = np.linalg.solve(X.T @ np.diag(a) @ X + np.diag(b), X.T @ np.diag(a) @ s.G)
    assert_allclose(problem.update_W(s).W, W, atol=1e-8)


@pytest.mark.parametrize("sparse", [False, True])
def test_rufs_products_are_carried_over(sparse):
    problem, s = robust(60, 15)
    if sparse:
        X = CenteredTable(sp.csr_array(problem.X), np.zeros(15))
        problem = RobustClustering(X, problem.L, nu=1.0, alpha=1.0, beta=0.1, zeta=100.0)
        s = problem.start(s.G)
    for block in (problem.update_W, problem.update_G, problem.update_F, problem.step):
        s = block(s)
        assert_allclose(s.XF, problem.X @ s.F.T, atol=1e-12)
        assert_allclose(s.XW, problem.X @ s.W, atol=1e-12)


def test_rufs_an_outlier_counts_by_its_distance():
    """A far sample changes the squared model's scores more than these."""
    X = table(60, 15)
    X[0] += 20
    est = RUFS(5, n_clusters=3, scale="none").fit(X)
    assert np.isfinite(est.scores_).all()
    assert est.history_[-1]["objective"] < est.history_[0]["objective"]


def test_rufs_zero_residuals_are_no_nan():
    X = np.repeat(np.eye(4), 5, axis=0)
    assert np.isfinite(RUFS(2, n_clusters=4, n_neighbors=4).fit(X).scores_).all()


@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_rne_h_step_descends_the_lagrangian(n, d):
    X = table(n, d)
    E = X - lle_weights(X, 5) @ X
    problem = NeighborhoodEmbedding(E, 4, 1e3)
    s = problem.start(np.random.RandomState(0))
    check_pure_step(problem, s)
    check_resume(problem, s, 2, 3)
    for _ in range(10):
        for block in (problem.update_H, problem.update_M):
            new = block(s)
            before = problem.lagrangian(s)
            assert problem.lagrangian(new) <= before + 1e-9 * abs(before)
            s = new
        assert (s.H >= 0).all()
        s = problem.step(s)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
@pytest.mark.parametrize(("d", "r"), [(70, 25), (300, 7), (80, 1100)])
def test_rne_product_with_few_nonzeros_is_the_product(share, d, r):
    rng = np.random.RandomState(0)
    K = rng.standard_normal((d, r))
    H = rng.random_sample((4, d)) * (rng.random_sample((4, d)) < share)
    assert_allclose(product_with_few(H, K), H @ K, atol=1e-12)


@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_rne_takes_the_same_steps_with_either_product(monkeypatch, n, d):
    X = table(n, d)
    problem = NeighborhoodEmbedding(X - lle_weights(X, 5) @ X, 4, 1e3)
    ends = []
    for share in (0.0, 1.1):  # never, always one by one
        monkeypatch.setattr(_rne, "_FEW", share)
        state = problem.start(np.random.RandomState(0))
        for _ in range(8):
            state = problem.step(state)
        assert_allclose(state.HE, state.H @ problem.E.T, atol=1e-12)
        ends.append(state)
    assert_allclose(ends[0].H, ends[1].H, atol=1e-9)


def test_rufs_squares_of_residuals_are_those_of_the_rows():
    rng = np.random.RandomState(0)
    X, G, F = rng.random_sample((20, 9)), rng.random_sample((20, 3)), rng.random_sample((3, 9))
    squares = residual_squares((X**2).sum(axis=1), G, F @ F.T, X @ F.T)
    assert_allclose(squares, ((X - G @ F) ** 2).sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 0.0])
def test_rufs_lengths_keep_their_digits_where_rows_are_nearly_centers(apart):
    """The difference of products loses them; those rows are taken by themselves."""
    rng = np.random.RandomState(0)
    G, F = np.eye(3)[np.arange(30) % 3] / 1.0, rng.random_sample((3, 9))
    X = G @ F + apart * rng.standard_normal((30, 9))
    X[::2] += 1
    problem = RobustClustering(X, None, nu=1.0, alpha=1.0, beta=0.1, zeta=1.0)
    lengths = np.sqrt(((X - G @ F) ** 2).sum(axis=1) + 1e-10)
    assert_allclose(problem._lengths(G, F, X @ F.T), lengths, rtol=1e-12)


def test_rne_m_step_is_a_stationary_point():
    X = table(30, 6)
    problem = NeighborhoodEmbedding(X - lle_weights(X, 5) @ X, 2, 1e3)
    s = problem.update_M(problem.step(problem.start(np.random.RandomState(0))))

    def value(m):
        return problem.lagrangian(s._replace(M=m.reshape(s.M.shape)))

    slope = approx_fprime(s.M.ravel(), value, 1e-7).reshape(s.M.shape)
    assert np.abs(slope[s.M != 0]).max(initial=0) < 1e-4


def test_rne_ends_feasible_with_one_nonzero_a_row():
    est = RNE(4, random_state=0, max_iter=80, tol=None).fit(table(60, 15))
    H = est.components_.T
    assert_allclose(H.T @ H, np.eye(4), atol=0.05)
    small = np.sort(H, axis=1)[:, :-1].max(axis=1)
    assert np.median(small) < 0.05


def test_rne_residual_of_the_released_program_is_another_one():
    X = table(60, 15)
    right = RNE(4, random_state=0).fit(X).scores_
    program = ProgramRNE(4, random_state=0).fit(X).scores_
    assert np.abs(right - program).max() > 1e-3


@pytest.mark.parametrize("zeta", [1e6, 1e7])
def test_rufs_frozen_by_the_published_zeta_and_says_so(zeta):
    with pytest.warns(DataWarning, match="zeta=.* did not move: .* Lower zeta"):
        RUFS(5, n_clusters=3, zeta=zeta).fit(table(60, 15))


def test_rufs_moves_by_default():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RUFS(5, n_clusters=3).fit(table(60, 15))


def test_rufs_laplacian_is_that_of_local_learning_or_of_the_graph():
    X = table(60, 15)
    est = RUFS(5, n_clusters=3, max_iter=3, tol=None).fit(X)
    B = np.eye(60) - local_learning_weights(X, 5).toarray()
    problem, state = robust(60, 15)
    problem.L = B.T @ B
    for _ in range(3):
        state = problem.step(state)
    assert_allclose(est.scores_, np.linalg.norm(state.W, axis=1), atol=1e-8)
    graph = RUFS(5, n_clusters=3, max_iter=3, tol=None, graph=NeighborGraph()).fit(X)
    problem, state = robust(60, 15)
    for _ in range(3):
        state = problem.step(state)
    assert_allclose(graph.scores_, np.linalg.norm(state.W, axis=1), atol=1e-8)
    assert np.abs(graph.scores_ - est.scores_).max() > 1e-6


@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_rufs_whole_method_is_its_dense_twin(n, d):
    """From the second pass on F is minimal up to rounding: it is determined to the root of that."""
    problem, state = robust(n, d, zeta=10.0)
    for passes in (1, 2, 3):
        state = problem.step(state)
        start = problem.start(None).G
        G, F, W = ufs_twins.rufs(problem.X, problem.L.toarray(), start, 1.0, 1.0, 0.1, 10.0, passes)
        assert_allclose(state.W, W, atol=1e-8)
        assert_allclose(state.G, G, atol=1e-8)
        assert_allclose(state.F, F, atol=1e-9 if passes == 1 else 1e-6 * np.abs(F).max())
        twin = state._replace(G=G, F=F, W=W, XF=problem.X @ F.T, XW=problem.X @ W)
        assert_allclose(problem.objective(state), problem.objective(twin), rtol=1e-10)


@pytest.mark.parametrize(("n", "d"), SHAPES)
@pytest.mark.parametrize("cls", [RNE, ProgramRNE])
def test_rne_whole_method_is_its_dense_twin(n, d, cls):
    X = table(n, d)
    est = cls(4, max_iter=5, tol=None, random_state=3).fit(X)
    Z = StandardScaler().fit_transform(X)
    B = ufs_twins.linear_weights(Z, 5)
    E = Z - (B if cls is RNE else B.T) @ Z
    H = np.random.RandomState(3).random_sample((d, 4))
    H = ufs_twins.rne(E, H / np.linalg.norm(H, axis=0), 1e3, 5)
    assert_allclose(est.components_, H.T, atol=1e-8)
    assert_allclose(est.scores_, (H**2).sum(axis=1), atol=1e-8)


@pytest.mark.parametrize(("n", "d", "most"), [(60, 15, 1.01), (25, 70, 0.95)])
def test_rne_ends_no_higher_than_the_released_program(n, d, most):
    """Same starts, as many iterations, a third of its products with E; local minima differ."""
    ratios = []
    for seed in range(4):
        X = StandardScaler().fit_transform(table(n, d, seed))
        E = X - ufs_twins.linear_weights(X, 5) @ X
        problem = NeighborhoodEmbedding(E, 4, 1e3)
        state = problem.start(np.random.RandomState(seed))
        H = ufs_twins.rne_published(E, state.H.T, 1e3, 50).T
        published = problem.objective(state._replace(H=H, HE=H @ E.T))
        for _ in range(50):
            state = problem.step(state)
        ratios.append(problem.objective(state) / published)
    assert np.mean(ratios) <= most
    assert max(ratios) <= 1.03
