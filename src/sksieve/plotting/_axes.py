"""Axes to draw on, the colors, and columns of whatever holds a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._optional import optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Okabe and Ito's colors, which color-blind readers can tell apart; black and yellow left out.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MAIN, BOUND, MUTED = COLORS[0], COLORS[1], "#8A919C"


def new_axes(ax: Axes | None, width: float = 6.4, height: float = 4.0) -> Axes:
    """`ax`, or the axes of a new figure, without a frame on the right and at the top."""
    if ax is None:
        plt = optional("matplotlib.pyplot", "A plot")
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
        ax.spines[["top", "right"]].set_visible(False)
    return ax


def column(table: Any, name: str) -> NDArray[Any]:
    """One column of a DataFrame (pandas, polars), or of a list of records.

    Examples
    --------
    >>> column([{"k": 1}, {"k": 2}], "k")
    array([1, 2])
    """
    if isinstance(table, list | tuple):
        return np.array([record[name] for record in table])
    return np.asarray(table[name])
