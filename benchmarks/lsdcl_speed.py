"""LSDCL's solvers against the literal updates: same start, pure fit, time to a 10 % gap.

The gap is to the smallest objective any of them found, relative to it. Three rivals: the updates
written as in the paper (Gram matrices, n x n and d x d), the same factored (`"mu"`), factored with
the exact root (`"mu_root"`). They take turns, so that a busy machine slows all alike. Then the
growth of a pass with n and d, the literal one beside it; and word counts as CSR beside dense.

    python benchmarks/lsdcl_speed.py [--seconds S] [--sets SET ...] [--parts race growth words]

Results go to benchmarks/results/lsdcl_speed_PART.csv, and all of them to lsdcl_speed.md.
"""

from __future__ import annotations

import argparse
import csv
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
from sksieve.papers._lsdcl_multiplicative import MultiplicativeConcepts
from sksieve.selection._lsdcl_problem import DualConcepts, State
from sksieve.selection._lsdcl_start import scaled_columns, start, unit_rows_on_average

R = 10
GAP = 0.1


def no_graph(n: int) -> LocalCorrentropy:
    """The pure fit needs no neighbors."""
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
            "spent": trace[-1][0],
            "a_pass": trace[-1][0] / (len(trace) - 1),
            "passes": len(trace) - 1,
            "gap_at_end": trace[-1][1] / best - 1,
        }
        for solver, trace in points.items()
    ]


def told_race(rows: list[dict[str, Any]]) -> str:
    ours = {row["set"]: float(row["to_10_percent"]) for row in rows if row["solver"] == "prox"}

    def over(row: dict[str, Any]) -> tuple[str, str]:
        t, more = float(row["to_10_percent"]), ""
        if not np.isfinite(t):
            t, more = float(row["spent"]), "> "
        return more + seconds_text(t), f"{more}{t / ours[row['set']]:.1f}"

    header = ["set", "solver", "10 % gap", "over prox", "a pass", "gap at the end"]
    return markdown(
        header,
        [
            [
                f"{row['set']} ({row['n']} x {row['d']})",
                row["solver"],
                *over(row),
                seconds_text(float(row["a_pass"])),
                f"{100 * float(row['gap_at_end']):.2f} %",
            ]
            for row in rows
        ],
    )


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


SIZES = (1000, 2000, 4000)


def growth() -> list[dict[str, Any]]:
    rows = []
    for letter, shape in (("d", lambda m: (1000, m)), ("n", lambda m: (m, 1000))):
        times = np.array([pass_seconds(*shape(m)) for m in SIZES]).T
        for solver, seconds in zip(("prox", "literal"), times, strict=True):
            slope = np.polyfit(np.log(SIZES), np.log(seconds), 1)[0]
            known = dict(zip(map(str, SIZES), seconds, strict=True))
            rows.append({"grows_with": letter, "solver": solver, **known, "exponent": slope})
    return rows


def told_growth(rows: list[dict[str, Any]]) -> str:
    header = ["grows with", "solver", *map(str, SIZES), "as"]
    return markdown(
        header,
        [
            [
                row["grows_with"],
                row["solver"],
                *(seconds_text(float(row[str(m)])) for m in SIZES),
                f"{row['grows_with']}^{float(row['exponent']):.2f}",
            ]
            for row in rows
        ],
    )


def word_counts() -> list[dict[str, Any]]:
    X = np.asarray(load("BASEHOCK").X, dtype=float)
    rows, fitted = [], []
    for label, table in (("CSR", sp.csr_array(X)), ("dense", X)):
        est, seconds = best_time(lambda table=table: LSDCL(random_state=0).fit(table), 1)
        fitted.append(est.components_.T)
        rows.append({"form": label, "seconds": seconds, "peak": peak_of(table)})
    rows[1]["difference"] = np.abs(fitted[0] - fitted[1]).max()
    return rows


def told_word_counts(rows: list[dict[str, Any]]) -> str:
    csr, dense = (float(row["seconds"]) for row in rows)
    remarks = (
        f"{dense / csr:.1f} times faster",
        f"V differs by {float(rows[1]['difference']):.1e}",
    )
    return markdown(
        ["BASEHOCK", "fit", "peak beside X", ""],
        [
            [
                row["form"],
                seconds_text(float(row["seconds"])),
                f"{float(row['peak']) / 2**20:.0f} MiB",
                remark,
            ]
            for row, remark in zip(rows, remarks, strict=True)
        ],
    )


def peak_of(table: Any) -> int:
    """Most memory a fit allocates beside its input; one pass is enough to see it."""
    tracemalloc.start()
    LSDCL(random_state=0, max_iter=1).fit(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


PARTS: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "race": told_race,
    "growth": told_growth,
    "words": told_word_counts,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="for each solver in the race")
    parser.add_argument("--sets", nargs="+", default=["USPS49", "JAFFE"])
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS)
    given = parser.parse_args()
    measure = {
        "race": lambda: [row for name in given.sets for row in race(name, given.seconds)],
        "growth": growth,
        "words": word_counts,
    }
    tables = []
    with threadpool_limits(limits=1):
        for part, told in PARTS.items():
            path = RESULTS / f"lsdcl_speed_{part}.csv"
            if part in given.parts:
                write_csv(path, measure[part]())
            if path.exists():
                with path.open(newline="") as file:
                    tables.append(told(list(csv.DictReader(file))))
                print(tables[-1], flush=True)
    (RESULTS / "lsdcl_speed.md").write_text("\n".join([machine(), "", *tables]))


if __name__ == "__main__":
    main()
