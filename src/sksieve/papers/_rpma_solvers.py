"""The paper's solvers of regularized projection matrix approximation; each a `start` and a `step`.

Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
detection". The symbols are those of `_rpma_problem`.

Deviations

D1. `sksieve.RPMA` itself does not use them but L-BFGS on the Grassmann manifold, which is faster
    and ends in the same minima.
D2. The second condition of Algorithms 1 to 3 is a reversed Wolfe condition, which forbids coming
    near the minimum along the curve; Armijo's alone is used, from a Barzilai-Borwein step.
D3. The curve of Algorithm 1 by (17)-(22) loses orthonormality step by step (to 1e-2 and F below its
    minimum); here U is re-orthonormalized at each.
D4. Algorithm 2 as printed keeps its step size from search to search, never converges (its residual
    scales with c) and returns the last point. Here each search starts anew, the perturbation decays
    and the best point is kept; once the perturbation is gone, Algorithm 1 finishes from there.
    c is an angle, 0.1 radians.
D5. For Algorithm 3 the paper gives Woodbury's identity up, as its matrices are square. But W has
    rank 2K, and the curve is that of Algorithm 1 at half the speed, ``X_3(t) = U_1(t/2)U_1(t/2)'``.
    As the steps adapt, both visit the same points, so Algorithm 3 is Algorithm 1 here.
D6. ADMM: the multiplier is ``lam g'(Y)`` exactly after each update of Y, so none is stored. The
    paper's ``rho = 3 lam l`` guarantees descent of the Lagrangian (Lemma 2) and crawls where
    ``l = 1/delta`` is large; here rho is a fifth of ``lam l`` and becomes ``sqrt(2) lam l``, which
    is enough for descent, as soon as the Lagrangian has risen. F itself may rise from step to step.
D7. The leading eigenvectors in ADMM are block Rayleigh-Ritz steps from the last ones, in float64
    also for a float32 affinity: they build on columns that are orthonormal to rounding.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._typing import AnyArray
from ..clustering._rpma_problem import ProjectionProblem
from ..clustering._rpma_search import Solver
from ..linalg import block_rayleigh_ritz, cayley, orthonormalize
from ..solvers import CurvilinearSearch, CurvilinearState, tangent

_DECAY = 0.9
_LEAST = 1e-3


class PerturbedState(NamedTuple):
    """Best point so far, the search, and the seed and number of the next perturbation."""

    U: AnyArray
    f: float
    search: CurvilinearState
    seed: int
    k: int


class PerturbedSearch:  # Algorithm 2
    """Curvilinear searches from randomly perturbed points, the perturbation decaying.

    Parameters
    ----------
    problem : ProjectionProblem
    c : float, default=0.1
        Angle, in radians, of the first perturbation.
    seed : int, default=0
    """

    def __init__(self, problem: ProjectionProblem, c: float = 0.1, seed: int = 0) -> None:
        self.plain = CurvilinearSearch(problem.fg, constant=problem.constant)
        self.c = c
        self.seed = seed

    def start(self, U: AnyArray) -> PerturbedState:
        search = self.plain.start(U)
        return PerturbedState(U, search.f, search, self.seed, 0)

    def angle(self, k: int) -> float:
        """The perturbation's angle: 0 once it has fallen below a thousandth."""
        angle = self.c * _DECAY**k
        return angle if angle >= _LEAST else 0.0

    def objective(self, s: PerturbedState) -> float:
        return self.plain.constant + s.f

    def change(self, old: PerturbedState, new: PerturbedState) -> float:
        return max(self.plain.change(old.search, new.search), self.angle(old.k))

    def step(self, s: PerturbedState) -> PerturbedState:
        """Perturb, search; at last search only, from the best point."""
        angle = self.angle(s.k)
        search = s.search
        if angle:
            search = self.plain.start(self._perturbed(s, angle))
        elif self.angle(s.k - 1) and s.k:
            search = self.plain.start(s.U)
        search = self.plain.step(search)
        best = (search.U, search.f) if search.f <= s.f or not angle else (s.U, s.f)
        return PerturbedState(*best, search, s.seed, s.k + 1)

    def _perturbed(self, s: PerturbedState, angle: float) -> AnyArray:
        U = s.search.U
        rng = np.random.RandomState([s.seed, s.k])
        N = tangent(U, rng.standard_normal(U.shape).astype(U.dtype))
        return cayley(U, N, angle / (float(np.linalg.norm(N, 2)) or 1.0))


