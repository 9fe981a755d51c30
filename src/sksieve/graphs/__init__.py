"""Graphs on samples: neighbors, weights, the Laplacian, eigenvectors, self-representation.

Graphs are CSR from birth; none of these functions holds an n x n array, `gaussian_affinity` apart.
"""

from ._adaptive import adaptive_graph, adaptive_weights, project_rows
from ._assign import labels_by_qr
from ._bethe import bethe_hessian_count
from ._components import components, hosts_by_similarity, hosts_by_volume, number_by_first
from ._correntropy import LocalCorrentropy, mean_squared_distance
from ._embedding import (
    Eigenpairs,
    component_eigenpairs,
    graph_eigenpairs,
    laplacian_eigenvectors,
    spectral_embedding,
)
from ._gower import gower_columns, gower_coordinates, gower_graph, gower_shares
from ._laplacian import degrees, laplacian, normalized_adjacency
from ._lle import lle_weights
from ._local_learning import local_learning_weights
from ._neighbors import (
    distances_on,
    mean_distance,
    nearest_among,
    nearest_neighbors,
    neighbors_within,
    with_equal_ties,
)
from ._search import (
    NEIGHBORS,
    Neighbors,
    NeighborSearch,
    as_neighbors,
    find_neighbors,
)
from ._selfrep import GRAM_LIMIT, Codes, first_copies, kkt_residual, sparse_codes, unit_rows
from ._tiles import GaussianTiles
from ._weights import from_neighbors, gaussian_affinity, knn_graph, symmetrized

__all__ = [
    "GRAM_LIMIT",
    "NEIGHBORS",
    "Codes",
    "Eigenpairs",
    "GaussianTiles",
    "LocalCorrentropy",
    "NeighborSearch",
    "Neighbors",
    "adaptive_graph",
    "adaptive_weights",
    "as_neighbors",
    "bethe_hessian_count",
    "component_eigenpairs",
    "components",
    "degrees",
    "distances_on",
    "find_neighbors",
    "first_copies",
    "from_neighbors",
    "gaussian_affinity",
    "gower_columns",
    "gower_coordinates",
    "gower_graph",
    "gower_shares",
    "graph_eigenpairs",
    "hosts_by_similarity",
    "hosts_by_volume",
    "kkt_residual",
    "knn_graph",
    "labels_by_qr",
    "laplacian",
    "laplacian_eigenvectors",
    "lle_weights",
    "local_learning_weights",
    "mean_distance",
    "mean_squared_distance",
    "nearest_among",
    "nearest_neighbors",
    "neighbors_within",
    "normalized_adjacency",
    "number_by_first",
    "project_rows",
    "sparse_codes",
    "spectral_embedding",
    "symmetrized",
    "unit_rows",
    "with_equal_ties",
]
