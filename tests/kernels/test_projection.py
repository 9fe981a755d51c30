"""The fused pass over UU': beside the penalties' own formulas, on dense UU'."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sksieve.clustering import Bounded, Huber, Positive
from sksieve.kernels import _projection

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
def test_threads_do_not_matter(penalty, monkeypatch):
    U = orthonormal(500, 4)
    one = penalty.on_projector(U)
    monkeypatch.setattr(_projection, "_SERIAL", 0)
    many = penalty.on_projector(U)
    assert one[0] == many[0]
    assert_array_equal(one[1], many[1])


def test_only_one_of_the_twins_has_threads():
    """Each keeps its own place in the cache on disk."""
    assert _projection._parallel.targetoptions["parallel"]
    assert not _projection._serial.targetoptions.get("parallel")
    assert _projection._parallel.py_func is not _projection._serial.py_func


def test_large_problems_take_the_threaded_twin(monkeypatch):
    called = []
    monkeypatch.setattr(_projection, "_parallel", lambda *a: called.append("many"))
    monkeypatch.setattr(_projection, "_serial", lambda *a: called.append("one"))
    for n in (100, 3000):
        _projection.fused_penalty(np.zeros((5, n)), *[np.ones(1)] * 3, 0.0, 0.0)
    assert called == ["one", "many"]
