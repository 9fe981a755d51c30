"""SPCAFS and UDFS against literal dense twins; what the data must look like."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from sksieve import FSPCA, L1UFS, RNE, SOGFS, SPCAFS, UDFS, ULAP
from sksieve.exceptions import DataError, DataWarning
from sksieve.graphs import nearest_neighbors
from sksieve.linalg import SignedGram
from sksieve.selection._row_sparse import starting_weights, warn_if_coordinates
from sksieve.selection._udfs import local_discriminant

SHAPES = [(60, 15), (25, 70)]


def table(n, d, seed=0):
    rng = np.random.RandomState(seed)
    return rng.standard_normal((n, 6)) @ rng.standard_normal((6, d)) + rng.standard_normal((n, d))


def irls(A, g, m, p, steps, q, eps=1e-10):
    """min tr(W'AW) + g ||W||_{2,p}^p, W'W = I, dense and to the letter."""
    for _ in range(steps + 1):
        W = np.linalg.eigh(A + g * np.diag(q))[1][:, :m]
        q = (p / 2) * ((W**2).sum(axis=1) + eps) ** (p / 2 - 1)
    return W


@pytest.mark.parametrize(("n", "d"), [*SHAPES, (40, 1000)])
@pytest.mark.parametrize("p", [1.0, 0.5])
def test_spcafs_is_its_dense_twin(n, d, p):
    X = table(n, d)
    est = SPCAFS(5, n_components=3, p=p, gamma=0.02, max_iter=6, tol=None).fit(X)
    Xc = X - X.mean(axis=0)
    S = Xc.T @ Xc
    W = irls(-S, 0.02 * np.linalg.eigvalsh(S)[-1], 3, p, 6, np.ones(d))
    assert_allclose(est.scores_, (W**2).sum(axis=1), atol=1e-8)


def test_spcafs_gamma_is_in_units_of_the_largest_eigenvalue():
    X = table(60, 15)
    scores = SPCAFS(5, n_components=3, gamma=0.02).fit(X).scores_
    assert_allclose(SPCAFS(5, n_components=3, gamma=0.02).fit(8 * X).scores_, scores, atol=1e-8)


def test_large_gamma_picks_the_columns_of_largest_variance():
    X = table(80, 20) * 2.0 ** np.linspace(0, 6, 20)
    with pytest.warns(DataWarning, match="just picked n_components=4"):
        est = SPCAFS(4, n_components=4, gamma=100.0).fit(X)
    assert set(est.ranking_[:4]) == set(np.argsort(-X.var(axis=0))[:4])


def test_spcafs_on_standardized_columns_warns():
    X = StandardScaler().fit_transform(table(60, 15))
    with pytest.warns(DataWarning, match="not standardized"):
        SPCAFS(5, n_components=3).fit(X)


def test_start_is_weighted_only_where_a_null_space_holds_the_subspace():
    B = table(4, 9)  # rank 4: a null space of dimension 5
    A = SignedGram(B)
    assert_array_equal(starting_weights(A, 6), np.ones(9))
    cost = (B**2).sum(axis=0)
    assert_allclose(starting_weights(A, 5), cost / cost.mean())


@pytest.mark.parametrize("cls", [SPCAFS, FSPCA])
def test_some_columns_of_large_variance_are_no_other_unit(cls):
    X = table(60, 10) * np.where(np.arange(10) < 3, 30.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cls(4, n_components=2).fit(X)


#: With the default SPCAFS warns of gamma as well.
SMALL_GAMMA = {SPCAFS: {"gamma": 1e-3}}


@pytest.mark.parametrize("cls", [SPCAFS, FSPCA])
def test_columns_in_different_units_warn(cls):
    X = load_wine().data  # proline, in hundreds, has 99.8 % of the variance
    with pytest.warns(DataWarning, match="One column holds 99.8 % of the variance.*one unit"):
        cls(4, **SMALL_GAMMA.get(cls, {})).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cls(2).fit(load_iris().data)  # one unit, one column with most of the variance


@pytest.mark.parametrize("cls", [UDFS, SOGFS, ULAP, RNE])
def test_unscaled_columns_warn_where_scatter_is_minimized(cls):
    X = table(60, 12)
    X[:, 3] *= 1e-3
    with pytest.warns(DataWarning, match=f"differ by a factor.*{cls.__name__} prefers"):
        cls(3, scale="none").fit(X)


def test_as_many_components_as_columns_are_kept_but_fifty():
    X = table(200, 80)
    for cls in (SPCAFS, UDFS):
        assert cls(7).fit(X).components_.shape == (7, 80)
        assert cls(60).fit(X).components_.shape == (50, 80)
        assert cls(5, n_components=3).fit(X).components_.shape == (3, 80)
    assert UDFS(20).fit(X[:80]).components_.shape == (10, 80)
    assert SPCAFS(20).fit(X[:80]).components_.shape == (20, 80)
    with pytest.warns(DataWarning, match="no subspace of dimension 90"):
        assert UDFS(5, n_components=90).fit(X).components_.shape == (79, 80)
    with pytest.warns(DataWarning, match="of which 9 can be distinguished"):
        assert SPCAFS(5, n_components=20).fit(X[:10]).components_.shape == (9, 80)


def test_picked_columns_are_no_fault_unless_they_are_the_cheapest():
    norms = np.array([1.0, 1.0, 0, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_coordinates(norms, np.array([2.0, 1, 0, 3]), 0.1, 2, 2)
        warn_if_coordinates(np.ones(4), np.array([2.0, 1, 0, 3]), 0.1, 4, 2)  # nothing to pick
    for cost, k in ([2.0, 1, 0, 3], 3), ([0, 1, 2.0, 3], 2):
        with pytest.warns(DataWarning, match="just picked n_components=2"):
            warn_if_coordinates(norms, np.array(cost), 0.1, 2, k)


def literal_discriminant(X, k, lam):
    n = len(X)
    M = np.zeros((n, n))
    H = np.eye(k + 1) - 1 / (k + 1)
    near = nearest_neighbors(X, k)[0]
    for i in range(n):
        S = np.zeros((n, k + 1))
        S[[i, *near[i]], range(k + 1)] = 1
        Z = H @ S.T @ X
        M += S @ H @ np.linalg.inv(Z @ Z.T + lam * np.eye(k + 1)) @ H @ S.T
    return M


@pytest.mark.parametrize("lam", [0.1, 1000.0])
@pytest.mark.parametrize("d", [3, 12])
def test_local_discriminant_matrix(lam, d):
    X = table(30, d)
    M = local_discriminant(X, 4, lam).toarray()
    assert_allclose(M, literal_discriminant(X, 4, lam), atol=1e-12)
    assert np.linalg.eigvalsh(M)[0] > -1e-12


@pytest.mark.parametrize(("n", "d"), [*SHAPES, (40, 1000)])
def test_udfs_is_its_dense_twin(n, d):
    X = table(n, d)
    est = UDFS(5, n_components=3, gamma=0.2, lam=10.0, max_iter=6, tol=None).fit(X)
    Z = StandardScaler().fit_transform(X)
    A = Z.T @ literal_discriminant(Z, 5, 10.0) @ Z
    diagonal = np.diag(A)
    q = np.ones(d) if n > d else diagonal / diagonal.mean()
    W = irls(A, 0.2 * diagonal.mean(), 3, 1.0, 6, q)
    assert_allclose(est.scores_, np.linalg.norm(W, axis=1), atol=1e-8)


def test_a_ridge_cannot_make_udfs_well_posed():
    """W'W = I: a multiple of the identity adds the same to every W (deviation D3)."""
    A = np.cov(table(10, 30).T)
    rng = np.random.RandomState(0)
    values = []
    for _ in range(2):
        W = np.linalg.qr(rng.standard_normal((30, 4)))[0]
        values.append(np.trace(W.T @ (A + 0.5 * np.eye(30)) @ W) - np.trace(W.T @ A @ W))
    assert_allclose(values, 0.5 * 4)


def test_udfs_wide_data_do_not_depend_on_the_order_of_columns():
    X = table(20, 90)
    p = np.random.RandomState(1).permutation(90)
    a, b = UDFS(5, n_components=3).fit(X), UDFS(5, n_components=3).fit(X[:, p])
    assert_allclose(b.scores_, a.scores_[p], atol=1e-7)


def test_udfs_on_unscaled_columns_prefers_the_small_ones_and_says_so():
    X = table(80, 20)
    X[:, 3] *= 1e-3
    with pytest.warns(DataWarning, match="small variance"):
        est = UDFS(1, n_components=2, scale="none").fit(X)
    assert est.ranking_[0] == 3


@pytest.mark.parametrize("cls", [SPCAFS, UDFS])
def test_constant_columns_are_last_and_nothing_but_them_is_refused(cls):
    X = np.column_stack([np.full(40, 0.1), table(40, 8)])
    est = cls(3, n_components=2).fit(X)
    assert est.ranking_[-1] == 0
    assert_array_equal(est.components_[:, 0], 0)
    with pytest.raises(DataError, match="constant"):
        cls(1, n_components=1).fit(np.ones((10, 3)))


@pytest.mark.parametrize("cls", [SPCAFS, UDFS])
def test_objective_falls_on_digits(cls):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        est = cls(10, tol=None, max_iter=15).fit(load_digits().data[:300])
    f = [record["objective"] for record in est.history_]
    assert all(b <= a + 1e-9 * abs(a) for a, b in pairwise(f))


def test_local_discriminant_beside_an_outlier_that_hides_lam():
    X = np.random.RandomState(0).standard_normal((12, 4))
    X[0, 0] = 1e12
    M = local_discriminant(X, 5, 1000.0).toarray()
    assert_allclose(M, M.T, atol=1e-15)
    assert np.linalg.eigvalsh(M).min() > -1e-15


@pytest.mark.parametrize("make", [SPCAFS, lambda: RNE(scale="none"), lambda: L1UFS(scale="none")])
def test_numbers_whose_fourth_power_overflows_are_refused(make):
    X = np.random.RandomState(0).standard_normal((30, 5))
    with pytest.raises(DataError, match="products of 4"):
        make().fit(1e150 * X)
