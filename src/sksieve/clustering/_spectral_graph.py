"""Spectral clustering of a nearest-neighbor graph.

Ng, Jordan & Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001. Samples are rows
of X (n x d).

====== ============== ====================================================
paper  code           meaning, shape
====== ============== ====================================================
S      X              samples, n x d
A      A              affinity, n x n, zero diagonal
L      --             ``D^-1/2 A D^-1/2``
X, Y   embedding_     leading eigenvectors of L, rows of unit length, n x k
k      n_clusters     number of clusters
====== ============== ====================================================

Deviations

D1. The affinity is that of the nearest neighbors by default, not the full Gaussian matrix: O(n k)
    memory, and better on images.
D2. The eigenvectors are computed one connected component at a time, and components too small to be
    clusters join their nearest first; see `sksieve.graphs`. On a connected graph nothing changes.
D3. `SpectralCommunities` raises the degrees by their mean (Amini, Chen, Bickel & Levina, Annals of
    Statistics 41, 2013).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from ..graphs import (
    NeighborGraph,
    SampleGraph,
    component_eigenpairs,
    degrees,
    graph_eigenpairs,
    normalized_adjacency,
)
from ._feature_affinity import FeatureAffinity


class SpectralGraph(SampleGraph, FeatureAffinity):
    """Spectral clustering of a nearest-neighbor graph, exact for disconnected graphs too.

    k-means on the rows, scaled to unit length, of the leading eigenvectors of
    ``D^-1/2 A D^-1/2``. A connected component of the samples' graph with fewer than a quarter of
    ``n_samples / n_clusters`` samples joins the component of the sample nearest to it.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters.
    affinity : {"knn", "gaussian", "precomputed"}, default="knn"
        ``"knn"``: graph of nearest neighbors; ``"gaussian"``: the full matrix
        ``exp(-||x_i - x_j||^2 / s)``, s the mean squared distance of two samples (n x n memory);
        ``"precomputed"``: X is the affinity.
    n_neighbors : int or None, default=None
        Neighbors of each sample for ``"knn"``, itself not counted; refused with another affinity.
        None: 7, and not 5: as in the graph of `suggest_n_clusters`.
    graph : NeighborGraph or None, default=None
        Weights of the edges of ``"knn"``; refused with another affinity. None:
        ``NeighborGraph("binary")``.
    n_init : int, default=20
        Starts of k-means.
    random_state : int, RandomState or None, default=None
        For k-means.

    Attributes
    ----------
    affinity_, embedding_, labels_, n_clusters_, n_components_
        See `BaseGraphClusterer`.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost O(n^2 d) for the neighbors, O(n k) memory for the graph; Lanczos for the eigenvectors.

    References
    ----------
    Ng, Jordan & Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sksieve import SpectralGraph
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> est = SpectralGraph(n_clusters=2, random_state=0).fit(X)
    >>> y[:8], est.labels_[:8]
    (array([0, 1, 1, 0, 1, 1, 0, 1]), array([0, 1, 1, 0, 1, 1, 0, 1]))
    >>> est.n_components_, est.affinity_.nnz
    (2, 1590)
    """

    _default_graph: ClassVar[NeighborGraph] = NeighborGraph("binary")
    _usual_neighbors: ClassVar[int] = 7
    _for_graphs: ClassVar[bool] = False

    #: Whose eigenvectors: ``D^-1/2 A D^-1/2``, the same with the mean degree added to D
    #: (``"regularized"``), or A (``"affinity"``).
    _matrix: ClassVar[str] = "normalized"

    #: Are the rows of the eigenvectors scaled to unit length?
    _unit_rows: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureAffinity._parameter_constraints,
        "graph": SampleGraph._graph_constraint,
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        affinity: str = "knn",
        n_neighbors: int | None = None,
        graph: NeighborGraph | None = None,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.graph = graph
        self.n_init = n_init
        self.random_state = random_state

    _when_too_large: ClassVar[str] = "Use affinity='knn', which is sparse."

    def _bytes_per_pair(self, itemsize: int) -> float:
        return 32 if self.affinity == "gaussian" else 0

    def _prepare(self, X: Any) -> Any:
        graph = self._default_graph if self.graph is None else self.graph
        return graph.points(X) if self.affinity == "knn" else X

    def _validate_params(self) -> None:
        super()._validate_params()
        if self.affinity != "knn":
            self._refuse("graph")

    def _neighbor_affinity(self, X: Any) -> Any:
        return self._sample_graph(X)

    def _eigenvectors(self, A: Any, rng: np.random.RandomState, *, is_given: bool) -> NDArray[Any]:
        k = min(self.n_clusters_, A.shape[0])
        if self._matrix == "normalized":
            vectors = graph_eigenpairs(A, k).vectors
        elif self._matrix == "regularized":
            d = degrees(A)
            vectors = component_eigenpairs(normalized_adjacency(A, d.mean()), k, volume=d).vectors
        else:
            vectors = component_eigenpairs(A, k).vectors
        return normalize(vectors) if self._unit_rows else vectors


class SpectralCommunities(SpectralGraph):
    """Spectral clustering of graphs with uneven degrees: `SpectralGraph` with raised degrees.

    k-means on the rows, scaled to unit length, of the leading eigenvectors of
    ``D_tau^-1/2 A D_tau^-1/2``, D_tau the degrees raised by their mean. Without unit rows, and
    without the raised degrees, vertices of small degree take over eigenvectors and clusters.

    Parameters
    ----------
    n_clusters, affinity, n_neighbors, graph, n_init, random_state
        See `SpectralGraph`.

    Attributes
    ----------
    affinity_, embedding_, labels_, n_clusters_, n_components_, neighbors_exact_
        See `SpectralGraph`.

    References
    ----------
    Amini, Chen, Bickel & Levina, "Pseudo-likelihood methods for community detection in large sparse
    networks", Annals of Statistics 41, 2013; Rohe, Chatterjee & Yu, "Spectral clustering and the
    high-dimensional stochastic blockmodel", Annals of Statistics 39, 2011.

    Examples
    --------
    >>> from sksieve import SpectralCommunities
    >>> from sksieve.datasets import make_sbm
    >>> A, y = make_sbm(100, 2, 0.2, 0.02, random_state=0)
    >>> est = SpectralCommunities(2, affinity="precomputed", random_state=0).fit(A)
    >>> float((est.labels_ == y).mean())
    1.0
    """

    _matrix: ClassVar[str] = "regularized"
    _for_graphs: ClassVar[bool] = True
