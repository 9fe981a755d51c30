"""The exact optimum: against all subsets, against proven figures, budgets, bounds, odd tables."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

from sksieve import ExactCSS, IteratedLocalSearchCSS
from sksieve.columns import GramProblem
from sksieve.columns.search._exact import ExactProblem
from sksieve.exceptions import DataError, RankDeficiencyWarning
from sksieve.kernels import _exact as kernel
from sksieve.testing import check_pure_step, check_resume


def error(A, S):
    Q = np.linalg.qr(A[:, list(S)])[0]
    R = A - Q @ (Q.T @ A)
    return float(np.sum((R - Q @ (Q.T @ R)) ** 2))


def unit(X):
    return X / np.where(X.any(axis=0), np.linalg.norm(X, axis=0), 1)


def table(seed, m=20, n=9):
    rng = np.random.RandomState(seed)
    return rng.randn(m, n) @ (np.eye(n) + 0.5 * rng.randn(n, n))


def problem(A):
    return GramProblem(A.T @ A)


def search_from(exact, k, f):
    """Run the search from a bad subset: local search must not do the work."""
    state = exact.start(None)
    worst = np.arange(k)
    state = state._replace(S_best=worst, f_best=f, level=0, head=np.zeros(max(k - 2, 1), int))
    while not exact.is_over(state):
        state = exact.step(state)
    return state


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(4, 20))
def test_all_subsets_of_a_small_table(seed, k, m):
    A = unit(table(seed, m=m))
    k = min(k, m)
    est = ExactCSS(k, scale="unit").fit(A)
    assert est.proven_
    assert est.lower_bound_ == pytest.approx(est.objective_, abs=1e-11)
    best = min(error(A, S) for S in combinations(range(9), k))
    assert est.objective_ == pytest.approx(best, abs=1e-10)


@settings(max_examples=40)
@given(
    st.integers(0, 10**6),
    st.integers(2, 7),
    st.sampled_from([1, 7, 10**6]),
    st.sampled_from([1.0, 100.0]),
)
def test_the_search_alone_finds_it(seed, k, chunk, length):
    """Started from a subset at random, in steps of any length, in any unit of the columns."""
    A = length * unit(table(seed))
    exact = ExactProblem(problem(A), k)
    exact.chunk = chunk
    state = search_from(exact, k, error(A, np.arange(k)))
    errors = [error(A, S) for S in combinations(range(9), k)]
    assert state.f_best == pytest.approx(min(errors), abs=1e-10 * length**2)
    assert error(A, state.S_best) == pytest.approx(state.f_best, abs=1e-10 * length**2)


@pytest.mark.parametrize("k", [4, 5, 6, 8])
def test_eigenvalue_bounds_cut_nodes_and_lose_nothing(k, monkeypatch):
    rng = np.random.RandomState(k)
    A = unit(rng.randn(60, 14) @ np.diag(0.7 ** np.arange(14)) @ rng.randn(14, 14))
    exact = ExactProblem(problem(A), k)
    state = search_from(exact, k, exact.start(None).f_best * 1.0001)
    assert state.f_best == pytest.approx(min(error(A, S) for S in combinations(range(14), k)))
    assert state.n_nodes < sum(comb(14, i) for i in range(1, k - 1))


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(0, 5))
@example(659, 0)  # a column that depends on those before it, to 1e-8: the bounds stay as they were
def test_gain_bounds_hold(seed, first):
    """No t later columns gain more than the bound says."""
    A = table(seed, n=10)
    G = A.T @ A
    most = np.full(6, np.inf)
    kernel._gain_bounds(G, G @ G, first, 1e-8 * np.diag(G), most)
    residual = np.diag(np.linalg.cholesky(G[first:, first:])) ** 2
    if np.min(residual / np.diag(G)[first:]) < 1e-8:
        assert np.isinf(most).all()
        return
    total = np.trace(G)
    for t in range(1, min(5, 10 - first) + 1):
        gains = [total - error(A, S) for S in combinations(range(first, 10), t)]
        assert max(gains) <= most[t] * (1 + 1e-12)
        values = np.linalg.eigvalsh(G)[::-1]
        # a column just above the threshold of 1e-8 carries errors of 10 eps / 1e-8
        assert most[t] <= values[:t].sum() * (1 + 10 * np.finfo(float).eps / 1e-8)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_tables_follow_their_columns(k):
    """What is kept for later columns is the residual Gram matrix and its square."""
    A = table(1)
    G = A.T @ A
    R, Q = G.copy(), G @ G
    for c in range(k):
        R_new, Q_new = np.full_like(G, np.nan), np.full_like(G, np.nan)
        kernel._insert.py_func(R, Q, c, R_new, Q_new)
        S = np.arange(c + 1)
        want = G - G[:, S] @ np.linalg.solve(G[np.ix_(S, S)], G[S])
        upper = np.triu_indices(9 - c - 1)
        np.testing.assert_allclose(R_new[c + 1 :, c + 1 :][upper], want[c + 1 :, c + 1 :][upper])
        want = (want @ want)[c + 1 :, c + 1 :]
        np.testing.assert_allclose(Q_new[c + 1 :, c + 1 :][upper], want[upper], rtol=1e-8)
        R, Q = R_new, Q_new


def test_steps_are_pure_and_resume():
    A = unit(np.random.RandomState(0).randn(40, 25))
    exact = ExactProblem(problem(A), 4)
    exact.chunk = 5
    state = exact.start(None)
    check_pure_step(exact, state)
    check_resume(exact, state, 4, 7)


def test_nodes_do_not_depend_on_how_they_are_batched():
    A = unit(np.random.RandomState(0).randn(40, 25))
    ends = []
    for chunk in (1, 13, 10**6):
        exact = ExactProblem(problem(A), 5)
        exact.chunk = chunk
        state = exact.start(None)
        while not exact.is_over(state):
            state = exact.step(state)
        ends.append(state)
    assert len({(end.n_nodes, end.f_best) for end in ends}) == 1


def test_budget_runs_out():
    X = load_digits().data
    with pytest.warns(ConvergenceWarning, match="Not proven: .* after 300 nodes"):
        est = ExactCSS(5, max_iter=300, scale="unit").fit(X)
    assert not est.proven_
    assert est.n_iter_ == 300
    assert est.stop_reason_ == "max_iter"
    assert est.lower_bound_ == est.svd_error_path_[5]
    assert est.lower_bound_ < est.objective_
    assert (
        est.objective_
        <= IteratedLocalSearchCSS(5, max_iter=1, full_path=False, scale="unit").fit(X).objective_
    )
    last = est.history_[-1]
    assert last["change"] == pytest.approx(1 - est.lower_bound_ / est.objective_)
    with pytest.warns(ConvergenceWarning, match="time_budget"):
        est = ExactCSS(8, max_iter=None, time_budget=0.01, scale="unit").fit(X)
    assert est.stop_reason_ == "time_budget"


def test_proof_ends_with_a_gap_of_zero():
    est = ExactCSS(4, scale="unit").fit(load_digits().data)
    assert est.proven_
    assert est.stop_reason_ == "tolerance"
    assert est.history_[-1]["change"] == 0
    assert list(est.path_) == [4]


def test_sparse_streamed_and_dense_agree():
    rng = np.random.RandomState(0)
    X = rng.randn(200, 15) * (rng.rand(200, 15) < 0.4)
    dense = ExactCSS(4, scale="unit").fit(X)
    streamed = ExactCSS(4, scale="unit")
    for block in np.array_split(X, 7):
        streamed.partial_fit(block)
    for other in (ExactCSS(4, scale="unit").fit(sp.csr_array(X)), streamed):
        np.testing.assert_array_equal(other.ranking_[:4], dense.ranking_[:4])
        assert other.proven_


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 5))
@pytest.mark.filterwarnings("ignore::sksieve.exceptions.RankDeficiencyWarning")
def test_copies_zeros_and_low_rank(seed, k, rank):
    rng = np.random.RandomState(seed)
    X = rng.randn(15, rank) @ rng.randn(rank, 10)
    X[:, 3] = 0.0
    X[:, 5] = -2 * X[:, 1]
    est = ExactCSS(k, scale="unit").fit(X)
    k = min(k, rank)
    assert est.n_features_to_select_ == k
    assert est.proven_
    A = unit(X)
    sets = [S for S in combinations(range(10), k) if np.linalg.matrix_rank(A[:, S], 1e-6) == k]
    best = min(error(A, S) for S in sets)
    assert est.objective_ == pytest.approx(best, abs=1e-8 * est.error_path_[0])


def test_near_copies_do_not_pass_for_gains():
    rng = np.random.RandomState(0)
    X = rng.randn(30, 6)
    X = np.column_stack([X, X + 1e-6 * rng.randn(30, 6)])
    est = ExactCSS(4, scale="unit").fit(X)
    assert est.objective_ == pytest.approx(error(unit(X), est.ranking_[:4]), rel=1e-9)
    assert est.objective_ == pytest.approx(
        ExactCSS(4, scale="unit").fit(X[:, :6]).objective_ * 2, rel=1e-4
    )


@pytest.mark.parametrize("n", [1, 2, 4])
def test_all_columns(n):
    est = ExactCSS(n, scale="unit").fit(np.random.RandomState(0).randn(10, n))
    assert est.objective_ == 0
    assert est.proven_


def test_refusals():
    with pytest.raises(DataError, match="Every column of X is zero"):
        ExactCSS(2, scale="unit").fit(np.zeros((5, 3)))
    with pytest.warns(RankDeficiencyWarning, match="rank 2"):
        est = ExactCSS(3, scale="unit").fit(np.random.RandomState(0).randn(2, 6))
    assert est.proven_


def test_scikit_learn():
    check_estimator(ExactCSS(2), on_skip=None)
    check_estimator(ExactCSS(), on_skip=None)


# Proven optima, as ratios to the error of the best rank-k approximation, five decimals.


@pytest.mark.parametrize(
    ("k", "ratio"),
    [(1, 1.12852), (2, 1.30933), (3, 1.34177), (4, 1.36840), (5, 1.36728), (6, 1.36254)],
)
def test_proven_sonar(real_data, k, ratio):
    X = real_data("sonar").X
    X = 2 * (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)) - 1
    est = ExactCSS(k, scale="unit").fit(X)
    assert est.proven_
    assert est.error_ratio_ == pytest.approx(ratio, abs=6e-6)


@pytest.mark.parametrize(("k", "ratio"), [(2, 1.11191), (3, 1.15048), (4, 1.18578), (5, 1.21432)])
def test_proven_digits(k, ratio):
    X = load_digits().data
    est = ExactCSS(k, scale="unit").fit(X[:, X.std(axis=0) > 0])
    assert est.proven_
    assert est.error_ratio_ == pytest.approx(ratio, abs=6e-6)


@pytest.mark.parametrize(("k", "ratio"), [(2, 1.10884), (3, 1.07133), (4, 1.07502)])
def test_proven_dna(real_data, k, ratio):
    est = ExactCSS(k, scale="unit").fit(real_data("dna").X.astype(float))
    assert est.proven_
    assert est.error_ratio_ == pytest.approx(ratio, abs=6e-6)


def test_local_search_reaches_the_proven_optimum():
    X = load_digits().data
    for k in (3, 5):
        search = IteratedLocalSearchCSS(k, random_state=0, scale="unit").fit(X)
        assert search.objective_ == pytest.approx(
            ExactCSS(k, scale="unit").fit(X).objective_, rel=1e-12
        )
