"""Proximal maps that act on every entry alone.

``prox_{t g}(V) = argmin_X 1/2 ||X - V||_F^2 + t g(X)``. Everywhere `t` is a number or an array that
broadcasts against V (a weight per entry, row or column).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._array import floating
from .._typing import AnyArray


def weight_like(V: AnyArray, t: ArrayLike) -> AnyArray:
    """`t` in the precision of V, so that float32 stays float32."""
    return np.asarray(t, dtype=V.dtype)


def prox_l1(V: AnyArray, t: ArrayLike) -> AnyArray:
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


def prox_huber(V: AnyArray, t: ArrayLike, delta: float) -> AnyArray:
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


def project_box(V: AnyArray, lower: ArrayLike, upper: ArrayLike) -> AnyArray:
    """Nearest X with ``lower <= X <= upper``; infinite bounds are allowed."""
    V = floating(V)
    return np.clip(V, weight_like(V, lower), weight_like(V, upper))


def prox_box_penalty(V: AnyArray, t: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> AnyArray:
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
