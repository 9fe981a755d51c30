"""The blocks of BLUFS as the paper has them; symbols and deviations stand in `selection._blufs`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from .._typing import Array, Indices
from ..prox import project_stiefel, row_norms
from ..selection._blufs_problem import PROX, BiLevel, Quadratic, State
from ..solvers import conjugate_gradients, exchange_rows, fit_rows

#: Gradient steps of Algorithm 2 at most, and the relative length of a step at which it stops.
_PENALTY_STEPS = 500
_PENALTY_TOL = 1e-8


class ProximalBiLevel(BiLevel):
    """The paper's three blocks with proximal terms: P solved, W by search, Y by one polar factor.

    Sufficient descent: a step lowers the objective by at least ``tau1 |dP|^2 + tau2 |dW|^2 + tau3
    |dY|^2``. Nothing more is proved of the limit than that it is critical.
    """  # Lemma 1, (41)

    def update_S(self, state: State) -> State:
        """W and its support, by exchange, near the W before."""
        problem = self._near(state)
        fit = fit_rows(problem, state.S)
        if not self.fixed:
            fit = exchange_rows(problem, fit)
        return state._replace(S=fit.S, W=fit.W)  # (18), (28)

    def update_WY(self, state: State) -> State:
        """Y alone: polar factor of ``XW + alpha (S_hat + sigma I)Y + tau3 Y``, sigma = 1."""
        Y = state.Y
        M = self.Z(state) + self.alpha * (self.S_hat @ Y + Y) + PROX * Y
        return state._replace(Y=project_stiefel(M))  # (19), (31)

    def _near(self, state: State) -> Quadratic:
        tau2 = PROX * self.lam
        return replace(self.quadratic(state), tau2=tau2, old=(state.S, state.W))


class PenaltyBiLevel(ProximalBiLevel):
    """The paper's three blocks with its Algorithm 2 for Y, for comparison; see D8."""

    #: theta over 1 + alpha, and rho over the norm of an orthonormal Y.
    theta: ClassVar[float] = 10.0
    rho: ClassVar[float] = 1.1

    not_descending: ClassVar[dict[str, str]] = dict.fromkeys(
        ("update_WY", "step"), "Y'Y = I holds to a tolerance only, and Barzilai-Borwein steps rise"
    )

    def update_WY(self, state: State) -> State:  # Algorithm 2
        """Y alone: Barzilai-Borwein steps on the exact penalty function, in a ball."""
        D, Y = self._penalized(state), state.Y
        rho = self.rho * np.sqrt(Y.shape[1])
        gradient, xi = D(Y), 1 / (2 * (1 + self.theta) * (1 + self.alpha))
        for _ in range(_PENALTY_STEPS):
            new = Y - xi * gradient  # (36)
            new *= min(1.0, rho / float(np.linalg.norm(new)))  # (37), (38), (39)
            before, moved = gradient, new - Y
            Y, gradient = new, D(new)
            if np.linalg.norm(moved) <= _PENALTY_TOL * np.linalg.norm(Y):
                break
            bent = gradient - before
            xi = abs(float(np.vdot(moved, bent))) / float(np.vdot(bent, bent))
        return state._replace(Y=Y)

    def _penalized(self, state: State) -> Callable[[Array], Array]:
        """The approximate gradient of the penalty function, around the Y before."""  # (32)
        Z, old = self.Z(state), state.Y
        theta = self.theta * (1 + self.alpha)

        def D(Y: Array) -> Array:
            slope = 2 * (Y - Z) - 2 * self.alpha * (self.S_hat @ Y) + 2 * PROX * (Y - old)  # (34)
            product = Y.T @ slope
            Lam = (product + product.T) / 2  # (33)
            return slope - Y @ Lam + theta * (Y @ (Y.T @ Y) - Y)  # (35)

        return D


class UnconstrainedBiLevel(ProximalBiLevel):
    """The three blocks with every row of W free, as (29) has them.

    Nothing is d x d: W is improved by conjugate gradients from the W before.
    """

    def Z(self, state: State) -> Array:
        """``XW``, without a copy of X once all rows are free."""
        if len(state.S) < self.X.shape[1]:
            return super().Z(state)
        return self.X.apply(state.W)

    def _with_graph(self, state: State, V: Array) -> State:
        """All rows of W are free from now on."""
        W = np.zeros((self.X.shape[1], self.Y.shape[1]))
        W[state.S] = state.W
        return super()._with_graph(state, V)._replace(S=np.arange(len(W)), W=W)

    def support(self, state: State) -> Indices:
        """The longest rows of W."""
        n_kept = state.path.shape[1]
        return np.sort(np.argsort(-row_norms(state.W), kind="stable")[:n_kept])

    def update_S(self, state: State) -> State:
        """All rows of W, near the W before."""
        quadratic = self._near(state)
        ridge = quadratic.lam + quadratic.tau2

        def A(W: Array) -> Array:
            return self.X.times(quadratic.smooth(self.X.apply(W))) + ridge * W

        B = self.X.times(state.Y) + quadratic.tau2 * state.W
        return state._replace(W=conjugate_gradients(A, B, state.W))  # (29)
