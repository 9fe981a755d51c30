"""Baselines of every comparison: columns ranked by variance, and in random order."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import mean_variance_axis

from .._array import BLOCK_BYTES, as_float
from .._typing import Array
from .._validation import common
from ..tables import constant_columns, refuse_magnitude
from ._base import BaseSelector


class VarianceRank(BaseSelector):
    """Columns by falling variance: what a method that does not scale must beat.

    Expects columns in one unit; on standardized ones all variances are equal and the ranking has no
    meaning.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        Variances (divisor n), largest first.

    Notes
    -----
    Cost O(n d), O(nnz) for sparse X; no loop.

    Examples
    --------
    >>> from sksieve import VarianceRank
    >>> VarianceRank(1).fit([[1.0, 10.0], [2.0, 30.0]]).ranking_
    array([1, 0])
    """

    nested: ClassVar[bool] = True
    _accept_sparse: ClassVar[bool] = True

    def __init__(self, n_features_to_select: int | None = None) -> None:
        self.n_features_to_select = n_features_to_select

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return 3.0 * d

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        refuse_magnitude(max(float(X.max()), -float(X.min())), X.shape[0] * X.shape[1])
        if sp.issparse(X):
            return mean_variance_axis(as_float(X), axis=0)[1]
        step = max(1, BLOCK_BYTES // (8 * X.shape[0]))
        blocks = (X[:, first : first + step] for first in range(0, X.shape[1], step))
        return np.concatenate([as_float(block).var(axis=0) for block in blocks])


class RandomRank(BaseSelector):
    """Columns that vary in random order: what every method must beat.

    Columns that are constant come last, so that this is a baseline also for methods that look at
    the data.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    random_state : int, RandomState or None, default=None
        For the order.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        Uniform on [0, 1); -1 for constant columns.

    Notes
    -----
    Cost O(n d); no loop.

    Examples
    --------
    >>> from sksieve import RandomRank
    >>> RandomRank(random_state=0).fit([[1.0, 2.0, 5.0], [3.0, 1.0, 5.0]]).ranking_[-1]
    np.int64(2)
    """

    nested: ClassVar[bool] = True
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("random_state"),
    }

    def __init__(
        self, n_features_to_select: int | None = None, *, random_state: Any = None
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return 3.0 * d

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        return np.where(constant_columns(X), -1.0, rng.random_sample(X.shape[1]))
