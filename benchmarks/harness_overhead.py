"""What the harness costs beside the fits, on grids of 2000 small cells.

    python benchmarks/harness_overhead.py [--write]

CPU time of one process. The clock is read around every `fit` and every score; what `run_spec` takes
beyond their sum is the harness: cells and their keys, claims, budgets, one SQLite transaction for
what comes within 0.1 s, progress. Median of three runs of each grid, the figures of one run being
those of the same cells at the same time.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from time import process_time
from typing import Any

from _common import RESULTS, machine, markdown, write_csv
from sksieve.bench import Spec, Store, parse_spec, run_spec
from sksieve.bench._methods import candidate
from sksieve.bench._scores import SCORINGS

RUNS, CELLS = 3, 2000
#: What -> data set, method, columns: from cells that are over at once to those of a small study.
GRIDS = {
    "random columns, iris (150 x 4)": ("iris", "random", 2),
    "IterFS, breast_cancer (569 x 30)": ("breast_cancer", "iterfs", 10),
    "POCSS, breast_cancer (569 x 30)": ("breast_cancer", "pocss", 10),
    "LSDCL, wine (178 x 13)": ("wine", "lsdcl", 4),
}


class Clock:
    """Adds up the CPU time of the calls it is put around."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            begun = process_time()
            try:
                return call(*args)
            finally:
                self.seconds += process_time() - begun

        return timed


def grid(dataset: str, method: str, k: int, cells: int = CELLS) -> Spec:
    content = {"protocol": "css", "datasets": [dataset], "k": [k], "repetitions": cells}
    return parse_spec({**content, "method": [{"name": method}]})


def one_run(spec: Spec, fits: Clock, scores: Clock) -> tuple[float, float, float]:
    """Seconds of the fits, of the scores, and of all else."""
    fits.seconds = scores.seconds = 0.0
    with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
        begun = process_time()
        far = run_spec(spec, store)
        whole = process_time() - begun
    assert far == (CELLS, CELLS, 0), far
    return fits.seconds, scores.seconds, whole - fits.seconds - scores.seconds


def measure(name: str) -> dict[str, Any]:
    dataset, method, k = GRIDS[name]
    with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
        run_spec(grid(dataset, method, k, 5), store)  # compiles and loads
    fits, scores, cls = Clock(), Clock(), candidate(method).estimator
    fit, scoring = cls.fit, SCORINGS["css"]
    cls.fit = fits.around(fit)
    SCORINGS["css"] = replace(scoring, measure=scores.around(scoring.measure))
    try:
        runs = [one_run(grid(dataset, method, k), fits, scores) for _ in range(RUNS)]
    finally:
        cls.fit, SCORINGS["css"] = fit, scoring
    fit_ms, score_ms, rest_ms = (1e3 * median(column) / CELLS for column in zip(*runs))
    return {
        "cells": name,
        "fit_ms": fit_ms,
        "score_ms": score_ms,
        "harness_ms": rest_ms,
        "share_of_fits_percent": 100 * median(rest / fit for fit, _, rest in runs),
        "five_percent_from_ms": rest_ms / 0.05,
    }


def main() -> None:
    rows = [measure(name) for name in GRIDS]
    heads = [f"{CELLS} cells", "fit", "score", "harness", "harness / fits", "under 5 % from"]
    lines = [
        [
            str(row["cells"]),
            *(f"{row[name]:.3g} ms" for name in ("fit_ms", "score_ms", "harness_ms")),
            f"{row['share_of_fits_percent']:.1f} %",
            f"fits of {row['five_percent_from_ms']:.1f} ms",
        ]
        for row in rows
    ]
    text = f"{machine()}. CPU time of one cell, median of {RUNS} runs.\n\n{markdown(heads, lines)}"
    sys.stdout.write(text)
    if "--write" in sys.argv[1:]:
        write_csv(RESULTS / "harness_overhead.csv", rows)
        page = "# What the harness costs beside the fits\n\nBy `benchmarks/harness_overhead.py`. "
        (RESULTS / "harness_overhead.md").write_text(page + text, encoding="utf-8")


if __name__ == "__main__":
    main()
