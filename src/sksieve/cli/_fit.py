"""Choose a method, make its estimator, scale the table, fit, and record what happened."""

from __future__ import annotations

import inspect
import os
import signal
import threading
import warnings
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from types import FrameType
from typing import Any, NamedTuple, Self

import scipy.sparse as sp

from .._wording import counted, did_you_mean
from ..catalogue import Kind, Method, get_method, list_methods
from ..evaluation._compare import TimeLimit
from ..evaluation._cost import Meter
from ..exceptions import DataError
from ..tables import scale_columns
from ._options import MethodOptions, UsageError

__all__ = [
    "Choice",
    "Fitted",
    "Interrupt",
    "choose",
    "find_method",
    "fit",
    "make_estimator",
    "prescaled",
    "report_compilation",
    "suitable_scale",
]

STOPPING = b"\nStopping after this step; press Ctrl-C again to abort.\n"
COMPILING = "Compiling, once on this machine ..."
EVERY = 0.1  # seconds between two updates of the progress bar


# Which method -------------------------------------------------------------------------------------


class Choice(NamedTuple):
    """A method and why it was taken, in a few words."""

    method: Method
    reason: str


def find_method(name: str) -> Method:
    """The method called `name`; the message on an unknown one names the closest."""
    try:
        return get_method(name)
    except ValueError:
        hint = did_you_mean(name, (method.name for method in list_methods()))
        text = f"There is no method {name!r}; {hint or 'sksieve methods lists them.'}"
        raise UsageError(text) from None


def choose(name: str, kinds: tuple[Kind, ...], auto: Choice) -> Choice:
    """The method to run, one of these kinds; ``auto`` is that of `auto`."""
    if name == "auto":
        return auto
    method = find_method(name)
    if method.kind not in kinds:
        finds = "finds groups of samples and chooses no columns"
        if method.kind != "clusterer":
            finds = "chooses columns and finds no groups"
        raise UsageError(f"{method.name} {finds}; sksieve methods lists the methods by purpose.")
    return Choice(method, "as requested")


def make_estimator(
    method: Method, options: MethodOptions, own: dict[str, Any] | None = None
) -> Any:
    """The method's estimator, not yet fitted.

    It gets those of its parameters that options have, or `own`, or, before these, --param.
    """
    cls = method.load()
    parameters = list(inspect.signature(cls).parameters)
    params, own_options = options.params, options.options_of(method)
    for name in params:
        if name in own_options and name in parameters:
            raise UsageError(f"--param {name}: use {own_options[name]} instead.")
        if name not in parameters:
            others = ", ".join(n for n in parameters if n not in own_options)
            hint = did_you_mean(name, parameters) or f"it has {others or 'none'}."
            raise UsageError(f"--param {name}: {method.name} has no such parameter; {hint}")
    own = {**options.own_parameters(), **(own or {})}
    return cls(**({name: value for name, value in own.items() if name in parameters} | params))


# Scaling ------------------------------------------------------------------------------------------


def suitable_scale(method: Method, *, sparse: bool) -> tuple[str, str]:
    """The scaling that suits a method and a table, and why if a user may wonder."""
    scale, why = method.suitable_scale(sparse=sparse), ""
    unchanged = "Columns are unchanged (--scale none): "
    if method.scaling == "raw":
        why = (
            f"{unchanged}{method.name} looks for large variance, which is the same for all "
            "standardized columns."
        )
    elif scale == "unit":
        why = (
            "Columns are scaled to length 1 (--scale unit): centering would fill in the zeros of a "
            "sparse table."
        )
    elif scale == "none" and method.kind == "selector":
        why = (
            f"{unchanged}{method.name} scales them itself, and centering would fill in the zeros "
            "of a sparse table."
        )
    return scale, why


def prescaled(method: Method, X: Any, scale: str) -> Any:
    """The data as the estimator gets them: column subset methods scale by themselves.

    Raises
    ------
    DataError
        If the data are sparse and the method, or the scaling, is for dense data only.
    """
    if sp.issparse(X):
        _check_sparse(method, scale)
    if scale == "none" or (method.kind == "columns" and scale != "minmax"):
        return X
    return scale_columns(X, scale).X


