"""The repaired dual concept model and one pass of its block proximal solver; see `_lsdcl`.

With ``K = X X'`` and ``G = X'X``, neither of them formed, the fit is a function of small matrices:
``||X' - (X'T)(XV)'||^2 = ||X||^2 - 2 <T, K X V> + <T'KT, V'GV>``. Plain factors, ``X ~ T V'``, are
the same with K and G the identity.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import scipy.sparse as sp

from .._typing import AnyArray
from ..graphs import LocalCorrentropy
from ..prox import project_simplex, prox_l21_nonneg, row_norms
from ..solvers import Composite, spectral_proximal_gradient

T_STEPS = 3
_V_STEPS = 6
#: Steps of the power method for a spectral norm.
POWER_STEPS = 30


class State(NamedTuple):
    """The two blocks, and the step sizes they ended with; 0 stands for the shortest one."""

    T: AnyArray
    V: AnyArray
    T_step: float = 0.0
    V_step: float = 0.0


class FactoredState(NamedTuple):
    """`State` with the factors of T = U S, columns of both on the simplex; T_step is U's."""

    T: AnyArray
    V: AnyArray
    T_step: float
    V_step: float
    U: AnyArray
    S: AnyArray
    S_step: float = 0.0


#: A state of either kind.
AnyState = TypeVar("AnyState", State, FactoredState)


def factored_state(factors: tuple[AnyArray, AnyArray, AnyArray]) -> FactoredState:
    """The state at the factors (U, S, V), no step sizes known."""
    U, S, V = factors
    return FactoredState(U @ S, V, 0.0, 0.0, U, S)


class DualConcepts:
    """``min ||X' - (X'T)(XV)'||^2 + lam1 CIM(XV) + lam2 ||V||_{2,1}``, T on the simplex, V >= 0.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Samples are rows.
    correntropy : LocalCorrentropy or None
        CIM on the neighbor graph of the samples; None: not there.
    lam1, lam2 : float >= 0
        Raw weights.
    laplacian : CSR of shape (n, n), optional
        L: ``lam1 tr(T'LT)`` joins the objective.
    """

    def __init__(
        self,
        X: Any,
        correntropy: LocalCorrentropy | None,
        *,
        lam1: float,
        lam2: float,
        laplacian: Any = None,
    ) -> None:
        self.X = X
        self.correntropy = correntropy
        self.laplacian = laplacian
        self.lam1 = lam1
        self.lam2 = lam2
        self.norm2 = float((X.multiply(X) if sp.issparse(X) else X * X).sum())
        self._prepare()

    def _prepare(self) -> None:
        X = self.X
        n, d = X.shape
        self._XXt = X @ X.T if not sp.issparse(X) and 2 * n < d else None
        self.sigma2 = spectral_norm2(X)

    def with_penalties(
        self, lam1: float, lam2: float, correntropy: LocalCorrentropy | None
    ) -> Self:
        """The same data with other weights and another correntropy."""
        other = copy.copy(self)
        other.lam1, other.lam2, other.correntropy = lam1, lam2, correntropy
        return other

    def start(self, factors: tuple[AnyArray, AnyArray]) -> State:
        """The state at the factors (T, V), no step sizes known."""
        return State(*factors)

    def K(self, M: AnyArray) -> AnyArray:
        """``K M``, through the n x n Gram matrix where that is smaller than X."""
        return self._XXt @ M if self._XXt is not None else self.X @ (self.X.T @ M)

    def VGV(self, V: AnyArray, Y: AnyArray) -> AnyArray:
        """``V'GV``, given Y = XV."""
        return Y.T @ Y

    def GV(self, V: AnyArray, Y: AnyArray, M: AnyArray, extra: AnyArray | float) -> AnyArray:
        """``G V M + X' extra``, given Y = XV."""
        return self.X.T @ (Y @ M + extra)

    def fit(self, T: AnyArray, V: AnyArray) -> float:
        """``||X' - (X'T)(XV)'||^2``."""
        Y = self.X @ V
        return self._fit(T, self.K(T), self.K(Y), self.VGV(V, Y))  # (7), (8)

    def _fit(self, T: AnyArray, KT: AnyArray, KY: AnyArray, VGV: AnyArray) -> float:
        return self.norm2 - 2 * float(np.vdot(T, KY)) + float(np.vdot(T.T @ KT, VGV))

    def objective(self, state: State | FactoredState) -> float:
        """The model's objective."""  # (14)
        T, V = state.T, state.V
        value = self.fit(T, V) + self.lam2 * float(row_norms(V).sum())  # (13)
        if self.correntropy is not None:
            value += self.lam1 * self.correntropy.value(self.X @ V)
        return value + self._smoothness(T)

    def _smoothness(self, T: AnyArray) -> float:
        """``lam1 tr(T'LT)``, 0 where the model has no L."""
        return 0.0 if self.laplacian is None else self.lam1 * float(np.vdot(T, self.laplacian @ T))

    def update_T(self, state: State) -> State:
        """Projected gradient on the sample concepts; columns of T on the simplex."""
        return self._update_T(state, self.X @ state.V)[0]

    def _update_T(self, state: State, Y: AnyArray) -> tuple[State, AnyArray]:
        """The new state and its KT, given Y = XV."""
        parts, lipschitz = self.T_parts(state.V, Y)
        KT = self.K(state.T)
        if lipschitz <= 0:
            return state, KT
        T, KT, step = spectral_proximal_gradient(
            parts, state.T, KT, step=state.T_step, shortest=1 / lipschitz, n_steps=T_STEPS
        )
        return state._replace(T=T, T_step=step), KT

    def T_parts(self, V: AnyArray, Y: AnyArray) -> tuple[Composite, float]:
        """The objective as a function of T and of KT, given Y = XV, and its curvature's bound."""
        KY, Q, L = self.K(Y), self.VGV(V, Y), self.laplacian
        lipschitz = 2 * self.sigma2 * largest_eigenvalue(Q)
        if L is not None:
            lipschitz += 4 * self.lam1 * float(L.diagonal().max())

        def value(T: AnyArray, KT: AnyArray) -> float:
            return self._fit(T, KT, KY, Q) + self._smoothness(T)

        def gradient(T: AnyArray, KT: AnyArray) -> AnyArray:
            g = 2 * (KT @ Q - KY)
            return g if L is None else g + T.dtype.type(2 * self.lam1) * (L @ T)

        return Composite(self.K, value, gradient, _nothing, _columns_on_simplex), lipschitz

    def update_V(self, state: AnyState, n_steps: int = _V_STEPS) -> AnyState:
        """Proximal gradient on the feature concepts; V >= 0 with whole rows at zero."""
        return self._update_V(state, self.K(state.T), self.X @ state.V, n_steps)

    def _update_V(self, state: AnyState, KT: AnyArray, Y: AnyArray, n_steps: int) -> AnyState:
        """The new state, given KT and Y = XV."""
        X, cim = self.X, self.correntropy if self.lam1 else None
        M, pull = state.T.T @ KT, X.T @ KT
        lipschitz = 2 * self.sigma2 * largest_eigenvalue(M)

        def value(V: AnyArray, Y: AnyArray) -> float:
            fit = self.norm2 - 2 * float(np.vdot(V, pull)) + float(np.vdot(M, self.VGV(V, Y)))
            return fit if cim is None else fit + self.lam1 * cim.value(Y)

        def gradient(V: AnyArray, Y: AnyArray) -> AnyArray:
            local = 0.0 if cim is None else Y.dtype.type(self.lam1 / 2) * cim.gradient(Y)
            return 2 * (self.GV(V, Y, M, local) - pull)

        if lipschitz <= 0:
            return state
        V, _, step = spectral_proximal_gradient(
            Composite(
                lambda V: X @ V,
                value,
                gradient,
                lambda V: self.lam2 * float(row_norms(V).sum()),
                lambda M, t: prox_l21_nonneg(M, t * self.lam2),
            ),
            state.V,
            Y,
            step=state.V_step,
            shortest=1 / lipschitz,
            n_steps=n_steps,
        )
        return state._replace(V=V, V_step=step)

    def step(self, state: State) -> State:
        """One pass over both blocks; neither raises the objective. The images serve both."""
        Y = self.X @ state.V
        state, KT = self._update_T(state, Y)
        return self._update_V(state, KT, Y, _V_STEPS)


