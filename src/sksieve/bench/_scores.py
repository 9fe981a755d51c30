"""What is measured on a fit: pure functions of evidence, item and seed. True labels stop here."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import DataError
from ._cells import Cell, Data, Item, seed_of
from ._data import Evidence, is_graph, table

__all__ = [
    "COSTS",
    "LABEL_FREE",
    "LEVELS",
    "OF_ALL_COLUMNS",
    "REPEATED",
    "SCORES",
    "SCORINGS",
    "Scoring",
    "n_repeats",
    "seed_for",
]

Scoring = Callable[[Evidence, Item, int], dict[str, float]]

#: The budgets at which ``anytime`` looks, in evaluations per k n.
LEVELS = (4, 8, 16, 32, 64, 128, 256)

#: Methods one iteration of which is one evaluation of the error; of others the end is shown.
COUNTED = ("pocss",)

#: Costs of a fit, by the names that results use.
COSTS = ("seconds", "cpu", "memory")

#: Rows on which neighborhoods are compared, at most; neighbors; part of the rows that is held out.
MAX_ROWS, NEIGHBORS, HELD_OUT = 1000, 10, 0.5

#: Ridge of the held-out reconstruction, as a part of the mean variance of the chosen columns.
RIDGE = 0.05


def kmeans(evidence: Evidence, item: Item, seed: int) -> dict[str, float]:
    """ACC and NMI of k-means, the best of 10 starts, on the first k columns as the method saw them.

    As many clusters as there are classes; NMI with both normalizations that the papers use.
    """
    return _clustered(_first(evidence.X, evidence, item), evidence.y, seed, n_init=10)


def kmeans_once(evidence: Evidence, item: Item, seed: int) -> dict[str, float]:
    """ACC and NMI of one start of k-means on the first k columns, unscaled."""
    return _clustered(_first(evidence.raw, evidence, item), evidence.y, seed, n_init=1)


def kmeans_split(evidence: Evidence, item: Item, seed: int) -> dict[str, float]:
    """As `kmeans_once` on the rows held out, and on those the columns were chosen from."""
    X, y = evidence.training
    train = _clustered(_first(X, evidence, item), y, seed, n_init=1)
    return {
        **kmeans_once(evidence, item, seed),
        "train_acc": train["acc"],
        "train_nmi_sqrt": train["nmi_sqrt"],
    }


def nearest(evidence: Evidence, item: Item, seed: int) -> dict[str, float]:
    """Accuracy of five-nearest-neighbor classification on the first k columns, unscaled.

    The classifier learns from half of the samples; the same halves for every method.
    """
    from ..metrics import knn_accuracy

    columns = _first(evidence.raw, evidence, item)
    accuracy = knn_accuracy(columns, evidence.y, n_repeats=1, random_state=seed)
    return {"knn_acc": float(accuracy[0])}


def labels(evidence: Evidence, item: Item, seed: int) -> dict[str, float]:
    """ACC and NMI of the labels of a clusterer."""
    return _agreement(evidence.y, evidence.answer)


def blocks(evidence: Evidence, item: Item, seed: int) -> dict[str, float]:
    """ACC and NMI of the labels, and ``||UU' - P*||_F``, P* the projector of the true blocks."""
    from ..metrics import projector_distance

    if evidence.fit.basis is None:
        raise DataError("The method leaves no orthonormal basis, so there is no projector.")
    distance = projector_distance(evidence.fit.basis, evidence.y)
    return {**_agreement(evidence.y, evidence.answer), "projector": distance}


def error_ratio(evidence: Evidence, item: Item, seed: int) -> dict[str, float]:
    """``||A - S S^+ A||_F^2 / ||A - A_k||_F^2`` of the first k columns, A with unit columns."""
    from ..metrics import error_ratio as ratio

    return {"error_ratio": ratio(evidence.X, evidence.answer[: item.k], scale="unit")}


def anytime(evidence: Evidence, item: Item, seed: int) -> dict[str, float]:
    """Error ratio after ``LEVELS[item.repeat] k n`` evaluations, and the seconds they took.

    Of a method whose iterations are not evaluations, the end: a level line.
    """
    if evidence.cell.method not in COUNTED:
        return {**error_ratio(evidence, item, seed), "clock": evidence.fit.seconds}
    budget = LEVELS[item.repeat] * item.k * evidence.X.shape[1]
    records = [record for record in evidence.fit.history if record["n_iter"] <= budget]
    if not records:
        raise DataError(f"The history has no record of the first {budget} evaluations.")
    bound = _tail(evidence.data, item.k)
    return {"error_ratio": records[-1]["objective"] / bound, "clock": records[-1]["seconds"]}


