"""What is measured on a fit: pure functions of evidence, item and seed. True labels stop here."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ..exceptions import DataError
from ._cells import Cell, Data, Item, seed_of
from ._data import Evidence, table

__all__ = ["LEVELS", "REPEATED", "SCORINGS", "Scoring", "n_repeats", "seed_for"]

Scoring = Callable[[Evidence, Item, int], dict[str, float]]

#: The budgets at which ``anytime`` looks, in evaluations per k n.
LEVELS = (4, 8, 16, 32, 64, 128, 256)

#: Methods one iteration of which is one evaluation of the error; of others the end is shown.
COUNTED = ("pocss",)


def kmeans(seen: Evidence, item: Item, seed: int) -> dict[str, float]:
    """ACC and NMI of k-means, the best of 10 starts, on the first k columns as the method saw them.

    As many clusters as there are classes; NMI with both normalisations that the papers use.
    """
    return _clustered(seen, _first(seen.X, seen, item), seed, n_init=10)


def kmeans_once(seen: Evidence, item: Item, seed: int) -> dict[str, float]:
    """ACC and NMI of one start of k-means on the first k columns, raw."""
    return _clustered(seen, _first(seen.raw, seen, item), seed, n_init=1)


def nearest(seen: Evidence, item: Item, seed: int) -> dict[str, float]:
    """Accuracy of five-nearest-neighbour classification on the first k columns, raw.

    Half of the samples teach, the others are classified; the same halves for every method.
    """
    from ..metrics import knn_accuracy

    columns = _first(seen.raw, seen, item)
    return {"knn_acc": float(knn_accuracy(columns, seen.y, n_repeats=1, random_state=seed)[0])}


def labels(seen: Evidence, item: Item, seed: int) -> dict[str, float]:
    """ACC and NMI of the labels of a clusterer."""
    return _agreement(seen.y, seen.answer)


def blocks(seen: Evidence, item: Item, seed: int) -> dict[str, float]:
    """ACC and NMI of the labels, and ``||UU' - P*||_F``, P* the projector of the true blocks."""
    from ..metrics import projector_distance

    if seen.fit.basis is None:
        raise DataError("The method leaves no orthonormal basis, so there is no projector.")
    distance = projector_distance(seen.fit.basis, seen.y)
    return {**_agreement(seen.y, seen.answer), "projector": distance}


def error_ratio(seen: Evidence, item: Item, seed: int) -> dict[str, float]:
    """``||A - S S^+ A||_F^2 / ||A - A_k||_F^2`` of the first k columns, A with unit columns."""
    from ..metrics import error_ratio as ratio

    return {"error_ratio": ratio(seen.X, seen.answer[: item.k], scale="unit")}


def anytime(seen: Evidence, item: Item, seed: int) -> dict[str, float]:
    """Error ratio after ``LEVELS[item.repeat] k n`` evaluations, and the seconds they took.

    Of a method whose iterations are not evaluations, the end: a level line.
    """
    if seen.method not in COUNTED:
        return {**error_ratio(seen, item, seed), "clock": seen.fit.seconds}
    budget = LEVELS[item.repeat] * item.k * seen.X.shape[1]
    records = [record for record in seen.fit.history if record["n_iter"] <= budget]
    if not records:
        raise DataError(f"The history has no record of the first {budget} evaluations.")
    bound = _tail(seen.data, item.k)
    return {"error_ratio": records[-1]["objective"] / bound, "clock": records[-1]["seconds"]}


@lru_cache(maxsize=8)
def _tail(data: Data, k: int) -> float:
    """``||A - A_k||_F^2``, A with unit columns."""
    from scipy.linalg import svdvals
    from sklearn.preprocessing import normalize

    return float(np.sum(svdvals(normalize(table(data).X, axis=0))[k:] ** 2))


def _first(X: Any, seen: Evidence, item: Item) -> Any:
    return X[:, seen.answer[: item.k]] if item.k else X


def _clustered(seen: Evidence, X: Any, seed: int, *, n_init: int) -> dict[str, float]:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    y = seen.y
    means = KMeans(len(np.unique(y)), n_init=n_init, random_state=seed)
    with warnings.catch_warnings():  # few columns, few different samples: then fewer clusters
        warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
        return _agreement(y, means.fit_predict(X))


def _agreement(y: Any, found: Any) -> dict[str, float]:
    from ..metrics import clustering_accuracy, nmi

    return {
        "acc": clustering_accuracy(y, found),
        "nmi": nmi(y, found),
        "nmi_sqrt": nmi(y, found, average="sqrt"),
    }


SCORINGS: dict[str, Scoring] = {
    "kmeans": kmeans,
    "kmeans_once": kmeans_once,
    "knn": nearest,
    "labels": labels,
    "blocks": blocks,
    "css": error_ratio,
    "anytime": anytime,
}

#: Scorings of which a spec may want many for one fit and k; they make sense for all columns too.
REPEATED = ("kmeans", "kmeans_once", "knn")


def n_repeats(scoring: str, wanted: int) -> int:
    """How many scores of one fit and k there are, where so many are `wanted`.

    Examples
    --------
    >>> n_repeats("kmeans", 10), n_repeats("labels", 10), n_repeats("anytime", 10)
    (10, 1, 7)
    """
    if scoring == "anytime":
        return len(LEVELS)
    return wanted if scoring in REPEATED else 1


def seed_for(cell: Cell, item: Item) -> int:
    """Seed of a score; that of ``knn`` is the same for all methods, so that splits are paired."""
    if item.scoring == "knn":
        return seed_of({**cell.data.names(), "scale": "none"}, item.scoring, item.repeat)
    return item.seed(cell)
