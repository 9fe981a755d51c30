"""Columns brought to one scale; those that are constant put aside, and last."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._array import as_float
from .._validation import StrOptions
from ..exceptions import DataError
from ..scaling import SCALES as WORDS
from ..scaling import constant_columns, refuse_extremes, scale_columns

__all__ = ["LAST", "SCALES", "centered_columns", "put_back", "rows_put_back", "varying_columns"]

Array = NDArray[np.float64]

#: Score of a constant column; all others are >= 0.
LAST = -1.0

SCALES = [StrOptions(set(WORDS))]


def centered_columns(X: Any, degree: int = 2) -> tuple[Array, NDArray[np.bool_]]:
    """The columns that vary, centered; and which they are.

    Parameters
    ----------
    X : array-like of shape (n, d)
    degree : int
        See `varying_columns`.

    Raises
    ------
    DataError
        If no column varies, or products of X's entries overflow or underflow.
    """
    X, varies = _varying(X, degree)
    return np.ascontiguousarray(X - X.mean(axis=0)), varies


def varying_columns(X: Any, scale: str, degree: int = 2) -> tuple[Array, NDArray[np.bool_]]:
    """The columns that vary, scaled; and which they are.

    Parameters
    ----------
    X : array-like of shape (n, d)
    scale : {"standard", "correlation", "unit", "minmax", "none"}
        See `sksieve.scaling`.
    degree : int
        How many entries the method multiplies with each other: what is refused under ``"none"``,
        see `sksieve.scaling.refuse_magnitude`.

    Raises
    ------
    DataError
        As `centered_columns`.

    Examples
    --------
    >>> import numpy as np
    >>> varying_columns(np.array([[1.0, 5.0], [3.0, 5.0]]), "standard")
    (array([[-1.],
           [ 1.]]), array([ True, False]))
    """
    X, varies = _varying(X, degree if scale == "none" else 2)
    return np.ascontiguousarray(scale_columns(X, scale).X), varies


def _varying(X: Any, degree: int = 2) -> tuple[Array, NDArray[np.bool_]]:
    X = as_float(X)
    refuse_extremes(X, degree)
    varies = ~constant_columns(X)
    if not varies.any():
        raise DataError("Every column of X is constant; there is nothing to choose from.")
    return X[:, varies], varies


def put_back(scores: Array, varies: NDArray[np.bool_]) -> Array:
    """Scores for all columns, `LAST` for those that do not vary."""
    full = np.full(len(varies), LAST)
    full[varies] = scores
    return full


def rows_put_back(W: Array, varies: NDArray[np.bool_]) -> Array:
    """W with a row for every column, zeros for those that do not vary."""
    full = np.zeros((len(varies), W.shape[1]))
    full[varies] = W
    return full
