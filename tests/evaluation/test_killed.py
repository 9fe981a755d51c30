"""A runner that is killed loses nothing that was finished, and the table is the same to the bit."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sksieve.evaluation import Store, progress, read_spec, result_table, results, run_spec

SPEC = """
name = "tiny"
protocol = "css"
datasets = {datasets}
k = {k}
repetitions = 60
[[method]]
name = "{first}"
[[method]]
name = "{second}"
"""


def write_spec(path, turned=False):
    names, ks, methods = ["iris", "wine"], [1, 2, 3], ["greedy", "random"]
    if turned:
        names, ks, methods = names[::-1], ks[::-1], methods[::-1]
    text = SPEC.format(datasets=json.dumps(names), k=ks, first=methods[0], second=methods[1])
    path.write_text(text)
    return path


def table(spec, store):
    made = result_table(results(spec, store), spec.rules, name=spec.name)
    return [made.text(form) for form in ("csv", "md", "tex")]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    spec = read_spec(write_spec(folder / "spec.toml"))
    with Store(folder / "store") as store:
        run_spec(spec, store)
        return table(spec, store)


def killed(spec_path, folder, kills, *rival):
    script = Path(__file__).with_name("killed.py")
    command = [sys.executable, script, spec_path, folder, str(kills), "0", *rival]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_killed_at_random_moments_then_finished_by_two_workers_in_another_order(
    tmp_path, undisturbed
):
    path = write_spec(tmp_path / "spec.toml", turned=True)
    fate = killed(path, tmp_path / "store", 12)
    assert fate["midway"] >= 1, "no kill came while cells were being finished"
    spec = read_spec(path)
    with Store(tmp_path / "store") as store:
        far = run_spec(spec, store, n_jobs=2)
        assert far.done == far.total == 2 * (1 + 60)
        assert far.failed == 0
        assert table(spec, store) == undisturbed


def test_one_of_two_runners_is_killed_again_and_again(tmp_path, undisturbed):
    path = write_spec(tmp_path / "spec.toml")
    fate = killed(path, tmp_path / "store", 6, "rival")
    assert fate["done"] == fate["total"]
    spec = read_spec(path)
    with Store(tmp_path / "store") as store:
        assert table(spec, store) == undisturbed
    db = sqlite3.connect(tmp_path / "store" / "store.sqlite")
    assert db.execute("SELECT COUNT(*) FROM fits").fetchone() == (fate["total"],)
    assert db.execute("SELECT COUNT(*) FROM scores").fetchone() == (2 * 61 * 3,)


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
        'name = "tests.evaluation.own_methods:Hangs"\n'
    )
    command = [sys.executable, "-m", "sksieve", "bench", "run", path, "--jobs", "2"]
    command += ["--store", tmp_path / "store"]
    runner = subprocess.Popen(command, cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL)
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
