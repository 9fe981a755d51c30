"""Inner products of the differences between every sample and its neighbors, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import BLOCK_BYTES
from ..kernels._differences import products_of_differences


def difference_products(
    X: Any, neighbors: NDArray[np.integer]
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """``(x_a - x_i)'(x_b - x_i)`` for all pairs a, b of neighbors of every row i.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    neighbors : ndarray of int, shape (n, k)

    Yields
    ------
    rows : slice
        The rows i of a block.
    products : ndarray of shape (b, k, k)
        In the precision of X.

    Notes
    -----
    Cost O(n k^2 d); of CSR no row is filled in: O(n k) times the entries of a row, and k^2 times
    those in columns that the rows of a neighborhood share.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import difference_products
    >>> X = np.array([[0.0], [1.0], [5.0]])
    >>> [(rows, C)] = difference_products(X, np.array([[1, 2], [0, 2], [1, 0]]))
    >>> C[0]
    array([[ 1.,  5.],
           [ 5., 25.]])
    """
    n, d = X.shape
    k = neighbors.shape[1]
    is_sparse = sp.issparse(X)
    step = max(1, BLOCK_BYTES // (8 * k * (k if is_sparse else max(d, k))))
    for first in range(0, n, step):
        rows = slice(first, min(first + step, n))
        near = neighbors[rows]
        if is_sparse:
            C = np.empty((len(near), k, k))
            products_of_differences(X.data, X.indices, X.indptr, d, first, near, C)
            yield rows, C.astype(X.dtype, copy=False)
        else:
            Z = X[near]
            Z -= X[rows, None, :]
            yield rows, Z @ Z.transpose(0, 2, 1)
