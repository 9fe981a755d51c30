"""BLUFS: time and memory of whole fits, and a step beside the literal three-block form.

1. Whole fits with 100 columns on COIL20 and Isolet, one thread.
2. 7000 x 5000, two clusters: the whole fit, the solver alone, and the peak of memory.
3. One step of the joint solver (the mean of a run to its end) and one pass of the paper's three
   blocks as they are printed (made correct, but dense: all n^2 distances, a d x d system), from the
   same state: 1000 x 4000 and 7000 x 5000. Both objectives after the first pass are printed.

    python benchmarks/blufs_speed.py [--parts small fit memory solver ratio]

CPU times of the process on one thread. Results go to benchmarks/results/blufs_speed.csv and .md;
lines that are not measured again stay.
"""

from __future__ import annotations

import argparse
import csv
import tracemalloc
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from threadpoolctl import threadpool_limits

from _common import RESULTS, best_time, machine, markdown, seconds_text, write_csv
from sksieve import BLUFS
from sksieve.datasets import load
from sksieve.graphs import graph_eigenpairs, knn_graph, normalized_adjacency
from sksieve.prox import project_simplex_sparse, project_stiefel
from sksieve.selection._blufs_problem import BiLevel, State
from sksieve.selection._standardized import Standardized

Row = dict[str, Any]
TABLE = RESULTS / "blufs_speed.csv"


def clusters(n: int, d: int, c: int = 2) -> np.ndarray:
    """Normal columns, the first 50 with a mean of their own in each cluster."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((n, d))
    X[:, :50] += rng.standard_normal((c, 50))[np.arange(n) % c]
    return X


def whole_fit(name: str, X: np.ndarray, c: int, held: float, repeats: int = 3) -> Row:
    fit, seconds = best_time(lambda: BLUFS(100, n_clusters=c).fit(X), repeats)
    return {
        "what": f"{name}, {X.shape[0]} x {X.shape[1]}, c = {c}: whole fit",
        "value": seconds_text(seconds),
        "held": f"<= {held} s",
        "ok": seconds <= held,
        "note": f"{fit.n_iter_} steps, objective {fit.objective_:.4f}",
    }


def start(X: np.ndarray, c: int) -> tuple[BiLevel, State]:
    data = Standardized(X)
    A = knn_graph(data.rows, 5, weights="heat")
    data.by_column()
    Y = graph_eigenpairs(A, c).vectors
    S, lam = data.forward(Y, float(len(X)), 100)[0], float(len(X))
    S_hat = normalized_adjacency(A)
    problem = BiLevel(data, S_hat, Y, S, alpha=1.0, beta=1.0, lam=lam, n_neighbors=5)
    return problem, problem.start()


def solver_alone(problem: BiLevel, state: State) -> Row:
    started, f, n_steps = process_time(), problem.objective(state), 0
    while True:
        new = problem.step(state)
        n_steps += 1
        moved = problem.change(state, new)
        state = new
        if moved <= 1e-4:
            break
    seconds = process_time() - started
    return {
        "what": "7000 x 5000: the solver alone",
        "value": seconds_text(seconds),
        "held": "<= 2 s",
        "ok": seconds <= 2,
        "note": f"{n_steps} steps, objective {f:.4f} -> {problem.objective(state):.4f}",
    }


def memory(X: np.ndarray) -> Row:
    tracemalloc.start()
    BLUFS(100, n_clusters=2).fit(X)
    peak = tracemalloc.get_traced_memory()[1] / X.nbytes
    tracemalloc.stop()
    return {
        "what": f"{X.shape[0]} x {X.shape[1]}: peak memory beside X",
        "value": f"{peak:.2f} X",
        "held": "<= 3 X",
        "ok": peak <= 3,
        "note": f"X is {X.nbytes / 2**20:.0f} MB",
    }


def literal(X: np.ndarray, problem: BiLevel, state: State) -> State:
    """The paper's pass over P, W and Y, dense; W by a d x d system, threshold and refit."""
    d = X.shape[1]
    Y, s, mu, beta = state.Y, len(state.S), problem.mu, problem.beta
    W = np.zeros((d, Y.shape[1]))
    W[state.S] = state.W
    Z = X @ W
    norms = (Z * Z).sum(axis=1)
    V = norms[:, None] + norms - 2 * Z @ Z.T
    U = (2e-3 * mu * state.P.toarray() - beta * V) / (2.002 * mu)
    np.fill_diagonal(U, -np.inf)
    P = project_simplex_sparse(U, problem.k)
    del U, V
    S = (P + P.T) / 2
    M = np.diag(1 + 2 * beta * S.sum(axis=1)) - 2 * beta * S
    A = X.T @ (M @ X)
    A[np.diag_indices(d)] += problem.lam
    free = cho_solve(cho_factor(A), X.T @ Y)
    kept = np.sort(np.argsort(-np.linalg.norm(free, axis=1))[:s])
    W = cho_solve(cho_factor(A[np.ix_(kept, kept)]), X[:, kept].T @ Y)
    Y = project_stiefel(X[:, kept] @ W + problem.S_hat.toarray() @ Y + Y)
    return state._replace(P=sp.csr_array(P), S=kept, W=W, Y=Y)


