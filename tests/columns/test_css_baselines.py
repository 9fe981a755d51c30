"""Two-stage, sparse approximation of the SVD, leverage scores, weighted A*, random columns."""

import warnings
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from sksieve import (
    ApproxSVDCSS,
    GreedyCSS,
    LeverageScoreCSS,
    RandomCSS,
    TwoStageCSS,
    WeightedAStarCSS,
)
from sksieve.catalogue import get_method
from sksieve.columns import GramProblem
from sksieve.columns._leverage import drawn
from sksieve.columns._two_stage import sampled_order, sampling_probabilities
from sksieve.columns.search._astar import AStarProblem, weight_g, weight_h
from sksieve.exceptions import RankDeficiencyWarning
from sksieve.testing import check_pure_step, check_resume

ALL = [
    TwoStageCSS(scale="unit"),
    TwoStageCSS(sampling="random", n_repeats=5, random_state=0, scale="unit"),
    ApproxSVDCSS(scale="unit"),
    LeverageScoreCSS(scale="unit"),
    LeverageScoreCSS(sampling="random", random_state=0, scale="unit"),
    WeightedAStarCSS(max_iter=100, scale="unit"),
    WeightedAStarCSS(epsilon=0, v="h", max_iter=20, scale="unit"),
    RandomCSS(random_state=0, scale="unit"),
]


def table(m=40, n=12, seed=0):
    rng = np.random.RandomState(seed)
    return rng.normal(size=(m, n)) @ (np.eye(n) + 0.5 * rng.normal(size=(n, n)))


def set_up(estimator, k):
    return estimator.__class__(**estimator.get_params() | {"n_features_to_select": k})


def unit(X):
    return X / np.linalg.norm(X, axis=0)


def problem_of(A):
    return GramProblem(A.T @ A)


def brute_force(A, k):
    """The smallest error over all k-subsets, by least squares on A."""

    def error(S):
        B = A[:, S]
        return ((A - B @ np.linalg.lstsq(B, A)[0]) ** 2).sum()

    return min(error(list(S)) for S in combinations(range(A.shape[1]), k))


# ---- the published figures, k = 50, unit-norm columns


def minus_one_to_one(X):
    return 2 * (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)) - 1


@pytest.mark.parametrize(
    ("name", "rows", "two_stage", "approx_svd", "greedy"),
    [
        ("sonar", 208, "2.6552", "2.8600", "2.8519"),
        ("dna", 1400, "1.333", "1.326", "1.321"),
        ("dna", 2000, "1.315", "1.3069", "1.3010"),
    ],
)
def test_published_error_ratios(real_data, name, rows, two_stage, approx_svd, greedy):
    X = real_data(name).X[:rows].astype(float)
    X = minus_one_to_one(X) if name == "sonar" else X
    for cls, printed in [
        (TwoStageCSS, two_stage),
        (ApproxSVDCSS, approx_svd),
        (GreedyCSS, greedy),
    ]:
        ratio = cls(n_features_to_select=50, scale="unit").fit(X).error_ratio_
        assert f"{ratio:.{len(printed) - 2}f}" == printed, cls.__name__


@pytest.mark.parametrize(
    ("cls", "printed"), [(TwoStageCSS, 1.8775), (ApproxSVDCSS, 2.1004), (GreedyCSS, 2.1004)]
)
def test_error_ratios_on_digits(cls, printed):
    X = load_digits().data
    X = X[:, X.std(axis=0) > 0]
    assert X.shape[1] == 61
    assert round(cls(n_features_to_select=50, scale="unit").fit(X).error_ratio_, 4) == printed


@pytest.mark.parametrize(("k", "ratio"), [(1, 1.12852), (2, 1.30933), (3, 1.34177)])
def test_proven_optima_on_sonar(real_data, k, ratio):
    X = minus_one_to_one(real_data("sonar").X)
    sel = WeightedAStarCSS(n_features_to_select=k, epsilon=0, max_iter=None, scale="unit").fit(X)
    assert sel.proven_
    assert round(sel.error_ratio_, 5) == ratio


