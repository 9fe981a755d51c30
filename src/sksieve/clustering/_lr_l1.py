"""LR-l1: the l1 graph with a graph Laplacian on the codes.

Yang, Wang, Yang, Wang, Chang & Huang, "Laplacian regularized l1-graph", 2014, in the
comparison of Sun & Yang, "Locally Regularized Sparse Graph by Fast Proximal Gradient Descent",
2024. Samples are rows of X.

====== ========== ======================================================
paper  code       meaning, shape
====== ========== ======================================================
X      X'         samples, n x d here
Z      codes_     codes as columns, n x n, zero diagonal
L      P          Laplacian of the symmetrized neighbor graph P
lambda lam        weight of the l1 norm
gamma  gamma      weight of tr(Z L Z')
====== ========== ======================================================

Deviations

D1. The problem is jointly convex; it is solved exactly by block coordinate descent over the columns
    (each column a lasso with a ridge, a few coordinate passes at a time) instead of by a
    first-order method over all of Z: no dense n x n iterate.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._validation import POSITIVE_WEIGHT, WEIGHT, common
from ..graphs import (
    Codes,
    NeighborSearch,
    first_copies,
    knn_graph,
    sparse_codes,
    symmetrized,
)
from ..kernels._l1_graph import smooth_codes_sweep
from ..tables import column_norms2
from ._codes import BaseCodeGraph, Sparsifier


class State(NamedTuple):
    """The codes in padded form, and the largest change of a coefficient in the last sweep."""

    support: NDArray[np.int64]
    value: NDArray[np.float64]
    size: NDArray[np.int64]
    moved: float


class SmoothCodes:
    """``min sum_i ||x_i - X'Z^i||^2 + lam |Z|_1 + gamma tr(Z L Z')``, L the Laplacian of P."""

    def __init__(self, X: NDArray, P: sp.csr_array, *, lam: float, gamma: float) -> None:
        self.K = X.astype(np.float64) @ X.T.astype(np.float64)
        # with the Laplacian duplicates differ and each may be used; where gamma = 0 one is enough
        self.copies = np.arange(len(X)) if gamma else first_copies(X)
        self.P = P
        self.graph = (
            P.indptr.astype(np.int64),
            P.indices.astype(np.int64),
            P.data.astype(np.float64),
            np.asarray(P.sum(axis=1), dtype=np.float64).ravel(),
        )
        self.lam = lam
        self.gamma = gamma

    def start(self, Z: sp.csc_array) -> State:
        """The l1 codes, padded to full width."""
        codes = Codes.from_matrix(sp.csr_array(Z.T))
        return State(*codes.with_capacity(len(self.K) - int(codes.size.max(initial=0))), np.inf)

    def objective(self, state: State) -> float:
        Z = self.matrix(state)
        KZ = self.K @ Z.toarray()
        fit = np.trace(self.K) - 2 * np.trace(KZ) + float((Z.multiply(KZ)).sum())
        deg = self.graph[3]
        ties = float(deg @ column_norms2(Z))
        ties -= float((Z.multiply(Z @ self.P)).sum())
        return float(fit) + self.lam * abs(Z).sum() + self.gamma * ties

    def change(self, old: State, new: State) -> float:
        """The largest change of a coefficient."""
        return new.moved

    def step(self, state: State) -> State:
        """Every column once, the others fixed: a few passes over its coefficients."""
        codes = Codes(*state[:3]).with_capacity(0)
        moved = smooth_codes_sweep(
            self.K, self.graph, self.copies, self.lam / 2, self.gamma, 1e-9, 4, *codes
        )
        return State(*codes, moved)

    def matrix(self, state: State) -> sp.csc_array:
        return sp.csc_array(Codes(*state[:3]).matrix(len(self.K)).T)


class LaplacianL1Graph(NeighborSearch, BaseCodeGraph):
    """Sparse graph whose codes are close, entry by entry, to those of their neighbors.

    ``min_Z sum_i ||x_i - X'Z^i||^2 + lam |Z|_1 + gamma tr(Z L Z')``, zero diagonal, L the
    Laplacian of the symmetrized graph of nearest neighbors; then spectral clustering of
    ``(|Z| + |Z'|) / 2``.

    Parameters
    ----------
    n_clusters
        See `BaseCodeGraph`.
    lam : float > 0, default=0.1
        Weight of the l1 norm.
    gamma : float >= 0, default=0.1
        Weight of the Laplacian.
    n_neighbors : int, default=5
        Neighbors in the graph.
    max_iter : int, default=30
        Sweeps over all columns.
    tol : float or None, default=1e-4
        Stop when no coefficient changed by more than this in a sweep.
    sparsifier, n_init, random_state
        See `BaseCodeGraph`.

    Attributes
    ----------
    codes_, affinity_, embedding_, labels_, n_components_
        See `BaseCodeGraph`.
    objective_ : float
        At the end.
    history_, n_iter_, converged_, stop_reason_
        See `LoopSupport`; a step is one sweep.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost O(n^2 d) once, O(n |support|) per column, round and sweep; 72 n^2 bytes of
    memory, so about 7400 samples.

    References
    ----------
    Sun & Yang, "Locally Regularized Sparse Graph by Fast Proximal Gradient Descent", 2024 (LR-l1).

    Examples
    --------
    >>> from sksieve import LaplacianL1Graph
    >>> from sksieve.datasets import make_subspaces
    >>> X, y = make_subspaces(random_state=0)
    >>> est = LaplacianL1Graph(n_clusters=len(set(y)), random_state=0).fit(X)
    >>> est.converged_
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseCodeGraph._parameter_constraints,
        **common("n_neighbors", "max_iter", "tol"),
        "lam": POSITIVE_WEIGHT,
        "gamma": WEIGHT,
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        lam: float = 0.1,
        gamma: float = 0.1,
        n_neighbors: int = 5,
        max_iter: int = 30,
        tol: float | None = 1e-4,
        sparsifier: Sparsifier | None = None,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.sparsifier = sparsifier
        self.n_init = n_init
        self.random_state = random_state

    _when_too_large: ClassVar[str] = "Use L1Graph or SRSG, which need no n x n array."

    def _bytes_per_pair(self, itemsize: int) -> float:
        return 9 * 8

    def _codes(self, X: NDArray, rng: Any) -> sp.csc_array:
        P = symmetrized(knn_graph(X, self._nearest(X), symmetrize="none"), "mean")
        problem = SmoothCodes(X, P, lam=self.lam, gamma=self.gamma)
        run = self._run(problem, problem.start(sparse_codes(X, self.lam)))
        self.objective_ = float(problem.objective(run.state))
        return problem.matrix(run.state)
