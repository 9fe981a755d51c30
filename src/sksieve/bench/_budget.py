"""A limit on the time of one cell, and an end for workers whose runner is gone."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Self

from ..evaluation._cost import Compilations
from ._processes import is_alive

#: A cell that waits, and does not compute, is over its budget after this many budgets by the clock.
#: A worker that does not even listen to the alarm (it hangs in compiled code) is ended then and
#: GRACE seconds later.
PATIENCE, GRACE = 10.0, 2.0

#: Seconds between looks at the clock and at the runner.
EVERY = 0.5

#: Where the place of such a hang is written: file descriptor of standard error.
STDERR = 2


class OverBudget(BaseException):
    """The cell took longer than it may. No `Exception`, so that no method can swallow it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it took longer than its budget of {seconds:g} s")


class _Clock:
    """Whether a block took too long: by the processor, or `PATIENCE` times as long by the clock.

    Compiling is not counted, and not interrupted: numba would be left in an undefined state.
    """

    def __init__(
        self, seconds: float, cpu: Callable[[], float], compilations: Compilations
    ) -> None:
        self._cpu, self._seconds, self._start = cpu, seconds, (cpu(), time.monotonic())
        self._compilations = compilations

    def is_over(self) -> bool:
        compiling = self._compilations
        cpu = self._cpu() - self._start[0] - compiling.cpu
        clock = time.monotonic() - self._start[1] - compiling.seconds
        return not compiling.is_running and (
            cpu >= self._seconds or clock >= PATIENCE * self._seconds
        )


class Alarm:
    """Ends blocks that take too long; one alarm serves many cells, one block after the other.

    Parameters
    ----------
    runner : int, optional
        Process that wants the answer, where the block runs in a worker of it. The worker ends when
        that process is gone, and when the alarm goes unheard for ``10 seconds + 2`` by the clock.

    Notes
    -----
    Seconds are those of the processor, so that a budget means the same on a busy machine; ten times
    as many by the clock are over the budget too. Compiling by numba is not counted.

    The main thread gets an alarm signal, which Python handles between two of its instructions.
    Other threads (of a dask worker) get no signals, and Windows has no such signal: there another
    thread raises the exception in this one, likewise between two instructions. A call of compiled
    code that does not return is ended by the second limit, in workers only.
    """

    def __init__(self, *, runner: int | None = None) -> None:
        self._runner = runner
        self._seconds = 0.0
        self._clock: _Clock | None = None
        is_main = threading.current_thread() is threading.main_thread()
        self._has_signals = is_main and hasattr(signal, "setitimer")
        self._look = self._looked
        self._before = signal.getsignal(signal.SIGALRM) if self._has_signals else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._has_signals:
            signal.signal(signal.SIGALRM, self._before)

    def _looked(self, number: int, frame: FrameType | None) -> None:
        _end_without(self._runner)
        if self._clock is not None and self._clock.is_over():
            raise OverBudget(self._seconds)

    @contextmanager
    def budget(self, seconds: float) -> Iterator[None]:
        """Raise `OverBudget` in the block after so many seconds, a positive number."""
        if not self._has_signals:
            with _watched(seconds, self._runner), _ended_late(seconds, self._runner):
                yield
            return
        with Compilations() as compilations:
            self._seconds, self._clock = seconds, _Clock(seconds, time.process_time, compilations)
            yield from self._alarmed(seconds)

    def _alarmed(self, seconds: float) -> Iterator[None]:
        if signal.getsignal(signal.SIGALRM) is not self._look:  # not yet, or a method changed it
            signal.signal(signal.SIGALRM, self._look)
        every = min(EVERY, seconds)
        signal.setitimer(signal.ITIMER_REAL, every, every)
        try:
            with _ended_late(seconds, self._runner):
                yield
        finally:
            self._clock = None
            signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def budget(seconds: float, *, runner: int | None = None) -> Iterator[None]:
    """Raise `OverBudget` in the block after so many seconds, by an `Alarm` of its own."""
    with Alarm(runner=runner) as alarm, alarm.budget(seconds):
        yield


@contextmanager
def _ended_late(seconds: float, runner: int | None) -> Iterator[None]:
    """In a worker: end the process if the block goes on long after its budget."""
    if runner is None:
        yield
        return
    faulthandler.dump_traceback_later(PATIENCE * seconds + GRACE, exit=True, file=STDERR)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _end_without(runner: int | None) -> None:
    """End a worker whose runner is gone: another process is its parent, or (Windows) none is."""
    if runner is not None and (os.getppid() != runner or not is_alive(runner)):
        os._exit(1)


def _cpu_of(thread: int) -> Callable[[], float]:
    """CPU seconds of one thread; where the system has none of the process, or by the clock."""
    if hasattr(time, "pthread_getcpuclockid"):
        return partial(time.clock_gettime, time.pthread_getcpuclockid(thread))
    return time.process_time if thread == threading.main_thread().ident else time.monotonic


@contextmanager
def _watched(seconds: float, runner: int | None) -> Iterator[None]:
    """The same in a thread that gets no signals."""
    lock, done, thread = threading.Lock(), threading.Event(), threading.get_ident()
    compilations = Compilations()
    clock = _Clock(seconds, _cpu_of(thread), compilations)

    class Over(OverBudget):
        """Raised from outside, which gives it no arguments."""

        def __init__(self) -> None:
            super().__init__(seconds)

    def watch() -> None:
        while not done.wait(min(EVERY, seconds)):
            _end_without(runner)
            with lock:
                if clock.is_over() and not done.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        ctypes.c_ulong(thread), ctypes.py_object(Over)
                    )

    threading.Thread(target=watch, daemon=True).start()
    try:
        with compilations:
            yield
    except Over as error:
        raise OverBudget(seconds) from error
    finally:
        with lock:
            done.set()
