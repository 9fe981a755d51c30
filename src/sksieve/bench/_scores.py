"""What is measured on a fit: pure functions of evidence, item and seed. True labels stop here."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import DataError
from ._cells import Cell, Data, Item, seed_of
from ._data import Evidence, is_graph, table

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
    groups = np.unique(evidence.answer, return_inverse=True)[1]  # noise is a group of its own
    scores = _agreement(evidence.y, groups)
    return {**scores, "modularity": modularity(X, groups), "n_groups": float(groups.max() + 1)}


@dataclass(frozen=True)
class Scoring:
    """How one kind of score is measured on a fit.

    Parameters
    ----------
    measure : callable
        ``measure(evidence, item, seed)`` gives the scores by name.
    scores : tuple of str
        Names of the scores in `results`.
    needs_labels : bool, default=True
        False where data without classes have it too.
    of_all_columns : bool, default=False
        Has it a meaning for a method that keeps all columns?
    n_repeats : int or None, default=1
        Scores of one fit and k; None for as many as the spec asks for.
    paired : bool, default=False
        Are the random splits of the rows the same for all methods?
    """

    measure: Callable[[Evidence, Item, int], dict[str, float]]
    scores: tuple[str, ...]
    needs_labels: bool = True
    of_all_columns: bool = False
    n_repeats: int | None = 1
    paired: bool = False


#: Scales of the leaderboard: its own, and a second one that shows how ranks depend on it.
BOARDS = ("standard", "minmax")

AGREEMENT = ("acc", "nmi", "nmi_sqrt", "ari")


def _repeated(
    measure: Callable[[Evidence, Item, int], dict[str, float]], *scores: str, paired: bool = False
) -> Scoring:
    """A score that is repeated as often as the spec asks for, and exists for all columns."""
    return Scoring(measure, scores, of_all_columns=True, n_repeats=None, paired=paired)


def _of_board(scale: str) -> dict[str, Scoring]:
    """Scorings of the leaderboard on one scale."""
    scorings = {
        "kmeans": _repeated(partial(board_kmeans, scale=scale), *AGREEMENT),
        "spectral": Scoring(
            partial(board_spectral, scale=scale), ("spectral_nmi",), of_all_columns=True
        ),
        "held-out": _repeated(
            partial(board_held_out, scale=scale), "knn_acc", "logistic_acc", paired=True
        ),
        "label-free": Scoring(
            partial(board_label_free, scale=scale),
            ("neighbors_kept", "reconstruction", "redundancy"),
            needs_labels=False,
            of_all_columns=True,
            paired=True,
        ),
    }
    return {f"{name}@{scale}": scoring for name, scoring in scorings.items()}


SCORINGS: dict[str, Scoring] = {
    "kmeans": _repeated(kmeans, *AGREEMENT),
    "kmeans_once": _repeated(kmeans_once, *AGREEMENT),
    "kmeans_split": _repeated(kmeans_split, *AGREEMENT, "train_acc", "train_nmi_sqrt"),
    "knn": _repeated(nearest, "knn_acc", paired=True),
    "labels": Scoring(labels, AGREEMENT),
    "blocks": Scoring(blocks, (*AGREEMENT, "projector")),
    "css": Scoring(error_ratio, ("error_ratio",), needs_labels=False),
    "anytime": Scoring(
        anytime, ("error_ratio", "clock"), needs_labels=False, n_repeats=len(LEVELS)
    ),
    "chosen": Scoring(
        chosen, ("n_chosen", "stability", "stability_low", "stability_high"), needs_labels=False
    ),
    "partition": Scoring(partition_quality, (*AGREEMENT, "modularity", "n_groups")),
    **_of_board(BOARDS[0]),
    **_of_board(BOARDS[1]),
}


def seed_for(cell: Cell, item: Item) -> int:
    """Seed of a score; random splits are the same for all methods, so that they are paired."""
    if SCORINGS[item.scoring].paired:
        return seed_of({**cell.data.names(), "scale": "none"}, item.scoring, item.repeat)
    return item.seed(cell)
