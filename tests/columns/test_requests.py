"""Candidates, kept columns, weights, targets, ridges and budgets, against all subsets."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sksieve._validation import columns_named
from sksieve.columns import (
    POCSS,
    ApproxSVDCSS,
    ExactCSS,
    GreedyCSS,
    IteratedLocalSearchCSS,
    IterFS,
    LeverageScoreCSS,
    RandomCSS,
    TwoStageCSS,
    WeightedAStarCSS,
)
from sksieve.exceptions import DataError, RankDeficiencyWarning

M, N, K = 60, 12, 4
SOLVERS = ["gram", "factored"]


def table(seed=0, m=M, n=N):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, 5)) @ rng.standard_normal((5, n)) + rng.standard_normal((m, n))


def scaled(X):
    A = X - X.mean(axis=0)
    return A / np.linalg.norm(A, axis=0)


def error(A, S, T=None, weight=None, ridge=0.0):
    """The objective of the ridge regression of the target on the columns S, by least squares."""
    T = A if T is None else T
    T = T if weight is None else T * np.sqrt(weight)
    if not len(S):
        return (T**2).sum()
    B = A[:, list(S)]
    rows = np.vstack([B, np.sqrt(ridge) * np.eye(len(S))])
    goal = np.vstack([T, np.zeros((len(S), T.shape[1]))])
    return ((goal - rows @ np.linalg.lstsq(rows, goal)[0]) ** 2).sum()


def best(A, k, allowed=None, keep=(), **goal):
    """The best subset of all."""
    allowed = range(A.shape[1]) if allowed is None else allowed
    subsets = [S for S in combinations(allowed, k) if set(keep) <= set(S)]
    return min((error(A, S, **goal), S) for S in subsets)


TARGET = np.random.default_rng(9).standard_normal((M, 3)) + table()[:, :3]
WEIGHT = np.random.default_rng(8).uniform(0, 3, N)
ASKED = {
    "candidates": ({"candidates": [1, 2, 3, 5, 8, 9, 11]}, {}),
    "keep": ({"keep": [3, 7]}, {}),
    "both": ({"candidates": [1, 2, 3, 5, 8, 9, 11], "keep": [7]}, {}),
    "keep all": ({"keep": [3, 7, 1, 0]}, {}),
    "weight": ({}, {"column_weight": WEIGHT}),
    "target": ({}, {"target": TARGET}),
    "ridge": ({"ridge": 0.4}, {}),
    "everything": (
        {"candidates": [0, 2, 3, 5, 8, 9], "keep": [7], "ridge": 0.1},
        {"target": TARGET},
    ),
    "weight and keep": ({"keep": [2]}, {"column_weight": WEIGHT}),
}


def goal(parameters, at_fit):
    T = at_fit.get("target")
    return {
        "T": None if T is None else T - T.mean(axis=0),
        "weight": at_fit.get("column_weight"),
        "ridge": parameters.get("ridge", 0.0),
    }


def allowed_columns(parameters):
    keep = parameters.get("keep", [])
    if "candidates" not in parameters:
        return None, keep
    return sorted({*parameters["candidates"], *keep}), keep


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("name", "sparse"),
    [*((name, False) for name in ASKED), ("both", True), ("weight and keep", True)],
)
@pytest.mark.parametrize("proof", [ExactCSS, WeightedAStarCSS])
def test_proven_optima_are_the_best_of_all_subsets(proof, name, sparse, solver):
    parameters, at_fit = ASKED[name]
    X = table()
    A = scaled(X)
    more = {"epsilon": 0, "max_iter": None} if proof is WeightedAStarCSS else {}
    est = proof(K, solver=solver, **more, **parameters)
    est.fit(sp.csr_array(X) if sparse else X, **at_fit)
    allowed, keep = allowed_columns(parameters)
    value, S = best(A, K, allowed, keep, **goal(parameters, at_fit))
    assert est.objective_ == pytest.approx(value, rel=1e-9)
    assert sorted(est.ranking_[:K]) == list(S)
    assert est.solver_ == solver
    if name != "keep all":
        assert est.proven_


#: The greedy one with each request, the others with those that differ in what they search.
REQUESTS = [(GreedyCSS(K), name) for name in ASKED] + [
    (method, name)
    for method in (
        IterFS(K, random_state=0),
        IteratedLocalSearchCSS(K, random_state=0, max_iter=20),
        ApproxSVDCSS(K),
        LeverageScoreCSS(K),
        TwoStageCSS(K),
        RandomCSS(K, random_state=0),
        POCSS(K, random_state=0),
    )
    for name in ("keep all", "everything", "weight and keep")
]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("method", "name"), REQUESTS, ids=[f"{type(m).__name__}-{name}" for m, name in REQUESTS]
)
def test_errors_and_coefficients_of_every_method(method, name, solver):
    parameters, at_fit = ASKED[name]
    X = table()
    A = scaled(X)
    est = method.set_params(
        solver=solver, **({"candidates": None, "keep": None, "ridge": 0.0} | parameters)
    ).fit(X, **at_fit)
    allowed, keep = allowed_columns(parameters)
    asked = goal(parameters, at_fit)
    assert set(est.error_path_) == {0, *est.path_}
    for size, S in est.path_.items():
        assert len(set(S)) == size
        assert set(keep) <= set(S)
        assert allowed is None or set(S) <= set(allowed)
        assert est.error_path_[size] == pytest.approx(error(A, S, **asked), rel=1e-9)
    assert est.error_path_[0] == pytest.approx(error(A, (), **asked))
    S = est.ranking_[:K]
    assert set(S) == set(est.path_[K])
    assert sorted(est.ranking_) == list(range(N))
    ridge = parameters.get("ridge", 0.0)
    G = A.T @ A
    coef = np.linalg.solve(G[np.ix_(S, S)] + ridge * np.eye(K), G[S])
    left = ((A - A[:, S] @ coef) ** 2).sum(axis=0)
    np.testing.assert_allclose(est.explained_by_, 1 - left, atol=1e-8)
    reconstructed = X[:, S] @ est.coef_.T + est.intercept_
    np.testing.assert_allclose(
        ((X - reconstructed) ** 2).sum(axis=0) / ((X - X.mean(axis=0)) ** 2).sum(axis=0),
        left,
        atol=1e-8,
    )
    if at_fit.get("target") is None and not ridge:
        assert est.error_ratio_ >= 1


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["candidates", "keep", "weight", "target", "ridge"])
def test_local_search_ends_where_no_swap_helps(name, solver):
    parameters, at_fit = ASKED[name]
    A = scaled(table())
    est = IterFS(K, random_state=0, solver=solver, **parameters).fit(table(), **at_fit)
    allowed, keep = allowed_columns(parameters)
    S, asked = est.ranking_[:K], goal(parameters, at_fit)
    for out in set(S) - set(keep):
        for j in set(range(N) if allowed is None else allowed) - set(S):
            swapped = [*(set(S) - {out}), j]
            assert error(A, swapped, **asked) >= est.objective_ - 1e-10


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("method", [GreedyCSS, IterFS, IteratedLocalSearchCSS])
def test_budget(method, solver):
    X, cost = table(), np.random.default_rng(3).uniform(0.5, 2, N)
    A = scaled(X)
    est = method(6, budget=4.0, solver=solver).fit(X, cost=cost)
    for S in est.path_.values():
        assert cost[S].sum() <= 4
    size = est.n_features_to_select_
    S = est.path_[size]
    assert est.objective_ == pytest.approx(error(A, S), rel=1e-9)
    if method is GreedyCSS:
        chosen = []
        for j in est.ranking_[:size]:
            fits = [i for i in range(N) if i not in chosen and cost[[*chosen, i]].sum() <= 4]
            gain = {i: (error(A, chosen) - error(A, [*chosen, i])) / cost[i] for i in fits}
            assert gain[j] == pytest.approx(max(gain.values()))
            chosen.append(j)
    else:
        for out in S:
            for j in set(range(N)) - set(S):
                swapped = [*(set(S) - {out}), j]
                assert cost[swapped].sum() > 4 or error(A, swapped) >= est.objective_ - 1e-10


@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_of_zero_leave_columns_out_of_the_error(solver):
    X = table()
    weight = np.ones(N)
    weight[6:] = 0
    est = ExactCSS(3, solver=solver).fit(X, column_weight=weight)
    A = scaled(X)
    assert est.objective_ == pytest.approx(best(A, 3, T=A[:, :6])[0], rel=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_named_targets(solver):
    """Columns 0 to 3 hold three groups, the others more noise than that."""
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 3, 150)
    centers = np.array([[0, 9, 0, 9], [9, 0, 0, 9], [9, 9, 9, 0]], float)
    X = np.hstack([centers[groups] + rng.standard_normal((150, 4)), rng.standard_normal((150, 6))])
    for target in ("structure", "kernel"):
        est = GreedyCSS(2, solver=solver).fit(X, target=target)
        assert set(est.ranking_[:2]) <= {0, 1, 2, 3}, target
        assert 0 < est.objective_ < est.error_path_[0]
        assert est.error_ratio_ >= 1


def test_names_masks_and_numbers():
    X = pd.DataFrame(table(), columns=[f"c{j}" for j in range(N)])
    by_name = GreedyCSS(3, candidates=["c2", "c3", "c5", "c7"], keep=["c7"]).fit(X)
    mask = np.isin(np.arange(N), [2, 3, 5, 7])
    by_mask = GreedyCSS(3, candidates=mask, keep=np.arange(N) == 7).fit(X.to_numpy())
    by_number = GreedyCSS(3, candidates=[5, 2, 3, 7], keep=[7]).fit(X.to_numpy())
    assert by_name.ranking_[:3].tolist() == by_mask.ranking_[:3].tolist()
    assert by_name.ranking_[:3].tolist() == by_number.ranking_[:3].tolist()
    assert columns_named([3, 1, 3], "keep", 5, None).tolist() == [3, 1]


@pytest.mark.parametrize(
    ("parameters", "at_fit", "message"),
    [
        ({"candidates": [1, 2, 99, 3]}, {}, "candidates names columns that X does not have: 99"),
        ({"candidates": ["a", "b"]}, {}, "candidates has names, but X has none"),
        ({"candidates": [True, False]}, {}, "mask of 2 entries, but X has 12 columns"),
        ({"candidates": [0.5, 1.5]}, {}, "column numbers or names, not float64"),
        ({"candidates": [1, 2]}, {}, "names 2 columns, fewer than n_features_to_select=4"),
        ({"keep": [0, 1, 2, 3, 4]}, {}, "keep names 5 columns, more than n_features_to_select=4"),
        ({}, {"column_weight": np.ones(5)}, "column_weight must have one number for each of"),
        ({}, {"column_weight": -np.ones(N)}, "column_weight must be finite and not negative"),
        ({}, {"column_weight": np.zeros(N)}, "0 for every column"),
        ({"budget": 2.0}, {}, "cost .* and budget .* belong together"),
        ({}, {"cost": np.ones(N)}, "cost .* and budget .* belong together"),
        ({"budget": 1.5, "keep": [0, 1]}, {"cost": np.ones(N)}, "more than budget=1.5"),
        ({"budget": 0.5}, {"cost": np.ones(N)}, "raise the budget"),
        ({}, {"target": TARGET[:50]}, "target has 50 rows, X has 60"),
        ({}, {"target": np.full((M, 1), np.nan)}, "target has NaN"),
        (
            {},
            {"target": 1e170 * TARGET},
            "entry of target is .*; squares .* Multiply target",
        ),
        ({}, {"target": 1e-170 * TARGET}, "entry of target is .* underflow"),
        ({"scale": "none"}, {"target": 1e90 * TARGET}, "products of 4"),
        (
            {},
            {"target": "labels"},
            '"labels" is not known; give a table .* "structure" or "kernel"',
        ),
        ({}, {"target": TARGET, "column_weight": WEIGHT}, "no meaning with another target"),
    ],
)
@pytest.mark.parametrize("solver", SOLVERS)
def test_contradictions_are_refused(parameters, at_fit, message, solver):
    with pytest.raises(ValueError, match=message):
        GreedyCSS(K, solver=solver, **parameters).fit(table(), **at_fit)


@pytest.mark.parametrize("solver", SOLVERS)
def test_kept_columns_must_be_independent(solver):
    X = table()
    X[:, 5] = 2 * X[:, 4]
    with pytest.raises(DataError, match="keep names columns that depend linearly"):
        GreedyCSS(K, keep=[4, 5], solver=solver).fit(X)


def test_what_a_solver_cannot_do_is_refused():
    X = table()
    with pytest.raises(ValueError, match="reads X several times"):
        GreedyCSS(K, solver="factored").fit(iter([X, X]))
    with pytest.raises(
        ValueError, match=r"keeps no Gram matrix .* or the factored solver does not"
    ):
        GreedyCSS(K, solver="factored").fit(X).partial_fit(X)
    with pytest.raises(ValueError, match="fit with a target"):
        GreedyCSS(K).fit(X, target=TARGET).partial_fit(X)
    with pytest.raises(ValueError, match="needs X as a table"):
        GreedyCSS(K).fit(iter([X]), target=TARGET)
    with pytest.raises(ValueError, match='warm_start needs solver="gram"'):
        IteratedLocalSearchCSS(K, warm_start=True, solver="factored").fit(X)
    with pytest.raises(ValueError, match="LeverageScoreCSS cannot keep to a budget"):
        LeverageScoreCSS(K).fit(X, cost=np.ones(N))
    est = GreedyCSS(K, solver="factored").fit(X)
    assert est.n_samples_seen_ == M
    assert not hasattr(est, "moments_")


@pytest.mark.parametrize("solver", SOLVERS)
def test_candidates_of_low_rank(solver):
    X = table()
    X[:, 3] = X[:, 1] + X[:, 2]
    X[:, 4] = X[:, 1] - X[:, 2]
    with pytest.warns(RankDeficiencyWarning, match="The candidates have numerical rank 2"):
        est = GreedyCSS(3, candidates=[1, 2, 3, 4], solver=solver).fit(X)
    assert est.n_features_to_select_ == 2


def test_partial_fit_with_candidates():
    X = table()
    est = GreedyCSS(3, candidates=[0, 2, 4, 6, 8], keep=[8])
    for block in np.split(X, [7, 30]):
        est.partial_fit(block)
    whole = GreedyCSS(3, candidates=[0, 2, 4, 6, 8], keep=[8]).fit(X)
    np.testing.assert_array_equal(est.ranking_, whole.ranking_)
