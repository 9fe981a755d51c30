"""The one file that imports scikit-learn's private helpers, and the one check of tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import _fit_context as fit_context
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils._param_validation import Interval, Options, StrOptions
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in
from sklearn.utils.validation import _num_features as num_features
from sklearn.utils.validation import check_is_fitted
from sklearn.utils.validation import validate_data as sklearn_validate_data

from ._array import check_sparse
from .exceptions import DataError

__all__ = [
    "Interval",
    "Options",
    "StrOptions",
    "assert_all_finite",
    "check_feature_names_in",
    "check_is_fitted",
    "check_random_state",
    "fit_context",
    "num_features",
    "validate_data",
]


def validate_data(
    estimator: Any,
    X: Any,
    *,
    accept_sparse: str | bool = False,
    dtype: Any = "numeric",
    ensure_all_finite: bool = True,
    ensure_min_samples: int = 1,
    reset: bool = True,
) -> Any:
    """scikit-learn's ``validate_data``, after what it accepts or cannot survive is refused.

    Parameters
    ----------
    estimator : estimator
    X : object
        What the user passed.
    accept_sparse, dtype, ensure_all_finite, ensure_min_samples, reset
        As for scikit-learn's function.

    Returns
    -------
    X : ndarray or sparse array

    Raises
    ------
    DataError
        If X is a malformed sparse matrix, has dates or durations, entries that are not numbers, or
        columns of the same name.
    """
    check_sparse(X)
    _refuse_dates(X)
    _refuse_repeated_names(X)
    X = sklearn_validate_data(
        estimator,
        X,
        accept_sparse=accept_sparse,
        dtype=dtype,
        ensure_all_finite=ensure_all_finite,
        ensure_min_samples=ensure_min_samples,
        reset=reset,
    )
    return _numbers(X) if X.dtype.kind == "O" else X


def _numbers(X: Any) -> Any:
    """An array of objects as float64: scikit-learn leaves polars frames of several types."""
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"X has entries that are not numbers ({error}). Drop or encode these columns."
        ) from None


def _refuse_dates(X: Any) -> None:
    types = getattr(X, "dtypes", None)  # of a frame, one for each column
    types = [getattr(X, "dtype", "")] if types is None else list(types)
    for name, dtype in zip(getattr(X, "columns", [None]), types, strict=False):
        if str(dtype).lower().startswith(("date", "timedelta", "duration")):
            where = "" if name is None else f" in column {name!r}"
            raise DataError(
                f"X has dates or durations{where}. Convert them to numbers, for instance to days "
                f"since the first one."
            )


def _refuse_repeated_names(X: Any) -> None:
    names = getattr(X, "columns", None)
    if names is None or not hasattr(names, "__len__") or len(set(names)) == len(names):
        return
    repeated = next(name for name in names if list(names).count(name) > 1)
    raise DataError(f"X has several columns with the name {repeated!r}. Rename them.")