@lru_cache(maxsize=8)
def _tail(data: Data, k: int) -> float:
    """``||A - A_k||_F^2``, A with unit columns."""
    from scipy.linalg import svdvals
    from sklearn.preprocessing import normalize

    return float(np.sum(svdvals(normalize(table(data).X, axis=0))[k:] ** 2))


def _first(X: Any, evidence: Evidence, item: Item) -> Any:
    return X[:, evidence.answer[: item.k]] if item.k else X


def _clustered(X: Any, y: NDArray[Any], seed: int, *, n_init: int) -> dict[str, float]:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    means = KMeans(len(np.unique(y)), n_init=n_init, random_state=seed)
    with warnings.catch_warnings():  # few columns, few different samples: then fewer clusters
        warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
        return _agreement(y, means.fit_predict(X))


def _agreement(y: Any, groups: Any) -> dict[str, float]:
    from sklearn.metrics import adjusted_rand_score

    from ..metrics import clustering_accuracy, nmi

    return {
        "acc": clustering_accuracy(y, groups),
        "nmi": nmi(y, groups),
        "nmi_sqrt": nmi(y, groups, average="sqrt"),
        "ari": float(adjusted_rand_score(y, groups)),
    }


# The leaderboard: the same table for all methods, whatever scale each of them sees.


def board_kmeans(evidence: Evidence, item: Item, seed: int, *, scale: str) -> dict[str, float]:
    """As `kmeans`, on columns of one scale for all methods."""
    return _clustered(_board(evidence, item, scale), evidence.y, seed, n_init=10)


