"""Squared lengths of the rows of ``X - GF`` from products that are known."""

import numpy as np

from ._jit import njit


@njit(cache=True, nogil=True, fastmath={"contract"})
def residual_squares(norms2, G, FF, XF):
    """``||x_i||^2 + g_i'(FF'g_i - 2 F x_i)`` for every row i.

    Parameters
    ----------
    norms2 : ndarray of shape (n,)
        ``||x_i||^2``.
    G : ndarray of shape (n, c)
    FF : ndarray of shape (c, c)
        ``FF'``.
    XF : ndarray of shape (n, c)
        ``XF'``.

    Returns
    -------
    ndarray of shape (n,)
    """
    n, c = G.shape
    squares = np.empty_like(norms2)
    for i in range(n):
        total = norms2[i]
        for j in range(c):
            v = -2 * XF[i, j]
            for k in range(c):
                v += G[i, k] * FF[k, j]
            total += G[i, j] * v
        squares[i] = total
    return squares
