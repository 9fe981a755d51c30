"""BLSFS: bi-level spectral feature selection, one definable version.

Hu, Wang, Zhang, Pedrycz & Pal, "Bi-level spectral feature selection", IEEE TNNLS 2025. Neither text
nor program was available: the model is put together from its abstract and what later papers quote
(of them Liu, Ju, Xiu & Liu, "Bi-Level Unsupervised Feature Selection", (2) to (7)).
Rows of X (n x d) are samples.

======= ============ =====================================================================
paper   code         meaning, shape
======= ============ =====================================================================
Y       Y            pseudo labels, one-hot, n x c, from spectral clustering, fixed
W, b    W            regression of Y on X; b is eliminated by centering
P       P            adaptive neighbors' weights, rows on the simplex, n x n
alpha   alpha        weight of ``||P||^2``, from the first graph
theta   theta        weight of the feature level
gamma   gamma        weight of ``||W||_{2,1}``
======= ============ =====================================================================

Deviations
----------
D1  The whole model is one reading: ``||XW + 1b' - Y||^2 + theta (sum_ij ||W'x_i - W'x_j||^2 p_ij +
    alpha ||P||^2) + gamma ||W||_{2,1}``.
D2  Taken to the letter, "max tr(Y'S^Y) over one-hot Y" puts all samples in one cluster; the
    normalized form, spectral clustering, is used, with pivoted QR for the labels.
D3  A row of P has at most `n_neighbors` nonzeros, and is exact among those (see D1 of SOGFS).
D4  ``||w_i||`` is smoothed in the penalty: ``sqrt(||w_i||^2 + eps)``.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cholesky, solve_triangular

from .._typing import Array
from .._validation import POSITIVE_WEIGHT, WEIGHT, common
from ..graphs import (
    NeighborSearch,
    distances_on,
    find_neighbors,
    knn_graph,
    laplacian,
    neighbors_within,
)
from ..linalg import ridge_coefficients
from ..prox import row_norms
from ..solvers import row_weights, smoothed_l2p
from ..tables import varying_columns
from ._adaptive_rows import first_rows, nearest_rows
from ._base import SCALES, BaseSelector, expand_rows, expand_scores
from ._ndfs import spectral_labels
from ._row_sparse import order_of_form


class BLSFS(NeighborSearch, BaseSelector):
    """Columns that predict spectral clusters and keep adaptive neighbors close.

    Minimizes ``||XW + 1b' - Y||^2 + theta (sum_ij ||W'x_i - W'x_j||^2 p_ij + alpha ||P||^2) + gamma
    ||W||_{2,1}`` over W, b and P; Y is fixed. One definable version of a method whose paper is not
    available: its results are not those of the paper. Expects columns on one scale; they are
    standardized first. The weights are compared with the number of samples.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_clusters : int, default=5
        Pseudo labels; never more than there are samples. 5 and not 8, as for `MCFS`.
    n_neighbors : int, default=5
        Neighbors in both graphs.
    theta : float >= 0, default=1.0
        Weight of the feature level.
    gamma : float > 0, default=10.0
        Weight of the row sparsity.
    scale
        See `BaseSelector`.
    max_iter : int, default=50
        Passes over W and P.
    tol
        See `LoopSupport`.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        ``||w_i||``; -1 for constant columns.
    coef_ : ndarray of shape (n_clusters, n_features)
        W'.
    affinity_ : csr_array of shape (n_samples, n_samples)
        P; rows sum to 1.
    pseudo_labels_ : ndarray of shape (n_samples,)
        Clusters behind Y.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`; the objective never rises.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost per pass O(n^3 + n d^2 + d^3), with n below d/2 O(n^3 + n^2 d) and no d x d matrix.
    Holds an n x n matrix.

    References
    ----------
    Hu, Wang, Zhang, Pedrycz & Pal, "Bi-level spectral feature selection", IEEE TNNLS 2025
    (abstract). The deviations are listed at the top of the file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import BLSFS
    >>> iris = load_iris(as_frame=True).data
    >>> BLSFS(2, n_clusters=3).fit(iris).get_feature_names_out().shape
    (2,)
    """

    nested: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("n_clusters", "n_neighbors", "max_iter", "tol"),
        "theta": WEIGHT,
        "gamma": POSITIVE_WEIGHT,
        "scale": SCALES,
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_clusters: int = 5,
        n_neighbors: int = 5,
        theta: float = 1.0,
        gamma: float = 10.0,
        scale: str = "standard",
        max_iter: int = 50,
        tol: float | None = 1e-4,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.theta = theta
        self.gamma = gamma
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return 4.0 * n * n + 3.0 * n * d + 2.0 * order_of_form(n, d) ** 2

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        Z, varies = varying_columns(X, self.scale)
        Z -= Z.mean(axis=0)
        k = neighbors_within(self.n_neighbors, len(Z))
        how = self._search_rule(Z)
        A = knn_graph(Z, find_neighbors(Z, k, how), weights="heat", sigma="mean_all")
        self.pseudo_labels_ = spectral_labels(A, self.n_clusters)
        Y = np.eye(min(self.n_clusters, len(Z)))[self.pseudo_labels_]
        problem = BilevelSpectral(Z, Y - Y.mean(axis=0), k, self.theta, self.gamma, how)
        run = self._run(problem, problem.start())
        self.affinity_ = run.state.P
        self.coef_ = expand_rows(run.state.W, varies).T
        return expand_scores(row_norms(run.state.W), varies)


class State(NamedTuple):
    """``P`` (n x n, CSR) and ``W`` (d x c)."""

    P: sp.csr_array
    W: Array


class BilevelSpectral:
    """The model of `BLSFS` on centered X and Y."""

    def __init__(
        self, X: Array, Y: Array, k: int, theta: float, gamma: float, how: Any = "exact"
    ) -> None:
        self.X = X
        self.Y = Y
        self.k = k
        self.theta = theta
        self.gamma = gamma
        self.how = how
        self.P, self.alpha = first_rows(X, k, how)

    def start(self, rng: object = None) -> State:
        return State(self.P, self._regression(self.P, np.full(self.X.shape[1], 0.5)))

    def objective(self, s: State) -> float:
        Z = self.X @ s.W
        close = float(s.P.multiply(distances_on(s.P, Z)).sum())
        level = close + self.alpha * float((s.P.data**2).sum())
        fit = float(((Z - self.Y) ** 2).sum())  # BLUFS (5)
        return fit + self.theta * level + self.gamma * smoothed_l2p(s.W)  # BLUFS (7)

    def _regression(self, P: sp.csr_array, q: Array) -> Array:
        """``(X'RX + gamma Q)^-1 X'Y, R = I + 2 theta L_P = CC'``, by ridge regression on C'X."""
        R = np.eye(len(self.X)) + 2 * self.theta * laplacian(P).toarray()
        C = cholesky(R, lower=True)
        target = solve_triangular(C, self.Y, lower=True)
        return ridge_coefficients(C.T @ self.X, self.gamma * q, target)

    def update_W(self, s: State) -> State:
        return s._replace(W=self._regression(s.P, row_weights(s.W)))

    def update_P(self, s: State) -> State:
        """Rows of at most k nonzeros, exactly (D3)."""
        return s._replace(P=nearest_rows(self.X @ s.W, self.X, self.k, self.alpha, self.how))

    def step(self, s: State) -> State:
        return self.update_P(self.update_W(s))
