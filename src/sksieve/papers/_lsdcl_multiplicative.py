"""The multiplicative updates of LSDCL with their constants; see `selection._lsdcl`.

Half-quadratic weights turn the correntropy and the row norms into quadratic upper bounds:
``W_ij = A_ij exp(-||y_i - y_j||^2/delta^2)/delta^2`` and ``Q_ii = 1/(2 ||V_i||)`` (deviation D2).
With X >= 0 nothing needs splitting by sign. Otherwise X itself is split, not its Gram matrices
(deviation D8): every product of a chain is a pair of non-negative matrices whose difference it is,
so no n x n and no d x d array is formed either way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._array import stored_values
from .._typing import AnyArray
from ..graphs import laplacian
from ..prox import row_norms
from ..selection._lsdcl_problem import (
    AnyState,
    DualConcepts,
    FactoredState,
    PlainConcepts,
    State,
    factored_state,
)
from ..solvers import multiplicative_step


class Pair(NamedTuple):
    """``plus - minus``, both without negative entries; None stands for zero."""

    plus: Any
    minus: Any

    @property
    def T(self) -> Pair:
        """Transposed."""
        return Pair(self.plus.T, None if self.minus is None else self.minus.T)

    def __matmul__(self, other: Pair) -> Pair:
        plus = _sum(_product(self.plus, other.plus), _product(self.minus, other.minus))
        minus = _sum(_product(self.plus, other.minus), _product(self.minus, other.plus))
        return Pair(plus, minus)

    def __add__(self, other: Pair) -> Pair:  # type: ignore[override]
        """``self + other``, nothing canceled."""
        return Pair(_sum(self.plus, other.plus), _sum(self.minus, other.minus))


def _product(a: Any, b: Any) -> Any:
    return None if a is None or b is None else a @ b


def _sum(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return a + b


def signed(M: Any) -> Pair:  # (21), (22), (23)
    """M split by sign."""
    values = stored_values(M)
    if values.min(initial=0) >= 0:
        return Pair(M, None)
    return Pair(M.maximum(0), (-M).maximum(0)) if sp.issparse(M) else Pair(_above(M), _above(-M))


def _above(M: AnyArray) -> AnyArray:
    return np.maximum(M, 0)


class Shares(NamedTuple):
    """Half the gradient of a block, ``convex - linear - concave``, each part >= 0."""

    convex: AnyArray
    linear: AnyArray
    concave: AnyArray | float


def _shares(quadratic: Pair, linear: Pair) -> Shares:
    """Of ``<x, quadratic> - 2 <linear, x>``; negative linear entries bound like convex ones."""
    convex = quadratic.plus if linear.minus is None else quadratic.plus + linear.minus
    return Shares(convex, linear.plus, 0.0 if quadratic.minus is None else quadratic.minus)


class MultiplicativeConcepts:
    """The model of `problem`, its blocks updated by multiplication.

    Parameters
    ----------
    problem : DualConcepts
        With a correntropy whose ``delta2`` is frozen, and no Laplacian.
    rule : {"sqrt", "root"}
        See `multiplicative_step`.
    """

    def __init__(self, problem: DualConcepts, *, rule: str) -> None:
        self.problem = problem
        self.rule = rule
        self._X = signed(problem.X)
        self._plain = isinstance(problem, PlainConcepts)

    def start(self, factors: Any) -> Any:
        """The state at the factors (T, V)."""
        return self.problem.start(factors)

    def objective(self, state: State | FactoredState) -> float:
        """The model's objective."""
        return self.problem.objective(state)

    def update_T(self, state: AnyState) -> AnyState:
        """Multiply T, then give the columns' sums to V: T V' is unchanged, the penalties change."""
        T = multiplicative_step(state.T, *self.T_shares(state), rule=self.rule)
        T, sums = _on_simplex(T, state.T)
        return state._replace(T=T, V=state.V * sums)

    def T_shares(self, state: State | FactoredState) -> Shares:
        """Half the gradient in T, and what the penalties change with the columns' sums.

        That is a quadratic in the sums, at most ``sum_ir a_r T_ir^2 / T'_ir`` (Cauchy and Schwarz;
        T' before the step): its `a` joins the convex part, and the step never goes uphill (D7).
        """
        problem, V = self.problem, state.V
        Y = problem.X @ V
        a = problem.lam2 * (V * _weighted(V)).sum(axis=0)
        if problem.lam1:
            rough = np.einsum("ij,ij->j", Y, self._laplacian(Y) @ Y)
            a = a + 2 * problem.lam1 * np.maximum(rough, 0)
        shares = _shares(self._K(state.T) @ signed(problem.VGV(V, Y)), signed(problem.K(Y)))
        return shares._replace(convex=shares.convex + a.astype(V.dtype))

    def _K(self, T: AnyArray) -> Pair:
        """``K T`` as a pair."""
        if self._plain or self._X.minus is None:
            return Pair(self.problem.K(T), None)
        return self._X @ (self._X.T @ Pair(T, None))

    def update_V(self, state: AnyState) -> AnyState:
        """Multiply V, the weights W and Q taken anew."""
        problem, V = self.problem, state.V
        KT = problem.K(state.T)
        M = signed(state.T.T @ KT)
        Y = self._X @ Pair(V, None)
        inner = Pair(None, None) if self._plain else Y @ M
        if problem.lam1:
            inner = inner + self._local(V, Y)
        quadratic = self._X.T @ inner
        if self._plain:
            quadratic = quadratic + Pair(V, None) @ M
        convex, linear, concave = _shares(quadratic, signed(problem.X.T @ KT))
        convex = convex + V.dtype.type(problem.lam2) * _weighted(V)
        V = multiplicative_step(V, convex, linear, concave, rule=self.rule)
        return state._replace(V=np.where(V > np.sqrt(np.finfo(V.dtype).tiny), V, 0))  # V^2 is used

    def _local(self, V: AnyArray, Y: Pair) -> Pair:
        """``2 lam1 (D - W) Y``."""
        L = self._laplacian(Y.plus if Y.minus is None else Y.plus - Y.minus)
        return signed(L * V.dtype.type(2 * self.problem.lam1)) @ Y

    def _laplacian(self, Y: AnyArray) -> Any:
        """``D - W`` of the half-quadratic weights at Y."""
        cim = self.problem.correntropy
        assert cim is not None  # LSDCLVariants refuses the variants without it
        return laplacian(cim.attraction(Y))

    def step(self, state: AnyState) -> AnyState:
        """One pass over the blocks; none raises the objective."""
        return self.update_V(self.update_T(state))


