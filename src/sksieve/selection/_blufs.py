"""BLUFS: bi-level unsupervised feature selection.

Liu, Ju, Xiu & Liu, "Bi-Level Unsupervised Feature Selection". The paper has samples in columns;
here X is n x d and samples are rows.

========== ============== ======================================================================
paper      code           meaning, shape
========== ============== ======================================================================
X          X'             standardized data (the paper's X is d x n)
W          W              weights, d x c, at most s nonzero rows (only those are stored)
Y          Y              embedding, n x c, Y'Y = I
S, S^      A, S_hat       sample graph and ``D^-1/2 A D^-1/2``, n x n
P          P'             adaptive graph of the projected samples; rows on the simplex here
z_i        Z              rows of ``XW``
V_ij       V              ``||z_i - z_j||^2``, on candidate pairs only
L_P        L              Laplacian of P, times 2 beta
A_SS, B    gram, target   ``X_S'(I + 2 beta L_P)X_S + lam I`` and ``X'Y``
K          K              ``alpha S_hat + X_S A_SS^-1 X_S'``
s          k, len(S)      number of columns, ``n_features_to_select``
alpha      alpha          weight of the clustering level
beta, mu   beta, mu       weights of the feature level; mu is set once, from the start
lambda     lam            ridge; here a multiple of the mean squared norm of a column
tau1..3    _PROX          1e-3 mu, 1e-3 lam, 1e-3
========== ============== ======================================================================

Deviations
----------
D1   (22), (24): beta is dropped and V divided by 2 mu although the proximal term adds curvature.
     ``u = (2 tau1 p - beta V) / (2 (mu + tau1))``, then the projection on the simplex.
D2   (25)-(27): the closed form holds only if all k entries stay positive. The projection is used.
D3   "The k nearest" is not the k-sparse minimizer once the proximal term is there: the k largest u
     are. They lie among the k nearest and the support of the P before, so O(nk) memory is enough.
D4   P_jj: V_jj = 0 would give every sample itself. The diagonal is empty.
D5   D_P as row sums belongs to no Laplacian of the sum, unless P is symmetric: L_P is that of
     ``(P + P')/2``.
D6   (29) lacks beta, (30) has beta where it must be 2 beta: ``sum_ij V_ij P_ij = 2 tr(Z'L_P Z)``.
D7   (28) -> (30): the constraint on the rows of W is never used, and thresholding at the end raises
     the objective. Support search (forward, then exchange with exact losses) and refit;
     ``constraint="final"`` of `sksieve.papers.BLUFSVariants` keeps the threshold.
D8   Algorithm 2 leaves theta, rho and the step xi unspecified. ``solver="penalty"`` has it, at
     values of ours: theta = 10 (1 + alpha), rho = 1.1 sqrt(c), short Barzilai-Borwein steps. Y is
     then orthonormal to about 1e-8; with theta = (1 + alpha)/10, Y'Y can end far from I. The
     default is a joint step for (W, Y); ``solver="pam"`` takes one polar factor.
D9   The polar factor of ``XW + alpha S_hat Y + tau3 Y``, the step that (31) suggests, goes uphill
     where S_hat is not positive semidefinite: ``S_hat + I`` is.
D10  Lemma 1 needs subproblems solved exactly; its (41) holds for ``solver="pam"``, and
     ``solver="joint"`` descends in every block too. Theorem 1 says critical point, the conclusion
     global optimum: the theorem is right.
D11  The eigenvectors of a disconnected graph come component by component, not from one Krylov
     space, which misses repeated eigenvalues 1; and columns are not ranked by the row norms of one
     run with many rows: a fit is for one number of columns.
D12  (48) stops where ``|f_new - f| / max(|f|, 1)`` is below 1e-4. Here the change is relative to
     |f| also where |f| < 1, and ten times `tol` is enough once the support stood for three steps.
D13  The paper takes 10 neighbors in both graphs, and all four weights from a grid; 5 and the
     weights here are defaults of ours. It does not state the scaling of X, the bandwidth of the
     Gaussian, c, tau1 to tau3 and the starts: here columns are standardized, the bandwidth is the
     mean distance to the neighbors, Y starts at eigenvectors and W at the forward selection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from .._typing import Array, Indices
from .._validation import POSITIVE_WEIGHT, WEIGHT, common
from ..exceptions import DataError, warn_user
from ..graphs import (
    NeighborSearch,
    graph_eigenpairs,
    knn_graph,
    labels_by_qr,
    neighbors_within,
    normalized_adjacency,
)
from ..linalg import fix_signs
from ._base import BaseSelector, rank_by
from ._blufs_problem import BiLevel, State
from ._blufs_scores import exchange_scores
from ._lapscore import laplacian_scores
from ._standardized import Standardized

_FEW_COLUMNS = 50


class BLUFS(NeighborSearch, BaseSelector):
    """Columns that keep the clusters: graph embedding and row-sparse regression in one objective.

    Minimizes ``||XW - Y||^2 + lam ||W||^2 - alpha tr(Y'S_hat Y) + beta sum_ij P_ij ||z_i - z_j||^2
    + mu ||P||^2`` over W with exactly `n_features_to_select` nonzero rows, ``Y'Y = I`` and P with
    rows on the simplex, where Z = XW and X is standardized. Every step lowers it.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_clusters : int, default=8
        Columns of Y. Half or twice the true number of clusters costs four points of accuracy on
        average over seven sets.
    alpha : float >= 0, default=1.0
        Weight of the sample graph; 0 leaves the clustering level out.
    beta : float >= 0, default=1.0
        Weight of the adaptive graph of the projected samples; 0 leaves the feature level out.
    lam : float > 0, default=1.0
        Ridge, as a multiple of the squared norm of a standardized column.
    n_neighbors : int, default=5
        Neighbors in both graphs.
    max_iter : int, default=50
        Steps at most; 3 to 8 is usual.
    tol : float or None, default=1e-4
        Stop when the relative change of the objective is at most this, or ten times this once the
        support has stood for three steps; None runs all steps.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        For chosen columns, by how much the objective rises when the column is dropped and the
        others are refitted; for the others, by how much it would fall at least, scaled to stay
        below.
    coef_ : ndarray of shape (n_clusters, n_features)
        W', weights of the standardized columns; `n_features_to_select` columns are not zero (fewer,
        with a `DataWarning`, where fewer columns of X vary).
    adaptive_affinity_ : csr_array of shape (n_samples, n_samples)
        P; rows sum to 1, empty diagonal. Without entries when beta = 0.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Y, orthonormal.
    pseudo_labels_ : ndarray of shape (n_samples,)
        Clusters of the rows of `embedding_`.
    affinity_ : csr_array of shape (n_samples, n_samples)
        The sample graph.
    mu_, lam_raw_ : float
        The weights as they stand in the objective.
    objective_ : float
        At the answer.
    support_path_ : ndarray of shape (n_iter_ + 1, n_features_to_select)
        The columns kept at the start and after every step, ascending.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`.
    neighbors_exact_
        See `NeighborSearch`.

    Raises
    ------
    DataError
        If every column is constant.
    ValueError
        If there are more clusters than samples.

    Notes
    -----
    Cost O(n^2 d) for the sample graph; then O(n d k) for the start and O(n (k^2 + k c) + n d c) a
    step, k being the number of columns kept; a full search for neighbors, O(n^2 c), every fifth
    step. No n x n and no d x d array. Sparse X is centered implicitly: besides X itself nothing
    larger than n x 4k is dense (a block of rows of distances apart). Deterministic.

    References
    ----------
    Liu, Ju, Xiu & Liu, "Bi-Level Unsupervised Feature Selection": model (16), steps (22) to (30),
    Lemma 1. The deviations are listed at the top of the file; `sksieve.papers.BLUFSVariants` has
    the paper's steps.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sksieve import BLUFS
    >>> X = load_digits().data
    >>> sel = BLUFS(n_features_to_select=20, n_clusters=10).fit(X)
    >>> sel.transform(X).shape, int((sel.coef_ != 0).any(axis=0).sum())
    ((1797, 20), 20)
    >>> sel.objective_ <= sel.history_[0]["objective"]
    True
    """

    nested: ClassVar[bool] = False
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("n_clusters", "n_neighbors", "max_iter", "tol"),
        "alpha": WEIGHT,
        "beta": WEIGHT,
        "lam": POSITIVE_WEIGHT,
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_clusters: int = 8,
        alpha: float = 1.0,
        beta: float = 1.0,
        lam: float = 1.0,
        n_neighbors: int = 5,
        max_iter: int = 50,
        tol: float | None = 1e-4,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.lam = lam
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return 3.0 * stored + 4.0 * n * min(self.n_features_to_select or d / 2, d)

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        self._check(X.shape[0])
        X = Standardized(X)
        if not X.norms.any():
            raise DataError("Every column of X is constant; there is nothing to choose from.")
        self._warn_constant(X)
        self.lam_raw_ = self.lam * float(X.norms.max())
        A, Y = self._embed(X)
        order, gain = X.forward(Y, self.lam_raw_, self.n_features_to_select_)
        problem = self._problem(X, A, Y, order)
        others = [problem.start(S) for S in self._further_supports(X, A, len(order))]
        state = self._run(problem, problem.start(), *others).state
        self._keep_answer(problem, state, A)
        return self._scores(problem, state, order, gain)

    def _check(self, n: int) -> None:
        if self.n_clusters > n:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the {n} samples of X.")

    def _warn_constant(self, X: Standardized) -> None:
        n_varying, k = int(np.count_nonzero(X.norms)), self.n_features_to_select_
        if n_varying < k:
            warn_user(
                f"Only {n_varying} of the {X.shape[1]} columns of X vary: {k - n_varying} of the "
                f"{k} chosen are constant and have no weights.",
            )

    def _embed(self, X: Standardized) -> tuple[sp.csr_array, Array]:
        """The sample graph and its leading eigenvectors."""
        k = neighbors_within(self.n_neighbors, X.shape[0])
        rows = self._rows(X)
        A = knn_graph(rows, self._nearest(rows, k), weights="heat")  # (1)
        X.by_column()
        return A, graph_eigenpairs(A, self.n_clusters).vectors  # (11), (12)

    def _rows(self, X: Standardized) -> Array:
        """The rows whose neighbors make the sample graph."""
        return X.rows

    def _problem(self, X: Standardized, A: sp.csr_array, Y: Array, S: Indices) -> BiLevel:
        return self._model(
            X,
            normalized_adjacency(A),
            Y,
            S,
            alpha=self.alpha,
            beta=self.beta,
            lam=self.lam_raw_,
            n_neighbors=min(self.n_neighbors, X.shape[0] - 1),
        )

    @property
    def _model(self) -> Callable[..., BiLevel]:
        return BiLevel

    def _further_supports(self, X: Standardized, A: sp.csr_array, s: int) -> list[Indices]:
        """Where to start besides the forward selection: the s best by the Laplacian score."""
        return [rank_by(laplacian_scores(A, X.rows))[:s]] if X.shape[1] < _FEW_COLUMNS else []

    def _keep_answer(self, problem: BiLevel, state: State, A: sp.csr_array) -> None:
        Y = fix_signs(state.Y)
        W = np.zeros((problem.X.shape[1], self.n_clusters))
        W[state.S] = state.W * np.sign(np.einsum("ij,ij->j", Y, state.Y))
        W[problem.X.norms == 0] = 0.0  # rounding at most
        self.coef_, self.embedding_ = W.T, Y
        self.affinity_, self.adaptive_affinity_ = A, state.P
        self.objective_ = problem.objective(state)
        self.mu_ = problem.mu
        self.support_path_ = state.path
        self.pseudo_labels_ = labels_by_qr(Y)

    def _scores(self, problem: BiLevel, state: State, order: Indices, gain: Array) -> Array:
        return exchange_scores(problem.quadratic(state), state.S)
