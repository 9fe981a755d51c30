"""Time and peak memory of every method that scores columns, on three tables.

    python benchmarks/ufs_speed.py [--sets digits COIL20 TOX_171] [--methods udfs ndfs ...]

Every fit is a process of its own with one BLAS thread and default parameters (k = 50 columns), so
that peak memory is that of the fit: the largest resident size, less that before the fit. Methods
that look for large variance get the table as it is, the others standardized columns. A fit that
takes more than --limit seconds of CPU time is ended and said so. The specification's budget is 30 s
on COIL20 for eight of the methods (`BUDGET`). Writes results/ufs_speed.csv and .md; lines of an
earlier run stay where they are not measured again.
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
from time import perf_counter, process_time
from typing import Any

from _common import RESULTS, load, machine, markdown, write_csv
from sksieve.catalogue import list_methods

SETS = ("digits", "COIL20", "TOX_171")
K = 50
BUDGET = ("lapscore", "mcfs", "fspca", "spcafs", "udfs", "ndfs", "sogfs", "rufs")
BUDGET_SECONDS = 30.0


def fit(method_name: str, set_name: str, limit: float) -> dict[str, Any]:
    """One fit in this process, which ends after `limit` seconds of CPU time."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 15, int(limit) + 15))
    import numpy as np
    from sklearn.datasets import load_digits
    from sklearn.preprocessing import StandardScaler

    from sksieve.catalogue import get_method
    from sksieve.exceptions import DataError

    warnings.simplefilter("ignore", UserWarning)
    X = load_digits().data if set_name == "digits" else load(set_name).X.astype(float)
    method = get_method(method_name)
    X = X if method.scaling == "raw" else StandardScaler().fit_transform(X)
    est = method.load()(n_features_to_select=K)
    if "random_state" in est.get_params():
        est.set_params(random_state=0)
    small = np.random.RandomState(0).standard_normal((40, 8))
    type(est)(n_features_to_select=2).fit(small)  # compiled kernels are loaded, nothing else
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = perf_counter(), process_time()
    try:
        est.fit(X)
    except DataError as error:
        return {"refused": str(error)}
    return {
        "cpu_seconds": round(process_time() - cpu, 3),
        "wall_seconds": round(perf_counter() - wall, 3),
        "peak_MB": round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, 1),
        "iterations": getattr(est, "n_iter_", ""),
        "stopped_by": getattr(est, "stop_reason_", ""),
    }


def fit_apart(method: str, name: str, limit: float) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--one", method, name, "--limit", str(limit)]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | threads)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"refused": f"not done after {limit:.0f} s of CPU time"}
    if done.returncode:
        raise RuntimeError(f"{method} on {name}:\n{done.stderr}")
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--methods", nargs="+", default=[m.name for m in list_methods("selector")])
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--one", nargs=2, metavar=("METHOD", "SET"))
    options = parser.parse_args()
    if options.one:
        print(json.dumps(fit(*options.one, options.limit)))
        return
    rows = _measured_before()
    for name in options.sets:
        for method in options.methods:
            rows[name, method] = {"set": name, "method": method}
            rows[name, method] |= fit_apart(method, name, options.limit)
            print(rows[name, method], flush=True)
            _write(list(rows.values()))


def _measured_before() -> dict[tuple[str, str], dict[str, Any]]:
    """Lines of an earlier run; those measured again are replaced."""
    path = RESULTS / "ufs_speed.csv"
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(row["set"], row["method"]): dict(row) for row in csv.DictReader(file)}


def _write(rows: list[dict[str, Any]]) -> None:
    names = ("cpu_seconds", "wall_seconds", "peak_MB", "iterations", "stopped_by", "refused")
    order = {name: i for i, name in enumerate(m.name for m in list_methods("selector"))}
    rows = sorted(rows, key=lambda r: (SETS.index(r["set"]), order[r["method"]]))
    rows = [{n: r.get(n, "") for n in ("set", "method", *names)} for r in rows]
    write_csv(RESULTS / "ufs_speed.csv", rows)
    heads = ("set", "method", "CPU s", "wall s", "peak MB", "iterations", "stopped by", "refused")
    text = markdown(heads, [tuple(str(value) for value in row.values()) for row in rows])
    (RESULTS / "ufs_speed.md").write_text(
        f"{machine()}; k = {K}\n\n{_budget(rows)}\n\n{text}", encoding="utf-8"
    )


def _budget(rows: list[dict[str, Any]]) -> str:
    """Which of the methods with a budget kept it."""
    times = {r["method"]: r["cpu_seconds"] for r in rows if r["set"] == "COIL20"}
    words = []
    for method in BUDGET:
        seconds = times.get(method, "")
        met = seconds != "" and float(seconds) <= BUDGET_SECONDS
        words.append(f"{method} {seconds or '--'} s ({'met' if met else 'missed'})")
    return f"Budget of {BUDGET_SECONDS:.0f} s of CPU time on COIL20: {', '.join(words)}."


if __name__ == "__main__":
    main()
