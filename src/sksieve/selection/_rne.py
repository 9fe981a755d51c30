"""RNE: a nonnegative clustering of the columns that keeps locally linear reconstruction.

Liu, Ye, Li, Wang & Gao, "Robust neighborhood embedding for unsupervised feature selection",
Knowledge-Based Systems 193, 2020, and the authors' program. Rows of X (n x d) are samples.

======= ============ =====================================================================
paper   code         meaning, shape
======= ============ =====================================================================
W       B            locally linear weights, row i reconstructs sample i, n x n
E       E            ``(I - W) X``, what is not reconstructed, n x d
H'      H            feature weights, m x d, H >= 0, ``HH' = I`` by penalty
alpha   alpha        weight of ``||HH' - I||^2 / 4``
M'      M            copy of HE', m x n
Y'      Y            multiplier of ``M = HE'``
gamma   gamma        weight of the constraint, growing
======= ============ =====================================================================

Deviations
----------
D1  The authors' program uses ``(I - W')X`` although its W is by rows, which is not what a sample is
    reconstructed by; the two rank columns quite differently. `sksieve.papers.ProgramRNE` gives it.
D2  H by accelerated projected gradient steps that never go uphill, in place of 30 multiplicative
    ones: E'E split by sign is a dense d x d matrix, and the products with E are not.
D3  Methods of multipliers do not lower the objective in every step: M, Y and gamma are no blocks of
    descent; H is, in the augmented Lagrangian.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._typing import Array
from .._validation import POSITIVE_WEIGHT, Interval, common
from ..graphs import (
    NeighborSearch,
    lle_weights,
)
from ..kernels._sparse_product import product_with_few
from ..prox import prox_l1, row_norms
from ..solvers import accelerated_proximal_gradient
from ..tables import varying_columns
from ._base import SCALES, BaseSelector, expand_rows, expand_scores
from ._row_sparse import warn_if_unscaled

_INNER = 10
_GROWTH = 1.1
_LARGEST = 1e10
#: Share of nonzeros of H below which products with H take them one by one.
_FEW = 0.2


class RNE(NeighborSearch, BaseSelector):
    """Columns that make up embeddings in which samples stay reconstructed by their neighbors.

    Minimizes ``||(I - W)XH||_1``, W locally linear weights, over H >= 0 with nearly orthonormal
    columns: about one nonzero a row, a clustering of the columns; the score is a column's weight in
    its cluster. Good where samples lie on a manifold that neighbors describe. As a minimized
    residual it prefers columns of small variance: they are standardized first (``scale="none"`` on
    columns of many scales warns). Scores have many near-ties, and depend on the random start.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_components : int or None, default=None
        Columns m of H; as many as are kept when None, as in the paper.
    n_neighbors : int, default=5
        Neighbors each sample is reconstructed from.
    alpha : float > 0, default=1000.0
        Weight of the orthogonality of H.
    scale
        See `BaseSelector`.
    max_iter : int, default=50
        Updates of the multiplier.
    tol : float or None, default=1e-4
        Stop when ``||M - HE'||`` and the change of H, relative, are at most this; None runs all.
    random_state : int, RandomState or None, default=None
        For H at the start.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        ``||h_i||^2``; -1 for constant columns.
    components_ : ndarray of shape (n_components, n_features)
        H'; zero columns for constant columns of X.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost O(n^2 d) for the neighbors, O(n d m) for each of ten gradient steps an iteration; no d x d
    matrix. Not nested unless `n_components` is given.

    References
    ----------
    Liu, Ye, Li, Wang & Gao, "Robust neighborhood embedding for unsupervised feature selection",
    Knowledge-Based Systems 193, 2020. The deviations are listed at the top of the file.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import RNE
    >>> wine = load_wine(as_frame=True).data
    >>> RNE(3, random_state=0).fit(wine).get_feature_names_out().shape
    (3,)
    """

    nested: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("n_neighbors", "max_iter", "tol", "random_state"),
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": POSITIVE_WEIGHT,
        "scale": SCALES,
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_components: int | None = None,
        n_neighbors: int = 5,
        alpha: float = 1000.0,
        scale: str = "standard",
        max_iter: int = 50,
        tol: float | None = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        m = self.n_components or self.n_features_to_select or d / 2
        return 6.0 * n * d + 8.0 * (n + d) * min(m, d)

    def _weights(self, B: sp.csr_array) -> sp.csr_array:
        """What reconstructs a sample: the weights B of its own neighbors."""
        return B

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        Z, varies = varying_columns(X, self.scale, degree=4)
        warn_if_unscaled(Z, "RNE")
        B = lle_weights(Z, self._nearest(Z))
        E = Z - self._weights(B) @ Z
        m = min(self.n_components or self.n_features_to_select_, Z.shape[1])
        problem = NeighborhoodEmbedding(E, m, self.alpha)
        run = self._run(problem, problem.start(rng))
        H = run.state.H
        self.components_ = expand_rows(H.T, varies).T
        return expand_scores(row_norms(H.T) ** 2, varies)


class State(NamedTuple):
    """``H`` (m x d), ``HE = HE'``, ``M`` and ``Y`` (m x n), ``gamma``, and H's step size."""

    H: Array
    HE: Array
    M: Array
    Y: Array
    gamma: float
    step: float


class NeighborhoodEmbedding:
    """``||HE'||_1 + alpha/4 ||HH' - I||^2`` over H >= 0, by the method of multipliers."""

    not_descending: ClassVar[dict[str, str]] = {
        "update_H": "descends the augmented Lagrangian, not the objective",
        "update_M": "makes M, of which the objective knows nothing, feasible only at the end",
        "step": "the method of multipliers is not monotone",
    }

    def __init__(self, E: Array, m: int, alpha: float) -> None:
        self.E = E
        self.Et = np.ascontiguousarray(E.T)
        #: ``E'E`` where it is smaller than E.
        self.A = E.T @ E if len(E) > E.shape[1] else None
        self.m = m
        self.alpha = alpha

    def start(self, rng: np.random.RandomState) -> State:
        H = rng.random_sample((self.E.shape[1], self.m))
        H = np.ascontiguousarray((H / np.linalg.norm(H, axis=0)).T)
        HE = H @ self.Et
        return State(H, HE, HE, np.zeros_like(HE), 10.0, 1.0)

    def objective(self, s: State) -> float:
        return float(np.abs(s.HE).sum()) + self._orthogonality(_apart(s.H))

    def _orthogonality(self, D: Array) -> float:
        """``alpha/4 ||D||^2`` of ``D = HH' - I``."""
        return self.alpha / 4 * float(np.vdot(D, D))

    def lagrangian(self, s: State) -> float:
        """Augmented: ``||M||_1 + alpha/4 ||HH' - I||^2 + gamma/2 ||M - HE' + Y/gamma||^2``."""
        R = s.M - s.HE + s.Y / s.gamma
        fit = s.gamma / 2 * float(np.vdot(R, R))
        return float(np.abs(s.M).sum()) + self._orthogonality(_apart(s.H)) + fit

    def change(self, old: State, new: State) -> float:
        size = float(np.linalg.norm(new.M)) or 1.0
        gap = float(np.linalg.norm(new.M - new.HE)) / size
        moved = float(np.linalg.norm(new.H - old.H)) / (float(np.linalg.norm(old.H)) or 1.0)
        return max(gap, moved)

    def update_H(self, s: State) -> State:
        """Gradient steps in ``gamma/2 ||HE' - T||^2 + alpha/4 ||HH' - I||^2``, T = M + Y/gamma.

        The first term is counted from where H is, because at the end it is small compared with
        ``||T||^2``. With ``D = H - H0`` and ``R0 = H0 E' - T`` it is ``<DE', R0 + DE'/2>``, or,
        where A is made, ``<D, R0 E + DA/2>``.
        """
        R0 = s.HE - s.M - s.Y / s.gamma
        times = product_with_few if np.count_nonzero(s.H) < _FEW * s.H.size else np.matmul
        if self.A is None:
            K, image, G0 = self.Et, s.HE, R0
        else:
            K, image, G0 = self.A, times(s.H, self.A), R0 @ self.E

        def fit(H: Array, V: Array) -> float:
            D = V if self.A is None else H - s.H
            return s.gamma * float(np.vdot(D, V / 2 + G0))

        def value(H: Array, HK: Array) -> float:
            return fit(H, HK - image) + self._orthogonality(_apart(H))

        def value_and_gradient(H: Array, HK: Array) -> tuple[float, Array]:
            V, D = HK - image, _apart(H)
            g = s.gamma * (V + G0)
            if self.A is None:
                g = g @ self.E
            g += (self.alpha * D) @ H
            return fit(H, V) + self._orthogonality(D), g

        (H, HK), step = accelerated_proximal_gradient(
            value,
            value_and_gradient,
            (s.H, image),
            step=4 * s.step,
            n_steps=_INNER,
            image=lambda H: times(H, K),
        )
        return s._replace(H=H, HE=HK if self.A is None else times(H, self.Et), step=step)

    def update_M(self, s: State) -> State:
        return s._replace(M=prox_l1(s.HE - s.Y / s.gamma, 1 / s.gamma))

    def step(self, s: State) -> State:
        """H, M, then the multiplier and its weight."""
        new = self.update_M(self.update_H(s))
        Y = new.Y + new.gamma * (new.M - new.HE)
        return new._replace(Y=Y, gamma=min(_GROWTH * new.gamma, _LARGEST))


def _apart(H: Array) -> Array:
    """``HH' - I``: how far the rows are from orthonormal."""
    return H @ H.T - np.eye(len(H))
