"""Columns brought to one scale; those that are constant put aside, and last."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._array import as_float
from .._validation import StrOptions
from ..exceptions import DataError
from ..linalg import refuse_extremes

__all__ = ["LAST", "SCALES", "centred_columns", "put_back", "rows_put_back", "varying_columns"]

Array = NDArray[np.float64]

#: Score of a constant column; all others are >= 0.
LAST = -1.0

SCALES = [StrOptions({"standard", "minmax", "unit", "none"})]


def centred_columns(X: Any) -> tuple[Array, NDArray[np.bool_]]:
    """The columns that vary, centred; and which they are.

    Raises
    ------
    DataError
        If no column does, or squares of X's entries are no numbers.
    """
    X = as_float(X)
    refuse_extremes(X)
    Z = X - X.mean(axis=0)
    size = np.abs(X).max(axis=0)
    varies = np.abs(Z).max(axis=0) > 64 * np.finfo(np.float64).eps * size
    if not varies.any():
        raise DataError("Every column of X is constant; there is nothing to choose from.")
    return np.ascontiguousarray(Z[:, varies]), varies


def varying_columns(X: Any, scale: str) -> tuple[Array, NDArray[np.bool_]]:
    """The columns that vary, scaled; and which they are.

    Parameters
    ----------
    X : array-like of shape (n, d)
    scale : {"standard", "minmax", "unit", "none"}
        Mean 0 and variance 1; to [0, 1]; mean 0 and length 1; as they are.

    Raises
    ------
    DataError
        As `centred_columns`.

    Examples
    --------
    >>> import numpy as np
    >>> varying_columns(np.array([[1.0, 5.0], [3.0, 5.0]]), "standard")
    (array([[-1.],
           [ 1.]]), array([ True, False]))
    """
    Z, varies = centred_columns(X)
    if scale == "none":
        return np.ascontiguousarray(as_float(X)[:, varies]), varies
    if scale == "minmax":
        Z -= Z.min(axis=0)
        return Z / Z.max(axis=0), varies
    Z /= np.abs(Z).max(axis=0)  # columns may be far apart in scale: keeps the squares in range
    spread = np.linalg.norm(Z, axis=0)
    return Z * ((np.sqrt(len(Z)) if scale == "standard" else 1.0) / spread), varies


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
