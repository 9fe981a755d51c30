"""The Laplacian and the normalized adjacency: one definition for the package."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import check_sparse
from ._weights import symmetrized


def degrees(A: Any) -> NDArray[Any]:
    """Row sums of a graph, as a vector."""
    check_sparse(A, "A")
    return np.asarray(A.sum(axis=1)).ravel()


def laplacian(P: Any) -> Any:
    """``L = D - S`` of the symmetrized graph ``S = (P + P')/2``, D the diagonal of its row sums.

    So that, for any weights P, directed or not, and any Z with rows z_i,
    ``sum_ij P_ij ||z_i - z_j||^2 = 2 tr(Z' L Z)``.

    Parameters
    ----------
    P : ndarray or CSR of shape (n, n)
        The diagonal does not matter.

    Returns
    -------
    L : ndarray or csr_array of shape (n, n)
        Symmetric, rows sum to 0; positive semidefinite when P >= 0.

    Notes
    -----
    Cost O(nnz).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import laplacian
    >>> laplacian(np.array([[0.0, 2.0], [0.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    check_sparse(P, "P")
    S = symmetrized(P, "mean")
    d = degrees(S)
    return sp.csr_array(sp.diags_array(d) - S) if sp.issparse(S) else np.diag(d) - S


def normalized_adjacency(A: Any, tau: float = 0.0) -> Any:
    """``D_tau^-1/2 A D_tau^-1/2`` with ``D_tau = D + tau I``, D the degrees of A.

    Parameters
    ----------
    A : ndarray or CSR of shape (n, n)
        Symmetric, nonnegative.
    tau : float, default=0.0
        >= 0. The mean degree makes the eigenvectors of a sparse graph less prone to single out
        vertices of small degree (Amini, Chen, Bickel & Levina, Annals of Statistics 41, 2013).

    Returns
    -------
    ndarray or csr_array of shape (n, n)
        Eigenvalues in [-1, 1]. The row and column of an isolated vertex are 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import normalized_adjacency
    >>> normalized_adjacency(np.array([[0.0, 4.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    d = degrees(A) + A.dtype.type(tau)
    root = np.divide(1, np.sqrt(d), out=np.zeros_like(d), where=d > 0)
    if sp.issparse(A):
        scale = sp.diags_array(root)
        return sp.csr_array(scale @ A @ scale)
    return root[:, None] * A * root
