"""Column subset selection: error ratios of every method, beside the literature's and rivals'.

    python benchmarks/css_quality.py [--sets sonar dna ...] [--methods greedy pocss ...] [--quick]

k = 50 columns, columns of unit norm, not centered; random methods 10 runs (mean +- std). All ratios
``||A - S S^+ A||^2 / ||A - A_k||^2`` are recomputed here from the chosen indices, for every package
alike. Times are CPU times of whole fits on one thread, from the table to the answer. Writes
``results/css_quality.md`` and ``.csv``.
"""

from __future__ import annotations

import argparse
import csv
import inspect
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

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
from sksieve.catalogue import Method, list_methods

K = 50
DEFAULT_SETS = ["sonar", "dna1400", "dna", "digits", "COIL20", "Isolet", "Yale"]
SMALL = {"sonar", "dna1400", "dna", "digits"}

#: Feng, Qian & Tang (AAAI 2019), Table 1; its dna row fits the first 1400 rows of dna.
PAPER = {
    "sonar": {
        "two-stage": 2.656,
        "ApproxSVD": 2.860,
        "greedy": 2.852,
        "IterFS": 2.524,
        "POCSS": 2.524,
    },
    "dna1400": {
        "two-stage": 1.334,
        "ApproxSVD": 1.325,
        "greedy": 1.320,
        "IterFS": 1.313,
        "POCSS": 1.311,
    },
}

#: What is run of each class: label, parameters. Classes not named here run with their defaults.
VARIANTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "GreedyCSS": [("greedy", {})],
    "TwoStageCSS": [
        ("two-stage", {}),
        ("two-stage, sampled", {"sampling": "random"}),
    ],
    "ApproxSVDCSS": [("ApproxSVD", {})],
    "LeverageScoreCSS": [
        ("leverage scores", {}),
        ("leverage scores, sampled", {"sampling": "random"}),
    ],
    "WeightedAStarCSS": [
        ("WA*, 0.5 g", {"v": "g", "time_budget": 20.0}),
        ("WA*, 0.5 h", {"v": "h", "time_budget": 20.0}),
    ],
    "POCSS": [("POCSS", {"polish": False}), ("POCSS, polished", {})],
    "IterFS": [("IterFS", {}), ("IterFS from greedy", {"init": "greedy"})],
    "RandomCSS": [("random", {})],
    "ExactCSS": [],  # for tiny k
    "IteratedLocalSearchCSS": [],  # by time, below
}
#: Have a random_state they do not use.
FIXED = {"two-stage", "leverage scores", "IterFS from greedy"}
RIVALS = {
    "cur": "scikit-matter CUR",
    "fps": "scikit-matter FPS",
    "fastcan": "fastcan, PCA targets",
    "fastcan_eta": "fastcan (eta), PCA targets",
    "pivoted_qr": "SciPy pivoted QR",
}


def runs_of(
    data: Table, method: Method, label: str, parameters: dict[str, Any], n_runs: int
) -> dict[str, Any]:
    """One line of the table: a method on a data set, several times if it is random."""
    cls = method.load()
    accepted = inspect.signature(cls).parameters
    is_random = "random_state" in accepted and label not in FIXED
    ratios, seconds = [], []
    for seed in range(n_runs if is_random else 1):
        given = parameters | ({"random_state": seed} if is_random else {})
        work = cls(n_features_to_select=K, scale="unit", **given).fit
        repeats = 1 if is_random or "time_budget" in given else 3
        fitted, spent = best_time(lambda work=work: work(data.X), repeats=repeats)
        ratios.append(data.error_ratio(fitted.ranking_[:K]))
        seconds.append(spent)
    return row(data, label, ratios, seconds)


def row(data: Table, label: str, ratios: list[float], seconds: list[float]) -> dict[str, Any]:
    name, (m, n) = data.name, data.X.shape
    line = {
        "set": name,
        "m": m,
        "n": n,
        "method": label,
        "runs": len(ratios),
        "ratio": float(np.mean(ratios)),
        "std": float(np.std(ratios)),
        "best": float(np.min(ratios)),
        "seconds": float(np.mean(seconds)),
        "paper": PAPER.get(name, {}).get(label, ""),
        "date": date.today().isoformat(),
    }
    print(
        f"{name:8s} {label:34s} {line['ratio']:.4f} +- {line['std']:.4f} (best {line['best']:.4f})"
        f"  {seconds_text(line['seconds']):>8s}",
        flush=True,
    )
    return line


def warm_up(methods: list[Method]) -> None:
    """Compile what is compiled on first use."""
    X = np.random.RandomState(0).normal(size=(40, 12))
    for method in methods:
        cls = method.load()
        short = {"max_iter": 200} if "max_iter" in inspect.signature(cls).parameters else {}
        cls(n_features_to_select=3, **short).fit(X)


def own_methods(data: Table, methods: list[Method], options: Any) -> list[dict[str, Any]]:
    lines = []
    for method in methods:
        for variant, parameters in VARIANTS.get(method.class_name, [(method.name, {})]):
            lines.append(runs_of(data, method, variant, parameters, options.runs))
    local = next((m for m in methods if m.class_name == "IteratedLocalSearchCSS"), None)
    if local is not None:
        budgets = [
            (line["seconds"], "best quality, time of POCSS")
            for line in lines
            if line["method"] == "POCSS"
        ]
        if data.name not in SMALL or not budgets:
            budgets.append((options.seconds, f"best quality, {options.seconds:g} s"))
        for seconds, label in budgets:
            n_runs = options.runs if seconds < 5 else min(3, options.runs)
            given = {"time_budget": seconds, "full_path": False}
            lines.append(runs_of(data, local, label, given, n_runs))
    return lines


