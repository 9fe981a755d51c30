"""Eigenvalues after projecting one direction out, for many directions at once."""

from __future__ import annotations

import numpy as np

from ._jit import njit


@njit(cache=True)
def compressed_eigenvalue_sums(d, P, first, last):
    """Sums of the eigenvalues number `first` to `last` - 1 of compressions of ``diag(d)``.

    Compressing ``diag(d)`` to the complement of a unit vector q leaves r - 1 eigenvalues that
    interlace with d: number i is the root in ``[d[i + 1], d[i]]`` of ``sum_l q_l^2 / (d_l - mu)``.

    Parameters
    ----------
    d : ndarray of shape (r,)
        Descending.
    P : ndarray of shape (n, r), C order
        Row j: the squares of the unit vector q of problem j.
    first, last : int
        ``0 <= first <= last <= r - 1``, counted from the largest.

    Returns
    -------
    sums : ndarray of shape (n,)

    Notes
    -----
    Cost O(n (last - first) r), about six evaluations a root: Newton's method on the function freed
    of its two poles, safeguarded by bisection.
    """
    n = P.shape[0]
    sums = np.zeros(n)
    for j in range(n):
        p = P[j]
        total = 0.0
        for i in range(first, last):
            total += _root(d, p, i)
        sums[j] = total
    return sums


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _root(d, p, i):
    """The root of ``sum_l p_l / (d_l - mu)`` in ``[d[i + 1], d[i]]``."""
    top, bottom = d[i], d[i + 1]
    width = top - bottom
    tol = 4e-16 * abs(d[0])
    if width <= tol:
        return bottom + width / 2
    lo, hi = bottom, top
    weight = p[i] + p[i + 1]
    mu = bottom + width * (p[i + 1] / weight if weight > 0.0 else 0.5)
    for _ in range(100):
        if not lo < mu < hi:
            mu = lo + (hi - lo) / 2
            if mu in (lo, hi):
                return mu
        s, slope = 0.0, 0.0
        for m in range(d.shape[0]):
            t = 1.0 / (d[m] - mu)
            s += p[m] * t
            slope += p[m] * t * t
        if s < 0.0:
            lo = mu
        else:
            hi = mu
        a, b = top - mu, mu - bottom
        new = mu - s * a * b / (slope * a * b + s * (a - b))
        if hi - lo <= tol or (abs(new - mu) <= tol and lo <= new <= hi):
            return min(max(new, lo), hi)
        mu = new
    return mu
