"""Figures of what a run did over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Array
from ._axes import COLORS, MAIN, MUTED, column, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {"seconds": "seconds", "n_iter": "iterations"}


def plot_convergence(history: Any, *, x: str = "seconds", ax: Axes | None = None) -> Axes:
    """The objective of one run.

    Parameters
    ----------
    history : list of records or DataFrame
        ``est.history_``, with ``n_iter``, ``objective`` and ``seconds``; steps whose objective is
        not finite are left out.
    x : {"seconds", "n_iter"}, default="seconds"
        What to draw it against; seconds are on a logarithmic axis.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        One line: a staircase, for the objective holds until the next step.

    Raises
    ------
    ValueError
        If `x` is neither, or no step has a finite objective.

    Examples
    --------
    >>> from sksieve.plotting import plot_convergence
    >>> history = [{"n_iter": i, "objective": 1 / i, "seconds": 0.1 * i} for i in range(1, 9)]
    >>> ax = plot_convergence(history)
    >>> ax.get_xscale(), ax.get_xlabel()
    ('log', 'seconds')
    """
    at, value = _run(history, x)
    if not len(at):
        raise ValueError("history has no step with a finite objective; there is nothing to draw.")
    ax = new_axes(ax)
    ax.plot(at, value, color=MAIN, drawstyle="steps-post", label="objective")
    ax.set(xlabel=NAMES[x], ylabel="objective", xscale=_scale(x, at))
    return ax


def plot_anytime(
    runs: Mapping[str, Any],
    *,
    x: str = "n_iter",
    levels: Mapping[str, float] | None = None,
    divide_by: float = 1.0,
    per: float = 1.0,
    ax: Axes | None = None,
) -> Axes:
    """What anytime methods hold in their hands, against the work spent.

    Parameters
    ----------
    runs : mapping of str to history, or to list of histories
        Name of a method -> its run or its runs (seeds). Several runs are drawn thin, their median
        bold.
    x : {"n_iter", "seconds"}, default="n_iter"
        What to draw it against.
    levels : mapping of str to float, optional
        Objectives of methods that do not go on, drawn as level lines.
    divide_by : float, default=1.0
        Objectives are divided by it: the error of the best rank-k approximation makes them error
        ratios.
    per : float, default=1.0
        `x` is divided by it: k times the number of columns makes iterations the literature's unit.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        For each method the lines of its runs, and the line of their median if there are several;
        then one line for each level.

    Raises
    ------
    ValueError
        If `x` is neither.

    Examples
    --------
    >>> from sksieve.plotting import plot_anytime
    >>> a = [{"n_iter": i, "objective": 2 / i, "seconds": 0.1 * i} for i in range(1, 9)]
    >>> b = [{"n_iter": i, "objective": 3 / i, "seconds": 0.1 * i} for i in range(1, 9)]
    >>> ax = plot_anytime({"POCSS": [a, b]}, levels={"greedy": 0.5})
    >>> [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    ['POCSS', 'greedy']
    """
    ax = new_axes(ax)
    latest: list[Array] = []
    for i, (name, given) in enumerate(runs.items()):
        color = COLORS[i % len(COLORS)]
        curves = [_run(history, x) for history in _several(given)]
        curves = [(at / per, value / divide_by) for at, value in curves]
        latest += [at for at, _ in curves]
        thin = len(curves) > 1
        for at, value in curves:
            look: dict[str, Any] = {"lw": 0.8, "alpha": 0.4} if thin else {"label": name}
            ax.plot(at, value, color=color, drawstyle="steps-post", **look)
        if thin:
            ax.plot(*median_run(curves), color=color, drawstyle="steps-post", label=name)
    for style, (name, level) in zip(cycle(("--", ":", "-.")), (levels or {}).items()):
        ax.axhline(level / divide_by, color=MUTED, ls=style, label=name)
    all_at = np.concatenate(latest) if latest else np.empty(0)
    name = NAMES[x] + (f" / {per:g}" if per != 1.0 else "")
    ax.set(xlabel=name, ylabel="objective" if divide_by == 1.0 else f"objective / {divide_by:.4g}")
    ax.set_xscale(_scale("seconds", all_at))
    ax.legend(frameon=False)
    return ax


def plot_trajectory(runs: Mapping[str, Sequence[ArrayLike]], *, ax: Axes | None = None) -> Axes:
    """The way of projection matrices through a run, two numbers for each.

    A matrix ``X = UU'`` becomes the point of two means: of the entries in the first half of its
    columns, and of those in the second.

    Parameters
    ----------
    runs : mapping of str to sequence of ndarray of shape (n, K)
        Name of a run -> its U after each iteration, all with orthonormal columns and the same n.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        One line for each run, its end marked by a disk.

    References
    ----------
    Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
    detection", (37), which prints n^2/2 before the sums where 2/n^2 makes them means.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.plotting import plot_trajectory
    >>> run = [np.array([[np.cos(t)], [np.sin(t)]]) for t in (0.0, 0.4, 0.8)]
    >>> plot_trajectory({"one turn": run}).lines[0].get_xydata()[0]
    array([0.5, 0. ])
    """
    ax = new_axes(ax, 4.8, 4.4)
    for i, (name, bases) in enumerate(runs.items()):
        points = np.array([_halves(np.asarray(U)) for U in bases])
        color = COLORS[i % len(COLORS)]
        ax.plot(*points.T, color=color, marker=".", ms=4, lw=0.8, label=name)
        ax.plot(*points[-1], color=color, marker="o", ms=7, ls="", label="_end")
    ax.set(xlabel="mean entry, first half of the columns", ylabel="second half")
    ax.legend(frameon=False)
    return ax


def _halves(U: Array) -> tuple[float, float]:
    """Means of the entries of UU' in the two halves of its columns."""  # RPMA (37)
    means = U @ U.sum(axis=0) / len(U)  # of the columns
    half = len(U) // 2
    return float(means[:half].mean()), float(means[half:].mean())


def median_run(curves: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Median of staircases, from where the last one begins.

    Parameters
    ----------
    curves : sequence of (ndarray, ndarray)
        Places, rising, and the values held from each place on.

    Returns
    -------
    at, value : ndarray
        The median staircase, at every place where one of them may step.
    """
    begin = max(at[0] for at, _ in curves)
    grid = np.unique(np.concatenate([at for at, _ in curves]))
    grid = grid[grid >= begin]
    held = [value[np.searchsorted(at, grid, side="right") - 1] for at, value in curves]
    return grid, np.median(held, axis=0)


def _run(history: Any, x: str) -> tuple[Array, Array]:
    if x not in NAMES:
        raise ValueError(f"x={x!r} is not one of {', '.join(NAMES)}.")
    at = column(history, x).astype(float)
    value = column(history, "objective").astype(float)
    finite = np.isfinite(value)
    return at[finite], value[finite]


def _several(given: Any) -> list[Any]:
    """A list of histories: `given` is one (records or a DataFrame), or a list of them."""
    one = not isinstance(given, list | tuple) or (len(given) > 0 and isinstance(given[0], Mapping))
    return [given] if one else list(given)


def _scale(x: str, at: Array) -> str:
    return "log" if x == "seconds" and len(at) > 0 and np.all(at > 0) else "linear"
