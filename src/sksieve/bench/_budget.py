"""A limit on the time of one cell, and an end for workers whose runner is gone."""

from __future__ import annotations

import ctypes
import faulthandler
import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self

__all__ = ["Alarm", "OverBudget", "budget"]

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


class Alarm:
    """Ends blocks that take too long; one alarm serves many cells, one block after the other.

    Parameters
    ----------
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

    def __init__(self, *, runner: int | None = None) -> None:
        self._runner = runner
        self._seconds, self._end = 0.0, math.inf
        self._heard = threading.current_thread() is threading.main_thread()
        self._look, self._before = self._looked, signal.getsignal(signal.SIGALRM)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._heard:
            signal.signal(signal.SIGALRM, self._before)

    def _looked(self, number: int, frame: FrameType | None) -> None:
        if self._runner is not None and os.getppid() != self._runner:
            os._exit(1)
        if time.monotonic() >= self._end:
            raise OverBudget(self._seconds)

    @contextmanager
    def budget(self, seconds: float) -> Iterator[None]:
        """Raise `OverBudget` in the block after so many seconds, a positive number."""
        if not self._heard:
            with _watched(seconds):
                yield
            return
        self._seconds, self._end = seconds, time.monotonic() + seconds
        if signal.getsignal(signal.SIGALRM) is not self._look:  # not yet, or a method changed it
            signal.signal(signal.SIGALRM, self._look)
        every = min(EVERY, seconds)
        signal.setitimer(signal.ITIMER_REAL, every, every)
        if self._runner is not None:
            faulthandler.dump_traceback_later(HARD * seconds + GRACE, exit=True, file=STDERR)
        try:
            yield
        finally:
            self._end = math.inf
            signal.setitimer(signal.ITIMER_REAL, 0)
            if self._runner is not None:
                faulthandler.cancel_dump_traceback_later()


@contextmanager
def budget(seconds: float, *, runner: int | None = None) -> Iterator[None]:
    """Raise `OverBudget` in the block after so many seconds, by an `Alarm` of its own."""
    with Alarm(runner=runner) as alarm, alarm.budget(seconds):
        yield


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
