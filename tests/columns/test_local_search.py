"""Iterated local search: optima of small tables, the path, resuming, stopping, odd tables."""

from itertools import combinations
from time import perf_counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import check_estimator

from sksieve import GreedyCSS, IteratedLocalSearchCSS, IterFS
from sksieve.columns import GramProblem, _local_search
from sksieve.columns.search._front import Front, swap_front
from sksieve.columns.search._local_search import PATIENCE, WINDOW, LocalSearchProblem
from sksieve.columns.search._swaps import SwapProblem, error_of, shrunk
from sksieve.exceptions import DataError, RankDeficiencyWarning
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


def noisy_factors(m=80, n=40, rank=8):
    rng = np.random.RandomState(7)
    return rng.randn(m, rank) @ rng.randn(rank, n) + 0.5 * rng.randn(m, n)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 9))
def test_small_tables_to_the_optimum(seed, k):
    A = unit(table(seed))
    est = IteratedLocalSearchCSS(k, max_iter=150, random_state=0, scale="unit").fit(A)
    for size in range(1, k + 1):
        best = min(error(A, S) for S in combinations(range(9), size))
        assert est.error_path_[size] >= best - 1e-11
        if size == k:
            assert est.error_path_[size] == pytest.approx(best, abs=1e-11)


@settings(max_examples=15)
@given(
    st.integers(0, 10**6),
    st.integers(1, 10),
    st.integers(1, 6),
    st.sampled_from([0.0, 1e-9, 1e-6, 1e-2]),
)
@pytest.mark.filterwarnings("ignore::sksieve.exceptions.RankDeficiencyWarning")
def test_odd_tables(seed, k, rank, noise):
    """Copies, zeros, low rank, nearly dependent columns: an answer, true errors, no false gain."""
    rng = np.random.RandomState(seed)
    X = rng.randn(15, rank) @ rng.randn(rank, 10) + noise * rng.randn(15, 10)
    X[:, 3] = 0.0
    X[:, 5] = -2 * X[:, 1]
    X[:, 7] = X[:, 2] + noise * rng.randn(15)
    est = IteratedLocalSearchCSS(k, max_iter=60, random_state=0, scale="unit").fit(X)
    A = unit(X)
    reached = est.n_features_to_select_
    assert reached <= k
    assert list(est.path_) == list(range(1, reached + 1))
    errors = list(est.error_path_.values())
    assert np.diff(errors).max() <= 1e-12 * errors[0]
    for size, S in est.path_.items():
        assert 3 not in S
        assert not {1, 5} <= set(S.tolist())
        assert est.error_path_[size] == pytest.approx(error(A, S), abs=1e-9 * errors[0])
    if reached < k:
        assert est.objective_ <= 1e-9 * errors[0]
    greedy = GreedyCSS(k, scale="unit").fit(X)
    for size in range(1, min(reached, greedy.n_features_to_select_) + 1):
        assert errors[size] <= greedy.error_path_[size] + 1e-9 * errors[0]


def test_never_worse_than_one_local_search_and_than_greedy():
    X = load_digits().data
    est = IteratedLocalSearchCSS(15, max_iter=30, random_state=0, scale="unit").fit(X)
    greedy = GreedyCSS(15, scale="unit").fit(X)
    for size in range(1, 16):
        assert est.error_path_[size] <= greedy.error_path_[size] * (1 + 1e-12)
    assert est.objective_ <= IterFS(15, init="greedy", scale="unit").fit(X).objective_ * (1 + 1e-12)


def test_same_seed_same_answer():
    X = noisy_factors()
    first, again = (
        IteratedLocalSearchCSS(12, random_state=3, scale="unit").fit(X) for _ in range(2)
    )
    np.testing.assert_array_equal(first.ranking_, again.ranking_)
    assert first.error_path_ == again.error_path_
    assert first.n_iter_ == again.n_iter_ == 500
    assert [r["objective"] for r in first.history_] == [r["objective"] for r in again.history_]


def search_of(k=12):
    A = unit(noisy_factors())
    search = LocalSearchProblem(GramProblem(A.T @ A), k)
    return search, search.start(np.random.RandomState(0))


def test_steps_are_pure_and_resume():
    search, state = search_of()
    check_pure_step(search, state, n_steps=6)
    check_resume(search, state, 8, 12)


