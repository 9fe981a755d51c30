"""What a fit costs: compiling is not counted, the method is warmed up, memory is the growth."""

from __future__ import annotations

import ctypes
import sys
import time
from numbers import Integral

import numba
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from sksieve.catalogue import METHODS
from sksieve.evaluation import _cost
from sksieve.evaluation._cost import Meter, warm_up


def test_the_time_of_compiling_is_not_counted():
    @numba.njit
    def kernel(x):
        total = 0.0
        for i in range(x.size):
            total += x[i] ** 0.5
        return total

    started = time.perf_counter()
    with Meter() as meter:
        kernel(np.ones(10))
        time.sleep(0.05)
    whole = time.perf_counter() - started
    assert kernel.signatures
    compiling = whole - meter.cost.seconds
    assert 0.05 <= meter.cost.seconds < whole
    assert compiling > 0.02, "numba takes longer than that for any function"
    assert meter.cost.cpu <= meter.cost.seconds


def test_a_meter_can_be_read_inside_and_before_its_block():
    meter = Meter()
    assert meter.cost == (0.0, 0.0, None)
    with meter:
        time.sleep(0.01)
        inside = meter.cost.seconds
        time.sleep(0.01)
    assert 0.01 <= inside < meter.cost.seconds


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports the peak")
def test_memory_is_the_growth_at_its_peak():
    with Meter() as meter:
        x = np.ones(4_000_000)  # 32 MB
        del x
    assert 30e6 < meter.cost.memory < 60e6
    with Meter() as meter:
        pass
    assert meter.cost.memory < 5e6, "the peak before is forgotten"


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="only glibc gives memory back"
)
def test_memory_that_was_freed_and_is_used_again_counts():
    for _ in range(4):  # from the third on the C library keeps what is freed
        with Meter() as meter:
            x = np.ones(2_000_000)  # 16 MB
            del x
        assert 15e6 < meter.cost.memory < 30e6


class Counts(BaseEstimator):
    fits: list[tuple] = []  # noqa: RUF012
    _parameter_constraints: dict = {  # noqa: RUF012
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_features_to_select=7, solver="a", max_iter=1000, alpha=0.5):
        self.n_features_to_select = n_features_to_select
        self.solver = solver
        self.max_iter = max_iter
        self.alpha = alpha

    def fit(self, X, y=None):
        kind = X.format if sp.issparse(X) else "dense"
        self.fits.append((X.shape, X.dtype.str, kind, *self.get_params().values()))
        if self.solver == "refuses":
            raise ValueError("no")
        return self


def test_a_method_is_warmed_up_once_for_each_type_of_table(monkeypatch):
    monkeypatch.setattr(_cost, "_warm", set())
    Counts.fits.clear()
    X = np.zeros((500, 100))
    assert all(warm_up(Counts(), X) for _ in range(3))
    assert Counts.fits == [((40, 8), "<f8", "dense", 0.5, 3, 3, "a")]
    assert warm_up(Counts(), X.astype(np.float32))
    assert warm_up(Counts(), sp.csr_array(X))
    assert warm_up(Counts(solver="b"), X)
    assert [fit[1:3] for fit in Counts.fits[1:]] == [
        ("<f4", "dense"),
        ("<f8", "csr"),
        ("<f8", "dense"),
    ]
    assert not warm_up(Counts(solver="refuses"), X)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_can_be_warmed_up(method):
    estimator = method.load()()
    before = repr(estimator)
    assert warm_up(estimator, np.zeros((200, 30)))
    assert repr(estimator) == before
