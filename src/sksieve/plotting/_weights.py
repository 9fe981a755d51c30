"""Figures of what a selector gave weight to, and of the two columns it chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._axes import COLORS, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Attributes of fitted selectors that hold weights, one column for each column of the table.
WEIGHTS = ("coef_", "components_")

#: After the last color the next marker.
MARKERS = "osD^vP"


def plot_row_norms(
    est: Any, image_shape: tuple[int, int] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Norm of each row of the weights W: what the method sees in each column.

    Parameters
    ----------
    est : fitted selector, or array-like of shape (n_features, c)
        With ``coef_`` (or ``components_``), or W itself.
    image_shape : (int, int), optional
        Height and width, where the columns are the pixels of an image, row by row. Without it the
        columns are folded into a square, row by row.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        One image of ``||w_i||_2``; rows of zeros, the columns left out, are empty (gray).

    Raises
    ------
    ValueError
        If there are no weights, or the shape does not hold as many pixels as there are columns.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.plotting import plot_row_norms
    >>> ax = plot_row_norms(np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 1.0], [2.0, 0.0]]))
    >>> ax.images[0].get_array().tolist()
    [[5.0, None], [1.0, 2.0]]
    """
    held = [getattr(est, name).T for name in WEIGHTS if hasattr(est, name)]
    if not held and hasattr(est, "fit"):
        raise ValueError(
            f"{type(est).__name__} has no weights (coef_ or components_); fit a method that has."
        )
    W = np.asarray(held[0] if held else est, dtype=float)
    d = len(W)
    if image_shape is None:
        side = int(np.ceil(np.sqrt(d)))
        shape = (-(-d // side), side)
    else:
        shape = (int(image_shape[0]), int(image_shape[1]))
        if shape[0] * shape[1] != d:
            raise ValueError(
                f"image_shape={shape} has {shape[0] * shape[1]} pixels, the weights have {d} rows; "
                "they must agree."
            )
    norms = np.zeros(shape[0] * shape[1])
    norms[:d] = np.linalg.norm(W.reshape(d, -1), axis=1)
    ax = new_axes(ax, 5.0, 4.2)
    ax.set_facecolor("#D9DDE3")
    image = ax.imshow(np.ma.masked_equal(norms.reshape(shape), 0.0), cmap="cividis")
    ax.set(xticks=[], yticks=[], title=f"{np.count_nonzero(norms)} of {d} rows are not zero")
    ax.figure.colorbar(image, ax=ax, label="norm of the row", shrink=0.85)
    return ax


def plot_two_columns(
    est: Any, X: Any, labels: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """The samples in the plane of the two best columns.

    Parameters
    ----------
    est : fitted selector
        With ``ranking_``; its first two columns are drawn.
    X : array or DataFrame of shape (n_samples, n_features)
        The table.
    labels : array-like of shape (n_samples,), optional
        Groups, distinguished by color and marker.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        One collection of points for each group, in sorted order; the axes carry the names of the
        columns.

    Raises
    ------
    ValueError
        If fewer than two columns were ranked.

    Examples
    --------
    >>> from sksieve import GreedyCSS
    >>> from sksieve.datasets import make_informative_plus_noise
    >>> from sksieve.plotting import plot_two_columns
    >>> X, y, _ = make_informative_plus_noise("moons", random_state=0)
    >>> ax = plot_two_columns(GreedyCSS(2).fit(X), X, y)
    >>> len(ax.collections)
    2
    """
    best = [int(j) for j in np.asarray(est.ranking_)[:2]]
    if len(best) < 2:
        raise ValueError("est has ranked fewer than two columns; fit it with two or more.")
    names = [str(name) for name in getattr(X, "columns", range(np.shape(X)[1]))]
    points = np.asarray(X)[:, best]
    groups = np.zeros(len(points)) if labels is None else np.asarray(labels)
    ax = new_axes(ax, 4.6, 4.4)
    for i, group in enumerate(np.unique(groups)):
        members = points[groups == group]
        ax.scatter(
            members[:, 0],
            members[:, 1],
            s=14,
            lw=0,
            alpha=0.8,
            color=COLORS[i % len(COLORS)],
            marker=MARKERS[i // len(COLORS) % len(MARKERS)],
            label=str(group),
        )
    ax.set(xlabel=f"column {names[best[0]]}", ylabel=f"column {names[best[1]]}")
    if labels is not None:
        ax.legend(frameon=False, title="group", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
