"""Callbacks for the one loop: ``callback(record, state) -> stop?``.

Any callable of that form will do; those here are the ones people ask for. scikit-learn 1.9's
callbacks (``sklearn.callback``) are accepted by the same ``set_callbacks`` and bridged.
"""

from __future__ import annotations

import sys
from typing import Any, TextIO

import numpy as np

from ..config import get_config
from ._iterate import Callback, Record

try:  # scikit-learn >= 1.9
    from sklearn.callback import CallbackSupportMixin, FitCallback, with_callbacks
except ImportError:  # pragma: no cover - older scikit-learn

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stand-in: this scikit-learn has no callbacks to bridge."""

    FitCallback = None

    def with_callbacks(method: Any) -> Any:
        return method


class CallbackSupport(CallbackSupportMixin):
    """Gives an estimator ``set_callbacks``; used by the base classes."""

    def set_callbacks(self, *callbacks: Any) -> Any:
        """Set what is called after every step of `fit`.

        Parameters
        ----------
        *callbacks : callable or scikit-learn callback
            A callable gets ``(record, state)`` and stops the fit by answering true; an object that
            follows scikit-learn's ``FitCallback`` protocol (a ``ProgressBar``, say) is passed on to
            scikit-learn. Calling with no argument removes all. Callbacks are not parameters:
            ``clone`` drops plain callables. One with a true attribute ``anywhere`` is asked also
            during rough descents that only choose where the loop begins.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If one of them is neither.
        """
        foreign = [c for c in callbacks if _is_sklearn_callback(c)]
        own = [c for c in callbacks if not _is_sklearn_callback(c)]
        for callback in own:
            if not callable(callback):
                raise TypeError(
                    f"set_callbacks takes callables (record, state) -> stop or scikit-learn "
                    f"callbacks; got {callback!r}."
                )
        self._callbacks = own
        if FitCallback is not None:
            super().set_callbacks(*foreign)
        return self

    def _loop_callbacks(self, max_steps: int | None = None) -> list[Callback]:
        """The callbacks for one run of the loop, scikit-learn's bridged among them.

        Call it inside a method decorated with `with_callbacks`, and `_end_loop` after the loop.
        """
        callbacks: list[Callback] = list(getattr(self, "_callbacks", ()))
        if get_config()["progress"]:
            self._progress = TextProgress(title=f"{type(self).__name__}: ")
            callbacks.append(self._progress)
        if getattr(self, "_skl_callbacks", None):
            context = getattr(self, "_callback_fit_ctx", None)
            if context is None:
                context = self._init_callback_context(max_subtasks=max_steps)
                context.call_on_fit_task_begin(estimator=self)

            def bridge(record: Record, state: object) -> bool:
                task = context.subcontext(task_name="iteration")
                task.call_on_fit_task_begin(estimator=self)
                return bool(task.call_on_fit_task_end(estimator=self, metadata=dict(record)))

            callbacks.append(bridge)
        return callbacks

    def _stops_anywhere(self) -> list[Callback]:
        """The callbacks that may also end what comes before the loop: ``anywhere`` is true."""
        return [c for c in getattr(self, "_callbacks", ()) if getattr(c, "anywhere", False)]

    def _end_loop(self) -> None:
        """End the line of progress and tell scikit-learn's callbacks that the fit is over."""
        if progress := self.__dict__.pop("_progress", None):
            progress.close()
        context = getattr(self, "_callback_fit_ctx", None)
        if context is not None:
            context.call_on_fit_task_end(estimator=self)


def _is_sklearn_callback(callback: object) -> bool:
    return (
        FitCallback is not None
        and isinstance(callback, FitCallback)
        and not isinstance(callback, type)
    )


class _Runs:
    """Tells the runs of the loop apart that one callback sees: iterations are counted anew."""

    def __init__(self) -> None:
        self.last = 0

    def begins(self, record: Record) -> bool:
        """Is this the first record of another run?"""
        begins = record["n_iter"] <= self.last
        self.last = record["n_iter"]
        return begins


class Patience:
    """Stop when the objective has not fallen by `rtol` (relative) for `n_steps` steps.

    Examples
    --------
    >>> from sksieve.solvers import Patience, Stopping, iterate
    >>> run = iterate(lambda x: x * 0.5 if x > 0.2 else x, 1.0, objective=float,
    ...               stopping=Stopping(max_iter=100), callbacks=[Patience(3)])
    >>> run.reason, len(run.history)
    ('callback', 6)
    """

    def __init__(self, n_steps: int, rtol: float = 0.0) -> None:
        self.n_steps = n_steps
        self.rtol = rtol
        self.best = np.inf
        self.waited = 0
        self.runs = _Runs()

    def __call__(self, record: Record, state: object) -> bool:
        if self.runs.begins(record):
            self.best, self.waited = np.inf, 0
        threshold = self.best - self.rtol * abs(self.best) if np.isfinite(self.best) else np.inf
        if record["objective"] < threshold:
            self.best, self.waited = record["objective"], 0
        else:
            self.waited += 1
        return self.waited >= self.n_steps


class TextProgress:
    """One line on a terminal or in a notebook, rewritten at most ten times a second.

    Silent in a pipe or a file. The setting ``progress`` gives every fit one.

    Parameters
    ----------
    stream : file, optional
        Default: standard error.
    every : float, default=0.1
        Seconds between two lines.
    title : str, default=""
        The beginning of the line.
    """

    def __init__(self, stream: TextIO | None = None, every: float = 0.1, title: str = "") -> None:
        self.stream = sys.stderr if stream is None else stream
        self.every = every
        self.title = title
        self.is_watched = (
            self.stream.isatty() or type(self.stream).__module__ == "ipykernel.iostream"
        )
        self.shown = -np.inf
        self.runs = _Runs()

    def __call__(self, record: Record, state: object) -> None:
        if self.runs.begins(record):
            self.shown = -np.inf
        if not self.is_watched or record["seconds"] - self.shown < self.every:
            return
        self.shown = record["seconds"]
        self.stream.write(
            f"\r{self.title}iteration {record['n_iter']:,}  objective {record['objective']:.6g}  "
            f"{record['seconds']:.1f} s "
        )
        self.stream.flush()

    def close(self) -> None:
        """End the line, where there is one."""
        if np.isfinite(self.shown):
            self.stream.write("\n")
