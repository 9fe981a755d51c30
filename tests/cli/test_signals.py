"""SIGINT and SIGTERM end a command with its exit code, a sentence, and nothing half written."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

from sksieve.io import read_table

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no POSIX signals")

#: Seconds before a test gives up, on a busy machine.
LIMIT = 120


@pytest.mark.parametrize(
    ("number", "after", "sentence"),
    [
        (signal.SIGINT, 0.6, "Error: Interrupted; there is no result."),
        (signal.SIGTERM, 0.6, "Error: Stopped by SIGTERM; there is no result."),
        (signal.SIGTERM, 4.0, "Error: Stopped by SIGTERM; there is no result."),
    ],
)
def test_a_signal_ends_with_a_sentence(tmp_path, number, after, sentence):
    """Standard input stays open, so that the command cannot end by itself."""
    out = tmp_path / "out.csv"
    out.write_text("old")
    words = (sys.executable, "-m", "sksieve", "select", "-", "-k", "2", "-o", str(out))
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        try:
            time.sleep(after)
            process.send_signal(number)
            assert process.wait(timeout=LIMIT) == 128 + number
            output, message = process.communicate()
        finally:
            process.kill()
    assert (output, message.splitlines()[-1:]) == ("", [sentence])
    assert "Traceback" not in message
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert out.read_text() == "old"


def test_a_signal_inside_an_import_is_not_swallowed(tmp_path):
    """Callbacks of imports and libraries that catch everything lose an exception."""
    (tmp_path / "rich.py").write_text(
        "import signal\n"
        "try:\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
        "except BaseException:\n"
        "    pass\n"
    )
    result = subprocess.run(
        (sys.executable, "-m", "sksieve", "methods"),
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert result.returncode == 128 + signal.SIGTERM
    assert (result.stdout, result.stderr) == (
        "",
        "Error: Stopped by SIGTERM; there is no result.\n",
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_signal_is_lost_while_a_text_table_is_read(tmp_path, number):
    """Arrow replaces the handlers of the main thread, and loses what comes while it ends."""
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "1,x\n" * 2000)

    received = []
    before = signal.signal(number, lambda number, _: received.append(number))
    try:
        for _ in range(100):
            sender = threading.Timer(random.uniform(0, 0.005), os.kill, (os.getpid(), number))
            sender.start()
            while sender.is_alive():
                read_table(path)
            sender.join()
    finally:
        signal.signal(number, before)
    assert received == 100 * [number]


def test_a_signal_that_a_callback_swallows_comes_again():
    """Python ignores exceptions in ``__del__``, weak references, and callbacks from C."""
    code = """
import signal, sys
from sksieve import cli

class Swallowing:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)

def work():
    Swallowing()
    while True:
        pass

cli._run = work
sys.exit(cli.main())
"""
    result = subprocess.run(
        (sys.executable, "-c", code), capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert result.returncode == 128 + signal.SIGTERM
    assert result.stderr == "Error: Stopped by SIGTERM; there is no result.\n"


def test_an_import_while_a_file_is_written_leaves_no_part(tmp_path):
    """The program ends at once there, without running what waits for the end of the file."""
    (tmp_path / "stopped.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    (tmp_path / "out").mkdir()
    code = """
import sys
from pathlib import Path
from sksieve import cli
from sksieve._replace import replacing

def work():
    with replacing(Path("out") / "table.csv"):
        import stopped

cli._run = work
sys.exit(cli.main())
"""
    result = subprocess.run(
        (sys.executable, "-c", code), cwd=tmp_path, check=False, capture_output=True, timeout=LIMIT
    )
    assert result.returncode == 128 + signal.SIGINT
    assert not list((tmp_path / "out").iterdir())


def test_a_pipe_is_not_replaced_by_a_file(refused, csv, tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    message = refused("select", csv, "-k", 2, "-o", pipe)
    assert message == f"--output {pipe} is a device or a pipe; name a file."
    assert stat.S_ISFIFO(pipe.stat().st_mode)
