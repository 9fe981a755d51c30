"""Weights of the chosen columns for groups of samples, of a method that has both (BLUFS)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from ..prox import project_stiefel, row_norms


class ColumnWeights(NamedTuple):
    """Weights of the chosen columns, rotated so that each of their columns stands for a group.

    Attributes
    ----------
    columns : ndarray of shape (k,)
        The chosen columns, in order.
    weights : ndarray of shape (k, g)
        One column for each group that has samples, the largest first.
    norms : ndarray of shape (k,)
        Length of each row of W, which a rotation does not change.
    sizes : ndarray of shape (g,)
    """

    columns: NDArray[np.intp]
    weights: Array
    norms: Array
    sizes: NDArray[np.intp]


def column_weights(est: Any) -> ColumnWeights | None:
    """Rotate W so that the embedding Y comes nearest to the indicators of the groups.

    The objective does not change when Y and W are rotated together, so a column of W has no meaning
    of its own; after this rotation the weights in a column are those of its group.

    Parameters
    ----------
    est : fitted selector

    Returns
    -------
    ColumnWeights or None
        None for a method without ``coef_``, ``embedding_`` and ``pseudo_labels_``.
    """
    if not all(hasattr(est, name) for name in ("coef_", "embedding_", "pseudo_labels_")):
        return None
    labels, Y = est.pseudo_labels_, est.embedding_
    sizes = np.bincount(labels, minlength=Y.shape[1])
    F = (labels[:, None] == np.arange(Y.shape[1])) / np.sqrt(np.maximum(sizes, 1))
    columns = np.asarray(est.ranking_[: est.n_features_to_select_], dtype=np.intp)
    chosen = est.coef_[:, columns].T
    W = chosen @ project_stiefel(Y.T @ F)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    return ColumnWeights(columns, W[:, order], row_norms(chosen), sizes[order])
