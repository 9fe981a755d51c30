"""Figures of tables of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import Array
from ._axes import COLORS, MAIN, column, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: With more lines than this the key stands beside the axes.
CROWD = 4

#: After the last color the next style of line.
STYLES = ("-", "--", ":", "-.")


def plot_scores_against_k(
    df: Any, score: str = "acc", *, k: str = "k", by: str = "method", ax: Axes | None = None
) -> Axes:
    """Mean score against the number of columns, with a band of one standard deviation.

    Parameters
    ----------
    df : DataFrame or list of records
        One row for each repetition: method, number of columns (0 for methods that choose none),
        score.
    score, k, by : str
        Names of the columns: the score, the number of columns, what makes a line.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        For each method, in the order they first appear, one line of means and (where there are
        repetitions) one band, mean +- standard deviation; level and from side to side for a method
        that chooses no columns, beside others that do.

    Examples
    --------
    >>> from sksieve.plotting import plot_scores_against_k
    >>> rows = [{"method": "blufs", "k": k, "acc": a} for k in (5, 10) for a in (0.5, 0.7)]
    >>> plot_scores_against_k(rows).lines[0].get_ydata().round(3).tolist()
    [0.6, 0.6]
    """
    from matplotlib.ticker import MaxNLocator

    methods, sizes, values = column(df, by), column(df, k), column(df, score).astype(float)
    ax = new_axes(ax)
    for i, method in enumerate(dict.fromkeys(methods)):
        of_method = methods == method
        color = COLORS[i % len(COLORS)]
        at = np.unique(sizes[of_method])
        groups = [values[of_method & (sizes == size)] for size in at]
        mean, std = _mean_std(groups)
        style = STYLES[i // len(COLORS) % len(STYLES)]
        several = any(len(group) > 1 for group in groups)
        if not at.any() and sizes.any():
            ax.axhline(mean[0], color=color, ls=style, label=str(method))
            if several:
                ax.axhspan(mean[0] - std[0], mean[0] + std[0], color=color, alpha=0.1, lw=0)
            continue
        ax.plot(at, mean, color=color, ls=style, marker="o", ms=4, label=str(method))
        if several:
            ax.fill_between(at, mean - std, mean + std, color=color, alpha=0.2, lw=0)
    ax.set(xlabel="number of columns k", ylabel=score)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if len(ax.lines) > CROWD:
        ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    else:
        ax.legend(frameon=False)
    return ax


def plot_time_bars(
    df: Any, *, seconds: str = "seconds", by: str = "method", ax: Axes | None = None
) -> Axes:
    """Mean running time of each method on a logarithmic axis, the fastest at the top.

    Parameters
    ----------
    df : DataFrame or list of records
        One row for each run: method, seconds > 0.
    seconds, by : str
        Names of the columns.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        One horizontal bar for each method, with a whisker from the fastest to the slowest run
        where there are several.

    Examples
    --------
    >>> from sksieve.plotting import plot_time_bars
    >>> rows = [{"method": "a", "seconds": 2.0}, {"method": "b", "seconds": 0.1}]
    >>> [t.get_text() for t in plot_time_bars(rows).get_yticklabels()]
    ['b', 'a']
    """
    methods, values = column(df, by), column(df, seconds).astype(float)
    groups = {method: values[methods == method] for method in dict.fromkeys(methods)}
    names = sorted(groups, key=lambda name: float(groups[name].mean()))
    means = np.array([groups[name].mean() for name in names])
    low = means - np.array([groups[name].min() for name in names])
    high = np.array([groups[name].max() for name in names]) - means
    ax = new_axes(ax, height=max(1.6, 0.9 + 0.3 * len(names)))
    ax.barh(np.arange(len(names)), means, color=MAIN, height=0.7)
    if any(len(group) > 1 for group in groups.values()):
        ax.errorbar(means, np.arange(len(names)), xerr=[low, high], fmt="none", ecolor="black")
    ax.set_yticks(np.arange(len(names)), [str(name) for name in names])
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel="seconds (logarithmic)")
    ax.set_xlim(left=10.0 ** np.floor(np.log10(min(group.min() for group in groups.values()))))
    return ax


def _mean_std(groups: list[Array]) -> tuple[Array, Array]:
    mean = np.array([group.mean() for group in groups])
    std = np.array([group.std(ddof=1) if len(group) > 1 else 0.0 for group in groups])
    return mean, std
