"""Several methods on one table, judged without labels."""

from __future__ import annotations

import inspect
import signal
import threading
import warnings
from collections.abc import Callable, Sequence
from time import perf_counter
from types import FrameType
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.preprocessing import StandardScaler

from .._array import dense
from .._validation import check_random_state
from .._wording import counted
from ..catalogue import Method, get_method
from ..exceptions import DataError
from ..metrics import HeldOut, Stability, neighborhood_preservation, redundancy
from ..solvers._iterate import Callback
from ._cost import Meter, warm_up
from ._stability import stability

#: Neighborhoods are compared on at most so many rows.
MAX_ROWS = 1000
_NEIGHBORS = 10


class Comparison(NamedTuple):
    """What one method chose, and how good that is.

    Attributes
    ----------
    method : str
        Its name in the catalogue.
    columns : tuple of int
        Chosen columns, best first; empty when the method refused the data.
    seconds : float
        Wall-clock time of the fit, without compiling.
    explained : float
        Cross-validated share of the variance of all columns that the chosen ones explain
        (`sksieve.evaluation.explained`); large is good.
    preservation : float
        Share of nearest neighbors that the chosen columns find; large is good.
    redundancy : float
        Mean absolute correlation between chosen columns; small is good.
    refused : str
        Why there is no answer; empty when there is one.
    warnings : tuple of str
        Warnings of the fit.
    stability : Stability or None
        How far the choice depends on the sample (`sksieve.evaluation.stability`), where that was
        requested; None, with a warning that has the reason, where it cannot be computed (all
        columns were kept, or a bootstrap sample was refused).
    """

    method: str
    columns: tuple[int, ...]
    seconds: float
    explained: float
    preservation: float
    redundancy: float
    refused: str
    warnings: tuple[str, ...]
    stability: Stability | None = None


def comparisons(
    X: Any,
    k: int,
    methods: Sequence[str],
    *,
    random_state: Any = 0,
    max_rows: int = MAX_ROWS,
    n_bootstrap: int = 0,
    time_limit: float | None = None,
    watch: Callable[[str], Sequence[Callback]] = lambda name: (),
) -> list[Comparison]:
    """Fit each method with its defaults and judge the k columns it keeps, without labels.

    What `sksieve.compare` and its page are made of. Methods get standardized columns; those that
    look for large variance (``scaling`` in the catalogue is "raw") get them as they are. All are
    judged on the standardized table.

    Parameters
    ----------
    X : DataFrame, ndarray or sparse of shape (n, d)
        Samples are rows; no missing values.
    k : int
        Columns to keep, ``1 <= k <= d``.
    methods : sequence of str
        Names from the catalogue; no clusterers.
    random_state : int, RandomState or None, default=0
        For the methods that draw random numbers (an int gives each the same seed), and for the rows
        on which neighborhoods are compared.
    max_rows : int, default=1000
        Neighborhoods are compared on a random sample of at most so many rows.
    n_bootstrap : int, default=0
        Also fit each method on so many bootstrap samples of the rows (at least 2), for the
        stability of its choice; 0 for none.
    time_limit : float > 0, optional
        Seconds after which a method that iterates stops after the current step; it is judged by
        what it has, and `warnings` reports it. A method that has no result one second later is
        ended and listed without one (in the main thread of a system with timers).
    watch : callable, optional
        Called with the name of each method before it is fitted; the callables ``(record, state) ->
        stop`` that it returns observe every step.

    Returns
    -------
    list of Comparison
        By falling share of variance explained; methods that refused the data, or failed, come last
        with the reason.

    Raises
    ------
    ValueError
        If a method is unknown or a clusterer, or `n_bootstrap` is 1 or less than 0.

    Notes
    -----
    Cost: the fits (``1 + n_bootstrap`` of each method), and O(n d k + min(n, `max_rows`)^2 d) to
    judge each.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve.evaluation import comparisons
    >>> for row in comparisons(load_wine().data, 2, ["local_search", "variance"]):
    ...     print(row.method, row.columns, round(row.explained, 2))
    local_search (6, 9) 0.45
    variance (12, 4) 0.27
    """
    if n_bootstrap < 0 or n_bootstrap == 1:
        raise ValueError(f"n_bootstrap must be 0, or 2 and more; got {n_bootstrap}.")
    chosen = [get_method(name) for name in methods]
    for method in chosen:
        if method.kind == "clusterer":
            raise ValueError(f"{method.name} finds groups of samples and chooses no columns.")
    X = np.asarray(dense(X), dtype=np.float64)
    Z = StandardScaler().fit_transform(X)
    rng = check_random_state(random_state)
    rows = np.sort(rng.permutation(len(Z))[:max_rows])
    judges = _Judges(Z, rows, HeldOut(X))
    judged = []
    for method in chosen:
        est = _estimator(method, k, random_state)
        fitted = X if method.suitable_scale() == "none" else Z
        warm_up(est, fitted)
        late = TimeLimit(time_limit)
        est.set_callbacks(late, *watch(method.name))
        row = _judged(method, est, fitted, judges, k=k, limit=late)
        est.set_callbacks()
        row = row._replace(warnings=(*row.warnings, *late.messages))
        if n_bootstrap and not row.refused:
            row = _with_stability(row, X, k, n_bootstrap, random_state)
        judged.append(row)
    return sorted(judged, key=by_error)