def board_spectral(evidence: Evidence, item: Item, seed: int, *, scale: str) -> dict[str, float]:
    """NMI of spectral clustering (`SpectralGraph`) on the chosen columns."""
    from ..clustering import SpectralGraph
    from ..metrics import nmi

    X = _board(evidence, item, scale)
    model = SpectralGraph(len(np.unique(evidence.y)), random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a graph of few columns often falls into components
        return {"spectral_nmi": nmi(evidence.y, model.fit(X).labels_)}


def board_held_out(evidence: Evidence, item: Item, seed: int, *, scale: str) -> dict[str, float]:
    """Accuracy of 5 nearest neighbors and of logistic regression on held-out rows.

    The columns were chosen without labels, from all rows; both classifiers learn from half of the
    rows (each class in proportion where it has two samples), the same half for all methods.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.neighbors import KNeighborsClassifier

    X, y = _board(evidence, item, scale), evidence.y
    strata = y if np.bincount(y).min() >= 2 else None
    half = train_test_split(X, y, test_size=HELD_OUT, random_state=seed, stratify=strata)
    train, test, y_train, y_test = half
    neighbors = KNeighborsClassifier(min(5, train.shape[0])).fit(train, y_train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 200 iterations are enough for an accuracy
        logistic = LogisticRegression(max_iter=200).fit(train, y_train)
    return {
        "knn_acc": float(neighbors.score(test, y_test)),
        "logistic_acc": float(logistic.score(test, y_test)),
    }


def board_label_free(evidence: Evidence, item: Item, seed: int, *, scale: str) -> dict[str, float]:
    """Neighbors kept, held-out reconstruction, and redundancy of the chosen columns.

    Neighbors: share of the 10 nearest that the chosen columns find, on 1000 rows. Reconstruction:
    share of the variance of all columns that ridge regression on the chosen ones explains on rows
    it did not learn from, mean of two folds.
    """
    from ..metrics import neighborhood_preservation, redundancy

    X = evidence.scaled(scale)
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    chosen = evidence.answer[: item.k] if item.k else np.arange(X.shape[1])
    rng = np.random.RandomState(seed)
    rows = np.sort(rng.permutation(len(X))[:MAX_ROWS])
    kept = neighborhood_preservation(X[rows], chosen, n_neighbors=min(NEIGHBORS, len(rows) - 1))
    return {
        "neighbors_kept": kept,
        "reconstruction": _reconstruction(X, chosen, rng.permutation(len(X))),
        "redundancy": redundancy(X, chosen) if len(chosen) > 1 else 0.0,
    }


def _reconstruction(X: NDArray[Any], chosen: NDArray[Any], order: NDArray[Any]) -> float:
    """R^2 of all columns from the chosen ones on held-out rows, mean of two folds."""
    half = len(order) // 2
    shares = []
    for test, train in ((order[:half], order[half:]), (order[half:], order[:half])):
        mean = X[train].mean(axis=0)
        A, B = X[train] - mean, X[test] - mean
        S = A[:, chosen]
        gram = S.T @ S
        ridge = RIDGE * np.trace(gram) / len(gram)
        W = np.linalg.solve(gram + max(ridge, 1e-12) * np.eye(len(gram)), S.T @ A)
        total = float(np.vdot(B, B))
        shares.append(1 - float(np.sum((B - B[:, chosen] @ W) ** 2)) / total if total else 0.0)
    return float(np.mean(shares))


def _board(evidence: Evidence, item: Item, scale: str) -> Any:
    return _first(evidence.scaled(scale), evidence, item)


def chosen(evidence: Evidence, item: Item, seed: int) -> dict[str, float]:
    """Nothing but that the fit chose k columns; `results` compares the choices of all draws."""
    return {"n_chosen": float(item.k)}


def partition_quality(evidence: Evidence, item: Item, seed: int) -> dict[str, float]:
    """ACC, NMI and ARI of the labels, and their modularity in the graph that is clustered.

    For a table the graph of 15 nearest neighbors of the standardized columns.
    """
    from ..graphs import knn_graph
    from ..metrics import modularity

    X = evidence.raw
    if not is_graph(evidence.data.name, evidence.data.path):
        X = knn_graph(evidence.scaled("standard"), min(15, X.shape[0] - 1))
    groups = evidence.answer
    if groups.min() < 0:  # noise: a group of its own
        groups = groups - groups.min()
    groups = np.unique(groups, return_inverse=True)[1]
    scores = _agreement(evidence.y, groups)
    return {**scores, "modularity": modularity(X, groups), "n_groups": float(groups.max() + 1)}


AGREEMENT = ("acc", "nmi", "nmi_sqrt", "ari")

#: Scales of the leaderboard: its own, and a second one that shows how ranks depend on it.
BOARDS = ("standard", "minmax")

_BOARD: dict[str, tuple[Callable[..., dict[str, float]], tuple[str, ...]]] = {
    "kmeans": (board_kmeans, AGREEMENT),
    "spectral": (board_spectral, ("spectral_nmi",)),
    "held-out": (board_held_out, ("knn_acc", "logistic_acc")),
    "label-free": (board_label_free, ("neighbors_kept", "reconstruction", "redundancy")),
}

SCORINGS: dict[str, Scoring] = {
    "kmeans": kmeans,
    "kmeans_once": kmeans_once,
    "kmeans_split": kmeans_split,
    "knn": nearest,
    "labels": labels,
    "blocks": blocks,
    "css": error_ratio,
    "anytime": anytime,
    "chosen": chosen,
    "partition": partition_quality,
    **{
        f"{name}@{scale}": partial(function, scale=scale)
        for scale in BOARDS
        for name, (function, _) in _BOARD.items()
    },
}

#: Scoring -> the scores it gives.
SCORES: dict[str, tuple[str, ...]] = {
    "kmeans": AGREEMENT,
    "kmeans_once": AGREEMENT,
    "kmeans_split": (*AGREEMENT, "train_acc", "train_nmi_sqrt"),
    "knn": ("knn_acc",),
    "labels": AGREEMENT,
    "blocks": (*AGREEMENT, "projector"),
    "css": ("error_ratio",),
    "anytime": ("error_ratio", "clock"),
    "chosen": ("n_chosen", "stability", "stability_low", "stability_high"),
    "partition": (*AGREEMENT, "modularity", "n_groups"),
    **{f"{name}@{scale}": scores for scale in BOARDS for name, (_, scores) in _BOARD.items()},
}

#: Scorings that need no classes.
LABEL_FREE = ("css", "anytime", "chosen", *(f"label-free@{scale}" for scale in BOARDS))

#: Scorings repeated for one fit and k; they make sense for all columns too.
REPEATED = (
    *("kmeans", "kmeans_once", "kmeans_split", "knn"),
    *(f"{name}@{scale}" for scale in BOARDS for name in ("kmeans", "held-out")),
)

#: Scorings that are not repeated, and make sense for all columns.
OF_ALL_COLUMNS = (
    *REPEATED,
    *(f"{name}@{scale}" for scale in BOARDS for name in ("spectral", "label-free")),
)

#: Scorings whose random splits are the same for all methods, so that they are paired.
_SHARED_SPLITS = (
    "knn",
    *(f"{name}@{scale}" for scale in BOARDS for name in ("held-out", "label-free")),
)


def n_repeats(scoring: str, requested: int) -> int:
    """How many scores of one fit and k there are, where so many are `requested`.

    Examples
    --------
    >>> n_repeats("kmeans", 10), n_repeats("labels", 10), n_repeats("anytime", 10)
    (10, 1, 7)
    """
    if scoring == "anytime":
        return len(LEVELS)
    return requested if scoring in REPEATED else 1


def seed_for(cell: Cell, item: Item) -> int:
    """Seed of a score; random splits are the same for all methods, so that they are paired."""
    if item.scoring in _SHARED_SPLITS:
        return seed_of({**cell.data.names(), "scale": "none"}, item.scoring, item.repeat)
    return item.seed(cell)
