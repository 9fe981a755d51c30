"""The Cayley curve on matrices with orthonormal columns.

Wen & Yin, "A feasible method for optimization with orthogonality constraints", Mathematical
Programming 142, 2013.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from ._qr import orthonormalize


def cayley(U: NDArray[Any], H: NDArray[Any], t: float) -> NDArray[Any]:
    """The point at `t` of the Cayley curve through U with velocity ``-H``.

    ``U(t) = (I + t/2 W)^-1 (I - t/2 W) U, W = H U' - U H'``. As ``U'H = 0``, the inverse reduces to
    one of order K: ``U(t) = [U (I - t^2 S/4) - t H] (I + t^2 S/4)^-1, S = H'H``. Rounding would let
    U(t) drift from orthonormal over many steps, so it is re-orthonormalized.

    Parameters
    ----------
    U : ndarray of shape (n, K)
        ``U'U = I``.
    H : ndarray of shape (n, K)
        ``U'H = 0``: a gradient with its normal part removed, ``(I - U U') G``.
    t : float
        Step.

    Returns
    -------
    ndarray of shape (n, K)
        Orthonormal columns.

    Notes
    -----
    Cost O(n K^2); no n x n matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import cayley
    >>> cayley(np.array([[1.0], [0.0]]), np.array([[0.0], [-1.0]]), 2.0)  # a quarter turn
    array([[0.],
           [1.]])
    """
    K, t = U.shape[1], float(t)
    Q = (t * t / 4) * (H.T @ H)
    eye = np.eye(K, dtype=U.dtype)
    numerator = U @ (eye - Q) - t * H  # RPMA (17), (21)
    return orthonormalize(cho_solve(cho_factor(eye + Q), numerator.T).T)
