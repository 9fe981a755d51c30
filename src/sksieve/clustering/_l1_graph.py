"""The l1 graph: sparse subspace clustering by the lasso, exact.

Elhamifar & Vidal, "Sparse subspace clustering: algorithm, theory, and applications", IEEE TPAMI 35,
2013; Cheng, Yang, Yan, Fu & Huang, "Learning with l1-graph for image analysis", IEEE TIP 19, 2010;
in the scaling of Sun & Yang, "Locally Regularized Sparse Graph by Fast Proximal Gradient Descent",
2024. The papers have samples in columns; here they are rows of X (n x d), of unit length.

====== ========== ======================================================
paper  code       meaning, shape
====== ========== ======================================================
X      X'         samples, n x d here
Z      codes_     codes as columns, n x n, zero diagonal
lambda lam        weight of the l1 norm
W      affinity_  ``(|Z| + |Z'|) / 2``
====== ========== ======================================================

Deviations

D1. Of several equal samples only the first is offered to the others (a solution of the same
    problem, and the only one that a factorization can find).
D2. The spectral step works by connected component; see `sksieve.graphs.spectral_embedding`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import scipy.sparse as sp

from .._validation import POSITIVE_WEIGHT
from ..graphs import sparse_codes
from ._codes import BaseCodeGraph, Sparsifier


class L1Graph(BaseCodeGraph):
    """Sparse subspace clustering: each sample coded by few others, the codes make the graph.

    ``min_z ||x_i - X'z||^2 + lam |z|_1, z_i = 0`` for every sample (no one half), rows of X scaled
    to unit length; then spectral clustering of ``(|Z| + |Z'|) / 2``. Finds samples that lie near a
    union of low-dimensional subspaces (faces, motions, objects); for round clusters a graph of
    nearest neighbors (`SpectralGraph`) is better.

    Parameters
    ----------
    n_clusters
        See `BaseCodeGraph`.
    lam : float > 0, default=0.1
        Weight of the l1 norm; 2 and above leave every code empty.
    sparsifier, n_init, random_state
        See `BaseCodeGraph`.

    Attributes
    ----------
    codes_ : csc_array of shape (n_samples, n_samples)
        Column i: the code of sample i.
    affinity_, embedding_, labels_, n_components_
        See `BaseGraphClusterer`.

    Notes
    -----
    The codes satisfy the optimality conditions to rounding. Cost O(n^2 d) at worst, less where
    samples lie in groups; see `sksieve.graphs.sparse_codes`. Parallel over samples through numba's
    threads; the answer does not depend on how many.

    References
    ----------
    Elhamifar & Vidal, "Sparse subspace clustering", IEEE TPAMI 35, 2013.

    Examples
    --------
    >>> from sksieve import L1Graph
    >>> from sksieve.datasets import make_subspaces
    >>> X, y = make_subspaces(random_state=0)
    >>> est = L1Graph(n_clusters=len(set(y)), random_state=0).fit(X)
    >>> from sksieve.metrics import clustering_accuracy
    >>> float(clustering_accuracy(y, est.labels_))
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseCodeGraph._parameter_constraints,
        "lam": POSITIVE_WEIGHT,
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        lam: float = 0.1,
        sparsifier: Sparsifier | None = None,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.sparsifier = sparsifier
        self.n_init = n_init
        self.random_state = random_state

    def _codes(self, X: Any, rng: Any) -> sp.csc_array:
        return sparse_codes(X, self.lam)
