"""The path of a column subset: checked against the data and the estimator."""

from __future__ import annotations

import numpy as np
import pytest

from sksieve import GreedyCSS
from sksieve.evaluation._path import BUDGET, selection_path, slider_stops

from ..report.pages import low_rank


@pytest.mark.parametrize("scale", ["standard", "unit", "none"])
def test_reconstruction_is_least_squares(scale: str) -> None:
    X = low_rank() * np.logspace(-2, 2, 12) + 3.0
    est = GreedyCSS(n_features_to_select=4, scale=scale).fit(X)
    step = selection_path(est).steps[4]
    A = X - X.mean(axis=0) if scale == "standard" else X
    A = A / np.sqrt((A**2).mean(axis=0))  # every column in its own spread
    S = step.order
    coef = np.linalg.lstsq(A[:, S], A, rcond=None)[0]
    r2 = 1 - ((A - A[:, S] @ coef) ** 2).sum(axis=0) / (A**2).sum(axis=0)
    found = step.reconstruction
    np.testing.assert_allclose(found.r2, r2[found.columns], rtol=1e-7)
    assert np.all(np.diff(found.r2) >= 0)
    for j, sources, weights in zip(found.columns, found.sources, found.weights):
        largest = S[np.argsort(-np.abs(coef[:, j]))[:3]]
        assert sources.tolist() == largest.tolist()
        np.testing.assert_allclose(weights, [coef[list(S).index(s), j] for s in sources], rtol=1e-6)


def test_smaller_sizes_are_what_a_fit_of_that_size_finds() -> None:
    X = low_rank()
    whole = selection_path(GreedyCSS(n_features_to_select=6, scale="standard").fit(X))
    alone = selection_path(GreedyCSS(n_features_to_select=3, scale="standard").fit(X))
    a, b = whole.steps[3], alone.steps[3]
    np.testing.assert_array_equal(a.order, b.order)
    np.testing.assert_allclose([a.share, a.bound], [b.share, b.bound])
    np.testing.assert_allclose(a.adds, b.adds)
    np.testing.assert_array_equal(a.reconstruction.columns, b.reconstruction.columns)
    np.testing.assert_allclose(a.reconstruction.r2, b.reconstruction.r2)
    np.testing.assert_array_equal(a.reconstruction.sources, b.reconstruction.sources)
    np.testing.assert_allclose(a.reconstruction.weights, b.reconstruction.weights)


def test_what_each_adds_sums_to_the_share() -> None:
    X = low_rank()
    for step in selection_path(GreedyCSS(n_features_to_select=8).fit(X)).steps.values():
        assert step.adds.sum() == pytest.approx(step.share)
        assert np.all(step.adds >= 0)
        assert step.share <= step.bound + 1e-12


class NotNested(GreedyCSS):
    """Greedy, with its subsets in the order of the table and no promise of being nested."""

    nested = False

    def _select(self, problem, k, rng):
        path = super()._select(problem, k, rng)
        return {size: np.sort(S) for size, S in path.items()}


def test_subsets_without_an_order_are_ordered_by_what_they_add() -> None:
    X = low_rank()
    nested = selection_path(GreedyCSS(n_features_to_select=6).fit(X))
    sorted_ = selection_path(NotNested(n_features_to_select=6).fit(X))
    for k, step in sorted_.steps.items():
        np.testing.assert_array_equal(step.order, nested.steps[k].order)
        np.testing.assert_allclose(step.adds, nested.steps[k].adds, atol=1e-12)


class WithCopy(GreedyCSS):
    """A column and nearly a copy of it."""

    nested = False

    def _select(self, problem, k, rng):
        return {1: np.array([3]), 2: np.array([0, 3])}


def test_copies_among_the_chosen_stay_in_the_list() -> None:
    X = low_rank()
    X[:, 3] = 2 * X[:, 0] + 1e-6 * np.random.default_rng(0).normal(size=len(X))
    step = selection_path(WithCopy(n_features_to_select=2).fit(X)).steps[2]
    assert sorted(step.order) == [0, 3]
    assert step.adds[0] > 0.1
    assert step.adds[1] == 0.0


def test_constant_columns_have_no_r2() -> None:
    X = low_rank()
    X[:, [2, 7]] = 4.0
    found = selection_path(GreedyCSS(n_features_to_select=3, scale="standard").fit(X)).steps[3]
    assert set(found.reconstruction.columns[np.isnan(found.reconstruction.r2)]) == {2, 7}
    assert np.all(found.reconstruction.sources[np.isnan(found.reconstruction.r2)] == -1)


@pytest.mark.parametrize(("n_sizes", "n_columns"), [(10, 50), (400, 1000), (3000, 6000)])
def test_slider_stops_are_within_the_budget(n_sizes: int, n_columns: int) -> None:
    sizes = np.arange(1, n_sizes + 1)
    stops = slider_stops(sizes, n_sizes - 2, n_columns)
    assert n_sizes - 2 in stops
    assert len(stops) <= 151
    assert set(stops) <= set(sizes)
    assert n_columns * sum(k * k for k in stops if k != n_sizes - 2) <= BUDGET
    if n_sizes == 10:
        assert stops == list(range(1, 11))


def test_the_path_goes_to_the_rank() -> None:
    X = low_rank()
    whole = GreedyCSS(n_features_to_select=X.shape[1], scale="standard").fit(X)
    facts = selection_path(GreedyCSS(n_features_to_select=3, scale="standard").fit(X))
    assert facts.last == 3
    assert facts.shares[-1] == pytest.approx(1)
    for k, share in zip(facts.sizes, facts.shares):
        assert share == pytest.approx(1 - whole.error_path_[k] / whole.error_path_[0])
        assert facts.bounds[k] >= share - 1e-9
    assert list(facts.steps) == list(facts.sizes)
    step = facts.steps[5]
    assert set(step.order) == set(whole.path_[5])
    assert step.adds.sum() == pytest.approx(step.share)
    np.testing.assert_allclose(step.bound, 1 - whole.svd_error_path_[5] / whole.error_path_[0])


def test_paths_with_limits_are_not_continued() -> None:
    X = low_rank()
    est = GreedyCSS(n_features_to_select=2, scale="standard", candidates=[0, 1, 2, 3]).fit(X)
    assert list(selection_path(est).sizes) == [1, 2]
