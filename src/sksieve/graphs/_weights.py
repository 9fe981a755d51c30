"""Nearest-neighbor graphs with 0-1, heat and cosine weights, and the full Gaussian affinity."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from .._array import BLOCK_BYTES, check_sparse, dense, floating
from .._memory import require_memory
from ._neighbors import mean_distance
from ._search import Neighbors, as_neighbors

#: Bandwidths lie between these: their squares do not overflow or underflow.
SMALLEST_BANDWIDTH, LARGEST_BANDWIDTH = 1e-150, 1e150
#: Rows whose distances to all make up the bandwidth "mean_all" where the neighbors are approximate.
_SAMPLE = 1000


def symmetrized(P: Any, rule: str = "mean") -> Any:
    """A symmetric graph from a directed one.

    Parameters
    ----------
    P : ndarray or CSR of shape (n, n)
    rule : {"mean", "max", "none"}
        ``"mean"``: (P + P')/2; ``"max"``: the larger of P_ij and P_ji, for 0-1 weights the "or"
        rule; ``"none"``: P as it is.

    Returns
    -------
    ndarray or csr_array of shape (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import symmetrized
    >>> symmetrized(np.array([[0.0, 1.0], [0.0, 0.0]]))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    check_sparse(P, "P")
    if rule == "none":
        return P
    if rule == "max":
        return sp.csr_array(P.maximum(P.T)) if sp.issparse(P) else np.maximum(P, P.T)
    if rule == "mean":
        return sp.csr_array((P + P.T) * 0.5) if sp.issparse(P) else (P + P.T) * 0.5
    raise ValueError(f"symmetrize={rule!r} must be 'mean', 'max' or 'none'.")


def from_neighbors(
    indices: NDArray[np.integer], values: NDArray[Any], n_columns: int | None = None
) -> sp.csr_array:
    """The sparse matrix whose row i holds ``values[i]`` at the columns ``indices[i]``.

    Column indices come out ascending; zeros are not stored.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import from_neighbors
    >>> from_neighbors(np.array([[2, 1], [0, 2]]), np.array([[5.0, 1.0], [0.0, 2.0]]), 3).toarray()
    array([[0., 1., 5.],
           [0., 0., 2.]])
    """
    n, k = indices.shape
    indptr = np.arange(0, n * k + 1, k)
    shape = (n, n if n_columns is None else n_columns)
    P = sp.csr_array((values.flatten(), indices.flatten(), indptr), shape=shape)  # copies:
    check_sparse(P, "The matrix of these neighbors")
    P.sort_indices()  # this is done in place
    P.eliminate_zeros()
    return P


def knn_graph(
    X: Any,
    n_neighbors: int | Neighbors,
    *,
    weights: str = "binary",
    sigma: float | str = "mean_knn",
    symmetrize: str = "max",
) -> sp.csr_array:
    """Graph that joins every sample with its nearest others.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Samples are rows.
    n_neighbors : int or Neighbors
        ``1 <= n_neighbors <= n - 1``; the sample itself does not count. Or what `find_neighbors`
        found in X (for ``"cosine"``, in its rows scaled to unit length).
    weights : {"binary", "heat", "cosine"}, default="binary"
        ``"binary"``: 1. ``"heat"``: ``exp(-||x_i - x_j||^2 / (2 sigma^2))``. ``"cosine"``: nearest
        by angle, weighted by the cosine; pairs at a right angle or more, and zero rows, are not
        joined.
    sigma : float > 0, "mean_knn" or "mean_all", default="mean_knn"
        Bandwidth of the heat kernel: a number in the unit of X, the mean distance of a sample to
        its neighbors, or the mean of all n^2 entries of the distance matrix (Cai's constructW); of
        the rows of 1000 samples where the neighbors are not exact.
    symmetrize : {"max", "mean", "none"}, default="max"
        See `symmetrized`; ``"max"`` joins i and j when either is a neighbor of the other.

    Returns
    -------
    A : csr_array of shape (n, n)
        Zero diagonal, nonnegative, no stored zeros, in the precision of X.

    Raises
    ------
    ValueError
        If n_neighbors is not between 1 and n - 1, or another argument is not one of the above.

    Notes
    -----
    Cost that of `nearest_neighbors`, O(n^2 d), or of `find_neighbors`; O(n k) memory and a block
    of rows. Where all distances that make up the bandwidth are 0 (duplicates), the heat weights
    are 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import knn_graph
    >>> knn_graph(np.array([[0.0], [1.0], [5.0]]), 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    check_sparse(X)
    X = floating(X)
    if weights == "cosine":
        X = normalize(X)
    indices, distances, exact = as_neighbors(X, n_neighbors)
    if weights == "binary":
        values = np.ones_like(distances)
    elif weights == "heat":
        values = _heat(distances, _width(sigma, X, distances, exact))
    elif weights == "cosine":
        values = _cosines(X, indices, distances)
    else:
        raise ValueError(f"weights={weights!r} must be 'binary', 'heat' or 'cosine'.")
    return symmetrized(from_neighbors(indices, values), symmetrize)


def _width(sigma: float | str, X: Any, distances: NDArray[Any], exact: bool) -> float:
    if sigma == "mean_knn":
        return float(np.sqrt(distances).mean(dtype=np.float64))
    if sigma == "mean_all":
        return mean_distance(X, None if exact else _SAMPLE)
    if isinstance(sigma, str):
        raise ValueError(f"sigma={sigma!r} must be a number > 0, 'mean_knn' or 'mean_all'.")
    return _given_width(sigma)


def _given_width(sigma: float) -> float:
    """A bandwidth that can be squared and divided by."""
    if not SMALLEST_BANDWIDTH < sigma < LARGEST_BANDWIDTH:
        raise ValueError(
            f"sigma={sigma!r} must be a number > 0, and between {SMALLEST_BANDWIDTH:g} and "
            f"{LARGEST_BANDWIDTH:g}."
        )
    return float(sigma)


def _heat(distances: NDArray[Any], sigma: float) -> NDArray[Any]:
    if not sigma > 0:
        return np.ones_like(distances)
    return np.exp(distances * _rate(sigma, distances.dtype))


def _rate(sigma: float, dtype: Any) -> Any:
    """``-1 / (2 sigma^2)``, finite in `dtype`: times a distance of 0 it is 0."""
    return dtype.type(max(-0.5 / sigma**2, -float(np.finfo(dtype).max)))


def _cosines(X: Any, indices: NDArray[np.integer], distances: NDArray[Any]) -> NDArray[Any]:
    """``1 - d^2/2`` on the unit sphere, 0 where it is negative or a row is zero."""
    alive = row_norms(X) > 0
    cosine = np.maximum(1 - distances / 2, 0)
    return cosine * (alive[:, None] & alive[indices])


def gaussian_affinity(X: Any, sigma: float | None = None) -> NDArray[Any]:
    """The full matrix ``exp(-||x_i - x_j||^2 / (2 sigma^2))``.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    sigma : float > 0, optional
        Default: ``2 sigma^2`` is the mean squared distance over all pairs i != j, as in "sigma^2 =
        mean squared distance" where the kernel is written without the 2.

    Returns
    -------
    A : ndarray of shape (n, n)
        Symmetric, ones on the diagonal.

    Raises
    ------
    ValueError
        If sigma is not between 1e-150 and 1e150.
    TooLargeError
        If n x n entries are more than the memory limit.

    Notes
    -----
    Cost O(n^2 d) and n x n memory: for small n; `knn_graph` otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import gaussian_affinity
    >>> gaussian_affinity(np.array([[0.0], [2.0]]), sigma=2.0).round(3)
    array([[1.   , 0.607],
           [0.607, 1.   ]])
    """
    check_sparse(X)
    X = floating(X)
    n = X.shape[0]
    per_entry = X.dtype.itemsize + (12 + X.dtype.itemsize if sp.issparse(X) else 0)
    require_memory(
        per_entry * n * n,
        f"The Gaussian affinity of {n} samples",
        "Use knn_graph (affinity='knn'), or GaussianTiles for dense samples.",
    )
    if not sp.issparse(X):
        X = X - X.mean(axis=0)
    A = _squared_distances(X)
    if sigma is None:
        width = float(np.sqrt(A.sum(dtype=np.float64) / max(1, 2 * n * (n - 1))))
    else:
        width = _given_width(sigma)
    if not width > 0:
        return np.ones_like(A)
    A *= _rate(width, A.dtype)
    return np.exp(A, out=A)


def _squared_distances(X: Any) -> NDArray[Any]:
    """All of them, in one n x n array and a block of rows."""
    products = X @ X.T
    products = dense(products)
    norms = products.diagonal().copy()
    n = len(norms)
    step = max(1, BLOCK_BYTES // (8 * n))
    for first in range(0, n, step):
        block = products[first : first + step]
        np.maximum(norms[first : first + step, None] + norms - 2 * block, 0, out=block)
    np.fill_diagonal(products, 0)
    return products
