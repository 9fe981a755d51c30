"""Leading eigenpairs to a tolerance of their sum, by a block Krylov method."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._typing import Array
from ._eig import DENSE_SHARE, DENSE_SIZE, eigenpairs_between, leading_eigenpairs
from ._qr import orthonormalize

#: Columns of a block beyond those wanted.
GUARD = 10


def leading_ritz_pairs(G: Any, k: int, *, tol: float) -> tuple[Array, Array]:
    """Nearly the `k` largest eigenvalues of a positive semidefinite matrix, and their eigenvectors.

    For what depends on the leading subspace as a whole: where eigenvalues are close, as those of
    noise, the vectors of some may still be mixed when their sum has been found, and
    `leading_eigenpairs` spends most of its time on telling them apart.

    Parameters
    ----------
    G : ndarray or LinearOperator of shape (d, d)
        Symmetric, positive semidefinite.
    k : int
        How many, ``1 <= k <= d``.
    tol : float
        Stop when a step raises the sum of the k values by at most this part of it.

    Returns
    -------
    values : ndarray of shape (k,)
        Descending; none is above the eigenvalue it stands for.
    vectors : ndarray of shape (d, k)
        Orthonormal.

    Notes
    -----
    Rayleigh-Ritz on ``span{V, G V, G^2 V, ...}``, V of k + 10 fixed columns (Golub and Underwood
    1977; Musco and Musco 2015). With s steps O(s k d^2 + s^2 k^2 d) in matrix products. Where
    `leading_eigenpairs` is dense, its answer is returned.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import leading_ritz_pairs
    >>> values, vectors = leading_ritz_pairs(np.diag(1.0 / np.arange(1, 1001)), 3, tol=1e-9)
    >>> values.round(6)
    array([1.      , 0.5     , 0.333333])
    """
    d = G.shape[0]
    block = k + GUARD
    if d <= DENSE_SIZE or k * DENSE_SHARE > d:
        return leading_eigenpairs(G, k)
    Q = orthonormalize(np.random.RandomState(0).standard_normal((d, block)))
    S, T, total = Q, np.empty((0, 0)), 0.0
    while True:
        Y = G @ Q
        C = S.T @ Y
        T = np.block([[T, C[: len(T)]], [C[: len(T)].T, C[len(T) :]]])
        size = len(T)
        values, W = eigenpairs_between((T + T.T) / 2, size - k, size)
        if values.sum() - total <= tol * values.sum() or size + block > d:
            return values[::-1], S @ W[:, ::-1]
        total = values.sum()
        Q = Y - S @ C
        Q = orthonormalize(Q)
        Q = orthonormalize(Q - S @ (S.T @ Q))
        S = np.hstack([S, Q])