# ---- what all have in common


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_csr_and_blocks_and_short_side_choose_the_same(estimator):
    X = table(30, 14) * (np.random.RandomState(1).uniform(size=(30, 14)) < 0.5)
    estimator = set_up(estimator, 5)
    dense = estimator.fit(X)
    ranking, error = dense.ranking_, dense.objective_
    assert np.array_equal(set_up(estimator, 5).fit(sp.csr_array(X)).ranking_, ranking)
    blocks = set_up(estimator, 5)
    for block in np.array_split(X, 4):
        blocks.partial_fit(block)
    assert np.array_equal(blocks.ranking_, ranking)
    assert blocks.objective_ == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_more_columns_than_rows(estimator):
    """The short way over AA' chooses what the Gram matrix alone does."""
    X = table(9, 9) @ np.random.RandomState(3).normal(size=(9, 25))
    wide = set_up(estimator, 4).fit(X)
    tall = set_up(estimator, 4).fit(iter([X]))
    assert np.array_equal(wide.ranking_, tall.ranking_)


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_zero_duplicate_and_dependent_columns(estimator):
    """Rank 5 among 12 columns: five come back, said so, and they reconstruct everything."""
    base = table(30, 5)
    X = np.column_stack(
        [np.zeros(30), base, base[:, :2], base @ np.ones(5), np.zeros(30), -3 * base[:, 2:4]]
    )
    with pytest.warns(RankDeficiencyWarning, match="rank 5"):
        sel = set_up(estimator, 9).fit(X)
    chosen = sel.ranking_[: sel.n_features_to_select_]
    assert len(chosen) == 5 == np.linalg.matrix_rank(X[:, chosen])
    assert sel.objective_ <= 1e-12 * 10
    np.testing.assert_allclose(sel.explained_by_[X.any(axis=0)], 1.0, atol=1e-12)


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_columns_of_wildly_different_size(estimator):
    """scale="none" with norms over nine decades: k independent columns all the same."""
    X = table(30, 8) * 10.0 ** np.arange(-5, 3)
    sel = set_up(estimator, 6).set_params(scale="none").fit(X)
    assert sel.n_features_to_select_ == 6 == len(set(sel.ranking_[:6]))


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_all_columns_can_be_asked_for(estimator):
    sel = set_up(estimator, 12).fit(table())
    assert sorted(sel.ranking_) == list(range(12))
    assert sel.objective_ <= 1e-12 * 12


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_nested_is_true_where_claimed_and_only_there(estimator):
    """On tables of four factors and noise, where the best k columns are not among k + 1."""

    def is_prefix(seed):
        rng = np.random.RandomState(seed)
        X = rng.normal(size=(40, 4)) @ rng.normal(size=(4, 12)) + 0.3 * rng.normal(size=(40, 12))
        rankings = [set_up(estimator, k).fit(X).ranking_[:k] for k in range(1, 7)]
        return all(np.array_equal(a, b[:-1]) for a, b in pairwise(rankings))

    assert all(is_prefix(seed) for seed in range(4)) == estimator.nested


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_path_is_independent_and_ends_at_the_answer(estimator):
    sel = set_up(estimator, 6).fit(table())
    assert set(sel.ranking_[:6]) == set(sel.path_[6])
    for size, S in sel.path_.items():
        assert len(set(S)) == size
        assert sel.error_path_[size] >= sel.svd_error_path_[size] - 1e-12


@pytest.mark.parametrize("name", ["two-stage", "approx_svd", "leverage", "astar", "random"])
def test_in_the_catalogue(name):
    method = get_method(name)
    assert method.kind == "columns"
    assert method.nested == method.load().nested


# ---- two-stage


