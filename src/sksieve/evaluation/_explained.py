"""The one number that says what chosen columns explain."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ..metrics import HeldOut


def explained(X: Any, columns: ArrayLike, *, random_state: Any = 0) -> float:
    """Cross-validated share of the variance of all columns that chosen ones explain.

    Every column is standardized and predicted from the chosen ones on rows that were not used to
    fit the prediction: see `sksieve.metrics.HeldOut`, which judges several choices of one table
    faster.

    Parameters
    ----------
    X : {array-like, CSR} of shape (n_samples, n_features)
        Samples are rows; at least two.
    columns : array-like of int of shape (k,), or of bool of shape (n_features,)
        Which columns.
    random_state : int, RandomState or None, default=0
        Divides the rows into folds.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve.evaluation import explained
    >>> round(explained(load_wine().data, [6, 9, 3]), 3)
    0.552
    """
    return HeldOut(X, random_state=random_state).explained(columns)
