"""The share that chosen columns explain on rows that were not used to fit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge

from sksieve.evaluation import explained
from sksieve.metrics import HeldOut
from sksieve.metrics import _held_out as held_out


def table(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, d)) + 0.7 * rng.normal(size=(n, d))
    return X * rng.uniform(0.1, 9, d) + rng.normal(size=d)


def folds(n):
    rng = np.random.RandomState(0)
    rng.permutation(n)  # the sample of rows, which is all of them
    return np.array_split(rng.permutation(n), min(5, n))


def by_hand(X, S, weights=None):
    """Share for each prefix of S, by scikit-learn's ridge regression."""
    spread = X.std(axis=0)
    Z = np.divide(X - X.mean(axis=0), spread, out=np.zeros_like(X), where=spread > 0)
    w = np.ones(X.shape[1]) if weights is None else weights
    shares = []
    for k in range(1, len(S) + 1):
        left = total = 0.0
        for test in folds(len(X)):
            train = np.setdiff1d(np.arange(len(X)), test)
            fit = Ridge(alpha=1e-3 * len(train)).fit(Z[np.ix_(train, S[:k])], Z[train])
            error = (Z[test] - fit.predict(Z[np.ix_(test, S[:k])])) ** 2
            error[:, S[:k]] = 0
            left += (error @ w).sum()
            total += (((Z[test] - Z[train].mean(axis=0)) ** 2) @ w).sum()
        shares.append(max(1 - left / total, 0.0))
    return shares


@pytest.mark.parametrize(("n", "d"), [(60, 8), (12, 30), (3, 4)])
@pytest.mark.parametrize("sparse", [False, True])
def test_every_prefix_is_ridge_regression_on_the_other_rows(n, d, sparse):
    X = table(n, d)
    X[:, 1] = 5.0
    S = [3, 0, 2]
    judge = HeldOut(sp.csr_array(X) if sparse else X)
    assert judge.path(S) == pytest.approx(by_hand(X, S), rel=1e-9, abs=1e-12)
    assert judge.explained(S) == judge.path(S)[-1] == pytest.approx(explained(X, S), rel=1e-12)


def test_the_columns_of_a_variable_share_its_weight():
    X = table(60, 8)
    X[:, 7] = 1.0
    groups = ["a", "b", "a", "c", "d", "d", "d", "d"]  # one column of d is constant
    judge = HeldOut(X, groups=groups)
    weights = np.array([1 / 2, 1, 1 / 2, 1, 1 / 3, 1 / 3, 1 / 3, 1 / 3])
    S = [3, 4, 5, 6]
    assert judge.path(S) == pytest.approx(by_hand(X, S, weights), rel=1e-9)
    assert judge.random(9).shape == (4,)
    assert judge.random(4)[-1] == 1.0


@pytest.mark.parametrize(("n", "d"), [(60, 8), (20, 40)])
@pytest.mark.parametrize("sparse", [False, True])
def test_principal_components_of_the_other_rows(n, d, sparse):
    X = table(n, d)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    left, total = np.zeros(4), 0.0
    for test in folds(n):
        pca = PCA(4, svd_solver="full").fit(np.delete(Z, test, axis=0))
        A = Z[test] - pca.mean_
        left += [
            np.sum((A - A @ V.T @ V) ** 2)
            for V in map(pca.components_.__getitem__, map(slice, range(1, 5)))
        ]
        total += np.sum(A**2)
    shares = HeldOut(sp.csr_array(X) if sparse else X).components(4)
    assert shares == pytest.approx(1 - left / total, rel=1e-8)


def test_as_many_components_as_rows_explain_no_more_than_one_less():
    """Centered rows have that rank: the last direction is that of rounding."""
    shares = HeldOut(table(20, 40)).components(99)
    assert len(shares) == 16
    assert shares[15] == pytest.approx(shares[14], rel=1e-9)


def test_leading_components_equal_all_of_them(monkeypatch):
    X = sp.csr_array(table(60, 40))
    exact = HeldOut(X).components(3)
    monkeypatch.setattr(held_out, "FULL", 10)
    assert HeldOut(X).components(3) == pytest.approx(exact, rel=1e-9)


def test_columns_of_noise_explain_what_they_are():
    X = np.random.default_rng(1).normal(size=(400, 10))
    judge = HeldOut(X)
    assert judge.path([0, 1, 2]) == pytest.approx([0.1, 0.2, 0.3], abs=0.02)
    assert judge.random(10) == pytest.approx(np.arange(1, 11) / 10, abs=0.02)
    assert judge.path(range(10))[-1] == 1.0
    assert judge.explained([]) == 0.0


def test_more_columns_than_rows_do_not_explain_by_chance():
    X = np.random.default_rng(0).normal(size=(40, 500))
    assert HeldOut(X).path(np.arange(30))[-1] < 0.1  # a fit to these rows reports 0.8 and more


def test_shares_of_each_column():
    X = table(80, 6)
    X[:, 4] = 2 * X[:, 1] + 7
    X[:, 5] = 1.0
    shares = HeldOut(X).by_column([1, 2])
    assert shares[[1, 2]].tolist() == [1, 1]
    assert shares[4] == pytest.approx(1, abs=1e-5)
    assert np.isnan(shares[5])
    judge = HeldOut(X)
    assert np.nanmean(shares) == pytest.approx(judge.explained([1, 2]), abs=0.01)


def test_a_large_table_is_judged_on_a_sample_of_its_rows(monkeypatch):
    X = table(3000, 10)
    whole = HeldOut(X).explained([0, 1])
    monkeypatch.setattr(held_out, "ENTRIES", 5000)
    judge = HeldOut(X)
    assert sum(fold.test.shape[0] for fold in judge._folds) == 500
    assert judge.explained([0, 1]) == pytest.approx(whole, abs=0.05)


def test_random_variables_do_not_depend_on_the_names_of_groups():
    X = np.random.RandomState(0).standard_normal((60, 9)).cumsum(axis=1)
    names, places = list("ccabbbead"), [0, 0, 1, 2, 2, 2, 3, 1, 4]
    one, other = HeldOut(X, groups=names), HeldOut(X, groups=places)
    np.testing.assert_array_equal(one.random(3), other.random(3))
    np.testing.assert_array_equal(one.random(5)[:3], one.random(3))
