"""Wide tables: time and memory of the factored solver, and what it loses against all columns.

    python benchmarks/columns_scale.py cells --cells 20000 --genes 30000 --k 50
    python benchmarks/columns_scale.py loss --cells 3000 --genes 3000 --k 20 50
    python benchmarks/columns_scale.py loss --tables COIL20 BASEHOCK --k 50 100 200
    python benchmarks/columns_scale.py rounds
    python benchmarks/columns_scale.py rivals --k 20 50
    python benchmarks/columns_scale.py gram
    python benchmarks/columns_scale.py dask --cells 1000000 --genes 2000 --k 20
    python benchmarks/columns_scale.py before --checkout ../before

``cells``: simulated counts (`sksieve.datasets.make_cells`) in CSR, standard scale, IterFS from the
greedy subset; CPU seconds, peak memory of the process, and the error against one recomputed from
the data in float64 by QR. ``loss``: the error and the gain of the factored solver against local
search on the full Gram matrix, on such counts or on data sets by name. ``rounds``: the same gain
with more rounds of pricing or a longer shortlist. ``rivals``: GreedyCSS against fastcan on a table
with far more columns than rows. ``gram``: second moments of CSR rows by dense blocks and by SciPy's
product. ``dask``: a table on disk through a cluster of two processes, the peak memory of the main
process, and whether the columns are those of the table as one array. ``before``: searches with the
Gram solver against another checkout of the package, for instance the commit before the pair
problem, each in its own process, the same seeds; the smallest of three times, compilation not
counted. Every line is printed and appended to
``results/columns_scale.csv``.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from time import process_time, time
from unittest import mock

import numpy as np
import scipy.sparse as sp

from sksieve import GreedyCSS, IteratedLocalSearchCSS, IterFS
from sksieve.columns import Factored
from sksieve.datasets import load, make_cells
from sksieve.tables import moments

RESULTS = Path(__file__).parent / "results" / "columns_scale.csv"


def record(**line):
    """Print a line of results and append it to the file."""
    print(", ".join(f"{name} {value}" for name, value in line.items()), flush=True)
    is_new = not RESULTS.exists()
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, restval="")
        if is_new:
            writer.writeheader()
        writer.writerow(line)


FIELDS = [
    "case",
    "rows",
    "columns",
    "values",
    "k",
    "solver",
    "cpu_seconds",
    "wall_seconds",
    "peak_gb",
    "passes",
    "error_share",
    "error_ratio",
    "outside_gain",
    "recomputed",
    "loss_error",
    "loss_gain",
]


def table(arguments):
    """Simulated counts, made in another process and kept on disk: its memory is not counted."""
    name = f"sksieve-cells-{arguments.cells}-{arguments.genes}-{arguments.counts:g}"
    folder = Path(arguments.folder) / name
    if not (folder / "indptr.npy").exists():
        maker = get_context("spawn").Process(target=make_table, args=(arguments, folder))
        maker.start()
        maker.join()
    parts = [np.load(folder / f"{part}.npy") for part in ("data", "indices", "indptr")]
    return sp.csr_array(tuple(parts), shape=(arguments.cells, arguments.genes))


def make_table(arguments, folder):
    X = make_cells(
        arguments.cells, arguments.genes, 30, mean_counts=arguments.counts, random_state=0
    )
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("data", "indices", "indptr"):
        np.save(folder / f"{part}.npy", getattr(X, part))


def peak_gb():
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)


def timed(estimator, X):
    cpu, wall = process_time(), time()
    estimator.fit(X)
    return round(process_time() - cpu, 1), round(time() - wall, 1)


def recomputed_error(X, S):
    """The error of the columns S by QR on the data in float64, some columns at a time."""
    n = X.shape[1]
    mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    B = X[:, S].toarray().astype(np.float64) - mean[S]
    Q = np.linalg.qr(B)[0]
    error = 0.0
    csc = X.tocsc()
    for first in range(0, n, 500):
        A = csc[:, first : first + 500].toarray().astype(np.float64) - mean[first : first + 500]
        norm2 = (A**2).sum(axis=0)
        left = norm2 - ((Q.T @ A) ** 2).sum(axis=0)
        error += np.divide(left, norm2, out=np.zeros_like(left), where=norm2 > 0).sum()
    return error


def cells(arguments):
    X = table(arguments)
    for k in arguments.k:
        est = IterFS(k, solver="factored", init="greedy", random_state=0)
        cpu, wall = timed(est, X)
        memory = peak_gb()
        checked = recomputed_error(X, est.ranking_[:k]) if arguments.check else np.nan
        record(
            case="cells",
            rows=X.shape[0],
            columns=X.shape[1],
            values=X.nnz,
            k=k,
            solver="factored",
            cpu_seconds=cpu,
            wall_seconds=wall,
            peak_gb=memory,
            passes=est.n_passes_,
            error_share=round(est.objective_ / est.error_path_[0], 6),
            error_ratio=round(est.error_ratio_, 5),
            outside_gain=f"{est.outside_gain_:.3g}",
            recomputed=f"{abs(checked - est.objective_) / est.objective_:.1e}"
            if arguments.check
            else "",
        )


def loss(arguments):
    if not arguments.tables:
        compare_solvers("loss", table(arguments), arguments.k)
    for name in arguments.tables:
        X = load(name).X
        rank = np.linalg.matrix_rank((X - X.mean(axis=0)).astype(float)) if len(X) < 500 else len(X)
        compare_solvers(f"loss: {name}", X, [k for k in arguments.k if k < rank])


def compare_solvers(case, X, sizes):
    for k in sizes:
        fits = {
            solver: IterFS(k, solver=solver, init="greedy", random_state=0)
            for solver in ("gram", "factored")
        }
        times = {solver: timed(est, X) for solver, est in fits.items()}
        full = fits["gram"]
        for solver, est in fits.items():
            gain = full.error_path_[0] - full.objective_
            record(
                case=case,
                rows=X.shape[0],
                columns=X.shape[1],
                values=X.nnz if sp.issparse(X) else X.size,
                k=k,
                solver=solver,
                cpu_seconds=times[solver][0],
                wall_seconds=times[solver][1],
                error_share=round(est.objective_ / est.error_path_[0], 6),
                error_ratio=round(est.error_ratio_, 5),
                loss_error=f"{est.objective_ / full.objective_ - 1:.2e}",
                loss_gain=f"{(est.objective_ - full.objective_) / gain:.2e}",
            )


ROUNDS = {
    "n_candidates=350": Factored(350),
    "max_rounds=4": Factored(350, max_rounds=4),
    "n_candidates=500": Factored(500),
    "n_candidates=700": Factored(700),
}


def rounds(arguments):
    """What longer shortlists and more rounds of pricing find, over tables and seeds."""
    for (m, n), seed in product([(2000, 3000), (3000, 5000)], range(5)):
        X = make_cells(m, n, 30, mean_counts=[1000.0, 3000.0][seed % 2], random_state=seed)
        full = IterFS(50, solver="gram", init="greedy", random_state=0).fit(X)
        for way, solver in ROUNDS.items():
            est = IterFS(50, solver=solver, init="greedy", random_state=0)
            cpu, _ = timed(est, X)
            gain = full.error_path_[0] - full.objective_
            record(
                case=f"rounds: seed {seed}",
                rows=m,
                columns=n,
                k=50,
                solver=way,
                cpu_seconds=cpu,
                passes=est.n_passes_,
                outside_gain=f"{est.outside_gain_:.2g}",
                loss_gain=f"{(est.objective_ - full.objective_) / gain:.2e}",
            )


def rivals(arguments):
    from fastcan import FastCan
    from sklearn.decomposition import PCA

    rng = np.random.default_rng(0)
    X = rng.standard_normal((210, 40)) @ rng.standard_normal((40, 2420))
    X += rng.standard_normal(X.shape)
    A = (X - X.mean(axis=0)) / X.std(axis=0)
    for k in arguments.k:
        scores = PCA(k, svd_solver="full").fit_transform(A)
        fits = {
            "fastcan": lambda k=k, scores=scores: FastCan(k, verbose=0).fit(A, scores),
            "GreedyCSS": lambda k=k: GreedyCSS(k).fit(X),
            "IterFS": lambda k=k: IterFS(k, init="greedy", random_state=0).fit(X),
            "local search": lambda k=k: IteratedLocalSearchCSS(
                k, full_path=False, random_state=0
            ).fit(X),
        }
        bound = (np.linalg.svd(A, compute_uv=False)[k:] ** 2).sum()
        for name, fit in fits.items():
            fit()  # compiles, and warms up
            cpu = process_time()
            S = np.flatnonzero(fit().get_support())
            seconds = process_time() - cpu
            Q = np.linalg.qr(A[:, S])[0]
            record(
                case="rivals",
                rows=210,
                columns=2420,
                k=k,
                solver=name,
                cpu_seconds=round(seconds, 2),
                error_ratio=round(((A - Q @ (Q.T @ A)) ** 2).sum() / bound, 4),
            )


def gram(arguments):
    """Second moments of CSR rows: by dense blocks against SciPy's product, smallest of 3 times."""
    rng = np.random.default_rng(0)
    m, n = 10_000, 3000
    ways = {"scipy": 2.0, "dense": 0.0}  # densities from which blocks are dense
    for density in (0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.2):
        X = sp.random_array(
            (m, n), density=density, format="csr", random_state=rng, dtype=np.float64
        )
        counts = X.copy()
        counts.data = np.ceil(9 * X.data)
        for case, table in (("gram: counts", counts), ("gram: values", X)):
            results = {}
            for way, least in ways.items():
                seconds = []
                with mock.patch.multiple("sksieve.tables._moments", DENSE=least, DENSE_EXACT=least):
                    for _ in range(3):
                        started = process_time()
                        results[way] = moments(table).products
                        seconds.append(process_time() - started)
                error = np.abs(results[way] - results["scipy"]).max()
                record(
                    case=case,
                    rows=m,
                    columns=n,
                    values=table.nnz,
                    solver=way,
                    cpu_seconds=round(min(seconds), 3),
                    recomputed=f"{error / np.abs(results[way]).max():.1e}",
                )


