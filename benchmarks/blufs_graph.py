"""BLUFS: can the sample graph be chosen without labels?

    python benchmarks/blufs_graph.py [--sets digits ...] [--redo]

Two graphs, the neighbors of standardized rows and those of whitened principal components, and rules
that take one of them for each table from numbers that need no labels. The tables of the catalogue
with classes, at least 40 columns and no missing values are split by a fixed rule, the parity of
the SHA-256 of the name: the rule with the best gain on the design tables is the one that is judged
on the others. Quality is the mean of accuracy and normalized mutual information of 10 runs of
k-means on the standardized chosen columns, over 20 and 50 columns; at most 800 rows, the number of
classes given. One thread. Tables measured before are kept. Writes ``results/blufs_graph.csv`` and
``.md``.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections.abc import Callable
from itertools import pairwise
from time import process_time
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import wilcoxon
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from _common import RESULTS, machine, markdown, write_csv
from sksieve.datasets import catalogue, load
from sksieve.graphs import knn_graph, normalized_adjacency
from sksieve.linalg import leading_eigenvalues
from sksieve.metrics import clustering_accuracy, modularity, nmi
from sksieve.papers import BLUFSVariants

CSV = RESULTS / "blufs_graph.csv"
GRAPHS = ("knn", "pca_whitened")
COLUMNS = (20, 50)
ROWS, RUNS = 800, 10

#: Other forms of tables that are here, and COIL100, which shows objects of COIL20.
LEFT_OUT = {"breast_cancer", "dna_full", "JAFFE32", "mfeat_pix", "COIL100"}

Numbers = dict[str, float]


def tables() -> list[str]:
    return [
        d.name
        for d in catalogue()
        if d.kind == "table" and d.n_classes > 1 and not d.n_missing and d.n_features >= 40
        and d.name not in LEFT_OUT
    ]  # fmt: skip


def is_design(name: str) -> bool:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 == 0


def measure(name: str) -> list[dict[str, Any]]:
    data = load(name)
    X, y = data.X, data.y
    if len(y) > ROWS:
        rows = np.sort(np.random.RandomState(0).permutation(len(y))[:ROWS])
        X, y = X[rows], y[rows]
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=float)
    X = StandardScaler().fit_transform(X[:, X.std(axis=0) > 0])
    K = len(np.unique(y))
    records = []
    for k in COLUMNS:
        fits = {g: BLUFSVariants(k, n_clusters=K, graph=g).fit(X) for g in GRAPHS}
        for g, est in fits.items():
            other = fits[GRAPHS[1 - GRAPHS.index(g)]]
            S = X[:, est.get_support()]
            runs = [KMeans(K, n_init=1, random_state=seed).fit(S) for seed in range(RUNS)]
            labels = min(runs, key=lambda r: r.inertia_).labels_
            own = modularity(est.affinity_, labels)
            records.append(
                {
                    "table": name,
                    "part": "design" if is_design(name) else "held out",
                    "columns": k,
                    "graph": g,
                    "accuracy": np.mean([clustering_accuracy(y, r.labels_) for r in runs]),
                    "nmi": np.mean([nmi(y, r.labels_) for r in runs]),
                    "modularity, own graph": own,
                    "modularity, other graph": modularity(other.affinity_, labels),
                    "modularity, both": own + modularity(other.affinity_, labels),
                    "modularity, chosen columns": modularity(knn_graph(S, 5), labels),
                    "eigengap": eigengap(est.affinity_, K),
                    "agreement with the embedding": nmi(est.pseudo_labels_, labels),
                    "stability of k-means": stability(runs),
                }
            )
    return records


def eigengap(A: Any, K: int) -> float:
    """The gap after the K-th eigenvalue, relative to the part of the spectrum beyond it."""
    values = leading_eigenvalues(normalized_adjacency(A).toarray(), K + 1)
    return float((values[K - 1] - values[K]) / max(1 - values[K], 1e-12))


def stability(runs: list[KMeans]) -> float:
    return float(np.mean([nmi(a.labels_, b.labels_) for a, b in pairwise(runs)]))


NUMBERS = (
    "modularity, own graph",
    "modularity, other graph",
    "modularity, both",
    "modularity, chosen columns",
    "eigengap",
    "agreement with the embedding",
    "stability of k-means",
)

#: Rules that need two numbers to agree before they leave the default.
AGREEMENTS = (
    ("modularity, other graph", "eigengap"),
    ("modularity, both", "agreement with the embedding"),
    ("modularity, chosen columns", "stability of k-means"),
)


def larger(*names: str) -> Callable[[Numbers, Numbers], bool]:
    """Take the whitened graph where all of these numbers are larger with it."""
    return lambda knn, white: all(white[name] > knn[name] for name in names)


RULES: dict[str, Callable[[Numbers, Numbers], bool]] = {
    "always whitened": lambda knn, white: True,
    **{name: larger(name) for name in NUMBERS},
    **{" and ".join(names): larger(*names) for names in AGREEMENTS},
}


def quality(record: dict[str, Any]) -> float:
    return (record["accuracy"] + record["nmi"]) / 2


def by_table(records: list[dict[str, Any]]) -> dict[str, dict[str, Numbers]]:
    """For each table and graph the means over the numbers of columns."""
    means: dict[str, dict[str, Numbers]] = {}
    for name in dict.fromkeys(r["table"] for r in records):
        means[name] = {}
        for g in GRAPHS:
            mine = [r for r in records if (r["table"], r["graph"]) == (name, g)]
            means[name][g] = {
                key: float(np.mean([r[key] for r in mine])) for key in (*NUMBERS, "accuracy", "nmi")
            }
    return means


def gains(means: dict[str, dict[str, Numbers]], rule: Callable, design: bool) -> np.ndarray:
    """Quality with the rule less that with the default graph, in per cent, table by table."""
    chosen = [(m["knn"], m["pca_whitened"]) for t, m in means.items() if is_design(t) == design]
    return 100 * np.array([quality(w) - quality(k) if rule(k, w) else 0.0 for k, w in chosen])


def report(records: list[dict[str, Any]]) -> str:
    means = by_table(records)
    best = {
        "best of both, by the labels": lambda k, w: quality(w) > quality(k),
    }
    lines = []
    for name, rule in (RULES | best).items():
        cells = [name]
        for design in (True, False):
            g = gains(means, rule, design)
            p = wilcoxon(g).pvalue if np.count_nonzero(g) else 1.0
            error = g.std(ddof=1) / np.sqrt(len(g))
            cells += [f"{g.mean():+.2f} +- {error:.2f}", f"{(g > 0).sum()}/{(g < 0).sum()}"]
            cells += [f"{p:.2g}"]
        lines.append(cells)
    head = ["whitened graph where larger with it", "design: gain", "better/worse", "p"]
    head += ["held out: gain", "better/worse", "p"]
    text = markdown(head, lines)
    rules = {name: gains(means, rule, True).mean() for name, rule in RULES.items()}
    winner = max(rules, key=lambda name: rules[name])
    text += f"\nBest rule on the design tables: {winner} ({rules[winner]:+.2f}).\n\n"
    rows = [
        [t, "design" if is_design(t) else "held out"]
        + [f"{100 * m[g]['accuracy']:.1f}/{100 * m[g]['nmi']:.1f}" for g in GRAPHS]
        + [", ".join(name for name in NUMBERS if larger(name)(m["knn"], m["pca_whitened"])) or "-"]
        for t, m in sorted(means.items(), key=lambda item: (not is_design(item[0]), item[0]))
    ]
    head = ["table", "part", "knn: ACC/NMI", "pca_whitened", "larger with the whitened graph"]
    return text + markdown(head, rows)


def kept() -> list[dict[str, Any]]:
    if not CSV.exists():
        return []
    with CSV.open() as file:
        rows = list(csv.DictReader(file))
    words = ("table", "part", "graph")
    return [{k: v if k in words else float(v) for k, v in row.items()} for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=tables())
    parser.add_argument("--redo", action="store_true")
    options = parser.parse_args()
    records = kept()
    with threadpool_limits(1):
        for name in options.sets:
            if any(r["table"] == name for r in records) and not options.redo:
                continue
            started = process_time()
            records = [r for r in records if r["table"] != name] + measure(name)
            print(f"{name}: {process_time() - started:.1f} s", flush=True)
            write_csv(CSV, records)
    text = f"# BLUFS: a graph chosen without labels\n\n{machine()}\n\n"
    text += "Gains are in per cent of the mean of accuracy and mutual information, beside the "
    text += "default graph; mean and standard error over tables, and Wilcoxon's test.\n\n"
    (RESULTS / "blufs_graph.md").write_text(text + report(records))


if __name__ == "__main__":
    main()
