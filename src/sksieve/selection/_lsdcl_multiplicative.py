"""The multiplicative updates of LSDCL with their constants, for X >= 0; see `_lsdcl`.

Half-quadratic weights turn the correntropy and the row norms into quadratic upper bounds:
``W_ij = A_ij exp(-||y_i - y_j||^2/delta^2)/delta^2`` and ``Q_ii = 1/(2 ||V_i||)`` (deviation D2).
With X >= 0 nothing needs splitting by sign, so no n x n and no d x d array is formed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..exceptions import DataError
from ..graphs import LocalCorrentropy
from ..prox import row_norms
from ..solvers import multiplicative_step
from ._lsdcl_problem import DualConcepts, State

__all__ = ["MultiplicativeConcepts"]

Array = NDArray[Any]


class MultiplicativeConcepts(DualConcepts):
    """The model of `DualConcepts`, its blocks updated by multiplication.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        No negative entries.
    correntropy : LocalCorrentropy
        With ``delta2`` frozen.
    lam1, lam2 : float >= 0
        Raw weights.
    rule : {"sqrt", "root"}
        See `multiplicative_step`.

    Raises
    ------
    DataError
        If X has negative entries.
    """

    def __init__(
        self, X: Any, correntropy: LocalCorrentropy, *, lam1: float, lam2: float, rule: str
    ) -> None:
        if (X.data if sp.issparse(X) else X).min(initial=0) < 0:
            raise DataError(
                'The multiplicative updates need X >= 0 after scaling; use solver="prox", or '
                'scale="minmax".'
            )
        super().__init__(X, correntropy, lam1=lam1, lam2=lam2)
        self.rule = rule

    def update_T(self, state: State) -> State:
        """Multiply T, then give the columns' sums to V: T V' does not feel it, the penalties do.

        What they feel is a quadratic in the sums, at most ``sum_ir a_r T_ir^2 / T'_ir`` (Cauchy and
        Schwarz; T' before the step): its `a` joins the denominator, and the step never goes uphill.
        """
        T, V, _ = state
        Y = self.X @ V
        KY, KT = self.XXt(Y), self.XXt(T)
        a = self.lam1 * 2 * self._roughness(Y) + self.lam2 * (V * _weighted(V)).sum(axis=0)
        U = multiplicative_step(T, KT @ (Y.T @ Y) + a.astype(T.dtype), KY, rule=self.rule)
        sums = U.sum(axis=0)
        alive = sums > 0
        T = np.divide(U, sums, out=T.copy(), where=alive)
        return state._replace(T=T, V=np.where(alive, V * sums, V))

    def update_V(self, state: State, n_steps: int = 1) -> State:
        """Multiply V, the weights W and Q taken anew in each step."""
        X, lam1 = self.X, self.lam1
        C = X.T @ state.T
        CtC, XtXC = C.T @ C, X.T @ (X @ C)
        V = state.V
        for _ in range(n_steps):
            Y = X @ V
            G = self.correntropy.attraction(Y)
            degree = G.sum(axis=1)[:, None]
            push = X.T @ (Y @ CtC + 2 * lam1 * (degree * Y)) + self.lam2 * _weighted(V)
            pull = X.T @ (2 * lam1 * (G @ Y))
            V = multiplicative_step(V, push, XtXC, pull, rule=self.rule)
        return state._replace(V=V)

    def _roughness(self, Y: Array) -> Array:
        """``y_r' (D - W) y_r`` for every concept r."""
        G = self.correntropy.attraction(Y)
        return np.maximum(G.sum(axis=1) @ (Y * Y) - (Y * (G @ Y)).sum(axis=0), 0)


def _weighted(V: Array) -> Array:
    """``Q V`` with ``Q_ii = 1/(2 ||V_i||)``; rows at zero stay there."""
    norms = row_norms(V)[:, None]
    return np.divide(V, 2 * norms, out=np.zeros_like(V), where=norms > 0)
