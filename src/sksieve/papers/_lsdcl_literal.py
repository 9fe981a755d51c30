"""Algorithm 1 of LSDCL as it is printed, for comparison; see `selection._lsdcl`, D12.

Nothing holds the columns of T = U S on the simplex, the half-quadratic weights lack their constants
(D2), and delta^2 is recomputed after every pass (D3). The printed updates split the n x n and d x d
Gram matrices by sign; both are held.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._array import dense
from .._typing import AnyArray
from ..graphs import distances_on, mean_squared_distance
from ..prox import row_norms
from ..selection._lsdcl_problem import DualConcepts
from ..solvers import multiplicative_step
from ._lsdcl_multiplicative import Pair, signed

_EPS = 1e-12


class LiteralState(NamedTuple):
    """The factors, T = U S among them, and delta^2 as the last pass left it."""

    T: AnyArray
    V: AnyArray
    U: AnyArray
    S: AnyArray
    delta2: float


class LiteralConcepts:  # Algorithm 1
    """``||X' - X'U S (XV)'||^2 + lam1 CIM(XV) + lam2 ||V||_{2,1}``, U, S, V >= 0, as printed.

    Parameters
    ----------
    problem : DualConcepts
        Data and raw weights.
    A : csr_array of shape (n, n)
        0/1 neighbor graph.
    gamma : float > 0
        Bandwidth: delta^2 over the mean squared distance between rows of XV.
    """

    not_descending: ClassVar[dict[str, str]] = {
        "update_V": "W lacks 1/delta^2 and Q lacks 1/2",
        "step": "so does update_V in it, and delta^2 moves",
    }

    def __init__(self, problem: DualConcepts, A: sp.csr_array, *, gamma: float) -> None:
        X = problem.X
        self.problem = problem
        self.A = A
        self.gamma = gamma
        self.K = signed(dense(X @ X.T))
        self.G = signed(dense(X.T @ X))

    def start(self, factors: tuple[AnyArray, AnyArray]) -> LiteralState:
        """U and V as given, S the identity."""
        U, V = factors
        S = np.eye(U.shape[1], dtype=U.dtype)
        return LiteralState(U, V, U, S, self._delta2(V))

    def objective(self, s: LiteralState) -> float:
        """The printed objective, with delta^2 of the state."""  # (14)
        p = self.problem
        local = float((self.A.data * -np.expm1(-self._ratios(s))).sum())
        return p.fit(s.T, s.V) + p.lam1 * local + p.lam2 * float(row_norms(s.V).sum())

    def _delta2(self, V: AnyArray) -> float:
        mean = mean_squared_distance(self.problem.X @ V)
        return self.gamma * mean or 1.0  # (29)

    def _ratios(self, s: LiteralState) -> AnyArray:
        """Squared distances between neighbors over delta^2."""
        return distances_on(self.A, self.problem.X @ s.V).data / s.delta2

    def update_U(self, s: LiteralState) -> LiteralState:  # (15)
        """Multiply U."""
        YS = self.problem.X @ s.V @ s.S.T
        H = signed(self.problem.K(YS))
        U = _multiplied(s.U, self.K @ Pair(s.U, None) @ signed(YS.T @ YS), H)  # (19), (20)
        return s._replace(U=U, T=U @ s.S)

    def update_S(self, s: LiteralState) -> LiteralState:  # (36)
        """Multiply S."""
        Y = self.problem.X @ s.V
        C, D = signed(s.U.T @ self.problem.K(s.U)), signed(Y.T @ Y)
        O = signed(s.U.T @ self.problem.K(Y))  # noqa: E741 - the paper's letter
        S = _multiplied(s.S, C @ Pair(s.S, None) @ D, O)  # (37)
        return s._replace(S=S, T=s.U @ S)

    def update_V(self, s: LiteralState) -> LiteralState:  # (27), (31)
        """Multiply V, with the printed weights W and Q."""
        X, p = self.problem.X, self.problem
        W = self.A.copy()
        W.data = W.data * np.exp(-self._ratios(s))  # (28)
        D = sp.diags_array(np.asarray(W.sum(axis=1)).ravel())
        KT = p.K(s.T)
        quadratic = self.G @ Pair(s.V, None) @ signed(s.T.T @ KT)
        far, near = signed(dense(X.T @ (D @ X))), signed(dense(X.T @ (W @ X)))
        local = Pair(far.plus + _zero(near.minus), near.plus + _zero(far.minus)) @ Pair(s.V, None)
        Q = 1 / (row_norms(s.V) + _EPS)  # (30)
        more = Pair(2 * p.lam1 * local.plus + p.lam2 * Q[:, None] * s.V, 2 * p.lam1 * local.minus)
        V = _multiplied(s.V, quadratic + more, signed(X.T @ KT))  # (35)
        return s._replace(V=V)

    def step(self, s: LiteralState) -> LiteralState:
        """U, S, V, then delta^2."""
        s = self.update_V(self.update_S(self.update_U(s)))
        return s._replace(delta2=self._delta2(s.V))


def _multiplied(x: AnyArray, quadratic: Pair, linear: Pair) -> AnyArray:
    """``x sqrt((linear+ + quadratic-) / (linear- + quadratic+))``."""
    down = quadratic.plus + _zero(linear.minus)
    up = linear.plus + _zero(quadratic.minus)
    return multiplicative_step(x, down, up).astype(x.dtype, copy=False)


def _zero(part: Any) -> Any:
    return 0.0 if part is None else part
