"""Euclidean projections on the simplex and its relatives, for many vectors at once.

The projection of v on ``{x >= 0, sum x = r}`` is ``max(v - theta, 0)``; theta follows from sorting.
"""

from __future__ import annotations

import numpy as np

from .._array import floating
from .._typing import AnyArray


def project_simplex(V: AnyArray, axis: int = -1, radius: float = 1.0) -> AnyArray:
    """Nearest point to each vector of V along `axis` on ``{x >= 0, sum x = radius}``.

    Parameters
    ----------
    V : ndarray
        Entries may be ``-inf``: those are left out (their x is 0). At least one entry of every
        vector must be finite.
    axis : int, default=-1
        ``-1``: rows of a matrix; ``0``: columns.
    radius : float, default=1.0
        > 0.

    Returns
    -------
    X : ndarray of the shape of V

    Raises
    ------
    ValueError
        If a vector has no finite entry, or an entry is NaN or +inf.

    Notes
    -----
    Cost O(m log m) a vector of length m (one sort), in NumPy.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import project_simplex
    >>> project_simplex(np.array([[0.5, 0.5, 0.5], [3.0, 1.0, 2.5]]))
    array([[0.33333333, 0.33333333, 0.33333333],
           [0.75      , 0.        , 0.25      ]])
    """
    V = np.moveaxis(floating(V), axis, -1)
    X = _project_last(V, radius)
    return np.moveaxis(X, -1, axis)


def _project_last(V: AnyArray, radius: float) -> AnyArray:
    m = V.shape[-1]
    top = V.max(axis=-1, keepdims=True, initial=-np.inf)
    if not np.isfinite(top).all():
        raise ValueError("V must have a finite entry in every vector, and no NaN or +inf.")
    V = V - top  # the projection does not feel a shift; this one keeps the sums small
    falling = -np.sort(-V, axis=-1)
    finite = np.isfinite(falling)
    sums = np.cumsum(np.where(finite, falling, 0), axis=-1, dtype=np.float64) - radius
    counts = np.arange(1, m + 1)
    inside = finite & (np.where(finite, falling, 0) * counts > sums)
    size = inside.sum(axis=-1, keepdims=True)
    theta = np.take_along_axis(sums, size - 1, axis=-1) / size
    return np.maximum(V - theta.astype(V.dtype), 0)


def project_simplex_sparse(V: AnyArray, k: int) -> AnyArray:
    """Nearest point on the simplex with at most `k` nonzero entries, for each row of V.

    Keeps the k largest entries (ties to the smaller index), then projects: this is exact
    (Kyrillidis, Becker, Cevher & Koch, "Sparse projections onto the simplex", ICML 2013).

    Parameters
    ----------
    V : ndarray
        Vectors along the last axis; ``-inf`` leaves an entry out.
    k : int
        ``k >= 1``.

    Returns
    -------
    X : ndarray of the shape of V

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import project_simplex_sparse
    >>> project_simplex_sparse(np.array([0.4, 0.1, 0.4, 0.3]), 2)
    array([0.5, 0. , 0.5, 0. ])
    """
    V = floating(V)
    if k >= V.shape[-1]:
        return _project_last(V, 1.0)
    kept = np.argsort(-V, axis=-1, kind="stable")[..., :k]
    X = np.zeros_like(V)
    np.put_along_axis(X, kept, _project_last(np.take_along_axis(V, kept, axis=-1), 1.0), axis=-1)
    return X


def project_capped_simplex(v: AnyArray, total: float) -> AnyArray:
    """Nearest point to the vector `v` on ``{0 <= x <= 1, sum x = total}``.

    Parameters
    ----------
    v : ndarray of shape (m,)
    total : float
        ``0 <= total <= m``.

    Returns
    -------
    x : ndarray of shape (m,)
        ``clip(v - theta, 0, 1)``; theta is found exactly among the 2m breakpoints, O(m log m).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import project_capped_simplex
    >>> project_capped_simplex(np.array([3.0, 0.5, 0.3]), 1.5)
    array([1.  , 0.35, 0.15])
    """
    v = floating(v)
    m = v.shape[0]
    if not 0 <= total <= m:
        raise ValueError(f"total must lie in [0, {m}], the length of v; got {total}.")
    rising = np.sort(v.astype(np.float64))
    before = np.concatenate([[0.0], np.cumsum(rising)])
    breaks = np.sort(np.concatenate([rising, rising - 1]))
    low = np.searchsorted(rising, breaks, side="right")  # entries <= theta: clipped at 0
    high = np.searchsorted(rising, breaks + 1, side="right")  # entries from here on: clipped at 1
    high = np.maximum(high, low)
    sums = (m - high) + before[high] - before[low] - (high - low) * breaks  # at theta = breaks
    sums = np.minimum.accumulate(sums)  # linear between the breaks, falling from m to 0
    theta = np.interp(-total, -sums, breaks)
    return np.clip(v - v.dtype.type(theta), 0, 1)