class PlainConcepts(DualConcepts):
    """``min ||X - TV'||^2 + ...``: the concepts are free vectors, K and G the identity."""

    def _prepare(self) -> None:
        self.sigma2 = 1.0

    def K(self, M: AnyArray) -> AnyArray:
        """M itself."""
        return M

    def VGV(self, V: AnyArray, Y: AnyArray) -> AnyArray:
        """``V'V``."""
        return V.T @ V

    def GV(self, V: AnyArray, Y: AnyArray, M: AnyArray, extra: AnyArray | float) -> AnyArray:
        """``V M + X' extra``."""
        return V @ M if np.ndim(extra) == 0 else V @ M + self.X.T @ extra


def largest_eigenvalue(M: AnyArray) -> float:
    """The largest eigenvalue of a symmetric matrix."""
    return float(np.linalg.eigvalsh(M)[-1])


def _nothing(T: AnyArray) -> float:
    return 0.0


def _columns_on_simplex(M: AnyArray, t: float) -> AnyArray:
    return project_simplex(M, axis=0)


def spectral_norm2(X: Any) -> float:
    """Upper estimate of ``||X||_2^2``: power steps from a fixed start, a percent added."""
    v = np.full(X.shape[1], X.shape[1] ** -0.5, dtype=X.dtype)
    v += np.linspace(0, 1e-3, X.shape[1], dtype=X.dtype)
    norm = 0.0
    for _ in range(POWER_STEPS):
        v = X.T @ (X @ v)
        norm = float(np.linalg.norm(v))
        if norm == 0:
            return 0.0
        v /= X.dtype.type(norm)
    return 1.01 * norm
