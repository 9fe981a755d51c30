"""Orthonormal bases of tall matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

_ROUNDING = 16  # in units of the precision: what products of orthonormal columns may be off


def orthonormalize(V: NDArray[Any]) -> NDArray[Any]:
    """The Q of ``V = Q R``, ``Q'Q = I``, R upper triangular with positive diagonal.

    Q is a smooth function of V, which a retraction needs.

    Parameters
    ----------
    V : ndarray of shape (n, k)
        Of full column rank, ``n >= k``. Of a V without full rank, any orthonormal Q is returned
        whose span contains that of V.

    Returns
    -------
    Q : ndarray of shape (n, k)

    Notes
    -----
    Cholesky QR, a second time unless once was enough: O(n k^2), all in matrix products. Householder
    QR where the Gram matrix of V is too ill-conditioned (condition of V beyond about 1e7).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import orthonormalize
    >>> orthonormalize(np.array([[3.0, 1.0], [4.0, 1.0]]))
    array([[ 0.6,  0.8],
           [ 0.8, -0.6]])
    """
    try:
        Q = _cholesky_qr(V)
        G = Q.T @ Q
        error = np.abs(G - np.eye(G.shape[0])).max(initial=0)
        if error < 0.1:
            return Q if error <= _ROUNDING * np.finfo(Q.dtype).eps else _cholesky_qr(Q)
    except np.linalg.LinAlgError:
        pass
    Q, R = qr(V, mode="economic")
    return Q * np.where(np.diagonal(R) < 0, -1, 1).astype(Q.dtype)


def _cholesky_qr(V: NDArray[Any]) -> NDArray[Any]:
    L = np.linalg.cholesky(V.T @ V)
    return V @ np.linalg.inv(L).T