def test_sampling_probabilities_are_the_papers():
    """p_i = ||V_k,i||^2 / 2k + (||A_i||^2 - ||(A V V')_i||^2) / 2(||A||^2 - ||A V V'||^2)."""
    A, k = unit(table()), 4
    V = np.linalg.svd(A)[2][:k].T
    best = A @ V @ V.T
    left = (A**2).sum(axis=0) - (best**2).sum(axis=0)
    expected = (V**2).sum(axis=1) / (2 * k) + left / (2 * left.sum())
    problem = problem_of(A)
    p = sampling_probabilities(problem, *problem.leading_eigenpairs(k))
    np.testing.assert_allclose(p, expected, rtol=1e-9)
    assert p.sum() == pytest.approx(1.0)


def test_certain_sampling_is_the_deterministic_second_stage():
    """With c large every p_i is cut to 1: nothing is left out, nothing is rescaled."""
    X = table()
    plain = TwoStageCSS(n_features_to_select=5, scale="unit").fit(X)
    sampled = TwoStageCSS(
        n_features_to_select=5, sampling="random", sample_size=10**9, random_state=0
    ).fit(X)
    assert np.array_equal(plain.path_[5], sampled.path_[5])


def test_sample_size_is_c_on_average():
    A = unit(table(60, 30))
    problem, rng = problem_of(A), np.random.RandomState(0)
    values, V = problem.leading_eigenpairs(3)
    p = sampling_probabilities(problem, values, V)
    c = 6.0
    sizes = [len(sampled_order(V, p, c, rng)) for _ in range(400)]
    expected = np.minimum(1, c * p).sum()
    assert np.mean(sizes) == pytest.approx(expected, abs=5 * np.std(sizes) / 20)


def test_columns_are_rescaled_before_the_second_stage():
    """``V' S_1 D_1``: an unlikely column counts for more once it is drawn."""
    V = np.eye(3) * [[3.0], [2.0], [1.0]]
    p = np.array([1.0, 0.5, 0.04])  # rescaled lengths 3, 2 sqrt 2, 5
    orders = {tuple(sampled_order(V, p, 1.0, np.random.RandomState(s))) for s in range(300)}
    assert (2, 0, 1) in orders
    assert orders <= {(0,), (0, 1), (2, 0), (2, 0, 1)}


