"""Labels from an orthonormal basis, without random starts.

Damle, Minden & Ying, "Simple, direct and efficient multi-way spectral clustering", Information and
Inference 8, 2019.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from ..prox import project_stiefel


def labels_by_qr(Y: NDArray[Any]) -> NDArray[np.intp]:
    """Cluster of each row of a basis of a cluster subspace.

    Pivoted QR of Y' finds c rows as orthogonal as can be, one of each cluster; Y is rotated
    toward them, and each row goes with its largest entry.

    Parameters
    ----------
    Y : ndarray of shape (n, c)
        ``Y'Y = I``; any rotation of it gives the same partition.

    Returns
    -------
    labels : ndarray of shape (n,)
        In 0..c-1.

    Notes
    -----
    Cost O(n c^2). Deterministic.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.array([[0.6, 0.0], [0.8, 0.0], [0.0, -0.8], [0.0, -0.6]])
    >>> labels_by_qr(Y)
    array([0, 0, 1, 1])
    """
    c = Y.shape[1]
    pivots = qr(Y.T, mode="r", pivoting=True)[1][:c]
    rotation = project_stiefel(Y[pivots].T)
    return np.abs(Y @ rotation).argmax(axis=1)
