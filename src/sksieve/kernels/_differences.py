"""Inner products of the differences between a sparse row and some others."""

import numpy as np

from ._jit import njit


@njit(cache=True, nogil=True)
def products_of_differences(data, indices, indptr, n_columns, first, neighbors, out):
    """``(x_a - x_i)'(x_b - x_i)`` for all pairs a, b of neighbors of row i.

    Only the columns in which one of these rows has an entry are looked at.

    Parameters
    ----------
    data, indices, indptr : ndarrays
        The sparse rows; entries of one place are added up.
    n_columns : int
    first : int
        The rows i are first, first + 1, ...
    neighbors : ndarray of int, shape (b, k)
    out : ndarray of float64, shape (b, k, k)
        Filled.
    """
    k = neighbors.shape[1]
    longest = 0
    for i in range(len(indptr) - 1):
        longest = max(longest, indptr[i + 1] - indptr[i])
    most = min(n_columns, (k + 1) * longest)
    place = np.full(n_columns, -1)
    column = np.empty(most, dtype=np.int64)
    Z = np.empty((most, k))
    for r in range(len(neighbors)):
        m = 0
        for a in range(-1, k):
            j = first + r if a < 0 else neighbors[r, a]
            for p in range(indptr[j], indptr[j + 1]):
                c = indices[p]
                if place[c] < 0:
                    place[c], column[m] = m, c
                    Z[m] = 0.0
                    m += 1
                if a < 0:
                    Z[place[c]] -= data[p]
                else:
                    Z[place[c], a] += data[p]
        products = out[r]
        products[:] = 0.0
        for s in range(m):
            place[column[s]] = -1
            for a in range(k):
                if Z[s, a] != 0:
                    for b in range(a + 1):
                        products[a, b] += Z[s, a] * Z[s, b]
        for a in range(k):
            for b in range(a):
                products[b, a] = products[a, b]
