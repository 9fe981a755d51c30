"""Run a spec in a process of its own and kill it at random moments; print what became of it.

python killed.py SPEC STORE KILLS SEED [RIVAL]; with RIVAL another runner works all the while.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import sys
import time

from sksieve.evaluation import Store, progress, read_spec, run_spec
from sksieve.evaluation._work import Job, perform


def start(spec, folder):
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        with Store(folder) as store:
            run_spec(spec, store)
        code = 0
    finally:
        os._exit(code)


def finished(folder):
    path = os.path.join(folder, "store.sqlite")
    if not os.path.exists(path):
        return {}
    db = sqlite3.connect(path)
    try:
        fits = dict(db.execute("SELECT key, finished FROM fits").fetchall())
        scored = {key for (key,) in db.execute("SELECT DISTINCT key FROM scores")}
    except sqlite3.OperationalError:  # killed before the tables were made
        return {}
    finally:
        db.close()
    assert set(fits) == scored, "a fit without its scores"
    return fits


def main(spec_path, folder, kills, seed, rival=False):
    spec, rng = read_spec(spec_path), random.Random(seed)
    for task in spec.tasks():  # all that is loaded late, before the forks
        if task.cell.repetition == 0:
            perform(Job(task.cell, task.items, None, 60.0))
    total = sum(1 for _ in spec.tasks())
    other = start(spec, folder) if rival else None
    before, midway = finished(folder), 0
    for _ in range(kills):
        pid = start(spec, folder)
        time.sleep(rng.uniform(0.0, 0.2))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        after = finished(folder)
        assert all(after.get(key) == when for key, when in before.items()), "a cell was lost"
        midway += len(before) < len(after) < total
        before = after
    if other is not None:
        assert os.waitpid(other, 0)[1] == 0
    with Store(folder) as store:
        far = progress(spec, store)
    sys.stdout.write(json.dumps({"midway": midway, "total": total, "done": far.done}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), len(sys.argv) > 5)
