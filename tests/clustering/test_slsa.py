"""SLSA: the sparse matrix is the best one, and every update helps."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sksieve import SLSA
from sksieve.clustering._slsa import SparseApproximation, State
from sksieve.datasets import make_sbm
from sksieve.metrics import clustering_accuracy
from sksieve.testing import check_block_descent


def small(n=4, seed=0):
    rng = np.random.RandomState(seed)
    A = rng.standard_normal((n, n))
    return A + A.T, np.linalg.qr(rng.standard_normal((n, 2)))[0]


@pytest.mark.parametrize("eta", [0, 2, 5, 12])
def test_sparse_matrix_is_the_best_of_all(eta):
    """Beside every choice of eta entries off the diagonal."""
    A, U = small()
    problem = SparseApproximation(A, 2, 1.5, eta)
    found = problem.update_X(State(U, A))
    off = ~np.eye(4, dtype=bool)
    assert np.count_nonzero(found.X[off]) == eta
    mean = (A + 1.5 * U @ U.T) / 2.5
    best = np.inf
    for kept in itertools.combinations(np.flatnonzero(off), eta):
        X = np.diag(mean.diagonal())
        X.flat[list(kept)] = mean.flat[list(kept)]
        best = min(best, problem.objective(State(U, X)))
    assert_allclose(problem.objective(found), best)


def test_every_update_lowers_the_objective():
    A, _ = make_sbm(60, 3, 0.5, 0.2, random_state=0)
    problem = SparseApproximation(A.toarray(), 3, 1.0, 1200)
    check_block_descent(problem, blocks=["update_U", "update_X"])


def test_blocks_are_found():
    A, y = make_sbm(90, 3, 0.6, 0.1, random_state=0)
    est = SLSA(3, affinity="precomputed", random_state=0).fit(A)
    assert clustering_accuracy(y, est.labels_) == 1
    assert est.converged_
    assert_allclose(est.embedding_.T @ est.embedding_, np.eye(3), atol=1e-10)
