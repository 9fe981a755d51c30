"""Blocks of rows in CSR, read once: sums of columns, and their dense columns taken out."""

from __future__ import annotations

import numpy as np

from ._pair import jit

__all__ = ["add_sums", "pick_columns", "split_columns"]


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
def split_columns(indptr, indices, data, place, center, D, rest_ptr, rest_indices, rest_data):
    """Entries of column j into column ``place[j]`` of D, less its center; the others into a CSR.

    D holds ``-center`` where nothing is stored. Returns the number of the other entries.
    """
    w = np.int64(0)
    for i in range(indptr.shape[0] - 1):
        for l in range(indptr[i], indptr[i + 1]):  # noqa: E741
            j = indices[l]
            q = place[j]
            if q >= 0:
                D[i, q] = np.float64(data[l]) - center[j]
            else:
                rest_indices[w], rest_data[w] = j, data[l]
                w += 1
        rest_ptr[i + 1] = w
    return w


@jit
def pick_columns(indptr, indices, data, place, center, Y):
    """Entries of column j into column ``place[j]`` of Y, less its center."""
    for i in range(indptr.shape[0] - 1):
        for l in range(indptr[i], indptr[i + 1]):  # noqa: E741
            q = place[indices[l]]
            if q >= 0:
                Y[i, q] = np.float64(data[l]) - center[indices[l]]
