"""A product with a matrix most of whose entries are 0, which is stored as a dense one."""

import numpy as np
from numba import njit

__all__ = ["transposed_product"]


@njit(cache=True, nogil=True)
def transposed_product(K, H):
    """``H'K``, at the cost of the entries of H that are not 0.

    Parameters
    ----------
    K : ndarray of shape (d, r), C order
    H : ndarray of shape (d, m)

    Returns
    -------
    ndarray of shape (m, r)
    """
    out = np.zeros((H.shape[1], K.shape[1]), dtype=K.dtype)
    for i in range(H.shape[0]):
        row = K[i]
        for j in range(H.shape[1]):
            h = H[i, j]
            if h != 0:
                total = out[j]
                for c in range(len(row)):
                    total[c] += h * row[c]
    return out
