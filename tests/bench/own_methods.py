"""Methods that a spec can name: well-behaved ones that count their fits, and others."""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from itertools import repeat

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

FITS: list[tuple[str, int]] = []

#: The tables that were fitted.
SEEN: list = []


class Nested(BaseEstimator):
    """All columns in their order; counts its fits."""

    nested = True

    def __init__(self, n_features_to_select=1):
        self.n_features_to_select = n_features_to_select

    def fit(self, X, y=None):
        FITS.append((type(self).__name__, self.n_features_to_select))
        SEEN.append(X)
        self.ranking_ = self.ranked(X)
        return self

    def ranked(self, X):
        return np.arange(X.shape[1])


class NotNested(Nested):
    nested = False


class Raises(Nested):
    def ranked(self, X):
        raise RuntimeError("no answer today")


class Hangs(Nested):
    def ranked(self, X):
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue


class TakesTheAlarm(Nested):
    def ranked(self, X):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)
        return super().ranked(X)


class HangsInCompiledCode(Nested):
    def ranked(self, X):
        deque(repeat(0), maxlen=0)  # never looks at signals


class Dies(Nested):
    def ranked(self, X):
        os._exit(3)


class NaNRanking(Nested):
    def ranked(self, X):
        return np.full(X.shape[1], np.nan)


class NaNScores(Nested):
    def ranked(self, X):
        self.scores_ = np.full(X.shape[1], np.nan)
        return np.arange(X.shape[1])


class SameColumn(Nested):
    def ranked(self, X):
        return np.zeros(X.shape[1], dtype=int)


class OneCluster(ClusterMixin, BaseEstimator):
    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        FITS.append((type(self).__name__, self.n_clusters))
        self.labels_ = np.zeros(len(X), dtype=int)
        return self


class Blocks(ClusterMixin, BaseEstimator):
    """The first half of the vertices, and the others, with the basis to them."""

    def __init__(self, n_clusters=2, affinity="features"):
        self.n_clusters = n_clusters
        self.affinity = affinity

    def fit(self, X, y=None):
        SEEN.append(X)
        n = X.shape[0]
        self.labels_ = np.arange(n) * self.n_clusters // n
        self.embedding_ = np.eye(self.n_clusters)[self.labels_] / np.sqrt(n / self.n_clusters)
        return self


class TooFewLabels(OneCluster):
    def fit(self, X, y=None):
        self.labels_ = np.zeros(len(X) - 1, dtype=int)
        return self


class Skewed(Blocks):
    """Blocks with a basis that is not orthonormal."""

    def fit(self, X, y=None):
        super().fit(X)
        self.embedding_ = 2 * self.embedding_
        return self
