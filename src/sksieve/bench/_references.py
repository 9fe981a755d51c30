"""What methods are compared with: every column kept, and networkx's communities of a graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin

from .._optional import optional


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


class Communities(ClusterMixin, BaseEstimator):
    """A function of networkx as a clusterer of graphs.

    Parameters
    ----------
    affinity : {"precomputed"}
        The input is an adjacency matrix.
    random_state : int or None
        Seed, where the function takes one.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
    """

    def __init__(self, affinity: str = "precomputed", random_state: int | None = None) -> None:
        self.affinity = affinity
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the communities of a graph.

        Raises
        ------
        ImportError
            Without networkx .
        """
        networkx = optional("networkx", "This baseline")
        graph = networkx.from_scipy_sparse_array(sp.csr_array(X))
        self.labels_ = np.empty(X.shape[0], dtype=np.int64)
        for label, vertices in enumerate(self._communities(networkx.community, graph)):
            self.labels_[list(vertices)] = label
        return self

    def _communities(self, functions: Any, graph: Any) -> Iterable[Any]:
        raise TypeError("use GreedyModularity or LabelPropagation")


class GreedyModularity(Communities):
    """networkx's greedy modularity communities; the number of groups is not given."""

    def _communities(self, functions: Any, graph: Any) -> Iterable[Any]:
        return functions.greedy_modularity_communities(graph, weight="weight")


class LabelPropagation(Communities):
    """networkx's asynchronous label propagation; the number of groups is not given."""

    def _communities(self, functions: Any, graph: Any) -> Iterable[Any]:
        return functions.asyn_lpa_communities(graph, weight="weight", seed=self.random_state)