def rivals(data: Table, names: list[str], folder: Path) -> list[dict[str, Any]]:
    answer = run_rivals(folder, data.A, K, names)
    lines = []
    for result in answer["results"]:
        label = RIVALS[result["name"]]
        if "refused" in result:
            print(f"{data.name:8s} {label:34s} refused: {result['refused'].splitlines()[0]}")
        elif len(result["indices"]) < K:
            print(f"{data.name:8s} {label:34s} gave {len(result['indices'])} columns only")
        else:
            ratio = data.error_ratio(result["indices"])
            line = row(data, label, [ratio], [result["seconds"]])
            versions = ", ".join(f"{p} {v}" for p, v in answer["versions"].items())
            lines.append(line | {"packages": versions})
    return lines


def duels(lines: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """For every rival: the quickest of ours whose mean error is smaller."""
    header = [
        "table",
        "rival",
        "error ratio",
        "time",
        "here",
        "error ratio",
        "time",
        "times faster",
    ]
    cells = []
    for rival in (x for x in lines if x["method"] in RIVALS.values()):
        ours = [
            x
            for x in lines
            if x["set"] == rival["set"]
            and x["method"] not in {*RIVALS.values(), "random"}
            and x["ratio"] < rival["ratio"]
        ]
        cell = [
            rival["set"],
            rival["method"],
            f"{rival['ratio']:.4f}",
            seconds_text(rival["seconds"]),
        ]
        if ours:
            best = min(ours, key=lambda x: x["seconds"])
            faster = rival["seconds"] / best["seconds"]
            cell += [best["method"], f"{best['ratio']:.4f}"]
            cell += [seconds_text(best["seconds"]), f"{faster:.2g}"]
        else:
            cell += ["none", "", "", ""]
        cells.append(cell)
    return header, cells


def merged(old: Path, new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines of an earlier run, those measured again replaced."""
    kinds = {"m": int, "n": int, "runs": int, "ratio": float, "std": float, "best": float}
    kinds["seconds"] = float
    with old.open(newline="") as file:
        lines = [
            {name: kinds.get(name, str)(value) for name, value in line.items()}
            for line in csv.DictReader(file)
        ]
    again = {(x["set"], x["method"]): x for x in new}
    lines = [again.pop((x["set"], x["method"]), x) for x in lines]
    return lines + list(again.values())


def report(lines: list[dict[str, Any]]) -> str:
    rival_versions = "; ".join(dict.fromkeys(x["packages"] for x in lines if x.get("packages")))
    parts = [
        "# Column subset selection: error ratios\n",
        f"k = {K}; ratio = ||A - S S^+ A||^2 / ||A - A_k||^2, columns of unit norm, not centered; "
        "recomputed from the chosen columns for every package alike. Mean +- standard deviation "
        "over the runs. Time: CPU time of one whole fit on one thread. paper: Feng, Qian & Tang "
        "(AAAI 2019), Table 1. Budgets of time (WA*: 20 s; best quality) are of the clock: on a "
        "busy machine the CPU time they got is less.\n",
        f"{machine()}. Measured {' and '.join(sorted({x['date'] for x in lines}))}.\n",
    ]
    if rival_versions:
        parts.append(
            f"Rivals, in an environment of their own: {rival_versions}. They get the columns "
            "already scaled; scikit-matter and fastcan run with their defaults (fastcan centers "
            "the columns itself, its targets are the k leading principal components).\n"
        )
        parts += ["## Beside each rival, the quickest method here with a smaller error\n"]
        parts.append(markdown(*duels(lines)))
    for name in dict.fromkeys(x["set"] for x in lines):
        here = sorted((x for x in lines if x["set"] == name), key=lambda x: x["ratio"])
        note = SETS[name][0]
        shape = f"{here[0]['m']} x {here[0]['n']}"
        parts.append(f"## {name} ({shape}{', ' + note if note else ''})\n")
        cells = [
            [
                x["method"],
                f"{x['ratio']:.4f}" + (f" +- {x['std']:.4f}" if x["runs"] > 1 else ""),
                f"{x['best']:.4f}",
                str(x["paper"]),
                str(x["runs"]),
                seconds_text(x["seconds"]),
            ]
            for x in here
        ]
        parts.append(markdown(["method", "error ratio", "best", "paper", "runs", "time"], cells))
    return "\n".join(parts)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=DEFAULT_SETS)
    parser.add_argument("--methods", nargs="+", help="names of sksieve's catalogue and of rivals")
    parser.add_argument("--runs", type=int, default=10, help="of random methods")
    parser.add_argument("--seconds", type=float, default=15.0, help="best-quality mode, large sets")
    parser.add_argument("--rival-env", type=Path, default=CACHE)
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--quick", action="store_true", help="sonar and digits, two runs, 1 s")
    parser.add_argument("--update", action="store_true", help="keep what is not measured again")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    if options.quick:
        options.sets, options.runs, options.seconds = ["sonar", "digits"], 2, 1.0
    return options


def main() -> None:
    options = parse()
    wanted = options.methods
    methods = [m for m in list_methods("columns") if wanted is None or m.name in wanted]
    rival_names = [] if options.no_rivals else [r for r in RIVALS if not wanted or r in wanted]
    lines: list[dict[str, Any]] = []
    with threadpool_limits(limits=1):
        warm_up(methods)
        for name in options.sets:
            data = table(name)
            lines += own_methods(data, methods, options)
            if rival_names:
                lines += rivals(data, rival_names, options.rival_env)
    if options.update:
        lines = merged(options.out / "css_quality.csv", lines)
    write_csv(options.out / "css_quality.csv", lines)
    (options.out / "css_quality.md").write_text(report(lines))
    print(f"wrote {options.out / 'css_quality.md'}")


if __name__ == "__main__":
    main()
