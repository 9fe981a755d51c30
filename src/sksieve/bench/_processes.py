"""Whether another process of this machine still runs, on every system."""

from __future__ import annotations

import ctypes
import os
import sys

#: Windows: the right to ask for the exit code, and the code of a process that has none yet.
QUERY_LIMITED_INFORMATION, STILL_ACTIVE = 0x1000, 259

#: Windows: the process exists, and belongs to another user.
ACCESS_DENIED = 5


def is_alive(pid: int) -> bool:
    """Whether process `pid` runs, also one of another user.

    Windows has no signal 0: there ``os.kill(pid, 0)`` would end the process.

    Examples
    --------
    >>> import os
    >>> is_alive(os.getpid())
    True
    """
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = kernel.OpenProcess(QUERY_LIMITED_INFORMATION, False, pid)
    if not handle:
        return bool(kernel.GetLastError() == ACCESS_DENIED)
    code = ctypes.c_ulong()
    try:
        known = kernel.GetExitCodeProcess(ctypes.c_void_p(handle), ctypes.byref(code))
        return bool(known) and code.value == STILL_ACTIVE
    finally:
        kernel.CloseHandle(ctypes.c_void_p(handle))
