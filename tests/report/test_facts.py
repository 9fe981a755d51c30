"""What the report says about a selection: checked against the data and the estimator."""

from __future__ import annotations

import ast
import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sksieve import CorrelatedColumns, GreedyCSS
from sksieve.evaluation import suggest_k
from sksieve.report import _charts, _text
from sksieve.report._figures import convergence_chart, path_chart, score_chart
from sksieve.report._path_facts import BUDGET, column_facts, slider_stops
from sksieve.report._redundancy import THRESHOLD, redundancy, represented
from sksieve.report._selection_view import _convergence_view, python_lines

from .pages import greedy_result, low_rank, result_for


@pytest.mark.parametrize("scale", ["standard", "unit", "none"])
def test_reconstruction_is_least_squares(scale: str) -> None:
    X = low_rank() * np.logspace(-2, 2, 12) + 3.0
    est = GreedyCSS(n_features_to_select=4, scale=scale).fit(X)
    step = column_facts(est).steps[4]
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
    whole = column_facts(GreedyCSS(n_features_to_select=6, scale="standard").fit(X))
    alone = column_facts(GreedyCSS(n_features_to_select=3, scale="standard").fit(X))
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
    for step in column_facts(GreedyCSS(n_features_to_select=8).fit(X)).steps.values():
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
    nested = column_facts(GreedyCSS(n_features_to_select=6).fit(X))
    sorted_ = column_facts(NotNested(n_features_to_select=6).fit(X))
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
    step = column_facts(WithCopy(n_features_to_select=2).fit(X)).steps[2]
    assert sorted(step.order) == [0, 3]
    assert step.adds[0] > 0.1
    assert step.adds[1] == 0.0


def test_objectives_that_are_no_errors_are_drawn_by_steps() -> None:
    est = GreedyCSS(n_features_to_select=3).fit(low_rank())
    for objective, label in ((est.error_, "seconds (logarithmic)"), (-1.0, "step")):
        values = ((1, objective * (2 if objective < 0 else 1.5)), (2, objective))
        est.history_ = [{"n_iter": i, "objective": v, "seconds": 0.1 * i} for i, v in values]
        assert _convergence_view(est)["chart"].x_label == label
        est.history_ = [
            {"n_iter": i, "objective": v, "seconds": 0.1} for i, v in ((1, 2.0), (2, 2.0))
        ]
        assert _convergence_view(est) is None, "a flat line shows nothing"


def test_constant_columns_have_no_r2() -> None:
    X = low_rank()
    X[:, [2, 7]] = 4.0
    found = column_facts(GreedyCSS(n_features_to_select=3, scale="standard").fit(X)).steps[3]
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


def test_redundancy_is_pearsons_correlation() -> None:
    X = low_rank() + 100.0
    result = greedy_result(X, scale="unit")
    found = redundancy(result)
    expected = np.corrcoef(X[:, found.columns], rowvar=False)
    np.testing.assert_allclose(found.correlation, expected, atol=1e-9)
    off = expected[np.tril_indices(4, -1)]
    assert found.mean == pytest.approx(np.abs(off).mean())
    value, a, b = found.pairs[0]
    assert abs(value) == pytest.approx(np.abs(off).max())
    assert value == pytest.approx(np.corrcoef(X[:, a], X[:, b])[0, 1])


def correlated_table() -> np.ndarray:
    """Columns 0 to 2; near duplicates: two of 0, one of -1, one of 2 just below the threshold."""
    rng = np.random.default_rng(0)
    Z, noise = rng.normal(size=(400, 3)), rng.normal(size=(400, 4))
    others = Z[:, [0, 0, 1, 2]] * [1, 1, -1, 1] + noise * [0.3, 0.1, 0.2, 0.6]
    return np.column_stack([Z, others, np.ones(400)])


def test_represented_columns_are_those_of_correlated_columns() -> None:
    X = correlated_table()
    assert CorrelatedColumns().threshold == THRESHOLD
    est = CorrelatedColumns().fit(X)
    groups = represented(result_for(est, X, X=X))
    assert groups.keys() == est.groups_.keys()
    for j, others in est.groups_.items():
        assert [i for _, i in groups[j]] == others.tolist()
        np.testing.assert_allclose([r for r, _ in groups[j]], est.correlation_[others])


def test_represented_columns_from_a_table_from_csr_and_from_moments() -> None:
    X = correlated_table()
    est = GreedyCSS(keep=[0, 1, 2], scale="standard").set_params(n_features_to_select=3).fit(X)
    groups = represented(result_for(est, X, X=X))
    r = np.corrcoef(X[:, :7].T)
    assert {j: [i for _, i in others] for j, others in groups.items()} == {0: [4, 3], 1: [5]}
    assert groups[1] == [(pytest.approx(r[1, 5]), 5)]
    assert groups[1][0][0] < -THRESHOLD
    assert 0.8 < r[2, 6] < THRESHOLD
    for other in (result_for(est, X, X=sp.csr_array(X)), result_for(est, X)):
        for j, others in represented(other).items():
            np.testing.assert_allclose(others, groups[j])


