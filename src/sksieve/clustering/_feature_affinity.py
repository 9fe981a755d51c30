"""The affinity of samples as a parameter: Gaussian, nearest neighbors, or given."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from .._validation import Interval, StrOptions
from ..graphs import Neighbors, NeighborSearch, gaussian_affinity, knn_graph, neighbors_within
from ._base import BaseGraphClusterer


class FeatureAffinity(NeighborSearch, BaseGraphClusterer):
    """A graph clusterer that makes its affinity from features by a rule with a name.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters K, 1 to n_samples; at least 2 for a precomputed graph.
    affinity : {"gaussian", "knn", "precomputed"}, default="gaussian"
        ``"gaussian"``: ``exp(-||x_i - x_j||^2 / s)``, s the mean squared distance (n x n memory);
        ``"knn"``: graph of nearest neighbors, better on images; ``"precomputed"``: X is A.
    n_neighbors : int or None, default=None
        For ``"knn"``, refused with another affinity. None: 10, and not 5: the graph that was
        compared with the Gaussian affinity on images; one for `RPMA` and its rivals.
    n_init : int, default=20
        Starts of k-means.
    random_state : int, RandomState or None, default=None
        For k-means.
    """

    #: Neighbors where `n_neighbors` is None.
    _usual_neighbors: ClassVar[int] = 10

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseGraphClusterer._parameter_constraints,
        "affinity": [StrOptions({"gaussian", "knn", "precomputed"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
    }

    _for_graphs: ClassVar[bool] = True

    def _validate_params(self) -> None:
        super()._validate_params()
        if self.affinity != "knn":
            self._refuse("n_neighbors")

    def _refuse(self, name: str) -> None:
        """Raise if a parameter of the graph of neighbors is given."""
        value = getattr(self, name)
        if value is not None:
            raise ValueError(
                f"{name}={value!r} belongs to affinity='knn' and has no effect with "
                f"affinity={self.affinity!r}: leave it out."
            )

    def _nearest(self, X: Any, k: int | None = None) -> Neighbors:
        if k is None and self.n_neighbors is None:
            k = neighbors_within(self._usual_neighbors, X.shape[0])
        return super()._nearest(X, k)

    def _affinity(self, X: Any, rng: np.random.RandomState) -> Any:
        if self.affinity == "gaussian":
            return gaussian_affinity(X)
        return self._neighbor_affinity(X)

    def _neighbor_affinity(self, X: Any) -> Any:
        return knn_graph(X, self._nearest(X))
