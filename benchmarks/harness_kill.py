"""Runners that are killed at random moments: is a finished cell lost, or the table another?

    python benchmarks/harness_kill.py [--kills 50] [--seed 0] [--write]

`kill -9` of a lone runner, and of one of two that share a store (either of them), at moments drawn
at random while they work. After every kill: every cell that was finished is still there as it was,
and every fit has its scores. When a store is full: each cell is there once, and the table is, byte
for byte, that of an undisturbed run with another number of workers and another order of the cells.
A store that is full before the kills are spent is checked, and another one begun.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from joblib.externals.loky import get_reusable_executor

from _common import RESULTS, machine, markdown, write_csv
from sksieve.bench import Spec, Store, parse_spec, result_table, results, run_spec
from sksieve.bench._work import Job, perform

#: A runner lives so many seconds at most before it is killed.
LONGEST = 0.25


def grid(repetitions: int, *, turned: bool = False) -> Spec:
    """A grid of quick cells, and the same cells in another order."""
    datasets, k, methods = ["iris", "wine"], [1, 2, 3], ["greedy", "random", "iterfs"]
    if turned:
        datasets, k, methods = datasets[::-1], k[::-1], methods[::-1]
    content = {"protocol": "css", "datasets": datasets, "k": k, "repetitions": repetitions}
    return parse_spec({**content, "method": [{"name": name} for name in methods]}, name="killed")


def start(spec: Spec, folder: Path, n_jobs: int = 1) -> int:
    """A runner in a process of its own."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        with Store(folder) as store:
            run_spec(spec, store, n_jobs=n_jobs)
        if n_jobs > 1:
            get_reusable_executor().shutdown()
        code = 0
    finally:
        os._exit(code)


def ended(pid: int) -> bool:
    """Has it come to its end? It must have done so in peace."""
    done, status = os.waitpid(pid, os.WNOHANG)
    assert not done or status == 0, f"a runner ended with status {status}"
    return bool(done)


def finished(folder: Path) -> dict[str, float]:
    """Key of every finished cell -> when it was finished."""
    path = folder / "store.sqlite"
    if not path.exists():
        return {}
    db = sqlite3.connect(path, timeout=60)
    try:
        fits = dict(db.execute("SELECT key, finished FROM fits").fetchall())
        scored = {key for (key,) in db.execute("SELECT DISTINCT key FROM scores")}
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):  # killed before the tables were made
            raise
        return {}
    finally:
        db.close()
    assert fits.keys() <= scored, "a fit without its scores"
    return fits


def table(spec: Spec, store: Store) -> list[str]:
    made = result_table(results(spec, store), spec.rules, name=spec.name)
    return [made.text(form) for form in ("csv", "md", "tex")]


def torment(
    spec: Spec, folder: Path, runners: int, kills: Iterator[float], rng: Any
) -> tuple[int, int, int]:
    """Kill runners of one store until it is full or no kills are left.

    How many kills, how many of them after cells had been finished since the one before, and how
    many cells were lost.
    """
    killed, midway, lost, before = 0, 0, 0, finished(folder)
    pids = [start(spec, folder) for _ in range(runners)]
    for moment in kills:
        time.sleep(moment)
        pids = [pid for pid in pids if not ended(pid)]
        if not pids:
            return killed, midway, lost
        victim = pids.pop(rng.randrange(len(pids)))
        os.kill(victim, signal.SIGKILL)
        os.waitpid(victim, 0)
        after = finished(folder)
        killed, lost = killed + 1, lost + sum(after.get(k) != when for k, when in before.items())
        midway, before = midway + (len(after) > len(before)), after
        pids.append(start(spec, folder))
    for pid in pids:
        assert os.waitpid(pid, 0)[1] == 0, "a runner failed"
    return killed, midway, lost


def scenario(
    spec: Spec, expected: list[str], runners: int, kills: int, rng: random.Random
) -> dict[str, Any]:
    """So many kills, over as many stores as they take."""
    name = {1: "a lone runner", 2: "one of two runners"}[runners]
    total = sum(1 for _ in spec.tasks())
    row = {"killed": name, "kills": 0, "midway": 0, "stores": 0, "cells": total, "lost": 0}
    row["other_tables"] = 0
    while row["kills"] < kills:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            moments = (rng.uniform(0.0, LONGEST) for _ in range(kills - row["kills"]))
            killed, midway, lost = torment(spec, folder, runners, moments, rng)
            with Store(folder) as store:
                far = run_spec(spec, store)  # nothing should be left to do
                same = far == (total, total, 0) and table(spec, store) == expected
            row["kills"] += killed
            row["midway"] += midway
            row["stores"] += 1
            row["lost"] += lost + total - len(finished(folder))
            row["other_tables"] += not same
    return row


def undisturbed(repetitions: int) -> list[str]:
    """The table of a run by two workers, in another order."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pid = start(grid(repetitions, turned=True), folder, n_jobs=2)
        assert os.waitpid(pid, 0)[1] == 0, "the undisturbed run failed"
        with Store(folder) as store:
            return table(grid(repetitions), store)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--repetitions", type=int, default=150, help="eight cells for each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for task in grid(1).tasks():  # loads and compiles everything, before the forks
        perform(Job(task.cell, task.items, None, 60.0))
    expected, spec = undisturbed(given.repetitions), grid(given.repetitions)
    rng = random.Random(given.seed)
    rows = [scenario(spec, expected, runners, given.kills, rng) for runners in (1, 2)]
    heads = ["kill -9 of", "kills", "after new cells", "stores filled", "cells each"]
    heads += ["cells lost", "other tables"]
    cells = [[str(value) for value in row.values()] for row in rows]
    text = f"{machine()}.\n\n{markdown(heads, cells)}"
    sys.stdout.write(text)
    if given.write:
        write_csv(RESULTS / "harness_kill.csv", rows)
        page = "# Runners killed at random moments\n\nBy `benchmarks/harness_kill.py`. "
        (RESULTS / "harness_kill.md").write_text(page + text, encoding="utf-8")
    sys.exit(any(row["lost"] or row["other_tables"] for row in rows))


if __name__ == "__main__":
    main()
