"""The section on concepts as weights over samples and columns (LSDCL)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._typing import Array
from ..evaluation._concepts import Concepts, concepts
from ._pictures import gray_picture, signed_picture
from ._selection_result import SelectionResult
from ._text import count, percent, plural

#: Concepts, chosen columns and samples shown, at most.
CONCEPTS, SHOWN, LINES = 30, 60, 400
#: Columns and samples named for each concept.
NAMED = 5
#: Mean correlation of concepts over the samples from which on the page says so.
ALIKE = 0.95
#: Root mean squares of a concept that have full color.
FULL = 3.0


def concepts_view(result: SelectionResult, names: list[str]) -> dict[str, Any] | None:
    """The concepts, the one of largest norm first, where the method has them."""
    all_of_them = concepts(result.estimator)
    if all_of_them is None:
        return None
    shown = all_of_them.first(CONCEPTS)
    n_samples, n_concepts = len(shown.over_samples), len(all_of_them.shares)
    rows_named = [f"row {count(i)}" for i in range(n_samples)]
    used = np.count_nonzero(shown.sample_weights, axis=0)
    rows = [
        {
            "share": percent(float(shown.shares[r])),
            "bar": round(100 * float(shown.shares[r] / shown.shares[0]), 1),
            "columns": _largest(shown.column_weights[:, r], names),
            "samples": _largest(shown.sample_weights[:, r], rows_named),
            "made": f"{plural(int(used[r]), 'sample')}, as good as "
            f"{count(int(shown.effective_samples[r]))} of one weight",
            "picture": gray_picture(result.image.picture(shown.over_columns[:, r]))
            if result.image
            else None,
        }
        for r in range(len(shown.shares))
    ]
    lines, sizes = shown.sample_lines(LINES)
    empty = all_of_them.n_empty
    return {
        "rows": rows,
        "weights": _weights_of_chosen(result.estimator, shown.relative_weights, names),
        "samples": signed_picture(lines, FULL),
        "lines": len(lines),
        "n": len(rows),
        "binned": len(lines) < n_samples,
        "n_samples": count(n_samples),
        "groups": [{"concept": r + 1, "size": count(int(s))} for r, s in enumerate(sizes)],
        "limited": f"The {CONCEPTS} that carry most of {n_concepts}."
        if n_concepts > CONCEPTS
        else "",
        "summary": f"{plural(n_concepts, 'concept')}"
        + (f" ({empty} of {n_concepts + empty} came out empty)" if empty else "")
        + f"; the first carries {percent(float(shown.shares[0]))} of their sum."
        + _alike(shown),
    }


def _alike(shown: Concepts) -> str:
    """A warning where the concepts hardly differ over the samples."""
    if shown.mean_correlation < ALIKE:
        return ""
    return (
        f" They are nearly alike (mean correlation over the samples {shown.mean_correlation:.2f}): "
        "a smaller lam1 may separate them (and choose other columns), or fewer concepts suffice."
    )


def _largest(weights: Array, names: list[str]) -> list[tuple[str, str]]:
    """Names and shares of the largest weights, which are nonnegative."""
    top = np.argsort(-weights, kind="stable")[:NAMED]
    total = float(weights.sum()) or 1.0
    return [(names[i], percent(float(weights[i]) / total)) for i in top if weights[i] > 0]


def _weights_of_chosen(est: Any, weights: Array, names: list[str]) -> dict[str, Any]:
    """Heat map of the chosen columns' weights, each concept's largest weight being 1."""
    order = np.asarray(est.ranking_[: est.n_features_to_select_], dtype=np.intp)
    rows = [
        {"name": names[j], "cells": [round(float(v), 3) for v in weights[j]]} for j in order[:SHOWN]
    ]
    limited = f"The first {SHOWN} of {len(order)} chosen columns." if len(order) > SHOWN else ""
    return {"rows": rows, "limited": limited}
