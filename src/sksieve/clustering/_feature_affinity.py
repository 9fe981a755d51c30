"""Affinities of samples that the dense methods share: Gaussian, nearest neighbors, given."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from .._validation import Interval, StrOptions
from ..graphs import NeighborSearch, gaussian_affinity, knn_graph
from ._base import BaseGraphClusterer


class FeatureAffinity(NeighborSearch, BaseGraphClusterer):
    """A graph clusterer that makes its affinity from features by one of two rules."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseGraphClusterer._parameter_constraints,
        "affinity": [StrOptions({"gaussian", "knn", "precomputed"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    _for_graphs: ClassVar[bool] = True

    def _affinity(self, X: Any, rng: np.random.RandomState) -> Any:
        if self.affinity == "gaussian":
            return gaussian_affinity(X)
        return knn_graph(X, self._nearest(X))
