"""What the machine refuses is a sentence with advice; only real defects are called defects."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys

import pytest
import typer

from sksieve.cli._guard import guarded


def message(error: BaseException, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(typer.Exit) as stopped, guarded(debug=False):
        raise error
    return stopped.value.exit_code, capsys.readouterr().err.removesuffix("\n")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "out.csv"),
            "out.csv: No space left on device; free some space, or write to another disk.",
        ),
        (
            OSError("[Errno 28] Error writing bytes to file. Detail: No space left on device"),
            "[Errno 28] Error writing bytes to file. Detail: No space left on device; free some "
            "space, or write to another disk.",
        ),
        (
            OSError(errno.EFBIG, "File too large", "out.csv"),
            "out.csv: File too large; raise the limit on the size of files (ulimit -f).",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied", "/root/x.csv"),
            "/root/x.csv: Permission denied; choose a file or folder with the needed permission.",
        ),
        (OSError(), "OSError."),
        (MemoryError(), "There is not enough memory for this; use fewer rows or columns."),
        (
            MemoryError("Unable to allocate 7 GiB"),
            "There is not enough memory for this (Unable to allocate 7 GiB); use fewer rows or "
            "columns.",
        ),
        (
            sqlite3.DatabaseError("file is not a database"),
            "The store of results cannot be used (file is not a database). Check that the disk is "
            "not full and the file is writable; if it is damaged, restore a copy or name another "
            "folder with --store.",
        ),
        (
            RuntimeError("Could not determine home directory."),
            "Could not determine home directory. Write the path without ~.",
        ),
    ],
)
def test_what_the_machine_refuses_is_no_defect(error, expected, capsys):
    assert message(error, capsys) == (1, f"Error: {expected}")


def test_a_defect_is_called_one(capsys):
    code, text = message(KeyError("x"), capsys)
    assert code == 1
    assert text.startswith("Error: KeyError: 'x'. This is a defect of scikit-sieve")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemError("compiled")])
def test_an_interrupt_has_its_exit_code(error, capsys):
    if isinstance(error, SystemError):
        error.__cause__ = KeyboardInterrupt()
    assert message(error, capsys) == (130, "Error: Interrupted; there is no result.")


def test_no_such_user(refused):
    text = refused("select", "~nosuchuser_at_all/t.csv", "-k", 2)
    assert text.startswith("There is no file ~nosuchuser_at_all/t.csv")


SKSIEVE = (sys.executable, "-m", "sksieve")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("words", [["methods"], ["select", "--help"]], ids=" ".join)
def test_output_to_a_full_disk(words):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*SKSIEVE, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert "No space left on device" in done.stderr
    assert "defect" not in done.stderr


def test_nobody_reads_on():
    read, write = os.pipe()
    os.close(read)
    command = [*SKSIEVE, "select", "--help"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")
