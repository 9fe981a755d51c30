"""A number of clusters for methods that need one, from the table alone: the largest eigengap."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from ..graphs import graph_eigenpairs, knn_graph

#: Neighbors of the graph; smallest and largest number of clusters.
NEIGHBORS, LEAST, MOST = 7, 2, 16


def eigengap(X: Any) -> int:
    """The c in 2..16 with the largest gap between the eigenvalues c and c + 1.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Samples are rows; columns are standardized here (CSR: scaled, not centered).

    Returns
    -------
    int
        Argument of the maximum of ``mu_c - mu_(c+1)``, mu the eigenvalues of the normalized
        adjacency of the symmetrized graph of 7 nearest neighbors, largest first.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.bench._eigengap import eigengap
    >>> rng = np.random.RandomState(0)
    >>> centers = 20 * np.eye(4)[np.repeat(np.arange(4), 30)]
    >>> eigengap(centers + rng.randn(120, 4))
    4
    """
    Z = StandardScaler(with_mean=not sp.issparse(X)).fit_transform(X)
    n = Z.shape[0]
    A = knn_graph(Z, min(NEIGHBORS, n - 1))
    values = graph_eigenpairs(A, min(MOST + 1, n)).values
    gaps = values[LEAST - 1 : -1] - values[LEAST:]
    return LEAST + int(np.argmax(gaps)) if len(gaps) else LEAST
