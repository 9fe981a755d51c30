"""Proximal maps that act on every entry alone.

``prox_{t g}(V) = argmin_X 1/2 ||X - V||_F^2 + t g(X)``. Everywhere `t` is a number or an array that
broadcasts against V (a weight per entry, row or column).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._array import floating

__all__ = [
    "project_box",
    "prox_box_penalty",
    "prox_huber",
    "prox_l0",
    "prox_l0_nonneg",
    "prox_l1",
    "prox_l1_nonneg",
    "prox_lp",
]

Array = NDArray[Any]


def weight_like(V: Array, t: ArrayLike) -> Array:
    """`t` in the precision of V, so that float32 stays float32."""
    return np.asarray(t, dtype=V.dtype)


def prox_l1(V: Array, t: ArrayLike) -> Array:
    """Soft threshold: ``argmin 1/2 ||X - V||^2 + sum_ij t_ij |X_ij|``, t >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import prox_l1
    >>> prox_l1(np.array([3.0, -0.5, -2.0]), 1.0)
    array([ 2.,  0., -1.])
    """
    V = floating(V)
    t = weight_like(V, t)
    return V - np.clip(V, -t, t)


def prox_l1_nonneg(V: Array, t: ArrayLike) -> Array:
    """``argmin 1/2 ||X - V||^2 + sum_ij t_ij X_ij`` over X >= 0; any sign of t."""
    V = floating(V)
    return np.maximum(V - weight_like(V, t), 0)


def prox_l0(V: Array, t: ArrayLike) -> Array:
    """Hard threshold: ``argmin 1/2 ||X - V||^2 + sum_ij t_ij 1[X_ij != 0]``.

    Entries with ``V_ij^2 <= 2 t_ij`` become zero (of the two minimisers of a tie, the sparser).
    Where ``t_ij < 0`` entries are kept; at ``V_ij = 0`` the infimum is then not attained, and 0 is
    returned.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import prox_l0
    >>> prox_l0(np.array([2.0, 1.9, -3.0]), 2.0)
    array([ 0.,  0., -3.])
    """
    V = floating(V)
    kept = 2 * weight_like(V, t) < V * V
    return np.where(kept, V, V.dtype.type(0))


def prox_l0_nonneg(V: Array, t: ArrayLike) -> Array:
    """``argmin 1/2 ||X - V||^2 + sum_ij t_ij 1[X_ij != 0]`` over X >= 0; as `prox_l0` otherwise."""
    return prox_l0(np.maximum(floating(V), 0), t)


def prox_lp(V: Array, t: ArrayLike, p: float) -> Array:
    """``argmin 1/2 ||X - V||^2 + sum_ij t_ij |X_ij|^p``, 0 < p <= 1, t >= 0.

    Parameters
    ----------
    V : ndarray
    t : ndarray
        Weights, >= 0.
    p : float
        In (0, 1].

    Returns
    -------
    X : ndarray
        A global minimiser; of the two at a tie, zero.

    Notes
    -----
    For p < 1 the minimiser is 0 below a threshold, else the larger root of the convex
    ``h(r) = r - |v| + t p r^(p-1)``, which Newton's method reaches from ``r = |v|`` monotonically.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import prox_lp
    >>> prox_lp(np.array([3.0, 1.0]), 1.0, 0.5).round(4)
    array([2.6955, 0.    ])
    """
    V = floating(V)
    t = weight_like(V, t)
    if p == 1:
        return prox_l1(V, t)
    size = np.abs(V).astype(np.float64)
    t, size = np.broadcast_arrays(t.astype(np.float64), size)
    least = (2 * t * (1 - p)) ** (1 / (2 - p))  # the smallest nonzero value a minimiser can have
    with np.errstate(divide="ignore", invalid="ignore"):
        threshold = np.where(t > 0, least + t * p * least ** (p - 1), 0.0)
    kept = size > threshold
    a, s = size[kept], t[kept]
    r = a.copy()
    for _ in range(60):
        move = (r - a + s * p * r ** (p - 1)) / (1 + s * p * (p - 1) * r ** (p - 2))
        r = r - move
        if np.all(np.abs(move) <= 1e-15 * a):
            break
    out = np.zeros(V.shape, dtype=V.dtype)
    out[kept] = np.copysign(r, V[kept])
    return out


def prox_huber(V: Array, t: ArrayLike, delta: float) -> Array:
    """Proximal map of the Huber penalty, ``x^2 / (2 delta)`` for |x| <= delta, else |x| - delta/2.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import prox_huber
    >>> prox_huber(np.array([1.0, 5.0]), 1.0, 1.0)
    array([0.5, 4. ])
    """
    V = floating(V)
    t = weight_like(V, t)
    delta = V.dtype.type(delta)
    return np.where(np.abs(V) <= delta + t, V * (delta / (delta + t)), V - np.copysign(t, V))


def project_box(V: Array, lower: ArrayLike, upper: ArrayLike) -> Array:
    """Nearest X with ``lower <= X <= upper``; infinite bounds are allowed."""
    V = floating(V)
    return np.clip(V, weight_like(V, lower), weight_like(V, upper))


def prox_box_penalty(V: Array, t: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> Array:
    """Proximal map of the squared distance to a box.

    ``argmin 1/2 ||X - V||^2 + sum t_ij dist(X_ij, [lower, upper])^2``.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import prox_box_penalty
    >>> prox_box_penalty(np.array([-3.0, 0.5, 4.0]), 1.0, 0.0, np.inf)
    array([-1. ,  0.5,  4. ])
    """
    V = floating(V)
    t = weight_like(V, t)
    return (V + 2 * t * project_box(V, lower, upper)) / (1 + 2 * t)
