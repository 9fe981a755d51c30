"""Exact nearest neighbors, in blocks of rows, with ties broken by index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import BLOCK_BYTES, check_sparse, floating, in_one_part
from ..exceptions import warn_user
from ..kernels._neighbors import nearest_of_block, snap_rows

__all__ = [
    "distances_on",
    "mean_distance",
    "nearest_neighbors",
    "neighbors_within",
    "with_equal_ties",
]


def nearest_neighbors(X: Any, k: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The k nearest other rows of every row of X.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Samples are rows; finite.
    k : int
        ``1 <= k <= n - 1``.

    Returns
    -------
    indices : ndarray of shape (n, k)
        Nearest first; of equally distant rows the smaller index comes first, where distances that
        differ by no more than the rounding of the rows' entries are equal. The row itself is left
        out by its index, so a duplicate of it is a neighbor at distance 0.
    distances : ndarray of shape (n, k)
        Squared Euclidean distances, ascending, in the precision of X.

    Raises
    ------
    ValueError
        If k is not between 1 and n - 1.

    Notes
    -----
    Exact: distances are sums of squared differences in float64, in the order of the columns; matrix
    products serve only to rule out rows that cannot be among the nearest. The answer is the same
    for dense and sparse X, also where these were scaled each in its own way and agree up to
    rounding only, and does not depend on threads. Cost O(n^2 d), O(n^2 nnz per row) for
    CSR; memory a block of rows, never n x n.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import nearest_neighbors
    >>> indices, distances = nearest_neighbors(np.array([[0.0], [1.0], [3.0], [1.0]]), 2)
    >>> indices
    array([[1, 3],
           [3, 0],
           [1, 3],
           [1, 0]])
    >>> distances[2]
    array([4., 4.])
    """
    check_sparse(X)
    X = _sorted_rows(floating(X))
    n, d = X.shape
    if not 1 <= k < n:
        raise ValueError(
            f"n_neighbors={k} must be at least 1 and less than the number of samples, {n}."
        )
    indices = np.empty((n, k), dtype=np.int64)
    distances = np.empty((n, k), dtype=np.float64)
    # Rounding of a product, four times its expected growth with sqrt(d), and of the shift.
    slack = float(np.finfo(X.dtype).eps) * (8 + 4 * np.sqrt(d))
    for first, products, norms in _products(X):
        nearest_of_block(products, first, norms, slack, *_both_forms(X), d, indices, distances)
    return indices, distances.astype(X.dtype, copy=False)


def neighbors_within(k: int, n: int) -> int:
    """The number of neighbors that every estimator uses: `k`, or n - 1 with a `DataWarning`.

    Graph functions such as `nearest_neighbors` take k as it is and raise where n samples have no k
    others.

    Examples
    --------
    >>> neighbors_within(5, 100)
    5
    """
    if k < n:
        return k
    warn_user(
        f"n_neighbors={k} is more than the {n - 1} other samples each sample of X has; "
        f"n_neighbors={n - 1} is used.",
    )
    return n - 1


def mean_distance(X: Any) -> float:
    """Mean of all n^2 entries of the matrix of (unsquared) distances, zero diagonal included.

    Cost O(n^2 d), memory a block of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import mean_distance
    >>> mean_distance(np.array([[0.0], [2.0]]))
    1.0
    """
    check_sparse(X)
    X = floating(X)
    total = 0.0
    for first, products, norms in _products(X):
        rows = np.arange(first, first + len(products))
        squared = norms[rows, None] + norms - 2.0 * products
        squared[rows - first, rows] = 0.0
        total += float(np.sqrt(np.maximum(squared, 0.0)).sum())
    return total / X.shape[0] ** 2


