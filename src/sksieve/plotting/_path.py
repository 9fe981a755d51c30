"""Figures of a path of column subsets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from ._axes import BOUND, MAIN, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: Quantity -> (its value from errors and the error of no column, name of the axis).
QUANTITIES: dict[str, tuple[Callable[[Array, float], Array], str]] = {
    "explained": (
        lambda error, total: 100 * (1 - error / total),
        "explained on the rows of the fit [%]",
    ),
    "error": (lambda error, total: error, "squared error"),
}


def plot_error_path(est: Any, *, quantity: str = "explained", ax: Axes | None = None) -> Axes:
    """Error, or share explained on the rows of the fit, against the number of columns.

    Parameters
    ----------
    est : fitted column subset method
        With ``error_path_`` and ``svd_error_path_``.
    quantity : {"explained", "error"}, default="explained"
        ``"explained"``: per cent explained on the rows of the fit; ``"error"``:
        ``||A - A_S A_S^+ A||_F^2``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        First line: the chosen columns; second line: the best rank-k approximation, which no subset
        can beat; third: the number of columns selected.

    Raises
    ------
    ValueError
        If `quantity` is neither.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import GreedyCSS
    >>> from sksieve.plotting import plot_error_path
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_error_path(GreedyCSS(n_features_to_select=5, scale="standard").fit(X))
    >>> ax.get_ylabel()
    'explained on the rows of the fit [%]'
    """
    if quantity not in QUANTITIES:
        raise ValueError(f"quantity={quantity!r} is not one of {', '.join(QUANTITIES)}.")
    value, name = QUANTITIES[quantity]
    total = est.error_path_[0]
    sizes, errors = _sorted(est.error_path_)
    ranks, bounds = _sorted(est.svd_error_path_)
    k = est.n_features_to_select_
    ax = new_axes(ax)
    ax.plot(sizes, value(errors, total), color=MAIN, label="chosen columns")
    ax.plot(ranks, value(bounds, total), color=BOUND, ls="--", label="best k-dimensional summary")
    at = value(np.array([est.error_path_[k]]), total)
    ax.plot([k], at, "o", color=MAIN, clip_on=False, zorder=3, label=f"selected, k = {k}")
    ax.set(xlabel="number of columns k", ylabel=name, xlim=(0, max(sizes[-1], ranks[-1])))
    ax.legend(frameon=False)
    return ax


def plot_pareto_front(est: Any, *, ax: Axes | None = None) -> Axes:
    """Error against the number of columns or, where columns have costs, against the cost.

    Parameters
    ----------
    est : fitted column subset method
        With ``path_``, ``error_path_`` and ``svd_error_path_``; the front of `POCSS` with costs is
        its ``front_``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        First line: one point for each subset, as staircase: the least error with at most so many
        columns, or for at most so much; second line, without costs: the bound no subset can beat.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import GreedyCSS
    >>> from sksieve.plotting import plot_pareto_front
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_pareto_front(GreedyCSS(n_features_to_select=5, scale="standard").fit(X))
    >>> len(ax.lines[0].get_xdata())
    6
    """
    ax = new_axes(ax)
    front = getattr(est, "front_", None)
    has_costs = getattr(front, "of", "columns") == "cost"
    if front is not None and has_costs:
        costs = np.concatenate([[0.0], front.cost])
        errors = np.concatenate([[est.error_path_[0]], front.error])
    else:
        costs, errors = _sorted(est.error_path_)
    ax.plot(costs, errors, color=MAIN, marker="o", ms=4, drawstyle="steps-post", label="subsets")
    if not has_costs:
        ranks, bounds = _sorted(est.svd_error_path_)
        ax.plot(ranks, bounds, color=BOUND, ls="--", label="best k-dimensional summary")
    name = "cost" if has_costs else "number of columns"
    ax.set(xlabel=name, ylabel="squared error", ylim=(0, None))
    ax.legend(frameon=False)
    return ax


def _sorted(path: dict[int, float]) -> tuple[NDArray[np.intp], Array]:
    sizes = sorted(path)
    return np.array(sizes), np.array([path[k] for k in sizes])