def ratio(n: int, d: int, held: float) -> Row:
    X = clusters(n, d)
    problem, state = start(X, 2)
    state = problem.step(state)  # past the start
    seconds, n_steps, ours = 0.0, 0, state
    while True:
        started = process_time()
        new = problem.step(ours)
        seconds, n_steps = seconds + process_time() - started, n_steps + 1
        if problem.change(ours, new) <= 1e-4:
            break
        ours = new
    fast = seconds / n_steps
    dense = np.ascontiguousarray(problem.X.rows)
    started = process_time()
    theirs = literal(dense, problem, state)
    slow = process_time() - started
    f, once = problem.objective, problem.step(state)
    return {
        "what": f"{n} x {d}: a step, against the literal three blocks",
        "value": f"{slow / fast:.0f} x",
        "held": f">= {held} x",
        "ok": slow / fast >= held,
        "note": f"{seconds_text(fast)} against {seconds_text(slow)}; objective {f(state):.4f} -> "
        f"{f(once):.4f} against {f(theirs):.4f}",
    }


def small() -> Iterator[Row]:
    for name, c in (("COIL20", 20), ("Isolet", 26)):
        yield whole_fit(name, load(name).X.astype(float), c, 0.8)
    yield ratio(1000, 4000, 60)


def large() -> np.ndarray:
    return clusters(7000, 5000)


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "small": small,
    "fit": lambda: iter([whole_fit("synthetic", large(), 2, 25, repeats=1)]),
    "memory": lambda: iter([memory(large())]),
    "solver": lambda: iter([solver_alone(*start(large(), 2))]),
    "ratio": lambda: iter([ratio(7000, 5000, 100)]),
}


def merged(rows: list[Row]) -> list[Row]:
    """The lines of earlier runs in their order, those measured again replaced, new ones last."""
    lines: dict[str, Row] = {}
    if TABLE.exists():
        with TABLE.open(newline="") as file:
            for row in csv.DictReader(file):
                lines[row["what"]] = {**row, "ok": row["ok"] == "True"}
    lines |= {row["what"]: row for row in rows}
    return list(lines.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS)
    parts = parser.parse_args().parts
    BLUFS(5).fit(clusters(60, 60))  # compile
    rows: list[Row] = []
    with threadpool_limits(limits=1):
        for part in parts:
            for row in PARTS[part]():
                rows.append(row)
                print(*row.values(), sep="  ", flush=True)
    rows = merged(rows)
    write_csv(TABLE, rows)
    header = ["what", "measured", "held to", "held", "more"]
    cells = [
        [row["what"], row["value"], row["held"], "yes" if row["ok"] else "NO", row["note"]]
        for row in rows
    ]
    text = f"{machine()}. CPU times, s = 100 columns.\n\n{markdown(header, cells)}"
    TABLE.with_suffix(".md").write_text(text)
    print(f"\nwritten: {TABLE.with_suffix('.md')}")


if __name__ == "__main__":
    main()
