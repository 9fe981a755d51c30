"""SOGFS, ULAP and BLSFS: blocks against literal twins, descent, and what lambda is for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import StandardScaler

from sksieve import BLSFS, SOGFS, ULAP
from sksieve.exceptions import DataWarning
from sksieve.graphs import components, laplacian
from sksieve.prox import project_simplex
from sksieve.selection._adaptive_rows import first_rows, nearest_rows
from sksieve.selection._blsfs import BilevelSpectral
from sksieve.selection._sogfs import StructuredGraph
from sksieve.testing import check_block_descent, check_pure_step, check_resume

from . import ufs_twins

SHAPES = [(60, 15), (25, 70)]


def table(n, d, seed=0):
    rng = np.random.RandomState(seed)
    centers = 2 * rng.standard_normal((3, d))
    X = centers[np.arange(n) % 3] + rng.standard_normal((n, d))
    X -= X.mean(axis=0)
    return X / np.linalg.norm(X, axis=0)


@pytest.mark.parametrize(("n", "d"), SHAPES)
@pytest.mark.parametrize("c", [0, 3])
@pytest.mark.parametrize("gamma", [1e-3, 0.1])
def test_every_block_descends(n, d, c, gamma):
    problem = StructuredGraph(table(n, d), 4, 5, c, gamma)
    check_block_descent(problem, n_sweeps=8)
    if not c:  # without lambda whole steps do, too
        problem.not_descending = {}
        check_block_descent(problem, n_sweeps=8)
    check_pure_step(problem, problem.start())
    check_resume(problem, problem.start(), 2, 3)


def test_ties_of_the_projection_go_by_distance_before_it():
    X = np.array([[0.0], [4.0], [1.0], [9.0]])
    S = nearest_rows(np.array([[1.0], [1.0], [1.0], [-3.0]]), X, 1, alpha=1.0)
    assert_array_equal(S.toarray(), [[0, 0, 1, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]])
    Z = np.array([[0.0], [1.0], [1.0], [1.0 + 1e-3]])
    assert nearest_rows(Z, X, 1, alpha=1.0)[3, 0] == 0, "they break ties only"


def test_first_rows_of_copies_and_of_two_samples():
    S, alpha = first_rows(np.zeros((5, 2)), 2)
    assert_allclose(S.sum(axis=1), 1)
    assert alpha == 1
    S, alpha = first_rows(np.array([[0.0], [3.0]]), 5)
    assert_array_equal(S.toarray(), [[0, 1], [1, 0]])
    assert alpha == 1


def test_a_table_of_copies():
    """Neighbors at distance 0 leave no scatter: all directions cost alike, up to rounding."""
    X = np.repeat(10 * np.eye(4, 8), 5, axis=0)
    with pytest.warns(DataWarning, match=r"gamma=0.03 is so large"):
        sel = SOGFS(8).fit(X)
    assert set(sel.ranking_[:4]) == {0, 1, 2, 3}
    assert np.isfinite(sel.scores_).all()


def test_too_many_components_halve_lambda_and_leave_f():
    X = np.random.RandomState(0).standard_normal((30, 4)) + 100.0 * (np.arange(30) % 3)[:, None]
    X = (X - X.mean(axis=0)) / np.linalg.norm(X - X.mean(axis=0), axis=0)
    problem = StructuredGraph(X, 2, 3, 2, 0.01)
    state = problem.start()
    assert components(state.S + state.S.T).max() == 2, "three, and two are wanted"
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    state = state._replace(F=state.F @ turn)  # as good, and not what the eigensolver gives
    new = problem.step(state)
    assert new.lam == state.lam / 2
    assert_array_equal(new.F, state.F)


def test_rows_of_s_are_the_best_of_all_sparse_rows():
    X = table(20, 6)
    problem = StructuredGraph(X, 2, 3, 2, 0.01)
    state = problem.start()
    S = problem.update_S(state).S.toarray()
    Z = np.hstack([X @ state.W, np.sqrt(state.lam) * state.F])
    cost = ((Z[:, None] - Z) ** 2).sum(axis=2)

    assert_allclose(S.sum(axis=1), 1)
    assert (np.count_nonzero(S, axis=1) <= 3).all()
    rng = np.random.RandomState(0)
    for _ in range(200):
        others = np.zeros_like(S)
        for i in range(20):
            J = rng.choice(np.delete(np.arange(20), i), 3, replace=False)
            others[i, J] = project_simplex(-cost[i, J] / (2 * problem.alpha))
        best = np.where(
            (others * cost + problem.alpha * others**2).sum(axis=1)[:, None]
            < (S * cost + problem.alpha * S**2).sum(axis=1)[:, None] - 1e-12,
            1,
            0,
        )
        assert not best.any()


@pytest.mark.parametrize(("n", "d"), [*SHAPES, (30, 900)])
def test_w_step_is_dense_reweighting(n, d):
    X = table(n, d)
    problem = StructuredGraph(X, 3, 5, 0, 0.01)
    state = problem.update_S(problem.start())
    A = X.T @ laplacian(state.S.toarray()) @ X
    W = state.W
    for _ in range(problem.n_reweightings):
        q = 0.5 * ((W**2).sum(axis=1) + 1e-10) ** -0.5
        W = np.linalg.eigh(A + 0.01 * np.diag(q))[1][:, :3]
    found = problem.update_W(state)
    if d <= 400:
        norms = np.linalg.norm(found.W, axis=1)
        assert_allclose(norms, np.linalg.norm(W, axis=1), atol=1e-8)
    else:  # a step toward it, which takes most of the way
        before, now, best = map(problem.objective, (state, found, state._replace(W=W, XW=X @ W)))
        assert now - best <= 0.1 * (before - best)


def test_lambda_makes_as_many_components_as_wanted():
    X = table(60, 15)
    S = SOGFS(5, n_components=4, n_clusters=3).fit(X).affinity_
    assert components(S + S.T).max() + 1 == 3


def test_ulap_does_not_ask_for_components():
    X = table(60, 15)
    graph = ULAP(5, n_components=4).fit(X).affinity_
    assert components(graph + graph.T).max() + 1 != 5
    assert "n_clusters" not in ULAP().get_params()


@pytest.mark.parametrize("cls", [SOGFS, ULAP])
def test_large_gamma_picks_and_says_so(cls):
    with pytest.warns(DataWarning, match="just picked n_components=4"):
        est = cls(4, n_components=4, gamma=10.0).fit(table(60, 15))
    assert np.count_nonzero(est.scores_ > 1e-3) == 4


def test_without_a_bound_rows_of_s_are_no_neighborhoods():
    """Why D1 keeps k nonzeros: alpha from the unprojected distances makes rows nearly uniform."""
    X = table(100, 30)
    problem = StructuredGraph(X, 4, 5, 0, 0.01)
    state = problem.start()
    Z = X @ state.W
    cost = ((Z[:, None] - Z) ** 2).sum(axis=2)
    np.fill_diagonal(cost, np.inf)
    free = project_simplex(-cost / (2 * problem.alpha))
    assert np.count_nonzero(free, axis=1).mean() > 10


@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_blsfs_descends_and_is_its_dense_twin(n, d):
    X = StandardScaler().fit_transform(table(n, d))
    est = BLSFS(5, n_clusters=3, theta=0.5, gamma=4.0, max_iter=1, tol=None).fit(X)
    Y = np.eye(3)[est.pseudo_labels_]
    problem = BilevelSpectral(X, Y - Y.mean(axis=0), 5, 0.5, 4.0)
    state = problem.start()
    L = laplacian(state.P.toarray())
    R = np.eye(n) - 1 / n + 2 * 0.5 * L
    q = np.full(d, 0.5)
    for _ in range(2):
        W = np.linalg.solve(X.T @ R @ X + 4.0 * np.diag(q), X.T @ (Y - Y.mean(axis=0)))
        q = 0.5 / np.sqrt((W**2).sum(axis=1) + 1e-10)
    assert_allclose(problem.update_W(state).W, W, atol=1e-8)
    assert_allclose(est.scores_, np.linalg.norm(W, axis=1), atol=1e-8)
    check_block_descent(problem, n_sweeps=8)
    check_pure_step(problem, state)


def test_one_hot_labels_to_the_letter_are_trivial():
    """Why Y comes from normalized spectral clustering: one cluster maximizes tr(Y'S^Y)."""
    X = StandardScaler().fit_transform(table(60, 15))
    est = BLSFS(5, n_clusters=3).fit(X)
    from sksieve.graphs import knn_graph, normalized_adjacency

    S = normalized_adjacency(knn_graph(X, 5, weights="heat", sigma="mean_all")).toarray()
    Y = np.eye(3)[est.pseudo_labels_]
    assert S.sum() >= np.trace(Y.T @ S @ Y)


@pytest.mark.parametrize(("n", "d", "steps"), [(60, 15, 5), (25, 70, 5), (20, 850, 1)])
@pytest.mark.parametrize("c", [0, 3])
def test_whole_method_is_its_dense_twin(monkeypatch, n, d, steps, c):
    """With eigenvectors at any size, as the paper has them."""
    monkeypatch.setattr("sksieve.linalg._woodbury._STEP_SIZE", d)
    X = table(n, d)
    problem = StructuredGraph(X, 4, 5, c, 0.01)
    state = problem.start()
    for _ in range(steps):
        state = problem.step(state)
    W, S = ufs_twins.sogfs(X, 4, 5, c, 0.01, steps)
    assert_allclose(state.S.toarray(), S, atol=1e-8)
    assert_allclose((state.W**2).sum(axis=1), (W**2).sum(axis=1), atol=1e-8)


@pytest.mark.parametrize(("n", "d"), [(25, 500), (300, 450)])
def test_steps_end_as_low_as_eigenvectors(monkeypatch, n, d):
    X = table(n, d)
    steps = ULAP(10, n_components=4, gamma=0.003).fit(X).history_[-1]["objective"]
    monkeypatch.setattr("sksieve.linalg._woodbury._STEP_SIZE", d)
    exact = ULAP(10, n_components=4, gamma=0.003).fit(X).history_[-1]["objective"]
    assert_allclose(steps, exact, rtol=2e-3)


def test_the_change_is_that_of_the_objectives_of_both_states():
    problem = StructuredGraph(table(60, 15), 4, 5, 3, 0.01)
    old = problem.start()
    for _ in range(3):
        new = problem.step(old)
        f = problem.objective(old)
        moved = abs(problem.objective(new) - f) / f
        assert problem.change(old, new) == max(moved, abs(new.lam - old.lam) / old.lam)
        old = new


def test_history_stays_finite_where_lambda_changes():
    est = SOGFS(3, n_clusters=8, max_iter=6, tol=None).fit(table(40, 10))
    change = [record["change"] for record in est.history_]
    assert np.isfinite(change).all()
    assert max(change) >= 0.5, "lambda was doubled or halved"
