"""What methods are compared with: all columns, networkx's communities, parts of a target."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.preprocessing import StandardScaler

from .._optional import optional
from ..columns import IterFS
from ..columns._structure import (
    GRAPH_WEIGHT,
    POWER,
    RANK_RTOL,
    RIDGE,
    SCORES,
    WHITENED,
    graph_block,
)


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


class StructureParts(BaseEstimator):
    """Columns by some of the blocks of the structure target, or with another ridge.

    With its defaults it chooses what ``IterFS(k, init="greedy").fit(X, target="structure")`` does.

    Parameters
    ----------
    n_features_to_select : int
        Columns to keep.
    blocks : str
        Of ``"components"``, ``"graph"`` and ``"whitened"`` (the graph on whitened scores), those
        that the target has, separated by blanks.
    ridge : float
        For columns of length 1.
    random_state : int or None

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
    """

    nested = False

    def __init__(
        self,
        n_features_to_select: int = 1,
        blocks: str = "components graph whitened",
        ridge: float = RIDGE,
        random_state: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.blocks = blocks
        self.ridge = ridge
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose columns that explain the blocks."""
        search = IterFS(
            self.n_features_to_select,
            init="greedy",
            ridge=self.ridge,
            random_state=self.random_state,
        )
        self.ranking_ = search.fit(X, target=np.hstack(list(self._target(X)))).ranking_
        return self

    def _target(self, X: Any) -> Iterator[Any]:
        U, s, _ = np.linalg.svd(StandardScaler().fit_transform(X), full_matrices=False)
        U, s = U[:, s > RANK_RTOL * s[0]], s[s > RANK_RTOL * s[0]]
        parts = {
            "components": lambda: U * s**POWER / np.linalg.norm(s**POWER),
            "graph": lambda: _of_norm(GRAPH_WEIGHT, graph_block((U * s)[:, :SCORES])),
            "whitened": lambda: _of_norm(GRAPH_WEIGHT, graph_block(U[:, :WHITENED])),
        }
        return (parts[name]() for name in self.blocks.split())


def _of_norm(norm: float, E: Any) -> Any:
    return E * (norm / np.linalg.norm(E))


class Communities(ClusterMixin, BaseEstimator, ABC):
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

    @abstractmethod
    def _communities(self, functions: Any, graph: Any) -> Iterable[Any]:
        """Vertices of each community."""


class GreedyModularity(Communities):
    """networkx's greedy modularity communities; the number of groups is not given."""

    def _communities(self, functions: Any, graph: Any) -> Iterable[Any]:
        return functions.greedy_modularity_communities(graph, weight="weight")


class LabelPropagation(Communities):
    """networkx's asynchronous label propagation; the number of groups is not given."""

    def _communities(self, functions: Any, graph: Any) -> Iterable[Any]:
        return functions.asyn_lpa_communities(graph, weight="weight", seed=self.random_state)
