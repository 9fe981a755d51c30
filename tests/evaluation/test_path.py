"""The path of a selection: checked against the data and the estimator."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve import AlignedColumns, GreedyCSS, IterFS, MixedColumns
from sksieve.evaluation import explained
from sksieve.evaluation._path import BUDGET, SelectionPath, selection_path
from sksieve.metrics import HeldOut

from ..report.pages import low_rank


def path_of(est, X) -> SelectionPath:
    return selection_path(est, X, [f"c{j}" for j in range(X.shape[1])])


@pytest.mark.parametrize("scale", ["standard", "unit", "none"])
def test_every_number_is_the_share_on_rows_not_used(scale: str) -> None:
    X = low_rank() * np.logspace(-2, 2, 12) + 3.0
    path = path_of(GreedyCSS(n_features_to_select=4, scale=scale).fit(X), X)
    assert list(path.steps) == list(range(1, 13))
    judge = HeldOut(X)
    for step in path.steps.values():
        assert step.share == pytest.approx(explained(X, step.order))
        np.testing.assert_allclose(step.together, judge.path(step.order))
        np.testing.assert_allclose(step.adds.sum(), step.share)
        dropped = step.reconstruction
        np.testing.assert_allclose(dropped.r2, judge.by_column(step.order)[dropped.columns])
        assert np.all(np.diff(dropped.r2) >= 0)
    np.testing.assert_allclose(path.components, judge.components(12))
    np.testing.assert_allclose(path.random, judge.random(12))
    assert path.random_share(13) is None
    assert path.component_share(0) is None


def test_weights_are_least_squares_of_standardized_columns() -> None:
    X = low_rank() * np.logspace(-2, 2, 12) + 3.0
    step = path_of(GreedyCSS(n_features_to_select=4).fit(X), X).answer
    A = (X - X.mean(axis=0)) / X.std(axis=0)
    S, dropped = step.order, step.reconstruction
    coef = np.linalg.lstsq(A[:, S], A, rcond=None)[0]
    for j, sources, weights in zip(dropped.columns, dropped.sources, dropped.weights):
        largest = S[np.argsort(-np.abs(coef[:, j]))[:3]]
        assert sources.tolist() == largest.tolist()
        np.testing.assert_allclose(weights, [coef[list(S).index(s), j] for s in sources], rtol=1e-6)


def test_smaller_sizes_are_what_a_fit_of_that_size_finds() -> None:
    X = low_rank()
    whole = path_of(GreedyCSS(n_features_to_select=6, scale="standard").fit(X), X)
    alone = path_of(GreedyCSS(n_features_to_select=3, scale="standard").fit(X), X)
    np.testing.assert_array_equal(whole.steps[3].order, alone.answer.order)
    np.testing.assert_allclose(whole.steps[3].together, alone.answer.together)


def test_subsets_without_an_order_are_ordered_by_what_they_add() -> None:
    X = low_rank()
    greedy = GreedyCSS(n_features_to_select=6, scale="standard").fit(X)
    nested = path_of(greedy, X)
    unordered = SimpleNamespace(
        path_={k: np.sort(S) for k, S in greedy.path_.items()},
        nested=False,
        ranking_=greedy.ranking_,
        n_features_to_select_=6,
        target_="table",
        ridge=0,
    )
    for k, step in path_of(unordered, X).steps.items():
        np.testing.assert_array_equal(step.order, nested.steps[k].order)


def test_the_path_goes_to_the_rank() -> None:
    X = low_rank()
    whole = GreedyCSS(n_features_to_select=X.shape[1], scale="standard").fit(X)
    path = path_of(GreedyCSS(n_features_to_select=3, scale="standard").fit(X), X)
    assert path.last == 3
    assert path.shares[-1] == 1
    for k, step in path.steps.items():
        assert set(step.order) == set(whole.path_[k])


def test_paths_with_limits_are_not_continued() -> None:
    X = low_rank()
    est = GreedyCSS(n_features_to_select=2, scale="standard", candidates=[0, 1, 2, 3]).fit(X)
    assert list(path_of(est, X).steps) == [1, 2]


def test_methods_without_a_path_have_the_prefixes_of_their_ranking() -> None:
    X = low_rank()
    est = AlignedColumns(4).fit(X)
    path = path_of(est, X)
    assert path.selected == 4
    for k, step in path.steps.items():
        np.testing.assert_array_equal(step.order, est.ranking_[:k])


def test_a_method_of_one_size_has_the_first_of_its_columns_as_smaller_sizes() -> None:
    X = low_rank()
    est = IterFS(5, init="greedy", random_state=0).fit(X, target="structure")
    path = path_of(est, X)
    assert list(path.steps) == [1, 2, 3, 4, 5]
    assert path.has_prefixes
    for k, step in path.steps.items():
        np.testing.assert_array_equal(step.order, est.ranking_[:k])
        assert step.share == pytest.approx(path.answer.together[k - 1])
    for other in (GreedyCSS(5), AlignedColumns(5)):
        assert not path_of(other.fit(X), X).has_prefixes


def test_whole_variables_are_chosen_and_dropped() -> None:
    rng = np.random.RandomState(0)
    codes = np.eye(3)[rng.randint(3, size=90)]
    x = rng.randn(90)
    X = np.column_stack([x, codes, codes @ [1.0, 2.0, 3.0] + 0.1 * rng.randn(90), rng.randn(90)])
    groups = ["x", "kind", "kind", "kind", "near", "noise"]
    est = MixedColumns(2, groups=groups).fit(X)
    path = selection_path(est, X, [f"c{j}" for j in range(6)])
    assert path.variables.names == ["x", "kind", "near", "noise"]
    assert path.selected == 2
    order = [path.variables.names[v] for v in path.answer.order]
    assert order == est.variables_
    judge = HeldOut(X, groups=groups)
    columns = [j for name in order for j in range(6) if groups[j] == name]
    assert path.answer.share == pytest.approx(judge.explained(columns))
    dropped = path.answer.reconstruction
    assert {path.variables.names[v] for v in dropped.columns} == set(groups) - set(order)
    shares = judge.by_column(columns)
    for v, share in zip(dropped.columns, dropped.r2):
        members = [j for j in range(6) if groups[j] == path.variables.names[v]]
        assert share == pytest.approx(np.mean(shares[members]))


def test_constant_columns_have_no_share() -> None:
    X = low_rank()
    X[:, [2, 7]] = 4.0
    dropped = path_of(GreedyCSS(n_features_to_select=3, scale="standard").fit(X), X).answer
    dropped = dropped.reconstruction
    assert set(dropped.columns[np.isnan(dropped.r2)]) == {2, 7}
    assert np.all(dropped.sources[np.isnan(dropped.r2)] == -1)


def test_csr_gives_the_same_path() -> None:
    X = np.maximum(low_rank(), 0.0)
    est = GreedyCSS(n_features_to_select=3, scale="standard").fit(X)
    dense, sparse = path_of(est, X), path_of(est, sp.csr_array(X))
    np.testing.assert_allclose(sparse.shares, dense.shares)
    np.testing.assert_allclose(sparse.answer.reconstruction.r2, dense.answer.reconstruction.r2)


def test_wide_tables_keep_within_the_budget() -> None:
    X = low_rank(n=40, d=1500)
    rng = np.random.RandomState(0)
    subsets = {k: rng.permutation(1500)[:k] for k in range(1, 41)}  # none a prefix of another
    ranking = np.r_[subsets[40], np.setdiff1d(range(1500), subsets[40])]
    est = SimpleNamespace(
        path_=subsets,
        nested=False,
        ranking_=ranking,
        n_features_to_select_=40,
        target_="",
        ridge=0,
    )
    path = path_of(est, X)
    assert 40 in path.steps
    assert sum(20 * 1500 * k * (k + 40) for k in path.steps if k != 40) <= BUDGET
    assert path.answer.reconstruction is not None
    assert path.steps[1].reconstruction is None
    assert len(path.answer.reconstruction.columns) == 1460
