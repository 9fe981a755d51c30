"""NDFS: cluster indicators and the columns that predict them, learnt together.

Li, Yang, Liu, Zhou & Lu, "Unsupervised feature selection using nonnegative spectral analysis",
AAAI 2012, and the authors' program. The paper has samples in columns; here X is n x d and samples
are rows.

======= ============ =====================================================================
paper   code         meaning, shape
======= ============ =====================================================================
X       X'           data (the paper's X is d x n)
L       L            ``I - D^-1/2 A D^-1/2`` of the neighbor graph A, n x n
F       F            scaled cluster indicators, n x c, F >= 0
W       W            coefficients, d x c
alpha   alpha        weight of the regression
beta    beta         weight of ||W||_{2,1} inside it
gamma   gamma        weight of ``||F'F - I||^2 / 2``
D       q            diagonal of the reweighting, ``1/(2 ||w_i||)``
M       M            ``L + alpha (I - X (X'X + beta D)^-1 X')``
======= ============ =====================================================================

Deviations
----------
D1  The published update, ``F <- F o (gamma F)/(MF + gamma F F'F)``, lets the objective rise where
    MF has negative entries (for gamma below 1e3), and F become negative. Here F takes an
    accelerated projected gradient step that never goes uphill; columns of F are not rescaled. M is
    never formed, as a multiplicative rule with its positive and negative part would need it.
D2  With gamma = 1e8, the published choice, F cannot move from where it starts. gamma is a real
    parameter here, of the order of the other terms; a fit in which F did not move warns.
D3  F starts from spectral clusters found by pivoted QR, plus 0.2, columns of unit length: no random
    numbers. The order of magnitude of the objective depends on the start (paper: k-means).
D4  ``||w_i||`` is smoothed in the penalty: ``sqrt(||w_i||^2 + eps)``.
D5  The program logs gamma/4 where its update is that of gamma/2.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._typing import Array
from .._validation import POSITIVE_WEIGHT, common
from ..exceptions import warn_user
from ..graphs import (
    NeighborGraph,
    SampleGraph,
    graph_eigenpairs,
    labels_by_qr,
    normalized_adjacency,
)
from ..linalg import RidgeSolver
from ..prox import row_norms
from ..solvers import accelerated_proximal_gradient, row_weights, smoothed_l2p
from ..tables import translated, varying_columns, weighted_gram
from ._base import SCALES, BaseSelector, expand_rows, expand_scores
from ._row_sparse import order_of_form

_LIFT = 0.2
_FROZEN = 0.02
_INNER = 1


class NDFS(SampleGraph, BaseSelector):
    """Columns that predict nonnegative spectral cluster indicators.

    Minimizes ``tr(F'LF) + alpha (||XW - F||^2 + beta ||W||_{2,1}) + gamma/2 ||F'F - I||^2`` over W
    and F >= 0. Good where samples form about `n_clusters` groups. Expects columns on one scale;
    they are standardized first. For gamma far above the other terms (1e8 in the paper) F stays
    where it starts, and the method is sparse regression on the clusters of the start (a
    DataWarning says so).

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_clusters : int, default=5
        Columns of F; never more than there are samples. 5 and not 8, as for `MCFS`.
    n_neighbors, graph
        See `SampleGraph`.
    alpha : float > 0, default=1.0
        Weight of the regression.
    beta : float > 0, default=1.0
        Weight of the row sparsity of W.
    gamma : float > 0, default=10.0
        Weight of the orthogonality of F.
    scale
        See `BaseSelector`.
    max_iter : int, default=30
        Passes over F and W.
    tol : float or None, default=1e-5
        Stop when the relative change of the objective is at most this; None runs all. 1e-5 and not
        1e-4: the value its published results here were computed with.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        ``||w_i||``; -1 for constant columns.
    indicators_ : ndarray of shape (n_samples, n_clusters)
        F; the largest entry of a row is its cluster.
    coef_ : ndarray of shape (n_clusters, n_features)
        W'.
    affinity_
        See `SampleGraph`.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost O(n^2 d) for the graph, O(n d^2) once, O(d^3 + c d (n + d)) a pass; with n below d/2
    O(n^2 d + n^3) a pass and no d x d matrix. CSR is centered in the products and not filled in.
    The objective never rises.

    References
    ----------
    Li, Yang, Liu, Zhou & Lu, "Unsupervised feature selection using nonnegative spectral analysis",
    AAAI 2012. The deviations are listed at the top of the file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import NDFS
    >>> iris = load_iris(as_frame=True).data
    >>> NDFS(2, n_clusters=3).fit(iris).get_feature_names_out().shape
    (2,)
    """

    nested: ClassVar[bool] = True
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("n_neighbors", "n_clusters", "max_iter", "tol"),
        "graph": SampleGraph._graph_constraint,
        "alpha": POSITIVE_WEIGHT,
        "beta": POSITIVE_WEIGHT,
        "gamma": POSITIVE_WEIGHT,
        "scale": SCALES,
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_clusters: int = 5,
        n_neighbors: int = 5,
        graph: NeighborGraph | None = None,
        alpha: float = 1.0,
        beta: float = 1.0,
        gamma: float = 10.0,
        scale: str = "standard",
        max_iter: int = 30,
        tol: float | None = 1e-5,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.graph = graph
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return 3.0 * stored + 3.0 * order_of_form(n, d) ** 2

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        Z, varies = varying_columns(X, self.scale)
        rows = translated(Z)
        A = self.affinity_ = self._sample_graph(rows)
        L = sp.csr_array(sp.eye_array(Z.shape[0]) - normalized_adjacency(A))
        problem = NonnegativeSpectral(Z, L, alpha=self.alpha, beta=self.beta, gamma=self.gamma)
        state = problem.start(lifted_indicator(spectral_labels(A, self.n_clusters)))
        run = self._run(problem, state)
        self.indicators_ = run.state.F
        warn_if_frozen(state.F, self.indicators_, f"gamma={self.gamma:g}")
        self.coef_ = expand_rows(run.state.W, varies).T
        return expand_scores(row_norms(run.state.W), varies)


class State(NamedTuple):
    """``F`` (n x c), ``W`` (d x c), and the step size F ended with."""

    F: Array
    W: Array
    step: float


class NonnegativeSpectral:
    """``tr(F'LF) + alpha (||XW - F||^2 + beta ||W||_{2,1}) + gamma/2 ||F'F - I||^2``, F >= 0."""

    def __init__(self, X: Any, L: Any, *, alpha: float, beta: float, gamma: float) -> None:
        self.X = X
        self.gram = None if order_of_form(*X.shape) < X.shape[1] else weighted_gram(X)
        self.L = L
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma

    def start(self, F: Array) -> State:
        """W of the ridge regression with all weights 1/2."""
        q = np.full(self.X.shape[1], self.beta / 2)
        ridge = RidgeSolver(self.X, q, gram=self.gram)
        return State(F, ridge.coefficients(F), 1.0)

    def objective(self, s: State) -> float:
        R = self.X @ s.W - s.F
        fit = float(np.vdot(R, R)) + self.beta * smoothed_l2p(s.W)
        smooth = float(np.vdot(s.F, self.L @ s.F))
        return smooth + self.alpha * fit + self._orthogonality(s.F)

    def _orthogonality(self, F: Array) -> float:
        E = F.T @ F - np.eye(F.shape[1])
        return self.gamma / 2 * float(np.vdot(E, E))

    def update_FW(self, s: State) -> State:
        """F by gradient steps (D1), and the W that goes with it: ``W = G X'F``.

        With D fixed, W is a function of F, and the objective in F alone is
        ``tr(F'MF) + gamma/2 ||F'F - I||^2``.
        """
        ridge = RidgeSolver(self.X, self.beta * row_weights(s.W), gram=self.gram)

        def times_M(F: Array) -> Array:
            return np.asarray(self.L @ F + self.alpha * ridge.residual(F))

        def value(F: Array, MF: Array) -> float:
            return float(np.vdot(F, MF)) + self._orthogonality(F)

        def value_and_gradient(F: Array, MF: Array) -> tuple[float, Array]:
            return value(F, MF), 2 * MF + 2 * self.gamma * (F @ (F.T @ F) - F)

        (F, _), step = accelerated_proximal_gradient(
            value,
            value_and_gradient,
            (s.F, times_M(s.F)),
            step=4 * s.step,
            n_steps=_INNER,
            image=times_M,
        )
        return State(F, ridge.coefficients(F), step)

    def step(self, s: State) -> State:
        return self.update_FW(s)


def spectral_labels(A: Any, c: int) -> NDArray[np.intp]:
    """Clusters of a graph, from its leading eigenvectors by pivoted QR; no random numbers."""
    c = min(c, A.shape[0])
    return labels_by_qr(graph_eigenpairs(A, c).vectors)


def lifted_indicator(labels: NDArray[np.intp]) -> Array:
    """Cluster indicators plus 0.2, so that nothing starts at zero; columns of unit length.

    Examples
    --------
    >>> import numpy as np
    >>> lifted_indicator(np.array([0, 1])).round(3)
    array([[0.986, 0.164],
           [0.164, 0.986]])
    """
    F = np.eye(int(labels.max()) + 1)[labels] + _LIFT
    return F / np.linalg.norm(F, axis=0)


def warn_if_frozen(start: Array, F: Array, weight: str) -> None:
    """Warn when F is the indicator matrix of the clusters it started from, up to scale.

    Parameters
    ----------
    start, F : ndarray of shape (n, c)
    weight : str
        Name and value of the parameter that holds F, ``gamma=1e+08`` say.
    """
    H = (start == start.max(axis=1, keepdims=True)) / 1.0
    H /= np.linalg.norm(H, axis=0)
    if F.shape[1] > 1 and np.linalg.norm(F - H) <= _FROZEN * np.linalg.norm(H):
        name = weight.partition("=")[0]
        warn_user(
            f"{weight} is so large that the cluster indicators did not move: the answer is "
            f"that of sparse regression on the clusters of the start. Lower {name}.",
        )
