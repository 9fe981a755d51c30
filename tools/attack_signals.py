"""Stop real commands by SIGINT and SIGTERM at random moments, and check what they leave behind.

python tools/attack_signals.py --times 200 --seed 0

Each run must end by itself (exit 0 or 1) or with 130 or 143, without a traceback, with the old
output whole and no part of a file left. Prints a line for each failure and the exit codes.
"""

from __future__ import annotations

import argparse
import collections
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


def main() -> int:
    """Run the attack; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--earliest",
        type=float,
        default=0.3,
        help="seconds; the interpreter's own start cannot be guarded",
    )
    parser.add_argument("--latest", type=float, default=6.0)
    given = parser.parse_args()
    rng, codes, failed = random.Random(given.seed), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tried = commands(folder)
        for _ in range(given.times):
            words, number = rng.choice(tried), rng.choice([signal.SIGINT, signal.SIGTERM])
            after = rng.uniform(given.earliest, given.latest)
            code, wrong = attack(words, number, after, folder)
            codes[code] += 1
            if wrong:
                failed += 1
                print(f"{words[0]} {signal.Signals(number).name} after {after:.2f} s: {wrong}")
    print(f"{given.times} runs, {failed} failed; exit codes {dict(codes)}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
