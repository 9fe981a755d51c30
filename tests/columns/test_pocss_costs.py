"""POCSS where columns have costs: the front of error against cost, against all subsets."""

from itertools import combinations

import numpy as np
import pytest

from sksieve import POCSS
from sksieve.columns import GramProblem
from sksieve.columns.search._cost_front import CostSearch, nondominated
from sksieve.exceptions import DataError
from sksieve.plotting import plot_pareto_front

N, K, BUDGET = 9, 4, 4.0
COST = np.random.default_rng(1).uniform(0.5, 2, N)


def table(n=N, m=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, 3)) @ rng.standard_normal((3, n)) + rng.standard_normal((m, n))


def error(X, S, T=None):
    A = (X - X.mean(axis=0)) / X.std(axis=0) / np.sqrt(len(X))
    goal = A if T is None else T - T.mean(axis=0)
    return ((goal - A[:, S] @ np.linalg.lstsq(A[:, S], goal)[0]) ** 2).sum()


def whole_front(X, allowed=range(N), keep=(), T=None):
    """Costs and errors of the front over all subsets."""
    sets = [
        list(S)
        for k in range(1, K + 1)
        for S in combinations(allowed, k)
        if set(keep) <= set(S) and COST[list(S)].sum() <= BUDGET
    ]
    cost = np.array([COST[S].sum() for S in sets])
    errors = np.array([error(X, S, T) for S in sets])
    kept = [
        i for i in range(len(sets)) if not ((cost <= cost[i]) & (errors < errors[i] - 1e-9)).any()
    ]
    kept.sort(key=lambda i: cost[i])
    return cost[kept], errors[kept]


T = table(2, seed=5)
ASKED = {
    "costs": ({}, {}),
    "keep": ({"keep": [6]}, {}),
    "candidates": ({"candidates": [0, 2, 3, 5, 8], "keep": [6]}, {}),
    "target": ({}, {"target": T}),
}


@pytest.mark.parametrize("solver", ["gram", "factored"])
@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("polish", [True, False])
def test_the_front_is_that_of_all_subsets(name, solver, polish):
    X, (given, at_fit) = table(), ASKED[name]
    est = POCSS(K, budget=BUDGET, max_iter=20_000, random_state=0, polish=polish, solver=solver)
    est.set_params(**given).fit(X, cost=COST, **at_fit)
    allowed = sorted({*given.get("candidates", range(N)), *given.get("keep", ())})
    cost, errors = whole_front(X, allowed, given.get("keep", ()), at_fit.get("target"))
    assert est.front_.of == "cost"
    np.testing.assert_allclose(est.front_.cost, cost)
    np.testing.assert_allclose(est.front_.error, errors, rtol=1e-9)
    for S, spent in zip(est.front_.columns, cost):
        assert COST[S].sum() == pytest.approx(spent)
        assert set(given.get("keep", ())) <= set(S.tolist())
    assert est.objective_ == pytest.approx(errors[-1])
    assert set(est.ranking_[: est.n_features_to_select_]) == set(est.front_.columns[-1])
    for size, S in est.path_.items():
        assert len(S) == size
        assert COST[S].sum() <= BUDGET
    assert np.isnan(est.guarantee_)


def test_polish_improves_each_subset_within_its_cost():
    X = table(14, seed=3)
    cost = np.random.default_rng(2).uniform(0.5, 2, 14)
    rough, fine = (
        POCSS(5, budget=6.0, max_iter=300, random_state=0, polish=polish).fit(X, cost=cost)
        for polish in (False, True)
    )
    for spent, value in zip(rough.front_.cost, rough.front_.error):
        assert fine.front_.error[fine.front_.cost <= spent + 1e-12].min() <= value + 1e-12
    S = fine.front_.columns[-1]
    for p in range(len(S)):
        for j in np.setdiff1d(np.arange(14), S):
            other = np.append(np.delete(S, p), j)
            assert cost[other].sum() > 6 or error(X, other) >= fine.objective_ - 1e-10
    if len(S) < 5:
        assert (cost[np.setdiff1d(np.arange(14), S)] > 6 - cost[S].sum()).all()


def test_without_costs_the_front_is_the_path():
    est = POCSS(K, max_iter=3000, random_state=0).fit(table())
    assert est.front_.of == "columns"
    np.testing.assert_array_equal(est.front_.cost, list(est.path_))
    np.testing.assert_allclose(est.front_.error, [est.error_path_[k] for k in est.path_])
    for S, size in zip(est.front_.columns, est.path_):
        np.testing.assert_array_equal(S, est.path_[size])


def test_steps_are_pure_and_resume():
    X = table()
    G = X.T @ X
    problem = GramProblem(G, cost=COST, budget=BUDGET)
    search = CostSearch(problem, K, swap=0.3)
    state = search.start(np.random.RandomState(0))
    once = search.step(state)
    again = search.step(state)
    assert state.n_iter == 0
    assert len(state.f) == 1
    for a, b in zip(once, again):
        np.testing.assert_array_equal(a, b)
    assert search.count(search.step(once)) == 2000
    assert (np.diff(once.f) < 0).all()
    assert (np.diff(once.cost) > 0).all()
    for member, f in zip(once.member, once.f):
        assert f == pytest.approx(problem.error(np.flatnonzero(member)), rel=1e-9)


def test_dependent_columns_do_not_enter_together():
    X = table()
    X[:, 4] = X[:, 1] + X[:, 2]
    est = POCSS(K, budget=20.0, max_iter=5000, random_state=0).fit(X, cost=COST)
    assert not any({1, 2, 4} <= set(S.tolist()) for S in est.front_.columns)


def test_what_does_not_go_with_costs_is_refused():
    for given in ({"warm_start": True}, {"max_size": 6}):
        with pytest.raises(ValueError, match="max_size and warm_start are for the archive"):
            POCSS(K, budget=BUDGET, **given).fit(table(), cost=COST)
    with pytest.raises(DataError, match="raise the budget"):
        POCSS(K, budget=0.1, max_iter=100, random_state=0).fit(table(), cost=COST)


def test_plot():
    est = POCSS(K, budget=BUDGET, max_iter=2000, random_state=0).fit(table(), cost=COST)
    ax = plot_pareto_front(est)
    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_xdata(), [0, *est.front_.cost])
    np.testing.assert_array_equal(line.get_ydata(), [est.error_path_[0], *est.front_.error])
    assert ax.get_xlabel() == "cost"


def test_nondominated():
    rng = np.random.default_rng(0)
    cost, errors = rng.integers(0, 6, 40).astype(float), rng.integers(0, 6, 40).astype(float)
    kept = nondominated(cost, errors)
    assert (np.diff(cost[kept]) > 0).all()
    assert (np.diff(errors[kept]) < 0).all()
    for i in range(40):
        assert ((cost[kept] <= cost[i]) & (errors[kept] <= errors[i])).any()
