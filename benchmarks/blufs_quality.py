"""BLUFS, Laplacian score, MCFS and random columns: do the clusters survive the selection?

Protocol of the paper: s = 10, 20, ..., 100 columns (as far as there are), k-means ten times on the
raw values of the kept columns, accuracy and NMI (by the larger entropy) averaged over the runs and
then over s; the best s in brackets. Beside it, one-nearest-neighbour accuracy at the largest s by
ten-fold cross-validation. Defaults throughout, no label is seen by any selector; the number of
clusters is given, as in the paper.

The paper's ablation, Table IV: case I leaves the clustering level out (``alpha=0``), case II the
feature level (``pam final beta=0``: W has all its rows, nothing pulls neighbours together, and the
longest rows are taken), case III the adaptive graph alone (``beta=0``). ``pam final`` is the model
of the released program: all rows of W, and the adaptive graph.

    python benchmarks/blufs_quality.py [SET ...] [--methods NAME ...]

Results go to benchmarks/results/blufs_quality.csv and .md; lines that are not measured again stay.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

from _common import RESULTS, machine, markdown, write_csv
from sksieve import BLUFS, MCFS, LaplacianScore
from sksieve.datasets import load
from sksieve.exceptions import DataError
from sksieve.metrics import clustering_accuracy, nmi

SIZES = range(10, 101, 10)
#: What BLUFS is held to, average over s: accuracy and NMI (None: not held to).
HELD = {
    "JAFFE": (92, 94),
    "COIL20": (65, 75),
    "Isolet": (60.5, 72.5),
    "lung_small": (71, 65),
    "mfeat_pix": (70, 69),
    "lymphoma": (58, 62),
    "USPS49": (80, None),
}
TABLE = RESULTS / "blufs_quality.csv"
ALL = "all columns"
Columns = Callable[[int], np.ndarray]


def blufs(X: np.ndarray, c: int, **options: Any) -> Columns:
    return lambda s: BLUFS(s, n_clusters=c, **options).fit(X).get_support(indices=True)


def final(X: np.ndarray, c: int, beta: float = 1.0) -> Columns:
    """The constraint only at the end: one fit, its row norms rank for every s."""
    s = min(max(SIZES), X.shape[1])
    blufs = BLUFS(s, n_clusters=c, beta=beta, solver="pam", constraint="final")
    ranking = blufs.fit(X).ranking_
    return lambda s: ranking[:s]


def lapscore(X: np.ndarray, c: int) -> Columns:
    ranking = LaplacianScore().fit(scale(X)).ranking_
    return lambda s: ranking[:s]


def mcfs(X: np.ndarray, c: int) -> Columns:
    return lambda s: MCFS(s, n_clusters=c).fit(scale(X)).get_support(indices=True)


def random(X: np.ndarray, c: int) -> Columns:
    order = np.random.RandomState(0).permutation(X.shape[1])
    return lambda s: order[:s]


METHODS: dict[str, Callable[[np.ndarray, int], Columns]] = {
    "BLUFS": blufs,
    "BLUFS path=forward": lambda X, c: blufs(X, c, path="forward"),
    "BLUFS refine": lambda X, c: blufs(X, c, refine=True),
    "BLUFS pca-whitened": lambda X, c: blufs(X, c, graph="pca_whitened"),
    "BLUFS alpha=0": lambda X, c: blufs(X, c, alpha=0.0),
    "BLUFS beta=0": lambda X, c: blufs(X, c, beta=0.0),
    "BLUFS alpha=0.1": lambda X, c: blufs(X, c, alpha=0.1),
    "BLUFS alpha=10": lambda X, c: blufs(X, c, alpha=10.0),
    "BLUFS beta=0.1": lambda X, c: blufs(X, c, beta=0.1),
    "BLUFS beta=10": lambda X, c: blufs(X, c, beta=10.0),
    "BLUFS lam=0.1": lambda X, c: blufs(X, c, lam=0.1),
    "BLUFS lam=10": lambda X, c: blufs(X, c, lam=10.0),
    "BLUFS half the clusters": lambda X, c: blufs(X, c // 2),
    "BLUFS twice the clusters": lambda X, c: blufs(X, 2 * c),
    "BLUFS pam": lambda X, c: blufs(X, c, solver="pam"),
    "BLUFS pam final": final,
    "BLUFS pam final beta=0": lambda X, c: final(X, c, beta=0.0),
    "LaplacianScore": lapscore,
    "MCFS": mcfs,
    "random": random,
}


def merits(X: np.ndarray, y: np.ndarray, c: int) -> np.ndarray:
    """Accuracy and NMI in per cent, averaged over ten k-means."""
    runs = [KMeans(c, n_init=1, random_state=seed).fit(X).labels_ for seed in range(10)]
    return 100 * np.mean([(clustering_accuracy(y, a), nmi(y, a)) for a in runs], axis=0)


def one_nearest(X: np.ndarray, y: np.ndarray) -> float:
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return 100 * float(cross_val_score(KNeighborsClassifier(1), X, y, cv=folds).mean())


def rows_of(name: str, methods: list[str]) -> Iterator[dict[str, Any]]:
    data = load(name)
    X, y = data.X.astype(float), data.y
    c = len(np.unique(y))
    if (name, ALL) not in known() or methods == list(METHODS):
        acc, mi = merits(X, y, c)
        yield {"set": name, "method": ALL, "acc": acc, "nmi": mi, "knn": one_nearest(X, y)}
    for method in methods:
        started = process_time()
        columns = METHODS[method](X, c)
        kept = [columns(s) for s in SIZES if s <= X.shape[1]]
        seconds = (process_time() - started) / len(kept)
        table = np.array([merits(X[:, S], y, c) for S in kept])
        (acc, mi), (best_acc, best_mi) = table.mean(axis=0), table.max(axis=0)
        yield {
            "set": name,
            "method": method,
            "acc": acc,
            "nmi": mi,
            "best_acc": best_acc,
            "best_nmi": best_mi,
            "knn": one_nearest(X[:, kept[-1]], y),
            "seconds": seconds,
        }


def told(row: dict[str, Any]) -> list[str]:
    best = f" ({row['best_acc']:.1f}/{row['best_nmi']:.1f})" if "best_acc" in row else ""
    seconds = f"{row['seconds']:.2f}" if "seconds" in row else ""
    verdict = ""
    if row["method"] == "BLUFS" and row["set"] in HELD:
        acc, mi = HELD[row["set"]]
        kept = row["acc"] >= acc and (mi is None or row["nmi"] >= mi)
        verdict = f"{'held' if kept else 'NOT HELD'}: {acc}/{mi or '-'}"
    merit = f"{row['acc']:.1f}/{row['nmi']:.1f}{best}"
    return [row["set"], row["method"], merit, f"{row['knn']:.1f}", seconds, verdict]


def known() -> dict[tuple[str, str], dict[str, Any]]:
    """The lines of earlier runs, by set and method."""
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    if TABLE.exists():
        with TABLE.open(newline="") as file:
            for row in csv.DictReader(file):
                kept = {k: v if k in ("set", "method") else float(v) for k, v in row.items() if v}
                lines[row["set"], row["method"]] = kept
    return lines


def merged(new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines of earlier runs, those measured again replaced, in the order of `HELD`."""
    lines = {**known(), **{(row["set"], row["method"]): row for row in new}}
    order = [*HELD, *sorted({row["set"] for row in lines.values()} - set(HELD))]
    methods = [ALL, *METHODS]
    return sorted(
        lines.values(), key=lambda row: (order.index(row["set"]), methods.index(row["method"]))
    )


def write(new: list[dict[str, Any]]) -> None:
    rows = merged(new)
    write_csv(TABLE, rows)
    header = ["set", "method", "ACC/NMI, mean over s (best s)", "1-NN", "s a fit", "held to"]
    text = f"{machine()}\n\n{markdown(header, map(told, rows))}"
    TABLE.with_suffix(".md").write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(HELD))
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    given = parser.parse_args()
    warnings.filterwarnings("ignore", module="sklearn")
    with threadpool_limits(limits=1):
        for name in given.sets:
            rows: list[dict[str, Any]] = []
            try:
                for row in rows_of(name, given.methods):
                    rows.append(row)
                    print(*told(row), sep="  ", flush=True)
                    write(rows)
            except DataError as missing:
                print(f"{name}: {missing}", flush=True)
    print(f"\nwritten: {TABLE.with_suffix('.md')}")


if __name__ == "__main__":
    main()
