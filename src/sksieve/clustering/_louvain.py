"""Louvain's communities: greedy maximization of the modularity, by networkx.

Blondel, Guillaume, Lambiotte & Lefebvre, "Fast unfolding of communities in large networks", Journal
of Statistical Mechanics, 2008. Samples are rows of X (n x d).

====== =========== =========================================================
paper  code        meaning, shape
====== =========== =========================================================
A      A           adjacency, n x n, zero diagonal
Q      --          modularity, networkx.community.louvain_communities
gamma  resolution  weight of the expected edges in Q (Reichardt & Bornholdt)
====== =========== =========================================================

Deviations

D1. None: the algorithm is that of networkx. Loops are left out, as in the other classes.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._validation import POSITIVE_WEIGHT, StrOptions, common
from ..graphs import louvain_labels
from ._feature_affinity import FeatureAffinity


class Louvain(FeatureAffinity):
    """Communities by Louvain's method; their number is found, not given.

    Vertices move to the community of a neighbor while the modularity rises; communities then become
    vertices, and so on. This is ``networkx.community.louvain_communities`` as a clusterer.

    Parameters
    ----------
    affinity : {"knn", "precomputed"}, default="knn"
        ``"knn"``: graph of the nearest neighbors of the rows of X; ``"precomputed"``: X is the
        graph.
    n_neighbors : int or None, default=None
        Neighbors of each sample for ``"knn"``, itself not counted; refused with another affinity.
        None: 7, and not 5: as in the graph of `suggest_n_clusters`.
    resolution : float > 0, default=1.0
        Above 1 the communities are more and smaller, below 1 fewer and larger.
    random_state : int, RandomState or None, default=None
        For the order in which vertices are visited.

    Attributes
    ----------
    affinity_, n_components_
        See `BaseGraphClusterer`.
    labels_ : ndarray of shape (n_samples,)
        Community of each sample, 0, 1, ... in the order in which they first occur. A vertex without
        an edge is a community of its own.
    n_clusters_ : int
        Number of communities.
    neighbors_exact_
        See `NeighborSearch`.

    Raises
    ------
    ImportError
        If networkx is not installed (it comes with ``scikit-sieve[graphs]``).

    Notes
    -----
    Cost about O(edges) a pass, in Python: 2.4 s for 100 000 edges (``benchmarks/cost_growth.py``).

    References
    ----------
    Blondel, Guillaume, Lambiotte & Lefebvre, "Fast unfolding of communities in large networks",
    Journal of Statistical Mechanics, 2008.

    Examples
    --------
    >>> import networkx
    >>> from sksieve import Louvain
    >>> graph = networkx.karate_club_graph()
    >>> est = Louvain(affinity="precomputed", random_state=0).fit(graph)
    >>> est.n_clusters_, est.labels_.shape
    (4, (34,))
    """

    _usual_neighbors: ClassVar[int] = 7

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **common("random_state"),
        "affinity": [StrOptions({"knn", "precomputed"})],
        "n_neighbors": FeatureAffinity._parameter_constraints["n_neighbors"],
        "resolution": POSITIVE_WEIGHT,
    }

    def __init__(
        self,
        *,
        affinity: str = "knn",
        n_neighbors: int | None = None,
        resolution: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.resolution = resolution
        self.random_state = random_state

    def _number(self, X: Any, is_given: bool) -> int:
        return 0  # known once the communities are found

    def _groups(self, A: Any, X: Any, rng: np.random.RandomState) -> NDArray[np.intp]:
        labels = louvain_labels(A, rng, self.resolution)
        self.n_clusters_ = int(labels.max()) + 1
        return labels
