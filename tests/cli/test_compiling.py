"""Compilation is reported on a terminal, and is no part of the time of a fit."""

from __future__ import annotations

import time
from functools import partial
from types import SimpleNamespace
from typing import Any

import numba
import pytest

from sksieve.cli._fit import COMPILING, Fitted, fit, report_compilation
from sksieve.cli._print import stopped
from sksieve.evaluation._cost import Meter


class Console:
    def __init__(self, *, is_terminal: bool) -> None:
        self.is_terminal = is_terminal
        self.lines: list[str] = []

    def print(self, text: str) -> None:
        self.lines.append(text)


def fresh() -> Any:
    """A kernel that is compiled at its first call, with one that it calls."""

    @numba.njit
    def inner(x):
        return x + 1

    @numba.njit
    def outer(x):
        return inner(x) * 2

    return outer


@pytest.mark.parametrize("is_terminal", [True, False])
def test_compilation_is_timed_and_reported_once(is_terminal):
    console, kernel = Console(is_terminal=is_terminal), fresh()
    started = time.perf_counter()
    with Meter(on_compile=partial(report_compilation, console)) as meter:
        kernel(1)
        kernel(1.0)
    spent = time.perf_counter() - started
    assert 0 < meter.compiling <= spent
    assert console.lines == [COMPILING] * is_terminal
    with Meter() as warm:
        kernel(1)
    assert warm.compiling == 0


def test_the_time_of_a_fit_is_without_compilation():
    """Compiling takes at least ten times as long as this fit does without."""
    kernel = fresh()
    est = SimpleNamespace(get_params=dict, set_callbacks=lambda *_: None, fit=lambda X: kernel(X))
    from rich.console import Console as RichConsole

    first = fit(est, 1, "", RichConsole(stderr=True))
    assert first.compiling > 10 * first.seconds >= 0
    assert fit(est, 1, "", RichConsole(stderr=True)).compiling == 0


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(20.0, "5 iterations in 14.9 s, stopped by tolerance"),
     (2.1, "5 iterations, stopped by tolerance")],
)  # fmt: skip
def test_the_time_of_a_loop_in_which_kernels_were_compiled_is_not_shown(seconds, expected):
    loop = SimpleNamespace(n_iter_=5, stop_reason_="tolerance", history_=[{"seconds": 14.9}])
    fitted = Fitted(loop, None, seconds, 15.0, False, [])
    assert stopped(fitted) == expected
