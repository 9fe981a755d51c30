"""Several methods on one table, judged without labels."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from .._validation import check_random_state
from ..catalogue import Method, get_method
from ..exceptions import DataError
from ..metrics import Stability, neighborhood_preservation, reconstruction_error, redundancy
from ..solvers._iterate import Callback
from ._stability import stability

__all__ = ["Comparison", "TimeLimit", "by_rebuild", "compare", "not_fitted"]

#: Neighbourhoods are compared on so many rows at most.
MAX_ROWS = 1000
_NEIGHBORS = 10


class Comparison(NamedTuple):
    """What one method chose, and what that is worth.

    Attributes
    ----------
    method : str
        Its name in the catalogue.
    columns : tuple of int
        Chosen columns, best first; empty when it refused.
    seconds : float
        Wall-clock time of the fit.
    unexplained : float
        Share of the variance of all columns (each scaled to variance 1) that the chosen ones do not
        rebuild; small is good.
    preservation : float
        Share of nearest neighbours that the chosen columns find; large is good.
    redundancy : float
        Mean absolute correlation between chosen columns; small is good.
    refused : str
        Why there is no answer; empty when there is one.
    warnings : tuple of str
        What the fit warned of.
    stability : Stability or None
        How far the choice depends on the sample (`sksieve.evaluation.stability`), where that was
        asked for; None, and a warning that says why, where it cannot be told (all columns were
        kept, or a bootstrap sample was refused).
    """

    method: str
    columns: tuple[int, ...]
    seconds: float
    unexplained: float
    preservation: float
    redundancy: float
    refused: str
    warnings: tuple[str, ...]
    stability: Stability | None = None


def compare(
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

    Methods get standardized columns; those that look for large variance (scaling "raw" in the
    catalogue) get them unscaled. The numbers are those of the standardized table for all.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples are rows; no missing values.
    k : int
        Columns to keep, ``1 <= k <= d``.
    methods : sequence of str
        Names from the catalogue; no clusterers.
    random_state : int, RandomState or None, default=0
        For the methods that draw random numbers (an int gives each the same seed), and for the rows
        neighbourhoods are compared on.
    max_rows : int, default=1000
        Neighbourhoods are compared on a random sample of so many rows at most.
    n_bootstrap : int, default=0
        Also fit each method on so many bootstrap samples of the rows (at least 2), and tell the
        stability of its choice; 0 for none.
    time_limit : float > 0, optional
        Seconds after which a method that iterates ends with the step under way; it is judged by
        what it has, and its warnings say so. One without a loop runs to its end.
    watch : callable, optional
        Called with the name of each method before it is fitted; the callables ``(record, state) ->
        stop`` it answers with look on at every step.

    Returns
    -------
    list of Comparison
        By falling share of variance explained; methods that refused the data, or failed, come last
        with the reason.

    Raises
    ------
    ValueError
        If a method is not known or a clusterer, or `n_bootstrap` is 1 or less than 0.

    Notes
    -----
    Cost: the fits (``1 + n_bootstrap`` of each method), and O(n d k + min(n, `max_rows`)^2 d) to
    judge each.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve.evaluation import compare
    >>> [row.method for row in compare(load_wine().data, 3, ["local_search", "random"])]
    ['local_search', 'random']
    """
    if n_bootstrap < 0 or n_bootstrap == 1:
        raise ValueError(f"n_bootstrap must be 0, or 2 and more; got {n_bootstrap}.")
    chosen = [get_method(name) for name in methods]
    for method in chosen:
        if method.kind == "clusterer":
            raise ValueError(f"{method.name} finds groups of samples and chooses no columns.")
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    Z = StandardScaler().fit_transform(X)
    rng = check_random_state(random_state)
    rows = np.sort(rng.permutation(len(Z))[:max_rows])
    found = []
    for method in chosen:
        est = _estimator(method, k, random_state)
        late = TimeLimit(time_limit)
        est.set_callbacks(late, *watch(method.name))
        row = _judged(method, est, X if method.scaling == "raw" else Z, Z, rows)
        est.set_callbacks()
        row = row._replace(warnings=(*row.warnings, *late.said))
        if n_bootstrap and not row.refused:
            row = _with_stability(row, X, k, n_bootstrap, random_state)
        found.append(row)
    return sorted(found, key=by_rebuild)


def _with_stability(
    row: Comparison, X: Any, k: int, n_bootstrap: int, random_state: Any
) -> Comparison:
    """The row with its stability, or with a warning where the method refused a sample."""
    try:
        sure = stability(X, k, row.method, n_bootstrap=n_bootstrap, random_state=random_state)
    except DataError as error:  # one method without a figure must not cost the others
        said = f"its stability is not known: {_reason(error)}"
        return row._replace(warnings=(*row.warnings, said))
    return row._replace(stability=sure)


def by_rebuild(row: Comparison) -> tuple[bool, float]:
    """Key that puts the best rebuild first, and methods without an answer last."""
    return bool(row.refused), row.unexplained


class TimeLimit:
    """Callback that stops a fit after so many seconds; `said` then holds a sentence that says so.

    Parameters
    ----------
    seconds : float or None
        None never stops.

    Examples
    --------
    >>> from sksieve.evaluation._compare import TimeLimit
    >>> late = TimeLimit(0.0)
    >>> late({"n_iter": 3}, None), late.said
    (True, ('stopped after 3 iterations by the time limit of 0 s.',))
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.started = perf_counter()
        self.said: tuple[str, ...] = ()

    def __call__(self, record: Any, state: Any) -> bool:
        if self.seconds is None or perf_counter() - self.started < self.seconds:
            return False
        self.said = (
            f"stopped after {record['n_iter']:,} iterations by the time limit of "
            f"{self.seconds:g} s.",
        )
        return True


def not_fitted(method: str, reason: str, seconds: float = 0.0) -> Comparison:
    """The line of a method without an answer."""
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
    known = inspect.signature(cls).parameters
    return cls(**{name: value for name, value in given.items() if name in known})


def _judged(method: Method, est: Any, X: Any, Z: Any, rows: Any) -> Comparison:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        started = perf_counter()
        try:
            est.fit(X)
        except Exception as error:  # one method that fails must not cost the others
            seconds = perf_counter() - started
            return not_fitted(method.name, _reason(error), seconds)
        seconds = perf_counter() - started
    said = dict.fromkeys(" ".join(str(w.message).split()) for w in caught)
    S = est.ranking_[: est.n_features_to_select_]
    total = float(np.vdot(Z, Z))
    return Comparison(
        method=method.name,
        columns=tuple(int(j) for j in S),
        seconds=seconds,
        unexplained=reconstruction_error(Z, S, scale="none") / total if total else 0.0,
        preservation=neighborhood_preservation(
            Z[rows], S, n_neighbors=min(_NEIGHBORS, len(rows) - 1)
        ),
        redundancy=redundancy(Z, S) if len(S) > 1 else 0.0,
        refused="",
        warnings=tuple(said),
    )