class ADMMState(NamedTuple):
    """X = UU', its copy Y, and the weight rho; f and the residual at U are kept for the record."""

    U: AnyArray
    f: float
    Y: AnyArray
    rho: float
    residual: float


class ADMM:  # (26)
    """``min ||A - X||^2 + lam g(Y), X = Y``: alternating directions, n x n memory.

    Parameters
    ----------
    problem : ProjectionProblem
    rho : float or None, default=None
        Weight of the splitting; None as D6 says.
    """

    not_descending: ClassVar[dict[str, str]] = dict.fromkeys(
        ("update_X", "update_Y", "step"),
        "alternating directions lower the augmented Lagrangian, and F only at the end",
    )

    def __init__(self, problem: ProjectionProblem, rho: float | None = None) -> None:
        self.problem = problem
        self.scale = problem.lam * problem.penalty.lipschitz or 1.0
        self.fixed = rho is not None
        self.rho = rho if rho is not None else 0.2 * self.scale

    def start(self, U: AnyArray) -> ADMMState:
        U = orthonormalize(U.astype(np.float64))
        f, residual = self._at(U)
        return ADMMState(U, f, U @ U.T, self.rho, residual)

    def _at(self, U: AnyArray) -> Any:
        f, G = self.problem.fg(U)
        return f, float(np.linalg.norm(tangent(U, G))) / (float(np.linalg.norm(G)) or 1.0)

    def objective(self, s: ADMMState) -> float:
        return self.problem.constant + s.f

    def change(self, old: ADMMState, new: ADMMState) -> float:
        return new.residual

    def multiplier(self, Y: AnyArray) -> AnyArray:
        return self.problem.lam * self.problem.penalty.grad(Y)  # (30), see D6

    def lagrangian(self, s: ADMMState) -> float:
        """``-2<A, X> + lam g(Y) + <Lam, X - Y> + rho/2 ||X - Y||^2``."""
        p, gap = self.problem, s.U @ s.U.T - s.Y
        fit = -2 * float(np.vdot(s.U, p.apply(s.U)))
        split = float(np.vdot(self.multiplier(s.Y) + s.rho / 2 * gap, gap))
        return fit + p.lam * float(p.penalty.value(s.Y).sum()) + split  # (27)

    def update_X(self, s: ADMMState) -> ADMMState:
        """Leading eigenvectors of ``W = 2A + rho Y - Lam``."""
        M = s.rho * s.Y - self.multiplier(s.Y)

        def W(V: AnyArray) -> AnyArray:
            return 2 * self.problem.apply(V) + M @ V

        return s._replace(U=block_rayleigh_ritz(W, s.U)[1])  # (28)

    def update_Y(self, s: ADMMState) -> ADMMState:
        """``prox_{(lam/rho) g}(X + Lam/rho)``, after which ``Lam = lam g'(Y)`` again."""
        V = s.U @ s.U.T + self.multiplier(s.Y) / s.rho
        return s._replace(Y=self.problem.penalty.prox(V, self.problem.lam / s.rho))  # (29), (31)

    def step(self, s: ADMMState) -> ADMMState:
        """X, Y; rho is raised where the Lagrangian has risen."""
        new = self.update_Y(self.update_X(s))
        enough = np.sqrt(2) * self.scale
        if not self.fixed and s.rho < enough and self.lagrangian(new) > self.lagrangian(s):
            new = new._replace(rho=enough)
        f, residual = self._at(new.U)
        return new._replace(f=f, residual=residual)


def curvilinear(problem: ProjectionProblem, seed: int) -> Solver:  # Algorithm 1, Algorithm 3
    """Algorithm 1, and Algorithm 3 by D5."""
    return CurvilinearSearch(problem.fg, constant=problem.constant)


def perturbed(problem: ProjectionProblem, seed: int) -> Solver:  # Algorithm 2
    """Algorithm 2."""
    return PerturbedSearch(problem, seed=seed)


def splitting(problem: ProjectionProblem, seed: int) -> Solver:
    """Alternating directions."""
    return ADMM(problem)
