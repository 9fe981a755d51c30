"""How much of a graph's weight a partition catches: weights between groups, modularity."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from .._array import check_sparse
from .._memory import require_memory
from .._typing import Array


def group_weights(A: Any, labels: ArrayLike) -> Array:
    """Weight between every two groups of vertices: ``W_ab = sum_(i in a, j in b) A_ij``.

    Parameters
    ----------
    A : ndarray, sparse or affinity in tiles of shape (n, n)
        Symmetric weights. The diagonal is left out.
    labels : array-like of shape (n,)
        Group of each vertex; groups are in ascending order of their labels.

    Returns
    -------
    ndarray of shape (K, K)
        Symmetric. On the diagonal an edge inside a group counts twice, once from either end.

    Raises
    ------
    ValueError
        If A is not square, or there is not one label for each vertex.

    Notes
    -----
    Cost O(edges), memory O(n K); a sparse A stays sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.metrics import group_weights
    >>> group_weights(np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]]), [0, 0, 1])
    array([[4., 1.],
           [1., 0.]])
    """
    check_sparse(A, "A")
    labels = np.asarray(labels)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be square, one row and column per vertex; got {A.shape}.")
    if labels.shape != (A.shape[0],):
        raise ValueError(f"labels must be one per vertex, ({A.shape[0]},); got {labels.shape}.")
    codes = np.unique(labels, return_inverse=True)[1]
    n_groups = int(codes.max()) + 1
    n_rows = 3 * n_groups if sp.issparse(A) else 2 * (n_groups + len(codes))
    require_memory(
        8 * n_groups * n_rows,
        f"The weights between {n_groups} groups of {len(codes)} vertices",
        "Check that the labels are groups and not identifiers.",
    )
    loops = np.bincount(codes, np.asarray(A.diagonal(), dtype=np.float64), n_groups)
    W = np.zeros((n_groups, n_groups))
    if sp.issparse(A):
        A = A.tocoo()
        ends = codes[A.coords[0]] * n_groups + codes[A.coords[1]]
        W[:] = np.bincount(ends, A.data, n_groups**2).reshape(n_groups, n_groups)
    else:
        Z = np.zeros((len(codes), n_groups))
        Z[np.arange(len(codes)), codes] = 1.0
        W[:] = Z.T @ np.asarray(A @ Z, dtype=np.float64)
    return (W + W.T) / 2 - np.diag(loops)


def modularity(A: Any, labels: ArrayLike) -> float:
    """Newman's modularity: weight inside groups beyond the expectation given the degrees.

    ``Q = (1/2m) sum_ij (A_ij - d_i d_j / 2m) [c_i = c_j]``, d the degrees and 2m their sum.

    Parameters
    ----------
    A : ndarray or sparse of shape (n, n)
        Symmetric weights >= 0. The diagonal is left out.
    labels : array-like of shape (n,)
        Group of each vertex.

    Returns
    -------
    float
        At most 1; 0 for a single group, and about 0 for groups drawn at random. NaN for a graph
        without any edge.

    Raises
    ------
    ValueError
        If A is not square, or there is not one label for each vertex.

    Notes
    -----
    Cost O(edges). High modularity is no proof of communities: random sparse graphs have partitions
    of high modularity too. See Newman & Girvan, "Finding and evaluating community structure in
    networks", Physical Review E 69, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.metrics import modularity
    >>> A = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    >>> modularity(A, [0, 0, 1, 1]), modularity(A, [0, 0, 0, 0])
    (0.5, 0.0)
    """
    W = group_weights(A, labels)
    total = W.sum()
    if not total > 0:
        return float("nan")
    return float(np.trace(W) / total - np.sum((W.sum(axis=1) / total) ** 2))
