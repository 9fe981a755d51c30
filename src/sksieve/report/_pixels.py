"""The chosen columns as pixels of an image, and the value of every pixel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..prox import row_norms
from ._pictures import ImageShape, gray_picture, signed_picture
from ._selection_result import SelectionResult
from ._text import plural


def pixels_view(result: SelectionResult, names: list[str]) -> dict[str, Any] | None:
    """The mask of the chosen pixels, and a heat map of all; None where columns are no pixels."""
    image = result.image
    if image is None:
        return None
    est = result.estimator
    order = np.asarray(est.ranking_[: est.n_features_to_select_], dtype=np.intp)
    down, along = image.place(order)
    ground = None
    if result.column_means is not None:
        ground = gray_picture(image.picture(np.asarray(result.column_means, dtype=float)))
    return {
        "height": image.height,
        "width": image.width,
        "wide": image.width > 2 * image.height,
        "ground": ground,
        "marks": [
            {"x": int(x), "y": int(y), "title": f"{rank}: {names[j]}"}
            for rank, (x, y, j) in enumerate(zip(along, down, order), start=1)
        ],
        "summary": f"Image of {image.height} by {image.width} pixels, {len(order)} of them chosen; "
        + _where(image, down, along),
        "heat": _heat(est, image),
    }


def _heat(est: Any, image: ImageShape) -> dict[str, Any] | None:
    """The length of every pixel's weights, or else its score."""
    if hasattr(est, "coef_"):
        values, what = row_norms(est.coef_.T), "Length of the pixel's weights"
    elif hasattr(est, "scores_") and np.isfinite(est.scores_).all():
        values, what = np.asarray(est.scores_, dtype=float), "Score of the pixel"
    else:
        return None
    best = int(np.argmax(values))
    down, along = image.place(np.array([best]))
    return {
        "picture": signed_picture(image.picture(values)),
        "what": what,
        "signed": bool((values < 0).any()),
        "summary": f"{what}: largest in row {int(down[0]) + 1}, column {int(along[0]) + 1} of the "
        f"image, and not 0 in {plural(int(np.count_nonzero(values)), 'pixel')}.",
    }


def _where(image: ImageShape, down: NDArray[Any], along: NDArray[Any]) -> str:
    """In which quarter of the image they lie, in words."""
    upper, left = down < image.height / 2, along < image.width / 2
    parts = [
        (upper & left, "upper left"),
        (upper & ~left, "upper right"),
        (~upper & left, "lower left"),
        (~upper & ~left, "lower right"),
    ]
    return ", ".join(f"{int(part.sum())} in the {name}" for part, name in parts) + "."
