"""Entrywise penalties of a projection matrix ``X = U U'``, without ever forming X.

A penalty whose derivative has one slope between two bounds and another one beyond them is handed
over as these four numbers ``(inside, outside, low, high)``: with ``p = clip(x, low, high)``,
``g'(x) = inside p + outside (x - p)`` and ``g(x) = inside p (x - p/2) + outside (x - p)^2 / 2``.

The upper half of X goes by, four rows of a tile of columns at a time: products, penalty, and what
they add to the gradient, while the tile is in the cache. Matrices are given transposed, their
columns filled up with zeros to blocks of 16 that begin where the cache's lines do.
"""

import numpy as np
from numba import prange

from ._jit import njit

_BLOCK, _TILE = 16, 512
_CHUNKS = 16
_FAST = {"reassoc", "contract", "nsz"}

#: Below this many products, a few milliseconds, threads cost more than they save.
_SERIAL = 100_000_000


@njit(cache=True, nogil=True, fastmath=_FAST)
def _products(Rt, i, first, last, C):
    """``C_rj = <r_(i + r), r_j>`` for four rows and the columns of a tile, four of R' a pass."""
    m = last - first
    c0, c1, c2, c3 = C[0, :m], C[1, :m], C[2, :m], C[3, :m]
    for k in range(0, Rt.shape[0], 4):
        r0, r1 = Rt[k, first:last], Rt[k + 1, first:last]
        r2, r3 = Rt[k + 2, first:last], Rt[k + 3, first:last]
        a = Rt[k : k + 4, i : i + 4]
        a00, a01, a02, a03 = a[0, 0], a[0, 1], a[0, 2], a[0, 3]
        a10, a11, a12, a13 = a[1, 0], a[1, 1], a[1, 2], a[1, 3]
        a20, a21, a22, a23 = a[2, 0], a[2, 1], a[2, 2], a[2, 3]
        a30, a31, a32, a33 = a[3, 0], a[3, 1], a[3, 2], a[3, 3]
        if k == 0:
            for j in range(m):
                x0, x1, x2, x3 = r0[j], r1[j], r2[j], r3[j]
                c0[j] = a00 * x0 + a10 * x1 + a20 * x2 + a30 * x3
                c1[j] = a01 * x0 + a11 * x1 + a21 * x2 + a31 * x3
                c2[j] = a02 * x0 + a12 * x1 + a22 * x2 + a32 * x3
                c3[j] = a03 * x0 + a13 * x1 + a23 * x2 + a33 * x3
        else:
            for j in range(m):
                x0, x1, x2, x3 = r0[j], r1[j], r2[j], r3[j]
                c0[j] += a00 * x0 + a10 * x1 + a20 * x2 + a30 * x3
                c1[j] += a01 * x0 + a11 * x1 + a21 * x2 + a31 * x3
                c2[j] += a02 * x0 + a12 * x1 + a22 * x2 + a32 * x3
                c3[j] += a03 * x0 + a13 * x1 + a23 * x2 + a33 * x3