def dense_table(path, m, n, step=10_000):
    """Thirty factors and noise in float32, written in blocks of rows."""
    rng = np.random.default_rng(0)
    loadings = rng.standard_normal((30, n)) * rng.uniform(0.1, 1.0, n)
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(m, n))
    for first in range(0, m, step):
        size = min(step, m - first)
        X[first : first + size] = rng.standard_normal((size, 30)) @ loadings
        X[first : first + size] += rng.standard_normal((size, n), dtype=np.float32)
    X.flush()


def rows_of(path, block_info):
    """A chunk, read within the task."""
    first, last = block_info[None]["array-location"][0]
    return np.array(np.load(path, mmap_mode="r")[first:last])


def dask(arguments):
    import dask.array as da
    from distributed import Client, LocalCluster

    m, n, step = arguments.cells, arguments.genes, 5000
    path = Path(arguments.folder) / f"sksieve-dense-{m}-{n}.npy"
    if not path.exists():
        maker = get_context("spawn").Process(target=dense_table, args=(path, m, n))
        maker.start()
        maker.join()
    chosen = {}
    chunks = (tuple(min(step, m - first) for first in range(0, m, step)), (n,))
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        X = da.map_blocks(rows_of, str(path), chunks=chunks, dtype=np.float32, meta=EMPTY)
        fit_wide(arguments, X, "factored, dask", chosen)
    fit_wide(arguments, np.load(path, mmap_mode="r"), "factored, memmap", chosen)
    for k in arguments.k:
        same = np.array_equal(chosen["factored, dask", k], chosen["factored, memmap", k])
        print(f"k = {k}: the same columns: {same}")


