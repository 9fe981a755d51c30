"""L1UFS: columns that reconstruct the table, robust and smooth on a graph.

Tang et al., "Robust graph regularized unsupervised feature selection", Expert Systems with
Applications 96, 2018. Only the abstract is available; the model is put together from it and what
later papers quote. Rows of X (n x d) are samples.

======== ============ ====================================================================
paper    code         meaning, shape
======== ============ ====================================================================
W        W            coefficients of columns on columns, d x d
E        E            copy of the residual ``X - XW``, n x d
D        D            weighted incidence matrix of the neighbor graph, edges x n
Z        Z            copy of ``G W``, ``G = D X`` (edges x d, never made)
J        J            copy of W with zero rows, d x d
Y1..Y3   Y            scaled multipliers
rho      rho          weight of the constraints; those of Z and J count zeta and kappa times
======== ============ ====================================================================

Deviations
----------
D1  The quoted graph term ``||V^{1/2} U'XW||_1``, L = U V U', depends on which basis of a repeated
    eigenvalue LAPACK returns, and on disconnected graphs 0 is repeated. Here it is the sum over
    edges ``sum_ij A_ij ||W'(x_i - x_j)||_1``, each edge once, which does not.
D2  lam2 is a part of the smallest value at which W = 0 is the answer. Without it (lam2 -> 0)
    W = I, and every column scores 1.
D3  The constraints are weighted by the sizes of what they copy, ``zeta = lam1 r`` for Z and ``kappa
    = max(lam2 r, 1)`` for J, r the mean length of a row of X; updates are over-relaxed by 1.6, rho
    adapted to the residuals: 25 iterations come as near as 400 with equal weights. The method of
    multipliers does not lower the objective in every step; it reaches the minimum, the problem is
    convex.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils import gen_batches

from .._typing import Array
from .._validation import POSITIVE_WEIGHT, WEIGHT, common
from ..exceptions import warn_user
from ..graphs import (
    NeighborSearch,
    knn_graph,
)
from ..prox import prox_l1, prox_l21, row_norms
from ..tables import varying_columns
from ._base import SCALES, BaseSelector, expand_scores

_BALANCE = 3.0
_EVERY = 10
_RELAXED = 1.6
_ALIKE = 0.03
_TINY = 1e-6
#: Entries of a d x d matrix that are taken at a time: they stay in the processor's cache.
_PART = 1 << 17


class L1UFS(NeighborSearch, BaseSelector):
    """Columns that reconstruct all columns, near samples alike: a robust convex model.

    Minimizes ``||X - XW||_{2,1} + lam1 sum_ij A_ij ||W'(x_i - x_j)||_1 + lam2 ||W||_{2,1}``. One
    definable version of a method whose paper is not available: its results are not those of the
    paper. For small lam2 W is the identity and all columns score alike, for large lam2 it is 0: a
    DataWarning says so. Good where few columns make up the others and some samples are off.
    Expects columns on one scale; they are standardized first.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_neighbors : int, default=5
        Neighbors of each sample.
    lam1 : float >= 0, default=0.001
        Weight of the graph.
    lam2 : float > 0, default=0.5
        Weight of the row sparsity, as a part of the smallest at which W = 0.
    scale
        See `BaseSelector`.
    max_iter : int, default=200
        Iterations.
    tol : float or None, default=1e-3
        Stop when primal and dual residual, relative, are at most this; None runs all. 1e-3 and not
        1e-4: of the residuals, not of the objective.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        ``||w_i||``; 0 for columns that reconstruct nothing, -1 for constant ones.
    coef_ : ndarray of shape (n_features, n_features)
        W': row j holds the weights with which the columns reconstruct column j; zeros for constant
        columns.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost O(n d^2 + d^3) once and O(n d^2 + d^3) an iteration, with n < d O(n^3) once and O(n d^2) an
    iteration; memory several d x d and edges x d matrices.

    References
    ----------
    Tang et al., "Robust graph regularized unsupervised feature selection", Expert Systems with
    Applications 96, 2018 (abstract). The deviations are listed at the top of the file.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import L1UFS
    >>> wine = load_wine(as_frame=True).data
    >>> L1UFS(3).fit(wine).get_feature_names_out().shape
    (3,)
    """

    nested: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("n_neighbors", "max_iter", "tol"),
        "lam1": WEIGHT,
        "lam2": POSITIVE_WEIGHT,
        "scale": SCALES,
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_neighbors: int = 5,
        lam1: float = 0.001,
        lam2: float = 0.5,
        scale: str = "standard",
        max_iter: int = 200,
        tol: float | None = 1e-3,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.lam1 = lam1
        self.lam2 = lam2
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return 12.0 * d * d + 7.0 * n * min(self.n_neighbors, n) * d

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        Z, varies = varying_columns(X, self.scale, degree=4)
        D = incidence(knn_graph(Z, self._nearest(Z)))
        problem = RobustSelfRepresentation(Z, D, self.lam1, self.lam2)
        run = self._run(problem, problem.start())
        _warn_if_all_alike(row_norms(run.state.J), self.lam2)
        self.coef_ = np.zeros((len(varies), len(varies)))
        self.coef_[np.ix_(varies, varies)] = run.state.J.T
        return expand_scores(row_norms(run.state.J), varies)


class State(NamedTuple):
    """``W`` and ``XW``, the copies, their scaled multipliers, ``rho``, and the steps behind."""

    W: Array
    XW: Array
    E: Array
    Z: Array
    J: Array
    Y1: Array
    Y2: Array
    Y3: Array
    rho: float
    t: int


class RobustSelfRepresentation:
    """``||X - XW||_{2,1} + lam1 ||DXW||_1 + lam2 ||W||_{2,1}`` by the method of multipliers.

    `part` is lam2 over the smallest at which W = 0 is the answer.
    """

    not_descending: ClassVar[dict[str, str]] = {
        "update_W": "descends the augmented Lagrangian, not the objective",
        "update_copies": "moves J, at which the objective is taken, before W can follow",
        "step": "the method of multipliers is not monotone",
    }

    def __init__(self, X: Array, D: sp.csr_array, lam1: float, part: float) -> None:
        self.X = X
        self.D = D
        self.lam1 = lam1
        self.lam2 = part * self.lam2_max()
        n, d = X.shape
        self.size = float(row_norms(X).mean())
        self.zeta = max(lam1, _TINY) * self.size
        self.kappa = max(self.lam2 * self.size, 1.0)
        R = sp.csr_array(sp.eye_array(n) + self.zeta * (D.T @ D))
        self.low_rank = n < d
        if self.low_rank:  # by the identity of Woodbury: nothing of order d is factored
            self.gram, self.R_inverse = X @ X.T, np.linalg.inv(R.toarray())
            self.factor = cho_factor(self.kappa * self.R_inverse + self.gram)
        else:
            self.factor = cho_factor(X.T @ (R @ X) + self.kappa * np.eye(d))

    def lam2_max(self) -> float:
        """The smallest lam2 at which W = 0 is the answer (lam1 = 0)."""
        size = row_norms(self.X)
        unit = self.X / np.where(size > 0, size, 1)[:, None]
        return float(max(row_norms(self.X[:, part].T @ unit).max() for part in self._parts()))

    def _parts(self) -> Iterator[slice]:
        """Rows of a d x d matrix that stay in the processor's cache."""
        d = self.X.shape[1]
        return gen_batches(d, max(1, _PART // d))

    def start(self, rng: object = None) -> State:
        d = self.X.shape[1]
        W = np.zeros((d, d))
        E, Z = self.X.copy(), np.zeros((self.D.shape[0], d))
        none = np.zeros_like(E)
        return State(W, none, E, Z, W, none, np.zeros_like(Z), W, 1 / self.size, 0)

    def objective(self, s: State) -> float:
        """At J, which has zero rows."""
        used = np.flatnonzero(s.J.any(axis=1))
        XJ = self.X[:, used] @ s.J[used]
        fit = float(row_norms(self.X - XJ).sum())
        smooth = float(np.abs(self.D @ XJ).sum()) if self.lam1 else 0.0
        return fit + self.lam1 * smooth + self.lam2 * float(row_norms(s.J[used]).sum())

    def change(self, old: State, new: State) -> float:
        """Larger of the relative primal and dual residuals."""
        return max(self.residuals(old, new))

    def update_W(self, s: State) -> State:
        M = self.X - s.E + s.Y1 + self.zeta * (self.D.T @ (s.Z + s.Y2))
        if not self.low_rank:
            W = cho_solve(self.factor, self.X.T @ M + self.kappa * (s.J + s.Y3))
            return s._replace(W=W, XW=self.X @ W)
        W = s.J + s.Y3
        XW = self.X @ W
        N = cho_solve(self.factor, self.R_inverse @ M - XW)
        for part in self._parts():
            W[part] += self.X[:, part].T @ N
        return s._replace(W=W, XW=XW + self.gram @ N)

    def update_copies(self, s: State) -> State:
        """E, Z, J: each a proximal map at what W makes of it; then the multipliers."""
        residual = _relaxed(self.X - s.XW, s.E)
        along = _relaxed(self.D @ s.XW, s.Z)
        E = prox_l21(residual + s.Y1, 1 / s.rho)
        Z = prox_l1(along - s.Y2, self.lam1 / (s.rho * self.zeta))
        J, Y3 = np.empty_like(s.W), np.empty_like(s.W)
        for part in self._parts():
            W = _relaxed(s.W[part], s.J[part])
            J[part] = prox_l21(W - s.Y3[part], self.lam2 / (s.rho * self.kappa))
            Y3[part] = s.Y3[part] + J[part] - W
        Y1, Y2 = s.Y1 + residual - E, s.Y2 + Z - along
        return s._replace(E=E, Z=Z, J=J, Y1=Y1, Y2=Y2, Y3=Y3)

    def step(self, s: State) -> State:
        new = self.update_copies(self.update_W(s))
        new = new._replace(t=s.t + 1)
        if new.t % _EVERY:
            return new
        primal, dual = self.residuals(s, new)
        if primal > _BALANCE * dual:
            return _reweighted(new, 2.0)
        return _reweighted(new, 0.5) if dual > _BALANCE * primal else new

    def residuals(self, old: State, new: State) -> tuple[float, float]:
        """Primal, over the size of the copies; dual, over that of the multipliers."""
        squares = np.zeros(4)
        for part in self._parts():
            J, W = new.J[part], new.W[part]
            squares += [_square(A) for A in (J - W, J - old.J[part], J, new.Y3[part])]
        gap = self._size(self.X - new.XW - new.E, new.Z - self.D @ new.XW, squares[0])
        moved = self._size(new.E - old.E, new.Z - old.Z, squares[1])
        copies = self._size(self.X, new.Z, squares[2])
        multipliers = self._size(new.Y1, new.Y2, squares[3])
        return gap / copies, moved / multipliers if multipliers else 0.0

    def _size(self, E: Array, Z: Array, square_of_J: float) -> float:
        return float(np.sqrt(_square(E) + self.zeta * _square(Z) + self.kappa * square_of_J))


def _square(A: Array) -> float:
    return float(np.vdot(A, A))


def _relaxed(new: Array, old: Array) -> Array:
    return _RELAXED * new + (1 - _RELAXED) * old


def _warn_if_all_alike(norms: Array, lam2: float) -> None:
    """Warn when W is 0, or about the identity: then the ranking says nothing."""
    most = float(norms.max())
    if len(norms) > 1 and np.ptp(norms) <= _ALIKE * most:
        what, how = ("small that every column reconstructs itself", "Raise")
        if most == 0:
            what, how = ("large that no column reconstructs any", "Lower")
        warn_user(
            f"lam2={lam2:g} is so {what}: all columns score {most:.2g}, and their order means "
            f"nothing. {how} lam2.",
        )


def _reweighted(s: State, factor: float) -> State:
    """rho times `factor`; scaled multipliers shrink as it grows."""
    return s._replace(rho=s.rho * factor, Y1=s.Y1 / factor, Y2=s.Y2 / factor, Y3=s.Y3 / factor)


def incidence(A: sp.csr_array) -> sp.csr_array:
    """``D`` with a row ``A_ij (e_i - e_j)'`` for each edge i < j.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> incidence(sp.csr_array(np.array([[0.0, 2.0], [2.0, 0.0]]))).toarray()
    array([[ 2., -2.]])
    """
    upper = sp.coo_array(sp.triu(A, 1))
    e = np.arange(upper.nnz)
    values = np.concatenate([upper.data, -upper.data])
    at = (np.concatenate([e, e]), np.concatenate([upper.row, upper.col]))
    return sp.csr_array(sp.coo_array((values, at), shape=(upper.nnz, A.shape[0])))
