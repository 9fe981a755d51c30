"""The selection that keeps every column: what any other has to be compared with."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

__all__ = ["AllColumns"]


class AllColumns(BaseEstimator):
    """Every column: what a selection has to be compared with.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        The columns as they stand.
    """

    nested = True

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the columns."""
        self.ranking_ = np.arange(X.shape[1])
        return self
