"""The problem of regularized projection matrix approximation, and what certifies its answers.

Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
detection".

========== ============ ====================================================================
paper      code         meaning, shape
========== ============ ====================================================================
A          A            affinity or adjacency, symmetric, n x n, dense or CSR
K          K            rank, number of clusters
U, X       U, U U'      orthonormal columns, n x K; the projection matrix
g, G       penalty      penalty of an entry; ``G = g'(UU')``
lambda     lam          its weight
F          constant + f ``||A - UU'||^2 + lam sum_ij g((UU')_ij)``
Y, Lambda  Y, lam g'(Y) copy of X and multiplier of the splitting, n x n
rho        rho          weight of the splitting
========== ============ ====================================================================

Deviations

D1. Stationarity is measured by ``||H|| / ||grad||``, which does not change when A and lam are
    multiplied by the same number; the mean of A's diagonal is taken off in the products, so that
    it does not change when a multiple of I is added to A either.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import stored_values
from .._typing import AnyArray
from ..graphs import GaussianTiles
from ..linalg import leading_eigenvalues
from ..prox import project_fantope
from ._rpma_penalties import Penalty, Slopes, fused


class ProjectionProblem:
    """``min_{U'U = I} F(U) = ||A - X||_F^2 + lam sum_ij g(X_ij), X = UU'``.

    Parameters
    ----------
    A : ndarray, CSR or GaussianTiles of shape (n, n)
        Symmetric.
    K : int
    penalty : Penalty
    lam : float
        >= 0.

    Attributes
    ----------
    constant : float
        ``||A||^2`` and what else of F does not depend on U.
    scale : float
        ``F(U) = constant + scale f(U)``: 1, except `in_single_precision`.
    """

    scale = 1.0

    def __init__(self, A: Any, K: int, penalty: Penalty, lam: float) -> None:
        self.A, self.K, self.penalty, self.lam = A, K, penalty, lam
        self.center = A.dtype.type(A.diagonal().mean())
        self.constant = self._squared_norm() + K - 2 * K * float(self.center)

    def _squared_norm(self) -> float:
        return float(np.square(stored_values(self.A), dtype=np.float64).sum())

    def with_penalty(self, lam: float, penalty: Penalty) -> ProjectionProblem:
        """The same affinity, another penalty."""
        other = copy.copy(self)
        other.lam, other.penalty = lam, penalty
        return other

    def in_single_precision(self) -> ProjectionProblem:
        """The same minima, for points in float32: A over its largest entry, and so lam."""
        if self.A.dtype == np.float32:
            return self
        other = copy.copy(self)
        other.scale = float(max(self.A.max(), -self.A.min())) or 1.0
        if sp.issparse(self.A):
            other.A = (self.A / other.scale).astype(np.float32)
        else:
            other.A = np.empty(self.A.shape, dtype=np.float32)
            np.divide(self.A, other.scale, out=other.A, casting="same_kind")
        other.lam = self.lam / other.scale
        other.center = np.float32(self.center / other.scale)
        return other

    def apply(self, V: AnyArray) -> AnyArray:
        """``(A - c I) V``, c the mean of A's diagonal."""
        return self.A @ V - self.center * V

    def fg(self, U: AnyArray) -> tuple[float, AnyArray]:
        """``f = (F(U) - constant) / scale`` and its gradient ``-4 A U + 2 lam G U``.

        In one pass over A and UU' where A is not sparse and the penalty has `slopes`.
        """
        slopes = self.penalty.slopes()
        if self.lam and slopes is not None and not sp.issparse(self.A):
            inside, outside, low, high = slopes
            f, half = self._fused(U, (self.lam * inside, self.lam * outside, low, high))
            return f, 2 * half  # (8), (9)
        AU = self.apply(U)
        fit = -2 * float(np.vdot(U, AU))
        if not self.lam:
            return fit, -4 * AU
        s, GU = self.penalty.on_projector(U)
        return fit + self.lam * s, -4 * AU + U.dtype.type(2 * self.lam) * GU  # (9)

    def _fused(self, U: AnyArray, weighted: Slopes) -> tuple[float, AnyArray]:
        """f and half its gradient, the weight in the slopes of the penalty."""
        return fused(weighted, U, self.A, float(self.center))

    def F(self, U: AnyArray) -> float:
        """The objective."""
        return self.constant + self.scale * self.fg(U)[0]  # (4), (8)

    def kkt(self, U: AnyArray) -> float:
        """``||H|| / ||grad||`` with ``H = (I - UU') grad``: 0 where U is stationary."""
        _, G = self.fg(U)
        H = G - U @ (U.T @ G)  # (12), (13), (15)
        return float(np.linalg.norm(H)) / (float(np.linalg.norm(G)) or 1.0)


class TiledProblem(ProjectionProblem):
    """The same for an affinity that is worked out in tiles, in its own precision."""

    def in_single_precision(self) -> ProjectionProblem:
        return self

    def _squared_norm(self) -> float:
        return float(self.A.squared_norm())

    def _fused(self, U: AnyArray, weighted: Slopes) -> tuple[float, AnyArray]:
        value, half = self.A.with_penalty(U, weighted)
        return value + 2 * float(self.center) * U.shape[1], half + 2 * self.center * U


def projection_problem(A: Any, K: int, penalty: Penalty, lam: float) -> ProjectionProblem:
    """The problem for a matrix or for an affinity in tiles."""
    kind = TiledProblem if isinstance(A, GaussianTiles) else ProjectionProblem
    return kind(A, K, penalty, lam)


def mean_off_diagonal(A: Any) -> float:
    """Mean of the entries off the diagonal."""
    n = A.shape[0]
    total = float(A.sum(dtype=np.float64)) - float(A.diagonal().sum(dtype=np.float64))
    return total / (n * (n - 1))


def indicator(labels: NDArray[np.integer], fill: AnyArray) -> AnyArray:
    """Normalized indicators of a partition, filled up by `fill` where clusters are empty.

    Parameters
    ----------
    labels : ndarray of shape (n,)
    fill : ndarray of shape (n, K)
        Orthonormal; its leading columns stand in for clusters that are not there.

    Returns
    -------
    U : ndarray of shape (n, K)
        Orthonormal columns.
    """
    K = fill.shape[1]
    present, code, count = np.unique(labels, return_inverse=True, return_counts=True)
    U = np.zeros((len(labels), len(present)), dtype=fill.dtype)
    U[np.arange(len(labels)), code] = 1 / np.sqrt(count[code])  # (2): UU' has 1/count
    missing = K - len(present)
    if missing <= 0:
        return U
    rest = fill - U @ (U.T @ fill)
    left = np.linalg.svd(rest, full_matrices=False)[0][:, :missing]
    return np.hstack([U, left])


#: `fantope_bound` ends after so many iterations, or when the bound has gained less than this,
#: relative to ``|f|``, in 20 of them.
BOUND_ITER, BOUND_TOL = 300, 1e-5


def fantope_bound(problem: ProjectionProblem, U: AnyArray) -> float:
    """A lower bound of F over all projectors, from the convex problem on the Fantope.

    ``||A||^2 + K - (sum of the K largest eigenvalues of 2A - L) + sum_ij (lam g(Y) - L Y)`` with
    ``L = lam g'(Y)`` holds for every Y, as g is convex. Y comes from the splitting
    ``min -2<A, X> + lam g(Y), X = Y`` with X in the Fantope (the convex hull of the projectors);
    the best bound met is kept.

    Parameters
    ----------
    problem : ProjectionProblem
    U : ndarray of shape (n, K)
        Where to start.

    Returns
    -------
    float

    Notes
    -----
    O(n^3) an iteration.
    """
    penalty, lam, K = problem.penalty, problem.lam, problem.K
    A = problem.A if isinstance(problem.A, np.ndarray) else problem.A.toarray()
    A = A.astype(np.float64) - float(problem.center) * np.eye(len(A))
    Y = (U @ U.T).astype(np.float64)
    rho = float(np.linalg.norm(2 * A - lam * penalty.grad(Y))) / np.sqrt(K)
    bounds: list[float] = []
    best = -np.inf
    L = lam * penalty.grad(Y)
    for i in range(BOUND_ITER):
        X = project_fantope(Y + (2 * A - L) / rho, K)
        Y = penalty.prox(X + L / rho, lam / rho)
        L = lam * penalty.grad(Y)  # the multiplier of X = Y, and a slope of the bound
        if i % 5 == 0:
            top = leading_eigenvalues(2 * A - L, K)
            best = max(best, float((lam * penalty.value(Y) - L * Y).sum() - top.sum()))
            bounds.append(best)
            if len(bounds) > 4 and best - bounds[-5] <= BOUND_TOL * abs(best):
                break
    return problem.constant + best
