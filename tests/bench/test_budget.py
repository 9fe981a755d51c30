"""The budget of a block: what counts against it, in the main thread and in others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from numba import njit

from sksieve.bench._budget import Alarm, OverBudget, budget

ROOT = Path(__file__).parents[2]


def in_main_thread(block: Callable[[], object]) -> BaseException | None:
    """The exception that ends the block, or None."""
    try:
        block()
    except BaseException as error:
        return error
    return None


def in_other_thread(block: Callable[[], object]) -> BaseException | None:
    """The same of a block in a thread that receives no signals."""
    errors: list[BaseException | None] = []
    thread = threading.Thread(target=lambda: errors.append(in_main_thread(block)))
    thread.start()
    thread.join()
    return errors[0]


def compile_for_a_while() -> float:
    """Compile kernels until 0.6 s of the processor are used."""
    start = time.thread_time()
    while time.thread_time() - start < 0.6:

        @njit
        def kernel(x):
            total = 0.0
            for i in range(10):
                total += x * i
            return total

        kernel(1.5)
    return time.thread_time() - start


def compute(seconds: float) -> None:
    start = time.thread_time()
    while time.thread_time() - start < seconds:
        pass


@pytest.mark.parametrize("run", [in_main_thread, in_other_thread])
def test_compiling_is_not_counted(run):
    def block() -> None:
        with budget(0.3):
            assert compile_for_a_while() >= 0.6

    assert run(block) is None


@pytest.mark.parametrize("run", [in_main_thread, in_other_thread])
def test_computing_after_compiling_is_counted(run):
    def block() -> None:
        with budget(0.3):
            compile_for_a_while()
            compute(5)

    start = time.process_time()
    assert isinstance(run(block), OverBudget)
    assert time.process_time() - start < 4


@pytest.fixture
def without_signals(monkeypatch):
    """As on Windows: no alarm, no clock of another thread."""
    for name in ("SIGALRM", "setitimer", "ITIMER_REAL"):
        monkeypatch.delattr(signal, name)
    monkeypatch.delattr(time, "pthread_getcpuclockid")


@pytest.mark.parametrize("run", [in_main_thread, in_other_thread])
def test_a_budget_needs_no_signals(run, without_signals):
    def block() -> None:
        with budget(0.2):
            compute(20)

    start = time.process_time()
    error = run(block)
    assert isinstance(error, OverBudget)
    assert str(error) == "it took longer than its budget of 0.2 s"
    assert time.process_time() - start < 10


def test_a_block_within_its_budget_needs_no_signals(without_signals):
    n_done = 0
    with Alarm() as alarm:
        for _ in range(2):
            with alarm.budget(30):
                compute(0.05)
                n_done += 1
    assert n_done == 2


#: One process forks all workers: a start takes longer than they live.
WORKERS = """
import json, os, pathlib, signal, sys, time
from sksieve.bench._budget import GRACE, PATIENCE, budget
from tests.bench.own_methods import Hangs, HangsInCompiledCode

def runner_is_gone():  # its parent is another process
    with budget(60, runner=1 << 22):
        Hangs().ranked(None)

def runner_is_gone_without_signals():
    del signal.SIGALRM, signal.setitimer
    runner_is_gone()

def hangs_in_compiled_code():
    with budget(0.1, runner=os.getppid()):
        HangsInCompiledCode().ranked(None)

def outlives_its_budget():
    with budget(0.1, runner=os.getppid()):
        pass
    time.sleep(PATIENCE * 0.1 + GRACE + 0.3)

def start(work, errors):
    pid = os.fork()
    if not pid:
        os.dup2(os.open(errors, os.O_CREAT | os.O_WRONLY), 2)
        work()
        os._exit(0)
    return pid

works = (runner_is_gone, runner_is_gone_without_signals, hangs_in_compiled_code,
         outlives_its_budget)
pids = {work.__name__: start(work, work.__name__) for work in works}
codes = {name: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for name, pid in pids.items()}
print(json.dumps({name: (code, pathlib.Path(name).read_text()) for name, code in codes.items()}))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="starts the workers by fork")
def test_when_a_worker_ends(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WORKERS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    ends = json.loads(done.stdout)
    code, message = ends.pop("hangs_in_compiled_code")
    assert code == 1
    assert "Timeout" in message
    assert ends == {
        "runner_is_gone": [1, ""],
        "runner_is_gone_without_signals": [1, ""],
        "outlives_its_budget": [0, ""],
    }
