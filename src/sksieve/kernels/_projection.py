"""Entrywise penalties of a projection matrix ``X = U U'``, without ever forming X.

A penalty with a continuous, piecewise linear gradient is handed over as
``g'(x) = shift + sum_m slope_m p_m(x)`` with ``p_m(x) = clip(x, low_m, high_m)``; then
``g(x) = constant + shift x + sum_m slope_m p_m (x - p_m/2)``.

The penalty, with or without a dense affinity, is matrix products around an entrywise pass, tile by
tile; together with a Gaussian affinity, whose entries are worked out in the same tiles, all is one
loop.
"""

import numpy as np
from numba import prange

from ._jit import njit

_TILE = 128
_CHUNKS = 16
_ROWS, _COLUMNS = 48, 2048
_FAST = {"reassoc", "contract", "nsz"}

#: Below this many products, about a millisecond, threads cost more than they save.
_SERIAL = 4_000_000


@njit(cache=True, nogil=True, fastmath=_FAST)
def _products(Rt, i, first, last, c):
    """``c_j = <r_i, r_j>`` for the columns of a tile; R' is given, four of its rows a pass."""
    d, m = Rt.shape[0], last - first
    for j in range(m):
        c[j] = 0
    done = d - d % 4
    for k in range(0, done, 4):
        a0, a1, a2, a3 = Rt[k, i], Rt[k + 1, i], Rt[k + 2, i], Rt[k + 3, i]
        r0, r1 = Rt[k, first:last], Rt[k + 1, first:last]
        r2, r3 = Rt[k + 2, first:last], Rt[k + 3, first:last]
        for j in range(m):
            c[j] += (a0 * r0[j] + a1 * r1[j]) + (a2 * r2[j] + a3 * r3[j])
    for k in range(done, d):
        a = Rt[k, i]
        r = Rt[k, first:last]
        for j in range(m):
            c[j] += a * r[j]


@njit(cache=True, nogil=True, fastmath=_FAST)
def _penalize(a, pieces, shift, c):
    """Twice the sum of ``g(c_j) - 2 a_j c_j``; c becomes its derivative ``g' - 2a``.

    Sums are of the precision of c.
    """
    slope, low, high = pieces
    total = shift - shift
    twice = shift + shift
    s, lo, hi = slope[0], low[0], high[0]
    if slope.shape[0] == 1:
        for j in range(c.shape[0]):
            x, fit = c[j], a[j] + a[j]
            p = min(max(x, lo), hi)
            total += (twice - fit - fit) * x + s * p * (x + x - p)
            c[j] = shift - fit + s * p
    elif slope.shape[0] == 2:
        s2, lo2, hi2 = slope[1], low[1], high[1]
        for j in range(c.shape[0]):
            x, fit = c[j], a[j] + a[j]
            p = min(max(x, lo), hi)
            q = min(max(x, lo2), hi2)
            total += (twice - fit - fit) * x + s * p * (x + x - p) + s2 * q * (x + x - q)
            c[j] = shift - fit + s * p + s2 * q
    else:
        for j in range(c.shape[0]):
            x, fit = c[j], a[j] + a[j]
            total += (twice - fit - fit) * x
            c[j] = shift - fit
            for piece in range(slope.shape[0]):
                p = min(max(x, low[piece]), high[piece])
                total += slope[piece] * p * (x + x - p)
                c[j] += slope[piece] * p
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _spread(Ut, i, first, last, c, out):
    """Add ``c_j u_j`` to row i of the product and, off the diagonal tile, ``c_j u_i`` to row j."""
    m = last - first
    for k in range(Ut.shape[0]):
        row = Ut[k, first:last]
        target = out[k, first:last]
        u = Ut[k, i]
        value = u - u
        for j in range(m):
            value += c[j] * row[j]
        out[k, i] += value
        if i < first:
            for j in range(m):
                target[j] += c[j] * u


