"""RUFS: robust nonnegative clustering and robust regression, learnt together.

Qian & Zhai, "Robust unsupervised feature selection", IJCAI 2013, and the authors' program. Rows of
X (n x d) are samples.

======== ============ ====================================================================
paper    code         meaning, shape
======== ============ ====================================================================
X        X            data, n x d, nonnegative
G        G            cluster indicators, n x c, G >= 0, ``G'G = I`` by penalty
F        F            cluster centers, c x d, F >= 0
W        W            coefficients, d x c
L        L            ``(I - B)'(I - B)``, B predicts a sample from its neighbors, n x n
nu       nu           weight of ``tr(G'LG)``
alpha    alpha        weight of ``||XW - G||_{2,1}``
beta     beta         weight of ``||W||_{2,1}``
zeta     zeta         weight of ``||G'G - I||^2 / 4``
======== ============ ====================================================================

Deviations
----------
D1  zeta is 1e7 in the program, which freezes G where it starts (compare NDFS); here it is a
    parameter of the order of the other terms. The program's small extras (0.1 sum(G), 1e-4 sum_j
    ||F_:j||) are left out.
D2  W by reweighted ridge regression, G and F by accelerated projected gradient steps that never go
    uphill, in place of three L-BFGS. (The program's gradient of F keeps stale residual norms, and
    its line search has no bound.)
D3  Row norms are smoothed, ``sqrt(||r||^2 + eps)``: a residual row of 0 gives NaN in the program.
D4  The kernel of local learning is Gaussian, its bandwidth the mean distance between neighbors. The
    public scripts put the graph Laplacian ``I - D^-1/2 A D^-1/2`` in the place of L:
    ``laplacian="graph"``.
D5  G starts from spectral clusters by pivoted QR, plus 0.2, columns of unit length: no random
    numbers.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._array import BLOCK_BYTES
from .._typing import Array
from .._validation import POSITIVE_WEIGHT, WEIGHT, common
from ..graphs import (
    NeighborGraph,
    Neighbors,
    SampleGraph,
    local_learning_weights,
    normalized_adjacency,
)
from ..kernels._residual_rows import residual_squares
from ..linalg import ridge_coefficients
from ..prox import row_norms
from ..solvers import accelerated_proximal_gradient, row_weights, smoothed_l2p
from ..tables import row_norms2, rows_of, rows_product, translated, varying_columns
from ._base import SCALES, BaseSelector, expand_rows, expand_scores
from ._ndfs import lifted_indicator, spectral_labels, warn_if_frozen
from ._row_sparse import order_of_form

_EPS = 1e-10
#: Share of ||x_i||^2 below which the squared length of a residual is not left to a difference.
_CANCELLED = 0.01
_INNER = 10


class RUFS(SampleGraph, BaseSelector):
    """Columns that predict robust nonnegative cluster indicators.

    Minimizes ``||X - GF||_{2,1} + nu tr(G'LG) + alpha ||XW - G||_{2,1} + beta ||W||_{2,1} + zeta/4
    ||G'G - I||^2`` over G >= 0, F >= 0 and W: outlying samples count by their distance, not its
    square. L asks that the indicators of a sample be predicted by those of its neighbors. Good
    where samples form about `n_clusters` groups and some are off. Meant for nonnegative data;
    columns are scaled to [0, 1] first. For large zeta G stays at the clusters it starts from (a
    DataWarning says so).

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_clusters : int, default=5
        Columns of G; never more than there are samples. 5 and not 8, as for `MCFS`.
    n_neighbors
        See `SampleGraph`.
    graph : NeighborGraph or None, default=None
        None: the paper's L, by local learning, and G starts from the clusters of a graph with a
        heat kernel. A `sksieve.graphs.NeighborGraph`: L is that of this graph, as in the public
        scripts, and G starts from its clusters.
    nu : float >= 0, default=1.0
        Weight of ``tr(G'LG)``.
    alpha : float > 0, default=1.0
        Weight of the regression.
    beta : float > 0, default=0.1
        Weight of the row sparsity of W.
    zeta : float >= 0, default=100.0
        Weight of the orthogonality of G.
    scale : {"standard", "correlation", "unit", "minmax", "none"}, default="minmax"
        What is done to each column first. "minmax" and not "standard", as F >= 0 wants columns that
        are not negative.
    max_iter : int, default=30
        Passes over W, G and F.
    tol
        See `LoopSupport`.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        ``||w_i||``; -1 for constant columns.
    indicators_ : ndarray of shape (n_samples, n_clusters)
        G; the largest entry of a row is its cluster.
    coef_ : ndarray of shape (n_clusters, n_features)
        W'.
    affinity_
        See `SampleGraph`.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`; the objective never rises.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost O(n^2 d) for the graph; per pass O(n d c) for G and F and O(n d^2 + d^3) for W, with n
    below d/2 O(n^2 d + n^3) and no d x d matrix. CSR is not filled in.

    References
    ----------
    Qian & Zhai, "Robust unsupervised feature selection", IJCAI 2013. The deviations are listed at
    the top of the file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import RUFS
    >>> iris = load_iris(as_frame=True).data
    >>> RUFS(2, n_clusters=3).fit(iris).get_feature_names_out().shape
    (2,)
    """

    nested: ClassVar[bool] = True
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("n_neighbors", "n_clusters", "max_iter", "tol"),
        "graph": SampleGraph._graph_constraint,
        "nu": WEIGHT,
        "alpha": POSITIVE_WEIGHT,
        "beta": POSITIVE_WEIGHT,
        "zeta": WEIGHT,
        "scale": SCALES,
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_clusters: int = 5,
        n_neighbors: int = 5,
        graph: NeighborGraph | None = None,
        nu: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.1,
        zeta: float = 100.0,
        scale: str = "minmax",
        max_iter: int = 30,
        tol: float | None = 1e-4,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.graph = graph
        self.nu = nu
        self.alpha = alpha
        self.beta = beta
        self.zeta = zeta
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return 6.0 * stored + 3.0 * order_of_form(n, d) ** 2

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        Z, varies = varying_columns(X, self.scale)
        rows = translated(Z)
        neighbors = self._nearest(rows) if self.graph is None else None
        A = self.affinity_ = self._sample_graph(rows, neighbors)
        L = self._laplacian(rows, neighbors)
        problem = RobustClustering(
            Z, L, nu=self.nu, alpha=self.alpha, beta=self.beta, zeta=self.zeta
        )
        state = problem.start(lifted_indicator(spectral_labels(A, self.n_clusters)))
        run = self._run(problem, state)
        self.indicators_ = run.state.G
        warn_if_frozen(state.G, self.indicators_, f"zeta={self.zeta:g}")
        self.coef_ = expand_rows(run.state.W, varies).T
        return expand_scores(row_norms(run.state.W), varies)

    def _laplacian(self, Z: Any, neighbors: Neighbors | None) -> sp.csr_array:
        eye = sp.eye_array(Z.shape[0])
        if neighbors is None:
            return sp.csr_array(eye - normalized_adjacency(self.affinity_))
        B = eye - local_learning_weights(Z, neighbors)
        return sp.csr_array(B.T @ B)


class State(NamedTuple):
    """``G`` (n x c), ``F`` (c x d), ``W`` (d x c), ``XF = XF'`` and ``XW``, and two step sizes.

    The step sizes are those G and F ended with.
    """

    G: Array
    F: Array
    W: Array
    XF: Array
    XW: Array
    step_G: float
    step_F: float


class RobustClustering:
    """``||X - GF||_{2,1} + nu tr(G'LG) + alpha ||XW - G||_{2,1} + beta ||W||_{2,1}`` + D1.

    X may be a `CenteredTable`. The residual X - GF is never made: its rows have the squared lengths
    ``||x_i||^2 - 2 g_i'F x_i + g_i'FF'g_i``, but for the few where this cancels.
    """

    def __init__(
        self, X: Any, L: Any, *, nu: float, alpha: float, beta: float, zeta: float
    ) -> None:
        self.X = X
        self.norms2 = row_norms2(X)
        self.L = L
        self.nu = nu
        self.alpha = alpha
        self.beta = beta
        self.zeta = zeta

    def start(self, G: Array) -> State:
        """F by least squares, its positive part lifted; W by ridge regression."""
        F = np.maximum(np.linalg.lstsq(G.T @ G, rows_product(G, self.X), rcond=None)[0], 0)
        F += 0.2 * (float(F[F > 0].mean()) if (F > 0).any() else 0.0)
        q = np.full(self.X.shape[1], self.beta / self.alpha)
        W = ridge_coefficients(self.X, q, G)
        return State(G, F, W, self.X @ F.T, self.X @ W, 1.0, 1.0)

    def objective(self, s: State) -> float:
        fit = float(self._lengths(s.G, s.F, s.XF).sum())
        regression = self.alpha * smoothed_l2p(s.XW - s.G, eps=_EPS)
        on_G = self._on_G(s.G, self.L @ s.G, _apart(s.G))
        return fit + regression + self.beta * smoothed_l2p(s.W, eps=_EPS) + on_G

    def _on_G(self, G: Array, LG: Array, E: Array) -> float:
        """The terms of G alone, from ``LG`` and ``E = G'G - I``."""
        return self.nu * float(np.vdot(G, LG)) + self.zeta / 4 * float(np.vdot(E, E))

    def _lengths(self, G: Array, F: Array, XF: Array, FF: Array | None = None) -> Array:
        """Smoothed lengths of the rows of X - GF, from ``XF = XF'`` and ``FF = FF'``."""
        FF = F @ F.T if FF is None else FF
        squares = residual_squares(self.norms2, G, FF, XF)
        lost = np.flatnonzero(squares < _CANCELLED * self.norms2)
        step = max(1, BLOCK_BYTES // (8 * F.shape[1]))
        for first in range(0, len(lost), step):
            i = lost[first : first + step]
            R = rows_of(self.X, i) - G[i] @ F
            squares[i] = np.einsum("ij,ij->i", R, R)
        lengths: Array = np.sqrt(squares + _EPS)
        return lengths

    def update_W(self, s: State) -> State:
        """Reweighted: rows of the residual by a, rows of W by b."""
        a = self.alpha * row_weights(s.XW - s.G, eps=_EPS)
        b = self.beta * row_weights(s.W, eps=_EPS)
        W = ridge_coefficients(self.X, b, s.G, a)
        return s._replace(W=W, XW=self.X @ W)

    def update_G(self, s: State) -> State:
        FF = s.F @ s.F.T

        def parts(G: Array, LG: Array) -> tuple[float, Array, Array, Array, Array]:
            lengths, R, E = self._lengths(G, s.F, s.XF, FF), G - s.XW, _apart(G)
            errors = np.sqrt(np.einsum("ij,ij->i", R, R) + _EPS)
            total = float(lengths.sum() + self.alpha * errors.sum()) + self._on_G(G, LG, E)
            return total, lengths, R, errors, E

        def value(G: Array, LG: Array) -> float:
            return parts(G, LG)[0]

        def value_and_gradient(G: Array, LG: Array) -> tuple[float, Array]:
            total, lengths, R, errors, E = parts(G, LG)
            g = (G @ FF - s.XF) / lengths[:, None] + (self.alpha / errors)[:, None] * R
            return total, g + 2 * self.nu * LG + self.zeta * (G @ E)

        (G, _), step = accelerated_proximal_gradient(
            value,
            value_and_gradient,
            (s.G, self.L @ s.G),
            step=4 * s.step_G,
            n_steps=_INNER,
            image=lambda G: self.L @ G,
        )
        return s._replace(G=G, step_G=step)

    def update_F(self, s: State) -> State:
        def value(F: Array, XF: Array) -> float:
            return float(self._lengths(s.G, F, XF).sum())

        def value_and_gradient(F: Array, XF: Array) -> tuple[float, Array]:
            lengths = self._lengths(s.G, F, XF)
            scaled = s.G / lengths[:, None]
            return float(lengths.sum()), (s.G.T @ scaled) @ F - rows_product(scaled, self.X)

        (F, XF), step = accelerated_proximal_gradient(
            value,
            value_and_gradient,
            (s.F, s.XF),
            step=4 * s.step_F,
            n_steps=_INNER,
            image=lambda F: self.X @ F.T,
        )
        return s._replace(F=F, XF=XF, step_F=step)

    def step(self, s: State) -> State:
        return self.update_F(self.update_G(self.update_W(s)))


def _apart(G: Array) -> Array:
    """``G'G - I``: how far the columns are from orthonormal."""
    return G.T @ G - np.eye(G.shape[1])
