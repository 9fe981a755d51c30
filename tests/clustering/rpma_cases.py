"""What the tests of projection matrix approximation share: problems, points, runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve import BPMA, PPMA, SPMA
from sksieve.clustering import Bounded, Huber, Penalty, Positive, Starts
from sksieve.clustering._rpma_problem import ProjectionProblem, mean_off_diagonal
from sksieve.clustering._rpma_search import lbfgs
from sksieve.graphs import gaussian_affinity
from sksieve.linalg import leading_eigenpairs
from sksieve.papers._rpma_solvers import curvilinear, perturbed, splitting
from sksieve.solvers import Stopping, iterate

MODELS = {"sparse": SPMA, "positive": PPMA, "bounded": BPMA}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
SOLVERS = {
    "lbfgs": lbfgs,
    "curvilinear": curvilinear,
    "perturbed": perturbed,
    "admm": splitting,
}
every_solver = pytest.mark.parametrize("solver", SOLVERS)
PENALTIES: dict[type, type[Penalty]] = {SPMA: Huber, PPMA: Positive, BPMA: Bounded}
N_PENALTIES = 5
ONE_START = Starts(begin="spectral", n_rounds=0)


def penalties(n: int, K: int) -> list[tuple[Penalty, float]]:
    typical = K / n
    return [
        (Huber(0.02 * typical), 0.5),
        (Huber(0.5 * typical), 2.0),
        (Positive(), 32 / typical),
        (Bounded(0.0, typical), 8 / typical),
        (Bounded(-0.1 * typical, 2 * typical), 8 / typical),
    ]


def fitted_penalty(est: Any) -> Penalty:
    """The penalty of a fit of one of the models, in the paper's units."""
    return PENALTIES[type(est)](**est.penalty_)


def blobs(
    n: int = 60, K: int = 3, seed: int = 0, spread: float = 1.2
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.RandomState(seed)
    y = np.arange(n) % K
    return 2.5 * np.eye(K, 4)[y] + spread * rng.standard_normal((n, 4)), y


def problem(which: int = 3, n: int = 60, K: int = 3, seed: int = 0) -> ProjectionProblem:
    A = gaussian_affinity(blobs(n, K, seed)[0])
    penalty, lam = penalties(n, K)[which]
    return ProjectionProblem(A, K, penalty, lam * mean_off_diagonal(A))


def random_point(n: int, K: int, seed: int = 1) -> np.ndarray:
    return np.linalg.qr(np.random.RandomState(seed).standard_normal((n, K)))[0]


def spectral(p: ProjectionProblem) -> np.ndarray:
    return leading_eigenpairs(p.A, p.K)[1]


def solve(
    p: ProjectionProblem, name: str, U: np.ndarray, tol: float = 1e-6, max_iter: int = 5000
) -> Any:
    solver = SOLVERS[name](p, 0)
    return iterate(
        solver.step,
        solver.start(U),
        objective=lambda s: s.f,
        change=solver.change,
        stopping=Stopping(max_iter=max_iter, tol=tol),
    )


def written_out(p: ProjectionProblem, U: np.ndarray) -> float:
    """F by its definition."""
    A = p.A.toarray() if sp.issparse(p.A) else p.A
    X = U @ U.T
    return float(((A - X) ** 2).sum() + p.lam * p.penalty.value(X).sum())
