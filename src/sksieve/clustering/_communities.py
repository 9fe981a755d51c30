"""Spectral clustering of graphs: regularised Laplacian, rows of unit length.

Amini, Chen, Bickel & Levina, "Pseudo-likelihood methods for community detection in large sparse
networks", Annals of Statistics 41, 2013; Rohe, Chatterjee & Yu, "Spectral clustering and the
high-dimensional stochastic blockmodel", Annals of Statistics 39, 2011. See `SpectralGraph`, of
which this is a set of defaults.
"""

from __future__ import annotations

from typing import Any

from ._spectral import SpectralGraph

__all__ = ["SpectralCommunities"]


class SpectralCommunities(SpectralGraph):
    """Spectral clustering with the defaults that suit graphs of uneven degrees.

    k-means on the rows, scaled to unit length, of the leading eigenvectors of
    ``D_tau^-1/2 A D_tau^-1/2``, D_tau the degrees raised by their mean. Without unit rows, and
    without the raised degrees, vertices of small degree take over eigenvectors and clusters.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of communities.
    affinity : {"knn", "gaussian", "precomputed"}, default="knn"
        For a graph: ``"precomputed"``, and X is its adjacency matrix, dense or CSR.
    n_neighbors : int, default=7
        For ``"knn"``.
    weights : {"binary", "heat", "cosine"}, default="binary"
        For ``"knn"``.
    sigma : float > 0 or {"mean_knn", "mean_all"}, default="mean_knn"
        For ``weights="heat"``.
    matrix : {"normalized", "regularized", "affinity"}, default="regularized"
        Whose eigenvectors: ``D^-1/2 A D^-1/2``, the same with the mean degree added to D, or A.
    unit_rows : bool, default=True
        Scale the rows of the eigenvectors to unit length.
    rho : float, default=0.25
        In [0, 1]. Components smaller than ``rho n / n_clusters`` join their nearest; for
        precomputed graphs, those beyond the n_clusters largest join the largest, with a warning.
    n_init : int, default=20
        Starts of k-means.
    random_state : int, RandomState or None, default=None
        For k-means.

    Attributes
    ----------
    affinity_, embedding_, labels_, n_components_
        See `BaseGraphClusterer`.

    Notes
    -----
    Cost O(edges k) a Lanczos step, O(n k) memory beside the graph.

    References
    ----------
    Amini, Chen, Bickel & Levina, "Pseudo-likelihood methods for community detection in large sparse
    networks", Annals of Statistics 41, 2013.

    Examples
    --------
    >>> from sksieve import SpectralCommunities
    >>> from sksieve.datasets import make_sbm
    >>> A, y = make_sbm(100, 2, 0.2, 0.02, random_state=0)
    >>> est = SpectralCommunities(2, affinity="precomputed", random_state=0).fit(A)
    >>> float((est.labels_ == y).mean())
    1.0
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        affinity: str = "knn",
        n_neighbors: int = 7,
        weights: str = "binary",
        sigma: float | str = "mean_knn",
        matrix: str = "regularized",
        unit_rows: bool = True,
        rho: float = 0.25,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters,
            affinity=affinity,
            n_neighbors=n_neighbors,
            weights=weights,
            sigma=sigma,
            matrix=matrix,
            unit_rows=unit_rows,
            rho=rho,
            n_init=n_init,
            random_state=random_state,
        )
