"""How much memory choosing columns of a tall table on disk takes.

    python benchmarks/css_memory.py [--rows 2000000] [--columns 200] [--k 20] [--folder DIR]

Writes a float32 table (1.6 GB by default) to a temporary folder and chooses columns from it as a
memory map and block by block, each in a process of its own. What counts is anonymous memory
(``RssAnon`` of ``/proc/self/status``, sampled every 5 ms): the pages of a memory map are the
operating system's file cache, which it drops when it needs the room; total RSS is shown beside it.
Linux only. Writes ``results/css_memory.md`` and ``.csv``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from _common import RESULTS, machine, markdown, seconds_text, write_csv
from sksieve.catalogue import METHODS

BLOCK = 50_000


def make_table(path: Path, rows: int, columns: int) -> None:
    """Thirty factors and noise, the columns on scales from 1 to 100, written block by block."""
    rng = np.random.default_rng(0)
    loadings = rng.normal(size=(30, columns)) * rng.exponential(size=(30, 1))
    scales = np.geomspace(1, 100, columns)
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, columns))
    for start in range(0, rows, BLOCK):
        n = min(BLOCK, rows - start)
        block = rng.normal(size=(n, 30)) @ loadings + 0.5 * rng.normal(size=(n, columns))
        X[start : start + n] = block * scales
    X.flush()


def memory() -> tuple[int, int]:
    """Anonymous and total resident memory of this process, in bytes."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) * 1024 for name in ("RssAnon", "VmRSS"))


class Peak:
    """Largest memory while in the block, above that on entering it."""

    def __enter__(self) -> Peak:
        self.before = memory()
        self.most = self.before
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()
        return self

    def _watch(self) -> None:
        while not self.stop.wait(0.005):
            self.most = tuple(map(max, self.most, memory()))

    def __exit__(self, *error: object) -> None:
        self.stop.set()
        self.thread.join()
        self.above = [most - before for most, before in zip(self.most, self.before)]


def as_memory_map(estimator: Any, path: Path) -> Any:
    return estimator.fit(np.load(path, mmap_mode="r"))


def by_partial_fit(estimator: Any, path: Path) -> Any:
    X = np.load(path, mmap_mode="r")
    for start in range(0, len(X), BLOCK):
        estimator.partial_fit(np.array(X[start : start + BLOCK]))
    return estimator


WAYS: dict[str, Callable[[Any, Path], Any]] = {
    "fit on the memory map": as_memory_map,
    f"partial_fit, {BLOCK} rows a time": by_partial_fit,
}


def measure(class_name: str, way: str, path: Path, k: int) -> dict[str, Any]:
    """One estimator, one way, in this process."""
    cls = next(m for m in METHODS if m.class_name == class_name).load()
    estimator = cls(n_features_to_select=k)
    if "time_budget" in estimator.get_params():
        estimator.set_params(time_budget=5.0, random_state=0)
    small = np.random.default_rng(0).normal(size=(50, k + 5))
    with threadpool_limits(limits=1):
        warm = cls(**estimator.get_params())
        warm.set_params(**({"time_budget": 0.05} if "time_budget" in warm.get_params() else {}))
        warm.fit(small)  # compiles, loads BLAS buffers
        with Peak() as peak:
            started = perf_counter()
            fitted = WAYS[way](estimator, path)
            ratio = float(fitted.error_ratio_)
            seconds = perf_counter() - started
    return {
        "method": class_name,
        "way": way,
        "anonymous_MB": peak.above[0] / 1e6,
        "resident_MB": peak.above[1] / 1e6,
        "seconds": seconds,
        "error_ratio": ratio,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=200)
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument(
        "--folder", type=Path, help="where the table goes; default: a temporary one"
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--one", nargs=3, metavar=("CLASS", "WAY", "TABLE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        class_name, way, path = options.one
        json.dump(measure(class_name, way, Path(path), options.k), sys.stdout)
        return
    known = {m.class_name for m in METHODS}
    classes = [c for c in ("GreedyCSS", "IteratedLocalSearchCSS") if c in known]
    lines = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "table.npy"
        make_table(path, options.rows, options.columns)
        size = path.stat().st_size / 1e6
        for class_name in classes:
            for way in WAYS:
                command = [sys.executable, __file__, "--one", class_name, way, str(path)]
                command += ["--k", str(options.k)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                lines.append(json.loads(done.stdout))
                print(json.dumps(lines[-1]), flush=True)
    report = [
        "# Column subset selection: memory for a tall table on disk\n",
        f"{options.rows} x {options.columns} float32, {size:.0f} MB on disk; k = {options.k}; Gram "
        f"matrix {8 * options.columns**2 / 1e6:.1f} MB. Peaks above the process's own size after "
        "its first small fit. Anonymous memory is what the program asks for; resident memory also "
        "counts the pages of the memory map, which belong to the file cache. Times include "
        "reading; local search has 5 s of them.\n",
        f"{machine()}.\n",
        markdown(
            ["method", "way", "anonymous, peak", "resident, peak", "time", "error ratio"],
            [
                [
                    x["method"],
                    x["way"],
                    f"{x['anonymous_MB']:.0f} MB",
                    f"{x['resident_MB']:.0f} MB",
                    seconds_text(x["seconds"]),
                    f"{x['error_ratio']:.4f}",
                ]
                for x in lines
            ],
        ),
    ]
    write_csv(options.out / "css_memory.csv", lines)
    (options.out / "css_memory.md").write_text("\n".join(report))
    print(f"wrote {options.out / 'css_memory.md'}")


if __name__ == "__main__":
    main()
