"""A product with a matrix most of whose entries are 0, which is stored as a dense one."""

import numpy as np
from numba import njit

__all__ = ["product_with_few"]

#: Rows of K that are taken together: those of a thousand columns stay in the cache.
_ROWS = 64


@njit(cache=True, nogil=True, fastmath={"contract"})
def product_with_few(P, K):
    """``PK``, at the cost of the entries of P that are not 0.

    Parameters
    ----------
    P : ndarray of shape (m, d), C order
    K : ndarray of shape (d, r), C order

    Returns
    -------
    ndarray of shape (m, r)
    """
    m, d = P.shape
    out = np.zeros((m, K.shape[1]), dtype=K.dtype)
    at = np.empty(_ROWS, dtype=np.int64)
    for first in range(0, d, _ROWS):
        for j in range(m):
            n_nonzero = 0
            for i in range(first, min(first + _ROWS, d)):
                at[n_nonzero] = i
                n_nonzero += P[j, i] != 0
            _add_rows(P[j], K, at[:n_nonzero], out[j])
    return out


@njit(cache=True, nogil=True, fastmath={"contract"})
def _add_rows(p, K, at, total):
    """``total += sum_i p_i k_i`` over the indices i in `at`, eight rows a pass."""
    n = len(at)
    done = n - n % 8
    for q in range(0, done, 8):
        a, b, c, d = at[q], at[q + 1], at[q + 2], at[q + 3]
        e, f, g, h = at[q + 4], at[q + 5], at[q + 6], at[q + 7]
        for j in range(len(total)):
            total[j] += ((p[a] * K[a, j] + p[b] * K[b, j]) + (p[c] * K[c, j] + p[d] * K[d, j])) + (
                (p[e] * K[e, j] + p[f] * K[f, j]) + (p[g] * K[g, j] + p[h] * K[h, j])
            )
    for q in range(done, n):
        a = at[q]
        for j in range(len(total)):
            total[j] += p[a] * K[a, j]
