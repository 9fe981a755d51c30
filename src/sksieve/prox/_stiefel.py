"""Projection on matrices with orthonormal columns."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from scipy.linalg import svd

from .._array import floating


def project_stiefel(M: NDArray[Any]) -> NDArray[Any]:
    """Polar factor of M: the nearest Y with ``Y'Y = I``, and the largest ``tr(Y'M)``.

    Parameters
    ----------
    M : ndarray of shape (n, c)
        ``n >= c``. Where M has not full rank the nearest matrix is not unique and one is returned.

    Returns
    -------
    Y : ndarray of shape (n, c)

    Raises
    ------
    ValueError
        If M has more columns than rows.

    Notes
    -----
    ``Y = P Q'`` of the thin SVD ``M = P S Q'``. Cost O(n c^2).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import project_stiefel
    >>> project_stiefel(np.array([[2.0, 0.0], [0.0, -3.0], [0.0, 0.0]]))
    array([[ 1.,  0.],
           [ 0., -1.],
           [ 0.,  0.]])
    """
    M = floating(M)
    if M.shape[0] < M.shape[1]:
        raise ValueError(f"M must have at least as many rows as columns; its shape is {M.shape}.")
    P, _, Qt = svd(M, full_matrices=False)
    return P @ Qt
