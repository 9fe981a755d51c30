"""MCFS: the embedding, the knot of the path, the scores, disconnected graphs."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.linear_model import Lasso, lars_path

from sksieve import MCFS
from sksieve.exceptions import DataError, TooLargeError
from sksieve.graphs import components, knn_graph, laplacian
from sksieve.linalg import _eig
from sksieve.selection._mcfs import flat_embedding, lars_knot


def table(n=80, d=20, c=4, seed=0):
    rng = np.random.RandomState(seed)
    X, _ = make_blobs(n, d // 2, centers=c, cluster_std=3.0, random_state=rng)
    return np.column_stack([X, rng.standard_normal((n, d - d // 2))])


def far_apart(n_islands=5, size=12, d=10):
    rng = np.random.RandomState(0)
    X = np.repeat(100 * rng.standard_normal((n_islands, d)), size, axis=0)
    return X + rng.standard_normal(X.shape)


# The embedding -------------------------------------------------------------------------------


def test_embedding_solves_the_generalized_eigenproblem():
    """``L y = lambda D y`` for the smallest nonzero lambda, ``Y'DY = I``."""
    A = knn_graph(table(), 15, weights="heat", sigma="mean_all")
    assert components(A).max() == 0, "connected"
    Y = flat_embedding(A, 3)
    D = np.diag(A.sum(axis=1))
    values = np.diagonal(Y.T @ (laplacian(A) @ Y))
    assert_allclose(laplacian(A) @ Y, D @ Y * values, atol=1e-10)
    assert_allclose(Y.T @ D @ Y, np.eye(3), atol=1e-10)
    root = np.diag(A.sum(axis=1) ** -0.5)
    all_values = np.linalg.eigvalsh(root @ laplacian(A).toarray() @ root)
    assert_allclose(values, all_values[1:4], atol=1e-10)
    assert_allclose(D.sum(axis=0) @ Y, 0, atol=1e-10)


def test_embedding_of_components_is_their_indicators():
    """Of all but the largest; with the constant they span what all of them span."""
    X = far_apart()[:-4]  # the last island is the smallest
    A = knn_graph(X, 5, weights="heat", sigma="mean_all")
    labels = components(A)
    Y = flat_embedding(A, 4)
    for y in Y.T:
        assert len(set(np.round(y[y != 0], 12))) == 1
        assert len(set(labels[y != 0])) == 1
    volume = np.bincount(labels, A.sum(axis=1))
    assert not Y[labels == volume.argmax()].any()


@pytest.mark.parametrize("q", [3, 4, 8], ids=["fewer", "as many", "more"])
def test_lapack_driver_does_not_matter(monkeypatch, q):
    """On a disconnected graph, where eigenvalue 1 is multiple."""
    X = far_apart()
    answers, eigh, used = [], _eig.eigh, []

    def with_driver(driver, *args, **options):
        used.append(driver)
        return eigh(*args, **options, driver=driver)

    for driver in ("evr", "evx"):
        monkeypatch.setattr(_eig, "eigh", partial(with_driver, driver))
        answers.append(MCFS(6, n_clusters=q).fit(X))
    assert_array_equal(answers[0].ranking_[:6], answers[1].ranking_[:6])
    assert_allclose(answers[0].scores_, answers[1].scores_, atol=1e-9)
    if q == 8:
        assert set(used) == {"evr", "evx"}, "the driver was asked for"


# The knot ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_knot_is_a_lasso_solution_with_m_nonzeros(seed):
    rng = np.random.RandomState(seed)
    X, y = rng.standard_normal((30, 12)), rng.standard_normal(30)
    G, r = X.T @ X + 1e-3 * np.eye(12), X.T @ y
    for m in range(1, 13):
        a = lars_knot(G, r, m, 30)
        active = a != 0
        assert active.sum() == m
        pull = r - G @ a  # equal to the multiplier on the active set, smaller elsewhere
        lam = np.abs(pull[active]).mean()
        assert_allclose(pull[active], lam * np.sign(a[active]), atol=1e-9)
        assert np.abs(pull).max() <= lam + 1e-9


def test_knot_agrees_with_coordinate_descent():
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((40, 8)), rng.standard_normal(40)
    a = lars_knot(X.T @ X, X.T @ y, 4, 40)
    lam = np.abs(X.T @ (y - X @ a)).max()
    other = Lasso(lam / 40, fit_intercept=False, tol=1e-12, max_iter=10**5).fit(X, y).coef_
    assert_allclose(a, other, atol=1e-6)


