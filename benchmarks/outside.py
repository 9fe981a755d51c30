"""Methods of other packages for the leaderboard, as a reader would add one.

From this folder, with fastcan installed:

    sksieve bench run grids/leaderboard-selection.toml --store mine --only \\
        --method outside:ScaledVariance --method outside:FastCanPCA
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.preprocessing import MinMaxScaler


class ScaledVariance(BaseEstimator):
    """scikit-learn's `VarianceThreshold` as a ranking: largest variance of columns in [0, 1]."""

    nested = True  # the first k of the ranking are the answer for every k

    def __init__(self, n_features_to_select: int = 1) -> None:
        self.n_features_to_select = n_features_to_select

    def fit(self, X: Any, y: Any = None) -> Self:
        variances = VarianceThreshold().fit(MinMaxScaler().fit_transform(X)).variances_
        self.ranking_ = np.argsort(-variances, kind="stable")
        return self


class FastCanPCA(BaseEstimator):
    """fastcan with the leading k principal components as targets, as in its user guide."""

    def __init__(self, n_features_to_select: int = 1) -> None:
        self.n_features_to_select = n_features_to_select

    def fit(self, X: Any, y: Any = None) -> Self:
        from fastcan import FastCan

        k = self.n_features_to_select
        targets = PCA(min(k, *X.shape), svd_solver="full").fit_transform(X)
        self.ranking_ = FastCan(k, verbose=0).fit(np.array(X), targets).indices_
        return self