class FactoredMultiplicative(MultiplicativeConcepts):
    """The same with T = U S: each factor multiplied by what its share of T's gradient says."""

    def start(self, factors: Any) -> Any:
        """The state at the factors (U, S, V)."""
        return factored_state(factors)

    def update_U(self, state: FactoredState) -> FactoredState:
        """Multiply U; its columns' sums go to the rows of S, those of S to V."""
        parts = self.T_shares(state)
        U = multiplicative_step(
            state.U, *(part @ state.S.T for part in _arrays(parts)), rule=self.rule
        )
        U, sums = _on_simplex(U, state.U)
        return _with_factors(state, U, sums[:, None] * state.S)

    def update_S(self, state: FactoredState) -> FactoredState:
        """Multiply S; its columns' sums go to V."""
        parts = self.T_shares(state)
        S = multiplicative_step(
            state.S, *(state.U.T @ part for part in _arrays(parts)), rule=self.rule
        )
        return _with_factors(state, state.U, S)

    def update_T(self, state: Any) -> Any:
        """Both factors."""
        return self.update_S(self.update_U(state))


def _arrays(parts: Shares) -> Shares:
    """With the concave share an array also where it is zero."""
    return parts._replace(concave=np.broadcast_to(parts.concave, parts.convex.shape))


def _with_factors(state: FactoredState, U: AnyArray, S: AnyArray) -> FactoredState:
    """The state with these factors, S brought to the simplex and V taking its sums."""
    S, sums = _on_simplex(S, state.S)
    return state._replace(T=U @ S, V=state.V * sums, U=U, S=S)


def _on_simplex(M: AnyArray, before: AnyArray) -> tuple[AnyArray, AnyArray]:
    """M with columns of sum 1, and the sums; a column at zero is taken from `before`."""
    sums = M.sum(axis=0)
    alive = sums > 0
    return np.divide(M, sums, out=before.copy(), where=alive), np.where(alive, sums, 1)


def _weighted(V: AnyArray) -> AnyArray:
    """``Q V`` with ``Q_ii = 1/(2 ||V_i||)``; rows at zero stay there."""
    norms = row_norms(V)[:, None]
    return np.divide(V, 2 * norms, out=np.zeros_like(V), where=norms > 0)
