"""Figures of the chosen and the dropped columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..tables import gram, moments
from ._axes import BOUND, MAIN, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_explained_by(
    est: Any,
    feature_names: Sequence[str] | None = None,
    *,
    n_columns: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """How well the dropped columns are reconstructed from the chosen ones, the worst at the top.

    Parameters
    ----------
    est : fitted column subset method
        With ``explained_by_`` and ``ranking_``.
    feature_names : sequence of str, optional
        Names of all columns; ``est.feature_names_in_``, or numbers, when None.
    n_columns : int, default=30
        How many of the worst to show.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        One horizontal bar for each column: its R^2, in [0, 1].

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import GreedyCSS
    >>> from sksieve.plotting import plot_explained_by
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_explained_by(GreedyCSS(n_features_to_select=5, scale="standard").fit(X))
    >>> [t.get_text() for t in ax.get_yticklabels()][:2]
    ['nonflavanoid_phenols', 'ash']
    """
    names = _names(est, feature_names, len(est.explained_by_))
    dropped = np.sort(est.ranking_[est.n_features_to_select_ :])
    worst = dropped[np.argsort(est.explained_by_[dropped], kind="stable")][:n_columns]
    ax = new_axes(ax, height=max(2.0, 0.6 + 0.24 * len(worst)))
    ax.barh(np.arange(len(worst)), est.explained_by_[worst], color=MAIN, height=0.7)
    ax.set_yticks(np.arange(len(worst)), [names[j] for j in worst])
    ax.invert_yaxis()
    ax.set(xlabel="R² from the chosen columns", xlim=(0, 1))
    return ax


def plot_redundancy(
    X: Any,
    columns: ArrayLike,
    feature_names: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Correlation of the chosen columns, as a heat map.

    Parameters
    ----------
    X : array, DataFrame or CSR of shape (n_samples, n_features)
        The table.
    columns : array-like of int of shape (k,)
        Which columns, in the order to draw them: ``est.ranking_[:k]``.
    feature_names : sequence of str, optional
        Names of all columns; those of the DataFrame, or numbers, when None.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        One image of k x k, on a fixed scale from -1 to 1. Constant columns are left empty.

    Notes
    -----
    Cost O(n k^2); CSR is not filled in.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve.plotting import plot_redundancy
    >>> ax = plot_redundancy(load_wine(as_frame=True).data, [6, 9, 3])
    >>> ax.images[0].get_array().shape
    (3, 3)
    """
    columns = np.asarray(columns, dtype=np.intp)
    if feature_names is None and hasattr(X, "columns"):
        feature_names = list(X.columns)
    names = (
        [str(j) for j in columns] if feature_names is None else [feature_names[j] for j in columns]
    )
    table = np.asarray(X) if hasattr(X, "columns") else X
    r = gram(moments(table[:, columns]), "standard")[0]
    unknown = np.diagonal(r) == 0
    r[unknown], r[:, unknown] = np.nan, np.nan
    size = min(10.0, 2.5 + 0.25 * len(columns))
    ax = new_axes(ax, size + 1.2, size)
    image = ax.imshow(r, cmap="RdBu", vmin=-1, vmax=1)
    ax.set_xticks(np.arange(len(columns)), names, rotation=90)
    ax.set_yticks(np.arange(len(columns)), names)
    ax.figure.colorbar(image, ax=ax, label="correlation", shrink=0.8)
    return ax


def plot_selected_mask(
    est: Any,
    image_shape: tuple[int, int],
    *,
    image: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The chosen pixels, over an image.

    Parameters
    ----------
    est : fitted selector
        With ``get_support``; its columns are the pixels of an image, row by row.
    image_shape : (int, int)
        Height and width.
    image : array-like of height x width values, optional
        Drawn in gray below: one sample, or the mean of all.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when None.

    Returns
    -------
    ax : matplotlib Axes
        The last image is the mask: 1 where a pixel was chosen, masked elsewhere.

    Raises
    ------
    ValueError
        If the shape does not hold as many pixels as there are columns.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sksieve import GreedyCSS
    >>> from sksieve.plotting import plot_selected_mask
    >>> X = load_digits().data
    >>> ax = plot_selected_mask(GreedyCSS(10).fit(X), (8, 8), image=X.mean(axis=0))
    >>> int(ax.images[-1].get_array().sum())
    10
    """
    mask = np.asarray(est.get_support())
    if mask.size != image_shape[0] * image_shape[1]:
        raise ValueError(
            f"image_shape={tuple(image_shape)} has {image_shape[0] * image_shape[1]} pixels, the "
            f"estimator has seen {mask.size} columns; they must agree."
        )
    ax = new_axes(ax, 4.0, 4.0)
    if image is not None:
        ax.imshow(np.asarray(image).reshape(image_shape), cmap="gray")
    chosen = np.ma.masked_equal(mask.reshape(image_shape).astype(float), 0.0)
    from matplotlib.colors import ListedColormap

    ax.imshow(chosen, cmap=ListedColormap([BOUND]), vmin=0, vmax=1, alpha=0.8)
    ax.set(xticks=[], yticks=[], title=f"{int(mask.sum())} of {mask.size} pixels")
    return ax


def _names(est: Any, feature_names: Sequence[str] | None, n: int) -> Sequence[str]:
    if feature_names is not None:
        return feature_names
    return getattr(est, "feature_names_in_", [str(j) for j in range(n)])
