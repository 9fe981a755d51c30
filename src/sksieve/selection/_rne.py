"""RNE: a nonnegative clustering of the columns that keeps locally linear reconstruction.

Liu, Ye, Li, Wang & Gao, "Robust neighborhood embedding for unsupervised feature selection",
Knowledge-Based Systems 193, 2020, and the authors' program. Rows of X (n x d) are samples.

======= ============ =====================================================================
paper   code         meaning, shape
======= ============ =====================================================================
W       B            locally linear weights, row i reconstructs sample i, n x n
E       E            ``(I - W) X``, what is not reconstructed, n x d
H       H            feature weights, d x m, H >= 0, ``H'H = I`` by penalty
alpha   alpha        weight of ``||H'H - I||^2 / 4``
M       M            copy of EH, n x m
Y       Y            multiplier of ``M = EH``
gamma   gamma        weight of the constraint, growing
======= ============ =====================================================================

Deviations
----------
D1  The authors' program uses ``(I - W')X`` although its W is by rows, which is not what a sample is
    reconstructed by; the two rank columns quite differently. ``residual="program"`` gives it.
D2  H by accelerated projected gradient steps that never go uphill, in place of 30 multiplicative
    ones: E'E split by sign is a dense d x d matrix, and the products with E are not.
D3  Methods of multipliers do not lower the objective in every step: M, Y and gamma are no blocks of
    descent; H is, in the augmented Lagrangian.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._validation import Interval, StrOptions
from ..graphs import (
    NEIGHBORS,
    NeighborSearch,
    lle_weights,
)
from ..kernels._sparse_product import transposed_product
from ..prox import prox_l1, row_norms
from ..scaling import varying_columns
from ..solvers import accelerated_proximal_gradient
from ._base import SCALES, BaseSelector, expand_rows, expand_scores
from ._row_sparse import warn_if_unscaled

__all__ = ["RNE", "NeighborhoodEmbedding"]

Array = NDArray[np.float64]

_INNER = 10
_GROWTH = 1.1
_LARGEST = 1e10
#: Share of nonzeros of H below which a product with H takes them one by one.
_FEW = 0.15


class RNE(NeighborSearch, BaseSelector):
    """Columns that make up embeddings in which samples stay reconstructed by their neighbors.

    Minimizes ``||(I - W)XH||_1``, W locally linear weights, over H >= 0 with nearly orthonormal
    columns: about one nonzero a row, a clustering of the columns; the score is a column's weight in
    its cluster. Good where samples lie on a manifold that neighbors describe. As a minimized
    residual it prefers columns of small variance: they are standardized first (``scale="none"`` on
    columns of many scales warns). Scores have many near-ties, and depend on the random start.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        Columns to keep; half of them when None.
    n_components : int or None, default=None
        Columns m of H; as many as are kept when None, as in the paper.
    n_neighbors : int, default=5
        Neighbors each sample is reconstructed from.
    neighbors : {"auto", "exact", "approximate"} or transformer, default="auto"
        How neighbors are searched: exactly, approximately where there are many samples, or by a
        transformer such as ``KNeighborsTransformer``; see `sksieve.graphs.find_neighbors`.
    alpha : float > 0, default=1000.0
        Weight of the orthogonality of H.
    residual : {"lle", "program"}, default="lle"
        ``(I - W)X``, or the released program's ``(I - W')X``, for comparison only.
    scale : {"standard", "correlation", "unit", "minmax", "none"}, default="standard"
        What is done to each column first.
    max_iter : int, default=50
        Updates of the multiplier.
    tol : float or None, default=1e-4
        Stop when ``||M - EH||`` and the change of H, relative, are at most this; None runs all.
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
    neighbors_exact_ : bool
        Whether the neighbors are exact, or found by an approximate search.

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
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "neighbors": NEIGHBORS,
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "residual": [StrOptions({"lle", "program"})],
        "scale": SCALES,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_components: int | None = None,
        n_neighbors: int = 5,
        neighbors: Any = "auto",
        alpha: float = 1000.0,
        residual: str = "lle",
        scale: str = "standard",
        max_iter: int = 50,
        tol: float | None = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.alpha = alpha
        self.residual = residual
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return 6.0 * n * d + 8.0 * (n + d) * (
            self.n_components or self.n_features_to_select or d / 2
        )

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        Z, varies = varying_columns(X, self.scale, degree=4)
        warn_if_unscaled(Z, "RNE")
        B = lle_weights(Z, self._nearest(Z))
        E = Z - (B if self.residual == "lle" else sp.csr_array(B.T)) @ Z
        m = min(self.n_components or self.n_features_to_select_, Z.shape[1])
        problem = NeighborhoodEmbedding(E, m, self.alpha)
        run = self._run(problem, problem.start(rng))
        H = run.state.H
        self.components_ = expand_rows(H, varies).T
        return expand_scores(row_norms(H) ** 2, varies)


