"""A limit on the time of one cell, and an end for workers whose runner is gone."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["OverBudget", "budget"]

#: A worker that does not even listen to the alarm (it hangs in compiled code) is ended after this
#: many budgets and GRACE seconds.
HARD, GRACE = 1.5, 2.0

#: Seconds between looks at the clock and at the runner.
EVERY = 0.5

#: Where the place of such a hang is written: file descriptor of standard error.
STDERR = 2


class OverBudget(BaseException):
    """The cell took longer than it may. No `Exception`, so that no method can swallow it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it took longer than its budget of {seconds:g} s")


@contextmanager
def budget(seconds: float, *, runner: int | None = None) -> Iterator[None]:
    """Raise `OverBudget` in the block after so many seconds.

    Parameters
    ----------
    seconds : float
        The limit, positive.
    runner : int, optional
        Process that wants the answer, where the block runs in a worker of it. The worker ends when
        that process is gone, and when the alarm goes unheard for ``1.5 seconds + 2``.

    Notes
    -----
    An alarm signal, which Python hears between two of its instructions; a call of compiled code
    that never comes back is ended by the second limit, in workers only. Outside the main thread (a
    dask worker) there are no signals: another thread raises the exception in this one, likewise
    between two instructions, and nothing ends compiled code.
    """
    if threading.current_thread() is not threading.main_thread():
        with _watched(seconds):
            yield
        return
    end = time.monotonic() + seconds

    running = [True]

    def look(number: int, frame: FrameType | None) -> None:
        if runner is not None and os.getppid() != runner:
            os._exit(1)
        if running and time.monotonic() >= end:
            raise OverBudget(seconds)

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, min(EVERY, seconds), min(EVERY, seconds))
    if runner is not None:
        faulthandler.dump_traceback_later(HARD * seconds + GRACE, exit=True, file=STDERR)
    try:
        yield
    finally:
        running.clear()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if runner is not None:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def _watched(seconds: float) -> Iterator[None]:
    """The same in a thread that hears no signals."""
    lock, done, thread = threading.Lock(), threading.Event(), threading.get_ident()

    class Over(OverBudget):
        """Raised from outside, which gives it no arguments."""

        def __init__(self) -> None:
            super().__init__(seconds)

    def watch() -> None:
        wait = seconds
        while not done.wait(wait):
            wait = EVERY
            with lock:
                if not done.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        ctypes.c_ulong(thread), ctypes.py_object(Over)
                    )

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except Over as error:
        raise OverBudget(seconds) from error
    finally:
        with lock:
            done.set()
