"""Conjugate gradients for many right-hand sides at once; bounded and silent, for use in a step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._typing import Array


def conjugate_gradients(
    A: Callable[[Array], Array],
    B: Array,
    W: Array,
    *,
    max_steps: int = 200,
    rtol: float = 1e-8,
) -> Array:
    """Solve ``A W = B`` from a guess; ``tr(W'AW) - 2 tr(W'B)`` never rises, wherever it stops.

    Parameters
    ----------
    A : callable
        ``A(V) = AV`` for V of shape (d, c); symmetric positive definite.
    B : ndarray of shape (d, c)
    W : ndarray of shape (d, c)
        The guess.
    max_steps : int, default=200
    rtol : float, default=1e-8
        Stop when ``|B - AW| <= rtol |B|`` in every column.

    Returns
    -------
    W : ndarray of shape (d, c)

    Notes
    -----
    Every column has its own step length; one product with A a step serves them all. Hestenes &
    Stiefel, 1952.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.solvers import conjugate_gradients
    >>> conjugate_gradients(lambda V: 2 * V, np.array([[1.0, 4.0]]), np.zeros((1, 2)))
    array([[0.5, 2. ]])
    """
    R = B - A(W)
    D, size = R, np.einsum("ij,ij->j", R, R)
    enough = rtol**2 * np.einsum("ij,ij->j", B, B)
    for _ in range(max_steps):
        open_ = size > enough
        if not open_.any():
            break
        AD = A(D)
        curvature = np.einsum("ij,ij->j", D, AD)
        t = np.divide(size, curvature, out=np.zeros_like(size), where=open_ & (curvature > 0))
        W, R = W + t * D, R - t * AD
        new = np.einsum("ij,ij->j", R, R)
        D = R + np.divide(new, size, out=np.zeros_like(size), where=open_) * D
        size = new
    return W