def _check_sparse(method: Method, scale: str) -> None:
    if not method.sparse:
        groups = method.kind == "clusterer"
        alike = [m for m in list_methods() if (m.kind == "clusterer") == groups]
        able = [m.name for m in alike if m.sparse]
        raise DataError(
            f"The method {method.name} needs a dense table and this one is sparse; "
            f"methods that take sparse tables: {', '.join(able)}."
        )
    if scale == "minmax" or (scale == "standard" and method.kind != "columns"):
        raise DataError(
            f"--scale {scale} would fill in the zeros of a sparse table"
            f"{'' if scale == 'minmax' else f' for the method {method.name}'}; "
            "use --scale unit or --scale none."
        )


# Fitting ------------------------------------------------------------------------------------------


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


def fit(
    estimator: Any, X: Any, title: str, console: Any, seconds: float | None = None, cost: Any = None
) -> Fitted:
    """Fit, with a progress bar on `console`; Ctrl-C and the time limit keep the best result.

    `title` stands before the bar, `seconds` limit a method without a parameter for it, `cost` is
    that of each column, for methods that keep to a budget.
    """
    given = estimator.get_params()
    if given.get("time_budget") is not None:
        seconds = None  # the method keeps to it
    loops = bool({"max_iter", "time_budget", "use"} & set(given))
    limits = {"seconds": given.get("time_budget") or seconds, "n_iter": given.get("max_iter")}
    progress = Progress(console, title, **limits)
    deadline = Deadline(seconds, type(estimator).__name__)
    meter = Meter(on_compile=partial(report_compilation, console))
    with (
        Interrupt(loops) as interrupt,
        progress,
        deadline,
        meter,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always", UserWarning)
        estimator.set_callbacks(progress, interrupt, deadline)
        estimator.fit(X, **({} if cost is None else {"cost": cost}))
        estimator.set_callbacks()
    by_callback = getattr(estimator, "stop_reason_", "") == "callback"
    messages = dict.fromkeys(
        " ".join(str(w.message).split()) for w in caught if issubclass(w.category, UserWarning)
    )
    notes = (*messages, *deadline.messages)
    interrupted = interrupt.requested and by_callback
    return Fitted(estimator, X, meter.cost.seconds, meter.compiling, interrupted, notes)


def report_compilation(console: Any) -> None:
    """Say on a terminal why the first fit takes longer."""
    if console.is_terminal:
        console.print(COMPILING)


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
            f"{self.name} had no result after {self.seconds:g} s (--time); give it more time, "
            "use fewer rows, or use a method that improves its result step by step: "
            f"{_anytime()}."
        )


def _anytime() -> str:
    methods = [m for m in list_methods() if m.kind == "columns"]
    return ", ".join(m.name for m in methods if "time_budget" in m.defaults())


class Progress:
    """Shows iterations and objective of a fit on a terminal; a callback of the estimator.

    The length of the bar is the time limit or else the number of iterations, if known.
    """

    def __init__(
        self, console: Any, title: str, *, seconds: float | None, n_iter: int | None
    ) -> None:
        from rich import progress

        self.seconds, self.n_iter = seconds, n_iter
        self.bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TextColumn("{task.fields[text]}"),
            progress.TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self.task = self.bar.add_task(title, total=seconds or n_iter, text="")
        self.started = self.shown = perf_counter()

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.bar.stop()

    def __call__(self, record: Any, state: Any) -> None:
        now = perf_counter()
        if self.bar.disable or now - self.shown < EVERY:
            return
        self.shown = now
        done = now - self.started if self.seconds else record["n_iter"]
        text = f"{counted(record['n_iter'], 'iteration')}, objective {record['objective']:.6g}"
        self.bar.update(self.task, completed=done if self.bar.tasks[0].total else None, text=text)
