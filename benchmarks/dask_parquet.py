"""Columns of a folder of Parquet files that is larger than the memory of the workers, through dask.

    python benchmarks/dask_parquet.py [--rows 10000000] [--columns 200] [--limit 2GB]
        [--folder FOLDER]

float32, of rank 30 with noise, in files of 50 000 rows; a ``LocalCluster`` of two processes with
the given limit each. Every method runs in a process of its own, once on the folder through the
cluster and once on the same numbers as a memory map: ``same`` says whether the columns are equal.
Memory is the peak of the process that fits, in GB; of the memory map its pages count too. The
files are removed at the end. Writes ``results/dask_parquet.md``.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

import sksieve
from _common import RESULTS, machine, markdown

K, RANK, PART = 20, 30, 50_000
METHODS: dict[str, dict[str, Any]] = {
    "GreedyCSS": {},
    "IterFS": {"init": "greedy", "random_state": 0},
}


def make(folder: Path, rows: int, columns: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"x{j}" for j in range(columns)]
    mixing = np.random.default_rng(0).standard_normal((RANK, columns), dtype=np.float32)
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float32, (rows, columns))
    for i, first in enumerate(range(0, rows, PART)):
        rng = np.random.default_rng(i + 1)
        n = min(PART, rows - first)
        part = rng.standard_normal((n, RANK), dtype=np.float32) @ mixing
        part += rng.standard_normal((n, columns), dtype=np.float32)
        X[first : first + n] = part
        path = folder / f"part-{i:04}.parquet"
        pq.write_table(pa.table(dict(zip(names, part.T))), path, compression="none")


def fit(name: str, folder: Path, limit: str | None) -> tuple[list[int], float, float, float]:
    """Columns, CPU seconds, wall seconds and peak GB of this process; `limit` None: memory map."""
    est = getattr(sksieve, name)(K, **METHODS[name])
    cpu, wall = process_time(), perf_counter()
    if limit is None:
        est.fit(np.load(folder / "X.npy", mmap_mode="r"))
    else:
        import dask.dataframe as dd
        from distributed import Client, LocalCluster

        with (
            LocalCluster(
                n_workers=2, threads_per_worker=1, memory_limit=limit, dashboard_address=None
            ) as cluster,
            Client(cluster),
        ):
            est.fit(dd.read_parquet(sorted(map(str, folder.glob("*.parquet")))))
    status = Path("/proc/self/status").read_text()  # ru_maxrss begins with the parent's
    peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e9
    columns = sorted(int(j) for j in est.ranking_[:K])
    return columns, process_time() - cpu, perf_counter() - wall, peak


def lines(folder: Path, limit: str) -> Iterator[list[str]]:
    for name in METHODS:
        answers = []
        for how, given in (("memory map", None), ("Parquet, dask", limit)):
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                columns, *numbers = pool.submit(fit, name, folder, given).result()
            answers.append(columns)
            same = "" if len(answers) == 1 else str(answers[0] == answers[1]).lower()
            yield [name, how, *(f"{number:.3g}" for number in numbers), same]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=200)
    parser.add_argument("--limit", default="2GB", help="memory of each of the two workers")
    parser.add_argument("--folder", type=Path, default=None, help="where the files are made")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="sksieve-", dir=options.folder))
    try:
        make(folder, options.rows, options.columns)
        size = 4e-9 * options.rows * options.columns
        head = ["method", "read as", "CPU, s", "wall, s", "peak, GB", "same"]
        text = markdown(head, lines(folder, options.limit))
    finally:
        shutil.rmtree(folder)
    print(text)
    (RESULTS / "dask_parquet.md").write_text(
        f"# Parquet through dask\n\n{options.rows} x {options.columns} float32, {size:.2g} GB; "
        f"two workers of {options.limit}; k = {K}; {machine()}\n\n{text}\n"
    )


if __name__ == "__main__":
    main()