EMPTY = np.empty((0, 0), np.float32)


def fit_wide(arguments, X, solver, chosen):
    for k in arguments.k:
        est = IterFS(k, solver="factored", init="greedy", random_state=0)
        cpu, wall = timed(est, X)
        chosen[solver, k] = np.sort(est.ranking_[:k])
        record(
            case="dask",
            rows=X.shape[0],
            columns=X.shape[1],
            values=X.shape[0] * X.shape[1],
            k=k,
            solver=solver,
            cpu_seconds=cpu,
            wall_seconds=wall,
            peak_gb=peak_gb(),
            passes=est.n_passes_,
            error_share=round(est.objective_ / est.error_path_[0], 6),
            error_ratio=round(est.error_ratio_, 5),
            outside_gain=f"{est.outside_gain_:.3g}",
        )


SEARCHES = """
import json, sys, warnings
from time import process_time
warnings.simplefilter("ignore")
from sksieve import POCSS, IteratedLocalSearchCSS
from sksieve.datasets import load
for name, k, rounds in json.loads(sys.argv[1]):
    X = load(name).X.astype(float)
    for case, est in (
        ("rounds", IteratedLocalSearchCSS(k, max_iter=rounds, full_path=False, random_state=0)),
        ("front", IteratedLocalSearchCSS(k, max_iter=1, random_state=0)),
        ("pocss", POCSS(k, max_iter=30, random_state=0)),
    ):
        est.set_params(scale="standard").fit(X)
        seconds = []
        for _ in range(3):
            started = process_time()
            est.fit(X)
            seconds.append(process_time() - started)
        print(json.dumps([f"{name} {case}", *X.shape, k, min(seconds), est.objective_]))
"""
SEARCHED = [("sonar", 10, 300), ("USPS49", 30, 200), ("mfeat", 40, 100), ("COIL20", 50, 60)]