def test_a_sample_of_too_few_columns_is_filled_up():
    X = table(60, 30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sel = TwoStageCSS(
            6, sampling="random", sample_size=1, n_repeats=1, random_state=0, scale="unit"
        ).fit(X)
    assert sel.n_features_to_select_ == 6


def test_more_tries_are_never_worse():
    X = table(60, 30)
    errors = [
        TwoStageCSS(5, sampling="random", n_repeats=r, random_state=7, scale="unit")
        .fit(X)
        .objective_
        for r in (1, 5, 40)
    ]
    assert errors == sorted(errors, reverse=True)


# ---- sparse approximation of the SVD


def literal_approx_svd(A, k):
    """The paper's algorithm on A itself: project, re-normalize, take the best, k times."""
    U, sigma, _ = np.linalg.svd(A, full_matrices=False)
    B, C, chosen = U[:, :k] * sigma[:k], A / np.linalg.norm(A, axis=0), []
    for _ in range(k):
        score = np.linalg.norm(B.T @ C, axis=0)
        score[chosen] = -1
        chosen.append(int(score.argmax()))
        q = C[:, chosen[-1]]
        B = B - np.outer(q, q @ B)
        C = C - np.outer(q, q @ C)
        norm = np.linalg.norm(C, axis=0)
        norm[chosen] = 1
        C = C / norm
    return chosen


@given(st.integers(0, 2**31 - 1), st.integers(1, 8))
def test_approx_svd_is_the_papers_algorithm(seed, k):
    X = table(20, 10, seed)
    assert list(ApproxSVDCSS(k, scale="unit").fit(X).path_[k]) == literal_approx_svd(unit(X), k)


# ---- leverage scores


def test_leverage_takes_the_heaviest_rows_of_v():
    X, k = table(), 4
    V = np.linalg.svd(unit(X))[2][:k].T
    heaviest = np.argsort(-(V**2).sum(axis=1))[:k]
    assert list(LeverageScoreCSS(k, scale="unit").fit(X).path_[k]) == list(heaviest)


def test_drawn_follows_the_weights():
    weights = np.array([4.0, 3.0, 2.0, 1.0, 0.0])
    rng = np.random.RandomState(0)
    draws = np.array([drawn(weights, rng) for _ in range(4000)])
    share = np.bincount(draws[:, 0], minlength=5) / 4000
    np.testing.assert_allclose(share, weights / 10, atol=0.03)
    after_first = draws[draws[:, 0] == 0][:, 1]  # of 3 + 2 + 1
    share = np.bincount(after_first, minlength=5) / len(after_first)
    np.testing.assert_allclose(share, [0, 1 / 2, 1 / 3, 1 / 6, 0], atol=0.04)
    assert (draws[:, 4] == 4).all()


# ---- weighted A*


@st.composite
def tiny_tables(draw):
    """Up to 9 columns, some of them zero, repeated or sums of others."""
    m, n = draw(st.integers(3, 10)), draw(st.integers(3, 9))
    rng = np.random.RandomState(draw(st.integers(0, 2**31 - 1)))
    X = rng.normal(size=(m, n)) * rng.exponential(size=n)
    for j in range(1, n):
        kind = draw(st.sampled_from(["new", "new", "new", "copy", "sum", "zero"]))
        if kind == "copy":
            X[:, j] = 2 * X[:, j - 1]
        elif kind == "sum":
            X[:, j] = X[:, :j].sum(axis=1)
        elif kind == "zero":
            X[:, j] = 0
    return X


@given(tiny_tables(), st.integers(1, 4))
@pytest.mark.filterwarnings("ignore::sksieve.exceptions.RankDeficiencyWarning")
def test_astar_is_exact(X, k):
    k = min(k, X.shape[1])
    sel = WeightedAStarCSS(k, epsilon=0, max_iter=None, scale="none").fit(X)
    total = (X**2).sum()
    assert sel.proven_
    assert sel.converged_
    assert sel.objective_ == pytest.approx(
        brute_force(X, sel.n_features_to_select_), rel=1e-9, abs=1e-10 * total
    )


@given(
    st.integers(0, 2**31 - 1),
    st.integers(2, 4),
    st.sampled_from([0.1, 0.5, 2.0]),
    st.sampled_from(["g", "h"]),
)
def test_weighted_astar_keeps_its_promises(seed, k, epsilon, v):
    A = unit(table(20, 9, seed))
    best = brute_force(A, k)
    sel = WeightedAStarCSS(k, epsilon=epsilon, v=v, max_iter=None, scale="unit").fit(A)
    slack = 1e-9
    assert sel.lower_bound_ <= best + slack
    assert sel.lower_bound_ >= sel.svd_error_path_[k] - slack
    if v == "g":
        assert (1 + epsilon) * sel.objective_ <= best + epsilon * sel.error_path_[0] + slack
    else:
        h0 = sel.error_path_[0] - sel.svd_error_path_[k]
        assert sel.objective_ <= best + epsilon * h0 + slack
    if sel.proven_:
        assert sel.objective_ == pytest.approx(best)


def search_of(A, k, epsilon=0.0, weight=weight_g):
    problem = problem_of(A)
    greedy, _ = problem.greedy_order(np.arange(problem.n_columns), k)
    return AStarProblem(problem, greedy, weight=partial(weight, epsilon))


@pytest.mark.parametrize("chosen", [[], [3], [1, 4, 7]])
@pytest.mark.parametrize("k", [4, 5, 9])
def test_children_have_the_defined_g_and_h(chosen, k):
    A = unit(table(20, 10))
    added, g, h = search_of(A, k).children(np.array(chosen, dtype=np.intp))
    assert list(added) == [j for j in range(10) if j not in chosen]
    for j, g_j, h_j in zip(added, g, h):
        B = A[:, [*chosen, j]]
        R = A - B @ np.linalg.lstsq(B, A)[0]
        values = np.linalg.eigvalsh(R.T @ R)[::-1]
        assert g_j == pytest.approx((R**2).sum(), rel=1e-12)
        assert h_j == pytest.approx(values[: k - len(chosen) - 1].sum(), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("weight", [weight_g, weight_h])
def test_astar_steps_are_pure_and_can_be_resumed(weight):
    search = search_of(unit(table(30, 14)), 5, epsilon=0.02, weight=weight)
    check_pure_step(search, search.start())
    check_resume(search, search.start())


def test_bound_rises_and_error_falls():
    search = search_of(unit(table(30, 12, seed=1)), 4)
    s = search.start()
    bounds, errors = [search.lower_bound(s)], [s.error]
    while not s.done:
        s = search.step(s)
        bounds.append(search.lower_bound(s))
        errors.append(s.error)
        assert (s.f <= s.error + search.tol).all(), "the others cannot win: their memory is free"
    assert (np.diff(bounds) >= -1e-12).all()
    assert (np.diff(errors) <= 0).all()
    assert bounds[-1] == pytest.approx(errors[-1])
    assert len(set(errors)) == 3, "the greedy start and two that are better"


def test_no_node_is_expanded_twice():
    search = search_of(unit(table(30, 12)), 4, epsilon=0.05)
    s = search.start()
    while not s.done:
        s = search.step(s)
    assert len(np.unique(s.closed, axis=0)) == len(s.closed)


def test_node_budget_gives_the_best_so_far():
    X = table(60, 30)
    greedy = GreedyCSS(8, scale="unit").fit(X)
    sel = WeightedAStarCSS(8, epsilon=0, max_iter=10, scale="unit").fit(X)
    assert sel.n_iter_ == 10 == len(sel.history_)
    assert sel.stop_reason_ == "max_iter"
    assert not sel.converged_
    assert not sel.proven_
    assert sel.svd_error_path_[8] <= sel.lower_bound_ + 1e-12 < sel.objective_
    assert sel.objective_ <= greedy.objective_ * (1 + 1e-14)  # the same columns, rounded apart
    assert sel.history_[-1]["objective"] == pytest.approx(sel.objective_)


def test_time_budget_ends_the_search():
    sel = WeightedAStarCSS(10, epsilon=0, max_iter=None, time_budget=0.05, scale="unit").fit(
        table(80, 40)
    )
    assert sel.stop_reason_ == "time_budget"
    assert not sel.proven_


def test_certificate_after_partial_fit():
    X = table()
    sel = WeightedAStarCSS(3, epsilon=0, scale="unit").partial_fit(X[:20]).partial_fit(X[20:])
    assert sel.proven_
    assert sel.lower_bound_ == pytest.approx(sel.objective_)


def test_cholesky_factor_keeps_small_columns():
    A = table(30, 6) * 10.0 ** np.arange(-6, 6, 2)
    G = A.T @ A
    C = GramProblem(G).cholesky()[0]
    norm = np.sqrt(np.diagonal(G))
    np.testing.assert_allclose(
        (C.T @ C) / np.outer(norm, norm), G / np.outer(norm, norm), atol=1e-14
    )
    assert GramProblem(np.zeros((3, 3))).cholesky()[0].shape == (0, 3)


# ---- random


def test_random_is_a_floor_and_repeats_itself():
    X = table(60, 30)
    errors = [RandomCSS(8, random_state=s, scale="unit").fit(X).objective_ for s in range(20)]
    assert min(errors) > GreedyCSS(8, scale="unit").fit(X).objective_
    assert len(set(errors)) > 10
    assert errors[3] == RandomCSS(8, random_state=3, scale="unit").fit(X).objective_
