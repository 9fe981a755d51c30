"""Nearest neighbors: exact beside scikit-learn's, approximate with its recall, methods at 1e5 rows.

    python benchmarks/neighbors.py [--parts exact recall large] [--rows 10000] [--large 100000]
        [--methods LaplacianScore MCFS]

One thread, CPU seconds, 10 neighbors. ``exact``: tiles of float32 products with their
candidates compared in float64, beside rows of products in the precision of the data (the exact
search of earlier versions) and scikit-learn's brute and kd_tree; the neighbors of the first two are
the same. ``recall``: share of the exact neighbors that the approximate search finds on real tables
(BASEHOCK, CNAE9 and the last one are sparse), which begins in 50 principal components. ``large``:
whole fits; methods not asked for keep their rows. Writes ``results/neighbors_<part>.md`` and
``.csv``.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from time import process_time
from typing import Any

import numba
import numpy as np
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

import sksieve
from _common import RESULTS, machine, markdown, write_csv
from sksieve.datasets import load
from sksieve.evaluation._cost import Meter
from sksieve.graphs import _neighbors, find_neighbors, nearest_neighbors

K = 10
TABLES = ("mnist5k", "COIL20", "Isolet", "BASEHOCK", "CNAE9", "pbmc68k_reduced_counts")
METHODS: dict[str, dict[str, Any]] = {
    "LaplacianScore": {"n_features_to_select": 10},
    "MCFS": {"n_features_to_select": 10, "n_clusters": 10},
    "BLUFS": {"n_features_to_select": 10, "n_clusters": 10},
    "SpectralGraph": {"n_clusters": 10, "random_state": 0},
    "SMCE": {"n_clusters": 10, "random_state": 0},
    "SRSG": {"n_clusters": 10, "random_state": 0},
}


def clouds(n: int, d: int = 50) -> np.ndarray:
    """Ten Gaussian clouds in 12 dimensions, mapped to d, with noise; columns of unit variance."""
    rng = np.random.RandomState(0)
    centers = 3 * rng.standard_normal((10, 12))
    Z = centers[rng.randint(10, size=n)] + rng.standard_normal((n, 12))
    X = Z @ rng.standard_normal((12, d)) + 0.5 * rng.standard_normal((n, d))
    return X / X.std(axis=0)


def by_rows(X: np.ndarray) -> np.ndarray:
    """The search in the precision of the data, as it is done for rows that float32 leaves open."""
    indices, distances = np.empty((len(X), K), dtype=np.int64), np.empty((len(X), K))
    _neighbors._search_by_rows(X, np.arange(len(X)), indices, distances)
    return indices


def rival(algorithm: str) -> Callable[[np.ndarray], np.ndarray]:
    return lambda X: NearestNeighbors(n_neighbors=K, algorithm=algorithm).fit(X).kneighbors()[1]


def best_of(task: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """The result, and the least CPU time."""
    seconds = []
    for _ in range(repeats):
        started = process_time()
        result = task()
        seconds.append(process_time() - started)
    return result, min(seconds)


def part_exact(rows: int, large: int, methods: list[str]) -> tuple[list[str], list[list[Any]]]:
    table = []
    rng = np.random.RandomState(0)
    data = {
        "one cloud": rng.standard_normal((rows, 50)),
        "ten clouds": clouds(rows),
        "ten clouds, 5 columns": clouds(rows)[:, :5],
        "ten clouds, 500 columns": clouds(rows // 2, 500),
    }
    nearest_neighbors(data["one cloud"][:5000], K)  # compiles
    for name, X in data.items():
        new, seconds = best_of(lambda X=X: nearest_neighbors(X, K)[0], 3)
        old, before = best_of(lambda X=X: by_rows(X), 3)
        assert np.array_equal(new, old)
        brute = best_of(lambda X=X: rival("brute")(X), 1)[1]
        tree = best_of(lambda X=X: rival("kd_tree")(X), 1)[1]
        n, d = X.shape
        table.append([name, n, d, seconds, before / seconds, brute / seconds, tree / seconds])
    header = ["data", "n", "d", "seconds", "float64 rows", "sklearn brute", "sklearn kd_tree"]
    return header, table


def part_recall(rows: int, large: int, methods: list[str]) -> tuple[list[str], list[list[Any]]]:
    table = []
    for name in TABLES:
        X = load(name).X.astype(float)
        exact, seconds = best_of(lambda X=X: nearest_neighbors(X, K)[1], 1)
        find_neighbors(X, K, "approximate")  # compiles
        distances, approximate = best_of(lambda X=X: find_neighbors(X, K, "approximate")[1], 1)
        recall = (distances <= exact[:, -1:]).mean()  # as near as the K-th counts
        table.append([name, *X.shape, float(recall), seconds, approximate])
    return ["data", "n", "d", "recall", "exact, s", "approximate, s"], table


def part_large(rows: int, large: int, methods: list[str]) -> tuple[list[str], list[list[Any]]]:
    table = [row for row in earlier("large") if row[0] not in methods]
    X = clouds(large)
    find_neighbors(X[:2000], K, "approximate")  # compiles
    for name in methods:
        given = METHODS[name]
        cls = getattr(sksieve, name)
        cls(**given).fit(X[:1500])
        with Meter() as meter:
            est = cls(**given).fit(X)
        memory = (meter.cost.memory or 0.0) / 1e9
        table.append([name, *X.shape, meter.cost.cpu, memory, est.neighbors_exact_])
        print(table[-1], flush=True)
    table.sort(key=lambda row: list(METHODS).index(row[0]))
    return ["method", "n", "d", "seconds", "memory beside X, GB", "exact neighbors"], table


def earlier(part: str) -> list[list[Any]]:
    """The rows of an earlier run."""
    path = RESULTS / f"neighbors_{part}.csv"
    if not path.exists():
        return []
    with path.open() as file:
        rows = list(csv.reader(file))[1:]
    return [[name, int(n), int(d), float(s), float(m), exact] for name, n, d, s, m, exact in rows]


PARTS = {"exact": part_exact, "recall": part_recall, "large": part_large}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    options = parser.parse_args()
    numba.set_num_threads(1)
    with threadpool_limits(1):
        for part in options.parts:
            header, rows = PARTS[part](options.rows, options.large, options.methods)
            shown = [[f"{v:.3g}" if isinstance(v, float) else str(v) for v in row] for row in rows]
            text = f"# Neighbors: {part}\n\n{machine()}\n\n{markdown(header, shown)}\n"
            (RESULTS / f"neighbors_{part}.md").write_text(text)
            write_csv(RESULTS / f"neighbors_{part}.csv", [dict(zip(header, row)) for row in rows])
            print(text, flush=True)


if __name__ == "__main__":
    main()
