"""Ctrl-C keeps the best answer so far."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType
from typing import Any, Self

__all__ = ["Interrupt"]

STOPPING = b"\nStopping after this step; press Ctrl-C again to give up.\n"


class Interrupt:
    """The first Ctrl-C makes this callback stop the loop; the second is a KeyboardInterrupt.

    Parameters
    ----------
    active : bool
        False leaves Ctrl-C alone, for methods without a loop.
    """

    anywhere = True  # ends also the rough work that only chooses where the loop begins

    def __init__(self, active: bool) -> None:
        self.active = active and threading.current_thread() is threading.main_thread()
        self.requested = False

    def __enter__(self) -> Self:
        if self.active:
            self.before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *exception: object) -> None:
        if self.active:
            signal.signal(signal.SIGINT, self.before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        os.write(2, STOPPING)  # a handler may interrupt a write to sys.stderr

    def __call__(self, record: Any, state: Any) -> bool:
        return self.requested