def distances_on(pattern: sp.csr_array, Z: NDArray[Any]) -> sp.csr_array:
    """Squared distances ``||z_i - z_j||^2`` for the stored entries (i, j) of a sparse matrix.

    Parameters
    ----------
    pattern : csr_array of shape (n, n)
        Its values are not used.
    Z : ndarray of shape (n, c)

    Returns
    -------
    csr_array of shape (n, n)
        The pattern's entries, explicit zeros among them.

    Notes
    -----
    Cost O(nnz c), memory beside the answer bounded.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from sksieve.graphs import distances_on
    >>> distances_on(sp.csr_array([[0, 1], [0, 0]]), np.array([[0.0], [3.0]])).toarray()
    array([[0., 9.],
           [0., 0.]])
    """
    check_sparse(pattern, "pattern")
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    out = np.empty(len(rows), dtype=Z.dtype)
    step = max(1, BLOCK_BYTES // (8 * max(1, Z.shape[1])))
    for first in range(0, len(rows), step):
        part = slice(first, first + step)
        move = Z[rows[part]] - Z[pattern.indices[part]]
        out[part] = np.einsum("ij,ij->i", move, move)
    return sp.csr_array((out, pattern.indices, pattern.indptr), shape=pattern.shape)


def with_equal_ties(V: sp.csr_array, Z: NDArray[Any]) -> sp.csr_array:
    """Squared distances of which those of a row that are equal up to rounding are equal.

    For choices among them that must not depend on rounding: ties then go by index.

    Parameters
    ----------
    V : csr_array of shape (n, n)
        Distances between rows of Z, as `distances_on` gives them.
    Z : ndarray of shape (n, c)
        Near its mean, so that the length of a row tells what its rounding is.

    Returns
    -------
    csr_array of shape (n, n)
        With the pattern of V.

    Notes
    -----
    Cost O(nnz log nnz).

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from sksieve.graphs import with_equal_ties
    >>> V = sp.csr_array([[0.0, 2.0 + 1e-15, 2.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> with_equal_ties(V, np.array([[1.0], [0.0], [0.0]])).data
    array([2., 2., 1., 1.])
    """
    check_sparse(V, "V")
    data = V.data.astype(np.float64)
    snap_rows(data, V.indptr, np.einsum("ij,ij->i", Z, Z, dtype=np.float64), Z.shape[1])
    return sp.csr_array((data.astype(V.dtype, copy=False), V.indices, V.indptr), shape=V.shape)


def _sorted_rows(X: Any) -> Any:
    """CSR with ascending column indices and no duplicates; dense arrays C-contiguous."""
    if not sp.issparse(X):
        return np.ascontiguousarray(X)
    return in_one_part(sp.csr_array(X))


def _both_forms(X: Any) -> tuple[Any, Any, Any, Any]:
    """The rows as the kernel takes them: dense, or data, indices and indptr."""
    if sp.issparse(X):
        index = X.indices.astype(np.int64, copy=False), X.indptr.astype(np.int64, copy=False)
        return np.empty((0, 0), dtype=X.dtype), X.data, *index
    none = np.empty(0, dtype=np.int64)
    return X, np.empty(0, dtype=X.dtype), none, none


def _near_its_center(X: NDArray[Any]) -> NDArray[Any]:
    """The rows less their mean; X itself where that is small beside the spread of the rows."""
    center = X.mean(axis=0)
    far = len(X) * np.vdot(center, center) > 1e-2 * np.vdot(X, X)
    return X - center if far else X


def _products(X: Any) -> Iterator[tuple[int, NDArray[Any], NDArray[np.float64]]]:
    """Blocks of XX' (of the centered rows, where X is dense) and the squared norms of the rows.

    All blocks lie in one buffer: a block is gone with the next.
    """
    if sp.issparse(X):
        norms = np.asarray(X.multiply(X).sum(axis=1, dtype=np.float64)).ravel()
    else:
        X = _near_its_center(X)  # distances do not change, rounding does
        norms = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    n = X.shape[0]
    step = min(n, max(1, BLOCK_BYTES // (8 * n)))
    buffer = np.empty((step, n), dtype=X.dtype)
    for first in range(0, n, step):
        rows = X[first : first + step]
        block = buffer[: rows.shape[0]]
        if sp.issparse(X):
            (rows @ X.T).toarray(out=block)
        else:
            np.matmul(rows, X.T, out=block)
        yield first, block, norms
