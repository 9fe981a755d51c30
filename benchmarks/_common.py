"""What the column subset benchmarks share: data sets, versions, timing, tables, rivals."""

from __future__ import annotations

import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr, svdvals

import sksieve
from sksieve.datasets import load
from sksieve.metrics import reconstruction_error

RESULTS = Path(__file__).parent / "results"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "scikit-sieve" / "rivals"
RIVAL_PACKAGES = ["skmatter", "fastcan", "scikit-learn", "scipy"]


class Table(NamedTuple):
    """A data set as the methods get it, and as the errors are counted on it."""

    name: str
    X: np.ndarray
    A: np.ndarray  # columns of unit norm, not centered
    R: np.ndarray  # triangular factor of A: the same errors
    sigma: np.ndarray

    def error_ratio(self, columns: Sequence[int]) -> float:
        """``||A - S S^+ A||^2 / ||A - A_k||^2``, by QR on the columns of A themselves."""
        bound = float((self.sigma[len(columns) :] ** 2).sum())
        return reconstruction_error(self.R, columns, scale="none") / bound


def _sonar() -> np.ndarray:
    X = load("sonar").X.astype(float)
    low, high = X.min(axis=0), X.max(axis=0)
    return 2 * (X - low) / (high - low) - 1


def _digits() -> np.ndarray:
    from sklearn.datasets import load_digits

    X = load_digits().data
    return X[:, X.std(axis=0) > 0]


SETS: dict[str, tuple[str, Callable[[], np.ndarray]]] = {
    "sonar": ("each column scaled to [-1, 1]", _sonar),
    "dna1400": ("first 1400 rows", lambda: load("dna").X[:1400].astype(float)),
    "dna": ("2000 rows", lambda: load("dna").X.astype(float)),
    "digits": ("scikit-learn's, the 61 columns that vary", _digits),
    "COIL20": ("", lambda: load("COIL20").X.astype(float)),
    "Isolet": ("", lambda: load("Isolet").X.astype(float)),
    "Yale": ("", lambda: load("Yale").X.astype(float)),
    "TOX_171": ("", lambda: load("TOX_171").X.astype(float)),
}


def table(name: str) -> Table:
    X = SETS[name][1]()
    A = X / np.linalg.norm(X, axis=0)
    R = qr(A, mode="economic")[1]
    return Table(name, X, A, R, svdvals(R))


def best_time(work: Callable[[], Any], repeats: int = 3, enough: float = 2.0) -> tuple[Any, float]:
    """Result and smallest CPU time of up to `repeats` calls; one call if it takes `enough` seconds.

    CPU time of the process, all work being on one thread: what the clock shows on an idle machine,
    and nearly so on a busy one.
    """
    best, spent = np.inf, 0.0
    for _ in range(repeats):
        started = process_time()
        result = work()
        seconds = process_time() - started
        best, spent = min(best, seconds), spent + seconds
        if spent > enough:
            break
    return result, best


def machine() -> str:
    """CPU and versions, in one line."""
    packages = ["numpy", "scipy", "scikit-learn", "numba"]
    versions = ", ".join(f"{p} {version(p)}" for p in packages)
    return (
        f"{date.today().isoformat()}; one core of {os.cpu_count()} ({_cpu_name()}); "
        f"Python {platform.python_version()}, "
        f"scikit-sieve {sksieve.__version__}, {versions}"
    )


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)


def seconds_text(seconds: float) -> str:
    for limit, factor, unit in [(1e-3, 1e6, "us"), (1.0, 1e3, "ms"), (120.0, 1.0, "s")]:
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds / 3600:.3g} h" if seconds > 7200 else f"{seconds / 60:.3g} min"


def rival_python(folder: Path) -> Path:
    """Python of a virtual environment with the rivals; scikit-matter pins an older scikit-learn."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        print(f"making the rivals' environment in {folder}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    known = subprocess.run([python, "-c", "import skmatter, fastcan"], capture_output=True)
    if known.returncode:
        subprocess.run([python, "-m", "pip", "install", "-q", *RIVAL_PACKAGES], check=True)
    return python


def run_rivals(folder: Path, A: np.ndarray, k: int, names: Sequence[str]) -> dict[str, Any]:
    """``{"versions": ..., "results": [{"name", "indices", "seconds"} or {"name", "refused"}]}``."""
    python = rival_python(folder)
    script = Path(__file__).with_name("_rivals.py")
    with tempfile.TemporaryDirectory() as work:
        np.savez(Path(work) / "A.npz", A=A)
        done = subprocess.run(
            [python, script, Path(work) / "A.npz", str(k), *names],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
    return json.loads(done.stdout)
