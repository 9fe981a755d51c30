"""Projection matrix approximation: how many steps the search takes, and how low it ends."""

import numpy as np
import pytest

from sksieve import BPMA, PPMA, SPMA
from sksieve.clustering._rpma_problem import ProjectionProblem, projection_problem
from sksieve.clustering._rpma_search import Search, lowest_first
from sksieve.datasets import make_sbm
from sksieve.graphs import gaussian_affinity
from sksieve.solvers import Stopping

from .rpma_cases import (
    N_PENALTIES,
    SOLVERS,
    blobs,
    every_model,
    fitted_penalty,
    problem,
    random_point,
    spectral,
)


def exhaustive(p, seed=1):
    """The lowest F of many starts, all followed to the end in double precision, and of rounds."""
    end = Stopping(max_iter=1000, tol=1e-6)
    search = Search(p, SOLVERS["lbfgs"], np.random.RandomState(seed))
    U = spectral(p)
    optima = [search.along_path(U, end, end), search.descend("spectral", U, stopping=end)]
    for _ in range(10):
        optima.append(search.descend("partition", search.partition(U), stopping=end))
    for _ in range(4):
        best = min(optima, key=lambda f: f.F)
        optima.append(search.round(best.U, 5, end))
    return min(f.F for f in optima)


@every_model
@pytest.mark.parametrize("which", ["blobs", "graph"])
def test_few_steps_end_as_low_as_an_exhaustive_search(model, which):
    """Within .1 % of what F varies by, not only of F, which holds the constant ||A||^2."""
    if which == "blobs":
        A = gaussian_affinity(blobs(200, 8, spread=0.9)[0])
    else:
        A = make_sbm(200, 8, 0.7, 0.2, random_state=0)[0].toarray()
    est = model(8, affinity="precomputed", random_state=0).fit(A)
    p = projection_problem(A, 8, fitted_penalty(est), est.lam_)
    lowest = exhaustive(p)
    assert est.objective_ <= lowest + 1e-3 * abs(lowest - p.constant)


@pytest.mark.parametrize("K", [8, 24])
def test_only_the_lowest_starts_go_on(K, monkeypatch):
    """Gradients are counted: all steps of the losers are a part of those of the winner's limit."""
    calls = {np.float32: 0, np.float64: 0}
    fg = ProjectionProblem.fg

    def counted(self, U):
        calls[U.dtype.type] += 1
        return fg(self, U)

    monkeypatch.setattr(ProjectionProblem, "fg", counted)
    est = SPMA(K, random_state=0).fit(blobs(240, K, spread=2.0)[0])
    winner, *losers = sorted(est.starts_, key=lambda s: -s["n_iter"])
    steps = [s["n_iter"] for s in losers]
    assert len(losers) >= 7 + 4 + 2
    assert max(steps) <= 40 + 24
    assert sum(steps) <= 500
    assert winner["n_iter"] <= 40 + 600
    in_single = winner["n_iter"] + sum(steps)
    assert calls[np.float32] <= 1.3 * in_single + 30  # hardly more than one a step
    # the last descent, a check of each start, and what the answer reports
    assert calls[np.float64] <= 1.3 * est.n_iter_ + len(est.starts_) + 10
    assert est.n_iter_ <= 150  # what is left where single precision ends


@pytest.mark.parametrize("model", [SPMA, PPMA, BPMA])
def test_starts_are_reported_in_the_precision_of_the_data(model):
    A = gaussian_affinity(blobs(80, 6)[0])
    est = model(6, affinity="precomputed", random_state=0).fit(A)
    F = [s["objective"] for s in est.starts_]
    assert F == sorted(F)
    assert est.objective_ <= F[0] + 1e-12 * abs(F[0])
    p = projection_problem(A, 6, fitted_penalty(est), est.lam_)
    search = Search(p.in_single_precision(), SOLVERS["lbfgs"], np.random.RandomState(0))
    rough = search.descend("spectral", spectral(p).astype(np.float32))
    (exact,) = lowest_first([rough], p)
    assert rough.U.dtype == np.float32
    assert exact.U.dtype == np.float64
    np.testing.assert_allclose(exact.U.T @ exact.U, np.eye(6), atol=1e-14)
    np.testing.assert_allclose(exact.F, rough.F, rtol=1e-6)
    assert exact.F == p.F(exact.U)


@pytest.mark.parametrize("which", range(N_PENALTIES))
def test_the_last_descent_ends_lower_than_it_starts(which):
    """By way of an easier penalty, and also where that leads away (made so in the second half)."""
    p = problem(which, 120, 6)
    search = Search(p, SOLVERS["lbfgs"], np.random.RandomState(0), max_iter=50, tol=1e-5)
    found = search.descend("spectral", spectral(p), stopping=Stopping(max_iter=3, tol=1e-5))
    last = search._last(found)
    assert last.F < found.F
    assert last.n_iter > found.n_iter
    assert last.F == pytest.approx(p.F(last.U), rel=1e-10)
    descend = search.descend

    def astray(name, U, problem=None, **given):
        """Descents of another problem end where they began, and what follows them is bad."""
        if problem is not None:
            return found._replace(U=random_point(120, 6))
        end = descend(name, U, **given)
        return end if U is found.U else end._replace(F=found.F + 1)

    search.descend = astray
    direct = search._last(found)
    assert direct.F < found.F
    assert direct.F == pytest.approx(p.F(direct.U), rel=1e-10)
