"""Targets made from the table itself: what a subset preserves besides the values.

``"structure"``  neighbor-graph eigenvectors and principal components: groups; see `_structure`
``"kernel"``     kernel principal components at two bandwidths: neighbors
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .._memory import require_memory
from .._typing import Array
from ..graphs import (
    gaussian_affinity,
    mean_distance,
)
from ..linalg import leading_eigenpairs
from ..tables import scale_columns

#: Targets by name.
NAMED_TARGETS = ("structure", "kernel")
#: Bandwidths of the two kernels, in mean distances; their components in all.
BANDWIDTHS = (0.3, 1.0)
COMPONENTS = 150


def kernel_target(X: Any) -> Array:
    """Leading kernel principal components of the sum of two Gaussian kernels.

    Parameters
    ----------
    X : ndarray or CSR of shape (m, n)

    Returns
    -------
    ndarray of shape (m, p)
        Squared norm 1 in all, p at most 150.
    """
    m = X.shape[0]
    require_memory(
        24.0 * m * m,
        f'target="kernel" on {m} samples',
        'Choose on a sample of the rows, or use target="structure".',
    )
    X = _standardized(X)
    unit = mean_distance(X)
    K = np.zeros((m, m))
    for width in BANDWIDTHS:
        K += gaussian_affinity(X, width * unit)
    K -= K.mean(axis=0)
    K -= K.mean(axis=1)[:, None]
    values, U = leading_eigenpairs((K + K.T) / 2, min(COMPONENTS, m))
    values = np.maximum(values, 0.0)
    return U * np.sqrt(values / values.sum())


def _standardized(X: Any) -> Any:
    """Sparse tables stay sparse: divided by the columns' lengths, not centered."""
    return scale_columns(X, "unit" if sp.issparse(X) else "standard").X


def table_svd_errors(T: Array, k: int) -> Array:
    """What the best rank-i approximations of a table leave of it, i = 0..k."""
    small = T.T @ T if T.shape[1] <= T.shape[0] else T @ T.T
    values = np.maximum(np.linalg.eigvalsh(small)[::-1][:k], 0.0)
    sums = np.cumsum(np.concatenate([[0.0], values, np.zeros(k - len(values))]))
    return np.maximum((T**2).sum() - sums, 0.0)
