"""The one loop of the package.

A method is a function from state to state (``step``); everything observable --
counting, timing, stopping, history, callbacks -- happens here and nowhere else. Warm start, resume
and checkpoint are therefore "pass the old state".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Generic, NamedTuple, TypedDict, TypeVar

S = TypeVar("S")


class Record(TypedDict):
    """One line of a history: flat, so that ``pandas.DataFrame(est.history_)`` just works."""

    n_iter: int
    objective: float
    change: float
    seconds: float


Callback = Callable[[Record, S], object]


class Stopping(NamedTuple):
    """When to stop; ``None`` switches a rule off.

    Parameters
    ----------
    max_iter : int or None
        Largest number of iterations in all, those behind the first state not counted.
    tol : float or None
        Stop when ``change <= tol``. ``None`` means anytime: run the whole budget.
    time_budget : float or None
        Wall-clock seconds; the step under way when they run out is finished.
    """

    max_iter: int | None = None
    tol: float | None = None
    time_budget: float | None = None


class Run(NamedTuple, Generic[S]):
    """What `iterate` gives back.

    ``reason`` is one of ``tolerance``, ``max_iter``, ``time_budget``, ``callback``, ``diverged``.
    """

    state: S
    history: list[Record]
    reason: str

    @property
    def n_iter(self) -> int:
        """Iterations done, as the history counts them."""
        return self.history[-1]["n_iter"] if self.history else 0

    @property
    def converged(self) -> bool:
        """Did it end by its own rule?"""
        return self.reason == "tolerance"


def iterate(
    step: Callable[[S], S],
    state: S,
    *,
    objective: Callable[[S], float] | None = None,
    change: Callable[[S, S], float] | None = None,
    count: Callable[[S], int] | None = None,
    stopping: Stopping,
    callbacks: Iterable[Callback[S]] = (),
) -> Run[S]:
    """Apply `step` until a rule of `stopping` or a callback says stop.

    Parameters
    ----------
    step : callable
        ``step(state) -> state``; must not modify its argument.
    state : S
        Where to start: ``problem.start(rng)``, or the state of an earlier run.
    objective : callable, optional
        ``objective(state) -> float``, for the history and the default `change`. A value that is
        not finite ends the run as ``diverged`` with the last state that was finite.
    change : callable, optional
        ``change(old, new) -> float >= 0``, the method's own measure of progress. Default: relative
        change of the objective, ``|f_new - f_old| / max(|f_old|, tiny)``.
    count : callable, optional
        ``count(state) -> int``, the iterations behind a state, for methods whose step is a batch of
        them. Default: one per step.
    stopping : Stopping
        The rules.
    callbacks : iterable of callable
        Each is called as ``callback(record, state)`` after every step; any true answer stops.

    Returns
    -------
    Run
        ``(state, history, reason)``. Seconds in the history count `step` only.

    Examples
    --------
    Newton's iteration for the square root of two:

    >>> from sksieve.solvers import Stopping, iterate
    >>> run = iterate(lambda x: (x + 2 / x) / 2, 1.0,
    ...               objective=lambda x: abs(x * x - 2), change=lambda a, b: abs(a - b),
    ...               stopping=Stopping(max_iter=50, tol=1e-12))
    >>> round(run.state, 6), run.reason, len(run.history)
    (1.414214, 'tolerance', 6)
    """
    callbacks = tuple(callbacks)
    history: list[Record] = []
    first = count(state) if count else 0
    value = float(objective(state)) if objective else math.nan
    seconds, started, n_iter = 0.0, perf_counter(), 0
    while stopping.max_iter is None or n_iter < stopping.max_iter:
        before = perf_counter()
        new = step(state)
        seconds += perf_counter() - before
        new_value = float(objective(new)) if objective else math.nan
        if objective and not math.isfinite(new_value):
            return Run(state, history, "diverged")
        moved = float(change(state, new)) if change else _relative_change(value, new_value)
        n_iter = count(new) - first if count else n_iter + 1
        record = Record(n_iter=n_iter, objective=new_value, change=moved, seconds=seconds)
        history.append(record)
        state, value = new, new_value
        answers = [bool(callback(record, state)) for callback in callbacks]
        if stopping.tol is not None and moved <= stopping.tol:
            return Run(state, history, "tolerance")
        if any(answers):
            return Run(state, history, "callback")
        if stopping.time_budget is not None and perf_counter() - started >= stopping.time_budget:
            return Run(state, history, "time_budget")
    return Run(state, history, "max_iter")


def _relative_change(old: float, new: float) -> float:
    if old == new:
        return 0.0
    return abs(new - old) / max(abs(old), math.ulp(0.0) * 2**60)