def test_first_knot_counts_where_a_variable_leaves_on_the_way():
    """Such a path meets a cardinality twice."""
    met_twice = 0
    for seed in range(60):
        rng = np.random.RandomState(seed)
        X = rng.standard_normal((12, 8)) @ rng.standard_normal((8, 8))
        y = rng.standard_normal(12)
        path = lars_path(X, y, method="lasso")[2]
        path[np.abs(path) < 1e-12] = 0  # what is left of a variable that left
        sizes = np.count_nonzero(path, axis=0)
        for m in set(sizes) - {0}:
            knots = np.flatnonzero(sizes == m)
            met_twice += len(knots) > 1
            assert_allclose(lars_knot(X.T @ X, X.T @ y, m, 12), path[:, knots[0]], atol=1e-8)
    assert met_twice > 10


def test_fewer_than_m_ever_enter():
    X = table(n=10, d=30)
    est = MCFS(25, n_clusters=2, n_neighbors=3).fit(X)
    used = np.count_nonzero(est.coef_, axis=1)
    assert (used <= 25).all()
    assert (used > 0).all()
    assert est.get_support().sum() == 25


def test_nothing_to_explain_gives_zeros():
    assert_array_equal(lars_knot(np.eye(3), np.zeros(3), 2, 5), 0)


# The estimator -------------------------------------------------------------------------------


def test_scores_are_the_largest_scaled_coefficients():
    est = MCFS(6, n_clusters=3).fit(table())
    assert_array_equal(np.count_nonzero(est.coef_, axis=1), 6)
    a = est.coef_.T / np.linalg.norm(est.coef_, axis=1)
    assert_allclose(est.scores_, np.abs(a).max(axis=1), rtol=1e-12)


def test_regression_is_that_of_the_raw_table():
    """Neither X nor Y is centered or scaled; the ridge is 1e-3."""
    X = 7 * table() + 3
    est = MCFS(5, n_clusters=2).fit(X)
    G, R = X.T @ X + 1e-3 * np.eye(20), X.T @ est.embedding_
    for a, r in zip(est.coef_, R.T, strict=True):
        pull = r - G @ a
        lam = np.abs(pull).max()
        assert_allclose(np.abs(pull[a != 0]), lam, rtol=1e-6)


def test_scores_depend_on_the_number_of_columns():
    X = table()
    few, many = MCFS(3).fit(X), MCFS(15).fit(X)
    assert np.count_nonzero(few.scores_) < np.count_nonzero(many.scores_)
    assert not MCFS.nested


def test_constant_columns_take_no_part():
    X = table()
    padded = MCFS(6).fit(np.column_stack([np.full(80, 9.0), X, np.zeros(80)]))
    plain = MCFS(6).fit(X)
    assert_array_equal(padded.get_support(indices=True), plain.get_support(indices=True) + 1)
    assert set(padded.ranking_[-2:]) == {0, 21}


def test_sparse_is_dense():
    X = table()
    X[np.random.RandomState(1).random_sample(X.shape) < 0.6] = 0
    a, b = MCFS(6).fit(sp.csr_array(X)), MCFS(6).fit(X)
    assert_array_equal(a.ranking_[:6], b.ranking_[:6])
    assert_allclose(a.scores_, b.scores_, atol=1e-8)


def test_unit_of_the_table_does_not_matter():
    X = table()
    plain = MCFS(6).fit(X)
    for unit in (1e3, 1e30):
        assert_array_equal(MCFS(6).fit(unit * X).ranking_[:6], plain.ranking_[:6])


def test_clusters_are_seen():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((90, 12))
    X[:, [2, 7]] += 8 * np.array([[0, 0], [0, 1], [1, 0]])[np.arange(90) % 3]
    kept = MCFS(2, n_clusters=3).fit(X).get_support(indices=True)
    assert set(kept) == {2, 7}


def test_refused():
    with pytest.raises(ValueError, match="n_clusters=10 eigenvectors"):
        MCFS(2, n_clusters=10).fit(table(n=10))
    with pytest.raises(DataError, match="Every column of X is constant"):
        MCFS(2).fit(np.ones((20, 4)))
    with pytest.raises(TooLargeError, match=r"MCFS on 8 rows and 21000 columns .* 8\.9 GB"):
        MCFS(2, n_clusters=2).fit(np.eye(8, 21000))


@pytest.mark.parametrize("size", [1e-9, 1e-40, 1e-140])
def test_small_numbers_end_no_path_early(size):
    """Where the ridge of 1e-3 outweighs the table, regressions are in proportion to it."""
    X = np.abs(np.random.RandomState(0).standard_normal((40, 12)))
    small, smaller = MCFS(4, n_clusters=3).fit(1e-7 * X), MCFS(4, n_clusters=3).fit(size * X)
    assert (np.count_nonzero(smaller.coef_, axis=1) == 4).all()
    assert_allclose(smaller.scores_, small.scores_, atol=1e-9)
