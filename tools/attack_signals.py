"""Stop real commands by SIGINT and SIGTERM at random moments, and check what they leave behind.

    python tools/attack_signals.py --times 200 --seed 0
    python tools/attack_signals.py --times 800 --log signals.jsonl --table signals.md  # goes on

Run i of a seed takes command i modulo four, a signal and a moment. It must end by itself (exit 0 or
1) or with 130 or 143, without a traceback, with the old output whole and no part of a file left.
Prints a line for each failure and the exit codes; runs that the log has are not repeated.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

OLD = "what stood here before\n"
SPEC = """protocol = "default"
datasets = ["wine"]
k = [3]
repetitions = 1
repeats = 2
budget = 60

[[method]]
name = "greedy"
"""


def commands(folder: Path) -> list[list[str]]:
    """The commands, on small data in `folder`."""
    rng = random.Random(1)
    rows = [[f"{rng.gauss(i % 3, 1):.3f}" for _ in range(12)] for i in range(120)]
    names = ",".join(f"c{j}" for j in range(12))
    (folder / "table.csv").write_text("\n".join([names, *map(",".join, rows)]) + "\n")
    edges = [
        (a, b)
        for a in range(40)
        for b in range(a)
        if rng.random() < (0.4 if a % 2 == b % 2 else 0.05)
    ]
    (folder / "graph.csv").write_text("from,to\n" + "".join(f"v{a},v{b}\n" for a, b in edges))
    (folder / "spec.toml").write_text(SPEC)
    out = ["-o", str(folder / "out.csv")]
    return [
        ["select", str(folder / "table.csv"), "-k", "4", *out],
        ["cluster", str(folder / "table.csv"), "-c", "3", *out],
        ["communities", str(folder / "graph.csv"), "-c", "2", *out],
        ["bench", "run", str(folder / "spec.toml"), "--store", str(folder / "store")],
    ]


def attack(words: list[str], number: int, after: float, folder: Path) -> tuple[int, str]:
    """Run a command, send it a signal, and say what is wrong (nothing: empty)."""
    out = folder / "out.csv"
    out.write_text(OLD)
    process = subprocess.Popen(
        [sys.executable, "-m", "sksieve", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(after)
    process.send_signal(number)
    try:
        _, message = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        return -9, "did not end"
    code = process.returncode
    parts = [path.name for path in folder.rglob("*.part")]
    wrong = []
    if code not in (0, 1, 128 + number):
        wrong.append(f"exit code {code}")
    if "Traceback" in message:
        wrong.append(f"traceback: {message.strip().splitlines()[-1]}")
    if parts:
        wrong.append(f"left {parts}")
    if (
        code == 128 + number
        and "-o" in words
        and not (out.read_text() == OLD or out.read_text().count("\n") > 30)
    ):
        wrong.append("half an output")
    return code, "; ".join(wrong)


class Run(NamedTuple):
    """One run and how it ended."""

    index: int
    command: str
    signal: str
    after: float
    code: int
    wrong: str


def run(index: int, seed: int, earliest: float, latest: float, folder: Path) -> Run:
    """Run `index` of a seed."""
    rng = random.Random(f"{seed} {index}")
    tried = commands(folder)
    shutil.rmtree(folder / "store", ignore_errors=True)
    words, number = tried[index % len(tried)], rng.choice([signal.SIGINT, signal.SIGTERM])
    after = rng.uniform(earliest, latest)
    code, wrong = attack(words, number, after, folder)
    name = " ".join(words[:2]) if words[0] == "bench" else words[0]
    return Run(index, name, signal.Signals(number).name, round(after, 2), code, wrong)


def page(runs: list[Run], seed: int) -> str:
    """The exit codes as a table."""
    codes = sorted({run.code for run in runs})
    lines = [
        "# Commands stopped by signals",
        "",
        f"`python tools/attack_signals.py --times {len(runs)} --seed {seed}`: real processes, "
        f"stopped {min(r.after for r in runs):g} to {max(r.after for r in runs):g} s after their "
        "start. Exit 0: done before the signal; 130 and 143: stopped by SIGINT and SIGTERM. "
        "Failed: a traceback, another exit code, a changed output or a part of a file left.",
        "",
        f"| command | signal | {' | '.join(f'exit {code}' for code in codes)} | failed |",
        "|---|---|" + "---|" * (len(codes) + 1),
    ]
    for command, name in sorted({(run.command, run.signal) for run in runs}):
        group = [run for run in runs if (run.command, run.signal) == (command, name)]
        cells = [sum(run.code == code for run in group) for code in codes]
        cells.append(sum(bool(run.wrong) for run in group))
        lines.append(f"| {command} | {name} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def logged(path: Path | None, seed: int) -> dict[int, Run]:
    """The runs of this seed that a log has."""
    if path is None or not path.exists():
        return {}
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {r["index"]: Run(**r) for r in records if r.pop("seed") == seed}


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--earliest",
        type=float,
        default=0.3,
        help="seconds; the interpreter's own start cannot be guarded",
    )
    parser.add_argument("--latest", type=float, default=6.0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after this long")
    parser.add_argument("--log", type=Path, help="JSON lines; runs found in it are not repeated")
    parser.add_argument("--table", type=Path, help="Markdown file for the table")
    return parser.parse_args()


def main() -> int:
    """Run the attack; 1 if anything failed."""
    given, start = options(), time.monotonic()
    runs = logged(given.log, given.seed)
    with (
        tempfile.TemporaryDirectory() as name,
        (given.log or Path(os.devnull)).open("a", encoding="utf-8") as log,
    ):
        for index in range(given.times):
            if index in runs:
                continue
            if time.monotonic() - start > 60 * given.minutes:
                break
            one = run(index, given.seed, given.earliest, given.latest, Path(name))
            runs[index] = one
            log.write(json.dumps({"seed": given.seed, **one._asdict()}) + "\n")
            log.flush()
            if one.wrong:
                print(
                    f"{one.command} {one.signal} after {one.after:.2f} s: {one.wrong}", flush=True
                )
    if given.table:
        given.table.write_text(page(list(runs.values()), given.seed), encoding="utf-8")
    failed = sum(bool(one.wrong) for one in runs.values())
    codes = dict(collections.Counter(one.code for one in runs.values()))
    print(f"{len(runs)} runs, {failed} failed; exit codes {codes}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
