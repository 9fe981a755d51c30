"""How many communities a graph has: negative eigenvalues of the Bethe Hessian.

Saade, Krzakala & Zdeborova, "Spectral clustering of graphs with the Bethe Hessian", NIPS 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..linalg import count_positive


def bethe_hessian_count(A: Any) -> int:
    """Number of communities that the edges of a graph show, at least 1.

    The number of negative eigenvalues of ``H(r) = (r^2 - 1) I - r A + D`` with
    ``r^2 = sum d_i^2 / sum d_i - 1``.

    Parameters
    ----------
    A : ndarray or sparse of shape (n, n)
        Symmetric. Every entry off the diagonal that is not 0 is an edge; weights are not used.

    Returns
    -------
    int
        1 also for a graph without edges, or whose mean excess degree ``r^2`` is at most 1: too few
        edges to show communities.

    Raises
    ------
    ValueError
        If A is not square or not symmetric.

    Notes
    -----
    Cost O(n^3) up to 800 vertices; Lanczos above, only to the signs. Under the stochastic block
    model the count is consistent for sparse graphs. On real graphs it can differ from the number of
    known groups: karate club 2 (2 known), political books 3 (3), American football 10 (12),
    political blogs 7 (2).

    References
    ----------
    Saade, Krzakala & Zdeborova, "Spectral clustering of graphs with the Bethe Hessian", NIPS 2014.

    Examples
    --------
    Two complete graphs of ten vertices, joined by one edge:

    >>> import numpy as np
    >>> from sksieve.graphs import bethe_hessian_count
    >>> A = np.kron(np.eye(2), np.ones((10, 10)))
    >>> A[0, 10] = A[10, 0] = 1
    >>> bethe_hessian_count(A)
    2
    """
    A = _edges(A)
    degree = np.asarray(A.sum(axis=1)).ravel()
    if not degree.any():
        return 1
    square = float(degree @ degree / degree.sum()) - 1
    if square <= 1:
        return 1
    inside = np.flatnonzero(degree)  # an isolated vertex has the positive eigenvalue r^2 - 1
    A, degree = A[inside][:, inside], degree[inside]
    diagonal = sp.diags_array(degree + square - 1)
    H = sp.csr_array(diagonal - np.sqrt(square) * A)
    return max(1, count_positive(-H))


def _edges(A: Any) -> sp.csr_array:
    """The 0-1 adjacency without loops."""
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be square, one row and column per vertex; got {A.shape}.")
    pattern = sp.coo_array(A)
    kept = (pattern.data != 0) & (pattern.coords[0] != pattern.coords[1])
    ends = pattern.coords[0][kept], pattern.coords[1][kept]
    edges = sp.csr_array((np.ones(kept.sum()), ends), shape=A.shape)
    edges.data[:] = 1.0  # an entry stored in parts counts once
    if (edges != edges.T).nnz:
        raise ValueError("A must be symmetric: an edge is present in one direction only.")
    return edges
