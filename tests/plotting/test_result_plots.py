"""Figures of many runs, of mean ranks and of weights: the artists carry the figures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sksieve import BLUFS, GreedyCSS, LaplacianScore, plotting
from sksieve.bench import friedman
from sksieve.datasets import make_informative_plus_noise
from sksieve.plotting._ranks import joined

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def wide() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    scores = rng.random((10, 5)) + np.array([0.0, 0.5, 0.9, 0.2, 0.6])
    return pd.DataFrame(scores, columns=list("abcde"))


def test_critical_difference_diagram_shows_ranks_scale_and_groups() -> None:
    test = friedman(wide())
    ax = plotting.plot_critical_difference(wide())
    scale, *rest = ax.lines
    np.testing.assert_allclose(scale.get_xdata(), [1, 1 + test.critical_difference])
    stems, bars = rest[:5], rest[5:]
    np.testing.assert_allclose([line.get_xdata()[0] for line in stems], test.ranks)
    names = [text.get_text() for text in ax.texts[1:]]
    expected = [f"{name}  {rank:.2f} " for name, rank in test.ranks.iloc[:3].items()]
    expected += [f" {rank:.2f}  {name}" for name, rank in test.ranks.iloc[3:].items()]
    assert names == expected
    ranks = test.ranks.to_numpy()
    groups = joined(ranks, test.critical_difference)
    assert len(bars) == len(groups) >= 1
    for bar, (first, last) in zip(bars, groups, strict=True):
        assert bar.get_xdata()[0] == pytest.approx(ranks[first], abs=0.05)
        assert bar.get_xdata()[1] == pytest.approx(ranks[last], abs=0.05)
    assert f"{test.p:.2g}" in ax.get_xlabel()
    heights = [line.get_ydata()[-1] for line in stems]
    assert max(heights) < min(bar.get_ydata()[0] for bar in bars), "no bar runs through a name"


def test_bars_join_exactly_the_pairs_within_the_critical_difference() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        ranks, difference = np.sort(rng.uniform(1, 8, 7)), rng.uniform(0.2, 4)
        groups = joined(ranks, difference)
        for i in range(7):
            for j in range(i + 1, 7):
                together = any(first <= i and j <= last for first, last in groups)
                assert together == (ranks[j] - ranks[i] <= difference)
        assert len({first for first, _ in groups}) == len({last for _, last in groups})


def test_errors_are_ranked_the_other_way_round() -> None:
    large, small = (
        plotting.plot_critical_difference(table, better=better)
        for table, better in ((wide(), "larger"), (-wide(), "smaller"))
    )
    assert [t.get_text() for t in large.texts] == [t.get_text() for t in small.texts]
    again = plotting.plot_critical_difference(friedman(-wide(), better="smaller"))
    assert [t.get_text() for t in again.texts] == [t.get_text() for t in small.texts]
    with pytest.raises(ValueError, match="3 methods"):
        plotting.plot_critical_difference(wide()[["a", "b"]])


@pytest.mark.parametrize("make", [list, pd.DataFrame, pl.DataFrame])
def test_boxes_have_the_quartiles(make: type) -> None:
    rng = np.random.default_rng(2)
    runs = {"blufs": rng.random(21), "all": rng.random(8)}
    rows = [{"method": m, "nmi": float(v)} for m, values in runs.items() for v in values]
    rows.append({"method": "all", "nmi": float("nan")})
    ax = plotting.plot_score_boxes(make(rows), "nmi")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["blufs (21)", "all (8)"]
    for box, values in zip(ax.patches, runs.values(), strict=True):
        x = box.get_path().vertices[:, 0]
        np.testing.assert_allclose([x.min(), x.max()], np.quantile(values, [0.25, 0.75]))
    medians = [line.get_xdata()[0] for line in ax.lines if line.get_linewidth() == 2]
    np.testing.assert_allclose(medians, [np.median(values) for values in runs.values()])
    assert ax.yaxis_inverted()
    with pytest.raises(ValueError, match="no row has a finite 'nmi'"):
        plotting.plot_score_boxes([{"method": "a", "nmi": float("nan")}], "nmi")


def test_sensitivity_is_the_mean_of_each_pair_and_marks_the_best() -> None:
    rows = [
        {"alpha": a, "beta": b, "acc": a + b + noise}
        for a in (10.0, 0.1, 1.0)
        for b in (2.0, 0.5)
        for noise in (-0.1, 0.1)
        if (a, b) != (1.0, 0.5)
    ]
    rows.append({"alpha": 0.1, "beta": 0.5, "acc": float("nan")})
    ax = plotting.plot_sensitivity(rows, "alpha", "beta")
    drawn = np.ma.filled(ax.images[0].get_array(), np.nan)
    np.testing.assert_allclose(drawn, [[0.6, np.nan, 10.5], [2.1, 3.0, 12.0]])
    assert ax.images[0].origin == "lower"
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0.1", "1", "10"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["0.5", "2"]

    def cross(ax: matplotlib.axes.Axes) -> tuple[float, float]:
        return ax.lines[0].get_xdata()[0], ax.lines[0].get_ydata()[0]

    assert cross(ax) == (2, 1)
    assert cross(plotting.plot_sensitivity(rows, "alpha", "beta", better="smaller")) == (0, 0)
    with pytest.raises(ValueError, match="better='more' is not one of larger, smaller"):
        plotting.plot_sensitivity(rows, "alpha", "beta", better="more")


def test_row_norms_of_a_fit_of_an_array_and_as_an_image() -> None:
    X, _, _ = make_informative_plus_noise("moons", random_state=0)
    est = BLUFS(n_features_to_select=2, n_clusters=2).fit(X)
    drawn = np.ma.filled(plotting.plot_row_norms(est).images[0].get_array(), 0.0)
    assert drawn.shape == (3, 3)
    np.testing.assert_allclose(drawn.ravel(), np.linalg.norm(est.coef_, axis=0))
    assert np.flatnonzero(drawn).tolist() == sorted(est.ranking_[:2])
    wide = plotting.plot_row_norms(np.arange(6.0)[:, None], (2, 3)).images[0].get_array()
    assert np.ma.filled(wide, 0.0).tolist() == [[0, 1, 2], [3, 4, 5]]
    folded = plotting.plot_row_norms(np.ones((5, 2))).images[0].get_array()
    assert folded.shape == (2, 3)
    assert folded.mask.tolist() == [[False] * 3, [False, False, True]]
    with pytest.raises(ValueError, match=r"\(2, 2\) has 4 pixels, the weights have 6 rows"):
        plotting.plot_row_norms(np.ones(6), (2, 2))
    with pytest.raises(ValueError, match="LaplacianScore has no weights"):
        plotting.plot_row_norms(LaplacianScore().fit(X))


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame])
def test_the_two_chosen_columns_of_nine(make: type) -> None:
    X, y, informative = make_informative_plus_noise("moons", random_state=0)
    est = BLUFS(n_features_to_select=2, n_clusters=2).fit(X)
    assert sorted(est.ranking_[:2]) == informative.tolist()
    ax = plotting.plot_two_columns(est, make(X), y)
    a, b = est.ranking_[:2]
    assert (ax.get_xlabel(), ax.get_ylabel()) == (f"column {a}", f"column {b}")
    for points, group in zip(ax.collections, (0, 1), strict=True):
        np.testing.assert_array_equal(points.get_offsets(), X[y == group][:, [a, b]])
    (alone,) = plotting.plot_two_columns(est, X).collections
    assert len(alone.get_offsets()) == len(X)
    with pytest.raises(ValueError, match="fewer than two columns"):
        plotting.plot_two_columns(GreedyCSS(1).fit(X[:, :1]), X)


def test_given_axes_are_used() -> None:
    table = [{"method": "a", "x": 1, "y": 2, "acc": 0.5}]
    est = GreedyCSS(2).fit(np.random.default_rng(0).random((20, 4)))
    for plot in (
        lambda ax: plotting.plot_critical_difference(wide(), ax=ax),
        lambda ax: plotting.plot_score_boxes(table, ax=ax),
        lambda ax: plotting.plot_sensitivity(table, "x", "y", ax=ax),
        lambda ax: plotting.plot_row_norms(np.eye(4), ax=ax),
        lambda ax: plotting.plot_two_columns(est, np.eye(4), ax=ax),
    ):
        plt.close("all")
        _, ax = plt.subplots()
        assert plot(ax) is ax
        assert len(plt.get_fignums()) == 1


def test_more_methods_than_colors_differ_in_their_style_and_the_key_stands_aside() -> None:
    table = [{"method": f"m{i}", "k": k, "acc": i / k} for i in range(8) for k in (1, 2)]
    ax = plotting.plot_scores_against_k(table)
    looks = [(line.get_color(), line.get_linestyle()) for line in ax.lines]
    assert len(set(looks)) == 8
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1
    assert all(float(tick).is_integer() for tick in ax.get_xticks())
