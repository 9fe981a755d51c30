"""The fused pass over UU': beside the penalties' own formulas, on dense UU'."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sksieve.clustering import Bounded, Huber, Positive
from sksieve.clustering._rpma_penalties import fused

PENALTIES = {
    "positive": Positive(),
    "bounded": Bounded(-0.002, 0.01),
    "only from above": Bounded(-np.inf, 0.01),
    "Huber": Huber(0.003),
}
every_penalty = pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES.keys())


def orthonormal(n, K, dtype=np.float64):
    return np.linalg.qr(np.random.RandomState(n + K).standard_normal((n, K)))[0].astype(dtype)


def literal(penalty, U):
    """With UU' written out."""
    X = U.astype(np.float64) @ U.T.astype(np.float64)
    return penalty.value(X).sum(), penalty.grad(X) @ U.astype(np.float64)


@every_penalty
@pytest.mark.parametrize(
    ("n", "K"), [(1, 1), (2, 2), (127, 5), (128, 1), (128, 20), (129, 2), (300, 5), (300, 20)]
)
def test_is_the_sum_and_the_gradient(penalty, n, K):
    U = orthonormal(n, K)
    value, GU = penalty.on_projector(U)
    expected, expected_GU = literal(penalty, U)
    assert abs(value - expected) <= 1e-12 * max(expected, n * n * 1e-6)
    assert_allclose(GU, expected_GU, atol=1e-13 * np.abs(expected_GU).max(initial=1e-3))


@every_penalty
def test_float32_stays_float32(penalty):
    U = orthonormal(300, 5, np.float32)
    value, GU = penalty.on_projector(U)
    expected, expected_GU = literal(penalty, U)
    assert GU.dtype == np.float32
    assert abs(value - expected) <= 1e-4 * expected
    assert_allclose(GU, expected_GU, atol=1e-5 * np.abs(expected_GU).max())


@every_penalty
@pytest.mark.parametrize("n", [1024, 1200, 2100])
def test_tiles_cover_each_pair_once(penalty, n):
    """Of several blocks of rows and of columns, the last ones not full."""
    U = orthonormal(n, 3)
    value, GU = penalty.on_projector(U)
    expected, expected_GU = penalty.in_blocks(U)
    assert_allclose(value, expected, rtol=1e-11, atol=n * n * 1e-17)
    assert_allclose(GU, expected_GU, atol=1e-13 * np.abs(expected_GU).max(initial=1e-3))


@every_penalty
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [40, 300, 2100])
def test_affinity_and_penalty_in_one_pass(penalty, dtype, order, n):
    """Beside the products with A - c I and the penalty alone."""
    U = orthonormal(n, 4)
    A = np.random.RandomState(0).random_sample((n, n))
    A = A + A.T + 5 * np.eye(n)
    value, GU = penalty.on_projector(U)
    expected = value - 2 * np.vdot(U, A @ U) + 2 * 5.0 * 4
    gradient = GU - 2 * A @ U + 2 * 5.0 * U
    value, out = fused(penalty.slopes(), U.astype(dtype), np.array(A, dtype, order=order), 5.0)
    assert out.dtype == dtype
    near = 1e-11 if dtype is np.float64 else 1e-4
    assert_allclose(value, expected, rtol=near)
    assert_allclose(out, gradient, atol=near * np.abs(gradient).max())
