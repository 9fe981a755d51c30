"""Where the descents of regularized projection matrix approximation begin, and which one is kept.

The problem has many local minima, and solvers that start at the same point end in the same one.
What finds lower ones: a path from an easy penalty to the one wanted, partitions found by k-means as
starts, and rounds of k-means on an answer and a descent from its indicators, which within a few
iterations end lower than the descent itself would in hundreds. So many starts take a few iterations
each, the lowest of them a round, the lowest of these another. The lowest of all goes down by way of
an easier penalty: where entries of X change sign at every step, no step is long, and under an
easier one steps are longer. All of that is in single precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from sklearn.base import BaseEstimator

from .._typing import AnyArray
from .._validation import Interval, StrOptions
from ..linalg import orthonormalize
from ..solvers import Callback, GrassmannLBFGS, Problem, Stopping, iterate
from ..solvers._k_means import k_means
from ._rpma_problem import ProjectionProblem, indicator

_ROUGH = 1e-6  # gains that a rough descent cannot tell from none, relative to f
_NEAR = 2e-3  # rough descents that end nearer to the lowest, relative to f, may yet overtake it
_CONTENDERS = 3  # at most so many of them go on

#: Of many starts, iterations of each: a third of them on every penalty of a path but the last.
_FIRST = 20
#: How many take the first round, the second, ..., and its iterations; later ones are as the last.
_ROUNDS = ((4, 24), (2, 40), (1, 40))
_ROUND = 1e-4  # a round of the last kind that gains less than this, relative to f, is the last

#: Pairs that L-BFGS remembers: signs change, more of them save no iterations.
_MEMORY = 5
#: Clusters up to which no partitions are needed as starts, and their number beyond.
_FEW_CLUSTERS, _PARTITIONS = 5, 6


class Solver(Problem[Any], Protocol):
    """What the search needs; states have U and f, the objective without its constant."""

    def change(self, old: Any, new: Any, /) -> float:
        """Relative stationarity at the new point."""
        ...


MakeSolver = Callable[[ProjectionProblem, int], Solver]


def lbfgs(problem: ProjectionProblem, seed: int) -> Solver:
    """L-BFGS on the Grassmann manifold."""
    return GrassmannLBFGS(problem.fg, memory=_MEMORY, constant=problem.constant)


class Starts(BaseEstimator):
    """Where the descents of a projection matrix approximation begin, and how many there are.

    Parameters
    ----------
    begin : {"both", "path", "spectral"}, default="both"
        The leading eigenvectors, a path of penalties from them, or both.
    n_partitions : int or None, default=None
        Further starts from k-means partitions. None: 0 up to 5 clusters, else 6. With any, all
        starts take 20 iterations, and only the lowest go on.
    n_rounds : int, default=3
        Most rounds of k-means on an answer and a new descent from its indicators: the first from
        the four lowest starts, the second from two, the others from the best.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import SPMA
    >>> from sksieve.clustering import Starts
    >>> one = Starts(begin="spectral", n_rounds=0)
    >>> est = SPMA(3, starts=one, random_state=0).fit(load_iris().data)
    >>> [start["start"] for start in est.starts_]
    ['spectral']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "begin": [StrOptions({"path", "spectral", "both"})],
        "n_partitions": [Interval(Integral, 0, None, closed="left"), None],
        "n_rounds": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self, *, begin: str = "both", n_partitions: int | None = None, n_rounds: int = 3
    ) -> None:
        self.begin = begin
        self.n_partitions = n_partitions
        self.n_rounds = n_rounds

    def partitions(self, K: int) -> int:
        """How many partitions are starts for K clusters."""
        self._validate_params()
        if self.n_partitions is not None:
            return self.n_partitions
        return 0 if K <= _FEW_CLUSTERS else _PARTITIONS


class Descent(NamedTuple):
    """A descent: where it came from, where it ended, F there, and the iterations it took."""

    name: str
    U: AnyArray
    F: float
    n_iter: int


