"""Fit an estimator with a time limit, a progress bar and Ctrl-C, and record what happened."""

from __future__ import annotations

import math
import os
import signal
import threading
import warnings
from dataclasses import dataclass
from time import perf_counter
from types import FrameType
from typing import Any, Self

from .._wording import STOPPED, argument, counted, duration
from ..catalogue import list_methods
from ..evaluation._compare import TimeLimit
from ..evaluation._cost import Meter

STOPPING = b"\nStopping after this step; press Ctrl-C again to abort.\n"
COMPILING = "Compiling, once on this machine ..."
EVERY = 0.1  # seconds between two updates of the progress bar


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted estimator.

    Parameters
    ----------
    estimator : fitted estimator
    X : ndarray or CSR of shape (m, n)
        What it was fitted to.
    seconds, compiling : float
        Time of the fit without compilation, and of compilation.
    interrupted : bool
        Ctrl-C stopped the loop.
    warnings : tuple of str
        Warnings of the fit, and that the time limit stopped it.
    """

    estimator: Any
    X: Any
    seconds: float
    compiling: float
    interrupted: bool
    warnings: tuple[str, ...]

    @property
    def stopped(self) -> str:
        """ "7 iterations in 3 ms, stopped by tolerance", empty for methods without a loop.

        The loop's time is left out where kernels were compiled in it: `seconds` is without that.
        """
        est = self.estimator
        if not hasattr(est, "n_iter_"):
            return ""
        reason = STOPPED[est.stop_reason_]
        if est.stop_reason_ == "callback" and not self.interrupted:
            reason = STOPPED["time_budget"]
        seconds = est.history_[-1]["seconds"] if est.history_ else math.inf
        spent = f" in {duration(seconds)}" if seconds <= self.seconds else ""
        return f"{counted(est.n_iter_, 'iteration')}{spent}, stopped by {reason}"

    @property
    def interruption(self) -> str:
        """A sentence where Ctrl-C stopped the fit, else empty."""
        if not self.interrupted:
            return ""
        done = counted(self.estimator.n_iter_, "iteration")
        nested = "; smaller sizes take its columns in greedy order and were not searched"
        more = nested if getattr(self.estimator, "full_path", False) else ""
        return f"Interrupted: best result after {done} ({duration(self.seconds)}){more}."

    def record(self) -> dict[str, Any]:
        """The entry ``fit`` of a JSON document."""
        return {
            "seconds": self.seconds,
            "compiling": self.compiling,  # seconds, not part of "seconds"
            "n_iter": getattr(self.estimator, "n_iter_", None),  # null without a loop
            "stop_reason": getattr(self.estimator, "stop_reason_", None),
            "interrupted": self.interrupted,
        }


def fit(
    estimator: Any,
    X: Any,
    title: str,
    *,
    progress: bool = False,
    seconds: float | None = None,
    cost: Any = None,
) -> Fitted:
    """Fit, with a progress bar if asked; Ctrl-C and the time limit keep the best result.

    `title` stands before the bar, `seconds` limit a method without a parameter for it, `cost` is
    that of each column, for methods that keep to a budget.
    """
    given = estimator.get_params()
    if given.get("time_budget") is not None:
        seconds = None  # the method keeps to it
    loops = bool({"max_iter", "time_budget", "use"} & set(given))
    limits = {"seconds": given.get("time_budget") or seconds, "n_iter": given.get("max_iter")}
    bar = Progress(title, shown=progress, **limits)
    deadline = Deadline(seconds, type(estimator).__name__)
    meter = Meter(on_compile=bar.report_compilation)
    with (
        Interrupt(loops) as interrupt,
        bar,
        deadline,
        meter,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always", UserWarning)
        estimator.set_callbacks(bar, interrupt, deadline)
        estimator.fit(X, **({} if cost is None else {"cost": cost}))
        estimator.set_callbacks()
    by_callback = getattr(estimator, "stop_reason_", "") == "callback"
    messages = dict.fromkeys(
        " ".join(str(w.message).split()) for w in caught if issubclass(w.category, UserWarning)
    )
    notes = (*messages, *deadline.messages)
    interrupted = interrupt.requested and by_callback
    return Fitted(estimator, X, meter.cost.seconds, meter.compiling, interrupted, notes)


class Interrupt:
    """The first Ctrl-C makes this callback stop the loop; the second is a KeyboardInterrupt.

    Parameters
    ----------
    active : bool
        False leaves Ctrl-C alone, for methods without a loop.
    """

    anywhere = True  # also ends the rough work that only chooses where the loop begins

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


class Deadline(TimeLimit):
    """Time limit: a callback that stops a loop, and a signal that ends what has no result yet."""

    anywhere = True
    grace = 0.0

    def __init__(self, seconds: float | None, name: str) -> None:
        super().__init__(seconds)
        self.name = name

    def refusal(self) -> str:
        return (
            f"{self.name} had no result after {self.seconds:g} s ({argument('time_limit')}); give "
            "it more time, use fewer rows, or use a method that improves its result step by step: "
            f"{_anytime()}."
        )


def _anytime() -> str:
    methods = [m for m in list_methods() if m.kind == "columns"]
    return ", ".join(m.name for m in methods if "time_budget" in m.defaults())


class Progress:
    """Shows iterations and objective of a fit, on standard error or in a notebook; a callback.

    The length of the bar is the time limit or else the number of iterations, if known.
    """

    def __init__(
        self,
        title: str,
        *,
        shown: bool,
        seconds: float | None = None,
        n_iter: int | None = None,
    ) -> None:
        self.seconds = seconds
        self.bar: Any = None
        self.started = self.shown = perf_counter()
        if shown:
            self._make_bar(title, seconds or n_iter)

    def _make_bar(self, title: str, total: float | None) -> None:
        from rich import progress
        from rich.console import Console

        self.bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TextColumn("{task.fields[text]}"),
            progress.TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self.task = self.bar.add_task(title, total=total, text="")

    def __enter__(self) -> Self:
        if self.bar is not None:
            self.bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def report_compilation(self) -> None:
        """Say why the first fit takes longer."""
        if self.bar is not None:
            self.bar.console.print(COMPILING)

    def __call__(self, record: Any, state: Any) -> None:
        now = perf_counter()
        if self.bar is None or now - self.shown < EVERY:
            return
        self.shown = now
        done = now - self.started if self.seconds else record["n_iter"]
        text = f"{counted(record['n_iter'], 'iteration')}, objective {record['objective']:.6g}"
        self.bar.update(self.task, completed=done if self.bar.tasks[0].total else None, text=text)
