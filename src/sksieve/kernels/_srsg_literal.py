"""One pass of SRSG's Algorithm 2 as printed: directed weights, entry i not left out.

Codes are rows of a dense array, ``Z[i]`` the code of sample i: for tables of the papers' sizes.
"""

import numpy as np

from ._jit import njit


@njit(cache=True, nogil=True)
def printed_weights(i, indptr, neighbors, Z, c):
    """Fill ``c_t = sum_j S_ij - 2 sum_j S_ij 1[Z_t^j != 0]``."""  # (6)
    for t in range(c.shape[0]):
        c[t] = indptr[i + 1] - indptr[i]
    for e in range(indptr[i], indptr[i + 1]):
        code = Z[neighbors[e]]
        for t in range(c.shape[0]):
            if code[t] != 0.0:
                c[t] -= 2.0


@njit(cache=True, nogil=True)
def printed_column(K, i, z, c, gamma, s, eta, n_steps):
    """Algorithm 1 from the code z of sample i, in place; z_i = 0, the auxiliary v_i as it comes.

    An entry with c > 0 enters only where ``s |gradient| > sqrt(2 s gamma c)``; it is looked for in
    all entries, as the paper has it.
    """  # Algorithm 1
    n = z.shape[0]
    v, m, g = z.copy(), np.empty(n), np.empty(n)
    for k in range(1, n_steps + 1):
        a_k = 2.0 / (k + 1.0)
        for t in range(n):
            m[t] = (1.0 - a_k) * z[t] + a_k * v[t]  # (9)
            g[t] = -2.0 * K[t, i]
        for j in range(n):
            if m[j] != 0.0:
                for t in range(n):
                    g[t] += 2.0 * K[j, t] * m[j]
        for t in range(n):
            u = m[t] - s * g[t]
            is_small = c[t] > 0.0 and u * u <= 2.0 * s * gamma * c[t]
            z[t] = 0.0 if t == i or is_small else u  # (8), (10), (19)
            v[t] -= eta * k * g[t]  # (11)
            if c[t] > 0.0 and z[t] == 0.0:
                v[t] = 0.0  # (12)


@njit(cache=True, nogil=True)
def printed_sweep(K, indptr, neighbors, gamma, s, eta, n_steps, Z):
    """One pass over the columns, in place."""
    c = np.empty(Z.shape[0])
    for i in range(Z.shape[0]):
        printed_weights(i, indptr, neighbors, Z, c)
        printed_column(K, i, Z[i], c, gamma, s, eta, n_steps)