class State(NamedTuple):
    """``H`` (d x m), ``EH``, ``M`` and ``Y`` (n x m), ``gamma``, and the size of H's steps."""

    H: Array
    EH: Array
    M: Array
    Y: Array
    gamma: float
    step: float


class NeighborhoodEmbedding:
    """``||EH||_1 + alpha/4 ||H'H - I||^2`` over H >= 0, by the method of multipliers."""

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
        H /= np.linalg.norm(H, axis=0)
        EH = self.E @ H
        return State(H, EH, EH, np.zeros_like(EH), 10.0, 1.0)

    def objective(self, s: State) -> float:
        return float(np.abs(s.EH).sum()) + self._orthogonality(s.H)

    def _orthogonality(self, H: Array) -> float:
        D = H.T @ H - np.eye(self.m)
        return self.alpha / 4 * float(np.vdot(D, D))

    def lagrangian(self, s: State) -> float:
        """Augmented: ``||M||_1 + alpha/4 ||H'H - I||^2 + gamma/2 ||M - EH + Y/gamma||^2``."""
        R = s.M - s.EH + s.Y / s.gamma
        fit = s.gamma / 2 * float(np.vdot(R, R))
        return float(np.abs(s.M).sum()) + self._orthogonality(s.H) + fit

    def change(self, old: State, new: State) -> float:
        size = float(np.linalg.norm(new.M)) or 1.0
        gap = float(np.linalg.norm(new.M - new.EH)) / size
        moved = float(np.linalg.norm(new.H - old.H)) / (float(np.linalg.norm(old.H)) or 1.0)
        return max(gap, moved)

    def update_H(self, s: State) -> State:
        """Gradient steps in ``gamma/2 ||EH - T||^2 + alpha/4 ||H'H - I||^2``, T = M + Y/gamma.

        The first term is counted from where H is, because at the end it is small compared with
        ``||T||^2``. With ``D = H - H0`` and ``R0 = E H0 - T`` it is ``<ED, R0 + ED/2>``, or, where
        A is made, ``<D, E'R0 + AD/2>``.
        """
        R0 = s.EH - s.M - s.Y / s.gamma
        if self.A is None:
            K, image, G0 = self.Et, s.EH, R0
        else:
            K, image, G0 = self.A, product(self.A, s.H), self.E.T @ R0
        eye = np.eye(self.m)

        def value(H: Array, KH: Array) -> float:
            V = KH - image
            D = V if self.A is None else H - s.H
            return s.gamma * float(np.vdot(D, V / 2 + G0)) + self._orthogonality(H)

        def value_and_gradient(H: Array, KH: Array) -> tuple[float, Array]:
            g = s.gamma * (KH - image + G0)
            if self.A is None:
                g = self.E.T @ g
            g += H @ (self.alpha * (H.T @ H - eye))
            return value(H, KH), g

        H, step = accelerated_proximal_gradient(
            value,
            value_and_gradient,
            lambda z: 0.0,
            lambda v, t: np.maximum(v, 0, out=v),
            s.H,
            step=4 * s.step,
            n_steps=_INNER,
            image=lambda H: product(K, H),
        )
        return s._replace(H=H, EH=product(self.Et, H), step=step)

    def update_M(self, s: State) -> State:
        return s._replace(M=prox_l1(s.EH - s.Y / s.gamma, 1 / s.gamma))

    def step(self, s: State) -> State:
        """H, M, then the multiplier and its weight."""
        new = self.update_M(self.update_H(s))
        Y = new.Y + new.gamma * (new.M - new.EH)
        return new._replace(Y=Y, gamma=min(_GROWTH * new.gamma, _LARGEST))


def product(K: Array, H: Array) -> Array:
    """``K'H``; where few entries of H are not 0, at their cost.

    Parameters
    ----------
    K : ndarray of shape (d, r)
        In rows.
    H : ndarray of shape (d, m)
    """
    if np.count_nonzero(H) > _FEW * H.size:
        return K.T @ H
    return np.ascontiguousarray(transposed_product(K, H).T)
