"""SMCE: sparse manifold clustering and embedding.

Elhamifar & Vidal, "Sparse manifold clustering and embedding", NIPS 2011. The paper has samples in
columns; here they are rows of X (n x d).

========= ========== ==================================================================
paper     code       meaning, shape
========= ========== ==================================================================
X_i       D          unit directions from x_i to its candidates, k x d here
Q_i       q          distances to the candidates, divided by their sum, k
c_i       c          code of sample i on the directions, ``1'c = 1``, k
lambda    lam        weight of ``||Q_i c||_1``
w_i       codes_     ``(|c_ij| / ||x_j - x_i||)`` scaled to sum 1, column i
========= ========== ==================================================================

Deviations

D1. Directions are taken to the `n_neighbors` nearest samples only; the paper allows all, and the
    weights Q_i make far ones useless anyway.
D2. All samples' problems are solved together by one batched ADMM instead of one by one.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import BLOCK_BYTES
from .._validation import POSITIVE_WEIGHT, common
from ..graphs import NeighborSearch
from ..prox import prox_l1
from ._codes import BaseCodeGraph, Sparsifier

#: Bound on the ADMM iterations, and the largest difference of its two copies (relative to the
#: codes, which sum to 1) at which it stops.
MAX_ITER, TOL = 2000, 1e-8


def direction_codes(G: NDArray, q: NDArray, lam: float) -> NDArray:
    """``min_c lam ||q o c||_1 + 1/2 c'Gc`` subject to ``1'c = 1``, for many small problems at once.

    Parameters
    ----------
    G : ndarray of shape (b, k, k)
        Inner products of unit directions (unit diagonal).
    q : ndarray of shape (b, k)
        Weights, positive.
    lam : float > 0
        Weight of the l1 norm.

    Returns
    -------
    c : ndarray of shape (b, k)
        Sparse.
    """
    rho = max(1.0, lam / q.shape[1])  # lam q / rho stays near 1, so codes leave 0 in few steps
    M = np.linalg.inv(G + rho * np.eye(G.shape[1]))
    M1 = M.sum(axis=2)
    total = M1.sum(axis=1, keepdims=True)
    z = np.full(q.shape, 1.0 / q.shape[1])
    u = np.zeros_like(z)
    for _ in range(MAX_ITER):
        c = np.einsum("bij,bj->bi", M, rho * (z - u))
        c += M1 * ((1 - c.sum(axis=1, keepdims=True)) / total)
        before = z
        z = prox_l1(c + u, lam / rho * q)
        u += c - z
        if max(np.abs(c - z).max(), np.abs(z - before).max()) <= TOL:
            break
    return z


class SMCE(NeighborSearch, BaseCodeGraph):
    """Sparse graph from directions: samples on one manifold lie in few directions of each other.

    For every sample ``min_c lam ||Q c||_1 + 1/2 ||D'c||^2, 1'c = 1``, D the unit directions to its
    nearest samples and Q their distances; the weights ``|c_j| / ||x_j - x_i||``, scaled to sum 1,
    make the graph. For clusters that are curved manifolds; the rows are not scaled to unit length.

    Parameters
    ----------
    n_clusters
        See `BaseCodeGraph`.
    lam : float > 0, default=10.0
        Weight of the l1 norm, as in the authors' experiments.
    n_neighbors : int, default=20
        Candidates of each sample, 20 and not 5: the penalty keeps a few of them.
    sparsifier : Sparsifier or None, default=None
        Which of the weights make the graph; None: all of them.
    n_init, random_state
        See `BaseCodeGraph`.

    Attributes
    ----------
    codes_ : csc_array of shape (n_samples, n_samples)
        Column i: the weights of sample i, summing to 1.
    affinity_, embedding_, labels_, n_components_
        See `BaseGraphClusterer`.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost O(n^2 d) for the candidates, then O(n k^2 (d + k)) once and O(n k^2) per iteration, k =
    n_neighbors, in blocks of samples; O(n k) memory beyond a block. A sample whose candidates
    include duplicates of itself is linked to these alone.

    References
    ----------
    Elhamifar & Vidal, "Sparse manifold clustering and embedding", NIPS 2011.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sksieve import SMCE
    >>> from sksieve.metrics import clustering_accuracy
    >>> X, y = make_moons(300, noise=0.02, random_state=0)
    >>> est = SMCE(n_clusters=2, random_state=0).fit(X)
    >>> float(clustering_accuracy(y, est.labels_))
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseCodeGraph._parameter_constraints,
        **common("n_neighbors"),
        "lam": POSITIVE_WEIGHT,
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        lam: float = 10.0,
        n_neighbors: int = 20,
        sparsifier: Sparsifier | None = None,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.n_neighbors = n_neighbors
        self.sparsifier = sparsifier
        self.n_init = n_init
        self.random_state = random_state

    def _prepare(self, X: Any) -> Any:
        super()._prepare(X)  # refuses what cannot be coded
        return X

    def _codes(self, X: NDArray, rng: Any) -> sp.csc_array:
        n = len(X)
        index, d2, _ = self._nearest(X)
        weight = np.empty(index.shape)
        step = max(1, BLOCK_BYTES // (8 * index.shape[1] * max(X.shape[1], index.shape[1])))
        for first in range(0, n, step):
            rows = slice(first, first + step)
            weight[rows] = self._weights(X, rows, index[rows], np.sqrt(d2[rows]))
        columns = np.repeat(np.arange(n), index.shape[1])
        Z = sp.csc_array((weight.ravel(), (index.ravel(), columns)), shape=(n, n))
        Z.eliminate_zeros()
        return Z

    def _weights(self, X: NDArray, rows: slice, index: NDArray, length: NDArray) -> NDArray:
        """Weights of a block of samples on their candidates, each row summing to 1."""
        copies = length == 0
        safe = np.where(copies, 1.0, length)
        D = (X[index].astype(np.float64) - X[rows, None]) / safe[:, :, None]
        q = safe / safe.sum(axis=1, keepdims=True)
        c = np.abs(direction_codes(D @ D.transpose(0, 2, 1), q, self.lam)) / safe
        alone = copies.any(axis=1, keepdims=True)
        c = np.where(alone, copies, c)
        return c / c.sum(axis=1, keepdims=True)
