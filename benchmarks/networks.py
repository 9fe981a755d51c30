"""Communities of networks: projection matrices beside spectral clustering and Louvain.

    python benchmarks/networks.py [--seeds 5] [--graphs karate ...]

Largest components. The number of groups is given, but not to Louvain, which finds its own
(networkx, resolution 1). Projection matrices are fitted as ``sksieve communities`` does it:
regularized Laplacian, rows of unit length; all else is default. Means over seeds; planted graphs
are drawn anew with every seed. One thread, CPU seconds. Writes
``results/networks.md`` and ``.csv``; graphs measured before stay as they were.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from time import process_time
from typing import Any

import networkx as nx
import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from _common import RESULTS, machine, markdown, write_csv
from sksieve import BPMA, PPMA, SPMA, SpectralCommunities
from sksieve.datasets import largest_component, load, make_sbm
from sksieve.metrics import modularity, nmi

GRAPH = {"affinity": "precomputed"}

UNEVEN = [100, 80, 60, 50, *[30] * 10, *[10] * 10, *[5] * 20]

#: Vertices, groups, probability of an edge within and between groups.
PLANTED: dict[str, dict[str, Any]] = {
    "planted 1000/42": {"n_nodes": 1000, "n_blocks": 42, "p_in": 0.5, "p_out": 0.02},
    "planted 1000/42, weak": {"n_nodes": 1000, "n_blocks": 42, "p_in": 0.5, "p_out": 0.06},
    "planted 790/44, uneven": {
        "n_nodes": sum(UNEVEN), "n_blocks": len(UNEVEN), "p_in": 0.5, "p_out": 0.02,
        "sizes": UNEVEN,
    },
    "planted 200/4, weak": {"n_nodes": 200, "n_blocks": 4, "p_in": 0.4, "p_out": 0.2},
}  # fmt: skip
GRAPHS = ("karate", "polbooks", "football", "polblogs", "citeseer", *PLANTED)


def louvain(A: Any, K: int, seed: int) -> np.ndarray:
    groups = nx.community.louvain_communities(nx.from_scipy_sparse_array(A), seed=seed)
    labels = np.empty(A.shape[0], dtype=int)
    for k, members in enumerate(groups):
        labels[list(members)] = k
    return labels


def fitted(cls: type, **given: Any) -> Callable[[Any, int, int], np.ndarray]:
    return lambda A, K, seed: cls(K, random_state=seed, **given).fit(A).labels_


METHODS: dict[str, Callable[[Any, int, int], np.ndarray]] = {
    "SpectralCommunities": fitted(SpectralCommunities, affinity="precomputed"),
    "SPMA, lam 0.75": fitted(SPMA, lam=0.75, **GRAPH),
    "PPMA": fitted(PPMA, **GRAPH),
    "BPMA": fitted(BPMA, **GRAPH),
    "BPMA, beta 2": fitted(BPMA, beta=2.0, **GRAPH),
    "Louvain": louvain,
}


def graph(name: str, seed: int) -> tuple[Any, np.ndarray]:
    if name in PLANTED:
        return make_sbm(**PLANTED[name], random_state=seed)
    data = largest_component(load(f"graph_{name}"))
    return data.adjacency, data.y


def score(name: str, method: str, seed: int) -> dict[str, Any]:
    A, y = graph(name, seed)
    started = process_time()
    labels = METHODS[method](A, len(np.unique(y)), seed)
    return {
        "graph": name,
        "n": A.shape[0],
        "K": len(np.unique(y)),
        "method": method,
        "seed": seed,
        "groups": len(np.unique(labels)),
        "nmi": nmi(y, labels),
        "ari": adjusted_rand_score(y, labels),
        "modularity": modularity(A, labels),
        "seconds": process_time() - started,
    }


def summary(rows: list[dict[str, Any]]) -> str:
    head = ["graph", "n", "K", "method", "seeds", "groups", "NMI", "ARI", "modularity", "CPU s"]
    lines = []
    for name in dict.fromkeys(r["graph"] for r in rows):
        for method in METHODS:
            mine = [r for r in rows if (r["graph"], r["method"]) == (name, method)]
            mean = {
                key: np.mean([r[key] for r in mine])
                for key in ("groups", "nmi", "ari", "modularity", "seconds")
            }
            lines.append(
                [
                    name,
                    f"{mine[0]['n']:.0f}",
                    f"{mine[0]['K']:.0f}",
                    method,
                    str(len(mine)),
                    f"{mean['groups']:.3g}",
                ]
                + [f"{mean[key]:.3f}" for key in ("nmi", "ari", "modularity")]
                + [f"{mean['seconds']:.2g}"]
            )
    return markdown(head, lines)


def earlier() -> list[dict[str, Any]]:
    path = RESULTS / "networks.csv"
    if not path.exists():
        return []
    with path.open() as file:
        rows = list(csv.DictReader(file))
    words = ("graph", "method")
    return [{k: v if k in words else float(v) for k, v in row.items()} for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=list(GRAPHS))
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    rows = [r for r in earlier() if r["graph"] not in options.graphs]
    with threadpool_limits(1):
        for method in METHODS:
            score("karate", method, 0)  # imports, compiles
        for name in options.graphs:
            for method in METHODS:
                rows += [score(name, method, seed) for seed in range(options.seeds)]
                print(rows[-1], flush=True)
    rows.sort(key=lambda r: (GRAPHS.index(r["graph"]), list(METHODS).index(r["method"])))
    write_csv(RESULTS / "networks.csv", rows)
    text = f"# Communities of networks\n\n{machine()}\n\n{summary(rows)}"
    (RESULTS / "networks.md").write_text(text)


if __name__ == "__main__":
    main()
