"""The picture on each method's page: what this method does on data that scikit-learn ships.

A selector: the pixels it chooses of handwritten digits, and how much of all pixels they explain,
beside random pixels. A clusterer: its groups of the same digits. A method for graphs: its
communities of a planted graph of unequal groups in which they are hard to see.
"""

from __future__ import annotations

import inspect
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from sksieve.catalogue import Method
from sksieve.metrics import HeldOut, modularity

SIZES = (2, 4, 6, 8, 10, 12, 16, 20)
#: Methods whose fits take long with many columns are drawn for few.
FEW = {"exact": (1, 2, 3), "astar": (2, 4, 6)}
DRAWS = 10
#: Vertices of the planted communities, and the probability of an edge inside and between them.
PLANTED = ((48, 27, 15), 0.26, 0.07)


def caption(method: Method) -> str:
    """What the picture shows, in one sentence."""
    if method.purpose == "communities":
        return (
            "A planted graph of three unequal groups, rows ordered by the planted group, then by "
            "the group found; the strip on the left has a color for each group found"
        )
    if method.kind == "clusterer":
        return "Groups of 300 handwritten digits, on the first two principal components"
    return (
        "Left: pixels chosen from 300 handwritten digits (8 x 8), on the mean image. Right: share "
        "of all pixels that the chosen ones explain on rows not used, beside random pixels"
    )


def draw(method: Method, path: Path) -> None:
    """Write the picture of a method as PNG."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a small table, not of the method
        if method.purpose == "communities":
            figure = _communities(method)
        elif method.kind == "clusterer":
            figure = _groups(method)
        else:
            figure = _columns(method)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _columns(method: Method) -> Any:
    import matplotlib.pyplot as plt

    X, kept, held_out, baseline = _pixels()
    if method.name == "correlated":  # its threshold decides the number
        fits = (method.load()(threshold=t).fit(X) for t in (0.3, 0.4, 0.5, 0.6))
        chosen = [est.get_support(indices=True) for est in fits]
    else:
        chosen = [_chosen(method, X, k) for k in FEW.get(method.name, SIZES)]
    sizes = [len(S) for S in chosen]
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
    left.imshow(_image(X.mean(axis=0), kept), cmap="gray_r")
    last = min(chosen, key=lambda S: abs(len(S) - 12))
    rows, columns = np.divmod(kept[last], 8)
    left.scatter(columns, rows, marker="s", s=170, facecolors="none", edgecolors="C3", lw=2)
    left.set(xticks=[], yticks=[], title=f"{len(last)} pixels")
    right.plot(sizes, [held_out.explained(S) for S in chosen], "o-", color="C3", label=method.name)
    low, high = zip(*baseline.values())
    right.fill_between(list(baseline), low, high, color="0.8", label="random pixels")
    right.set(xlabel="number of pixels", ylabel="explained", ylim=(0, 0.95))
    right.legend(loc="lower right", frameon=False)
    return figure


def _chosen(method: Method, X: np.ndarray, k: int) -> np.ndarray:
    est = _estimator(method, n_features_to_select=k).fit(X)
    return np.asarray(est.ranking_)[:k]


@cache
def _pixels() -> tuple[np.ndarray, np.ndarray, HeldOut, dict[int, tuple[float, float]]]:
    """Pixels that vary, their places, what judges them, and the range of random pixels."""
    X = load_digits().data[:300]
    kept = np.flatnonzero(X.std(axis=0) > 0)
    X = X[:, kept]
    held_out = HeldOut(X, random_state=0)
    rng = np.random.RandomState(0)
    baseline = {}
    for k in (1, *SIZES, 30, 40):
        shares = [held_out.explained(rng.choice(len(kept), k, replace=False)) for _ in range(DRAWS)]
        baseline[k] = (min(shares), max(shares))
    return X, kept, held_out, baseline


def _image(values: np.ndarray, kept: np.ndarray) -> np.ndarray:
    image = np.zeros(64)
    image[kept] = values
    return image.reshape(8, 8)


def _groups(method: Method) -> Any:
    import matplotlib.pyplot as plt

    digits = load_digits()
    X, y = digits.data[:300], digits.target[:300]
    est = _estimator(method, n_clusters=10).fit(X)
    centered = X - X.mean(axis=0)
    plane = centered @ np.linalg.svd(centered, full_matrices=False)[2][:2].T
    figure, ax = plt.subplots(figsize=(4, 4), layout="constrained")
    ax.scatter(*plane.T, c=est.labels_, cmap="tab10", s=14)
    ax.set(xlabel="first component", ylabel="second component")
    ax.set_title(f"{len(set(est.labels_))} groups, ARI with the digits {_ari(y, est):.2f}")
    return figure


def _communities(method: Method) -> Any:
    import matplotlib.pyplot as plt

    A, planted = _planted()
    est = _estimator(method, n_clusters=3, affinity="precomputed").fit(A)
    order = np.lexsort((est.labels_, planted))
    figure, (strip, ax) = plt.subplots(
        1, 2, figsize=(4.4, 4.2), width_ratios=(1, 18), layout="constrained"
    )
    strip.imshow(est.labels_[order, None], cmap="tab10", aspect="auto", interpolation="nearest")
    strip.set(xticks=[], yticks=[])
    ax.imshow(A.toarray()[np.ix_(order, order)], cmap="gray_r", interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.set_title(
        f"{len(set(est.labels_))} groups, ARI {_ari(planted, est):.2f}, "
        f"modularity {modularity(A, est.labels_):.2f}",
        fontsize=10,
    )
    return figure


@cache
def _planted() -> tuple[Any, np.ndarray]:
    import scipy.sparse as sp

    sizes, inside, between = PLANTED
    rng = np.random.RandomState(3)
    planted = np.repeat(np.arange(len(sizes)), sizes)
    p = np.where(planted[:, None] == planted, inside, between)
    upper = np.triu(rng.random_sample(p.shape) < p, 1)
    return sp.csr_array((upper | upper.T).astype(float)), planted


def _ari(truth: np.ndarray, est: Any) -> float:
    return float(adjusted_rand_score(truth, est.labels_))


def _estimator(method: Method, **given: Any) -> Any:
    accepted = inspect.signature(method.load()).parameters
    values = {**given, "random_state": 0}
    if method.name == "astar":
        values["max_iter"] = 2000
    return method.load()(**{name: v for name, v in values.items() if name in accepted})
