"""Leading eigenpairs of a symmetric matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

__all__ = ["leading_eigenpairs"]

Array = NDArray[np.float64]


def leading_eigenpairs(G: Array, k: int) -> tuple[Array, Array]:
    """The `k` largest eigenvalues of symmetric `G` (descending) and their eigenvectors.

    The sign of each vector is fixed (its entry of largest magnitude is positive), so that the
    answer does not depend on the LAPACK driver.

    Parameters
    ----------
    G : ndarray of shape (d, d)
        Symmetric.
    k : int
        How many, ``1 <= k <= d``.

    Returns
    -------
    values : ndarray of shape (k,)
    vectors : ndarray of shape (d, k)

    Notes
    -----
    Cost O(d^3) for the reduction to tridiagonal form, O(d^2 k) for the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import leading_eigenpairs
    >>> values, vectors = leading_eigenpairs(np.diag([1.0, 3.0, 2.0]), 2)
    >>> values
    array([3., 2.])
    """
    d = G.shape[0]
    values, vectors = eigh(G, subset_by_index=[d - k, d - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(k)])
    return values.copy(), vectors * np.where(signs == 0, 1.0, signs)