def lowest_first(optima: list[Descent], problem: ProjectionProblem) -> list[Descent]:
    """The same, U and F in the precision of the problem."""
    points = [orthonormalize(f.U.astype(problem.A.dtype, copy=False)) for f in optima]
    measured = [f._replace(U=U, F=problem.F(U)) for f, U in zip(optima, points)]
    return sorted(measured, key=lambda f: f.F)


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
        self.max_iter = max_iter
        self.stopping = Stopping(max_iter=max_iter, tol=tol)
        self.callbacks = callbacks
        self.finer = Stopping(max_iter=3 * max_iter, tol=tol / 10)
        self.finest = Stopping(max_iter=10 * max_iter, tol=tol / 30)

    def descend(
        self,
        name: str,
        U: AnyArray,
        problem: ProjectionProblem | None = None,
        stopping: Stopping | None = None,
        seed: int | None = None,
    ) -> Descent:
        """One descent from U, a rough one unless `stopping` says otherwise."""
        problem = self.problem if problem is None else problem
        solver = self.make_solver(problem, self._seed() if seed is None else seed)
        run = iterate(
            solver.step,
            solver.start(U),
            objective=solver.objective,
            change=solver.change,
            stopping=stopping or self.stopping,
            callbacks=self.callbacks,
        )
        F = problem.constant + problem.scale * run.state.f
        return Descent(name, run.state.U, F, len(run.history))

    def along_path(
        self, U: AnyArray, first: Stopping | None = None, last: Stopping | None = None
    ) -> Descent:
        """Descents through a row of penalties, each from the answer to the one before."""
        p = self.problem
        *easier, wanted = p.penalty.path(p.lam, p.K / U.shape[0])
        n_iter = 0
        for lam, penalty in easier:
            optimum = self.descend("path", U, p.with_penalty(lam, penalty), first)
            U, n_iter = optimum.U, n_iter + optimum.n_iter
        optimum = self.descend("path", U, p.with_penalty(*wanted), last)
        return optimum._replace(n_iter=n_iter + optimum.n_iter)

    def partition(self, U: AnyArray, n_init: int = 1) -> AnyArray:
        """The indicators of a partition of U's rows by k-means."""
        return indicator(k_means(U, self.problem.K, n_init, self.rng).labels_, U)

    def round(self, U: AnyArray, n_init: int = 5, stopping: Stopping | None = None) -> Descent:
        """k-means on an answer, a descent from its indicators."""
        return self.descend("round", self.partition(U, n_init), stopping=stopping)

    def rounds(self, best: Descent, n_rounds: int) -> list[Descent]:
        """Rounds from the best answer, while F falls."""
        optima = []
        for _ in range(n_rounds):
            new = self.round(best.U)
            optima.append(new)
            if best.F - new.F <= _ROUGH * abs(best.F - self.problem.constant):
                break
            best = new
        return optima

    def settle(self, optima: list[Descent]) -> list[Descent]:
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

    def run(self, spectral: AnyArray, starts: Starts) -> list[Descent]:
        """All descents, the lowest first; of many starts only the lowest go on."""
        n_partitions = starts.partitions(self.problem.K)
        many = n_partitions > 0
        first = self._at_most(_FIRST) if many else self.stopping
        optima = []
        if starts.begin != "spectral" and self.problem.lam:
            easier = self._at_most(_FIRST // 3) if many else self.stopping
            optima.append(self.along_path(spectral, easier, first))
        if starts.begin != "path" or not optima:
            optima.append(self.descend("spectral", spectral, stopping=first))
        for _ in range(n_partitions):
            optima.append(self.descend("partition", self.partition(spectral), stopping=first))
        if many:
            return self._knockout(optima, starts.n_rounds)
        optima += self.rounds(min(optima, key=lambda f: f.F), starts.n_rounds)
        return self.settle(optima)

    def _knockout(self, optima: list[Descent], n_rounds: int) -> list[Descent]:
        """Rounds, from fewer and fewer of the lowest; the lowest of all goes on."""
        ahead = list(optima)
        for i in range(n_rounds):
            n_ahead, n_iter = _ROUNDS[min(i, len(_ROUNDS) - 1)]
            ahead = sorted(ahead, key=lambda f: f.F)[:n_ahead]
            before = ahead[0].F
            new = [self.round(f.U, 3, self._at_most(n_iter)) for f in ahead]
            optima += new
            ahead = [min(pair, key=lambda f: f.F) for pair in zip(ahead, new)]
            gain = before - min(ahead, key=lambda f: f.F).F
            if n_ahead == 1 and gain <= _ROUND * abs(before - self.problem.constant):
                break
        optima.sort(key=lambda f: f.F)
        return [self._last(optima[0]), *optima[1:]]

    def _at_most(self, n_iter: int) -> Stopping:
        return self.stopping._replace(max_iter=min(n_iter, self.max_iter))

    def _seed(self) -> int:
        return int(self.rng.randint(2**31 - 1))

    def _last(self, f: Descent) -> Descent:
        """The same descent, continued by way of an easier penalty, unless that ends above f."""
        p, seed = self.problem, self._seed()
        *easier, _ = p.penalty.path(p.lam, p.K / f.U.shape[0])
        if easier and p.lam:
            eased = self.descend(f.name, f.U, p.with_penalty(*easier[-1]), seed=seed)
            eased = eased._replace(n_iter=eased.n_iter + f.n_iter)
            more = self._further(eased, self.finest, seed)
            if more.F <= f.F:
                return more
        return self._further(f, self.finest, seed)

    def _further(self, f: Descent, stopping: Stopping, seed: int | None = None) -> Descent:
        """The same descent, continued."""
        more = self.descend(f.name, f.U, stopping=stopping, seed=seed)
        return more._replace(n_iter=more.n_iter + f.n_iter)
