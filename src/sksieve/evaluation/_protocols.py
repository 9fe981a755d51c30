"""Protocols: what is measured on a fit. The only place here that sees true labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..exceptions import DataError
from ._cells import Item

__all__ = ["PROTOCOLS", "SCORINGS", "Protocol"]

Answer = NDArray[np.int64]
Scoring = Callable[[Any, Any, Answer, Item, int], dict[str, float]]


def kmeans_scores(X: Any, y: Any, ranking: Answer, item: Item, seed: int) -> dict[str, float]:
    """ACC and NMI of one k-means run (10 starts) on the first k columns of the ranking.

    As many clusters as there are classes; NMI with both normalisations that the papers use.
    """
    from sklearn.cluster import KMeans

    y = _known(y)
    c = len(np.unique(y))
    columns = X[:, ranking[: item.k]]
    return _agreement(y, KMeans(c, n_init=10, random_state=seed).fit_predict(columns))


def label_scores(X: Any, y: Any, labels: Answer, item: Item, seed: int) -> dict[str, float]:
    """ACC and NMI of the labels of a clusterer."""
    return _agreement(_known(y), labels)


def column_scores(X: Any, y: Any, ranking: Answer, item: Item, seed: int) -> dict[str, float]:
    """``||A - S S^+ A||_F^2 / ||A - A_k||_F^2`` of the first k columns, A with unit columns."""
    from ..metrics import error_ratio

    return {"error_ratio": error_ratio(X, ranking[: item.k], scale="unit")}


def _known(y: Any) -> Any:
    if y is None:
        raise DataError("This data set has no classes to compare with.")
    return y


def _agreement(y: Any, labels: Any) -> dict[str, float]:
    from ..metrics import clustering_accuracy, nmi

    return {
        "acc": clustering_accuracy(y, labels),
        "nmi": nmi(y, labels),
        "nmi_sqrt": nmi(y, labels, average="sqrt"),
    }


#: Name in the store -> function. A scoring that changes its meaning gets a new name.
SCORINGS: dict[str, Scoring] = {
    "kmeans": kmeans_scores,
    "labels": label_scores,
    "css": column_scores,
}


@dataclass(frozen=True)
class Protocol:
    """What is run on what, and what is looked at.

    Attributes
    ----------
    name, title : str
        Short name; what a table says above itself.
    of_columns, of_labels : str or None
        Scoring of methods that choose columns, and of clusterers; None: not part of the protocol.
    score : str
        The figure that tables show unless told otherwise.
    better : {"larger", "smaller"}
        Which way it is better.
    tuned : bool
        May parameters be chosen by true labels? Then the spec may have grids.
    """

    name: str
    title: str
    of_columns: str | None
    of_labels: str | None
    score: str = "acc"
    better: Literal["larger", "smaller"] = "larger"
    tuned: bool = False


PROTOCOLS: dict[str, Protocol] = {
    p.name: p
    for p in (
        Protocol(
            "default", "nothing tuned with labels (number of classes given)", "kmeans", "labels"
        ),
        Protocol(
            "oracle",
            "best over the grid BY TRUE LABELS, beside the defaults",
            "kmeans",
            "labels",
            tuned=True,
        ),
        Protocol("css", "error ratio of column subsets", "css", None, "error_ratio", "smaller"),
        Protocol("srsg", "labels of clusterers, nothing tuned with labels", None, "labels"),
    )
}
