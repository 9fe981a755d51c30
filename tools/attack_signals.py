"""Stop real commands by SIGINT and SIGTERM at random moments, and check what they leave behind.

    python tools/attack_signals.py --times 200 --seed 0
    python tools/attack_signals.py --times 800 --log signals.jsonl \
        --table benchmarks/results/attack_signals.md  # a second call goes on

Run i of a seed takes command i modulo four, a signal, and a moment: a share of the CPU seconds that
the command takes when nobody stops it, so that the moments do not depend on the load of the
machine. It must end by itself (exit 0) with a whole output, or with 130 or 143 without a traceback,
with the old output whole and no part of a file left. Before ``main()`` the interpreter's own
handling holds: SIGTERM ends the process, SIGINT prints Python's traceback. Prints a line for each
failure and the exit codes; runs that the log has are not repeated, and several processes may share
one. Linux only.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import math
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

OLD = "what stood here before\n"
LIMIT = 300  # seconds by the clock after which a process counts as hanging
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


def started(words: list[str], folder: Path) -> subprocess.Popen[str]:
    """A process of the command, on what an earlier one left."""
    shutil.rmtree(folder / "store", ignore_errors=True)
    (folder / "out.csv").write_text(OLD)
    for part in folder.rglob("*.part"):
        part.unlink()
    return subprocess.Popen(
        [sys.executable, "-m", "sksieve", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    """CPU time of a process, of all its threads (the clock's number is Linux's)."""
    return time.clock_gettime((~process.pid << 3) | 2)


def duration(words: list[str], folder: Path) -> float:
    """CPU seconds of a command that nobody stops, with kernels compiled."""
    for _ in range(2):
        process, before = started(words, folder), children_seconds()
        process.communicate()
        assert process.returncode == 0, words
    return children_seconds() - before


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def stop(process: subprocess.Popen[str], number: int, after: float) -> bool:
    """Send the signal after so many CPU seconds; whether ``main()`` had set handlers by then."""
    while process.poll() is None and cpu_seconds(process) < after:
        time.sleep(0.001)
    status = Path(f"/proc/{process.pid}/status")
    process.send_signal(signal.SIGSTOP)  # between reading and sending nothing may happen
    while process.poll() is None and "\nState:\tT" not in status.read_text():
        time.sleep(0.001)
    if process.poll() is not None:
        return True
    fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines())
    process.send_signal(number)
    process.send_signal(signal.SIGCONT)
    return any(int(fields[name], 16) >> (signal.SIGTERM - 1) & 1 for name in ("SigCgt", "SigIgn"))


def attack(words: list[str], number: int, after: float, folder: Path) -> tuple[bool, int, str]:
    """Stop a command: whether ``main()`` ran, the exit code, what is wrong (nothing: empty)."""
    with started(words, folder) as process:
        inside = stop(process, number, after)
        try:
            message = process.communicate(timeout=LIMIT)[1]
        except subprocess.TimeoutExpired:
            used = cpu_seconds(process)
            process.kill()
            return inside, -9, f"did not end within {LIMIT} s ({used:.1f} s of CPU)"
    code = process.returncode
    allowed = {0, 128 + number} if inside else {-number, 1}
    wrong = [] if code in allowed else [f"exit code {code}"]
    if "Traceback" in message and inside:
        wrong.append(f"traceback: {message.strip().splitlines()[-1]}")
    if parts := [path.name for path in folder.rglob("*.part")]:
        wrong.append(f"left {parts}")
    if "-o" in words and not whole((folder / "out.csv").read_text(), code):
        wrong.append("half an output")
    if (folder / "store").exists() and not sound(folder / "store" / "store.sqlite"):
        wrong.append("a damaged store")
    return inside, code, "; ".join(wrong)


def whole(text: str, code: int) -> bool:
    """Whether an output is the old one, or a new one of a command that came so far."""
    return text.count("\n") > 30 or (code != 0 and text == OLD)


def sound(store: Path) -> bool:
    """Whether SQLite finds nothing wrong with a store, or there is none yet."""
    if not store.exists():
        return True
    with contextlib.closing(sqlite3.connect(store)) as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",))


class Run(NamedTuple):
    """One run and how it ended; `after` and `whole` are CPU seconds: at the signal, unstopped."""

    index: int
    command: str
    signal: str
    after: float
    whole: float
    inside: bool
    code: int
    wrong: str


class Attack:
    """The commands with their durations, and the runs of a seed."""

    def __init__(self, seed: int, folder: Path, runs: dict[int, Run]) -> None:
        self.seed, self.folder = seed, folder
        self.commands = commands(folder)
        known = {run.index % len(self.commands): run.whole for run in runs.values()}
        self.durations = [
            known[i] if i in known else duration(words, folder)
            for i, words in enumerate(self.commands)
        ]

    def run(self, index: int) -> Run:
        """Run `index` of the seed."""
        rng = random.Random(f"{self.seed} {index}")
        words = self.commands[index % len(self.commands)]
        seconds = self.durations[index % len(self.commands)]
        number = rng.choice([signal.SIGINT, signal.SIGTERM])
        after = rng.uniform(0, seconds)
        result = attack(words, number, after, self.folder)
        name = " ".join(words[:2]) if words[0] == "bench" else words[0]
        shown = (round(after, 3), round(seconds, 2))
        return Run(index, name, signal.Signals(number).name, *shown, *result)


def page(runs: list[Run], seed: int) -> str:
    """How the runs ended, as a table."""
    lengths = {run.command: run.whole for run in runs}
    lines = [
        "# Commands stopped by signals",
        "",
        f"`python tools/attack_signals.py --times {len(runs)} --seed {seed}`: real processes, "
        "stopped at a moment drawn evenly from the CPU time that the command takes "
        f"({', '.join(f'{name} {seconds:.1f} s' for name, seconds in lengths.items())}). "
        "Finished: exit 0, done before the signal, or the best result after Ctrl-C. Stopped: exit "
        "130 (SIGINT) or 143 (SIGTERM) with a sentence. Before main: the interpreter and the "
        "package's names are still loaded, in the first twentieth of a second, and Python's own "
        "handling holds: SIGTERM ends the process (a shell reports 143), SIGINT prints a "
        "traceback; nothing has been opened. Failed: any other exit code, a traceback, a changed "
        "or incomplete output, a damaged store, or a part of a file left.",
        "",
        "| command | signal | runs | before main | stopped | finished | failed |",
        "|---|---|---|---|---|---|---|",
    ]
    for command, name in sorted({(run.command, run.signal) for run in runs}):
        group = [run for run in runs if (run.command, run.signal) == (command, name)]
        counts = [
            sum(not run.inside for run in group),
            sum(run.inside and run.code > 128 for run in group),
            sum(run.inside and run.code == 0 for run in group),
            sum(bool(run.wrong) for run in group),
        ]
        lines.append(f"| {command} | {name} | {len(group)} | {' | '.join(map(str, counts))} |")
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
        attacks = Attack(given.seed, Path(name), runs)
        for index in random.sample(range(given.times), given.times):  # several may share a log
            runs |= logged(given.log, given.seed)
            if index in runs:
                continue
            if time.monotonic() - start > 60 * given.minutes:
                break
            one = attacks.run(index)
            runs[index] = one
            log.write(json.dumps({"seed": given.seed, **one._asdict()}) + "\n")
            log.flush()
            if one.wrong:
                print(
                    f"{one.command} {one.signal} after {one.after:.3f} s: {one.wrong}", flush=True
                )
    if given.table:
        given.table.write_text(page(list(runs.values()), given.seed), encoding="utf-8")
    failed = sum(bool(one.wrong) for one in runs.values())
    codes = dict(collections.Counter(one.code for one in runs.values()))
    print(f"{len(runs)} runs, {failed} failed; exit codes {codes}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
