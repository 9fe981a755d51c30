"""Blocks of rows in CSR, read once: sums of columns, and their dense columns taken out."""

from __future__ import annotations

import numpy as np

from ._pair import jit


@jit
def add_sums(indices, data, shift, count, sums, squares, low, high):
    """Add the stored entries of a block to what is known of its columns, around `shift`."""
    for i in range(indices.shape[0]):
        j, x = indices[i], np.float64(data[i])
        y = x - shift[j]
        count[j] += 1
        sums[j] += y
        squares[j] += y * y
        low[j] = min(low[j], x)
        high[j] = max(high[j], x)


@jit
def take_sparse(indptr, indices, data, is_sparse, ptr, rows, values):
    """Entries of the columns with ``is_sparse[j]`` into a CSC; ``ptr`` is zero."""
    m, n = indptr.shape[0] - 1, ptr.shape[0] - 1
    for i in range(indices.shape[0]):
        ptr[indices[i]] += is_sparse[indices[i]]
    total = np.int64(0)
    for j in range(n):
        count = ptr[j]
        ptr[j] = total
        total += count
    for i in range(m):
        for l in range(indptr[i], indptr[i + 1]):  # noqa: E741
            j = indices[l]
            if is_sparse[j]:
                w = ptr[j]
                rows[w], values[w] = i, data[l]
                ptr[j] = w + 1
    for j in range(n, 0, -1):
        ptr[j] = ptr[j - 1]
    ptr[0] = 0


@jit
def add_product(ptr, rows, values, P, Y):
    """``Y += X P`` for X in CSC."""
    t = P.shape[1]
    for j in range(ptr.shape[0] - 1):
        p = P[j]
        for l in range(ptr[j], ptr[j + 1]):  # noqa: E741
            y, x = Y[rows[l]], values[l]
            for q in range(t):
                y[q] += x * p[q]


@jit
def add_transposed(ptr, rows, values, Y, out, first, sums):
    """``out[:, first : first + t] += X'Y`` for X in CSC; ``sums`` (t,) is workspace.

    The sum over the rows is taken in the precision of Y.
    """
    t = Y.shape[1]
    for j in range(ptr.shape[0] - 1):
        l, last = ptr[j], ptr[j + 1]  # noqa: E741
        if l == last:
            continue
        for q in range(t):
            sums[q] = 0
        while l + 4 <= last:
            a, b, c, d = values[l], values[l + 1], values[l + 2], values[l + 3]
            A, B, C, D = Y[rows[l]], Y[rows[l + 1]], Y[rows[l + 2]], Y[rows[l + 3]]
            for q in range(t):
                sums[q] += a * A[q] + b * B[q] + c * C[q] + d * D[q]
            l += 4  # noqa: E741
        while l < last:
            a, A = values[l], Y[rows[l]]
            for q in range(t):
                sums[q] += a * A[q]
            l += 1  # noqa: E741
        for q in range(t):
            out[j, first + q] += sums[q]


@jit
def pick_columns(indptr, indices, data, place, center, Y):
    """Entries of column j into column ``place[j]`` of Y, less its center.

    Columns that are not wanted share a place, for instance one more column of Y: a branch would
    be slower.
    """
    for i in range(indptr.shape[0] - 1):
        y = Y[i]
        for l in range(indptr[i], indptr[i + 1]):  # noqa: E741
            j = indices[l]
            y[place[j]] = np.float64(data[l]) - center[j]
