"""How sure is a selection? The method again on bootstrap samples of the rows. No labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from .._array import dense
from .._validation import check_random_state
from ..catalogue import Method, get_method
from ..config import carrying_config
from ..exceptions import DataError
from ..metrics import Stability
from ..metrics import stability as of_subsets


def stability(
    X: Any,
    k: int,
    method: Any = "greedy",
    *,
    n_bootstrap: int = 50,
    confidence: float = 0.95,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Stability:
    """Nogueira's stability of a method's choice of k columns, with its interval.

    The method is fitted anew on samples of the rows, drawn with replacement, and the choices are
    compared: 1 is always the same columns, 0 is what choosing at random gives on average.

    Parameters
    ----------
    X : array, DataFrame or CSR of shape (n, d)
        Samples are rows; no missing values.
    k : int
        Columns to keep, ``1 <= k < d``.
    method : str or estimator, default="greedy"
        A name of the catalogue (no clusterer), with its defaults: it sees the standardized columns
        of each sample, or the raw ones if it looks for large variance. Or an estimator that
        is not fitted, which sees the rows as they are and gets ``n_features_to_select=k``.
    n_bootstrap : int, default=50
        Samples; the interval is asymptotic in their number.
    confidence : float in (0, 1), default=0.95
        Of the interval.
    n_jobs : int, optional
        Processes, as joblib counts them.
    random_state : int, RandomState or None
        For the samples, and for a method that has a seed: each sample gets its own.

    Returns
    -------
    Stability
        ``value``, ``lower``, ``upper``, and in ``frequencies`` how often each column was chosen.

    Raises
    ------
    DataError
        If `k`, `n_bootstrap` or `confidence` is out of range, or the method refuses a sample.
    ValueError
        If the method is unknown or finds groups of samples.

    Notes
    -----
    `n_bootstrap` fits. The interval speaks of resampling these rows; it does not say what other
    people, genes or pictures would give. A bootstrap sample holds about 63 % of the rows, some of
    them several times: methods that look at nearest neighbors see duplicates.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve.evaluation import stability
    >>> measure = stability(load_wine().data, 2, "greedy", random_state=0)
    >>> measure.lower < measure.value < measure.upper, measure.n_subsets
    (True, 50)
    """
    X = np.asarray(dense(X), dtype=np.float64)
    if X.ndim != 2:
        raise DataError(f"X must be a table of shape (n_samples, n_features); got {X.shape}.")
    n, d = X.shape
    if not (1 <= k < d and n_bootstrap >= 2):
        raise DataError(
            f"k must be in 1..{d - 1} and n_bootstrap at least 2; got {k} and {n_bootstrap}."
        )
    if not 0 < confidence < 1:  # before the fits, not after them
        raise DataError(f"confidence must lie between 0 and 1; got {confidence}.")
    entry = get_method(method) if isinstance(method, str) else None
    if entry is not None and entry.kind == "clusterer":
        raise ValueError(f"{entry.name} finds groups of samples and chooses no columns.")
    rng = check_random_state(random_state)
    draws = [(rng.randint(n, size=n), int(rng.randint(2**31 - 1))) for _ in range(n_bootstrap)]
    from joblib import Parallel, delayed

    chosen = delayed(carrying_config(_chosen))
    subsets = Parallel(n_jobs=n_jobs)(
        chosen(X[rows], k, method if entry is None else entry, seed) for rows, seed in draws
    )
    return of_subsets(subsets, d, confidence=confidence)


def _chosen(X: NDArray[np.float64], k: int, method: Any, seed: int) -> NDArray[np.intp]:
    if isinstance(method, Method):
        est = method.load()()
        X = X if method.suitable_scale() == "none" else StandardScaler().fit_transform(X)
    else:
        est = clone(method)
    requested = {"n_features_to_select": k, "random_state": seed}
    accepted = est.get_params()
    est.set_params(**{name: value for name, value in requested.items() if name in accepted})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of every sample the same
        try:
            est.fit(X)
        except (ValueError, np.linalg.LinAlgError) as error:
            raise DataError(f"{type(est).__name__} refused a bootstrap sample: {error}") from error
    return np.sort(np.asarray(est.ranking_)[:k])