@njit(cache=True, nogil=True, fastmath=_FAST)
def _gaussian(Xt, norms, gamma, scale, i, first, last, a):
    """``scale_i scale_j exp(-gamma ||x_i - x_j||^2)`` for the columns of a tile."""
    _products(Xt, i, first, last, a)
    norm, own = norms[i], scale[i]
    others, scales = norms[first:last], scale[first:last]
    for j in range(last - first):
        a[j] = -gamma * max(norm + others[j] - a[j] - a[j], norm * 0)
    for j in range(last - first):
        a[j] = own * scales[j] * np.exp(a[j])
    if i >= first:
        a[i - first] = own * own


@njit(cache=True, nogil=True)
def _penalize_rows(C, A, center, i, j, own, pieces, shift):
    """``g - 2 (A - c I)_ij X_ij`` summed over a block of X that begins at (i, j) and becomes
    ``g' - 2 (A - c I)``.

    The first `own` columns count once: they are the block on the diagonal, which holds both halves
    of its pairs. An A of one row is that row everywhere.
    """
    single, double = 0.0, 0.0
    last = j + C.shape[1]
    for r in range(C.shape[0]):
        a = A[min(i + r, A.shape[0] - 1)]
        if own > 0:
            block = a[j : j + own].copy()
            block[r] -= center
            single += np.float64(_penalize(block, pieces, shift, C[r, :own]))
        if C.shape[1] > own:
            double += np.float64(_penalize(a[j + own : last], pieces, shift, C[r, own:]))
    return 0.5 * single + double