def test_redundancy_of_constant_columns_is_unknown() -> None:
    X = low_rank()
    X[:, 0] = 7.0
    result = greedy_result(X, k=12, scale="unit", X=X)
    found = redundancy(result)
    place = list(found.columns).index(0)
    assert np.isnan(found.correlation[place]).all()
    assert all(0 not in pair[1:] for pair in found.pairs)


def test_path_chart_draws_the_path() -> None:
    X = low_rank()
    facts = column_facts(GreedyCSS(n_features_to_select=5, scale="standard").fit(X))
    chart = path_chart(facts)
    lines = {line.label: points(line) for line in chart.lines}
    drawn, more = lines["chosen columns"], lines["more columns, by forward selection"]
    n = len(facts.sizes)
    np.testing.assert_allclose(drawn[:, 0], 1000 * np.arange(6) / n, atol=0.06)
    np.testing.assert_allclose(1 - drawn[:, 1] / 1000, np.r_[0, facts.shares[:5]], atol=1e-4)
    np.testing.assert_allclose(more[:, 0], 1000 * np.arange(5, n + 1) / n, atol=0.06)
    np.testing.assert_allclose(1 - more[:, 1] / 1000, facts.shares[4:], atol=1e-4)
    at = 100 * 5 / n, 100 * (1 - facts.shares[4])
    assert chart.marker == (pytest.approx(at[0], abs=1e-3), pytest.approx(at[1], abs=1e-3))
    assert len(chart.rows) == n


def points(line) -> np.ndarray:
    return np.array([p.split() for p in line.path[1:].split("L")], dtype=float)


def test_the_path_goes_to_the_rank() -> None:
    X = low_rank()
    whole = GreedyCSS(n_features_to_select=X.shape[1], scale="standard").fit(X)
    facts = column_facts(GreedyCSS(n_features_to_select=3, scale="standard").fit(X))
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
    assert list(column_facts(est).sizes) == [1, 2]


def test_the_interval_of_a_suggestion_is_marked() -> None:
    X = low_rank()
    facts = column_facts(GreedyCSS(n_features_to_select=3, scale="standard").fit(X))
    suggestion = suggest_k(X, random_state=0)
    chart = path_chart(facts, None, suggestion)
    (band,) = [line for line in chart.lines if line.style == "interval"]
    assert f"suggested: {suggestion.k} (halves of the rows: " in band.label
    left, right = (float(text) for text in re.findall(r"[\d.]+", band.path)[0::2][:2])
    low, high = (1000 * chart.x.place([k])[0] for k in suggestion.interval)
    assert left <= low + 0.1
    assert right >= high - 0.1


def test_path_chart_zooms_in_on_high_shares() -> None:
    X = low_rank() + 40.0  # one column already keeps nearly everything, uncentered
    facts = column_facts(GreedyCSS(n_features_to_select=5, scale="unit").fit(X))
    chart = path_chart(facts)
    assert chart.x.lo == 1
    assert 0.5 < chart.y.lo <= facts.shares[0]
    assert all(0 <= at <= 100 for at, _ in chart.y.ticks)


@pytest.mark.parametrize("factor", [1.0, 1 + 1e-14])
def test_a_path_without_a_slope(factor: float) -> None:
    """One column is as good as all: the line is level, at 100 %."""
    X = np.outer(np.random.default_rng(0).normal(size=12), [1.0, 2.0, -3.0 * factor])
    facts = column_facts(GreedyCSS(n_features_to_select=1, scale="standard").fit(X))
    chart = path_chart(facts)
    assert (chart.y.lo, chart.y.hi) == pytest.approx((0.88, 1.0))
    assert chart.marker is not None
    assert np.isfinite(chart.marker).all()
    assert all("nan" not in line.path for line in chart.lines)
    history = [{"n_iter": i, "objective": 1e-30, "seconds": 0.1 * i} for i in (1, 2)]
    chart = convergence_chart(history, "", (1.0, 1e-30))
    assert chart is not None
    assert (chart.y.lo, chart.y.hi) == pytest.approx((0.0, 0.1))


def test_convergence_chart_keeps_ends_and_changes() -> None:
    history = [
        {"n_iter": i, "objective": 10.0 if i < 7000 else 5.0, "change": 0.0, "seconds": 1e-3 * i}
        for i in range(1, 10_001)
    ]
    chart = convergence_chart(history, "time_budget", (10.0, 5.0))
    assert chart.x.log
    assert (chart.x.lo, chart.x.hi) == (1e-3, 10.0)
    bound, line = chart.lines
    level = 1000 * (1 - chart.y.place([0.5])[0])
    assert bound.path == f"M0.0 {level:.1f}L1000.0 {level:.1f}"
    assert line.path.startswith("M0.0 0.0")
    assert line.path.endswith(f"H1000.0V{level:.1f}")
    assert len(line.path) < 12_000
    assert "100\u202f% after" in chart.summary
    assert "50.0\u202f% after" in chart.summary


