"""BLUFS, Figures 3 and 4: which methods find two informative columns among seven of noise.

Every method at its defaults, the number of clusters given; in how many of ten drawn tables of 500
rows its two columns are the informative ones. The paper shows one draw of Dartboard1 and of
Diamond9.

    python benchmarks/blufs_synthetic.py

Results go to benchmarks/results/blufs_synthetic.csv and .md.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from _common import RESULTS, machine, markdown, write_csv
from sksieve.catalogue import get_method
from sksieve.datasets import make_informative_plus_noise

SHAPES = ("Dartboard1", "Diamond9", "Banana")
METHODS = (
    *("lapscore", "mcfs", "udfs", "sogfs", "rne"),
    *("spcafs", "fspca", "blsfe", "blsfs", "blufs"),
)
SEEDS = range(10)
ROWS = 500


def fitted(method: str, X: np.ndarray, n_clusters: int, seed: int) -> Any:
    """The method at its defaults, with two columns to choose."""
    cls = get_method(method).load()
    wanted = {"n_clusters": n_clusters, "random_state": seed, "n_features_to_select": 2}
    known = inspect.signature(cls).parameters
    return cls(**{name: value for name, value in wanted.items() if name in known}).fit(X)


def row_of(shape: str, method: str) -> dict[str, Any]:
    found = 0
    for seed in SEEDS:
        X, y, informative = make_informative_plus_noise(shape, n_samples=ROWS, random_state=seed)
        X = StandardScaler().fit_transform(X)
        selector = fitted(method, X, len(np.unique(y)), seed)
        found += set(np.flatnonzero(selector.get_support())) == set(informative)
    return {"shape": shape, "method": method, "found": found, "of": len(SEEDS)}


def main() -> None:
    rows = []
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a fit warns of is no result here
        for shape in SHAPES:
            for method in METHODS:
                rows.append(row_of(shape, method))
                print(*rows[-1].values(), sep="  ", flush=True)
    write_csv(RESULTS / "blufs_synthetic.csv", rows)
    found = {(row["shape"], row["method"]): f"{row['found']} of {row['of']}" for row in rows}
    cells = [[method, *(found[shape, method] for shape in SHAPES)] for method in METHODS]
    (RESULTS / "blufs_synthetic.md").write_text(
        f"{machine()}\n\nTables in which the two chosen columns are the informative ones.\n\n"
        + markdown(["method", *SHAPES], cells)
    )


if __name__ == "__main__":
    main()
