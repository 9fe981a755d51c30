"""The Gaussian affinity in tiles: the matrix itself, and the estimators on it."""

import tracemalloc

import numba
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from sksieve import BPMA, RPMA, SLSA, SPMA
from sksieve.clustering import Huber, Penalty, Positive
from sksieve.clustering._rpma_problem import (
    ProjectionProblem,
    mean_off_diagonal,
    projection_problem,
)
from sksieve.clustering._rpma_select import partition_value
from sksieve.graphs import GaussianTiles, gaussian_affinity
from sksieve.kernels import _projection
from sksieve.papers import CurvilinearRPMA, SplittingRPMA

from .rpma_cases import N_PENALTIES, ONE_START, blobs, penalties, random_point


def samples(n=300, d=6, dtype=np.float64):
    return (3 + np.random.RandomState(d).standard_normal((n, d))).astype(dtype)


@pytest.mark.parametrize("d", [1, 4, 7])
@pytest.mark.parametrize("n", [2, 127, 128, 300])
@pytest.mark.parametrize("sigma", [None, 0.7])
def test_is_the_matrix_written_out(n, d, sigma):
    X = samples(n, d)
    tiles, A = GaussianTiles(X, sigma), gaussian_affinity(X, sigma)
    V = np.random.RandomState(0).standard_normal((n, 3))
    assert_allclose(tiles @ V, A @ V, atol=1e-12 * n)
    assert_allclose(tiles @ V[:, 0], A @ V[:, 0], atol=1e-12 * n)
    assert_allclose(tiles.toarray(), A, atol=1e-13)
    assert_allclose(tiles.sum(), A.sum())
    assert_allclose(tiles.sum(axis=1), A.sum(axis=1))
    assert_allclose(tiles.squared_norm(), (A * A).sum())
    assert_allclose(mean_off_diagonal(tiles), mean_off_diagonal(A))
    assert_array_equal(tiles.diagonal(), 1)


@pytest.mark.parametrize("which", range(N_PENALTIES))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_objective_and_gradient_in_one_pass(which, dtype):
    X = samples(300, 6, dtype)
    A = gaussian_affinity(X.astype(np.float64))
    penalty, lam = penalties(300, 4)[which]
    lam *= mean_off_diagonal(A)
    U = random_point(300, 4)
    one = projection_problem(GaussianTiles(X), 4, penalty, lam)
    two = ProjectionProblem(A, 4, penalty, lam)
    (f, G), (expected, H) = one.fg(U.astype(dtype)), two.fg(U)
    assert G.dtype == dtype
    near = 1e-11 if dtype is np.float64 else 2e-5
    assert_allclose(f, expected, rtol=near * 10)
    assert_allclose(G, H, atol=near * np.abs(H).max())
    assert_allclose(one.F(U.astype(dtype)), two.F(U), rtol=near)
    lighter = one.with_penalty(0.0, Positive())
    assert_allclose(lighter.fg(U.astype(dtype))[1], -4 * (A - np.eye(300)) @ U, atol=1e-4)


def test_threads_do_not_matter(monkeypatch):
    """Chunks of tiles neither, up to rounding."""
    tiles = GaussianTiles(samples(1100))
    U = random_point(1100, 3)
    slopes = Huber(1e-3).slopes()
    value, gradient, product = *tiles.with_penalty(U, slopes), tiles @ U
    monkeypatch.setattr(_projection, "_SERIAL", 0)
    before = numba.get_num_threads()
    threaded = []
    for n in (1, before):
        numba.set_num_threads(n)
        try:
            threaded.append((*tiles.with_penalty(U, slopes), tiles @ U))
        finally:
            numba.set_num_threads(before)
    one, several = threaded
    assert one[0] == several[0]
    assert_array_equal(one[1], several[1])
    assert_array_equal(one[2], several[2])
    assert_allclose(one[0], value, rtol=1e-12)
    assert_allclose(one[1], gradient, atol=1e-12 * np.abs(gradient).max())
    assert_allclose(one[2], product, atol=1e-12 * np.abs(product).max())


@pytest.mark.parametrize("model", [SPMA, BPMA])
def test_answer_is_that_of_the_matrix_written_out(model):
    X, _ = blobs(90)
    full = model(3, random_state=0).fit(X)
    tiled = model(3, affinity="gaussian_tiles", random_state=0).fit(X)
    assert_allclose(tiled.objective_, full.objective_, rtol=1e-9)
    assert_array_equal(tiled.labels_, full.labels_)
    assert tiled.converged_
    assert tiled.kkt_ <= 1e-6
    assert tiled.n_components_ == 1
    assert_allclose(tiled.gap_, full.gap_, atol=1e-5 * full.objective_)
    assert_allclose(partition_value(tiled), partition_value(full))


def test_own_penalty_and_other_solvers_serve_tiles():
    class Square(Penalty):
        lipschitz = 2.0

        def value(self, X):
            return X**2

        def grad(self, X):
            return 2 * X

        def prox(self, V, t):
            return V / (1 + 2 * t)

    X, _ = blobs(40)
    for cls in (RPMA, CurvilinearRPMA, SplittingRPMA):
        options = {"penalty": Square(), "lam": 1.0, "random_state": 0}
        full = cls(3, **options).fit(X)
        tiled = cls(3, affinity="gaussian_tiles", **options).fit(X)
        assert_allclose(tiled.objective_, full.objective_, rtol=1e-9)


def test_float32_stays_float32():
    X, _ = blobs(90)
    options = {"affinity": "gaussian_tiles", "tol": 1e-4, "random_state": 0}
    est, double = (BPMA(3, **options).fit(X.astype(t)) for t in (np.float32, np.float64))
    assert est.affinity_.dtype == est.U_.dtype == np.float32
    assert est.converged_
    assert_allclose(est.objective_, double.objective_, rtol=1e-4)


def test_no_matrix_of_n_by_n():
    X, _ = blobs(2400)
    few = {"starts": ONE_START, "max_iter": 10, "n_init": 1, "tol": None}
    BPMA(3, affinity="gaussian_tiles", random_state=0, **few).fit(X[:50])  # loads everything
    tracemalloc.start()
    try:
        BPMA(3, affinity="gaussian_tiles", random_state=0, **few).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2400 * 2400 * 8 / 8


def test_equal_samples_and_sparse_ones():
    est = SPMA(2, affinity="gaussian_tiles", random_state=0).fit(np.ones((10, 2)))
    assert len(est.labels_) == 10
    with pytest.raises(ValueError, match=r"needs dense samples; give X.toarray\(\)"):
        SPMA(2, affinity="gaussian_tiles").fit(sp.csr_array(samples(10)))
    with pytest.raises(ValueError, match="affinity"):
        SLSA(2, affinity="gaussian_tiles").fit(samples(10))
