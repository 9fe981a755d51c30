"""Which method is the default for communities whose number is not given.

    python benchmarks/communities_default.py [--seeds 3]

Whole graphs with known groups, isolated vertices and small components included. Spectral clustering
(`SpectralCommunities`) gets the number that the Bethe Hessian suggests; Louvain and Leiden find
their own. Means over seeds; planted graphs are drawn anew with every seed. One thread, CPU seconds.
Writes ``results/communities_default.md`` and ``.csv``.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from _common import RESULTS, machine, markdown, write_csv
from sksieve import Leiden, Louvain, SpectralCommunities
from sksieve.datasets import make_sbm
from sksieve.exceptions import DataError
from sksieve.metrics import modularity, nmi

#: The folder with graph_karate.npz and the others.
FOLDER = Path(os.environ.get("SKSIEVE_DATA", "../shared/data"))

REAL = (
    "karate", "dolphins", "football", "polbooks", "polblogs", "email_eu_core", "citeseer", "cora",
)  # fmt: skip
UNEVEN = [100, 80, 60, 50, *[30] * 10, *[10] * 10]
PLANTED: dict[str, dict[str, Any]] = {
    "planted 300/3": {"n_nodes": 300, "n_blocks": 3, "p_in": 0.1, "p_out": 0.02},
    "planted 300/3, weak": {"n_nodes": 300, "n_blocks": 3, "p_in": 0.1, "p_out": 0.04},
    "planted 1000/20": {"n_nodes": 1000, "n_blocks": 20, "p_in": 0.3, "p_out": 0.01},
    "planted 690/24, uneven": {
        "n_nodes": sum(UNEVEN), "n_blocks": len(UNEVEN), "p_in": 0.5, "p_out": 0.02,
        "sizes": UNEVEN,
    },
}  # fmt: skip
METHODS: dict[str, Any] = {
    "spectral, suggested number": lambda seed: SpectralCommunities(
        "auto", affinity="precomputed", random_state=seed
    ),
    "Louvain": lambda seed: Louvain(affinity="precomputed", random_state=seed),
    "Leiden": lambda seed: Leiden(affinity="precomputed", random_state=seed),
}
MEANS = ("groups", "nmi", "ari", "modularity", "seconds")


def graph(name: str, seed: int) -> tuple[Any, np.ndarray]:
    if name in PLANTED:
        return make_sbm(**PLANTED[name], random_state=seed)
    with np.load(FOLDER / f"graph_{name}.npz") as file:
        n, y = len(file["y"]), file["y"]
        i, j = file["edges"].T
    A = sp.csr_array((np.ones(len(i)), (i, j)), shape=(n, n))
    A = A + A.T
    A.data[:] = 1
    return A, y


def score(name: str, method: str, seed: int) -> dict[str, Any]:
    A, y = graph(name, seed)
    started = process_time()
    try:
        labels = METHODS[method](seed).fit(A).labels_
    except DataError:  # one community only
        labels = np.zeros(len(y), dtype=int)
    seconds = process_time() - started
    return {
        "graph": name,
        "n": A.shape[0],
        "known": len(np.unique(y)),
        "method": method,
        "seed": seed,
        "groups": len(np.unique(labels)),
        "nmi": nmi(y, labels),
        "ari": adjusted_rand_score(y, labels),
        "modularity": modularity(A, labels),
        "seconds": seconds,
    }


def summary(rows: list[dict[str, Any]]) -> str:
    lines = []
    for name in dict.fromkeys(r["graph"] for r in rows):
        for method in METHODS:
            some = [r for r in rows if (r["graph"], r["method"]) == (name, method)]
            mean = {key: np.mean([r[key] for r in some]) for key in MEANS}
            values = [f"{mean[key]:.3f}" for key in ("nmi", "ari", "modularity")]
            first = [name, str(some[0]["n"]), str(some[0]["known"]), method]
            lines.append([*first, f"{mean['groups']:.3g}", *values, f"{mean['seconds']:.2g}"])
    for method in METHODS:
        some = [r for r in rows if r["method"] == method]
        of_graph = {
            key: np.mean(
                [
                    np.mean([r[key] for r in some if r["graph"] == name])
                    for name in dict.fromkeys(r["graph"] for r in some)
                ]
            )
            for key in MEANS
        }
        values = [f"{of_graph[key]:.3f}" for key in ("nmi", "ari", "modularity")]
        lines.append(["mean of the graphs", "", "", method, "", *values, ""])
    head = ["graph", "n", "known", "method", "groups", "NMI", "ARI", "modularity", "CPU s"]
    return markdown(head, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    with threadpool_limits(1):
        rows = [
            score(name, method, seed)
            for name in (*REAL, *PLANTED)
            for method in METHODS
            for seed in range(options.seeds)
        ]
    write_csv(RESULTS / "communities_default.csv", rows)
    text = summary(rows)
    print(text)
    (RESULTS / "communities_default.md").write_text(
        f"# The default method for communities\n\n{text}\n{machine()}\n"
    )


if __name__ == "__main__":
    main()
