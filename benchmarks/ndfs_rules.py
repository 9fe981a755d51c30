"""NDFS with gradient steps against the multiplicative rule it had before, default parameters.

    python benchmarks/ndfs_rules.py COMMIT

COMMIT is one with the multiplicative rule (312d291). On tables with classes, standardized: CPU
seconds, the objective at the end, and the normalized mutual information of k-means (as many
clusters as classes, 8 starts, mean) on the 10, 20 and 50 best columns with the classes. Writes
results/ndfs_rules.csv and .md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import normalized_mutual_info_score
from sklearn.preprocessing import StandardScaler

from _common import RESULTS, load, machine, markdown, write_csv
from ufs_speed import package_at

SETS = (
    *("digits", "Yale", "TOX_171", "COIL20", "lung_small", "Isolet", "JAFFE32", "colon", "mfeat"),
    *("lymphoma", "dna"),
)


def fit(name: str) -> dict[str, object]:
    """One fit with the package on the path."""
    from sksieve import NDFS

    warnings.simplefilter("ignore")
    data = load_digits() if name == "digits" else load(name)
    X, y = (data.data, data.target) if name == "digits" else (data.X.astype(float), data.y)
    X = StandardScaler().fit_transform(X[:, X.std(axis=0) > 0])
    started = process_time()
    est = NDFS(50).fit(X)
    row = {"cpu": round(process_time() - started, 2), "objective": est.history_[-1]["objective"]}
    for k in (10, 20, 50):
        Z, c = X[:, est.ranking_[:k]], len(np.unique(y))
        labels = [KMeans(c, n_init=1, random_state=i).fit_predict(Z) for i in range(8)]
        row[f"nmi_{k}"] = np.mean([normalized_mutual_info_score(y, z) for z in labels])
    return row


def main() -> None:
    if sys.argv[1] == "--one":
        print(json.dumps(fit(sys.argv[2])))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        old = package_at(sys.argv[1], folder)
        for name in SETS:
            row: dict[str, object] = {"set": name}
            for label, place in (("before", str(old)), ("now", str(Path("src").resolve()))):
                command = [sys.executable, __file__, "--one", name]
                environment = os.environ | {"PYTHONPATH": place, "OMP_NUM_THREADS": "1"}
                done = subprocess.run(
                    command, capture_output=True, text=True, check=True, env=environment
                )
                row |= {f"{key}_{label}": value for key, value in json.loads(done.stdout).items()}
            rows.append(row)
            print(row, flush=True)
            write_csv(RESULTS / "ndfs_rules.csv", rows)
    _write(rows)


def _write(rows: list[dict[str, object]]) -> None:
    keys = ("cpu", "objective", "nmi_10", "nmi_20", "nmi_50")
    names = [f"{key}_{label}" for key in keys for label in ("before", "now")]
    lines = [(str(r["set"]), *(f"{r[n]:.3g}" for n in names)) for r in rows]
    means = [f"{np.mean([r[n] for r in rows]):.3g}" if n[:3] == "nmi" else "" for n in names]
    heads = ("set", *(n.replace("_", " ") for n in names))
    (RESULTS / "ndfs_rules.md").write_text(
        f"{machine()}\n\n{markdown(heads, [*lines, ('mean', *means)])}", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
