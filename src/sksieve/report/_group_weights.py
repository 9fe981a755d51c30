"""Weights of the chosen columns for the groups of samples, of a method that has both (BLUFS)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..prox import project_stiefel, row_norms
from ._text import count, plural, signed

__all__ = ["GroupWeights", "group_weights", "groups_view"]

Array = NDArray[np.float64]

#: Rows and columns of the heat map, at most.
SHOWN, GROUPS = 60, 40
#: A map of so many groups has its numbers written in.
WRITTEN = 12


class GroupWeights(NamedTuple):
    """Weights of the chosen columns, turned so that each of their columns stands for a group.

    Attributes
    ----------
    columns : ndarray of shape (k,)
        The chosen columns, in order.
    weights : ndarray of shape (k, g)
        One column for each group that has samples, the largest first.
    norms : ndarray of shape (k,)
        Length of each row of W: turning does not change it.
    sizes : ndarray of shape (g,)
    """

    columns: NDArray[np.intp]
    weights: Array
    norms: Array
    sizes: NDArray[np.intp]


def group_weights(est: Any) -> GroupWeights:
    """Turn W with the rotation that brings the embedding Y nearest to the groups' indicators.

    The objective does not feel a rotation of Y and W together, so the columns of W as they stand
    mean nothing by themselves; turned so, the weights in a column draw samples into its group.
    """
    labels, Y = est.pseudo_labels_, est.Y_
    sizes = np.bincount(labels, minlength=Y.shape[1])
    F = (labels[:, None] == np.arange(Y.shape[1])) / np.sqrt(np.maximum(sizes, 1))
    columns = np.asarray(est.ranking_[: est.n_features_to_select_], dtype=np.intp)
    W = est.W_[columns] @ project_stiefel(Y.T @ F)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    return GroupWeights(columns, W[:, order], row_norms(est.W_[columns]), sizes[order])


def groups_view(est: Any, names: list[str]) -> dict[str, Any] | None:
    """The heat map of the weights with the lengths of their rows, where the method has them."""
    if not all(hasattr(est, name) for name in ("W_", "Y_", "pseudo_labels_")):
        return None
    block = group_weights(est)
    k, g = block.weights.shape
    W, longest = block.weights[:SHOWN, :GROUPS], float(block.norms.max()) or 1.0
    largest = float(np.abs(W).max(initial=0.0)) or 1.0
    rows = []
    for j, weights, norm in zip(block.columns, W, block.norms):
        cells = [
            {"share": round(float(w) / largest, 3), "text": signed(float(w) / largest)}
            for w in weights
        ]
        bar, length = round(100 * float(norm) / longest, 1), f"{norm / longest:.2f}"
        rows.append({"name": names[j], "cells": cells, "bar": bar, "norm": length})
    first = names[int(block.columns[np.argmax(block.norms)])]
    few, many = int(block.sizes.min()), int(block.sizes.max())
    each = count(few) if few == many else f"{count(few)} to {count(many)}"
    return {
        "rows": rows,
        "sizes": [count(int(size)) for size in block.sizes[:GROUPS]],
        "size": W.shape[1],
        "written": W.shape[1] <= WRITTEN,
        "limited": f"The first {len(W)} of {k} columns." if len(W) < k else "",
        "groups": f"The {GROUPS} largest of {g} groups." if g > GROUPS else "",
        "summary": f"The samples fall into {plural(g, 'group')} of {each}. The longest row of "
        f"weights is that of {first}.",
        "objective": f"{est.objective_:.6g}",
    }
