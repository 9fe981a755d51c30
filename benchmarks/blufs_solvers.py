"""BLUFS: where the solvers end, and what they cost, from the same start with the same weights.

"joint" is the default, "pam" the paper's three blocks with one polar factor for Y, "penalty" the
same with the paper's Algorithm 2 for Y, "pam final" "pam" with all rows of W and a threshold at the
end, as the printed updates amount to; its objective is counted after the threshold, which is what
leaves the columns. 50 columns, defaults otherwise, no labels.

    python benchmarks/blufs_solvers.py [SET ...]

CPU times of the process on one thread. Results go to benchmarks/results/blufs_solvers.csv and .md.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from _common import RESULTS, best_time, machine, markdown, seconds_text, write_csv
from sksieve.datasets import load
from sksieve.papers import BLUFSVariants

SETS = ("digits", "JAFFE", "lung_small", "lymphoma", "USPS49", "COIL20")
SOLVERS: dict[str, dict[str, Any]] = {
    "joint": {},
    "pam": {"solver": "pam"},
    "penalty": {"solver": "penalty"},
    "pam final": {"solver": "pam", "constraint": "final"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    rows: list[dict[str, Any]] = []
    with threadpool_limits(limits=1):
        for name in parser.parse_args().sets:
            data = load(name)
            X, c = data.X.astype(float), len(np.unique(data.y))
            for solver, options in SOLVERS.items():
                blufs = BLUFSVariants(50, n_clusters=c, **options)
                fit, seconds = best_time(lambda blufs=blufs, X=X: blufs.fit(X), enough=1.0)
                rows.append(
                    {
                        "set": name,
                        "solver": solver,
                        "objective": round(fit.objective_, 4),
                        "steps": fit.n_iter_,
                        "seconds": seconds,
                    }
                )
                print(*rows[-1].values(), sep="  ", flush=True)
    write_csv(RESULTS / "blufs_solvers.csv", rows)
    cells = [[*map(str, list(row.values())[:4]), seconds_text(row["seconds"])] for row in rows]
    text = markdown(["set", "solver", "objective", "steps", "whole fit"], cells)
    note = f"{machine()}. CPU times, 50 columns; lower objectives are better."
    (RESULTS / "blufs_solvers.md").write_text(f"{note}\n\n{text}")


if __name__ == "__main__":
    main()
