"""SRSG as Sun & Yang print it: proximal gradient steps of one size, and supports that grow.

Sun & Yang, "Locally Regularized Sparse Graph by Fast Proximal Gradient Descent", 2024. The symbols
and deviations are in `sksieve.clustering._srsg`; D1, D2 and D4 hold for `GradientSRSG` and
`GrowingSRSG` too, D4 only for `LiteralSRSG`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import svds

from ..clustering import SRSG
from ..clustering._srsg import GlobalStep, SupportRegularizedCodes
from ..graphs import knn_graph, sparse_codes
from ..kernels._srsg_literal import printed_sweep

#: Smaller sides up to which the largest singular value is that of a dense decomposition.
_DENSE = 400


class GradientSRSG(SRSG):
    """`SRSG` by the paper's Algorithm 1, fast proximal gradient descent, its two errors fixed.

    Parameters and attributes are those of `SRSG`; gamma is the paper's 0.1 where none is given.
    Without the step of least squares, and with one step for all columns, which falls like 1/n.

    Examples
    --------
    >>> from sksieve.datasets import make_subspaces
    >>> from sksieve.papers import GradientSRSG
    >>> X, y = make_subspaces(random_state=0)
    >>> est = GradientSRSG(n_clusters=len(set(y)), random_state=0).fit(X)
    >>> est.stop_reason_
    'tolerance'
    """

    def _default_gamma(self) -> float:
        return 0.1

    def _step(self, X: NDArray) -> GlobalStep:
        """Global step s, lambda_k = eta k with eta = s/2."""
        X = np.ascontiguousarray(X).astype(np.float64)
        n, d = X.shape
        if min(n, d) <= _DENSE:
            sigma = np.linalg.norm(X, 2)
        else:
            sigma = svds(X, 1, v0=np.full(min(n, d), 1.0), return_singular_vectors=False)[0]
        s = 0.99 / (2 * sigma**2)
        return GlobalStep(float(s), float(s / 2), 300, 1e-8)


class GrowingSRSG(SRSG):
    """`SRSG` whose supports may take in new entries, faithful to (3).

    Supports of `SRSG` only shrink, as in the proof of Theorem 3.2. Neither is better everywhere
    (docs/reproduction/srsg.md). Parameters and attributes are those of `SRSG`.

    Examples
    --------
    >>> from sksieve.datasets import make_subspaces
    >>> from sksieve.papers import GrowingSRSG
    >>> X, y = make_subspaces(random_state=0)
    >>> est = GrowingSRSG(n_clusters=len(set(y)), random_state=0).fit(X)
    >>> est.stop_reason_
    'tolerance'
    """

    _growth = True


class LiteralState(NamedTuple):
    """The codes as rows, and (3)."""

    Z: NDArray[np.float64]
    L: float


class LiteralCodes:
    """The problem of `LiteralSRSG`: (3), lowered by sweeps with the printed weights.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples of unit length.
    S : CSR of shape (n, n)
        Directed neighbors.
    gamma : float
        Weight of the regularizer.
    step : GlobalStep
        Of Algorithm 1.
    """

    def __init__(self, X: NDArray, S: sp.csr_array, *, gamma: float, step: GlobalStep) -> None:
        self.exact = SupportRegularizedCodes(X, S, gamma=gamma)
        # dense: supports may grow to all samples, as printed
        self.K = X.astype(np.float64) @ X.astype(np.float64).T
        self.S, self.gamma, self.step_rule = S, gamma, step

    def start(self, Z: sp.csc_array) -> LiteralState:
        """The l1 codes."""
        return self._state(np.ascontiguousarray(Z.T.toarray(), dtype=np.float64))

    def _state(self, Z: NDArray) -> LiteralState:
        return LiteralState(Z, self.exact.start(sp.csc_array(Z.T)).L)

    def objective(self, state: LiteralState) -> float:
        """(3), with exact distances of supports."""
        return state.L

    def change(self, old: LiteralState, new: LiteralState) -> float:
        """Absolute change of (3), as Algorithm 2 has it."""
        return abs(new.L - old.L)

    def step(self, state: LiteralState) -> LiteralState:
        """One sweep over all columns."""
        Z = state.Z.copy()
        s, eta, n_steps, _ = self.step_rule
        printed_sweep(self.K, self.S.indptr, self.S.indices, self.gamma, s, eta, n_steps, Z)
        return self._state(Z)


class LiteralSRSG(GradientSRSG):
    """Algorithms 1 and 2 of the paper with every misprint: for comparison, not for use.

    The weights c count the neighbors in one direction only (D1), entry i of the auxiliary vector is
    not held at zero (D2), supports may grow, and 100 steps are made for each column. (3) may rise.
    Parameters and attributes are those of `SRSG`; `tol` bounds the absolute change of (3), for
    which the paper has 1e-5. O(n^2) memory and time for each column.

    Examples
    --------
    >>> from sksieve.datasets import make_subspaces
    >>> from sksieve.papers import LiteralSRSG
    >>> X, y = make_subspaces(random_state=0)
    >>> est = LiteralSRSG(n_clusters=len(set(y)), tol=1e-5, max_iter=5, random_state=0).fit(X)
    >>> est.codes_.shape == (len(X), len(X))
    True
    """

    def _step(self, X: NDArray) -> GlobalStep:
        return super()._step(X)._replace(max_iter=100)

    def _codes(self, X: NDArray, rng: Any) -> sp.csc_array:  # Algorithm 2
        gamma = self._default_gamma() if self.gamma is None else self.gamma
        S = knn_graph(X, self._nearest(X), symmetrize="none")
        problem = LiteralCodes(X, S, gamma=gamma, step=self._step(X))
        run = self._run(problem, problem.start(sparse_codes(X, self.lam)))
        return sp.csc_array(sp.csr_array(run.state.Z).T)
