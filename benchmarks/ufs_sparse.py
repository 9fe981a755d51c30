"""What selectors and `SpectralGraph` need on a sparse table of 1e5 x 2000, 1 % of it stored.

    python benchmarks/ufs_sparse.py [--methods fspca ...] [--limit 60]

Counts of a Poisson law at random places, 50 columns or 10 clusters, default parameters, a process
for each fit with one BLAS thread; compilation is not counted. A fit that takes more than --limit
CPU seconds is ended and said so. Writes results/ufs_sparse.csv and .md; lines of an earlier run
stay where they are not measured again.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import signal
import subprocess
import sys
import warnings
from time import process_time

from _common import RESULTS, machine, markdown, write_csv

METHODS = (
    *("variance", "fspca", "spcafs", "ndfs", "rufs", "lapscore", "mcfs", "udfs", "sogfs"),
    *("blufs", "spectral", "mixed", "blsfs", "rne", "l1ufs", "blsfe", "l1graph", "srsg", "lr_l1"),
    "smce",
)
N, D, DENSITY = 100_000, 2000, 0.01


def fit(name: str, limit: float) -> dict[str, object]:
    import numpy as np
    import scipy.sparse as sp

    from sksieve.catalogue import get_method
    from sksieve.exceptions import DataError
    from sksieve.graphs import find_neighbors

    warnings.simplefilter("ignore")
    X = sp.random_array(
        (N, D), density=DENSITY, random_state=np.random.default_rng(0), format="csr"
    )
    X.data = np.random.RandomState(0).poisson(2, X.nnz) + 1.0
    method = get_method(name)
    size, few = ("n_clusters", 10) if method.kind == "clusterer" else ("n_features_to_select", 50)
    est = method.load()(**{size: few})
    if method.sparse:
        find_neighbors(np.random.RandomState(0).standard_normal((2000, 50)), 10, "approximate")
        find_neighbors(X[:2000], 10, "approximate")  # in all columns
        small = sp.csr_array(np.abs(np.random.RandomState(0).standard_normal((40, 8))))
        type(est)(**{size: 2}).fit(small)
    used = int(process_time() + limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (used, used + 5))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = process_time()
    try:
        est.fit(X)
    except (DataError, TypeError) as error:
        return {"refused": str(error)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"cpu_seconds": round(process_time() - started, 1), "peak_GB": round(peak / 2**20, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--one")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(fit(options.one, options.limit)))
        return
    path = RESULTS / "ufs_sparse.csv"
    rows: dict[str, dict[str, object]] = {}
    if path.exists():
        with path.open(newline="") as lines:
            rows = {row["method"]: dict(row) for row in csv.DictReader(lines)}
    for name in options.methods:
        command = [sys.executable, __file__, "--one", name, "--limit", str(options.limit)]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            found = {"refused": f"not done after {options.limit:.0f} s of CPU time"}
        elif done.returncode:
            raise RuntimeError(f"{name}:\n{done.stderr}")
        else:
            found = json.loads(done.stdout)
        rows[name] = {"method": name} | found
        print(rows[name], flush=True)
        _write(list(rows.values()))


def _write(rows: list[dict[str, object]]) -> None:
    names = ("method", "cpu_seconds", "peak_GB", "refused")
    rows = [{n: r.get(n, "") for n in names} for r in rows]
    rows.sort(key=lambda r: METHODS.index(str(r["method"])))
    write_csv(RESULTS / "ufs_sparse.csv", rows)
    lines = [tuple(str(value) for value in row.values()) for row in rows]
    (RESULTS / "ufs_sparse.md").write_text(
        f"{machine()}\n\n{N} x {D} CSR, {DENSITY:.0%} stored, 50 columns or 10 clusters\n\n"
        + markdown(("method", "CPU s", "peak GB", "refused"), lines),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
