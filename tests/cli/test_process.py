"""The command as a process: start-up, pipes, Ctrl-C, exit codes."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sksieve
from sksieve.workflows._fitting import Interrupt

SKSIEVE = (sys.executable, "-m", "sksieve")
#: The default method with more time than a test has.
ENDLESS = ("-k", "12", "--time", "1h")
#: Seconds before a test gives up: kernels may have to be compiled first, on a busy machine.
LIMIT = 300


def run(*words: object, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        list(map(str, words)), capture_output=True, text=True, timeout=LIMIT, check=False, **options
    )


@pytest.fixture
def wide(tmp_path) -> Path:
    rng = np.random.default_rng(0)
    np.save(tmp_path / "wide.npy", rng.normal(size=(200, 60)))
    return tmp_path / "wide.npy"


HELP = [[], ["select"], ["methods"], ["cluster"], ["communities"]]


def test_select_imports_no_pandas_and_no_kernels_of_other_methods(tmp_path):
    """What scikit-learn imports by itself (scipy.stats, scipy.optimize) cannot be left out."""
    rng = np.random.default_rng(0)
    np.savetxt(tmp_path / "a.csv", rng.normal(size=(30, 5)), delimiter=",", header="a,b,c,d,e")
    code = f"""
import sys
sys.modules["coverage"] = None  # numba imports it, and with it sqlite3, where it is installed
sys.argv = ["sksieve", "select", {str(tmp_path / "a.csv")!r}, "-k", "2"]
from sksieve.cli import main
main()
packages = {{"pandas", "matplotlib", "networkx", "dask", "sqlite3", "jinja2"}}
kernels = {{f"sksieve.kernels._{{name}}" for name in ("exact", "l1_graph", "pocss", "srsg")}}
needless = (packages | kernels | {{"sksieve.clustering._srsg"}}) & set(sys.modules)
assert not needless, needless
"""
    result = run(sys.executable, "-c", code)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("words", [[*words, "--help"] for words in HELP], ids=" ".join)
def test_help_imports_nothing_heavy(words):
    code = f"""
import sys
sys.argv = ["sksieve", *{words!r}]
from sksieve.cli import main
try:
    main()
except SystemExit as stop:
    assert stop.code in (0, None), stop.code
heavy = {{"numpy", "scipy", "sklearn", "pandas", "pyarrow", "numba", "matplotlib"}}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    result = run(sys.executable, "-c", code)
    assert result.returncode == 0, result.stderr
    assert "Usage: sksieve" in result.stdout


def test_no_words_show_the_help(invoke):
    result = invoke()
    assert "Usage: sksieve" in result.output
    assert "select" in result.output


def test_version(invoke):
    assert invoke("--version").stdout == f"scikit-sieve {sksieve.__version__}\n"


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_the_extra(package):
    code = f"""
import sys
sys.modules[{package!r}] = None  # as if it were not installed
from sksieve.cli import main
sys.exit(main())
"""
    result = run(sys.executable, "-c", code)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == (
        f"The command line needs {package}, which is not installed: "
        'pip install "scikit-sieve[cli]"\n'
    )


def test_a_pipe_in_and_out():
    table = "a,b,c\n" + "".join(f"{i % 7},{i * i % 11},{i % 3}\n" for i in range(40))
    result = run(*SKSIEVE, "select", "-", "-k", 2, "--method", "greedy", input=table)
    assert (result.returncode, result.stderr) == (0, "")
    assert "standard input: 40 rows, 3 columns." in result.stdout
    assert "\x1b" not in result.stdout


@pytest.fixture(autouse=True)
def listening():
    """Ctrl-C as in a terminal: a shell's background jobs, and so what they start, ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _start(*words: object, **options) -> subprocess.Popen:
    return subprocess.Popen(
        [*SKSIEVE, *map(str, words)], stdout=subprocess.PIPE, text=True, **options
    )


def test_ctrl_c_keeps_the_best_answer(wide):
    """On a terminal: the progress bar says when the search is under way."""
    ours, theirs = pty.openpty()
    with _start("select", wide, *ENDLESS, "--json", stderr=theirs) as process:
        try:
            os.close(theirs)
            message = _read_until(ours, b"iterations")
            assert re.search(rb"Choosing 12 of 60 columns", message)
            process.send_signal(signal.SIGINT)
            message = _read_until(ours, None)
            output, _ = process.communicate(timeout=LIMIT)
        finally:
            process.kill()
    assert process.returncode == 0
    assert re.search(rb"Interrupted: best result after [\d,]+ iterations? \(", message)
    assert b"smaller sizes take its columns in greedy order and were not searched." in message
    document = json.loads(output)
    assert document["fit"]["interrupted"]
    assert document["fit"]["stop_reason"] == "callback"
    assert len(document["chosen"]) == 12
    assert document["train"]["ratio"] >= 1


def test_a_second_ctrl_c_gives_up(capfd):
    before = signal.getsignal(signal.SIGINT)
    with Interrupt(active=True) as interrupt:
        assert not interrupt({}, None)
        signal.raise_signal(signal.SIGINT)
        assert interrupt({}, None)
        assert "press Ctrl-C again to abort" in capfd.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_is_left_alone_without_a_loop(invoke, wide, monkeypatch):
    def interrupted(self: object, X: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(sksieve.GreedyCSS, "fit", interrupted)
    result = invoke("select", wide, "-k", 2, "--method", "greedy")
    assert result.exit_code == 130
    assert (result.stdout, result.stderr) == ("", "Error: Interrupted; there is no result.\n")


def test_ctrl_c_while_reading():
    """A pipe that stays open; a write beyond its buffer ends when the other side reads."""
    words = ("select", "-", "-k", "2", "--method", "greedy")
    process = _start(*words, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write("a,b\n" + "1,2\n" * 300_000)
    process.send_signal(signal.SIGINT)
    output, message = process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert (output, message) == ("", "Error: Interrupted; there is no result.\n")


def _read_until(descriptor: int, word: bytes | None) -> bytes:
    """What comes from a terminal up to `word`, or to its end."""
    message, limit = b"", time.monotonic() + LIMIT
    while word is None or word not in message:
        assert time.monotonic() < limit, message
        try:
            part = os.read(descriptor, 4096)
        except OSError:  # Linux: the other side is closed
            part = b""
        if not part:
            break
        message += part
    return message
