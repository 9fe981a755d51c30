"""Concepts as weights over samples and columns, of a method that has both (LSDCL)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._pictures import gray_picture, signed_picture
from ._selection_result import SelectionResult
from ._text import count, percent, plural

__all__ = ["concepts_view"]

Array = NDArray[np.float64]

#: Concepts, chosen columns and samples shown, at most.
CONCEPTS, SHOWN, LINES = 30, 60, 400
#: Columns and samples named for each concept.
NAMED = 5
#: Mean correlation of concepts over the samples from which on the page says so.
ALIKE = 0.95


def concepts_view(result: SelectionResult, names: list[str]) -> dict[str, Any] | None:
    """The concepts, the one that carries most first, where the method has them."""
    est = result.estimator
    attributes = ("T_", "V_", "sample_concepts_", "feature_concepts_")
    if not all(hasattr(est, name) for name in attributes):
        return None
    T, V = np.asarray(est.T_, dtype=float), np.asarray(est.V_, dtype=float)
    C, Y = np.asarray(est.sample_concepts_, float), np.asarray(est.feature_concepts_, float)
    carried = np.linalg.norm(C, axis=0) * np.linalg.norm(Y, axis=0)
    order = np.argsort(-carried, kind="stable")
    order = order[carried[order] > 0]
    if not len(order):
        return None
    concepts = order[:CONCEPTS]
    share = carried / carried.sum()
    rows = [
        {
            "share": percent(float(share[r])),
            "bar": round(100 * float(carried[r] / carried[order[0]]), 1),
            "columns": _largest(V[:, r], names),
            "samples": _largest(T[:, r], [f"row {count(i)}" for i in range(len(T))]),
            "made": _made_of(T[:, r]),
            "picture": gray_picture(result.image.picture(C[:, r])) if result.image else None,
        }
        for r in concepts
    ]
    lines, groups = _sample_lines(Y[:, concepts])
    r_all, empty = V.shape[1], int(V.shape[1] - len(order))
    return {
        "rows": rows,
        "weights": _weights_of_chosen(est, V[:, concepts], names),
        "samples": signed_picture(lines, 3.0),
        "lines": len(lines),
        "n": len(concepts),
        "binned": len(lines) < len(Y),
        "n_samples": count(len(Y)),
        "groups": groups,
        "limited": f"The {CONCEPTS} that carry most of {len(order)}."
        if len(order) > CONCEPTS
        else "",
        "summary": f"{plural(len(order), 'concept')}"
        + (f" ({empty} of {r_all} came out empty)" if empty else "")
        + f"; the first carries {percent(float(share[order[0]]))} of their sum."
        + _alike(Y[:, concepts]),
    }


def _alike(Y: Array) -> str:
    """A warning where the concepts hardly differ over the samples."""
    if Y.shape[1] < 2 or not (np.ptp(Y, axis=0) > 0).all():
        return ""
    r = float(np.abs(np.corrcoef(Y.T))[np.triu_indices(Y.shape[1], 1)].mean())
    if r < ALIKE:
        return ""
    return (
        f" They are nearly alike (mean correlation over the samples {r:.2f}): a smaller lam1 may "
        "tell them apart (and choose other columns), or fewer concepts would do."
    )


def _largest(weights: Array, names: list[str]) -> list[tuple[str, str]]:
    """Names and shares of the largest weights, which are nonnegative."""
    top = np.argsort(-weights, kind="stable")[:NAMED]
    total = float(weights.sum()) or 1.0
    return [(names[i], percent(float(weights[i]) / total)) for i in top if weights[i] > 0]


def _made_of(t: Array) -> str:
    """How many samples a concept is a mixture of: all with weight, and as if all weighed alike."""
    total, squares = float(t.sum()), float((t * t).sum())
    alike = round(total * total / squares) if squares else 0
    return f"{plural(int(np.count_nonzero(t)), 'sample')}, as good as {count(alike)} of one weight"


def _weights_of_chosen(est: Any, V: Array, names: list[str]) -> dict[str, Any]:
    """Heat map of the chosen columns' weights, each concept's largest weight being 1."""
    order = np.asarray(est.ranking_[: est.n_features_to_select_], dtype=np.intp)
    top = V.max(axis=0)
    scaled = V[order[:SHOWN]] / np.where(top > 0, top, 1.0)
    rows = [
        {"name": names[j], "cells": [round(float(v), 3) for v in weights]}
        for j, weights in zip(order, scaled)
    ]
    limited = f"The first {SHOWN} of {len(order)} chosen columns." if len(order) > SHOWN else ""
    return {"rows": rows, "limited": limited}


def _sample_lines(Y: Array) -> tuple[Array, list[dict[str, Any]]]:
    """Samples grouped by their strongest concept, strongest first, in at most `LINES` lines.

    Every concept is measured in its root mean square, for its scale means nothing; three times that
    is full color.
    """
    size = np.sqrt((Y * Y).mean(axis=0))
    Y = Y / np.where(size > 0, size, 1.0)
    strongest = Y.argmax(axis=1)
    order = np.lexsort((-Y.max(axis=1), strongest))
    sizes = np.bincount(strongest, minlength=Y.shape[1])
    bins = np.array_split(order, min(LINES, len(order)))
    lines = np.stack([Y[part].mean(axis=0) for part in bins])
    return lines, [{"concept": r + 1, "size": count(int(s))} for r, s in enumerate(sizes)]
