"""A warning where one column's unit decides who is whose neighbour."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import mean_variance_axis

from ..exceptions import warn_user

__all__ = ["warn_of_scales"]

#: A spread so many times the median one makes the distances by itself.
_FACTOR = 100.0


def warn_of_scales(X: Any) -> None:
    """Warn where the largest standard deviation of a column is 100 times the median one.

    Constant columns do not count. O(n d).
    """
    variance = mean_variance_axis(X, axis=0)[1] if sp.issparse(X) else np.var(X, axis=0)
    spread = np.sqrt(variance[variance > 0])
    if len(spread) < 2 or spread.max() <= _FACTOR * np.median(spread):
        return
    j = int(np.argmax(variance))
    warn_user(
        f"Column {j} of X has {spread.max() / np.median(spread):.0f} times the spread of the median"
        " column, so the neighbours of a sample are those in that column alone; bring the columns "
        "to one scale first, with StandardScaler for instance.",
    )
