"""LSDCL's solvers against the literal updates: same start, pure fit, time to a 10 % gap.

The gap is to the smallest objective any of them found, relative to it. Three rivals: the updates
written as in the paper (Gram matrices, n x n and d x d), the same factored (`"mu"`), factored with
the exact root (`"mu_root"`). They take turns, so that a busy machine slows all alike. Then the
growth of a pass with n and d, the literal one beside it; and word counts as CSR beside dense.

    python benchmarks/lsdcl_speed.py [--seconds S] [--sets SET ...]

Results go to benchmarks/results/lsdcl_speed.csv and .md.
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

from _common import RESULTS, best_time, machine, markdown, seconds_text, write_csv
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
        T, V = state.T, state.V
        K, G = X @ X.T, X.T @ X
        T = T * np.sqrt((K @ (X @ V)) / (K @ T @ (V.T @ G @ V)))
        K, G = X @ X.T, X.T @ X
        V = V * np.sqrt((G @ (X.T @ T)) / (G @ V @ (T.T @ K @ T)))
        return state._replace(T=T, V=V)

    return step


Trace = list[tuple[float, float]]


def traces(
    steps: dict[str, Callable[[State], State]],
    first: State,
    fit: Callable[..., float],
    seconds: float,
) -> dict[str, Trace]:
    """(CPU seconds in `step`, objective) after every pass; who has had least time is next."""
    points = {name: [(0.0, fit(first.T, first.V))] for name in steps}
    states = dict.fromkeys(steps, first)
    while True:
        name = min(points, key=lambda name: points[name][-1][0])
        spent = points[name][-1][0]
        if spent >= seconds:
            return points
        before = process_time()
        state = states[name] = steps[name](states[name])
        points[name].append((spent + process_time() - before, fit(state.T, state.V)))


def race(name: str, seconds: float) -> list[dict[str, Any]]:
    X = unit_rows_on_average(scaled_columns(np.asarray(load(name).X, dtype=float), "minmax"))
    X = X[:, X.any(axis=0)]
    prox = DualConcepts(X, no_graph(len(X)), lam1=0.0, lam2=0.0)
    first = start(prox, R, np.random.RandomState(0))
    steps = {
        "prox": prox.step,
        "mu_root": MultiplicativeConcepts(prox, rule="root").step,
        "mu": MultiplicativeConcepts(prox, rule="sqrt").step,
        "literal": literal(X),
    }
    points = traces(steps, first, prox.fit, seconds)
    best = min(value for trace in points.values() for _, value in trace)
    return [
        {
            "set": name,
            "n": X.shape[0],
            "d": X.shape[1],
            "solver": solver,
            "to_10_percent": time_to(trace, (1 + GAP) * best),
            "a_pass": trace[-1][0] / (len(trace) - 1),
            "passes": len(trace) - 1,
            "gap_at_end": trace[-1][1] / best - 1,
        }
        for solver, trace in points.items()
    ]


def told_race(rows: list[dict[str, Any]], seconds: float) -> list[list[str]]:
    ours = {row["set"]: row["to_10_percent"] for row in rows if row["solver"] == "prox"}

    def over(row: dict[str, Any]) -> tuple[str, str]:
        t = row["to_10_percent"]
        if np.isfinite(t):
            return seconds_text(t), f"{t / ours[row['set']]:.1f}"
        return f"> {seconds_text(seconds)}", f"> {seconds / ours[row['set']]:.0f}"

    return [
        [
            f"{row['set']} ({row['n']} x {row['d']})",
            row["solver"],
            *over(row),
            seconds_text(row["a_pass"]),
            f"{100 * row['gap_at_end']:.2f} %",
        ]
        for row in rows
    ]


def time_to(points: Trace, level: float) -> float:
    return next((t for t, value in points if value <= level), np.inf)


def pass_seconds(n: int, d: int) -> tuple[float, float]:
    """One pass, penalties on, on n x d random additive parts; and one of the literal updates."""
    rng = np.random.RandomState(0)
    X = rng.random_sample((n, R)) @ rng.random_sample((R, d)) + rng.random_sample((n, d))
    ring = sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1], format="csr")
    problem = DualConcepts(X, LocalCorrentropy(ring, gamma=0.25, delta2=1.0), lam1=1e-3, lam2=1e-3)
    T = np.full((n, R), 1 / n)
    state = problem.step(State(T, rng.random_sample((d, R)) / d))
    return best_time(lambda: problem.step(state))[1], best_time(lambda: literal(X)(state))[1]


def growth() -> list[list[str]]:
    sizes = [1000, 2000, 4000]
    rows = []
    for letter, shape in (("d", lambda m: (1000, m)), ("n", lambda m: (m, 1000))):
        times = np.array([pass_seconds(*shape(m)) for m in sizes]).T
        for solver, seconds in zip(("prox", "literal"), times, strict=True):
            slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
            rows.append([letter, solver, *map(seconds_text, seconds), f"{letter}^{slope:.2f}"])
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
    parser.add_argument("--sets", nargs="+", default=["USPS49", "COIL20", "JAFFE"])
    given = parser.parse_args()
    tables = []
    with threadpool_limits(limits=1):
        rows = [row for name in given.sets for row in race(name, given.seconds)]
        write_csv(RESULTS / "lsdcl_speed.csv", rows)
        header = ["set", "solver", "10 % gap", "over prox", "a pass", "gap at the end"]
        tables.append(markdown(header, told_race(rows, given.seconds)))
        print(tables[-1], flush=True)
        header = ["grows with", "solver", "1000", "2000", "4000", "as"]
        tables.append(markdown(header, growth()))
        print(tables[-1], flush=True)
        tables.append(markdown(["BASEHOCK", "fit", "peak beside X", ""], word_counts()))
        print(tables[-1], flush=True)
    (RESULTS / "lsdcl_speed.md").write_text("\n".join([machine(), "", *tables]))


if __name__ == "__main__":
    main()
