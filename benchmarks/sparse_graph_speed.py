"""l1 graph and SRSG: time beside rivals, with the violation of the optimality conditions.

Rivals solve the same lasso problems, one column at a time, to the accuracy at which each is
usually run; a sample of the columns is timed and scaled up (said so). celer and spams-bin are used
where they are installed.

    python benchmarks/sparse_graph_speed.py [--columns 30] [--sets COIL20 YaleB] [--large]
"""

from __future__ import annotations

import argparse
import resource
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from time import process_time
from typing import Any

import numba
import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Lasso, LassoLars
from threadpoolctl import threadpool_limits

from _common import RESULTS, best_time, machine, markdown, seconds_text, write_csv
from sksieve import SRSG, L1Graph
from sksieve.clustering._srsg import SupportRegularizedCodes
from sksieve.datasets import load, make_subspaces
from sksieve.graphs import find_neighbors, kkt_residual, knn_graph, sparse_codes, unit_rows
from sksieve.metrics import clustering_accuracy
from sksieve.papers import GradientSRSG

LAM = 0.1


def by_lasso_lars(X: np.ndarray, K: np.ndarray, i: int) -> np.ndarray:
    model = LassoLars(alpha=LAM / (2 * X.shape[1]), fit_intercept=False, max_iter=5000)
    return model.fit(np.delete(X, i, axis=0).T, X[i]).coef_


def by_gram_lasso(X: np.ndarray, K: np.ndarray, i: int) -> np.ndarray:
    keep = np.delete(np.arange(len(X)), i)
    model = Lasso(
        alpha=LAM / (2 * X.shape[1]),
        fit_intercept=False,
        precompute=np.ascontiguousarray(K[np.ix_(keep, keep)]),
        tol=1e-10,
        max_iter=100_000,
    )
    return model.fit(np.asfortranarray(X[keep].T), X[i]).coef_


def by_celer(X: np.ndarray, K: np.ndarray, i: int) -> np.ndarray:
    from celer import Lasso as Celer

    model = Celer(alpha=LAM / (2 * X.shape[1]), fit_intercept=False, tol=1e-10)
    return model.fit(np.asfortranarray(np.delete(X, i, axis=0).T), X[i]).coef_


def by_spams(X: np.ndarray, K: np.ndarray, i: int) -> np.ndarray:
    import spams

    D = np.asfortranarray(np.delete(X, i, axis=0).T)
    code = spams.lasso(np.asfortranarray(X[i][:, None]), D=D, lambda1=LAM / 2, mode=2, numThreads=1)
    return np.asarray(code.todense()).ravel()


RIVALS: dict[str, tuple[str, Callable[[np.ndarray, np.ndarray, int], np.ndarray]]] = {
    "LassoLars per column": ("scikit-learn", by_lasso_lars),
    "Lasso, precomputed Gram": ("scikit-learn", by_gram_lasso),
    "celer": ("celer", by_celer),
    "spams": ("spams-bin", by_spams),
}


def violation(K: np.ndarray, i: int, z: np.ndarray) -> float:
    """Largest violation of the optimality conditions of column i, z without entry i."""
    full = np.insert(z, i, 0.0)
    g = K[i] - K @ full
    off = np.maximum(np.abs(g) - LAM / 2, 0)
    off[i] = 0
    on = full != 0
    off[on] = np.abs(g[on] - LAM / 2 * np.sign(full[on]))
    return float(off.max())


def rival_row(name: str, X: np.ndarray, K: np.ndarray, columns: np.ndarray) -> dict[str, Any]:
    package, solve = RIVALS[name]
    try:
        release = version(package)
    except PackageNotFoundError:
        return {"method": name, "note": "not installed"}
    solve(X, K, int(columns[0]))  # warm up
    started = process_time()
    codes = [solve(X, K, int(i)) for i in columns]
    seconds = (process_time() - started) * len(X) / len(columns)
    worst = max(violation(K, int(i), z) for i, z in zip(columns, codes))
    note = f"{package} {release}; {len(columns)} columns timed, scaled up"
    return {"method": name, "seconds": seconds, "kkt": worst, "note": note}


def codes_table(name: str, n_columns: int) -> list[dict[str, Any]]:
    X = unit_rows(load(name).X.astype(float))
    K = X @ X.T
    columns = np.linspace(0, len(X) - 1, n_columns).astype(int)
    rows = []
    Z, seconds = best_time(lambda: sparse_codes(X, LAM))
    worst = float(kkt_residual(X, Z, LAM).max())
    rows.append({"method": "ours", "seconds": seconds, "kkt": worst, "note": "all columns"})
    rows += [rival_row(rival, X, K, columns) for rival in RIVALS]
    ours = rows[0]["seconds"]
    for row in rows:
        row["data"] = f"{name} ({X.shape[0]} x {X.shape[1]})"
        if "seconds" in row:
            row["ratio"] = row["seconds"] / ours
    return rows


