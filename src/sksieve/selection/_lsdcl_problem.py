"""The repaired dual concept model and one pass of its block proximal solver; see `_lsdcl`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..graphs import LocalCorrentropy
from ..prox import project_simplex, prox_l21_nonneg, row_norms
from ..solvers import accelerated_proximal_gradient

__all__ = ["DualConcepts", "State", "spectral_norm2"]

Array = NDArray[Any]

_INNER_STEPS = 10


class State(NamedTuple):
    """The two blocks, and the step size the V block ended with."""

    T: Array
    V: Array
    step: float


class DualConcepts:
    """``min ||X' - (X'T)(XV)'||^2 + lam1 CIM(XV) + lam2 ||V||_{2,1}``, T on the simplex, V >= 0.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Samples are rows.
    correntropy : LocalCorrentropy
        CIM on the neighbour graph of the samples.
    lam1, lam2 : float >= 0
        Raw weights.
    """

    def __init__(self, X: Any, correntropy: LocalCorrentropy, *, lam1: float, lam2: float) -> None:
        self.X = X
        self.correntropy = correntropy
        self.lam1 = lam1
        self.lam2 = lam2
        n, d = X.shape
        self._K = X @ X.T if not sp.issparse(X) and 2 * n < d else None
        self.norm2 = float((X.multiply(X) if sp.issparse(X) else X * X).sum())
        self.sigma2 = spectral_norm2(X)

    def XXt(self, M: Array) -> Array:
        """``X X'M``, through the n x n Gram matrix where that is smaller than X."""
        return self._K @ M if self._K is not None else self.X @ (self.X.T @ M)

    def fit(self, T: Array, V: Array) -> float:
        """``||X' - (X'T)(XV)'||^2``."""
        C, Y = self.X.T @ T, self.X @ V
        return _fit(self.norm2, float(np.vdot(C, self.X.T @ Y)), C.T @ C, Y.T @ Y)

    def objective(self, state: State) -> float:
        """The model's objective."""  # (opt_usv)
        T, V, _ = state
        Y = self.X @ V
        penalties = self.lam1 * self.correntropy.value(Y) + self.lam2 * float(row_norms(V).sum())
        return self.fit(T, V) + penalties

    def update_T(self, state: State) -> State:
        """Projected gradient on the sample concepts; columns of T on the simplex."""
        Y = self.X @ state.V
        YtY, XXtY = Y.T @ Y, self.XXt(Y)

        def value_and_gradient(T: Array) -> tuple[float, Array]:
            KT = self.XXt(T)
            value = _fit(self.norm2, float(np.vdot(T, XXtY)), T.T @ KT, YtY)
            return value, 2 * (KT @ YtY - XXtY)

        L = 2 * self.sigma2 * float(np.linalg.eigvalsh(YtY)[-1])
        if L <= 0:
            return state
        T, _ = accelerated_proximal_gradient(
            lambda T: value_and_gradient(T)[0],
            value_and_gradient,
            lambda T: 0.0,
            lambda M, t: project_simplex(M, axis=0),
            state.T,
            step=1 / L,
            n_steps=_INNER_STEPS,
        )
        return state._replace(T=T)

    def update_V(self, state: State, n_steps: int = _INNER_STEPS) -> State:
        """Proximal gradient on the feature concepts; V >= 0 with whole rows at zero."""
        X, lam1 = self.X, self.lam1
        C = X.T @ state.T
        CtC, XtXC = C.T @ C, X.T @ (X @ C)

        def smooth(V: Array, Y: Array) -> float:
            return _fit(self.norm2, float(np.vdot(V, XtXC)), CtC, Y.T @ Y)

        def value(V: Array) -> float:
            Y = X @ V
            return smooth(V, Y) + (lam1 * self.correntropy.value(Y) if lam1 else 0.0)

        def value_and_gradient(V: Array) -> tuple[float, Array]:
            Y = X @ V
            pull = 2 * (Y @ CtC)
            f = smooth(V, Y)
            if lam1:
                cim, g = self.correntropy.value_and_gradient(Y)
                f, pull = f + lam1 * cim, pull + Y.dtype.type(lam1) * g
            return f, X.T @ pull - 2 * XtXC

        L = 2 * self.sigma2 * float(np.linalg.eigvalsh(CtC)[-1])
        if L <= 0:
            return state
        V, step = accelerated_proximal_gradient(
            value,
            value_and_gradient,
            lambda V: self.lam2 * float(row_norms(V).sum()),
            lambda M, t: prox_l21_nonneg(M, t * self.lam2),
            state.V,
            step=min(2 * state.step, 1 / L),
            n_steps=n_steps,
        )
        return state._replace(V=V, step=step)

    def step(self, state: State) -> State:
        """One pass over both blocks; neither raises the objective."""
        return self.update_V(self.update_T(state))


def _fit(norm2: float, cross: float, CtC: Array, YtY: Array) -> float:
    """``||X' - C Y'||^2`` from ``||X||^2``, ``<X', C Y'>`` and the two r x r products."""
    return norm2 - 2 * cross + float(np.vdot(CtC, YtY))


def spectral_norm2(X: Any, n_steps: int = 30) -> float:
    """Upper estimate of ``||X||_2^2``: power steps from a fixed start, a percent added."""
    v = np.full(X.shape[1], X.shape[1] ** -0.5, dtype=X.dtype)
    v += np.linspace(0, 1e-3, X.shape[1], dtype=X.dtype)
    norm = 0.0
    for _ in range(n_steps):
        v = X.T @ (X @ v)
        norm = float(np.linalg.norm(v))
        if norm == 0:
            return 0.0
        v /= X.dtype.type(norm)
    return 1.01 * norm
