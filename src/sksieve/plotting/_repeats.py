"""Figures of many runs: how they spread, and how they depend on two weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._axes import BOUND, MAIN, column, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_score_boxes(
    df: Any, score: str = "acc", *, by: str = "method", ax: Axes | None = None
) -> Axes:
    """How repeated clusterings spread: one box for each method.

    Parameters
    ----------
    df : DataFrame or list of records
        One row for each run: method, score. Rows without a score (NaN) are left out.
    score, by : str
        Names of the columns: the score, and what makes a box.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        For each method, in the order they first appear, one horizontal box: median, quartiles,
        whiskers to the last run within 1.5 times the box, single points beyond. The number of runs
        stands beside the name.

    Raises
    ------
    ValueError
        If no row has a score.

    Examples
    --------
    >>> from sksieve.plotting import plot_score_boxes
    >>> rows = [{"method": m, "acc": a} for m in ("blufs", "all") for a in (0.5, 0.6, 0.7)]
    >>> [t.get_text() for t in plot_score_boxes(rows).get_yticklabels()]
    ['blufs (3)', 'all (3)']
    """
    names, values = column(df, by), column(df, score).astype(float)
    is_finite = np.isfinite(values)
    if not is_finite.any():
        raise ValueError(f"no row has a finite {score!r}; there is nothing to draw.")
    groups = {name: values[is_finite & (names == name)] for name in dict.fromkeys(names[is_finite])}
    ax = new_axes(ax, height=max(1.6, 0.9 + 0.35 * len(groups)))
    ax.boxplot(
        list(groups.values()),
        orientation="horizontal",
        widths=0.6,
        patch_artist=True,
        boxprops={"facecolor": MAIN, "alpha": 0.35, "edgecolor": MAIN},
        medianprops={"color": BOUND, "lw": 2},
        flierprops={"marker": ".", "markersize": 4},
    )
    labels = [f"{name} ({len(group)})" for name, group in groups.items()]
    ax.set_yticks(1 + np.arange(len(groups)), labels)
    ax.invert_yaxis()
    ax.set(xlabel=score)
    return ax


def plot_sensitivity(
    df: Any,
    x: str,
    y: str,
    score: str = "acc",
    *,
    better: str = "larger",
    ax: Axes | None = None,
) -> Axes:
    """How a score depends on two weights: a heat map of means.

    Parameters
    ----------
    df : DataFrame or list of records
        One row for each run: both weights, score. Several rows of one pair are averaged.
    x, y, score : str
        Names of the columns: the weights, and the score.
    better : {"larger", "smaller"}, default="larger"
        Which way the score is better; the best pair is marked with a cross.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        One image, a row for each value of `y` (the smallest below) and a column for each of `x`;
        pairs without a run are empty.

    Raises
    ------
    ValueError
        If `better` is neither, or no row has a score.

    Examples
    --------
    >>> from sksieve.plotting import plot_sensitivity
    >>> rows = [{"alpha": a, "beta": b, "acc": a - b} for a in (1, 10) for b in (0.1, 1)]
    >>> plot_sensitivity(rows, "alpha", "beta").images[0].get_array().tolist()
    [[0.9, 9.9], [0.0, 9.0]]
    """
    if better not in ("larger", "smaller"):
        raise ValueError(f"better={better!r} is not one of larger, smaller.")
    xs, ys, values = (column(df, name).astype(float) for name in (x, y, score))
    is_finite = np.isfinite(values)
    if not is_finite.any():
        raise ValueError(f"no row has a finite {score!r}; there is nothing to draw.")
    across, down = np.unique(xs), np.unique(ys)
    total, count = np.zeros((2, len(down), len(across)))
    at = np.searchsorted(down, ys[is_finite]), np.searchsorted(across, xs[is_finite])
    np.add.at(total, at, values[is_finite])
    np.add.at(count, at, 1)
    mean = np.ma.masked_invalid(
        np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    )
    best = np.ma.argmax(mean) if better == "larger" else np.ma.argmin(mean)
    row, place = np.unravel_index(int(best), mean.shape)
    ax = new_axes(ax, 1.8 + 0.45 * len(across), 1.4 + 0.45 * len(down))
    image = ax.imshow(mean, origin="lower", cmap="cividis", aspect="auto")
    ax.plot([place], [row], "x", color=BOUND, ms=9, mew=2.5, label="best")
    ax.set_xticks(np.arange(len(across)), [f"{value:g}" for value in across], fontsize=8)
    ax.set_yticks(np.arange(len(down)), [f"{value:g}" for value in down], fontsize=8)
    ax.set(xlabel=x, ylabel=y)
    ax.figure.colorbar(image, ax=ax, label=score)
    return ax