def solver_table(name: str) -> list[dict[str, Any]]:
    """SRSG: the two solvers from the same l1 codes."""
    X = unit_rows(load(name).X.astype(float))
    S = knn_graph(X, 5, symmetrize="none")
    Z = sparse_codes(X, LAM)
    rows = []
    for solver, gamma in (("prox_ls", 0.015), ("fpgd", 0.1)):
        step = GradientSRSG()._step(X) if solver == "fpgd" else None
        problem = SupportRegularizedCodes(X, S, gamma=gamma, step=step)

        def settle(problem: SupportRegularizedCodes = problem) -> tuple[Any, int]:
            state, sweeps = problem.start(Z), 0
            while state.changed and sweeps < 100:
                state, sweeps = problem.step(state), sweeps + 1
            return state, sweeps

        (state, sweeps), seconds = best_time(settle)
        rows.append(
            {"data": name, "method": f"SRSG {solver}, gamma = {gamma}", "seconds": seconds}
            | {"note": f"{sweeps} sweeps, objective {state.L:.6g}"}
        )
    dense = dense_algorithm_1(X, S, Z, gamma=0.1)
    dense["data"] = name
    rows.append(dense)
    return rows


def dense_algorithm_1(
    X: np.ndarray, S: sp.csr_array, Z: sp.csc_array, gamma: float, n_columns: int = 3
) -> dict[str, Any]:
    """The paper's Algorithm 1 on whole vectors: seconds a sweep, from a few columns."""
    n = len(X)
    K = X @ X.T
    St = (S + S.T).toarray()
    s = 0.99 / (2 * np.linalg.norm(X, 2) ** 2)
    on = (Z != 0).toarray()
    started = process_time()
    for i in range(n_columns):
        c = St[i].sum() - St[i] - 2 * on @ St[i]
        z = Z[:, [i]].toarray().ravel()
        v = z.copy()
        for k in range(1, 301):
            u = (1 - 2 / (k + 1)) * z + 2 / (k + 1) * v
            g = 2 * (K @ u - K[i])
            v = np.where(on[:, i], v - s / 2 * k * g, 0)
            w = np.where(on[:, i], u - s * g, 0)
            z = np.where((c > 0) & (w * w <= 2 * s * gamma * c), 0, w)
    seconds = (process_time() - started) * n / n_columns
    note = f"one sweep of 300 steps a column; {n_columns} columns timed, scaled up"
    return {"method": "Algorithm 1 on whole vectors", "seconds": seconds, "note": note}


def pipeline_table(sizes: list[int]) -> list[dict[str, Any]]:
    """Whole fits on unions of subspaces, d = 64."""
    rows = []
    for n in sizes:
        X, y = make_subspaces(10, 4, 64, n, 0.02, random_state=0)
        for est in (L1Graph(10, random_state=0), SRSG(10, random_state=0)):
            started = process_time()
            labels = est.fit(X.astype(np.float32)).labels_
            seconds = process_time() - started
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            note = f"accuracy {clustering_accuracy(y, labels):.4f}, peak {peak:.2f} GB so far"
            data = f"10 subspaces, {n} x 64"
            name = type(est).__name__
            rows.append({"data": data, "method": name, "seconds": seconds, "note": note})
    return rows


def compile_kernels() -> None:
    """Both forms of the codes, SRSG, and the approximate search for neighbors."""
    X = unit_rows(np.random.RandomState(0).randn(300, 80))
    for part in (X, X[:, :10].copy()):
        SRSG(2, n_init=1).fit(part)
    find_neighbors(X, 5, "approximate")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, default=30, help="columns a rival is timed on")
    parser.add_argument("--sets", nargs="+", default=["COIL20", "YaleB"])
    parser.add_argument("--large", action="store_true", help="also 50 000 samples")
    options = parser.parse_args()
    numba.set_num_threads(1)
    compile_kernels()
    rows: list[dict[str, Any]] = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in options.sets:
            rows += codes_table(name, options.columns)
        rows += solver_table(options.sets[0])
        rows += pipeline_table([1440, 10_000] + ([50_000] if options.large else []))
    text = [
        [
            str(row["data"]),
            str(row["method"]),
            seconds_text(row["seconds"]) if "seconds" in row else "-",
            f"{row['ratio']:.3g}x" if "ratio" in row else "-",
            f"{row['kkt']:.1e}" if "kkt" in row else "-",
            str(row.get("note", "")),
        ]
        for row in rows
    ]
    header = ["data", "method", "CPU time", "beside ours", "KKT violation", "note"]
    page = f"# Sparse graphs: speed\n\n{machine()}\n\n{markdown(header, text)}"
    print(page)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "sparse_graph_speed.md").write_text(page)
    write_csv(RESULTS / "sparse_graph_speed.csv", rows)


if __name__ == "__main__":
    main()
