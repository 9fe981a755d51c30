"""Projections that act on the eigenvalues of a symmetric matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh

from .._array import floating
from .._typing import AnyArray
from ..linalg import leading_eigenpairs
from ._simplex import project_capped_simplex


def nearest_projector(A: Any, k: int, start: AnyArray | None = None) -> AnyArray:
    """The factor U, ``U'U = I_k``, of the rank-k projector ``U U'`` nearest to symmetric A.

    Parameters
    ----------
    A : ndarray, CSR or LinearOperator of shape (n, n)
        Symmetric.
    k : int
        ``1 <= k <= n``.
    start : ndarray of shape (n, r), optional
        A guess at the subspace, that of a matrix near A say; makes Lanczos faster.

    Returns
    -------
    U : ndarray of shape (n, k)
        Eigenvectors of the k largest (not the largest in magnitude) eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import nearest_projector
    >>> U = nearest_projector(np.diag([0.2, -3.0, 0.9]), 1)
    >>> U @ U.T
    array([[0., 0., 0.],
           [0., 0., 0.],
           [0., 0., 1.]])
    """
    return leading_eigenpairs(A, k, start=start)[1]


def project_psd(A: AnyArray) -> AnyArray:
    """Nearest positive semidefinite matrix to symmetric A: negative eigenvalues become 0; O(n^3).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import project_psd
    >>> project_psd(np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    values, vectors = eigh(floating(A))
    V = vectors[:, values > 0] * np.sqrt(values[values > 0])
    return V @ V.T


def project_fantope(A: AnyArray, k: int) -> AnyArray:
    """Nearest X to symmetric A with ``0 <= X <= I`` and ``tr X = k``; O(n^3).

    The convex hull of the rank-k projectors: eigenvalues are projected on the capped simplex.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.prox import project_fantope
    >>> project_fantope(np.diag([5.0, 0.25, 0.25]), 2).diagonal()
    array([1. , 0.5, 0.5])
    """
    values, vectors = eigh(floating(A))
    return (vectors * project_capped_simplex(values, k)) @ vectors.T
