"""How many columns? The knee of the error path, with its bootstrap interval. No labels."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._validation import check_random_state
from ..catalogue import get_method
from ..exceptions import DataError, RankDeficiencyWarning

__all__ = ["Suggestion", "knee", "suggest_k"]

#: Below this distance from the chord (of at most 1) a path is called straight.
WEAK = 0.1

#: An interval wider than this share of the range decides nothing.
WIDE = 1 / 3


class Suggestion(NamedTuple):
    """How many columns, and how sure.

    Attributes
    ----------
    k : int
        Knee of the error path of the whole table.
    low, high : int
        Bootstrap interval of the knee.
    decided : bool
        False where the path has no clear knee or the interval is wide.
    said : str
        The same in a sentence.
    errors : ndarray of shape (max_k + 1,)
        Share of the squared norm that 0, 1, ... columns leave unexplained.
    knees : ndarray of shape (n_bootstrap,)
        The knee in each bootstrap sample.
    """

    k: int
    low: int
    high: int
    decided: bool
    said: str
    errors: NDArray[np.float64]
    knees: NDArray[np.intp]


def knee(errors: NDArray[np.float64]) -> tuple[int, float]:
    """Where a falling path is furthest below the chord from its first to its last point.

    Parameters
    ----------
    errors : ndarray of shape (K + 1,)
        Errors with 0, 1, ..., K columns, not rising.

    Returns
    -------
    k : int
        In 1, ..., K; the smallest among equals.
    distance : float
        In [0, 1]: how far below the chord, both axes scaled to [0, 1]; 0 for a straight path.

    Notes
    -----
    Satopaa, Albrecht, Irwin & Raghavan, ICDCSW 2011 ("Kneedle"), without smoothing.

    Examples
    --------
    >>> import numpy as np
    >>> k, distance = knee(np.array([1.0, 0.2, 0.1, 0.0]))
    >>> k, round(distance, 4)
    (1, 0.4667)
    """
    K = len(errors) - 1
    fall = errors[0] - errors[-1]
    if K < 1 or not fall > 0:
        return 1, 0.0
    below = 1 - np.arange(K + 1) / K - (errors - errors[-1]) / fall
    k = 1 + int(np.argmax(np.round(below[1:], 12)))
    return k, max(float(below[k]), 0.0)


def suggest_k(
    X: Any,
    *,
    max_k: int | None = None,
    method: str = "greedy",
    scale: str = "standard",
    n_bootstrap: int = 100,
    confidence: float = 0.95,
    random_state: int | np.random.RandomState | None = None,
) -> Suggestion:
    """The number of columns after which more of them add little.

    Parameters
    ----------
    X : array, DataFrame or CSR of shape (n_samples, n_features)
        Samples are rows; no labels are used.
    max_k : int, optional
        The path goes this far; by default to all columns, at most 50. The knee is one of this
        range: another range may have another knee.
    method : str, default="greedy"
        A nested column subset method of the catalogue.
    scale : {"standard", "unit", "none"}, default="standard"
        What is done to the columns.
    n_bootstrap : int, default=100
        Samples of rows, drawn with replacement.
    confidence : float, default=0.95
        Of the percentile interval.
    random_state : int, RandomState or None
        For the bootstrap and, where it has a seed, the method.

    Returns
    -------
    Suggestion

    Raises
    ------
    DataError
        If the method is not nested or chooses no column subsets, `max_k`, `n_bootstrap` or
        `confidence` are out of range, or the method refuses the table or a bootstrap sample.

    Notes
    -----
    ``n_bootstrap + 1`` fits. "Not decided" means: nowhere 0.1 below the chord, or an interval of
    more than a third of the range.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.RandomState(0)
    >>> X = rng.randn(60, 3) @ rng.randn(3, 12) + 0.01 * rng.randn(60, 12)
    >>> found = suggest_k(X, n_bootstrap=20, random_state=0)
    >>> found.k, found.decided
    (3, True)
    """
    entry = get_method(method)
    if entry.kind != "columns" or not entry.nested:
        raise DataError(f"{method} is not a column subset method with nested subsets.")
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    if X.ndim != 2:
        raise DataError(f"X must be a table of shape (n_samples, n_features); got {X.shape}.")
    n, d = X.shape
    max_k = min(d, 50) if max_k is None else max_k
    if not (1 <= max_k <= d and n_bootstrap >= 1 and 0 < confidence < 1):
        raise DataError(
            f"max_k must be in 1..{d}, n_bootstrap positive, confidence in (0, 1); got "
            f"{max_k}, {n_bootstrap}, {confidence}."
        )
    rng = check_random_state(random_state)
    seed = int(rng.randint(2**31 - 1))
    errors = _path(entry, X, max_k, scale, seed)
    k, distance = knee(errors)
    draws = [rng.randint(n, size=n) for _ in range(n_bootstrap)]
    try:
        knees = np.array([knee(_path(entry, X[rows], max_k, scale, seed))[0] for rows in draws])
    except DataError as error:
        raise DataError(f"A bootstrap sample of the rows was refused: {error}") from error
    tail = (1 - confidence) / 2
    low, high = np.quantile(knees, [tail, 1 - tail], method="inverted_cdf")
    said, decided = _verdict(k, int(low), int(high), max_k, distance)
    return Suggestion(k, int(low), int(high), decided, said, errors, knees)


def _path(entry: Any, X: Any, max_k: int, scale: str, seed: int) -> NDArray[np.float64]:
    """Unexplained share for 0, ..., max_k columns; beyond the rank nothing is left to explain."""
    parameters = {"n_features_to_select": max_k, "scale": scale}
    if "random_state" in entry.defaults():
        parameters["random_state"] = seed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankDeficiencyWarning)  # usual in a bootstrap sample
        path = entry.load()(**parameters).fit(X).error_path_
    last = max(path)
    errors = np.array([path[min(size, last)] for size in range(max_k + 1)])
    return np.minimum.accumulate(errors) / errors[0]


def _verdict(k: int, low: int, high: int, max_k: int, distance: float) -> tuple[str, bool]:
    interval = f"bootstrap interval {low} to {high}"
    if distance < WEAK:
        return (
            f"The data do not decide: every column adds about as much as the one before ({interval}"
            f"). Choose k by the error you can accept.",
            False,
        )
    if high - low > WIDE * max_k:
        return f"The data do not decide: the knee is at {k}, but {interval} of {max_k}.", False
    return f"{k} columns ({interval}): after them more columns add little.", True
