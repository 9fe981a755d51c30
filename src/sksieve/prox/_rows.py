"""Proximal maps that act on the rows of a matrix through their lengths.

``prox_{t g}(V) = argmin_X 1/2 ||X - V||_F^2 + t g(X)``; `t` is a number or one weight per row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._array import floating
from .._typing import AnyArray
from ._entries import prox_l1


def row_norms(V: AnyArray) -> AnyArray:
    """Euclidean length of every row of V, without underflow or overflow."""
    scale = np.abs(V).max(axis=1, initial=0)
    scale[scale == 0] = 1
    W = V / scale[:, None]
    return scale * np.sqrt(np.einsum("ij,ij->i", W, W))


def _with_lengths(V: AnyArray, old: AnyArray, new: AnyArray) -> AnyArray:
    """V with row i rescaled from length old_i to new_i; zero rows stay zero."""
    factor = np.divide(new, old, out=np.zeros_like(old), where=old > 0)
    return V * factor[:, None]


def prox_l21(V: AnyArray, t: ArrayLike) -> AnyArray:
    """Row shrinkage: ``argmin 1/2 ||X - V||_F^2 + sum_i t_i ||x_i||``, t >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import prox_l21
    >>> prox_l21(np.array([[3.0, 4.0], [0.3, 0.4]]), 1.0)
    array([[2.4, 3.2],
           [0. , 0. ]])
    """
    V = floating(V)
    length = row_norms(V)
    return _with_lengths(V, length, prox_l1(length, t))


def prox_l21_nonneg(V: AnyArray, t: ArrayLike) -> AnyArray:
    """``argmin 1/2 ||X - V||_F^2 + sum_i t_i ||x_i||`` over X >= 0: clip, then shrink (exact)."""
    return prox_l21(np.maximum(floating(V), 0), t)


def project_l20(V: AnyArray, s: int) -> AnyArray:
    """Nearest matrix with at most `s` nonzero rows: the `s` longest, ties to the smaller index.

    Parameters
    ----------
    V : ndarray of shape (d, c)
    s : int
        ``0 <= s``; all rows are kept when ``s >= d``.

    Returns
    -------
    X : ndarray of shape (d, c)

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import project_l20
    >>> project_l20(np.array([[1.0], [-2.0], [2.0], [2.0]]), 2)
    array([[ 0.],
           [-2.],
           [ 2.],
           [ 0.]])
    """
    V = floating(V)
    kept = np.argsort(-row_norms(V), kind="stable")[:s]
    X = np.zeros_like(V)
    X[kept] = V[kept]
    return X
