"""Spectral clustering with a sparse matrix between the affinity and the projector.

The method "SLSA" in the comparison of Zhai, Xu, Wu & Li, "Regularized projection matrix
approximation with applications to community detection".

====== ======== =============================================================
paper  code     meaning, shape
====== ======== =============================================================
A      A        affinity, n x n
X      X        sparse approximation, n x n: at most eta entries off its diagonal
U      U        orthonormal columns, n x K
theta  theta    weight of ``||X - UU'||^2`` beside ``||A - X||^2``
eta    eta      number of entries
====== ======== =============================================================

Deviations

D1. eta is given as a share of n^2, its default 1/K.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._array import dense
from .._typing import AnyArray
from .._validation import POSITIVE_WEIGHT, Interval, common
from ..metrics import projector_distance
from ..prox import nearest_projector
from ._feature_affinity import FeatureAffinity


class State(NamedTuple):
    """U and the sparse X."""

    U: AnyArray
    X: AnyArray


class SparseApproximation:  # RPMA Table 3
    """``min ||A - X||^2 + theta ||X - UU'||^2``, U'U = I, X with eta entries off its diagonal.

    Parameters
    ----------
    A : ndarray of shape (n, n)
    K : int
    theta : float
    eta : int
    """

    def __init__(self, A: AnyArray, K: int, theta: float, eta: int) -> None:
        self.A, self.K, self.theta, self.eta = A, K, A.dtype.type(theta), eta

    def start(self, rng: Any) -> State:
        """The leading eigenvectors of A."""
        U = nearest_projector(self.A, self.K)
        return self.update_X(State(U, self.A))

    def objective(self, s: State) -> float:
        fit = float(np.square(self.A - s.X).sum())
        return fit + float(self.theta) * float(np.square(s.X - s.U @ s.U.T).sum())

    def change(self, old: State, new: State) -> float:
        """Distance of the projectors, relative to its largest possible value."""
        return projector_distance(old.U, new.U) / float(np.sqrt(2 * old.U.shape[1]))

    def update_X(self, s: State) -> State:
        """``(A + theta UU') / (1 + theta)``, of its off-diagonal entries the eta largest."""
        X = (self.A + self.theta * (s.U @ s.U.T)) / (1 + self.theta)
        size = np.abs(X)
        np.fill_diagonal(size, np.inf)
        kept = self.eta + len(X)
        if kept < X.size:
            order = np.argpartition(size, X.size - kept, axis=None)
            X.flat[order[: X.size - kept]] = 0
        return s._replace(X=X)

    def update_U(self, s: State) -> State:
        """Leading eigenvectors of X."""
        return s._replace(U=nearest_projector((s.X + s.X.T) / 2, self.K, start=s.U))

    def step(self, s: State) -> State:
        return self.update_X(self.update_U(s))


class SLSA(FeatureAffinity):
    """Spectral clustering that also chooses which entries of the affinity to believe.

    Alternates between U, the leading eigenvectors of X, and X, the `eta` largest off-diagonal
    entries of ``(A + theta UU') / (1 + theta)``; then k-means on the rows of U.
    Kept for comparison with `SPMA`.

    Parameters
    ----------
    n_clusters
        See `FeatureAffinity`.
    theta : float > 0, default=1.0
        Weight of the projector relative to the affinity (whose entries are of order 1).
    eta : float or None, default=None
        Entries kept off the diagonal, as a share of n^2, in (0, 1]. None: 1/K.
    affinity, n_neighbors
        See `FeatureAffinity`.
    max_iter : int, default=100
        Bound on the iterations.
    tol : float or None, default=1e-06
        Stop when the projector moves by at most this share of its largest possible move; 1e-06
        and not 1e-4: of the projector, not of the objective.
    n_init, random_state
        See `FeatureAffinity`.

    Attributes
    ----------
    affinity_, embedding_, labels_, n_components_
        See `BaseGraphClusterer`.
    history_, n_iter_, converged_, stop_reason_
        See `LoopSupport`; a step is one iteration.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    n x n memory; cost O(n^2) and K leading eigenvectors of a dense matrix per iteration.

    References
    ----------
    Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
    detection".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import SLSA
    >>> X, y = load_iris(return_X_y=True)
    >>> SLSA(n_clusters=3, random_state=0).fit(X).embedding_.shape
    (150, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureAffinity._parameter_constraints,
        **common("max_iter", "tol"),
        "theta": POSITIVE_WEIGHT,
        "eta": [Interval(Real, 0, 1, closed="right"), None],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        theta: float = 1.0,
        eta: float | None = None,
        affinity: str = "gaussian",
        n_neighbors: int | None = None,
        max_iter: int = 100,
        tol: float | None = 1e-6,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.eta = eta
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    _when_too_large: ClassVar[str] = "Use SPMA(affinity='knn'), which needs no n x n array."

    def _bytes_per_pair(self, itemsize: int) -> float:
        return 7 * max(itemsize, 8)  # the order of the entries is int64

    def _eigenvectors(self, A: Any, rng: np.random.RandomState, *, is_given: bool) -> AnyArray:
        A = dense(A)
        n, K = len(A), min(self.n_clusters_, len(A))
        share = 1 / K if self.eta is None else float(self.eta)
        problem = SparseApproximation(A, K, float(self.theta), round(share * n * n))
        run = self._run(problem, problem.start(rng))
        return run.state.U
