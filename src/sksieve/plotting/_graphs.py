"""Figures of a graph on samples: its adjacency ordered by cluster, and a sample's neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._array import dense
from ..evaluation._binned import binned_adjacency, darkest, n_cells
from ._axes import COLORS, MUTED, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Rows and columns of the image, at most: more than a screen shows would only be averaged there.
BINS = 600
#: Lines between clusters beyond so many are drawn faintly.
MANY = 7


def plot_adjacency(
    A: Any, labels: ArrayLike, *, n_bins: int | None = None, ax: Axes | None = None
) -> Axes:
    """The graph as an image, its vertices ordered by cluster: clusters are dark squares.

    Parameters
    ----------
    A : ndarray or sparse of shape (n, n)
        Symmetric weights >= 0: ``est.affinity_``. The diagonal is left out.
    labels : array-like of shape (n,)
        ``est.labels_``.
    n_bins : int, optional
        Side of the image, at most; larger graphs are averaged over cells of vertices. None: up to
        600, fewer for graphs of few edges, whose dots would not be seen.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        One image, its axes counted in vertices, with lines between clusters. Colors run from no
        weight to the 99th percentile of the cells that have any.

    Raises
    ------
    ValueError
        If A has not one row and column for each label.

    Notes
    -----
    Cost O(edges), memory O(edges + n_bins^2): a sparse graph of 50 000 vertices is drawn without
    an n x n array.

    Examples
    --------
    >>> from sksieve import SpectralCommunities
    >>> from sksieve.datasets import make_sbm
    >>> from sksieve.plotting import plot_adjacency
    >>> A, _ = make_sbm(60, 2, 0.5, 0.05, random_state=0)
    >>> est = SpectralCommunities(2, affinity="precomputed", random_state=0).fit(A)
    >>> ax = plot_adjacency(est.affinity_, est.labels_)
    >>> ax.images[0].get_array().shape, [int(at) for at in ax.lines[0].get_xdata()]
    ((60, 60), [30, 30])
    """
    n_bins = n_cells(A, BINS) if n_bins is None else n_bins
    means, edges = binned_adjacency(A, labels, n_bins)
    n = len(np.asarray(labels))
    ax = new_axes(ax, 6.4, 5.4)
    image = ax.imshow(
        means,
        cmap="Blues",
        vmin=0.0,
        vmax=darkest(means),
        extent=(0, n, n, 0),
        interpolation="nearest",
    )
    many = len(edges) > MANY
    for at in edges:
        look: dict[str, Any] = {"color": COLORS[1], "lw": 0.6, "alpha": 0.4 if many else 1.0}
        ax.plot([at, at], [0, n], **look)
        ax.plot([0, n], [at, at], **look)
    one = len(means) == n
    beyond = "max" if means.max() > image.get_clim()[1] else "neither"
    ax.set(xlabel="vertices, ordered by cluster", ylabel="vertices, ordered by cluster")
    label = "weight" if one else f"mean weight in cells of {n / len(means):.1f} vertices"
    ax.figure.colorbar(image, ax=ax, label=label, shrink=0.8, extend=beyond)
    return ax


def plot_neighbors(
    est: Any,
    i: int,
    *,
    X: Any = None,
    image_shape: tuple[int, int] | None = None,
    names: Sequence[str] | None = None,
    n_neighbors: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """The samples that one sample is linked to, with the weights of its code.

    Parameters
    ----------
    est : fitted clusterer
        With ``codes_`` (column i is shown, with its signs) or else ``affinity_`` (row i), and
        ``labels_``.
    i : int
        The sample.
    X : array-like of shape (n_samples, n_features), optional
        The samples; needed for images.
    image_shape : (int, int), optional
        Height and width: samples are drawn as images, the sample itself first.
    names : sequence of str, optional
        One for each sample; numbers, when None.
    n_neighbors : int, default=10
        How many to show, the largest weights first.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        Bars, one for each neighbor: blue in the sample's own cluster, orange elsewhere. Or images
        side by side, with frames in the same colors and the weights above.

    Raises
    ------
    ValueError
        If there is no such sample, or `image_shape` comes without X or does not hold its columns.

    Examples
    --------
    >>> from sksieve import L1Graph
    >>> from sksieve.datasets import make_subspaces
    >>> from sksieve.plotting import plot_neighbors
    >>> X, _ = make_subspaces(3, 2, 10, random_state=0)
    >>> ax = plot_neighbors(L1Graph(3, random_state=0).fit(X), 0, n_neighbors=2)
    >>> [text.get_text() for text in ax.get_yticklabels()], ax.get_title()
    (['56', '15'], 'sample 0, cluster 0')
    """
    n = len(est.labels_)
    if not 0 <= i < n:
        raise ValueError(f"i={i}: there are samples 0 to {n - 1}.")
    codes = getattr(est, "codes_", None)
    weights = _dense(est.affinity_[[i]] if codes is None else codes[:, [i]])
    weights[i] = 0.0
    order = np.argsort(-np.abs(weights), kind="stable")[:n_neighbors]
    order = order[weights[order] != 0]
    colors = [COLORS[int(est.labels_[j] != est.labels_[i])] for j in order]
    named = [str(j) if names is None else str(names[j]) for j in [i, *order]]
    title = f"{'sample ' if names is None else ''}{named[0]}, cluster {est.labels_[i]}"
    if image_shape is not None:
        images = _images(X, [i, *order], image_shape)
        return _draw_images(ax, images, weights[order], colors, [title, *named[1:]])
    ax = new_axes(ax, height=max(1.8, 1.0 + 0.3 * len(order)))
    ax.barh(np.arange(len(order)), weights[order], color=colors, height=0.7)
    ax.set_yticks(np.arange(len(order)), named[1:])
    ax.invert_yaxis()
    ax.axvline(0.0, color=MUTED, lw=0.8)
    ax.set(xlabel="weight in the code" if codes is not None else "weight", title=title)
    return ax


def _dense(row: Any) -> NDArray[np.float64]:
    return np.array(dense(row), dtype=np.float64).ravel()


def _images(X: Any, rows: list[int], shape: tuple[int, int]) -> list[NDArray[Any]]:
    if X is None:
        raise ValueError("image_shape needs X, the samples whose columns are the pixels.")
    pixels = shape[0] * shape[1]
    if X.shape[1] != pixels:
        raise ValueError(
            f"image_shape={tuple(shape)} has {pixels} pixels, X has {X.shape[1]} columns; they "
            "must agree."
        )
    X = np.asarray(X)
    return [X[j].reshape(shape) for j in rows]


def _draw_images(
    ax: Axes | None,
    images: list[NDArray[Any]],
    weights: NDArray[np.float64],
    colors: list[str],
    names: list[str],
) -> Axes:
    """The images in a row, the first one apart; all on one scale of grays."""
    from matplotlib.patches import Rectangle

    height, width = images[0].shape
    gap = 0.14 * width
    ax = new_axes(ax, 0.4 + 1.05 * len(images) * width / height, 1.9)
    low, high = min(map(np.min, images)), max(map(np.max, images))
    for k, image in enumerate(images):
        left = k * (width + gap) + (2 * gap if k else 0)
        box = (left, left + width, height, 0)
        ax.imshow(image, cmap="gray", vmin=low, vmax=high, extent=box)
        label = names[0] if not k else f"{weights[k - 1]:+.2f}"
        ax.text(left + width / 2, -0.06 * height, label, ha="center", va="bottom", fontsize=8)
        if k:
            edge = Rectangle((left, 0), width, height, fill=False, ec=colors[k - 1], lw=2)
            ax.add_patch(edge)
            below = height * 1.06
            ax.text(left + width / 2, below, names[k], ha="center", va="top", fontsize=8)
    right = len(images) * (width + gap) + 2 * gap
    ax.set(xlim=(-gap, right), ylim=(1.25 * height, -0.25 * height), aspect="equal")
    ax.set_axis_off()
    return ax
