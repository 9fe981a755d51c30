"""The charts and texts of a selection's page: checked against the numbers they show."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sksieve import GreedyCSS
from sksieve.evaluation._path import SelectionPath, selection_path
from sksieve.report import _charts, _text
from sksieve.report._figures import convergence_chart, path_chart, score_chart
from sksieve.report._selection_view import _convergence_view, python_lines
from sksieve.suggest import suggest_n_columns

from .pages import greedy_result, low_rank


def path_of(est: GreedyCSS, X: np.ndarray) -> SelectionPath:
    return selection_path(est, X, [f"c{j}" for j in range(X.shape[1])])


def test_objectives_that_are_no_errors_are_drawn_by_steps() -> None:
    est = GreedyCSS(n_features_to_select=3).fit(low_rank())
    for objective, label in ((est.objective_, "seconds (logarithmic)"), (-1.0, "step")):
        values = ((1, objective * (2 if objective < 0 else 1.5)), (2, objective))
        est.history_ = [{"n_iter": i, "objective": v, "seconds": 0.1 * i} for i, v in values]
        assert _convergence_view(est)["chart"].x_label == label
        first = _convergence_view(est, has_compiled=True)
        assert first["chart"].x_label == "step", "seconds with compiling are not shown"
        assert first["text"].startswith("2 iterations.")
        est.history_ = [
            {"n_iter": i, "objective": v, "seconds": 0.1} for i, v in ((1, 2.0), (2, 2.0))
        ]
        assert _convergence_view(est) is None, "a flat line shows nothing"


def test_path_chart_draws_the_path() -> None:
    X = low_rank()
    facts = path_of(GreedyCSS(n_features_to_select=5, scale="standard").fit(X), X)
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


def test_the_interval_of_a_suggestion_is_marked() -> None:
    X = low_rank()
    facts = path_of(GreedyCSS(n_features_to_select=3, scale="standard").fit(X), X)
    suggestion = replace(suggest_n_columns(X, random_state=0), interval=(4, 6))
    chart = path_chart(facts, suggestion)
    (band,) = [line for line in chart.lines if line.style == "interval"]
    assert band.label == f"suggested: {suggestion.n} (4 to 6)"
    left, right = (float(text) for text in re.findall(r"[\d.]+", band.path)[0::2][:2])
    low, high = (1000 * chart.x.place([k])[0] for k in suggestion.interval)
    assert left <= low + 0.1
    assert right >= high - 0.1
    wider = path_chart(facts, replace(suggestion, interval=(4, 90)))
    assert wider.lines[0].label == f"suggested: {suggestion.n} (4 to 90)", "never cut to the path"
    assert wider.x.hi == 90


def test_path_chart_zooms_in_on_high_shares() -> None:
    X = low_rank()
    X = 5 * X[:, :1] + X  # one column explains more than half of all
    facts = path_of(GreedyCSS(n_features_to_select=5, scale="standard").fit(X), X)
    chart = path_chart(facts)
    assert chart.x.lo == 1
    assert 0.5 < chart.y.lo <= facts.shares[0]
    assert all(0 <= at <= 100 for at, _ in chart.y.ticks)


@pytest.mark.parametrize("factor", [1.0, 1 + 1e-14])
def test_a_path_without_a_slope(factor: float) -> None:
    """One column is as good as all: the line is level, at 100 %."""
    X = np.outer(np.random.default_rng(0).normal(size=12), [1.0, 2.0, -3.0 * factor])
    facts = path_of(GreedyCSS(n_features_to_select=1, scale="standard").fit(X), X)
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
    assert chart.y_label == "error on the rows of the fit"
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
@example(lo=5.0, ratio=1.0000000000000002)
@example(lo=1.0, ratio=1.0000000000000002)
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
