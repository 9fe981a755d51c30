"""LSDCL's solvers against the literal updates: same start, pure fit, time to a 10 % gap.

The gap is to the smallest objective any of them found, relative to it. Three rivals: the updates
written as in the paper (Gram matrices, n x n and d x d), the same factored (`"mu"`), factored with
the exact root (`"mu_root"`). Then the growth of a pass of the default solver with n and d, and
sparse word counts as CSR beside dense.

    python benchmarks/lsdcl_speed.py [--seconds S]

Results go to benchmarks/results/lsdcl_speed.md.
"""

from __future__ import annotations

import argparse
import tracemalloc
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from _common import RESULTS, best_time, machine, markdown, seconds_text
from sksieve import LSDCL
from sksieve.datasets import load
from sksieve.graphs import LocalCorrentropy
from sksieve.selection._lsdcl_multiplicative import MultiplicativeConcepts
from sksieve.selection._lsdcl_problem import DualConcepts, State
from sksieve.selection._lsdcl_start import scaled_columns, start, unit_rows_on_average

R = 10
GAP = 0.1


def no_graph(n: int) -> LocalCorrentropy:
    """The pure fit needs no neighbours."""
    return LocalCorrentropy(sp.csr_array((n, n)), gamma=1.0, delta2=1.0)


def literal(X: np.ndarray) -> Callable[[State], State]:
    """The paper's pass over its two outer factors: both Gram matrices anew, nothing factored."""

    def step(state: State) -> State:
        T, V, _ = state
        K, G = X @ X.T, X.T @ X
        T = T * np.sqrt((K @ (X @ V)) / (K @ T @ (V.T @ G @ V)))
        K, G = X @ X.T, X.T @ X
        V = V * np.sqrt((G @ (X.T @ T)) / (G @ V @ (T.T @ K @ T)))
        return State(T, V, np.inf)

    return step


def trace(
    step: Callable[[State], State], state: State, fit: Callable[..., float], seconds: float
) -> list[tuple[float, float]]:
    """(CPU seconds in `step`, objective) after every pass."""
    spent, points = 0.0, [(0.0, fit(state.T, state.V))]
    while spent < seconds:
        before = process_time()
        state = step(state)
        spent += process_time() - before
        points.append((spent, fit(state.T, state.V)))
    return points


def race(name: str, seconds: float) -> list[list[str]]:
    X = unit_rows_on_average(scaled_columns(np.asarray(load(name).X, dtype=float), "minmax"))
    X = X[:, X.any(axis=0)]
    cim, none = no_graph(len(X)), {"lam1": 0.0, "lam2": 0.0}
    prox = DualConcepts(X, cim, **none)
    first = start(prox, R, np.random.RandomState(0))
    steps = {
        "prox": prox.step,
        "mu_root": MultiplicativeConcepts(X, cim, **none, rule="root").step,
        "mu": MultiplicativeConcepts(X, cim, **none, rule="sqrt").step,
        "literal": literal(X),
    }
    traces = {key: trace(step, first, prox.fit, seconds) for key, step in steps.items()}
    best = min(value for points in traces.values() for _, value in points)
    reached = {key: time_to(points, (1 + GAP) * best) for key, points in traces.items()}
    return [
        [
            name,
            key,
            seconds_text(reached[key]) if np.isfinite(reached[key]) else f"> {seconds:g} s",
            f"{reached[key] / reached['prox']:.1f}" if np.isfinite(reached[key]) else "",
            seconds_text(points[-1][0] / (len(points) - 1)),
            f"{100 * (points[-1][1] / best - 1):.2f} %",
        ]
        for key, points in traces.items()
    ]


def time_to(points: list[tuple[float, float]], level: float) -> float:
    return next((t for t, value in points if value <= level), np.inf)


def pass_seconds(n: int, d: int) -> float:
    """One pass, penalties on, on n x d random additive parts."""
    rng = np.random.RandomState(0)
    X = rng.random_sample((n, R)) @ rng.random_sample((R, d)) + rng.random_sample((n, d))
    ring = sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1], format="csr")
    problem = DualConcepts(X, LocalCorrentropy(ring, gamma=0.25, delta2=1.0), lam1=1e-3, lam2=1e-3)
    T = np.full((n, R), 1 / n)
    state = problem.step(State(T, rng.random_sample((d, R)) / d, np.inf))
    return best_time(lambda: problem.step(state))[1]


def growth() -> list[list[str]]:
    sizes = [1000, 2000, 4000]
    rows = []
    for letter, shape in (("d", lambda m: (1000, m)), ("n", lambda m: (m, 1000))):
        times = [pass_seconds(*shape(m)) for m in sizes]
        slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        rows.append([letter, *map(seconds_text, times), f"{letter}^{slope:.2f}"])
    return rows


def word_counts() -> list[list[str]]:
    X = np.asarray(load("BASEHOCK").X, dtype=float)
    rows, fitted = [], []
    for label, table in (("CSR", sp.csr_array(X)), ("dense", X)):
        est, seconds = best_time(lambda table=table: LSDCL(random_state=0).fit(table), 1)
        fitted.append(est.V_)
        rows.append([label, seconds_text(seconds), f"{peak_of(table) / 2**20:.0f} MiB"])
    rows[1].append(f"V differs by {np.abs(fitted[0] - fitted[1]).max():.1e}")
    return [[*row, *[""] * (4 - len(row))] for row in rows]


def peak_of(table: Any) -> int:
    """Most memory a fit allocates beside its input; one pass is enough to see it."""
    tracemalloc.start()
    LSDCL(random_state=0, max_iter=1).fit(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="for each solver in the race")
    given = parser.parse_args()
    tables = []
    with threadpool_limits(limits=1):
        header = ["set", "solver", "10 % gap", "over prox", "a pass", "gap at the end"]
        tables.append(markdown(header, race("USPS49", given.seconds)))
        print(tables[-1], flush=True)
        tables.append(markdown(["grows with", "1000", "2000", "4000", "as"], growth()))
        print(tables[-1], flush=True)
        tables.append(markdown(["BASEHOCK", "fit", "peak beside X", ""], word_counts()))
        print(tables[-1], flush=True)
    (RESULTS / "lsdcl_speed.md").write_text("\n".join([machine(), "", *tables]))


if __name__ == "__main__":
    main()
