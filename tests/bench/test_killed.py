"""A runner that is killed loses nothing that was finished, and the table is the same to the bit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sksieve.bench import Store, progress, read_spec

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the script starts runners by fork")
def test_a_lone_runner_and_one_of_two_are_killed_at_random_moments():
    """The script of the benchmark, with one kill each; it says what it checks."""
    script = ROOT / "benchmarks" / "harness_kill.py"
    command = [sys.executable, script, "--kills", "1", "--repetitions", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[-2:]]
    assert [row[0] for row in rows] == ["a lone runner", "one of two runners"]
    for row in rows:
        assert [int(cell) for cell in (row[1], row[5], row[6])] == [1, 0, 0]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_workers_in_a_cell_end_when_their_runner_is_killed(tmp_path):
    path = tmp_path / "spec.toml"
    path.write_text(
        'protocol = "css"\ndatasets = ["iris", "wine"]\nk = [1]\n[[method]]\n'
        'name = "tests.bench.own_methods:Hangs"\n'
    )
    command = [sys.executable, "-m", "sksieve", "bench", "run", path, "--jobs", "2"]
    command += ["--store", tmp_path / "store"]
    runner = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        workers = wait_for(lambda: hanging(runner.pid), 120)
    finally:
        os.kill(runner.pid, signal.SIGKILL)
        runner.wait()
    wait_for(lambda: not any(map(alive, workers)), 30)
    spec = read_spec(path)
    with Store(tmp_path / "store") as store:
        assert progress(spec, store).done == 0
        assert all(store.claim([(t.cell, t.items)])[0].items == t.items for t in spec.tasks())


def hanging(runner):
    """The workers of a runner, once both are in a cell (and so have the alarm's handler)."""
    pids = [
        int(stat.parent.name)
        for stat in Path("/proc").glob("[0-9]*/stat")
        if parent_of(stat) == runner and catches_alarm(stat.with_name("status"))
    ]
    return pids if len(pids) == 2 else None


def parent_of(stat):
    try:
        return int(stat.read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


def catches_alarm(status):
    caught = [line for line in status.read_text().splitlines() if line.startswith("SigCgt")]
    return bool(int(caught[0].split()[1], 16) >> (signal.SIGALRM - 1) & 1)


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s")


class Interrupted:
    """A connection; a rival makes the store after its first statement."""

    def __init__(self, db, rival):
        self._db, self._rival = db, rival

    def execute(self, *words):
        answer = self._db.execute(*words).fetchall()
        rival, self._rival = self._rival, None
        if rival:
            rival()
        return iter_of(answer)

    def __getattr__(self, name):
        return getattr(self._db, name)


def iter_of(rows):
    class Rows:
        def fetchone(self):
            return rows[0] if rows else None

        def fetchall(self):
            return rows

    return Rows()


def test_two_runners_may_make_a_store_at_once(tmp_path, monkeypatch):
    whole = Store._writer

    def writer(self):
        monkeypatch.setattr(Store, "_writer", whole)
        return Interrupted(whole(self), lambda: Store(tmp_path).close())

    monkeypatch.setattr(Store, "_writer", writer)
    with Store(tmp_path) as store:
        assert store.path.exists()
