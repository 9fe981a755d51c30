"""Leiden communities: maximization of the modularity, well connected, by leidenalg.

Traag, Waltman & van Eck, "From Louvain to Leiden: guaranteeing well-connected communities",
Scientific Reports 9, 2019. Samples are rows of X (n x d).

====== =========== =========================================================
paper  code        meaning, shape
====== =========== =========================================================
A      A           adjacency, n x n, zero diagonal
H      --          modularity, leidenalg.RBConfigurationVertexPartition
gamma  resolution  weight of the expected edges in H (Reichardt & Bornholdt)
====== =========== =========================================================

Deviations

D1. None: the algorithm is that of leidenalg. Loops are left out, as in the other classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._optional import optional
from ..graphs import without_loops
from ._louvain import Louvain


class Leiden(Louvain):
    """Communities by the Leiden algorithm; their number is found, not given.

    Like `Louvain`, with a step that refines communities before they become vertices: every
    community is connected, and the modularity ends higher in a small part of the time. This is
    ``leidenalg.find_partition``, repeated until the modularity no longer rises, as a clusterer.

    Parameters
    ----------
    affinity, n_neighbors, resolution, random_state
        See `Louvain`.

    Attributes
    ----------
    affinity_, labels_, n_clusters_, n_components_, neighbors_exact_
        See `Louvain`.

    Raises
    ------
    ImportError
        If leidenalg or igraph is not installed (they come with ``scikit-sieve[graphs]``).

    Notes
    -----
    Cost about O(edges) a pass, in C++.

    References
    ----------
    Traag, Waltman & van Eck, "From Louvain to Leiden: guaranteeing well-connected communities",
    Scientific Reports 9, 2019.

    Examples
    --------
    >>> import networkx
    >>> from sksieve import Leiden
    >>> est = Leiden(random_state=0).fit(networkx.karate_club_graph())
    >>> est.n_clusters_, est.labels_.shape
    (4, (34,))
    """

    def _groups(self, A: Any, X: Any, rng: np.random.RandomState) -> NDArray[np.intp]:
        igraph, leidenalg = optional("igraph", "Leiden"), optional("leidenalg", "Leiden")
        upper = sp.coo_array(sp.triu(sp.csr_array(without_loops(A)), 1))
        edges = np.column_stack(upper.coords)
        graph = igraph.Graph(n=A.shape[0], edges=edges, directed=False)
        partition = leidenalg.find_partition(
            graph,
            leidenalg.RBConfigurationVertexPartition,
            weights=upper.data.astype(np.float64).tolist(),
            n_iterations=-1,
            seed=int(rng.randint(2**31 - 1)),
            resolution_parameter=float(self.resolution),
        )
        labels = np.asarray(partition.membership, dtype=np.intp)
        self.n_clusters_ = int(labels.max()) + 1
        return labels
