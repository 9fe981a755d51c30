"""Tables with far fewer rows than columns: the same answer without a Gram matrix."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sksieve import GreedyCSS, IteratedLocalSearchCSS, IterFS, config_context
from sksieve.columns import GramProblem, _base
from sksieve.columns._problem import ThinProblem
from sksieve.columns.search._swaps import SwapProblem
from sksieve.exceptions import DataError, RankDeficiencyWarning

M, N = 40, 1200


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(M, 12)) @ rng.normal(size=(12, N)) + rng.normal(size=(M, N))
    X[:, 5] = 2.0
    X[:, 7] = 3 * X[:, 8] - 1
    return X


@pytest.mark.parametrize("scale", ["standard", "unit", "none"])
@pytest.mark.parametrize("given", ["nothing", "weights", "costs"])
def test_thin_is_gram(table, scale, given):
    rng = np.random.default_rng(1)
    budget = 9.0 if given == "costs" else None
    at_fit = {
        "nothing": {},
        "weights": {"column_weight": rng.uniform(0, 2, N)},
        "costs": {"cost": rng.uniform(0.5, 2, N)},
    }[given]
    thin, full = (
        GreedyCSS(15, scale=scale, solver=solver, budget=budget).fit(table, **at_fit)
        for solver in ("auto", "gram")
    )
    assert (thin.solver_, full.solver_) == ("thin", "gram")
    k = full.n_features_to_select_
    assert_array_equal(thin.ranking_[:k], full.ranking_[:k])
    tau = full.error_path_[0]
    for name in ("error_path_", "svd_error_path_"):
        ours, theirs = getattr(thin, name), getattr(full, name)
        assert list(ours) == list(theirs)
        assert_allclose(list(ours.values()), list(theirs.values()), atol=1e-10 * tau)
    assert_allclose(thin.explained_by_, full.explained_by_, atol=1e-10)
    assert_allclose(thin.coef_, full.coef_, atol=1e-8)
    assert_allclose(thin.intercept_, full.intercept_, atol=1e-8)
    assert thin.score(table) == pytest.approx(full.score(table), abs=1e-10)


@pytest.mark.parametrize("given", ["nothing", "costs"])
@pytest.mark.parametrize(
    ("method", "parameters"), [(IterFS, {"n_init": 2}), (IteratedLocalSearchCSS, {"max_iter": 30})]
)
def test_searches_among_rows_are_those_of_the_gram_matrix(table, method, parameters, given):
    budget = 9.0 if given == "costs" else None
    cost = np.random.default_rng(1).uniform(0.5, 2, N) if given == "costs" else None
    thin, full = (
        method(10, random_state=0, solver=solver, budget=budget, **parameters).fit(table, cost=cost)
        for solver in ("auto", "gram")
    )
    assert (thin.solver_, full.solver_) == ("thin", "gram")
    assert thin.n_iter_ == full.n_iter_
    assert list(thin.path_) == list(full.path_)
    for size in full.path_:
        assert thin.error_path_[size] == pytest.approx(full.error_path_[size], rel=1e-9)
        assert_array_equal(np.sort(thin.path_[size]), np.sort(full.path_[size]))


def test_tables_and_independence_among_rows(table):
    A = np.asfortranarray((table - table.mean(axis=0))[:, :300])
    A[:, 20:40] = A[:, :20] @ np.random.default_rng(2).normal(size=(20, 20))
    thin, full = ThinProblem(A), GramProblem(A.T @ A)
    for order in (np.arange(300), np.random.default_rng(3).permutation(300)):
        for k in (10, M):
            assert_array_equal(thin.independent(order, k), full.independent(order, k))
    T, expected = (SwapProblem(pair).tables(np.array([3, 9, 50])) for pair in (thin, full))
    for ours, theirs in zip(T, expected, strict=True):
        assert_allclose(ours, theirs, atol=1e-9 * full.target_norm2)


def test_memory_is_that_of_the_rows(table):
    GreedyCSS(5).fit(table)
    tracemalloc.start()
    GreedyCSS(5).fit(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * table.nbytes < 8 * N * N


def test_a_long_search_takes_the_quicker_way(table):
    """A search of thousands of exchanges repays the Gram matrix of fewer columns for each row."""
    quick = {"max_iter": 2, "full_path": False}
    for rows, parameters, solver in [
        (M, {}, "thin"),
        (2 * M, {}, "gram"),
        (2 * M, {"time_budget": 9.0}, "thin"),
    ]:
        X = np.vstack([table, 2 * table[::-1]])[:rows]
        est = IteratedLocalSearchCSS(3, random_state=0, **quick, **parameters).fit(X)
        assert est.solver_ == solver
    with config_context(memory_limit=30e6):  # the Gram matrix takes 46 MB
        est = IteratedLocalSearchCSS(3, random_state=0, **quick).fit(X)
    assert est.solver_ == "thin"


def test_only_where_it_can_be(table, monkeypatch):
    for parameters, at_fit in [
        ({"ridge": 0.1}, {}),
        ({"keep": [3]}, {}),
        ({"candidates": np.arange(9, 600)}, {}),
        ({}, {"target": table[:, :3]}),
    ]:
        assert GreedyCSS(4, **parameters).fit(table, **at_fit).solver_ == "gram"
    monkeypatch.setattr(_base, "THIN_COLUMNS", N + 1)
    assert GreedyCSS(4).fit(table).solver_ == "gram"


def test_rank_and_zeros_and_more_rows(table):
    with pytest.warns(RankDeficiencyWarning, match="numerical rank"):
        est = GreedyCSS(60).fit(table)
    assert est.n_features_to_select_ <= M
    with pytest.raises(ValueError, match="keeps no Gram matrix"):
        est.partial_fit(table)
    assert not hasattr(est, "moments_")
    with pytest.raises(DataError, match="Every column of X is zero"):
        GreedyCSS(2).fit(np.full((M, N), 3.0))
    with pytest.raises(ValueError, match="NaN"):
        GreedyCSS(2).fit(np.where(table > 8, np.nan, table))
