"""Row-sparse subspaces by iteratively reweighted eigenproblems.

``min_{W'W = I} tr(W'MW) + g sum_i (||w_i||^2 + eps)^(p/2)``. The penalty lies below its tangent in
``||w_i||^2``, so a step minimizes an upper bound that touches: the objective never rises.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import AnyArray
from ..linalg import SignedGram

EPS = 1e-10


class SubspaceState(NamedTuple):
    """``W`` of shape (d, m), orthonormal columns."""

    W: AnyArray


def smoothed_l2p(W: AnyArray, p: float = 1.0, eps: float = EPS) -> float:
    """``sum_i (||w_i||^2 + eps)^(p/2)``."""
    return float(((np.einsum("ij,ij->i", W, W) + eps) ** (p / 2)).sum())


def row_weights(W: AnyArray, p: float = 1.0, eps: float = EPS) -> AnyArray:
    """Slopes of `smoothed_l2p` in ``||w_i||^2``: ``(p/2) (||w_i||^2 + eps)^(p/2 - 1)``.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.solvers import row_weights
    >>> row_weights(np.array([[3.0, 4.0], [0.5, 0.0]])).round(6)
    array([0.1, 1. ])
    """
    return (p / 2) * (np.einsum("ij,ij->i", W, W) + eps) ** (p / 2 - 1)


class ReweightedSubspace:
    """The problem above for the loop.

    Parameters
    ----------
    M : SignedGram
        The quadratic form, of order d.
    g : float
        Weight of the penalty, > 0.
    m : int
        Columns of W, ``1 <= m <= d``.
    p : float, default=1.0
        In (0, 2).
    eps : float, default=1e-10
        Smoothing. Below 1e-10 rounding may raise the objective by 1e-6 of itself.
    exact : bool, default=True
        Whether W becomes the eigenvectors for the weights, or takes a step toward them: as good
        where M changes before they are needed, and a few times as fast for hundreds of columns.

    Notes
    -----
    As ``sum_i ||w_i||^2 = m`` and every ``||w_i|| <= 1``, at least m rows stay; for large g exactly
    m do, those with the smallest ``M_ii``. Rows once near 0 stay there, and their order among
    themselves means nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import SignedGram
    >>> from sksieve.solvers import ReweightedSubspace, Stopping, iterate
    >>> problem = ReweightedSubspace(SignedGram(np.diag([1.0, 3.0, 2.0]), sign=-1), g=0.1, m=1)
    >>> run = iterate(problem.step, problem.start(), objective=problem.objective,
    ...               stopping=Stopping(max_iter=20, tol=1e-9))
    >>> abs(run.state.W.ravel().round(6))
    array([0., 1., 0.])
    """

    def __init__(
        self,
        M: SignedGram,
        g: float,
        m: int,
        *,
        p: float = 1.0,
        eps: float = EPS,
        exact: bool = True,
    ) -> None:
        self.M = M
        self.g = g
        self.m = m
        self.p = p
        self.eps = eps
        self.exact = exact

    def start(self, rng: object = None, *, q: AnyArray | None = None) -> SubspaceState:
        """W for the weights q; all 1 when not given."""
        q = np.ones(self.M.n_columns) if q is None else q
        return SubspaceState(self.M.smallest_eigenvectors(self.g * q, self.m))

    def objective(self, s: SubspaceState) -> float:
        return self.M.trace(s.W) + self.g * smoothed_l2p(s.W, self.p, self.eps)

    def update_W(self, s: SubspaceState) -> SubspaceState:
        q = self.g * row_weights(s.W, self.p, self.eps)
        if not self.exact:
            return SubspaceState(self.M.step_to_smallest(q, s.W))
        return SubspaceState(self.M.smallest_eigenvectors(q, self.m, start=s.W))

    def step(self, s: SubspaceState) -> SubspaceState:
        return self.update_W(s)
