"""Entrywise penalties of a projection matrix ``X = U U'``, without ever forming X.

A penalty with a continuous, piecewise linear gradient is handed over as
``g'(x) = shift + sum_m slope_m p_m(x)`` with ``p_m(x) = clip(x, low_m, high_m)``; then
``g(x) = constant + shift x + sum_m slope_m p_m (x - p_m/2)``.
"""

import numpy as np
from numba import njit, prange

__all__ = ["fused_penalty"]

_TILE = 128
_CHUNKS = 16

#: Below this many products, about a millisecond, threads cost more than they save.
_SERIAL = 4_000_000


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _row_of_tile(Ut, i, first, last, pieces, shift, weight, c, out_i, out):
    """Entries (i, first..last-1): returns their penalty, adds both sides of the gradient.

    `weight` is 2 off the diagonal (the mirrored entry is not visited) and 1 on it.
    """
    K = Ut.shape[0]
    slope, low, high = pieces
    m = last - first
    for j in range(m):
        c[j] = 0
    for k in range(K):
        u = Ut[k, i]
        row = Ut[k, first:last]
        for j in range(m):
            c[j] += u * row[j]
    total = c[0] * 0  # twice the penalty; in the precision of Ut, a tile at most
    twice = shift + shift
    if slope.shape[0] == 1:
        s, lo, hi = slope[0], low[0], high[0]
        for j in range(m):
            x = c[j]
            p = min(max(x, lo), hi)
            total += twice * x + s * p * (x + x - p)
            c[j] = shift + s * p
    else:
        s, lo, hi = slope[0], low[0], high[0]
        s2, lo2, hi2 = slope[1], low[1], high[1]
        for j in range(m):
            x = c[j]
            p = min(max(x, lo), hi)
            q = min(max(x, lo2), hi2)
            total += twice * x + s * p * (x + x - p) + s2 * q * (x + x - q)
            c[j] = shift + s * p + s2 * q
    for k in range(K):
        row = Ut[k, first:last]
        target = out[k, first:last]
        u = Ut[k, i]
        value = c[0] * 0
        for j in range(m):
            value += c[j] * row[j]
        out_i[k] += value
        if weight == 2:
            for j in range(m):
                target[j] += c[j] * u
    return np.float64(total) * (0.5 * weight)


@njit(cache=True, nogil=True)
def _chunk(chunk, Ut, pieces, shift, out):
    """Every _CHUNKS-th tile of columns: returns the penalty, adds the gradient to `out`."""
    K, n = Ut.shape
    n_tiles = (n + _TILE - 1) // _TILE
    c = np.empty(_TILE, dtype=Ut.dtype)
    out_i = np.empty(K, dtype=Ut.dtype)
    total = 0.0
    for tile in range(chunk, n_tiles, _CHUNKS):
        first, last = tile * _TILE, min((tile + 1) * _TILE, n)
        for i in range(last):
            weight = 2 if i < first else 1
            out_i[:] = 0
            total += _row_of_tile(Ut, i, first, last, pieces, shift, weight, c, out_i, out)
            for k in range(K):
                out[k, i] += out_i[k]
    return total


# Two functions, not one compiled twice: numba's cache on disk would not tell the two apart.


@njit(cache=True, nogil=True)
def _serial(Ut, slope, low, high, shift, partial, values):
    for chunk in range(_CHUNKS):
        values[chunk] = _chunk(chunk, Ut, (slope, low, high), shift, partial[chunk])


@njit(cache=True, nogil=True, parallel=True)
def _parallel(Ut, slope, low, high, shift, partial, values):
    for chunk in prange(_CHUNKS):
        values[chunk] = _chunk(chunk, Ut, (slope, low, high), shift, partial[chunk])


def fused_penalty(Ut, slope, low, high, shift, constant):
    """``sum_ij g(<U_i, U_j>)`` and ``G U`` with ``G = g'(UU')``, in one pass over the upper half.

    Parameters
    ----------
    Ut : ndarray of shape (K, n)
        U', C-contiguous, float32 or float64.
    slope, low, high : ndarray of shape (1,) or (2,)
        The penalty's gradient, same dtype as Ut; ``low`` and ``high`` may be infinite.
    shift : float
        Its constant term, same dtype as Ut.
    constant : float
        Constant term of the penalty itself.

    Returns
    -------
    value : float
    GUt : ndarray of shape (K, n)
        ``(G U)'``.

    Notes
    -----
    O(n^2 K) time, O(n K) memory (times a fixed number of partial sums, so that the result does not
    depend on the number of threads).
    """
    K, n = Ut.shape
    partial = np.zeros((_CHUNKS, K, n), dtype=Ut.dtype)
    values = np.zeros(_CHUNKS)
    run = _serial if n * n * K < _SERIAL else _parallel
    run(Ut, slope, low, high, shift, partial, values)
    return constant * n * n + values.sum(), partial.sum(axis=0)
