"""IterFS: fixed points against all swaps, starts, stopping, figures on real tables."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import check_estimator

from sksieve import GreedyCSS, IterFS
from sksieve.columns import GramProblem
from sksieve.columns.search._swaps import SwapProblem
from sksieve.exceptions import DataError, RankDeficiencyWarning
from sksieve.testing import check_pure_step, check_resume


def error(A, S):
    Q = np.linalg.qr(A[:, list(S)])[0]
    R = A - Q @ (Q.T @ A)
    return float(np.sum((R - Q @ (Q.T @ R)) ** 2))


def unit(X):
    return X / np.linalg.norm(X, axis=0)


def table(seed, m=20, n=9):
    rng = np.random.RandomState(seed)
    return rng.randn(m, n) @ (np.eye(n) + 0.5 * rng.randn(n, n))


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 9), st.sampled_from(["random", "greedy"]))
def test_no_swap_improves(seed, k, init):
    A = unit(table(seed))
    est = IterFS(k, init=init, random_state=seed, scale="unit").fit(A)
    S = est.path_[k]
    assert est.converged_
    assert est.objective_ == pytest.approx(error(A, S), abs=1e-11)
    outside = np.setdiff1d(np.arange(9), S)
    swaps = [error(A, [*np.delete(S, p), j]) for p in range(k) for j in outside]
    assert est.objective_ <= min(swaps, default=np.inf) + 1e-11


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_many_starts_find_the_best_subset_of_a_small_table(seed, k):
    A = unit(table(seed, n=8))
    est = IterFS(k, n_init=20, random_state=0, scale="unit").fit(A)
    assert est.objective_ == pytest.approx(min(error(A, S) for S in combinations(range(8), k)))


def test_the_answer_is_the_best_of_the_starts():
    X = table(3, n=30)
    whole = IterFS(6, n_init=8, random_state=5, scale="unit").fit(X)
    seeds = np.random.RandomState(5).randint(2**31 - 1, size=8)
    problem = SwapProblem(GramProblem(unit(X).T @ unit(X)))
    ends = []
    for seed in seeds:
        order = np.random.RandomState(seed).permutation(30)
        ends.append(problem.polish(problem.independent(order, 6))[1])
    assert len({round(f, 9) for f in ends}) > 1, "the starts must end apart for this to say much"
    assert whole.objective_ == pytest.approx(min(ends), rel=1e-12)
    assert whole.n_evaluations_ % (6 * 24) == 0


def test_greedy_start_is_never_worse_than_greedy():
    X = load_digits().data
    greedy = GreedyCSS(12, scale="unit").fit(X)
    est = IterFS(12, init="greedy", scale="unit").fit(X)
    assert est.objective_ < greedy.objective_
    one = IterFS(12, init="greedy", max_iter=1, scale="unit").fit(X)
    assert est.objective_ <= one.objective_ <= greedy.objective_
    assert one.stop_reason_ == "max_iter"
    assert one.n_iter_ == 1


def test_history_falls_and_ends_with_a_sweep_that_finds_nothing():
    X = load_digits().data
    est = IterFS(20, random_state=0, scale="unit").fit(X)
    f = [record["objective"] for record in est.history_]
    change = [record["change"] for record in est.history_]
    assert (np.diff(f) <= 0).all()
    assert change[-1] == 0
    assert min(change[:-1]) > 0
    assert est.stop_reason_ == "tolerance"
    assert est.n_iter_ == len(f)
    assert est.n_evaluations_ == len(f) * 20 * (64 - 20)
    assert f[-1] == pytest.approx(est.objective_, rel=1e-11)


def test_steps_are_pure_and_resume():
    from sksieve.columns.search._iterfs import IterFSProblem

    X = unit(table(0, n=40, m=60))
    problem = IterFSProblem(GramProblem(X.T @ X), 10, n_init=3, init="random")
    state = problem.start(np.random.RandomState(0))
    check_pure_step(problem, state)
    check_resume(problem, state, 2, 3)


def test_sparse_streamed_and_dense_agree():
    rng = np.random.RandomState(0)
    X = rng.randn(200, 25) * (rng.rand(200, 25) < 0.4)
    dense = IterFS(7, random_state=1, scale="unit").fit(X)
    sparse = IterFS(7, random_state=1, scale="unit").fit(sp.csr_array(X))
    streamed = IterFS(7, random_state=1, scale="unit")
    for block in np.array_split(X, 7):
        streamed.partial_fit(block)
    for other in (sparse, streamed):
        np.testing.assert_array_equal(other.ranking_[:7], dense.ranking_[:7])
        assert other.objective_ == pytest.approx(dense.objective_, rel=1e-10)


def test_copies_zeros_and_low_rank():
    rng = np.random.RandomState(0)
    X = rng.randn(30, 4)
    X = np.column_stack([X, X[:, ::-1], np.zeros(30), X @ rng.randn(4, 3)])
    with pytest.warns(RankDeficiencyWarning, match="rank 4"):
        est = IterFS(6, n_init=3, random_state=0, scale="unit").fit(X)
    assert est.n_features_to_select_ == 4
    assert 8 not in est.ranking_[:4]
    assert 0 <= est.objective_ <= 1e-12 * est.error_path_[0]
    two = IterFS(2, n_init=20, random_state=0, scale="unit").fit(X)
    A = X / np.where(X.any(axis=0), np.linalg.norm(X, axis=0), 1)
    pairs = [S for S in combinations(range(12), 2) if 8 not in S and sum(S) != 7]
    assert two.objective_ == pytest.approx(min(error(A, S) for S in pairs))
    with pytest.raises(DataError, match="Every column of X is zero"):
        IterFS(2, scale="unit").fit(np.zeros((5, 3)))


@pytest.mark.parametrize("n", [1, 4])
def test_all_columns(n):
    X = np.random.RandomState(0).randn(10, n)
    est = IterFS(n, random_state=0, scale="unit").fit(X)
    assert sorted(est.ranking_) == list(range(n))
    assert est.objective_ == 0
    assert est.converged_


def test_scikit_learn():
    check_estimator(IterFS(), on_skip=None)


# Standard deviations of a mean of 10 runs, from 100: 0.0002 (sonar), 0.0004 (dna), 0.008 (digits).


def test_published_figure_sonar(real_data):
    """2.524 in the literature, k = 50, columns in [-1, 1] and then of unit length."""
    X = real_data("sonar").X
    X = 2 * (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)) - 1
    ratios = [IterFS(50, random_state=s, scale="unit").fit(X).error_ratio_ for s in range(10)]
    assert np.mean(ratios) == pytest.approx(2.5238, abs=0.0008)
    assert min(ratios) >= 2.52208


def test_figure_dna(real_data):
    X = real_data("dna").X.astype(float)
    ratios = [IterFS(50, random_state=s, scale="unit").fit(X).error_ratio_ for s in range(10)]
    assert np.mean(ratios) == pytest.approx(1.2917, abs=0.0014)


def test_figure_digits():
    X = load_digits().data
    X = X[:, X.std(axis=0) > 0]
    ratios = [IterFS(50, random_state=s, scale="unit").fit(X).error_ratio_ for s in range(10)]
    assert np.mean(ratios) == pytest.approx(1.8636, abs=0.025)
    assert min(ratios) >= 1.8555
