"""Column subset selection: POCSS against its literal form, greedy and local search against CUR.

    python benchmarks/css_speed.py [--sets sonar dna COIL20 TOX_171] [--twin-seconds 20]

k = 50, columns of unit norm, one thread, CPU time. POCSS runs the paper's full budget of
``T = 2 e k^2 n`` mutations. Its literal form (``S^+`` and the residual of A updated at every flip,
O(mn); ``tests/selection/pocss_twin.py``) runs the first part of the same mutations, after which
both archives must be the same, and is extrapolated to T. Everything in one run, on the same
tables, with the objectives beside the times. Writes ``results/css_speed.md`` and ``.csv``.
"""

from __future__ import annotations

import argparse
import inspect
import math
import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import sksieve
from _common import (
    CACHE,
    RESULTS,
    SETS,
    Table,
    best_time,
    machine,
    markdown,
    run_rivals,
    seconds_text,
    table,
    write_csv,
)
from sksieve.columns import GramProblem
from sksieve.columns.search._pocss import ParetoSearch, subsets

K = 50
METHODS: list[tuple[str, dict[str, Any]]] = [
    ("GreedyCSS", {}),
    ("TwoStageCSS", {}),
    ("IterFS", {}),
    ("POCSS", {"polish": False}),
]
RIVALS = {"cur": "scikit-matter CUR", "pivoted_qr": "SciPy pivoted QR"}


def line_of(data: Table, method: str, ratio: float, seconds: float) -> dict[str, Any]:
    m, n = data.X.shape
    print(f"{data.name:8s} {method:24s} {ratio:8.4f} {seconds_text(seconds):>9s}", flush=True)
    return {"set": data.name, "m": m, "n": n, "method": method, "ratio": ratio, "seconds": seconds}


def own(data: Table) -> list[dict[str, Any]]:
    """Whole fits, from the table to the answer."""
    lines = []
    for name, parameters in METHODS:
        cls = getattr(sksieve, name)
        seed = {"random_state": 0} if "random_state" in inspect.signature(cls).parameters else {}
        work = cls(n_features_to_select=K, scale="unit", **parameters, **seed).fit
        fitted, seconds = best_time(lambda work=work: work(data.X))
        lines.append(line_of(data, name, data.error_ratio(fitted.ranking_[:K]), seconds))
    return lines


def rivals(data: Table, folder: Path) -> tuple[list[dict[str, Any]], str]:
    answer = run_rivals(folder, data.A, K, list(RIVALS))
    lines = []
    for result in answer["results"]:
        ratio = data.error_ratio(result["indices"]) if "indices" in result else math.nan
        seconds = result.get("seconds", math.nan)
        lines.append(line_of(data, RIVALS[result["name"]], ratio, seconds))
    return lines, ", ".join(f"{p} {v}" for p, v in answer["versions"].items())


def against_the_twin(data: Table, seconds: float) -> dict[str, Any]:
    """The same mutations by the literal form and by the engine, for about `seconds`."""
    from pocss_twin import Twin

    n = data.A.shape[1]
    cap = min(2 * K, n + 1)
    words = np.random.RandomState(0).randint(0, 2**64, size=4, dtype=np.uint64)
    twin, t, spent = Twin(data.A, cap, words), 0, 0.0
    started = process_time()
    while spent < seconds:
        twin.mutate(50)
        t, spent = t + 50, process_time() - started
    search = ParetoSearch(GramProblem(data.A.T @ data.A), K, cap)
    search.last = t
    started = process_time()
    state = search.start(np.random.RandomState(0))
    while state.n_iter < t:
        state = search.step(state)
    engine = process_time() - started
    twin_f = min(z.f1 for z in twin.P if z.f2 <= K)
    held = [set(map(int, S)) for S in subsets(state).values()]
    same = held == [set(s) for s in twin.sets() if s]
    largest = max(map(len, held))
    print(
        f"{data.name:8s} {t} mutations: literal {seconds_text(spent)}, engine "
        f"{seconds_text(engine)}, f {twin_f:.10g} and {search.objective(state):.10g}, "
        f"archives {'the same' if same else 'DIFFERENT'} (up to {largest} columns)",
        flush=True,
    )
    return {
        "set": data.name,
        "m": data.A.shape[0],
        "n": n,
        "T": math.ceil(2 * math.e * K**2 * n),
        "t": t,
        "literal_seconds": spent,
        "engine_seconds": engine,
        "literal_f": twin_f,
        "engine_f": search.objective(state),
        "same_archive": same,
        "largest": largest,
    }


