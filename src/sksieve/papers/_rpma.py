"""Projection matrix approximation as Zhai, Xu, Wu & Li print it: plain weights, their solvers.

Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
detection"; the deviations of the solvers are in `_rpma_solvers`.
"""

from __future__ import annotations

from typing import Any

from ..clustering import BPMA, PPMA, RPMA, SPMA, SpectralGraph
from ..clustering._rpma import BaseProjection
from ..clustering._rpma_problem import ProjectionProblem, projection_problem
from ..clustering._rpma_search import Solver
from ._rpma_solvers import curvilinear, perturbed, splitting


class PlainWeights(BaseProjection):
    """The affinity itself is approximated, and lam, delta, alpha and beta are plain numbers."""

    def _regularizes(self, A: Any) -> bool:
        return False

    def _problem(self, A: Any, is_graph: bool) -> ProjectionProblem:
        if self.lam is None:
            raise ValueError(f"{type(self).__name__} needs lam as a number; got lam=None.")
        model = self._model()
        model.check()
        return projection_problem(A, min(self.n_clusters_, A.shape[0]), model, float(self.lam))


class PlainSPMA(PlainWeights, SPMA):
    """`SPMA` with the paper's weights: lam and delta are plain numbers, lam has no default.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve.papers import PlainSPMA
    >>> est = PlainSPMA(3, lam=0.5, delta=1e-4, random_state=0).fit(load_iris().data)
    >>> est.lam_, est.penalty_
    (0.5, {'delta': 0.0001})
    """


class PlainPPMA(PlainWeights, PPMA):
    """`PPMA` with the paper's weight: lam is a plain number.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve.papers import PlainPPMA
    >>> PlainPPMA(3, lam=100.0, random_state=0).fit(load_iris().data).lam_
    100.0
    """


class PlainBPMA(PlainWeights, BPMA):
    """`BPMA` with the paper's weights: lam, alpha and beta are plain numbers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve.papers import PlainBPMA
    >>> est = PlainBPMA(3, lam=100.0, beta=0.05, random_state=0).fit(load_iris().data)
    >>> est.penalty_
    {'alpha': 0.0, 'beta': 0.05}
    """


class CurvilinearRPMA(RPMA):
    """`RPMA` by the paper's Algorithm 1, curvilinear search (Algorithm 3 visits the same points).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve.papers import CurvilinearRPMA
    >>> CurvilinearRPMA(3, random_state=0).fit(load_iris().data).converged_
    True
    """

    def _solver(self, problem: ProjectionProblem, seed: int) -> Solver:
        return curvilinear(problem, seed)


class PerturbedRPMA(RPMA):
    """`RPMA` by the paper's Algorithm 2, curvilinear searches from perturbed points.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve.papers import PerturbedRPMA
    >>> PerturbedRPMA(3, random_state=0).fit(load_iris().data).converged_
    True
    """

    def _solver(self, problem: ProjectionProblem, seed: int) -> Solver:
        return perturbed(problem, seed)


class SplittingRPMA(RPMA):
    """`RPMA` by the paper's alternating directions, which hold n x n arrays.

    The objective may rise from step to step, and the iterations may be very many with `Positive`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve.papers import SplittingRPMA
    >>> SplittingRPMA(3, random_state=0).fit(load_iris().data).converged_
    True
    """

    def _solver(self, problem: ProjectionProblem, seed: int) -> Solver:
        return splitting(problem, seed)

    def _bytes_per_pair(self, itemsize: int) -> float:
        return 8 * 8


class AffinityEigenvectors(SpectralGraph):
    """k-means on the leading eigenvectors of the affinity itself, rows as they are.

    "SC" in the paper's tables. Parameters and attributes are those of `SpectralGraph`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve.papers import AffinityEigenvectors
    >>> X = load_iris().data
    >>> est = AffinityEigenvectors(3, affinity="gaussian", random_state=0).fit(X)
    >>> est.embedding_.shape
    (150, 3)
    """

    _matrix = "affinity"
    _unit_rows = False