@njit(cache=True, nogil=True, fastmath=_FAST)
def _gaussian_chunk(chunk, samples, Ut, pieces, shift, out):
    """Every _CHUNKS-th tile of columns: returns the penalty and ``-2 <A, X>``, A the Gaussian
    affinity of the samples; adds the gradient to `out`.
    """
    Xt, norms, gamma, scale = samples
    n = Ut.shape[1]
    c = np.empty(_TILE, dtype=Ut.dtype)
    a = np.empty(_TILE, dtype=Ut.dtype)
    total = 0.0
    for tile in range(chunk, (n + _TILE - 1) // _TILE, _CHUNKS):
        first, last = tile * _TILE, min((tile + 1) * _TILE, n)
        m = last - first
        for i in range(last):
            _gaussian(Xt, norms, gamma, scale, i, first, last, a)
            _products(Ut, i, first, last, c)
            half = 0.5 * np.float64(_penalize(a[:m], pieces, shift, c[:m]))
            _spread(Ut, i, first, last, c, out)
            total += 2.0 * half if i < first else half
    return total


@njit(cache=True, nogil=True)
def _product_chunk(chunk, samples, Vt, out):
    """Every _CHUNKS-th tile of columns of ``A V``, A the Gaussian affinity of the samples."""
    Xt, norms, gamma, scale = samples
    n = Vt.shape[1]
    a = np.empty(_TILE, dtype=Vt.dtype)
    for tile in range(chunk, (n + _TILE - 1) // _TILE, _CHUNKS):
        first, last = tile * _TILE, min((tile + 1) * _TILE, n)
        for i in range(last):
            _gaussian(Xt, norms, gamma, scale, i, first, last, a)
            _spread(Vt, i, first, last, a, out)


# Twins, not one function compiled twice: numba's cache on disk would not tell the two apart.


@njit(cache=True, nogil=True)
def _gaussian_serial(Xt, norms, gamma, scale, Ut, slope, low, high, shift, partial, values):
    for chunk in range(_CHUNKS):
        values[chunk] = _gaussian_chunk(
            chunk, (Xt, norms, gamma, scale), Ut, (slope, low, high), shift, partial[chunk]
        )


@njit(cache=True, nogil=True, parallel=True)
def _gaussian_parallel(Xt, norms, gamma, scale, Ut, slope, low, high, shift, partial, values):
    for chunk in prange(_CHUNKS):
        values[chunk] = _gaussian_chunk(
            chunk, (Xt, norms, gamma, scale), Ut, (slope, low, high), shift, partial[chunk]
        )


@njit(cache=True, nogil=True)
def _product_serial(Xt, norms, gamma, scale, Vt, partial):
    for chunk in range(_CHUNKS):
        _product_chunk(chunk, (Xt, norms, gamma, scale), Vt, partial[chunk])


@njit(cache=True, nogil=True, parallel=True)
def _product_parallel(Xt, norms, gamma, scale, Vt, partial):
    for chunk in prange(_CHUNKS):
        _product_chunk(chunk, (Xt, norms, gamma, scale), Vt, partial[chunk])


def fused_penalty(U, A, center, pieces, shift, constant):
    """``sum_ij g(X_ij) - 2 B_ij X_ij`` and ``(g'(X) - 2B) U`` with ``X = UU', B = A - c I``.

    In tiles of the upper half, X never formed.

    Parameters
    ----------
    U : ndarray of shape (n, K)
        float32 or float64.
    A : ndarray of shape (n, n) or None
        Symmetric, same dtype as U; None is zero.
    center : float
        c, same dtype as U.
    pieces : tuple of ndarray of shape (n_pieces,)
        ``(slope, low, high)`` of the penalty's gradient, same dtype as U; ``low`` and ``high`` may
        be infinite.
    shift : float
        Its constant term, same dtype as U.
    constant : float
        Constant term of the penalty itself.

    Returns
    -------
    value : float
    out : ndarray of shape (n, K)

    Notes
    -----
    O(n^2 K) time, in matrix products of tiles that fit the cache; O(n K) memory beside A.
    """
    n = len(U)
    if A is None:
        A = np.zeros((1, n), dtype=U.dtype)
    elif not A.flags.c_contiguous:
        A = np.ascontiguousarray(A.T)
    value, out = constant * n * n, np.zeros_like(U)
    for i in range(0, n, _ROWS):
        rows = U[i : i + _ROWS]
        for j in range(i, n, _COLUMNS):
            columns = U[j : j + _COLUMNS]
            own = len(rows) if i == j else 0
            C = rows @ columns.T
            value += _penalize_rows(C, A, center, i, j, own, pieces, shift)
            out[i : i + _ROWS] += C @ columns
            out[j + own : j + _COLUMNS] += C[:, own:].T @ rows
    return value, out


def fused_gaussian(samples, Ut, pieces, shift, constant):
    """``sum_ij g(X_ij) - 2 A_ij X_ij, X = UU'``, and ``(G - 2A) U``, neither A nor X formed.

    Parameters
    ----------
    samples : tuple
        ``(Xt, norms, gamma, scale)``: samples as columns (d x n, C-contiguous), their squared
        norms, and ``A_ij = scale_i scale_j exp(-gamma ||x_i - x_j||^2)``; all of Ut's dtype.
    Ut, shift, constant
        See `fused_penalty`; U' is K x n, C-contiguous.
    pieces : tuple
        ``(slope, low, high)``.

    Returns
    -------
    value : float
    out : ndarray of shape (K, n)

    Notes
    -----
    O(n^2 (d + K)) time, O(n K) memory.
    """
    K, n = Ut.shape
    partial = np.zeros((_CHUNKS, K, n), dtype=Ut.dtype)
    values = np.zeros(_CHUNKS)
    run = _gaussian_serial if n * n * (K + len(samples[0])) < _SERIAL else _gaussian_parallel
    run(*samples, Ut, *pieces, shift, partial, values)
    return constant * n * n + values.sum(), partial.sum(axis=0)


def gaussian_product(samples, Vt):
    """``(A V)'`` for the Gaussian affinity of `fused_gaussian`; V' is K x n, C-contiguous."""
    K, n = Vt.shape
    partial = np.zeros((_CHUNKS, K, n), dtype=Vt.dtype)
    run = _product_serial if n * n * (K + len(samples[0])) < _SERIAL else _product_parallel
    run(*samples, Vt, partial)
    return partial.sum(axis=0)
