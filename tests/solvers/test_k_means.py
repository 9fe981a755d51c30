"""Starts of k-means."""

import numpy as np
import pytest
from sklearn.cluster import KMeans, kmeans_plusplus

from sksieve.solvers._k_means import k_means, spread_rows


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "d"), [(40, 2), (300, 7), (900, 30)])
def test_starts_are_those_of_scikit_learn(n, d, dtype):
    X = np.random.RandomState(n).standard_normal((n, d)).astype(dtype)
    X[: n // 3] = np.round(X[: n // 3])
    for c in (2, 8, 10):
        expected, _ = kmeans_plusplus(X, c, random_state=0)
        np.testing.assert_array_equal(spread_rows(X, c, np.random.RandomState(0)), expected)


def test_groups_are_those_of_scikit_learn():
    X = np.random.RandomState(0).standard_normal((200, 5))
    expected = KMeans(7, n_init=4, random_state=0).fit(X)
    own = k_means(X, 7, 4, np.random.RandomState(0))
    np.testing.assert_array_equal(own.labels_, expected.labels_)
    np.testing.assert_array_equal(own.cluster_centers_, expected.cluster_centers_)
