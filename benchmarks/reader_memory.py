"""How much memory each reader takes, over the array that it reads.

    python benchmarks/reader_memory.py                  # all formats, 200 MB each
    python benchmarks/reader_memory.py --format csv --format mtx --megabytes 200

Writes a file of random numbers in each format to a temporary folder, and reads it in a process of
its own to the table of numbers that a fit gets (`read_table`, then `numeric_table`). The peak is
the largest resident memory (``VmHWM``) above that before the reading, the pages of memory maps
included. The workbook is a tenth of the size: its reader refuses larger ones under the usual memory
limit. Linux only. A format measured again replaces its row of ``results/reader_memory.csv``; writes
``results/reader_memory.md``.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.io
import scipy.sparse as sp
from pyarrow import csv as arrow_csv
from pyarrow import feather, parquet

from _common import RESULTS, machine, markdown, write_csv

COLUMNS = 50
#: The share of the size that formats get whose readers refuse larger files.
SMALLER = {"xlsx": 0.1}
HEADS = ("format", "file MB", "rows", "array MB", "peak MB", "peak over array", "CPU s")


def numbers(rows: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(rows, COLUMNS))


def frame(rows: int) -> pd.DataFrame:
    return pd.DataFrame(numbers(rows).round(4), columns=[f"c{j}" for j in range(COLUMNS)])


def _text(path: Path, rows: int) -> None:
    arrow_csv.write_csv(pa.Table.from_pandas(frame(rows)), path)


def _mat73(path: Path, rows: int) -> None:
    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"] = numbers(rows).T


def _h5ad(path: Path, rows: int) -> None:
    import anndata

    anndata.AnnData(numbers(rows)).write_h5ad(path)


def _sparse(path: Path, rows: int) -> None:
    X = sp.random_array((rows, COLUMNS), density=0.2, rng=0, format="csr")
    sp.save_npz(path, X, compressed=False)


#: Format -> its ending, bytes of the file for each row, and what writes it.
FORMATS: dict[str, tuple[str, float, Callable[[Path, int], Any]]] = {
    "csv": ("csv", 7.0 * COLUMNS, _text),
    "parquet": ("parquet", 8.0 * COLUMNS, lambda p, n: parquet.write_table(
        pa.table(dict(zip(frame(1), numbers(n).T))), p, use_dictionary=False)),
    "feather": ("feather", 8.0 * COLUMNS, lambda p, n: feather.write_feather(
        pa.table(dict(zip(frame(1), numbers(n).T))), p)),
    "npy": ("npy", 8.0 * COLUMNS, lambda p, n: np.save(p, numbers(n))),
    "npz": ("npz", 8.0 * COLUMNS, lambda p, n: np.savez(p, X=numbers(n))),
    "sparse npz": ("npz", 2.4 * COLUMNS, _sparse),
    "mat 5": ("mat", 8.0 * COLUMNS, lambda p, n: scipy.io.savemat(p, {"X": numbers(n)})),
    "mat 7.3": ("mat", 8.0 * COLUMNS, _mat73),
    "h5ad": ("h5ad", 8.0 * COLUMNS, _h5ad),
    "mtx": ("mtx", 7.5 * COLUMNS, lambda p, n: scipy.io.mmwrite(p, numbers(n), precision=4)),
    "json": ("json", 13.5 * COLUMNS, lambda p, n: frame(n).to_json(p, orient="records")),
    "jsonl": ("jsonl", 13.5 * COLUMNS, lambda p, n: frame(n).to_json(
        p, orient="records", lines=True)),
    "xlsx": ("xlsx", 11.0 * COLUMNS, lambda p, n: frame(n).to_excel(p, index=False)),
}  # fmt: skip


def resident(field: str) -> float:
    """A field of this process's status in MB."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[field].split()[0]) / 1e3


def read(path: str) -> None:
    """Read a file in this process, after a small one of its kind, and print what it took."""
    from sksieve.io import numeric_table, read_table

    small = Path(path).with_name(f"small-{Path(path).name}")
    numeric_table(read_table(small))  # imports
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak
    before, start = resident("VmRSS"), process_time()
    X = numeric_table(read_table(path)).X
    seconds, peak = process_time() - start, resident("VmHWM") - before
    parts = (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)
    size = sum(part.nbytes for part in parts) / 1e6
    print(json.dumps({"rows": X.shape[0], "array": size, "peak": peak, "seconds": seconds}))


def measured(name: str, megabytes: float) -> dict[str, Any]:
    ending, per_row, write = FORMATS[name]
    rows = int(megabytes * SMALLER.get(name, 1.0) * 1e6 / per_row)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{ending}"
        write(path, rows)
        write(path.with_name(f"small-{path.name}"), 100)
        done = subprocess.run(
            [sys.executable, __file__, "--read", str(path)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{name}: {done.stderr}")
        result, size = json.loads(done.stdout), path.stat().st_size / 1e6
    values = (
        *(
            name,
            f"{size:.0f}",
            str(result["rows"]),
            f"{result['array']:.0f}",
            f"{result['peak']:.0f}",
        ),
        *(f"{result['peak'] / result['array']:.2f}", f"{result['seconds']:.1f}"),
    )
    return dict(zip(HEADS, values))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--format", action="append", choices=FORMATS)
    parser.add_argument("--megabytes", type=float, default=200.0)
    parser.add_argument("--read", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        read(options.read)
        return
    log = RESULTS / "reader_memory.csv"
    rows = {}
    if log.exists():
        with log.open(encoding="utf-8", newline="") as file:
            rows = {row["format"]: row for row in csv.DictReader(file)}
    for name in options.format or FORMATS:
        rows[name] = measured(name, options.megabytes)
        print(rows[name], flush=True)
        done = [rows[f] for f in FORMATS if f in rows]
        write_csv(log, done)
        write_page([list(row.values()) for row in done])


def write_page(table: list[list[str]]) -> None:
    text = [
        "# Memory of the readers",
        "",
        "`python benchmarks/reader_memory.py`: a file of random numbers in each format, read to "
        "the table of numbers that a fit gets. Peak: resident memory above that before the "
        "reading. The target is three times the array. Workbooks miss it: calamine holds all cells "
        "of a sheet while it reads, which alone takes nine times the array.",
        "",
        machine(),
        "",
        markdown(HEADS, table),
    ]
    (RESULTS / "reader_memory.md").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
