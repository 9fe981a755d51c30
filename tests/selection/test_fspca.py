"""FSPCA: against brute force, and the theorems of the paper."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.preprocessing import StandardScaler

from sksieve import FSPCA
from sksieve.exceptions import DataWarning
from sksieve.selection._fspca import SparseSubspace
from sksieve.testing import check_block_descent, check_pure_step


def best_of_all(X, m, s):
    A = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    return max(
        np.linalg.eigvalsh(A[np.ix_(J, J)])[-m:].sum() for J in combinations(range(X.shape[1]), s)
    ) / np.trace(A)


def test_within_one_percent_of_brute_force_on_random_covariances():
    ratios = []
    for seed in range(100):
        X = np.random.RandomState(seed).standard_normal((20, 12))
        est = FSPCA(4, n_components=2).fit(X)
        ratios.append(est.explained_ / best_of_all(X, 2, 4))
    assert np.mean(ratios) >= 0.99
    assert min(ratios) >= 0.97
    assert max(ratios) <= 1 + 1e-9


def test_importance_with_copies_among_the_columns():
    """The null direction of two copies is rounding, and has no part in the diagonal of P."""
    rng = np.random.RandomState(0)
    x, y = rng.standard_normal((2, 30))
    X = np.column_stack([x, x, y])
    P = SparseSubspace(X, 2, 2).importance(np.array([0, 1]))
    assert_allclose(P, (X.T @ x) ** 2 / (x @ x))


def literal_ipu(X, m, s):
    """The paper's two algorithms on A written out."""
    A = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    values, V = np.linalg.eigh(A)
    A_m = V[:, -m:] * values[-m:] @ V[:, -m:].T
    diagonal = np.diag(A_m)
    for _ in range(20):
        kept = np.sort(np.argsort(-diagonal, kind="stable")[:s])
        W = np.zeros((len(A), m))
        W[kept] = np.linalg.eigh(A[np.ix_(kept, kept)])[1][:, -m:]
        diagonal = np.diag(A @ W @ np.linalg.pinv(W.T @ A @ W) @ W.T @ A)
    return kept, np.trace(W.T @ A @ W), diagonal


@pytest.mark.parametrize(("n", "d"), [(60, 15), (20, 60)])
def test_never_below_the_paper_and_equal_without_additions(n, d):
    rng = np.random.RandomState(1)
    X = rng.standard_normal((n, 5)) @ rng.standard_normal((5, d)) + rng.standard_normal((n, d))
    kept, value, diagonal = literal_ipu(X, 3, 6)
    Xc = X - X.mean(axis=0)
    problem = SparseSubspace(Xc, 3, 6)
    state = problem._rest(problem._globally_optimal())
    assert_allclose(state.value, value, rtol=1e-10)
    assert list(state.I) == list(kept)
    assert_allclose(problem.importance(state.I), diagonal, rtol=1e-8)
    est = FSPCA(6, n_components=3).fit(X)
    assert est.explained_ * np.vdot(Xc, Xc) >= value * (1 - 1e-12)
    check_block_descent(problem)
    check_pure_step(problem, problem.start())


@pytest.mark.parametrize("seed", range(5))
def test_globally_optimal_where_the_rank_is_m(seed):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 9))
    Xc = X - X.mean(axis=0)
    problem = SparseSubspace(Xc, 2, 4)
    value = problem.on(problem._globally_optimal()).value
    assert_allclose(value / np.vdot(Xc, Xc), best_of_all(X, 2, 4), rtol=1e-10)


def test_chosen_set_is_the_ranking_s_head():
    X = np.random.RandomState(0).standard_normal((40, 15)) * np.linspace(1, 2, 15)
    est = FSPCA(5, n_components=2).fit(X)
    A = np.cov(X.T)
    J = est.get_support(indices=True)
    value = np.linalg.eigvalsh(A[np.ix_(J, J)])[-2:].sum() / np.trace(A)
    assert_allclose(est.explained_, value)


def test_standardized_columns_warn():
    X = StandardScaler().fit_transform(np.random.RandomState(0).standard_normal((40, 8)))
    with pytest.warns(DataWarning, match="not standardized"):
        FSPCA(3, n_components=2).fit(X)
