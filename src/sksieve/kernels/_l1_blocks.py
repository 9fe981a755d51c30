"""l1 codes without the n x n Gram matrix: candidates of a block of samples, and their codes."""

import numpy as np
from numba import njit, prange

from ._l1_graph import l1_code

__all__ = ["largest_entries", "local_codes"]


@njit(cache=True, nogil=True)
def _sift_down(heap_key, heap_at, m):
    """Restore the min-heap property after the root has been replaced."""
    p = 0
    while True:
        child = 2 * p + 1
        if child >= m:
            return
        if child + 1 < m and heap_key[child + 1] < heap_key[child]:
            child += 1
        if heap_key[p] <= heap_key[child]:
            return
        heap_key[p], heap_key[child] = heap_key[child], heap_key[p]
        heap_at[p], heap_at[child] = heap_at[child], heap_at[p]
        p = child


@njit(cache=True, nogil=True, parallel=True)
def largest_entries(C, samples, copy_of, threshold, chosen, size, n_more):
    """Append to each row's list the entries of largest magnitude above a threshold.

    Parameters
    ----------
    C : ndarray of shape (b, n)
        Row r belongs to sample ``samples[r]``.
    samples : ndarray of shape (b,)
        The samples of the block.
    copy_of : ndarray of shape (n,)
        Smallest index of a sample equal to this one; later copies are passed over.
    threshold : ndarray of shape (b,)
        Entries of row r not above ``threshold[r]`` in magnitude are passed over.
    chosen : ndarray of shape (b, cap)
        The lists, ascending; extended and kept ascending. ``cap >= size + n_more``.
    size : ndarray of shape (b,)
        Their lengths; updated.
    n_more : int
        How many entries to append at most.
    """
    for r in prange(C.shape[0]):
        i = samples[r]
        entries = chosen[r, : size[r]]
        key = np.full(n_more, threshold[r])
        at = np.full(n_more, -1, dtype=np.int64)
        cut = key[0]
        stand_in = copy_of[i] == i
        row = C[r]
        for t in range(row.shape[0]):
            value = abs(row[t])
            if value <= cut or t == i:
                continue
            place = np.searchsorted(entries, t)
            if place < entries.shape[0] and entries[place] == t:
                continue
            if copy_of[t] != t:
                if not (stand_in and copy_of[t] == i):
                    continue
                stand_in = False  # the first copy of i itself stands in for it
            key[0], at[0] = value, t
            _sift_down(key, at, n_more)
            cut = key[0]
        k = size[r]
        for p in range(n_more):
            if at[p] >= 0:
                chosen[r, k] = at[p]
                k += 1
        size[r] = k
        chosen[r, :k] = np.sort(chosen[r, :k])


@njit(cache=True, nogil=True)
def _gram_of_candidates(X, i, chosen):
    """Inner products of the candidates with one another and with sample i, in float64."""
    m = chosen.shape[0]
    K = np.zeros((m, m))
    k_i = np.zeros(m)
    entry = np.empty(m)
    for j in range(X.shape[1]):
        for p in range(m):
            entry[p] = X[chosen[p], j]
        x_ij = np.float64(X[i, j])
        for p in range(m):
            k_i[p] += x_ij * entry[p]
            for q in range(p + 1):
                K[p, q] += entry[p] * entry[q]
    for p in range(m):
        for q in range(p):
            K[q, p] = K[p, q]
    return K, k_i


@njit(cache=True, nogil=True, parallel=True)
def local_codes(X, samples, half, tol, max_rounds, chosen, value, size):
    """Codes of some samples on their lists of candidates; the lists shrink to the supports.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        All samples.
    samples : ndarray of shape (b,)
        The samples to code.
    half, tol, max_rounds
        As for `l1_code`.
    chosen, size : ndarray of shape (b, cap), (b,)
        Candidates of each sample, ascending; on return the support.
    value : ndarray of shape (b, cap)
        Filled with the coefficients, aligned with `chosen`.
    """
    for r in prange(samples.shape[0]):
        m = size[r]
        if m == 0:
            continue
        K, k_i = _gram_of_candidates(X, samples[r], chosen[r, :m])
        index = np.empty(m, dtype=np.int64)
        skip = np.zeros(m, dtype=np.bool_)
        k, _ = l1_code(k_i, K, 0.0, skip, half, tol, max_rounds, index, value[r], 0)
        for p in range(k):
            chosen[r, p] = chosen[r, index[p]]
        size[r] = k
