"""Time and peak memory of every method that scores columns, on three tables.

    python benchmarks/ufs_speed.py [--sets digits COIL20 TOX_171] [--methods udfs ndfs ...]
    python benchmarks/ufs_speed.py --before COMMIT [--sets ...] [--methods fspca rne:200 ...]
    python benchmarks/ufs_speed.py --growth [--before COMMIT]

Every fit is a process of its own with one BLAS thread and default parameters (k = 50 columns), so
that peak memory is that of the fit: the largest resident size, less that before the fit. Methods
that look for large variance get the table as it is, the others standardized columns. A fit that
takes more than --limit seconds of CPU time is ended and said so. The specification's budget is 30 s
on COIL20 for eight of the methods (`BUDGET`). Writes results/ufs_speed.csv and .md; lines of an
earlier run stay where they are not measured again.

With --before the same fits are run with the package as it was at that commit, in the same run: the
ratio of the times, the objectives, and how far the columns kept agree. A method may carry its own
number of columns, ``mcfs:200``; ``:0`` is the default, half of them. Writes
results/ufs_speed_before.csv and .md.

With --growth: FSPCA with default parameters (half of the columns) on more and more columns of one
table, beside the product of the table with itself, and MCFS at k = 50 and 200. Writes
results/ufs_speed_growth.csv and .md.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import resource
import signal
import subprocess
import sys
import tarfile
import tempfile
import warnings
from datetime import date
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from _common import RESULTS, load, machine, markdown, write_csv
from sksieve.catalogue import list_methods

SETS = ("digits", "COIL20", "TOX_171")
K = 50
BUDGET = ("lapscore", "mcfs", "fspca", "spcafs", "udfs", "ndfs", "sogfs", "rufs")
BUDGET_SECONDS = 30.0
#: Columns of the tables on which FSPCA's time is measured, and the most for the package before.
GROWTH = {"TOX_171": (360, 720, 1440, 2880, 5748), "COIL20": (128, 256, 512, 1024)}
LARGEST_BEFORE = 1100


def fit(method_name: str, set_name: str, limit: float, columns: int = 0) -> dict[str, Any]:
    """One fit in this process, which ends after `limit` seconds of CPU time.

    Parameters
    ----------
    method_name : str
        ``name`` or ``name:k``.
    set_name : str
    limit : float
    columns : int
        That many of the columns, at random; 0 for all.
    """
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 15, int(limit) + 15))
    import numpy as np
    from sklearn.datasets import load_digits
    from sklearn.preprocessing import StandardScaler

    from sksieve.catalogue import get_method
    from sksieve.exceptions import DataError

    warnings.simplefilter("ignore", UserWarning)
    X = load_digits().data if set_name == "digits" else load(set_name).X.astype(float)
    if columns:
        X = X[:, np.random.RandomState(0).permutation(X.shape[1])[:columns]]
    method_name, _, k = method_name.partition(":")
    method = get_method(method_name)
    X = X if method.scaling == "raw" else StandardScaler().fit_transform(X)
    est = method.load()(n_features_to_select=int(k or K) or None)
    if "random_state" in est.get_params():
        est.set_params(random_state=0)
    small = np.random.RandomState(0).standard_normal((160, 12))
    type(est)(n_features_to_select=6).fit(small)  # compiled kernels are loaded, nothing else
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = perf_counter(), process_time()
    try:
        est.fit(X)
    except DataError as error:
        return {"refused": str(error)}
    history = getattr(est, "history_", None)
    return {
        "cpu_seconds": round(process_time() - cpu, 3),
        "wall_seconds": round(perf_counter() - wall, 3),
        "peak_MB": round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, 1),
        "iterations": getattr(est, "n_iter_", ""),
        "stopped_by": getattr(est, "stop_reason_", ""),
        "objective": history[-1]["objective"] if history else "",
        "chosen": est.get_support(indices=True).tolist(),
    }


def fit_apart(
    method: str, name: str, limit: float, columns: int = 0, package: Path | None = None
) -> dict[str, Any]:
    """The same in a process of its own, with the package at another place where it is given."""
    command = [sys.executable, __file__, "--one", method, name, "--limit", str(limit)]
    command += ["--columns", str(columns)]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    place = {"PYTHONPATH": str(package)} if package else {}
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | threads | place)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"refused": f"not done after {limit:.0f} s of CPU time"}
    if done.returncode:
        raise RuntimeError(f"{method} on {name}:\n{done.stderr}")
    return json.loads(done.stdout)


def package_at(commit: str, folder: str) -> Path:
    """The package as it was at a commit, unpacked."""
    root = Path(__file__).parent.parent
    packed = subprocess.run(
        ["git", "archive", commit, "src"], cwd=root, capture_output=True, check=True
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
        files.extractall(folder, filter="data")
    return Path(folder) / "src"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--methods", nargs="+", default=_ranking_methods())
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--before", metavar="COMMIT", help="compare with the package at a commit")
    parser.add_argument("--growth", action="store_true", help="time against the columns")
    parser.add_argument("--columns", type=int, default=0, help="of the table, with --one")
    parser.add_argument("--one", nargs=2, metavar=("METHOD", "SET"))
    options = parser.parse_args()
    if options.one:
        print(json.dumps(fit(*options.one, options.limit, options.columns)))
        return
    if options.growth or options.before:
        with tempfile.TemporaryDirectory() as folder:
            old = package_at(options.before, folder) if options.before else None
            if options.growth:
                grow(old, options)
            else:
                compare(old, options)
        return
    rows = _read("ufs_speed.csv", "set", "method")
    for name in options.sets:
        for method in options.methods:
            rows[name, method] = {"set": name, "method": method, "measured": date.today()}
            rows[name, method] |= fit_apart(method, name, options.limit)
            print(rows[name, method], flush=True)
            _write(list(rows.values()))


def _ranking_methods() -> list[str]:
    """Methods that keep as many columns as they are asked for."""
    methods = list_methods("selector")
    return [m.name for m in methods if "n_features_to_select" in m.load()().get_params()]


def compare(old: Path | None, options: Any) -> None:
    """Every fit with the package at both places, twice in turns; the smaller times."""
    rows = _read("ufs_speed_before.csv", "set", "method", "k")
    for name in options.sets:
        for spec in options.methods:
            row = _compared(spec, name, old, options)
            rows[name, row["method"], str(row["k"])] = row
            print(row, flush=True)
            _write_compared(list(rows.values()), options.before)


def _compared(spec: str, name: str, old: Path | None, options: Any) -> dict[str, Any]:
    method, _, k = spec.partition(":")
    row: dict[str, Any] = {"set": name, "method": method, "k": k or K}
    before, now = fit_apart(spec, name, options.limit, package=old), None
    for _ in range(2):
        other = fit_apart(spec, name, options.limit)
        now = other if now is None or other["cpu_seconds"] < now["cpu_seconds"] else now
    assert now is not None
    if "refused" in before:
        return row | {"cpu_before": before["refused"], "cpu_now": now["cpu_seconds"]}
    if before["cpu_seconds"] < 5:
        again = fit_apart(spec, name, options.limit, package=old)
        before = again if again["cpu_seconds"] < before["cpu_seconds"] else before
    row |= {"cpu_before": before["cpu_seconds"], "cpu_now": now["cpu_seconds"]}
    row["ratio"] = round(before["cpu_seconds"] / max(now["cpu_seconds"], 1e-3), 1)
    row |= {"iterations_before": before["iterations"], "iterations_now": now["iterations"]}
    if now["objective"] != "":
        change = (now["objective"] - before["objective"]) / abs(before["objective"])
        row["objective_change"] = f"{change:+.1e}"
    same = len(set(before["chosen"]) & set(now["chosen"]))
    row["same_columns"] = f"{same} of {len(now['chosen'])}"
    return row


def _write_compared(rows: list[dict[str, Any]], commit: str) -> None:
    names = ("set", "method", "k", "cpu_before", "cpu_now", "ratio", "iterations_before")
    names += ("iterations_now", "objective_change", "same_columns")
    rows = [{n: r.get(n, "") for n in names} for r in rows]
    write_csv(RESULTS / "ufs_speed_before.csv", rows)
    heads = ("set", "method", "k", "CPU s before", "CPU s now", "ratio", "iterations before")
    heads += ("iterations now", "change of the objective", "same columns")
    (RESULTS / "ufs_speed_before.md").write_text(
        f"{machine()}; {_load()}\n\nBefore: the package at {commit}. k = 0: half of the columns. "
        "The objective is minimized; its change is relative.\n\n"
        + markdown(heads, [tuple(str(value) for value in row.values()) for row in rows]),
        encoding="utf-8",
    )


def grow(old: Path | None, options: Any) -> None:
    """FSPCA on more and more columns beside the product of the table with itself; MCFS by k."""
    import numpy as np

    rows = []
    for name, sizes in GROWTH.items():
        X = load(name).X.astype(float)
        for d in sizes:
            row = {"set": name, "method": "fspca", "n": len(X), "d": d, "k": d // 2}
            part = np.ascontiguousarray(X[:, :d])
            started = process_time()
            part @ part.T if d > len(X) else part.T @ part
            row["product_seconds"] = round(process_time() - started, 4)
            row["cpu_now"] = fit_apart("fspca:0", name, options.limit, d)["cpu_seconds"]
            if old is not None and d <= LARGEST_BEFORE:
                row["cpu_before"] = fit_apart("fspca:0", name, options.limit, d, old)["cpu_seconds"]
            rows.append(row)
            print(row, flush=True)
    for name in SETS:
        for k in (50, 200):
            if name == "digits" and k > 64:
                continue
            done = fit_apart(f"mcfs:{k}", name, options.limit)
            rows.append({"set": name, "method": "mcfs", "k": k, "cpu_now": done["cpu_seconds"]})
            print(rows[-1], flush=True)
    write_csv(RESULTS / "ufs_speed_growth.csv", rows)
    _write_growth(rows)


def _write_growth(rows: list[dict[str, Any]]) -> None:
    import numpy as np

    lines = []
    for name in GROWTH:
        part = [r for r in rows if r["set"] == name and r["method"] == "fspca"]
        for key, label in (("cpu_now", "now"), ("cpu_before", "before"), ("product_seconds", "A")):
            known = [(r["d"], r[key]) for r in part if r.get(key)]
            if len(known) > 1:
                d, seconds = np.log(np.array(known, dtype=float)).T
                lines.append(f"{name}, {label}: d^{np.polyfit(d, seconds, 1)[0]:.2f}")
    heads = ("set", "method", "n", "d", "k", "s of the product", "CPU s now", "CPU s before")
    names = ("set", "method", "n", "d", "k", "product_seconds", "cpu_now", "cpu_before")
    table = markdown(heads, [tuple(str(r.get(n, "")) for n in names) for r in rows])
    (RESULTS / "ufs_speed_growth.md").write_text(
        f"{machine()}\n\nFSPCA with half of the columns; exponents fitted to the CPU seconds (A: "
        f"the product of the table with itself): {'; '.join(lines)}.\n\n{table}",
        encoding="utf-8",
    )


def _read(file: str, *keys: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """Lines of an earlier run; those measured again are replaced."""
    path = RESULTS / file
    if not path.exists():
        return {}
    with path.open(newline="") as lines:
        return {tuple(row[key] for key in keys): dict(row) for row in csv.DictReader(lines)}


def _write(rows: list[dict[str, Any]]) -> None:
    names = (
        "cpu_seconds",
        "wall_seconds",
        "peak_MB",
        "iterations",
        "stopped_by",
        "refused",
        "measured",
    )
    order = {name: i for i, name in enumerate(m.name for m in list_methods("selector"))}
    rows = sorted(rows, key=lambda r: (SETS.index(r["set"]), order[r["method"]]))
    rows = [{n: r.get(n, "") for n in ("set", "method", *names)} for r in rows]
    write_csv(RESULTS / "ufs_speed.csv", rows)
    heads = ("set", "method", "CPU s", "wall s", "peak MB", "iterations", "stopped by", "refused")
    heads += ("measured",)
    text = markdown(heads, [tuple(str(value) for value in row.values()) for row in rows])
    (RESULTS / "ufs_speed.md").write_text(
        f"{machine()}; {_load()}; k = {K}. Lines of earlier days were measured on other "
        f"machines.\n\n{_budget(rows)}\n\n{text}",
        encoding="utf-8",
    )


def _load() -> str:
    """How busy the machine was: CPU seconds of one core grow where its cores are shared."""
    return f"mean load of the last 15 minutes {os.getloadavg()[2]:.1f}"


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