@njit(cache=True, nogil=True, fastmath=_FAST)
def _penalize(a, penalty, c):
    """Twice the sum of ``g(c_j) - 2 a_j c_j``; c becomes its derivative ``g' - 2a``.

    An a without entries is zero. Sums are of the precision of c.
    """
    inside, outside, low, high = penalty
    total = inside - inside
    if a.shape[0] == 0:
        for j in range(c.shape[0]):
            x = c[j]
            p = min(max(x, low), high)
            near, far = inside * p, outside * (x - p)
            total += near * (x + (x - p)) + far * (x - p)
            c[j] = near + far
    else:
        for j in range(c.shape[0]):
            x, fit = c[j], a[j] + a[j]
            p = min(max(x, low), high)
            near, far = inside * p, outside * (x - p)
            total += near * (x + (x - p)) + far * (x - p) - (fit + fit) * x
            c[j] = near + far - fit
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _spread(Ut, i, first, last, C, out):
    """Add ``sum_j C_rj u_j`` to rows i to i + 3 of the product and ``sum_r C_rj u_(i + r)`` to the
    rows j of the tile.
    """
    m = last - first
    c0, c1, c2, c3 = C[0, :m], C[1, :m], C[2, :m], C[3, :m]
    for k in range(0, Ut.shape[0], 2):
        r0, r1 = Ut[k, first:last], Ut[k + 1, first:last]
        o0, o1 = out[k, first:last], out[k + 1, first:last]
        a00, a01, a02, a03 = Ut[k, i], Ut[k, i + 1], Ut[k, i + 2], Ut[k, i + 3]
        a10, a11, a12, a13 = Ut[k + 1, i], Ut[k + 1, i + 1], Ut[k + 1, i + 2], Ut[k + 1, i + 3]
        s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = a00 - a00
        for j in range(m):
            y0, y1, y2, y3 = c0[j], c1[j], c2[j], c3[j]
            x0, x1 = r0[j], r1[j]
            s00 += y0 * x0
            s01 += y1 * x0
            s02 += y2 * x0
            s03 += y3 * x0
            s10 += y0 * x1
            s11 += y1 * x1
            s12 += y2 * x1
            s13 += y3 * x1
            o0[j] += a00 * y0 + a01 * y1 + a02 * y2 + a03 * y3
            o1[j] += a10 * y0 + a11 * y1 + a12 * y2 + a13 * y3
        own = out[k : k + 2, i : i + 4]
        own[0, 0] += s00
        own[0, 1] += s01
        own[0, 2] += s02
        own[0, 3] += s03
        own[1, 0] += s10
        own[1, 1] += s11
        own[1, 2] += s12
        own[1, 3] += s13


@njit(cache=True, nogil=True, fastmath=_FAST)
def _spread_block(Ut, i, first, last, C, out):
    """Add ``sum_r C_rj u_(i + r)`` to the rows j: of the block on the diagonal, which holds both
    halves of its pairs.
    """
    m = last - first
    c0, c1, c2, c3 = C[0, :m], C[1, :m], C[2, :m], C[3, :m]
    for k in range(Ut.shape[0]):
        target = out[k, first:last]
        a0, a1, a2, a3 = Ut[k, i], Ut[k, i + 1], Ut[k, i + 2], Ut[k, i + 3]
        for j in range(m):
            target[j] += a0 * c0[j] + a1 * c1[j] + a2 * c2[j] + a3 * c3[j]


@njit(cache=True, nogil=True, fastmath=_FAST)
def _gaussian(samples, i, first, last, a):
    """``scale_i scale_j exp(-gamma ||x_i - x_j||^2)`` for four rows and the columns of a tile."""
    Xt, norms, gamma, scale = samples
    _products(Xt, i, first, last, a)
    others, scales = norms[first:last], scale[first:last]
    for r in range(4):
        row, norm, own = a[r], norms[i + r], scale[i + r]
        for j in range(last - first):
            row[j] = -gamma * max(norm + others[j] - row[j] - row[j], norm * 0)
        for j in range(last - first):
            row[j] = own * scales[j] * np.exp(row[j])
        if first <= i + r < last:
            row[i + r - first] = own * own


@njit(cache=True, nogil=True)
def _derivative(n, a, penalty, Ut, i, first, last, C):
    """``g - 2 a_ij X_ij`` summed over four rows of a tile; C becomes ``g' - 2a``.

    An a without columns is zero.
    """
    _products(Ut, i, first, last, C)
    width = min(last, n) - first
    total = 0.0
    for r in range(min(4, n - i)):
        total += np.float64(_penalize(a[r, :width], penalty, C[r, :width]))
    return total


@njit(cache=True, nogil=True)
def _part(i, part, start, last):
    """Columns of part 0 and 1 of a tile for four rows: the block on the diagonal, and beyond it."""
    block = i - i % _BLOCK
    if part == 1:
        return max(start, block + _BLOCK), last
    return block, (block + _BLOCK if block >= start else block)