def test_rounds_do_not_depend_on_how_they_are_batched():
    search, state = search_of()
    single, _ = search_of()
    single.batch = 1
    a = b = state
    while a.n_rounds < 3 * PATIENCE:
        a = search.step(a)
    while b.n_rounds < a.n_rounds:
        b = single.step(b)
    for x, y in zip(a, b, strict=True):
        np.testing.assert_array_equal(x, y)


def test_restart_after_kicks_that_led_nowhere():
    search, state = search_of()
    restarts = 0
    for _ in range(60):
        new = search.step(state)
        assert new.f_best <= state.f_best
        assert new.n_rounds > state.n_rounds
        if state.failed >= PATIENCE:
            restarts += 1
            assert new.n_rounds == state.n_rounds + 1
            assert new.failed == 0
            assert len(new.S) == 12
        state = new
    assert restarts >= 2


def test_warm_start_goes_on_bit_for_bit():
    X = noisy_factors()
    whole = IteratedLocalSearchCSS(12, max_iter=130, random_state=0, scale="unit").fit(X)
    est = IteratedLocalSearchCSS(
        12, max_iter=53, random_state=0, warm_start=True, scale="unit"
    ).fit(X)
    assert est.n_iter_ == 53
    est.set_params(max_iter=77).fit(X)
    assert est.n_iter_ == 77
    np.testing.assert_array_equal(est.ranking_, whole.ranking_)
    assert est.n_evaluations_ == whole.n_evaluations_
    assert est.history_[-1]["objective"] == whole.history_[-1]["objective"]


def test_warm_start_on_other_data():
    X = noisy_factors()
    est = IteratedLocalSearchCSS(
        12, max_iter=50, random_state=0, warm_start=True, scale="unit"
    ).fit(X)
    Y = np.vstack([X, noisy_factors(m=20)])
    est.fit(Y)
    assert est.objective_ == pytest.approx(error(unit(Y), est.ranking_[:12]), rel=1e-9)
    est.fit(X[:, :20])
    assert est.ranking_.max() < 20
    assert est.set_params(n_features_to_select=5).fit(X).n_features_to_select_ == 5
    X[:, est.ranking_[0]] = 0.0  # what was chosen can no longer be
    assert est.fit(X).objective_ == pytest.approx(error(unit(X), est.ranking_[:5]), rel=1e-9)


def test_tolerance_looks_back_a_hundred_rounds():
    X = noisy_factors()
    est = IteratedLocalSearchCSS(12, tol=0.0, random_state=0, scale="unit").fit(X)
    assert est.stop_reason_ == "tolerance"
    assert est.history_[-1]["change"] == 0
    assert est.n_iter_ >= WINDOW
    last = est.history_[-1]
    for record in est.history_:
        if record["n_iter"] <= last["n_iter"] - WINDOW - 12:
            assert record["change"] > 0
    assert est.history_[0]["change"] > 0.1, "the first rounds look back to the empty set"


def test_time_budget_and_callback():
    X = noisy_factors()
    est = IteratedLocalSearchCSS(12, time_budget=0.05, random_state=0, scale="unit").fit(X)
    assert est.stop_reason_ == "time_budget"
    assert list(est.path_) == list(range(1, 13))
    est = IteratedLocalSearchCSS(12, time_budget=60, random_state=0, scale="unit")
    est.set_callbacks(lambda record, state: record["n_iter"] >= 20).fit(X)
    assert est.stop_reason_ == "callback"
    assert 20 <= est.n_iter_ < 200


def test_default_budget():
    est = IteratedLocalSearchCSS(scale="unit")
    assert est._max_rounds(60, 50) == 500
    assert est._max_rounds(1024, 50) == 488
    assert est._max_rounds(5748, 500) == 50
    assert IteratedLocalSearchCSS(max_iter=7, scale="unit")._max_rounds(60, 50) == 7
    assert IteratedLocalSearchCSS(time_budget=1.0, scale="unit")._max_rounds(60, 50) is None


def test_path_of_all_sizes_or_one():
    X = noisy_factors()
    with_path = IteratedLocalSearchCSS(10, random_state=0, scale="unit").fit(X)
    without = IteratedLocalSearchCSS(10, random_state=0, full_path=False, scale="unit").fit(X)
    assert list(with_path.path_) == list(range(1, 11))
    assert list(without.path_) == [10]
    assert with_path.objective_ <= without.objective_ * (1 + 1e-12)


