"""Targets made from the table itself: what a subset preserves besides the values.

``"graph"``   the leading eigenvectors of the samples' nearest-neighbor graph: groups
``"kernel"``  kernel principal components at two bandwidths: neighbors

Both are made from the standardized table, whatever the scale of the columns that are chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._memory import require_memory
from ..graphs import (
    find_neighbors,
    gaussian_affinity,
    graph_eigenpairs,
    knn_graph,
    mean_distance,
    neighbors_within,
)
from ..linalg import leading_eigenpairs
from ..tables import scale_columns

__all__ = ["NAMED_TARGETS", "graph_target", "kernel_target"]

Array = NDArray[np.float64]

#: Neighbors of a sample in the graph, and its eigenvectors at most.
NEIGHBORS = 7
EIGENVECTORS = 20
#: Bandwidths of the two kernels, in mean distances; their components in all.
BANDWIDTHS = (0.3, 1.0)
COMPONENTS = 150


def graph_target(X: Any, k: int) -> Array:
    """Leading eigenvectors of the samples' nearest-neighbor graph, each of unit length.

    Parameters
    ----------
    X : ndarray or CSR of shape (m, n)
    k : int
        Columns wanted: so many eigenvectors, but no more than 20, and none that is constant.

    Returns
    -------
    ndarray of shape (m, p)
    """
    X = _standardized(X)
    neighbors = find_neighbors(X, neighbors_within(NEIGHBORS, X.shape[0]))
    A = knn_graph(X, neighbors, weights="heat")
    pairs = graph_eigenpairs(A, min(X.shape[0], min(k, EIGENVECTORS) + 1))
    vectors = pairs.vectors - pairs.vectors.mean(axis=0)
    length = np.linalg.norm(vectors, axis=0)
    kept = length > 1e-8
    return np.asarray(vectors[:, kept] / length[kept])


def kernel_target(X: Any, k: int) -> Array:
    """Leading kernel principal components of the sum of two Gaussian kernels.

    Parameters
    ----------
    X : ndarray or CSR of shape (m, n)
    k : int
        Not used: the number of components does not depend on it.

    Returns
    -------
    ndarray of shape (m, p)
        Squared norm 1 in all, p at most 150.
    """
    m = X.shape[0]
    require_memory(
        24.0 * m * m,
        f'target="kernel" on {m} samples',
        'Choose on a sample of the rows, or use target="graph".',
    )
    X = _standardized(X)
    unit = mean_distance(X)
    K = np.zeros((m, m))
    for width in BANDWIDTHS:
        K += gaussian_affinity(X, width * unit)
    K -= K.mean(axis=0)
    K -= K.mean(axis=1)[:, None]
    values, U = leading_eigenpairs((K + K.T) / 2, min(COMPONENTS, m))
    values = np.maximum(values, 0.0)
    return U * np.sqrt(values / values.sum())


NAMED_TARGETS: dict[str, Callable[[Any, int], Array]] = {
    "graph": graph_target,
    "kernel": kernel_target,
}


def _standardized(X: Any) -> Any:
    """Sparse tables stay sparse: divided by the columns' lengths, not centered."""
    return scale_columns(X, "unit" if sp.issparse(X) else "standard").X