# The chunks repeat each other's loops: numba compiles a function into each place that calls it. A
# first version, one pass for both affinities, compiled for 15 s, these for 7.


@njit(cache=True, nogil=True)
def _penalty_chunk(chunk, n, A, center, Ut, penalty, a, C, out):
    """Every tile of columns of chunk c of m, ``chunk = (c, m)``: returns what they add to the
    value; adds to `out`. A without rows is zero.
    """
    total = 0.0
    for start in range(chunk[0] * _TILE, Ut.shape[1], chunk[1] * _TILE):
        end = min(start + _TILE, Ut.shape[1])
        for i in range(0, min(end, n), 4):
            for part in range(2):
                first, last = _part(i, part, start, end)
                if first >= last:
                    continue
                for r in range(min(4, len(A) - i)):
                    for j in range(first, min(last, n)):
                        a[r, j - first] = A[i + r, j]
                    if part == 0:
                        a[r, i + r - first] -= center
                value = _derivative(n, a, penalty, Ut, i, first, last, C)
                if part == 0:
                    total += 0.5 * value
                    _spread_block(Ut, i, first, last, C, out)
                else:
                    total += value
                    _spread(Ut, i, first, last, C, out)
    return total


@njit(cache=True, nogil=True)
def _gaussian_chunk(chunk, n, samples, Ut, penalty, a, C, out):
    """The same, A the Gaussian affinity of the samples."""
    total = 0.0
    for start in range(chunk[0] * _TILE, Ut.shape[1], chunk[1] * _TILE):
        end = min(start + _TILE, Ut.shape[1])
        for i in range(0, min(end, n), 4):
            for part in range(2):
                first, last = _part(i, part, start, end)
                if first >= last:
                    continue
                _gaussian(samples, i, first, last, a)
                value = _derivative(n, a, penalty, Ut, i, first, last, C)
                if part == 0:
                    total += 0.5 * value
                    _spread_block(Ut, i, first, last, C, out)
                else:
                    total += value
                    _spread(Ut, i, first, last, C, out)
    return total


@njit(cache=True, nogil=True)
def _product_chunk(chunk, n, samples, Vt, a, out):
    """Every tile of columns of chunk c of m of ``A V``, A the Gaussian affinity of the samples."""
    for start in range(chunk[0] * _TILE, Vt.shape[1], chunk[1] * _TILE):
        end = min(start + _TILE, Vt.shape[1])
        for i in range(0, min(end, n), 4):
            for part in range(2):
                first, last = _part(i, part, start, end)
                if first >= last:
                    continue
                _gaussian(samples, i, first, last, a)
                if part == 0:
                    _spread_block(Vt, i, first, last, a, out)
                else:
                    _spread(Vt, i, first, last, a, out)


@njit(cache=True, nogil=True, parallel=True)
def _penalty_parallel(n, A, center, Ut, penalty, a, C, partial, values):
    m = len(partial)
    for c in prange(m):
        values[c] = _penalty_chunk((c, m), n, A, center, Ut, penalty, a[c], C[c], partial[c])


@njit(cache=True, nogil=True, parallel=True)
def _gaussian_parallel(n, samples, Ut, penalty, a, C, partial, values):
    m = len(partial)
    for c in prange(m):
        values[c] = _gaussian_chunk((c, m), n, samples, Ut, penalty, a[c], C[c], partial[c])


@njit(cache=True, nogil=True, parallel=True)
def _product_parallel(n, samples, Vt, a, partial):
    m = len(partial)
    for c in prange(m):
        _product_chunk((c, m), n, samples, Vt, a[c], partial[c])


def _zeros(shape, dtype):
    """Zeros that begin where a line of the cache does, which loops over them run quicker on."""
    dtype = np.dtype(dtype)
    size, line = int(np.prod(shape)), 64 // dtype.itemsize
    memory = np.zeros(size + line, dtype=dtype)
    first = -memory.ctypes.data % 64 // dtype.itemsize
    return memory[first : first + size].reshape(shape)


