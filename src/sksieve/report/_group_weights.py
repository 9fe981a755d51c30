"""The heat map of the chosen columns' weights for groups of samples (BLUFS)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..evaluation._group_weights import column_weights
from ._text import count, plural, signed

#: Rows and columns of the heat map, at most.
SHOWN, GROUPS = 60, 40
#: A map of so many groups has its numbers written in.
WRITTEN = 12


def groups_view(est: Any, names: list[str]) -> dict[str, Any] | None:
    """The heat map of the weights with the lengths of their rows, where the method has them."""
    block = column_weights(est)
    if block is None:
        return None
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
