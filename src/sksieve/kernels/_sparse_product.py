"""A product with a matrix most of whose entries are 0, which is stored as a dense one."""

import numpy as np

from ._jit import njit

#: The part of K that is taken at a time: it stays in the cache.
_ROWS, _COLUMNS = 64, 1024


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
    (m, d), r = P.shape, K.shape[1]
    out = np.zeros((m, r), dtype=K.dtype)
    at = np.empty(_ROWS, dtype=np.int64)
    for first in range(0, d, _ROWS):
        for left in range(0, r, _COLUMNS):
            right = min(left + _COLUMNS, r)
            for j in range(m):
                n_nonzero = 0
                for i in range(first, min(first + _ROWS, d)):
                    at[n_nonzero] = i
                    n_nonzero += P[j, i] != 0
                _add_rows(P[j], K, at[:n_nonzero], left, out[j, left:right])
    return out


@njit(cache=True, nogil=True, fastmath={"contract"})
def _add_rows(p, K, at, left, total):
    """``total += sum_i p_i k_i`` over the indices i in `at`, eight rows a pass."""
    n, right = len(at), left + len(total)
    done = n - n % 8
    for q in range(0, done, 8):
        a, b, c, d = at[q], at[q + 1], at[q + 2], at[q + 3]
        e, f, g, h = at[q + 4], at[q + 5], at[q + 6], at[q + 7]
        A, B, C, D = K[a, left:right], K[b, left:right], K[c, left:right], K[d, left:right]
        E, F, G, H = K[e, left:right], K[f, left:right], K[g, left:right], K[h, left:right]
        for j in range(len(total)):
            total[j] += ((p[a] * A[j] + p[b] * B[j]) + (p[c] * C[j] + p[d] * D[j])) + (
                (p[e] * E[j] + p[f] * F[j]) + (p[g] * G[j] + p[h] * H[j])
            )
    for q in range(done, n):
        a = at[q]
        A = K[a, left:right]
        for j in range(len(total)):
            total[j] += p[a] * A[j]