def test_no_path_is_searched_after_a_callback_stopped_the_search(monkeypatch):
    """Who pressed Ctrl-C waits: smaller sizes take the answer's columns in greedy order."""
    X = noisy_factors()
    monkeypatch.setattr(_local_search, "swap_front", lambda *given: pytest.fail("searched"))
    est = IteratedLocalSearchCSS(10, random_state=0, max_iter=200, scale="unit")
    est.set_callbacks(lambda record, state: record["n_iter"] >= 5).fit(X)
    assert est.stop_reason_ == "callback"
    assert list(est.path_) == list(range(1, 11))
    assert set(est.path_[10]) == set(est.ranking_[:10])
    for size in range(1, 10):
        assert set(est.path_[size]) < set(est.path_[10])
    assert list(est.error_path_.values()) == sorted(est.error_path_.values(), reverse=True)


def test_front_errors_fall_and_are_swap_optimal():
    A = unit(noisy_factors())
    problem = GramProblem(A.T @ A)
    swaps = SwapProblem(problem)
    path = swap_front(swaps, swaps.polish(swaps.greedy(10))[0])
    errors = [problem.error(path[size]) for size in range(1, 11)]
    assert (np.diff(errors) < 0).all()
    for size, S in path.items():
        assert swaps.polish(S)[1] == pytest.approx(errors[size - 1], rel=1e-12)


def test_the_trail_holds_the_best_error_after_each_round():
    search = LocalSearchProblem(GramProblem(np.eye(6)), 3)
    state = search.start(np.random.RandomState(0))._replace(n_rounds=WINDOW - 2, f_best=5.0)
    new = search._after(state, state.S, 2.0, 3, 0)
    assert new.n_rounds == WINDOW + 1
    assert list(new.trail[[WINDOW - 2, WINDOW - 1, 0]]) == [5.0, 5.0, 2.0]


@pytest.mark.parametrize("seed", range(5))
def test_no_smaller_size_is_better_had_from_a_larger_one(seed):
    """The way down from the answer is part of the front, and not only the way up to it."""
    rng = np.random.RandomState(seed)
    A = rng.randn(20, 6) @ rng.randn(6, 14) + 0.5 * rng.randn(20, 14)
    problem = GramProblem(unit(A).T @ unit(A))
    swaps = SwapProblem(problem)
    path = swap_front(swaps, swaps.polish(rng.permutation(14)[:6])[0])
    for size in range(1, 6):
        below, _ = swaps.searched(shrunk(swaps.tables(path[size + 1])))
        assert problem.error(path[size]) <= error_of(below) + 1e-9


def test_a_search_that_only_rounding_favors_is_not_kept(monkeypatch):
    A = unit(table(3))
    swaps = SwapProblem(GramProblem(A.T @ A))
    T = swaps.tables(swaps.polish(np.arange(4))[0])
    worst = max(combinations(range(9), 4), key=lambda S: error(A, S))
    worse = swaps.tables(np.array(worst))
    assert error_of(worse) > error_of(T)
    monkeypatch.setattr(swaps, "searched", lambda T, max_visits: (worse, 7))
    assert swaps.improved(T) == (T, 7)


def test_front_is_straightened():
    """A size whose error is above that of the one before grows out of that."""
    A = unit(noisy_factors(n=12, rank=3))
    problem = GramProblem(A.T @ A)
    front = Front(SwapProblem(problem))
    good = min(combinations(range(12), 2), key=lambda S: error(A, S))
    bad = max(combinations(range(12), 3), key=lambda S: error(A, S))
    for S in ((0,), good, bad):
        front.best[len(S)] = error(A, S), np.array(S)
    assert error(A, bad) > error(A, good), "or there is nothing to straighten"
    front.straighten(3)
    f, S = front.best[3]
    best = min(error(A, [*good, j]) for j in range(12) if j not in good)
    assert f == pytest.approx(best, rel=1e-12)
    assert f == pytest.approx(error(A, S), rel=1e-12)