def test_convergence_of_other_objectives_is_drawn_by_steps() -> None:
    history = [{"n_iter": i, "objective": v, "seconds": 0.0} for i, v in ((1, 3.0), (2, -1.0))]
    chart = convergence_chart(history, "tolerance")
    assert not chart.x.log
    assert [label for _, label in chart.x.ticks] == ["1", "2"]
    assert chart.lines[0].path == "M0.0 0.0L1000.0 1000.0"
    assert chart.rows == (("1", "3"), ("2", "-1"))
    assert "goes from 3 after step 1 to -1 after step 2" in chart.summary


def test_convergence_of_a_subsets_error_is_drawn_with_its_bound() -> None:
    history = [{"n_iter": i, "objective": 40.0 / i, "seconds": 0.1 * i} for i in (1, 2)]
    chart = convergence_chart(history, "max_iter", (80.0, 8.0))
    bound, line = chart.lines
    assert [row[1] for row in chart.rows] == ["50.0\u202f%", "25.0\u202f%"]
    assert chart.y_label == "share lost"
    at = float(bound.path.split("L")[0].split()[1])
    np.testing.assert_allclose(at / 1000, 1 - chart.y.place([0.1])[0], atol=1e-4)
    heights = [0.5, 0.25]
    drawn = [float(line.path[1:].split("H")[0].split()[1]), float(line.path.split("V")[1])]
    np.testing.assert_allclose(drawn, 1000 * (1 - chart.y.place(heights)), atol=0.06)


def test_convergence_needs_a_line() -> None:
    record = {"n_iter": 1, "objective": 2.0, "change": 0.0, "seconds": 0.1}
    assert convergence_chart([record], "max_iter") is None
    assert convergence_chart([record | {"objective": float("nan")}] * 5, "max_iter") is None
    assert convergence_chart([record | {"seconds": 0.0}] * 5, "max_iter", (3.0, 1.0)) is None
    flat = convergence_chart([record, record], "tolerance")
    assert flat is not None
    assert "nan" not in flat.lines[0].path


def test_score_chart_cuts_after_the_selected() -> None:
    chart = score_chart(np.array([4.0, 3.0, 1.0, -1.0]), 2)
    cut, line = chart.lines
    assert cut.path == "M500.0 0V1000"
    assert line.path == "M0.0 0.0L333.3 200.0L666.7 600.0L1000.0 1000.0"
    assert score_chart(np.array([1.0, 1.0]), 2).summary.endswith("none left.")


@given(
    lo=st.floats(-1e6, 1e6, allow_nan=False),
    width=st.floats(1e-6, 1e6),
)
def test_linear_ticks_are_few_inside_and_rising(lo: float, width: float) -> None:
    hi = lo + width
    axis = _charts.linear_axis(lo, hi)
    places = [at for at, _ in axis.ticks]
    assert len(places) <= 7
    assert places == sorted(places)
    assert all(-1e-3 <= at <= 100 + 1e-3 for at in places)


@given(lo=st.floats(1e-9, 1e3), ratio=st.floats(1.0, 1e9))
def test_log_ticks_are_few_and_inside(lo: float, ratio: float) -> None:
    axis = _charts.log_axis(lo, lo * ratio)
    assert len(axis.ticks) <= 9
    assert all(-1e-3 <= at <= 100 + 1e-3 for at, _ in axis.ticks)


@given(share=st.floats(0, 1))
def test_percent_never_rounds_to_the_ends(share: float) -> None:
    text = _text.percent(share)
    if 1e-12 < share < 1 - 1e-12:
        assert text not in (_text.percent(0.0), _text.percent(1.0))
        assert not text.startswith(("0.0\u202f", "100"))
    if 1e-3 < share < 1 - 1e-3:
        assert float(text.split("\u202f")[0]) == pytest.approx(100 * share, abs=0.05001)


@pytest.mark.parametrize(
    ("name", "scale"),
    [("t.csv", "standard"), ("it's.parquet", "none"), ("x.mtx", "unit"), ("t.csv", "minmax")],
)
def test_python_lines_are_python(name: str, scale: str) -> None:
    X = low_rank()
    result = greedy_result(X, data_name=name)
    lines = python_lines(result)
    ast.parse(lines)
    assert len(lines.splitlines()) <= 12
    assert repr(name) in lines


def test_python_lines_give_the_same_selection(tmp_path) -> None:
    X = low_rank()
    np.save(tmp_path / "t.npy", X)
    result = greedy_result(X, data_name=str(tmp_path / "t.npy"))
    lines = python_lines(result)
    space: dict = {"print": lambda *args: None}
    exec(lines, space)
    np.testing.assert_array_equal(space["X_small"], result.estimator.transform(X))


def test_given_loading_lines_are_used() -> None:
    X = low_rank()
    loading = "from sklearn.datasets import load_wine\nX = load_wine().data"
    lines = python_lines(greedy_result(X, loading=loading)).splitlines()
    assert lines[0] == "from sklearn.datasets import load_wine"
    assert "X = load_wine().data" in lines
    assert lines.index("") < lines.index("X = load_wine().data")
