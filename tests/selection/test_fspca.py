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
        ratios.append(est.train_explained_ / best_of_all(X, 2, 4))
    assert np.mean(ratios) >= 0.99
    assert min(ratios) >= 0.97
    assert max(ratios) <= 1 + 1e-9


def test_importance_with_copies_among_the_columns():
    """The null direction of two copies is rounding, and has no part in the diagonal of P."""
    rng = np.random.RandomState(0)
    x, y = rng.standard_normal((2, 30))
    X = np.column_stack([x, x, y])
    problem = SparseSubspace(X, 2, 2)
    P = problem.importance(problem.on(np.array([0, 1])))
    assert_allclose(P, (X.T @ x) ** 2 / (x @ x))


def global_optimum(problem):
    """Algorithm 1 of the paper: the first of the supports."""
    values, vectors = problem.A.leading_eigenpairs(problem.m)
    return next(problem._supports(vectors * np.sqrt(values)))


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
    state = problem.rest(problem.on(global_optimum(problem)))
    assert_allclose(state.value, value, rtol=1e-10)
    assert list(state.I) == list(kept)
    assert_allclose(problem.importance(state), diagonal, rtol=1e-8)
    est = FSPCA(6, n_components=3).fit(X)
    assert est.train_explained_ * np.vdot(Xc, Xc) >= value * (1 - 1e-12)
    check_block_descent(problem)
    check_pure_step(problem, problem.start())


@pytest.mark.parametrize("seed", range(5))
def test_globally_optimal_where_the_rank_is_m(seed):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 9))
    Xc = X - X.mean(axis=0)
    problem = SparseSubspace(Xc, 2, 4)
    value = problem.on(global_optimum(problem)).value
    assert_allclose(value / np.vdot(Xc, Xc), best_of_all(X, 2, 4), rtol=1e-10)


def test_chosen_set_is_the_ranking_s_head():
    X = np.random.RandomState(0).standard_normal((40, 15)) * np.linspace(1, 2, 15)
    est = FSPCA(5, n_components=2).fit(X)
    A = np.cov(X.T)
    J = est.get_support(indices=True)
    value = np.linalg.eigvalsh(A[np.ix_(J, J)])[-2:].sum() / np.trace(A)
    assert_allclose(est.train_explained_, value)


def test_standardized_columns_warn():
    X = StandardScaler().fit_transform(np.random.RandomState(0).standard_normal((40, 8)))
    with pytest.warns(DataWarning, match="not standardized"):
        FSPCA(3, n_components=2).fit(X)


@pytest.mark.parametrize(("n", "d", "s"), [(40, 12, 6), (10, 30, 12)])
def test_bound_of_an_exchange_is_below_its_value_and_near_it(n, d, s):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((n, d)) * np.linspace(1, 2, d)
    Xc = X - X.mean(axis=0)
    A = Xc.T @ Xc
    problem = SparseSubspace(Xc, 3, s)
    state = problem.start()
    out, into = np.arange(s), np.setdiff1d(np.arange(d), state.I)
    bounds = problem.exchange_bounds(state, out, into)
    exact = np.empty_like(bounds)
    for i in out:
        for j, new in enumerate(into):
            J = np.append(np.delete(state.I, i), new)
            exact[i, j] = np.linalg.eigvalsh(A[np.ix_(J, J)])[-3:].sum()
    assert (bounds <= exact * (1 + 1e-12)).all()
    assert (bounds >= 0.85 * exact).all()
    # and exact where V is a coordinate vector that leaves, or the column that enters is alone
    A = np.diag([5.0, 4.0, 3.0, 2.0])
    problem = SparseSubspace(np.sqrt(A), 1, 2)
    one = problem.exchange_bounds(problem.on(np.array([0, 1])), np.array([0, 1]), np.array([2]))
    assert_allclose(one, [[3.0], [5.0]])  # without column 0 V is gone, and column 2 is what is left


def test_an_exchange_raises_the_objective_where_the_iteration_rests():
    """From a random start, as good as the best of all exchanges in most cases."""
    equal = []
    for seed in range(20):
        X = np.random.RandomState(seed).standard_normal((40, 16))
        Xc = X - X.mean(axis=0)
        A = Xc.T @ Xc
        problem = SparseSubspace(Xc, 2, 6)
        state = problem.rest(problem.on(np.random.RandomState(seed).permutation(16)[:6]))
        rest = np.setdiff1d(np.arange(16), state.I)
        sets = [np.append(np.delete(state.I, i), j) for i in range(6) for j in rest]
        best = max(np.linalg.eigvalsh(A[np.ix_(J, J)])[-2:].sum() for J in sets)
        new = problem.update_exchange(state).value
        assert (new > state.value) == (best > state.value * (1 + 1e-12))
        equal.append(new >= max(best, state.value) * (1 - 1e-12))
    assert np.mean(equal) >= 0.8


def test_many_columns_are_solved_from_a_guess_as_well_as_whole(monkeypatch):
    """Above `_WHOLE` columns eigenvectors come from block steps: the same answer."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((50, 8)) @ rng.standard_normal((8, 120)) + rng.standard_normal(
        (50, 120)
    )
    whole = FSPCA(40).fit(X)
    monkeypatch.setattr("sksieve.selection._fspca._WHOLE", 0)
    steps = FSPCA(40).fit(X)
    assert_allclose(steps.train_explained_, whole.train_explained_, rtol=1e-9)
    assert set(np.flatnonzero(steps.get_support())) == set(np.flatnonzero(whole.get_support()))
