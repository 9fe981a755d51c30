"""The graph of nearest neighbors as a parameter: how its edges are weighted."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize

from .._validation import Interval, StrOptions
from ..exceptions import DataError
from ._search import Neighbors, NeighborSearch
from ._weights import LARGEST_BANDWIDTH, SMALLEST_BANDWIDTH, knn_graph


class NeighborGraph(BaseEstimator):
    """How the edges of a graph of nearest neighbors are weighted.

    The value of the parameter `graph` of the classes that have one; `n_neighbors` stays with them.
    Its parameters are set as nested ones: ``graph__weights`` in a grid.

    Parameters
    ----------
    weights : {"heat", "binary", "cosine"}, default="heat"
        ``"heat"``: ``exp(-||x_i - x_j||^2 / (2 sigma^2))``; ``"binary"``: 1; ``"cosine"``: nearest
        by angle, weighted by the cosine.
    sigma : float > 0, "mean_all" or "mean_knn", default="mean_all"
        Bandwidth of the heat kernel: a number in the unit of the (scaled) columns, the mean
        distance over all pairs of samples, or that between neighbors. Other weights have none, and
        refuse one.

    See Also
    --------
    sksieve.graphs.knn_graph : the graph as a function.

    Examples
    --------
    >>> from sksieve import LaplacianScore
    >>> from sksieve.graphs import NeighborGraph
    >>> est = LaplacianScore(graph=NeighborGraph("binary"))
    >>> est.set_params(graph__weights="heat", graph__sigma=0.5).graph
    NeighborGraph(sigma=0.5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "weights": [StrOptions({"heat", "binary", "cosine"})],
        "sigma": [
            Interval(Real, SMALLEST_BANDWIDTH, LARGEST_BANDWIDTH, closed="neither"),
            StrOptions({"mean_all", "mean_knn"}),
        ],
    }

    def __init__(self, weights: str = "heat", *, sigma: float | str = "mean_all") -> None:
        self.weights = weights
        self.sigma = sigma

    def points(self, X: Any) -> Any:
        """The rows whose neighbors are searched: of X, or of unit length where angles count."""
        return normalize(X) if self.weights == "cosine" else X

    def affinity(self, X: Any, neighbors: Neighbors) -> sp.csr_array:
        """The graph of `neighbors`, which were found in X = ``points(table)``.

        Raises
        ------
        ValueError
            If a parameter has no meaning.
        DataError
            If every weight is 0.
        """
        self._validate_params()
        if self.weights != "heat" and self.sigma != "mean_all":
            raise ValueError(
                f"sigma={self.sigma!r} is the bandwidth of weights='heat' and has no effect with "
                f"weights={self.weights!r}: leave it out."
            )
        A = knn_graph(X, neighbors, weights=self.weights, sigma=self.sigma)
        if not A.nnz and self.weights == "heat":
            raise DataError(
                f"sigma={self.sigma} is so small compared with the distances between samples that "
                'every weight of the graph is 0: give a larger number, or "mean_all".'
            )
        return A


class SampleGraph(NeighborSearch):
    """Gives an estimator with the parameters `n_neighbors` and `graph` the graph of samples.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors of each sample.
    graph : NeighborGraph or None, default=None
        Weights of the graph; None: `sksieve.graphs.NeighborGraph` as it is, with a heat kernel.

    Attributes
    ----------
    affinity_ : csr_array of shape (n_samples, n_samples)
        The graph.
    """

    graph: NeighborGraph | None
    #: The graph where none is given.
    _default_graph: ClassVar[NeighborGraph] = NeighborGraph()

    _graph_constraint: ClassVar[list[Any]] = [NeighborGraph, None]

    def _sample_graph(self, X: Any, neighbors: Neighbors | None = None) -> sp.csr_array:
        """The graph of the rows of X, which are on one scale, with neighbors found before."""
        graph = self._default_graph if self.graph is None else self.graph
        X = graph.points(X)
        return graph.affinity(X, self._nearest(X) if neighbors is None else neighbors)