def test_sparse_streamed_and_dense_agree():
    rng = np.random.RandomState(0)
    X = rng.randn(200, 25) * (rng.rand(200, 25) < 0.4)
    dense = IteratedLocalSearchCSS(7, max_iter=50, random_state=1, scale="unit").fit(X)
    sparse = IteratedLocalSearchCSS(7, max_iter=50, random_state=1, scale="unit").fit(
        sp.csr_array(X)
    )
    streamed = IteratedLocalSearchCSS(7, max_iter=50, random_state=1, scale="unit")
    for block in np.array_split(X, 7):
        streamed.partial_fit(block)
    for other in (sparse, streamed):
        np.testing.assert_array_equal(other.ranking_[:7], dense.ranking_[:7])
        for size in dense.path_:
            np.testing.assert_array_equal(
                np.sort(other.path_[size]), np.sort(dense.path_[size]), f"size {size}"
            )


@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 4), (2, 1), (5, 4)])
def test_hardly_a_choice(n, k):
    X = np.random.RandomState(0).randn(10, n)
    est = IteratedLocalSearchCSS(k, random_state=0, scale="unit").fit(X)
    assert list(est.path_) == list(range(1, k + 1))
    best = min(error(unit(X), S) for S in combinations(range(n), k))
    assert est.objective_ == pytest.approx(best, abs=1e-12)
    assert est.converged_ == (k in (1, n)), "nothing left to gain ends the search"


def test_rank_columns_when_more_are_asked_for():
    rng = np.random.RandomState(1)
    X = rng.randn(40, 3) @ rng.randn(3, 10)
    with pytest.warns(RankDeficiencyWarning, match="rank 3"):
        est = IteratedLocalSearchCSS(6, random_state=0, scale="unit").fit(X)
    assert est.n_features_to_select_ == 3
    assert est.converged_
    with pytest.raises(DataError, match="Every column of X is zero"):
        IteratedLocalSearchCSS(2, scale="unit").fit(np.zeros((5, 3)))


def test_scikit_learn():
    check_estimator(IteratedLocalSearchCSS(), on_skip=None)


def test_best_known_sonar(real_data):
    X = real_data("sonar").X
    X = 2 * (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)) - 1
    est = IteratedLocalSearchCSS(50, random_state=0, scale="unit").fit(X)
    assert est.error_ratio_ == pytest.approx(2.522087, abs=1e-6)


def test_best_known_dna(real_data):
    X = real_data("dna").X.astype(float)
    est = IteratedLocalSearchCSS(50, random_state=0, scale="unit").fit(X)
    assert est.error_ratio_ <= 1.2905
    assert est.error_ratio_ >= 1.2896


def test_best_known_digits():
    X = load_digits().data
    est = IteratedLocalSearchCSS(50, random_state=0, scale="unit").fit(X[:, X.std(axis=0) > 0])
    assert est.error_ratio_ == pytest.approx(1.8556, abs=1e-4)


@pytest.mark.parametrize(("name", "ratio"), [("COIL20", 1.575), ("Isolet", 1.458), ("Yale", 1.54)])
def test_figures_on_images_and_speech(real_data, name, ratio):
    """What was asked for in 15 seconds, within the default budget."""
    X = real_data(name).X.astype(float)
    est = IteratedLocalSearchCSS(50, full_path=False, random_state=0, scale="unit").fit(X)
    assert est.error_ratio_ <= ratio


def test_a_spent_budget_leaves_the_greedy_path():
    """A budget counts from the beginning of the fit; sizes not reached are prefixes by gain."""
    X = load_digits().data
    est = IteratedLocalSearchCSS(12, time_budget=1e-9, random_state=0, scale="unit").fit(X)
    assert est.stop_reason_ == "time_budget"
    assert list(est.path_) == list(range(1, 13))
    for size in range(1, 13):
        assert set(est.path_[size]) == set(est.ranking_[:size])
    whole = IteratedLocalSearchCSS(12, max_iter=1, random_state=0, scale="unit").fit(X)
    assert whole.error_path_[6] < est.error_path_[6]
    problem = GramProblem(np.eye(3))
    assert problem.seconds_left(2.0) == 2.0
    problem.started = perf_counter() - 5.0
    assert problem.seconds_left(2.0) == 0.0
    assert 0.9 < problem.seconds_left(6.0) <= 1.0
