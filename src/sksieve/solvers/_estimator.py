"""What every estimator that loops shares: the one loop with its callbacks, and its history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._callbacks import CallbackSupport
from ._iterate import Record, Run, Stopping, iterate

__all__ = ["LoopSupport"]


class LoopSupport(CallbackSupport):
    """Gives an estimator ``_run``: `iterate` with its callbacks, keeping what a user may look on.

    Attributes
    ----------
    history_ : list of dict
        One flat record (n_iter, objective, change, seconds) per step.
    n_iter_, converged_, stop_reason_
        How the loop ended.
    """

    def _run(
        self,
        step: Callable[[Any], Any],
        state: Any,
        *,
        objective: Callable[[Any], float] | None = None,
        change: Callable[[Any, Any], float] | None = None,
        count: Callable[[Any], int] | None = None,
        stopping: Stopping,
    ) -> Run[Any]:
        """`iterate` with this estimator's callbacks; keeps the history."""
        max_steps = None if count else stopping.max_iter  # a progress bar's length, where known
        run = iterate(
            step,
            state,
            objective=objective,
            change=change,
            count=count,
            stopping=stopping,
            callbacks=self._loop_callbacks(max_steps),
        )
        self._end_loop()
        self._keep(run.history, run.reason)
        return run

    def _keep(self, history: list[Record], reason: str) -> None:
        self.history_ = history
        self.n_iter_ = history[-1]["n_iter"] if history else 0
        self.stop_reason_ = reason
        self.converged_ = reason == "tolerance"