def before(arguments):
    here = Path(__file__).parents[1] / "src"
    lines = {}
    for _ in range(3):  # in turn: the load of the machine changes
        for solver, path in (("gram", here), ("gram, before", Path(arguments.checkout) / "src")):
            command = [sys.executable, "-c", SEARCHES, json.dumps(SEARCHED)]
            environment = {**os.environ, "PYTHONPATH": str(path.resolve())}
            output = subprocess.run(
                command, env=environment, check=True, capture_output=True, text=True
            )
            new = [json.loads(line) for line in output.stdout.splitlines()]
            for line, old in zip(new, lines.get(solver, new)):
                line[4] = min(line[4], old[4])
            lines[solver] = new
    for pair in zip(*lines.values()):
        for solver, (case, rows, columns, k, seconds, error) in zip(lines, pair):
            record(
                case=f"before: {case}",
                rows=rows,
                columns=columns,
                k=k,
                solver=solver,
                cpu_seconds=round(seconds, 4),
                loss_error=f"{error / pair[1][-1] - 1:.1e}",
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("case", choices=list(CASES))
    parser.add_argument("--cells", type=int, default=20_000)
    parser.add_argument("--genes", type=int, default=30_000)
    parser.add_argument("--counts", type=float, default=3000)
    parser.add_argument("--k", type=int, nargs="+", default=[50])
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where tables are kept")
    parser.add_argument("--tables", nargs="+", default=[], help="loss: data sets by name")
    parser.add_argument("--check", action="store_true", help="recompute the error by QR")
    parser.add_argument("--checkout", help="before: folder of the other checkout")
    arguments = parser.parse_args()
    CASES[arguments.case](arguments)


CASES = {
    "cells": cells,
    "loss": loss,
    "rounds": rounds,
    "rivals": rivals,
    "gram": gram,
    "dask": dask,
    "before": before,
}


if __name__ == "__main__":
    main()
