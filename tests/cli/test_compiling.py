"""Compilation is reported on a terminal, and is no part of the time of a fit."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import numba
import pytest

from sksieve.evaluation._cost import Meter
from sksieve.workflows._fitting import COMPILING, Fitted, Progress, fit


def fresh() -> Any:
    """A kernel that is compiled at its first call, with one that it calls."""

    @numba.njit
    def inner(x):
        return x + 1

    @numba.njit
    def outer(x):
        return inner(x) * 2

    return outer


@pytest.mark.parametrize("shown", [True, False])
def test_compilation_is_timed_and_reported_once(shown, capsys):
    kernel, bar = fresh(), Progress("Fitting", shown=shown)
    started = time.perf_counter()
    with Meter(on_compile=bar.report_compilation) as meter:
        kernel(1)
        kernel(1.0)
    spent = time.perf_counter() - started
    assert 0 < meter.compiling <= spent
    assert capsys.readouterr().err.splitlines() == [COMPILING] * shown
    with Meter() as warm:
        kernel(1)
    assert warm.compiling == 0


def test_the_time_of_a_fit_is_without_compilation():
    """Compiling takes at least ten times as long as this fit does without."""
    kernel = fresh()
    est = SimpleNamespace(get_params=dict, set_callbacks=lambda *_: None, fit=lambda X: kernel(X))
    first = fit(est, 1, "")
    assert first.compiling > 10 * first.seconds >= 0
    assert fit(est, 1, "").compiling == 0


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(20.0, "5 iterations in 14.9 s, stopped by tolerance"),
     (2.1, "5 iterations, stopped by tolerance")],
)  # fmt: skip
def test_the_time_of_a_loop_in_which_kernels_were_compiled_is_not_shown(seconds, expected):
    loop = SimpleNamespace(n_iter_=5, stop_reason_="tolerance", history_=[{"seconds": 14.9}])
    fitted = Fitted(loop, None, seconds, 15.0, False, [])
    assert fitted.stopped == expected
