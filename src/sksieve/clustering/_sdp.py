"""Semidefinite relaxations of community detection, by alternating directions.

SDP-1: Amini & Levina, "On semidefinite relaxations for the block model", Annals of Statistics 46,
2018. SDP-2: Chen & Xu, "Statistical-computational tradeoffs in planted problems and submatrix
localization with a growing number of clusters and submatrices", JMLR 17, 2016. Rivals in Zhai, Xu,
Wu & Li, "Regularized projection matrix approximation with applications to community detection".

====== ======== ==================================================================
paper  code     meaning, shape
====== ======== ==================================================================
A      A        affinity, n x n
X      X        cluster matrix, n x n: 1 where two samples share a cluster
Y, Z   Y, Z     its copies: positive semidefinite, entries in the allowed range
--     U, V     scaled multipliers of ``X = Y`` and ``X = Z``
rho    rho      weight of the splitting
====== ======== ==================================================================

Deviations

D1. rho follows the scale of A, ``||A|| sqrt(K) / n``, so that the answer does not depend on it.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._array import dense
from .._typing import AnyArray
from .._validation import common
from ..prox import nearest_projector, project_box, project_psd
from ._feature_affinity import FeatureAffinity


class State(NamedTuple):
    """X, its copies and their scaled multipliers."""

    X: AnyArray
    Y: AnyArray
    Z: AnyArray
    U: AnyArray
    V: AnyArray


class Relaxation:
    """``max <A, X>`` over X in an affine set, positive semidefinite, entries in a range.

    Parameters
    ----------
    A : ndarray of shape (n, n)
    K : int
    rho : float
        Weight of the splitting.
    """

    upper = np.inf
    not_descending: ClassVar[dict[str, str]] = dict.fromkeys(
        ("step", "update_X", "update_Y", "update_Z"),
        "alternating directions pass through infeasible points, where <A, X> means nothing",
    )

    def __init__(self, A: AnyArray, K: int, rho: float) -> None:
        self.A, self.K, self.rho = A, K, rho

    def start(self, rng: Any) -> State:
        """Everything in one cluster of weight 1/K."""
        X = np.full_like(self.A, 1 / self.K)
        np.fill_diagonal(X, 1)
        zero = np.zeros_like(X)
        return State(X, X, X, zero, zero)

    @abstractmethod
    def onto_affine(self, M: AnyArray) -> AnyArray:
        """Nearest matrix with the right sums."""

    def objective(self, s: State) -> float:
        return -float(np.vdot(self.A, s.X))

    def change(self, old: State, new: State) -> float:
        """How far the copies are apart and how far they moved, relative to the norm of X."""
        apart = np.hypot(np.linalg.norm(new.X - new.Y), np.linalg.norm(new.X - new.Z))
        moved = np.hypot(np.linalg.norm(new.Y - old.Y), np.linalg.norm(new.Z - old.Z))
        return float(max(apart, moved) / np.linalg.norm(new.X))

    def update_X(self, s: State) -> State:
        mean = (s.Y - s.U + s.Z - s.V) / 2
        return s._replace(X=self.onto_affine(mean + self.A / (2 * self.rho)))

    def update_Y(self, s: State) -> State:
        return s._replace(Y=project_psd(s.X + s.U))

    def update_Z(self, s: State) -> State:
        return s._replace(Z=project_box(s.X + s.V, 0, self.upper))

    def step(self, s: State) -> State:
        s = self.update_Z(self.update_Y(self.update_X(s)))
        return s._replace(U=s.U + s.X - s.Y, V=s.V + s.X - s.Z)


class AminiLevina(Relaxation):  # RPMA Table 3
    """``X1 = (n/K) 1, diag X = 1, X >= 0``."""

    def onto_affine(self, M: AnyArray) -> AnyArray:
        """``M - mu 1' - 1 mu' - Diag(nu)``."""
        n = len(M)
        d = M.diagonal()
        b = M.sum(axis=1) - d + (1 - n / self.K)
        mu = (b - b.sum() / (2 * n - 2)) / (n - 2)
        X = M - mu[:, None] - mu
        np.fill_diagonal(X, 1)  # nu = diag M - 2 mu - 1
        return X


class ChenXu(Relaxation):  # RPMA Table 3
    """``sum X = n^2/K, tr X = n, 0 <= X <= 1``."""

    upper = 1.0

    def onto_affine(self, M: AnyArray) -> AnyArray:
        """``M - a E - b I``."""
        n, trace = len(M), float(np.trace(M))
        a = ((float(M.sum()) - trace) - (n * n / self.K - n)) / (n * n - n)
        b = (trace - n) / n - a
        X = M - a
        X[np.diag_indices(n)] -= b
        return X


class _BaseSDP(FeatureAffinity):
    """A semidefinite relaxation; a subclass names it.

    Parameters
    ----------
    n_clusters, affinity, n_neighbors
        See `FeatureAffinity`.
    max_iter : int, default=500
        Bound on the iterations.
    tol : float or None, default=0.0001
        Stop when X, its copies and their last moves agree to this, relative to the norm of X.
    n_init, random_state
        See `FeatureAffinity`.

    Attributes
    ----------
    cluster_matrix_ : ndarray of shape (n_samples, n_samples)
        X, near 1 where two samples share a cluster.
    affinity_, embedding_, labels_, n_clusters_, n_components_
        See `BaseGraphClusterer`.
    history_, n_iter_, converged_, stop_reason_
        See `LoopSupport`; a step is one iteration.
        The objective ``-<A, X>`` may rise: the iterations pass through matrices outside the
        constraints, whose objective can be lower than the optimum.
    objective_
        See `LoopSupport`.
    neighbors_exact_
        See `NeighborSearch`.
    """

    _relaxation: ClassVar[type[Relaxation]]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureAffinity._parameter_constraints,
        **common("max_iter", "tol"),
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        affinity: str = "gaussian",
        n_neighbors: int | None = None,
        max_iter: int = 500,
        tol: float | None = 1e-4,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    _when_too_large: ClassVar[str] = "Use SpectralGraph or RPMA with affinity='knn'."

    def _bytes_per_pair(self, itemsize: int) -> float:
        return 15 * 8  # the state before and after a step, and its workspace, in float64

    def _eigenvectors(self, A: Any, rng: np.random.RandomState, *, is_given: bool) -> AnyArray:
        given = A.dtype
        A = np.asarray(dense(A), dtype=np.float64)
        n, K = len(A), min(self.n_clusters_, len(A))
        if K in (1, n):  # one feasible matrix
            self._keep([], "tolerance")
            self.cluster_matrix_ = (np.ones((n, n)) if K == 1 else np.eye(n)).astype(given)
            return nearest_projector(self.cluster_matrix_, K)
        problem = self._relaxation(A, K, float(np.linalg.norm(A)) * np.sqrt(K) / n)
        run = self._run(problem, problem.start(rng))
        self.cluster_matrix_ = run.state.Z.astype(given)
        return nearest_projector(run.state.X, K).astype(given)


class SDP1(_BaseSDP):
    """Clusters of equal size from the semidefinite relaxation of Amini & Levina (SDP-1).

    ``max <A, X>``, X positive semidefinite, ``X >= 0, X1 = (n/K) 1, diag X = 1``;
    then k-means on the rows of the K leading eigenvectors of X. Convex: no starts and no local
    minima, but n^3 an iteration.

    Parameters
    ----------
    n_clusters, affinity, n_neighbors, max_iter, tol, n_init, random_state
        See `_BaseSDP`.

    Attributes
    ----------
    cluster_matrix_, affinity_, embedding_, labels_, n_clusters_, n_components_, history_
        See `_BaseSDP`.
    objective_, n_iter_, converged_, stop_reason_, neighbors_exact_
        See `_BaseSDP`.

    Notes
    -----
    n x n memory; cost O(n^3) an iteration.

    References
    ----------
    Amini & Levina, "On semidefinite relaxations for the block model", Annals of Statistics
    46, 2018.

    Examples
    --------
    >>> from sksieve import SDP1
    >>> from sksieve.datasets import make_sbm
    >>> A, y = make_sbm(40, 2, 0.9, 0.1, random_state=0)
    >>> est = SDP1(n_clusters=2, affinity="precomputed", random_state=0).fit(A)
    >>> float((est.labels_ == y).mean()), est.converged_
    (1.0, True)
    """

    _relaxation = AminiLevina


class SDP2(_BaseSDP):
    """Clusters from the semidefinite relaxation of Chen & Xu (SDP-2).

    ``max <A, X>``, X positive semidefinite, ``0 <= X <= 1, sum X = n^2/K, tr X = n``;
    then k-means on the rows of the K leading eigenvectors of X. Convex: no starts and no local
    minima, but n^3 an iteration.

    Parameters
    ----------
    n_clusters, affinity, n_neighbors, max_iter, tol, n_init, random_state
        See `_BaseSDP`.

    Attributes
    ----------
    cluster_matrix_, affinity_, embedding_, labels_, n_clusters_, n_components_, history_
        See `_BaseSDP`.
    objective_, n_iter_, converged_, stop_reason_, neighbors_exact_
        See `_BaseSDP`.

    Notes
    -----
    n x n memory; cost O(n^3) an iteration.

    References
    ----------
    Chen & Xu, "Statistical-computational tradeoffs in planted problems and submatrix
    localization with a growing number of clusters and submatrices", JMLR 17, 2016.

    Examples
    --------
    >>> from sksieve import SDP2
    >>> from sksieve.datasets import make_sbm
    >>> A, y = make_sbm(40, 2, 0.9, 0.1, random_state=0)
    >>> est = SDP2(n_clusters=2, affinity="precomputed", random_state=0).fit(A)
    >>> float((est.labels_ == y).mean()), est.converged_
    (1.0, True)
    """

    _relaxation = ChenXu
