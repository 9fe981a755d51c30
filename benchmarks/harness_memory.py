"""Memory of a runner over 1e5 cells: is it flat?

    python benchmarks/harness_memory.py [--cells 100000] [--write]

Cells that are over at once (the columns in their order), so that only the harness counts. Resident
memory is read after every tenth of the cells; then again for a look at the full store, and for a
second run of it, which has nothing to do.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from _common import RESULTS, machine, markdown, write_csv
from sksieve.bench import Store, parse_spec, progress, run_spec


class InOrder(BaseEstimator):
    """All columns in their order; has a seed, so that it is repeated."""

    nested = True

    def __init__(self, n_features_to_select: int = 1, random_state: int = 0) -> None:
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> InOrder:
        self.ranking_ = np.arange(X.shape[1])
        return self


def resident() -> float:
    """Resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    content = {"protocol": "css", "datasets": ["iris"], "k": [2], "method": [{"name": OWN}]}
    spec = parse_spec({**content, "repetitions": given.cells})
    rows: list[dict[str, Any]] = []

    def note(what: str) -> None:
        rows.append({"after": what, "resident_mb": resident(), "cpu_s": process_time()})

    done = 0

    def tell(outcome: Any) -> None:
        nonlocal done
        done += 1
        if done % (given.cells // 10) == 0:
            note(f"{done} cells")

    with tempfile.TemporaryDirectory() as folder:
        with Store(folder) as store:
            run_spec(parse_spec({**content, "repetitions": 200}), store)
            note("a start of 200 cells")
            done = 200
            run_spec(spec, store, callback=tell)
            assert progress(spec, store) == (given.cells, given.cells, 0)
            note("a look at the store")
            run_spec(spec, store)
            note("a second run")
        size = (Path(folder) / "store.sqlite").stat().st_size / 1e6
    lines = [[row["after"], f"{row['resident_mb']:.0f} MB"] for row in rows]
    grown = rows[-1]["resident_mb"] - rows[0]["resident_mb"]
    text = (
        f"{machine()}. The store has {size:.0f} MB at the end; memory grew by {grown:.0f} MB from "
        f"the start to the end.\n\n{markdown(['after', 'resident memory'], lines)}"
    )
    sys.stdout.write(text)
    if given.write:
        write_csv(RESULTS / "harness_memory.csv", rows)
        page = "# Memory of a runner over many cells\n\nBy `benchmarks/harness_memory.py`. "
        (RESULTS / "harness_memory.md").write_text(page + text, encoding="utf-8")


OWN = "harness_memory:InOrder"

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
