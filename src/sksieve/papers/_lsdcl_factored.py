"""Sample concepts in two factors, T = U S, where S need not be square; see `selection._lsdcl`."""

from __future__ import annotations

from .._typing import Array
from ..selection._lsdcl_problem import (
    T_STEPS,
    DualConcepts,
    FactoredState,
    factored_state,
    largest_eigenvalue,
)
from ..solvers import Composite, spectral_proximal_gradient


class FactoredConcepts:
    """The model of `problem` with T = U S: k mixtures of samples, mixed again to r concepts.

    Parameters
    ----------
    problem : DualConcepts
        The model with T in one piece.
    """

    def __init__(self, problem: DualConcepts) -> None:
        self.problem = problem

    def start(self, factors: tuple[Array, Array, Array]) -> FactoredState:
        """The state at the factors (U, S, V)."""
        return factored_state(factors)

    def objective(self, state: FactoredState) -> float:
        """The model's objective."""
        return self.problem.objective(state)

    def update_U(self, state: FactoredState) -> FactoredState:
        """Projected gradient on U, columns on the simplex."""
        parts, lipschitz = self.problem.T_parts(state.V, self.problem.X @ state.V)
        S = state.S
        lipschitz *= largest_eigenvalue(S @ S.T)
        if lipschitz <= 0:
            return state
        U, _, step = spectral_proximal_gradient(
            Composite(
                parts.image,
                lambda U, KU: parts.value(U @ S, KU @ S),
                lambda U, KU: parts.gradient(U @ S, KU @ S) @ S.T,
                parts.penalty,
                parts.prox,
            ),
            state.U,
            parts.image(state.U),
            step=state.T_step,
            shortest=1 / lipschitz,
            n_steps=T_STEPS,
        )
        return state._replace(T=U @ S, U=U, T_step=step)

    def update_S(self, state: FactoredState) -> FactoredState:
        """Projected gradient on S, columns on the simplex; the data are met once."""
        parts, lipschitz = self.problem.T_parts(state.V, self.problem.X @ state.V)
        U, KU = state.U, parts.image(state.U)
        lipschitz *= largest_eigenvalue(U.T @ U)
        if lipschitz <= 0:
            return state
        S, _, step = spectral_proximal_gradient(
            Composite(
                lambda S: KU @ S,
                lambda S, KT: parts.value(U @ S, KT),
                lambda S, KT: U.T @ parts.gradient(U @ S, KT),
                parts.penalty,
                parts.prox,
            ),
            state.S,
            KU @ state.S,
            step=state.S_step,
            shortest=1 / lipschitz,
            n_steps=T_STEPS,
        )
        return state._replace(T=U @ S, S=S, S_step=step)

    def update_V(self, state: FactoredState) -> FactoredState:
        """As with T in one piece."""
        return self.problem.update_V(state)

    def step(self, state: FactoredState) -> FactoredState:
        """One pass over the three blocks; none raises the objective."""
        return self.update_V(self.update_S(self.update_U(state)))