def _transposed(R):
    """R', filled up with zeros: rows to a multiple of 4, columns to blocks."""
    n, d = R.shape
    Rt = _zeros((-(-d // 4) * 4, -(-n // _BLOCK) * _BLOCK), R.dtype)
    Rt[:d, :n] = R.T
    return Rt


def _padded_samples(samples):
    X, norms, gamma, scale = samples
    fill = (0, -len(X) % _BLOCK)
    return _transposed(X), np.pad(norms, fill), gamma, np.pad(scale, fill)


def _workspaces(Ut, d):
    """Of each chunk of tiles: four rows of a tile, again, and a sum of the shape of U'.

    In arrays of their own: of views of one, compiled loops are not vectorized. One chunk where
    there is little to do, with d columns of samples.
    """
    n_tiles = -(-Ut.shape[1] // _TILE)
    m = 1 if Ut.shape[1] ** 2 * (len(Ut) + d) < _SERIAL else min(_CHUNKS, n_tiles)
    return [_zeros((m, *shape), Ut.dtype) for shape in ((4, _TILE), (4, _TILE), Ut.shape)]


def _summed(serial, parallel, given, workspaces, shape):
    """The value and the n x K gradient of a pass by all chunks."""
    n, K = shape
    a, C, partial = workspaces
    if len(partial) == 1:
        value, out = serial((0, 1), n, *given, a[0], C[0], partial[0]), partial[0]
    else:
        values = np.zeros(len(partial))
        parallel(n, *given, a, C, partial, values)
        value, out = values.sum(), partial.sum(axis=0)
    return value, np.ascontiguousarray(out[:K, :n].T)


def fused_penalty(U, A, center, penalty):
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
    penalty : tuple of float
        ``(inside, outside, low, high)``, same dtype as U; the bounds may be infinite.

    Returns
    -------
    value : float
    out : ndarray of shape (n, K)

    Notes
    -----
    O(n^2 K) time, O(n K) memory beside A.
    """
    Ut = _transposed(U)
    a, C, partial = _workspaces(Ut, 0)
    if A is None:
        A, a = np.empty((0, 0), dtype=U.dtype), a[:, :, :0]
    elif not A.flags.c_contiguous:
        A = np.ascontiguousarray(A.T)
    given = A, center, Ut, penalty
    return _summed(_penalty_chunk, _penalty_parallel, given, (a, C, partial), U.shape)


def fused_gaussian(U, samples, penalty):
    """``sum_ij g(X_ij) - 2 A_ij X_ij, X = UU'``, and ``(G - 2A) U``, neither A nor X formed.

    Parameters
    ----------
    U, penalty
        See `fused_penalty`.
    samples : tuple
        ``(X, norms, gamma, scale)``: n samples, their squared norms, and
        ``A_ij = scale_i scale_j exp(-gamma ||x_i - x_j||^2)``; all of U's dtype.

    Returns
    -------
    value : float
    out : ndarray of shape (n, K)

    Notes
    -----
    Of d columns of samples O(n^2 (d + K)) time, O(n K) memory.
    """
    Ut, samples = _transposed(U), _padded_samples(samples)
    workspaces = _workspaces(Ut, len(samples[0]))
    given = samples, Ut, penalty
    return _summed(_gaussian_chunk, _gaussian_parallel, given, workspaces, U.shape)


def gaussian_product(samples, V):
    """``A V`` for the Gaussian affinity of `fused_gaussian`."""
    n, K = V.shape
    Vt, samples = _transposed(V), _padded_samples(samples)
    a, _, partial = _workspaces(Vt, len(samples[0]))
    if len(partial) == 1:
        _product_chunk((0, 1), n, samples, Vt, a[0], partial[0])
    else:
        _product_parallel(n, samples, Vt, a, partial)
    return np.ascontiguousarray(partial.sum(axis=0)[:K, :n].T)
