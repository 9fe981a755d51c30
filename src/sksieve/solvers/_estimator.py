"""What every estimator with a loop shares: stopping, callbacks and history."""

from __future__ import annotations

from typing import Any, TypeVar

from .._docstrings import with_references
from ._callbacks import CallbackSupport
from ._iterate import Record, Run, Stopping, iterate
from ._problem import Problem

S = TypeVar("S")


class LoopSupport(CallbackSupport):
    """Gives an estimator ``_run``: `iterate` with its parameters and callbacks.

    Parameters
    ----------
    tol : float or None, default=1e-4
        Stop when the relative change of the objective is at most this; None runs all.

    Attributes
    ----------
    history_ : list of dict
        One flat record (n_iter, objective, change, seconds) per step.
    objective_ : float
        Value of the minimized objective at the end.
    n_iter_ : int
        Steps of the loop.
    converged_ : bool
        Whether the loop ended because its tolerance was reached.
    stop_reason_ : {"tolerance", "max_iter", "time_budget", "callback", "diverged"}
        Why the loop ended.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__doc__ = with_references(cls)

    def _stopping(self) -> Stopping:
        """The stopping rule by the parameters ``max_iter``, ``tol`` and ``time_budget``.

        A rule whose parameter the estimator does not have is off.
        """
        names = Stopping._fields
        return Stopping(**{name: getattr(self, name, None) for name in names})

    def _run(self, problem: Problem[S], *states: S, stopping: Stopping | None = None) -> Run[S]:
        """`_loop`, and keep the history of the run."""
        best = self._loop(problem, *states, stopping=stopping)
        self._keep(best.history, best.reason)
        last = best.history[-1]["objective"] if best.history else problem.objective(best.state)
        self.objective_ = float(last)
        return best

    def _loop(self, problem: Problem[S], *states: S, stopping: Stopping | None = None) -> Run[S]:
        """Run the loop from each of `states`; the run that ends lowest.

        Once a callback stops a run, the states after it are not tried.

        Parameters
        ----------
        problem : Problem
        *states : state
            At least one.
        stopping : Stopping, optional
            Default: by the parameters of the estimator.
        """
        stopping = self._stopping() if stopping is None else stopping
        count = getattr(problem, "count", None)
        is_counted = count is None and stopping.max_iter is not None
        max_steps = len(states) * (stopping.max_iter or 0) if is_counted else None
        callbacks = self._loop_callbacks(max_steps)
        runs: list[Run[S]] = []
        for state in states:
            run = iterate(
                problem.step,
                state,
                objective=problem.objective,
                change=getattr(problem, "change", None),
                count=count,
                stopping=stopping,
                callbacks=callbacks,
            )
            runs.append(run)
            if run.reason == "callback":
                break
        self._end_loop()
        return runs[0] if len(runs) == 1 else min(runs, key=lambda r: problem.objective(r.state))

    def _keep(self, history: list[Record], reason: str) -> None:
        self.history_ = history
        self.n_iter_ = history[-1]["n_iter"] if history else 0
        self.stop_reason_ = reason
        self.converged_ = reason == "tolerance"
