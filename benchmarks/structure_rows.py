"""What the structure target loses where its graphs join a sample of the rows.

Columns chosen with graphs on 4000 rows, against columns chosen with graphs on all rows; the gain
of both is that for the target made from all rows. The same for the leading 300 principal
components against all. Prints a table and writes ``results/structure_rows.md``:

    python benchmarks/structure_rows.py
"""

from __future__ import annotations

from pathlib import Path
from time import process_time
from unittest import mock

import numpy as np

from sksieve import IterFS
from sksieve.columns import _structure
from sksieve.datasets import load, make_cells

RESULTS = Path(__file__).parent / "results" / "structure_rows.md"
SIZES = (10, 50)
CASES = {
    "4000 rows": {"MAX_ROWS": 4000},
    "1000 rows": {"MAX_ROWS": 1000},
    "300 components": {"EXACT_SIDE": 100},
    "100 components": {"EXACT_SIDE": 100, "COMPONENTS": 100},
}


def fitted(X, k, **limits):
    """The fit with other limits, and its CPU seconds."""
    with mock.patch.multiple(_structure, **({"MAX_ROWS": 10**9, "EXACT_SIDE": 10**9} | limits)):
        start = process_time()
        est = IterFS(k, init="greedy", random_state=0).fit(X, target="structure")
        return est, process_time() - start


def gain(X, columns):
    """What columns explain of the target made from all rows."""
    with mock.patch.multiple(_structure, MAX_ROWS=10**9, EXACT_SIDE=10**9):
        kept = IterFS(len(columns), keep=columns).fit(X, target="structure")
    return kept.error_path_[0] - kept.objective_


def main():
    lines = [
        "# Loss of the structure target on long tables",
        "",
        "Loss: part of the gain, on the target made from all rows and components, that is lost.",
        "",
        "| table | rows x columns | k | case | loss | CPU seconds | all |",
        "|---|---|---|---|---|---|---|",
    ]
    cells = make_cells(8000, 600, 20, mean_counts=300, random_state=0)
    digits = np.asarray(load("mnist5k").X, dtype=np.float64)
    for name, X in {"simulated counts": cells.toarray(), "mnist5k": digits}.items():
        fitted(X[:200], 5)  # compile
        for k in SIZES:
            full, seconds = fitted(X, k)
            best = full.error_path_[0] - full.objective_
            for case, limits in CASES.items():
                est, time = fitted(X, k, **limits)
                loss = 1 - gain(X, est.ranking_[:k]) / best
                lines.append(
                    f"| {name} | {X.shape[0]} x {X.shape[1]} | {k} | {case} | {100 * loss:.2f} % "
                    f"| {time:.1f} | {seconds:.1f} |"
                )
                print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
