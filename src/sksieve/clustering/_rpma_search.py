"""Where the descents of regularized projection matrix approximation begin, and which one is kept.

The problem has many local minima, and solvers that start at the same point end in the same one.
What finds lower ones: a path from an easy penalty to the one wanted, partitions found by k-means as
starts, and rounds of k-means on the best answer. With more than 20 clusters the starts run in
heats: all take a few steps, the lowest go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from ..solvers import Callback, Stopping, iterate
from ._rpma_problem import ProjectionProblem, indicator
from ._rpma_solvers import Solver

__all__ = ["Found", "Search"]

Array = NDArray[Any]
_ROUGH = 1e-6  # gains that a rough descent cannot tell from none, relative to f
_MANY = (
    20  # with more clusters the starts run in heats; with 20, on images, they end in worse groups
)
_FIRST = 6  # iterations after which, of many starts, only the lowest go on
_HEATS = 2  # so many of them
_FURTHER = 40  # and so far, as do the rounds from them
_ROUND = 1e-4  # a round from many starts that gains less than this, relative to f, is the last
_NEAR = 2e-3  # rough descents that end nearer to the lowest, relative to f, may yet overtake it
_CONTENDERS = 3  # at most so many of them go on

MakeSolver = Callable[[ProjectionProblem, int], Solver]


class Found(NamedTuple):
    """A descent: where it came from, where it ended, F there, and the iterations it took."""

    name: str
    U: Array
    F: float
    n_iter: int


class Search:
    """Rough descents from several starts.

    Parameters
    ----------
    problem : ProjectionProblem
    make_solver : callable
        ``make_solver(problem, seed) -> solver``.
    rng : RandomState
    max_iter : int
        Bound on the iterations of each descent.
    tol : float
        Each descent stops at this relative stationarity.
    callbacks : sequence of callable
        Asked after every step of every descent; one that says stop ends the search soon: each
        descent still to come takes a single step.
    """

    def __init__(
        self,
        problem: ProjectionProblem,
        make_solver: MakeSolver,
        rng: np.random.RandomState,
        *,
        max_iter: int = 100,
        tol: float = 1e-4,
        callbacks: Sequence[Callback] = (),
    ) -> None:
        self.problem, self.make_solver, self.rng = problem, make_solver, rng
        self.stopping = Stopping(max_iter=max_iter, tol=tol)
        self.callbacks = callbacks
        self.first = Stopping(max_iter=min(_FIRST, max_iter), tol=tol)
        self.further = Stopping(max_iter=min(_FURTHER, max_iter), tol=tol)
        self.finer = Stopping(max_iter=3 * max_iter, tol=tol / 10)

    def descend(
        self,
        name: str,
        U: Array,
        problem: ProjectionProblem | None = None,
        stopping: Stopping | None = None,
    ) -> Found:
        """One descent from U, a rough one unless `stopping` says otherwise."""
        problem = self.problem if problem is None else problem
        solver = self.make_solver(problem, int(self.rng.randint(2**31 - 1)))
        run = iterate(
            solver.step,
            solver.start(U),
            objective=solver.objective,
            change=solver.change,
            stopping=stopping or self.stopping,
            callbacks=self.callbacks,
        )
        return Found(name, run.state.U, problem.constant + run.state.f, len(run.history))

    def along_path(self, U: Array, stopping: Stopping | None = None) -> Found:
        """Descents through a row of penalties, each from the answer to the one before."""
        p = self.problem
        typical = p.K / U.shape[0]
        n_iter = 0
        for lam, penalty in p.penalty.path(p.lam, typical):
            optimum = self.descend("path", U, p.with_penalty(lam, penalty), stopping)
            U, n_iter = optimum.U, n_iter + optimum.n_iter
        return optimum._replace(n_iter=n_iter)

    def partition(self, U: Array, n_init: int = 1) -> Array:
        """The indicators of a partition of U's rows by k-means."""
        means = KMeans(self.problem.K, n_init=n_init, random_state=self.rng)
        return indicator(means.fit_predict(U), U)

    def rounds(
        self, best: Found, n_rounds: int, stopping: Stopping | None = None, least: float = _ROUGH
    ) -> list[Found]:
        """k-means on the best answer, its indicators, a descent: while F falls by `least` of f."""
        optima = []
        for _ in range(n_rounds):
            new = self.descend("round", self.partition(best.U, n_init=5), stopping=stopping)
            optima.append(new)
            if best.F - new.F <= least * abs(best.F - self.problem.constant):
                break
            best = new
        return optima

    def settle(self, optima: list[Found]) -> list[Found]:
        """The lowest of the rough descents, where several are near to each other, go on."""
        optima = sorted(optima, key=lambda f: f.F)
        scale = abs(optima[0].F - self.problem.constant)
        ahead = [0]
        for i, f in enumerate(optima):
            if f.F - optima[0].F > _NEAR * scale or len(ahead) == _CONTENDERS:
                break
            if f.F - optima[ahead[-1]].F > _ROUGH * scale:  # else the same minimum
                ahead.append(i)
        if len(ahead) > 1:
            for i in ahead:
                optima[i] = self._further(optima[i], self.finer)
        return sorted(optima, key=lambda f: f.F)

    def run(self, spectral: Array, starts: str, n_partitions: int, n_rounds: int) -> list[Found]:
        """All descents, the lowest first; in heats where there are many clusters."""
        many = n_partitions > 0 and self.problem.K > _MANY
        first = self.first if many else self.stopping
        optima = []
        if starts != "spectral" and self.problem.lam:
            optima.append(self.along_path(spectral, first))
        if starts != "path" or not optima:
            optima.append(self.descend("spectral", spectral, stopping=first))
        if many:
            return self._heats(optima, spectral, n_partitions, n_rounds)
        for _ in range(n_partitions):
            optima.append(self.descend("partition", self.partition(spectral)))
        optima += self.rounds(min(optima, key=lambda f: f.F), n_rounds)
        return self.settle(optima)

    def _heats(
        self, optima: list[Found], spectral: Array, n_partitions: int, n_rounds: int
    ) -> list[Found]:
        """A few steps from each start, more from the lowest, then the rounds."""
        for _ in range(n_partitions):
            U = self.partition(spectral)
            optima.append(self.descend("partition", U, stopping=self.first))
        optima.sort(key=lambda f: f.F)
        for i in range(min(_HEATS, len(optima))):
            optima[i] = self._further(optima[i], self.further)
        best = min(optima, key=lambda f: f.F)
        optima += self.rounds(best, n_rounds, self.further, _ROUND)
        return sorted(optima, key=lambda f: f.F)

    def _further(self, f: Found, stopping: Stopping) -> Found:
        """The same descent, continued."""
        more = self.descend(f.name, f.U, stopping=stopping)
        return more._replace(n_iter=more.n_iter + f.n_iter)