def _with_stability(
    row: Comparison, X: Any, k: int, n_bootstrap: int, random_state: Any
) -> Comparison:
    """The row with its stability, or with a warning where the method refused a sample."""
    try:
        measure = stability(X, k, row.method, n_bootstrap=n_bootstrap, random_state=random_state)
    except DataError as error:  # one method without a stability must not cost the others
        message = f"its stability is not known: {_reason(error)}"
        return row._replace(warnings=(*row.warnings, message))
    return row._replace(stability=measure)


def by_error(row: Comparison) -> tuple[bool, float]:
    """Sort key: the largest explained share first, methods without an answer last."""
    return bool(row.refused), -row.explained


class TimeLimit:
    """Callback that stops a fit after so many seconds; `messages` then holds a sentence about it.

    As a context around the fit it also ends, with a `DataError`, a fit that has no result `grace`
    seconds later. That needs the main thread of a system with timers.

    Parameters
    ----------
    seconds : float or None
        None never stops.

    Examples
    --------
    >>> from sksieve.evaluation._compare import TimeLimit
    >>> late = TimeLimit(0.0)
    >>> late({"n_iter": 3}, None), late.messages
    (True, ('Stopped after 3 iterations by the time limit of 0 s.',))
    """

    grace = 1.0

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.started = perf_counter()
        self.messages: tuple[str, ...] = ()
        self.has_result = False
        main = threading.current_thread() is threading.main_thread()
        self.active = seconds is not None and main and hasattr(signal, "setitimer")

    def __enter__(self) -> Self:
        self.started = perf_counter()
        if self.active:
            self.before = signal.signal(signal.SIGALRM, self._expired)
            signal.setitimer(signal.ITIMER_REAL, (self.seconds or 0.0) + self.grace)
        return self

    def __exit__(self, *exception: object) -> None:
        if self.active:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.before)

    def _expired(self, number: int, frame: FrameType | None) -> None:
        if not self.has_result:
            raise DataError(self.refusal())

    def refusal(self) -> str:
        """The message on a fit without a result."""
        return f"no result after the time limit of {self.seconds:g} s."

    def __call__(self, record: Any, state: Any) -> bool:
        self.has_result = True
        if self.seconds is None or perf_counter() - self.started < self.seconds:
            return False
        done = counted(record["n_iter"], "iteration")
        self.messages = (f"Stopped after {done} by the time limit of {self.seconds:g} s.",)
        return True


def not_fitted(method: str, reason: str, seconds: float = 0.0) -> Comparison:
    """The comparison of a method without an answer."""
    nan = float("nan")
    return Comparison(method, (), seconds, nan, nan, nan, reason, ())


def _reason(error: Exception) -> str:
    """The sentence of a refusal; of a failure, its kind too."""
    text = " ".join(str(error).split())
    if isinstance(error, ValueError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _estimator(method: Method, k: int, random_state: Any) -> Any:
    cls = method.load()
    given = {"n_features_to_select": k, "random_state": random_state}
    accepted = inspect.signature(cls).parameters
    return cls(**{name: value for name, value in given.items() if name in accepted})


class _Judges(NamedTuple):
    """The standardized table, the rows on which neighbors are compared, and the held-out shares."""

    Z: Any
    rows: Any
    held_out: HeldOut


def _judged(
    method: Method, est: Any, X: Any, judges: _Judges, *, k: int, limit: TimeLimit
) -> Comparison:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        meter = Meter()
        try:
            with limit, meter:
                est.fit(X)
        except Exception as error:  # one method that fails must not cost the others
            return not_fitted(method.name, _reason(error), meter.cost.seconds)
    messages = dict.fromkeys(" ".join(str(w.message).split()) for w in caught)
    S = est.ranking_[: min(est.n_features_to_select_, k)]  # some find the number themselves
    return Comparison(
        method=method.name,
        columns=tuple(int(j) for j in S),
        seconds=meter.cost.seconds,
        explained=judges.held_out.explained(S),
        preservation=neighborhood_preservation(
            judges.Z[judges.rows], S, n_neighbors=min(_NEIGHBORS, len(judges.rows) - 1)
        ),
        redundancy=redundancy(judges.Z, S) if len(S) > 1 else 0.0,
        refused="",
        warnings=tuple(messages),
    )
