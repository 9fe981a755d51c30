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
from ..metrics import Stability, neighborhood_preservation, reconstruction_error, redundancy
from ..registry import Method, get_method
from ._stability import stability

__all__ = ["Comparison", "compare"]

#: Neighbourhoods are compared on so many rows at most.
MAX_ROWS = 1000
_NEIGHBORS = 10


class Comparison(NamedTuple):
    """What one method chose, and what that is worth.

    Attributes
    ----------
    method : str
        Its name in the registry.
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
        asked for.
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
    watch: Callable[[str], None] = lambda name: None,
) -> list[Comparison]:
    """Fit each method with its defaults and judge the k columns it keeps, without labels.

    Methods get standardised columns; those that look for large variance (`Method.wants_raw`) get
    them as they are. The figures are those of the standardised table for all.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples are rows; no missing values.
    k : int
        Columns to keep, ``1 <= k <= d``.
    methods : sequence of str
        Names from the registry; no clusterers.
    random_state : int, RandomState or None, default=0
        For the methods that draw random numbers (an int gives each the same seed), and for the rows
        neighbourhoods are compared on.
    max_rows : int, default=1000
        Neighbourhoods are compared on a random sample of so many rows at most.
    n_bootstrap : int, default=0
        Also fit each method on so many bootstrap samples of the rows, and tell the stability of its
        choice; 0 for none.
    watch : callable, optional
        Called with the name of each method before it is fitted.

    Returns
    -------
    list of Comparison
        By falling share of variance explained; methods that refused the data come last.

    Raises
    ------
    ValueError
        If a method is not known or a clusterer.

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
    chosen = [get_method(name) for name in methods]
    for method in chosen:
        if method.kind == "clusterer":
            raise ValueError(f"{method.name} finds groups of samples and chooses no columns.")
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    Z = StandardScaler().fit_transform(X)
    rng = check_random_state(random_state)
    rows = np.sort(rng.permutation(len(Z))[:max_rows])
    found = []
    for name, method in zip(methods, chosen):
        watch(method.name)
        est = _estimator(method, k, random_state)
        row = _judged(method, est, X if method.wants_raw else Z, Z, rows)
        if n_bootstrap and not row.refused:
            sure = stability(X, k, name, n_bootstrap=n_bootstrap, random_state=random_state)
            row = row._replace(stability=sure)
        found.append(row)
    return sorted(found, key=lambda row: (bool(row.refused), row.unexplained))


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
        except (ValueError, np.linalg.LinAlgError) as error:
            seconds = perf_counter() - started
            nan = float("nan")
            return Comparison(method.name, (), seconds, nan, nan, nan, str(error), ())
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
