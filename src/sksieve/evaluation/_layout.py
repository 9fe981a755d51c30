"""Places of the vertices of a small graph in the plane, for a drawing.

Gansner, Koren & North, "Graph drawing by stress majorization", Graph Drawing 2004.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

from .._typing import Array

#: Vertices and edges of a graph that is drawn, at most.
LARGEST, MOST_EDGES = 300, 3000
#: Steps of majorization, each of which lowers the stress.
STEPS = 150
#: The shorter side is stretched as if it were no less than this part of the longer.
FLATTEST = 0.5


def graph_layout(A: Any) -> tuple[Array, NDArray[np.intp]] | None:
    """Places of the vertices in the unit square, and the edges; None for a graph too large.

    Parameters
    ----------
    A : ndarray or sparse of shape (n, n)
        Symmetric.

    Returns
    -------
    places : ndarray of shape (n, 2)
        Their distances fit the numbers of steps in the graph in least squares; all pairs have the
        same weight.
    edges : ndarray of shape (m, 2)
    """
    A = sp.csr_array(A)
    n = A.shape[0]
    upper = sp.triu(A, 1).tocoo()
    if not 2 <= n <= LARGEST or upper.nnz > MOST_EDGES or not upper.nnz:
        return None
    D = shortest_path(A.toarray(), unweighted=True, directed=False)  # SciPy 1.13: no 64-bit indices
    D[np.isinf(D)] = D[np.isfinite(D)].max() + 1
    X = _start(D)
    for _ in range(STEPS):
        X = majorized(D, X)
    low, high = X.min(axis=0), X.max(axis=0)
    extent = np.maximum(high - low, FLATTEST * (high - low).max())
    places = 0.5 + (X - (low + high) / 2) / extent
    return places, np.column_stack([upper.row, upper.col])


def majorized(D: Array, X: Array) -> Array:
    """One step of majorization: lowers the sum of squared differences of distances from D."""
    distance = cdist(X, X)
    ratio = np.divide(D, distance, out=np.zeros_like(D), where=distance > 0)
    return (ratio.sum(axis=1)[:, None] * X - ratio @ X) / len(X)


def _start(D: Array) -> Array:
    """Classical scaling, with a little noise that separates vertices of equal distances."""
    n = len(D)
    B = -0.5 * D**2
    B = B - B.mean(axis=0) - B.mean(axis=1)[:, None] + B.mean()
    values, vectors = eigh(B, subset_by_index=[n - 2, n - 1])
    angle = np.arange(n) * 2.399963  # the golden angle: no two vertices in one place
    noise = 0.05 * np.column_stack([np.cos(angle), np.sin(angle)])
    return (vectors * np.sqrt(np.maximum(values, 1e-12)))[:, ::-1] + noise