def report(lines: list[dict[str, Any]], twins: list[dict[str, Any]], rival_versions: str) -> str:
    parts = [
        "# Column subset selection: speed\n",
        f"k = {K}, columns of unit norm, one thread, CPU time (that of the clock on an idle "
        "machine). Objectives are recomputed from the chosen columns.\n",
        f"{machine()}. Rivals, in an environment of their own: {rival_versions}.\n",
        "## POCSS against its literal form\n",
        "The literal form updates S^+ and the residual of A at every flip. It ran the first t of "
        "the same mutations; the archives after them are compared set by set. Its time for the "
        "full budget T = 2 e k^2 n is extrapolated from t, in proportion: subsets are smaller and "
        "flips cheaper at the start, so if anything the true figure is larger. It is plain NumPy; "
        "compiled and tuned it would be some times faster, O(mn) a flip all the same.\n",
    ]
    full = {x["set"]: x for x in lines if x["method"] == "POCSS"}
    cells = []
    for x in twins:
        whole = x["literal_seconds"] * x["T"] / x["t"]
        seconds = full[x["set"]]["seconds"]
        cells.append(
            [
                f"{x['set']} ({x['m']} x {x['n']})",
                f"{x['t']:,}",
                seconds_text(x["literal_seconds"]),
                seconds_text(x["engine_seconds"]),
                f"{x['literal_f']:.8g} / {x['engine_f']:.8g}",
                f"{'yes' if x['same_archive'] else 'NO'}, up to {x['largest']} columns",
                f"{x['T']:,}",
                f"{seconds_text(whole)} (extrapolated)",
                seconds_text(seconds),
                f"{whole / seconds:,.0f} x",
            ]
        )
    parts.append(
        markdown(
            [
                "table",
                "t",
                "literal, t",
                "engine, t",
                "f after t, literal / engine",
                "same archive",
                "T",
                "literal, T",
                "POCSS, T, whole fit",
                "ratio",
            ],
            cells,
        )
    )
    parts += [
        "## All\n",
        "Times of whole fits: reading the table once, the Gram matrix, the choice, and the error "
        "of every size. The rivals get the columns already scaled. Error ratio: "
        "||A - S S^+ A||^2 / ||A - A_k||^2.\n",
    ]
    for name in dict.fromkeys(x["set"] for x in lines):
        here = [x for x in lines if x["set"] == name]
        parts.append(f"### {name} ({here[0]['m']} x {here[0]['n']})\n")
        greedy = next(x for x in here if x["method"] == "GreedyCSS")["seconds"]
        cells = [
            [
                x["method"],
                f"{x['ratio']:.4f}",
                seconds_text(x["seconds"]),
                f"{x['seconds'] / greedy:.3g}",
            ]
            for x in here
        ]
        parts.append(markdown(["method", "error ratio", "time", "in times of greedy"], cells))
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = ["sonar", "dna", "COIL20", "TOX_171"]
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=default)
    parser.add_argument("--twin-seconds", type=float, default=20.0)
    parser.add_argument("--rival-env", type=Path, default=CACHE)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "columns"))
    lines, twins, versions = [], [], ""
    with threadpool_limits(limits=1):
        small = np.random.RandomState(0).normal(size=(40, 12))
        for name, parameters in METHODS:  # compile
            getattr(sksieve, name)(n_features_to_select=3, **parameters).fit(small)
        for name in options.sets:
            data = table(name)
            lines += own(data)
            more, versions = rivals(data, options.rival_env)
            lines += more
            twins.append(against_the_twin(data, options.twin_seconds))
            write_csv(options.out / "css_speed.csv", lines)
            write_csv(options.out / "css_speed_literal.csv", twins)
            (options.out / "css_speed.md").write_text(report(lines, twins, versions))
    print(f"wrote {options.out / 'css_speed.md'}")


if __name__ == "__main__":
    main()
