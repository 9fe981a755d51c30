"""Critical-difference diagram: mean ranks of methods, and which of them do not differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._axes import BOUND, MAIN, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Heights in the diagram, in rows of names: one bar, the first name below the bars, the scale.
BAR, FIRST, SCALE = 0.35, 0.6, 1.2

#: Ranks on the line, about.
TICKS = 16


def plot_critical_difference(
    table: Any,
    *,
    better: Literal["larger", "smaller"] = "larger",
    alpha: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    """Mean ranks on a line; methods joined by a bar do not differ by Nemenyi's test.

    Parameters
    ----------
    table : DataFrame or Friedman
        Mean scores, a row for each data set and a column for each method; or the answer of
        `sksieve.bench.friedman`.
    better : {"larger", "smaller"}, default="larger"
        Which way a score is better. Not looked at where `table` is a `Friedman`.
    alpha : float, default=0.05
        Level of the critical difference; likewise.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        First line: the length of the critical difference; then a line from each method's rank to
        its name (best first); then a thick bar for each largest group whose mean ranks are no
        further apart than the critical difference. Below: Friedman's p.

    Raises
    ------
    ValueError
        For fewer than three methods or two complete rows.

    Notes
    -----
    Demsar, JMLR 7 (2006). A bar is no proof that methods are equal, least of all with few data
    sets: the critical difference shrinks as one over the root of their number.

    Examples
    --------
    >>> import pandas as pd
    >>> from sksieve.plotting import plot_critical_difference
    >>> wide = pd.DataFrame({"a": [.9, .8, .9], "b": [.8, .7, .7], "c": [.1, .2, .3]})
    >>> [t.get_text() for t in plot_critical_difference(wide).texts[1:]]
    ['a  1.00 ', 'b  2.00 ', ' 3.00  c']
    """
    from ..bench import Friedman, friedman  # the harness loads a database

    test = table if isinstance(table, Friedman) else friedman(table, better=better, alpha=alpha)
    ranks = test.ranks.to_numpy(dtype=float)
    k, groups = len(ranks), joined(ranks, test.critical_difference)
    half = (k + 1) // 2
    top = FIRST + BAR * len(groups)
    ax = new_axes(ax, 7.0, 1.3 + 0.28 * (top + half))
    scale = [1.0, 1.0 + test.critical_difference]
    ax.plot(scale, [SCALE, SCALE], color=BOUND, lw=2, marker="|", clip_on=False)
    ax.text(
        scale[1],
        SCALE,
        f"  critical difference {test.critical_difference:.2f}",
        va="center",
        color=BOUND,
    )
    for i, (name, rank) in enumerate(zip(test.ranks.index, ranks)):
        left = i < half
        depth = -top - (i if left else k - 1 - i)
        end = 1 - 0.03 * k if left else k + 0.03 * k
        ax.plot([rank, rank, end], [0.0, depth, depth], color="black", lw=0.9, clip_on=False)
        text = f"{name}  {rank:.2f} " if left else f" {rank:.2f}  {name}"
        ax.text(end, depth, text, va="center", ha="right" if left else "left")
    for level, (first, last) in enumerate(groups):
        depth = -BAR * (level + 1)
        ends = [ranks[first] - 0.005 * k, ranks[last] + 0.005 * k]
        ax.plot(ends, [depth, depth], color=MAIN, lw=4, solid_capstyle="butt")
    text = f"mean rank over {test.n_rows} rows, 1 is best; Friedman p = {test.p:.2g}"
    ax.set(xlim=(1, k), ylim=(-top - half, SCALE + 0.3), yticks=[])
    ax.set_xticks(np.arange(1, k + 1, 1 + k // TICKS))
    ax.xaxis.tick_top()
    ax.spines["top"].set_position(("data", 0))
    ax.set_xlabel(text)
    ax.xaxis.set_label_position("bottom")
    ax.spines[["left", "bottom", "right"]].set_visible(False)
    ax.spines["top"].set_visible(True)
    return ax


def joined(ranks: NDArray[np.float64], difference: float) -> list[tuple[int, int]]:
    """First and last of the largest runs of rising ranks no further apart than `difference`.

    Examples
    --------
    >>> joined(np.array([1.0, 1.5, 3.0, 3.4, 6.0]), 2.0)
    [(0, 2), (1, 3)]
    """
    bars: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = int(np.searchsorted(ranks, ranks[first] + difference, side="right")) - 1
        if last > first and (not bars or last > bars[-1][1]):
            bars.append((first, last))
    return bars
