"""Columns with few missing values."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from .. import _frames
from .._array import check_sparse, missing_per_column
from .._ranking import RankingMixin
from .._typing import Array
from .._validation import Interval, check_header, fit_context, is_anndata, validate_data
from .._wording import percent
from ..exceptions import DataError


class MissingColumns(RankingMixin, BaseEstimator):
    """Drop columns by their share of missing values.

    Columns of numbers, text and dates count alike; the missing values of kept columns pass through.

    Parameters
    ----------
    max_share : float, default=0.3
        In [0, 1): columns with a larger share of missing values are dropped.

    Attributes
    ----------
    missing_share_ : ndarray of shape (n_features,)
        Share of missing values of each column.
    ranking_ : ndarray of shape (n_features,)
        Columns by their share, the smallest first; ties to the smaller index.
    n_features_to_select_ : int
        Columns kept.

    Raises
    ------
    DataError
        If no column would be left.

    Notes
    -----
    Cost O(n d), of a sparse X O(nnz).

    Examples
    --------
    >>> import pandas as pd
    >>> from sksieve import MissingColumns
    >>> X = pd.DataFrame({"a": [1, None, None], "b": ["x", "y", None], "c": [1, 2, 3]})
    >>> est = MissingColumns(max_share=0.5).fit(X)
    >>> est.missing_share_.round(2), est.get_feature_names_out()
    (array([0.67, 0.33, 0.  ]), array(['b', 'c'], dtype=object))
    """

    _accept_text: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_share": [Interval(Real, 0, 1, closed="left")],
    }

    def __init__(self, max_share: float = 0.3) -> None:
        self.max_share = max_share

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the missing values.

        Parameters
        ----------
        X : {array-like, sparse, data frame, AnnData} of shape (n_samples, n_features)
        y : None
            Ignored; there for pipelines.

        Returns
        -------
        self : estimator
        """
        check_sparse(X)
        X = _frames.collected(X)
        self.missing_share_ = self._shares(X)
        self.ranking_ = np.argsort(self.missing_share_, kind="stable")
        self.n_features_to_select_ = int(np.sum(self.missing_share_ <= self.max_share))
        if not self.n_features_to_select_:
            raise DataError(
                f"Every column has more than {percent(self.max_share)} missing values; raise "
                "max_share."
            )
        return self

    def _shares(self, X: Any) -> Array:
        """The share of missing values of each column."""
        if not is_anndata(X) and _frames.is_frame(X) and not _frames.holds_numbers(X):
            check_header(self, X, reset=True)
            return _frames.missing_shares(X)
        X = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        return np.asarray(missing_per_column(X) / X.shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
