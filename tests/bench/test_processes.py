"""Is another process there: by signal 0, and by Windows' own calls, played here."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from sksieve.bench._processes import ACCESS_DENIED, STILL_ACTIVE, is_alive


def ended_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_this_process_and_one_that_has_ended():
    assert is_alive(os.getpid())
    assert not is_alive(ended_process())


def test_a_process_of_another_user_is_alive(monkeypatch):
    def refuse(pid, number):
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert is_alive(1)


class Kernel:
    """Windows' kernel32 with one process that runs, one that has ended and one of another user."""

    def __init__(self):
        self.codes, self.open = {11: STILL_ACTIVE, 12: 0}, set()
        self.OpenProcess = self._function(self._open)
        self.GetExitCodeProcess = self._function(self._code)
        self.CloseHandle = self._function(lambda handle: self.open.remove(handle.value))

    def _function(self, call):
        return type("Function", (), {"__call__": lambda self, *words: call(*words)})()

    def _open(self, access, inherit, pid):
        if pid not in self.codes:
            return None
        self.open.add(1000 + pid)
        return 1000 + pid

    def _code(self, handle, code):
        code._obj.value = self.codes[handle.value - 1000]
        return 1

    def GetLastError(self):
        return ACCESS_DENIED


@pytest.mark.parametrize(("pid", "alive"), [(11, True), (12, False), (13, True)])
def test_windows_asks_and_does_not_kill(monkeypatch, pid, alive):
    kernel = Kernel()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "kill")
    monkeypatch.setattr("ctypes.windll", SimpleNamespace(kernel32=kernel), raising=False)
    assert is_alive(pid) is alive
    assert kernel.open == set()
