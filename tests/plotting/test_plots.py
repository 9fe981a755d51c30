"""Figures: what is drawn is what the estimator, the history or the table says."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from sksieve import GreedyCSS, plotting
from sksieve.plotting._history import median_run

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.normal(size=(80, 5)) @ rng.normal(size=(5, 16)) + 0.5 * rng.normal(size=(80, 16))


@pytest.fixture(scope="module")
def est(X: np.ndarray) -> GreedyCSS:
    return GreedyCSS(n_features_to_select=6, scale="standard").fit(X)


def history(start: float = 0.0, n: int = 20) -> list[dict[str, float]]:
    return [
        {"n_iter": 10 * i, "objective": start + 5 / i, "change": 0.1, "seconds": 0.01 * i}
        for i in range(1, n + 1)
    ]


def lines(ax: matplotlib.axes.Axes) -> dict[str, matplotlib.lines.Line2D]:
    return {line.get_label(): line for line in ax.lines}


def test_error_path(est: GreedyCSS) -> None:
    ax = plotting.plot_error_path(est, quantity="error")
    chosen, bound, selected = ax.lines
    assert chosen.get_xdata().tolist() == list(range(7))
    assert chosen.get_ydata().tolist() == [est.error_path_[k] for k in range(7)]
    assert bound.get_ydata().tolist() == list(est.svd_error_path_.values())
    assert (selected.get_xdata()[0], selected.get_ydata()[0]) == (6, est.objective_)
    share = plotting.plot_error_path(est).lines[0].get_ydata()
    np.testing.assert_allclose(
        share, [100 * (1 - e / est.error_path_[0]) for e in est.error_path_.values()]
    )


def test_sizes_are_drawn_in_their_order() -> None:
    errors = {2: 1.0, 0: 4.0, 1: 2.0}
    est = SimpleNamespace(error_path_=errors, svd_error_path_=errors, n_features_to_select_=2)
    for draw in (plotting.plot_error_path, plotting.plot_pareto_front):
        assert draw(est).lines[0].get_xdata().tolist() == [0, 1, 2]


def test_error_path_refuses_other_quantities(est: GreedyCSS) -> None:
    with pytest.raises(ValueError, match="quantity='ratio' is not one of explained, error"):
        plotting.plot_error_path(est, quantity="ratio")


def test_given_axes_are_used(est: GreedyCSS, X: np.ndarray) -> None:
    table = [{"method": "a", "k": 1, "acc": 0.5, "seconds": 1.0}]
    for plot in (
        lambda ax: plotting.plot_error_path(est, ax=ax),
        lambda ax: plotting.plot_pareto_front(est, ax=ax),
        lambda ax: plotting.plot_convergence(history(), ax=ax),
        lambda ax: plotting.plot_anytime({"a": history()}, ax=ax),
        lambda ax: plotting.plot_trajectory({"a": [np.eye(4)[:, :1]]}, ax=ax),
        lambda ax: plotting.plot_explained_by(est, ax=ax),
        lambda ax: plotting.plot_redundancy(X, [0, 1], ax=ax),
        lambda ax: plotting.plot_selected_mask(est, (4, 4), ax=ax),
        lambda ax: plotting.plot_scores_against_k(table, ax=ax),
        lambda ax: plotting.plot_time_bars(table, ax=ax),
    ):
        plt.close("all")
        _, ax = plt.subplots()
        assert plot(ax) is ax
        assert len(plt.get_fignums()) == 1


def test_pareto_front_is_a_staircase_above_the_bound(est: GreedyCSS) -> None:
    front, bound = plotting.plot_pareto_front(est).lines
    assert front.get_drawstyle() == "steps-post"
    assert front.get_ydata().tolist() == list(est.error_path_.values())
    assert np.all(front.get_ydata() >= bound.get_ydata() - 1e-9)


@pytest.mark.parametrize("make", [list, pd.DataFrame, pl.DataFrame])
def test_convergence(make: type) -> None:
    records = history()
    records[0]["objective"] = float("inf")
    ax = plotting.plot_convergence(make(records))
    (line,) = ax.lines
    np.testing.assert_allclose(line.get_xdata(), 0.01 * np.arange(2, 21))
    np.testing.assert_allclose(line.get_ydata(), 5 / np.arange(2, 21))
    assert ax.get_xscale() == "log"
    against_iterations = plotting.plot_convergence(make(records), x="n_iter")
    assert against_iterations.get_xscale() == "linear"
    np.testing.assert_allclose(against_iterations.lines[0].get_xdata(), 10 * np.arange(2, 21))


def test_convergence_refuses_what_it_cannot_draw() -> None:
    with pytest.raises(ValueError, match="no step with a finite objective"):
        plotting.plot_convergence([history()[0] | {"objective": float("nan")}])
    with pytest.raises(ValueError, match="x='steps' is not one of seconds, n_iter"):
        plotting.plot_convergence(history(), x="steps")


def test_trajectory() -> None:
    rng = np.random.RandomState(0)
    runs = {
        name: [np.linalg.qr(rng.standard_normal((8, 2)))[0] for _ in range(n_steps)]
        for name, n_steps in (("plain", 5), ("perturbed", 3))
    }
    ax = plotting.plot_trajectory(runs)
    for name, bases in runs.items():
        X = np.array([U @ U.T for U in bases])
        expected = [X[:, :, :4].mean(axis=(1, 2)), X[:, :, 4:].mean(axis=(1, 2))]
        np.testing.assert_allclose(lines(ax)[name].get_data(), expected, atol=1e-12)
    end = ax.lines[1]
    np.testing.assert_allclose(end.get_xydata()[0], ax.lines[0].get_xydata()[-1])


def test_anytime() -> None:
    runs = {"one": history(1.0), "many": [history(0.0), pd.DataFrame(history(2.0)), history(4.0)]}
    ax = plotting.plot_anytime(runs, levels={"greedy": 3.0}, divide_by=2.0, per=10.0)
    drawn = lines(ax)
    np.testing.assert_allclose(drawn["one"].get_xdata(), np.arange(1, 21))
    np.testing.assert_allclose(drawn["one"].get_ydata(), (1 + 5 / np.arange(1, 21)) / 2)
    np.testing.assert_allclose(drawn["many"].get_ydata(), (2 + 5 / np.arange(1, 21)) / 2)
    np.testing.assert_allclose(drawn["greedy"].get_ydata(), 1.5)
    assert len(ax.lines) == 6
    assert ax.get_xlabel() == "iterations / 10"


def test_median_of_staircases_is_what_they_hold() -> None:
    a = (np.array([1.0, 4.0]), np.array([10.0, 2.0]))
    b = (np.array([2.0, 3.0]), np.array([8.0, 6.0]))
    c = (np.array([1.5, 5.0]), np.array([9.0, 1.0]))
    at, value = median_run([a, b, c])
    assert at.tolist() == [2, 3, 4, 5]
    assert value.tolist() == [9, 9, 6, 2]


def test_explained_by_shows_the_worst(est: GreedyCSS) -> None:
    names = [f"column {j}" for j in range(16)]
    ax = plotting.plot_explained_by(est, names, n_columns=4)
    widths = [bar.get_width() for bar in ax.patches]
    dropped = est.ranking_[6:]
    assert widths == sorted(est.explained_by_[dropped])[:4]
    worst = dropped[est.explained_by_[dropped].argmin()]
    assert ax.get_yticklabels()[0].get_text() == f"column {worst}"
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the worst at the top


def test_explained_by_takes_the_tables_names(X: np.ndarray) -> None:
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(16)])
    fitted = GreedyCSS(n_features_to_select=14).fit(table)
    labels = [t.get_text() for t in plotting.plot_explained_by(fitted).get_yticklabels()]
    assert set(labels) == {f"c{j}" for j in fitted.ranking_[14:]}


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, pd.DataFrame])
def test_redundancy_is_pearsons_correlation(X: np.ndarray, make: type) -> None:
    shifted = X + 10.0
    shifted[:, 5] = 2.0
    ax = plotting.plot_redundancy(make(shifted), [7, 5, 1])
    drawn = np.ma.filled(ax.images[0].get_array(), np.nan)
    with np.errstate(invalid="ignore"):
        expected = np.corrcoef(shifted[:, [7, 5, 1]], rowvar=False)
    expected[1], expected[:, 1] = np.nan, np.nan
    np.testing.assert_allclose(drawn, expected, atol=1e-9)
    assert ax.images[0].get_clim() == (-1, 1)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["7", "5", "1"]


def test_selected_mask(est: GreedyCSS, X: np.ndarray) -> None:
    ax = plotting.plot_selected_mask(est, (4, 4), image=X.mean(axis=0))
    below, mask = (image.get_array() for image in ax.images)
    np.testing.assert_allclose(below, X.mean(axis=0).reshape(4, 4))
    np.testing.assert_array_equal(np.ma.filled(mask, 0.0).ravel() == 1, est.get_support())
    with pytest.raises(ValueError, match="20 pixels, the estimator has seen 16 columns"):
        plotting.plot_selected_mask(est, (5, 4))


@pytest.mark.parametrize("make", [list, pd.DataFrame, pl.DataFrame])
def test_scores_against_k(make: type) -> None:
    rows = [
        {"method": m, "k": k, "nmi": base + 0.01 * k + noise}
        for m, base in (("blufs", 0.5), ("all", 0.3))
        for k in (10, 5)
        for noise in (-0.1, 0.0, 0.1)
    ]
    ax = plotting.plot_scores_against_k(make(rows), "nmi")
    drawn = lines(ax)
    assert list(drawn) == ["blufs", "all"]
    assert drawn["all"].get_xdata().tolist() == [5, 10]
    np.testing.assert_allclose(drawn["all"].get_ydata(), [0.35, 0.40])
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(0.6 + 0.1)
    assert band[:, 1].min() == pytest.approx(0.55 - 0.1)
    assert ax.get_ylabel() == "nmi"


def test_methods_that_choose_no_columns_are_level_lines() -> None:
    rows = [{"method": "a", "k": k, "acc": 0.1 * k} for k in (2, 4)]
    rows += [{"method": "groups", "k": 0, "acc": acc} for acc in (0.5, 0.7)]
    ax = plotting.plot_scores_against_k(rows)
    drawn = lines(ax)
    assert drawn["groups"].get_xdata() == [0, 1]  # of the width
    np.testing.assert_allclose(drawn["groups"].get_ydata(), 0.6)
    (band,) = ax.patches
    np.testing.assert_allclose(
        band.get_y() + np.array([0, band.get_height()]), 0.6 + np.array([-1, 1]) * 0.02**0.5
    )
    assert ax.get_xlim()[0] > 1
    alone = plotting.plot_scores_against_k(rows[2:])
    assert alone.lines[0].get_xdata().tolist() == [0]


def test_single_scores_have_no_band() -> None:
    rows = [{"method": "a", "k": k, "acc": 0.1 * k} for k in (1, 2)]
    assert not plotting.plot_scores_against_k(rows).collections


def test_time_bars_fastest_first() -> None:
    rows = [{"method": m, "seconds": s} for m, s in (("a", 4.0), ("b", 0.2), ("b", 0.4))]
    ax = plotting.plot_time_bars(rows)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["b", "a"]
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == pytest.approx([0.3, 4.0])
    whiskers = ax.collections[0].get_segments()
    np.testing.assert_allclose(whiskers[0][:, 0], [0.2, 0.4])
    assert ax.get_xscale() == "log"
