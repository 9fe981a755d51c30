"""Louvain's communities, by networkx."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._optional import optional


def louvain_labels(A: Any, rng: np.random.RandomState, resolution: float = 1.0) -> NDArray[np.intp]:
    """Community of each vertex by ``networkx.community.louvain_communities``, without loops.

    Parameters
    ----------
    A : ndarray or CSR of shape (n, n)
        Symmetric weights >= 0.
    rng : RandomState
        For the order in which vertices are visited.
    resolution : float > 0, default=1.0
        Above 1 the communities are more and smaller, below 1 fewer and larger.

    Returns
    -------
    ndarray of shape (n,)
        0, 1, ...; a vertex without an edge is a community of its own.

    Raises
    ------
    ImportError
        If networkx is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import louvain_labels
    >>> A = np.kron(np.eye(2), np.ones((3, 3)))
    >>> labels = louvain_labels(A, np.random.RandomState(0))
    >>> len(set(labels[:3])), len(set(labels[3:])), len(set(labels))
    (1, 1, 2)
    """
    networkx = optional("networkx", "Louvain")
    graph = networkx.from_scipy_sparse_array(sp.csr_array(without_loops(A)))
    communities = networkx.community.louvain_communities(
        graph, resolution=resolution, seed=int(rng.randint(2**31 - 1))
    )
    labels = np.empty(A.shape[0], dtype=np.intp)
    for label, vertices in enumerate(communities):
        labels[list(vertices)] = label
    return labels


def without_loops(A: Any) -> Any:
    """A with a zero diagonal."""
    if not A.diagonal().any():
        return A
    if sp.issparse(A):
        A = sp.csr_array(A - sp.diags_array(A.diagonal()))
        A.eliminate_zeros()
        return A
    A = A.copy()
    np.fill_diagonal(A, 0)
    return A
