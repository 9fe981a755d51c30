"""LSDCL at its defaults beside its floors: do the clusters survive the selection?

Protocol of the paper: 5, 10, ..., 50 columns (as far as there are), k-means on the raw values of
the kept columns, accuracy and NMI averaged over the k-means runs and then over the numbers of
columns. NMI twice: MI / sqrt(H H'), which the paper computes, and MI / max(H, H'), which it says.
Defaults throughout; no label is seen by any selector. MCFS alone is told the number of clusters.

    python benchmarks/lsdcl_quality.py [SET ...] [--methods NAME ...] [--runs N]

Results go to benchmarks/results/lsdcl_quality.csv and .md; sets measured earlier are kept.
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
from sklearn.preprocessing import minmax_scale
from threadpoolctl import threadpool_limits

from _common import RESULTS, machine, markdown, write_csv
from sksieve import LSDCL, MCFS, LaplacianScore, VarianceRank
from sksieve.datasets import load
from sksieve.exceptions import DataError
from sksieve.metrics import clustering_accuracy, nmi

SIZES = range(5, 51, 5)
#: What the defaults are held to, average accuracy.
HELD = {"USPS49": 85.0, "COIL20": 52.0}
#: The paper's figures, parameters chosen by labels: accuracy and NMI.
PAPER = {
    "housing": (74.53, 22.81),
    "wine": (87.47, 66.37),
    "USPS49": (95.54, 74.20),
    "zoo": (84.42, 83.03),
    "COIL20": (62.28, 73.55),
    "ecoli": (60.89, 60.15),
    "JAFFE": (77.98, 85.31),
    "TOX_171": (51.90, 29.05),
}
Rankings = list[np.ndarray]


def lsdcl(X: np.ndarray, c: int) -> Rankings:
    return [LSDCL(random_state=seed).fit(X).ranking_ for seed in range(2)]


def random(X: np.ndarray, c: int) -> Rankings:
    return [np.random.RandomState(seed).permutation(X.shape[1]) for seed in range(5)]


def variance(X: np.ndarray, c: int) -> Rankings:
    return [VarianceRank().fit(X).ranking_]


def lapscore(X: np.ndarray, c: int) -> Rankings:
    return [LaplacianScore().fit(minmax_scale(X)).ranking_]


def mcfs(X: np.ndarray, c: int) -> Rankings:
    return [MCFS(min(50, X.shape[1]), n_clusters=c).fit(minmax_scale(X)).ranking_]


METHODS: dict[str, Callable[[np.ndarray, int], Rankings]] = {
    "LSDCL": lsdcl,
    "random": random,
    "variance": variance,
    "LaplacianScore": lapscore,
    "MCFS": mcfs,
}


def dataset(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Raw values and labels; housing's classes are the paper's, MEDV above 22.5."""
    if name == "wine":
        from sklearn.datasets import load_wine

        data = load_wine()
        return data.data, data.target
    data = load(name)
    y = data.target > 22.5 if name == "housing" else data.y
    return np.asarray(data.X, dtype=float), y


def merits(X: np.ndarray, y: np.ndarray, c: int, runs: int) -> np.ndarray:
    """Accuracy and both NMI in per cent, averaged over the k-means."""
    found = [KMeans(c, n_init=1, random_state=seed).fit(X).labels_ for seed in range(runs)]
    return 100 * np.mean(
        [
            (clustering_accuracy(y, a), nmi(y, a, average="sqrt"), nmi(y, a, average="max"))
            for a in found
        ],
        axis=0,
    )


def rows_of(name: str, methods: list[str], runs: int) -> Iterator[dict[str, Any]]:
    X, y = dataset(name)
    c = len(np.unique(y))
    columns = ("acc", "nmi_sqrt", "nmi_max")
    everything = merits(X, y, c, runs)
    yield {"set": name, "method": "all columns", **dict(zip(columns, everything, strict=True))}
    for method in methods:
        started = process_time()
        rankings = METHODS[method](X, c)
        seconds = (process_time() - started) / len(rankings)
        sizes = [s for s in SIZES if s <= X.shape[1]] or [X.shape[1]]
        share = max(1, runs // len(rankings))
        table = [merits(X[:, r[:s]], y, c, share) for r in rankings for s in sizes]
        mean = np.mean(table, axis=0)
        row = {"set": name, "method": method, **dict(zip(columns, mean, strict=True))}
        yield row | {"seconds": seconds}


def told(row: dict[str, Any]) -> list[str]:
    acc, sqrt, largest = (f"{float(row[key]):.1f}" for key in ("acc", "nmi_sqrt", "nmi_max"))
    seconds = f"{float(row['seconds']):.2f}" if row.get("seconds") else ""
    remark = ""
    if row["method"] == "LSDCL" and row["set"] in HELD:
        bar = HELD[row["set"]]
        remark = f"{'held' if float(row['acc']) >= bar else 'NOT HELD'}: {bar:g}"
    if row["method"] == "LSDCL" and row["set"] in PAPER:
        remark += " (paper, by labels: {:.1f}/{:.1f})".format(*PAPER[row["set"]])
    return [row["set"], row["method"], acc, sqrt, largest, seconds, remark.strip()]


def earlier(sets: list[str]) -> list[dict[str, Any]]:
    """Rows of other sets from the last time."""
    path = RESULTS / "lsdcl_quality.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["set"] not in sets]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=[*PAPER, "binalpha", "ALLAML", "lymphoma"])
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--runs", type=int, default=10, help="k-means runs")
    given = parser.parse_args()
    warnings.filterwarnings("ignore", module="sklearn")
    rows = earlier(given.sets)
    with threadpool_limits(limits=1):
        for name in given.sets:
            try:
                for row in rows_of(name, given.methods, given.runs):
                    rows.append(row)
                    print(*told(row), sep="  ", flush=True)
            except DataError as missing:
                print(f"{name}: {missing}", flush=True)
    write_csv(RESULTS / "lsdcl_quality.csv", rows)
    header = ["set", "method", "ACC", "NMI sqrt", "NMI max", "s a fit", "remark"]
    text = f"{machine()}\n\n{markdown(header, map(told, rows))}"
    (RESULTS / "lsdcl_quality.md").write_text(text)
    print(f"\nwritten: {RESULTS / 'lsdcl_quality.md'}")


if __name__ == "__main__":
    main()
