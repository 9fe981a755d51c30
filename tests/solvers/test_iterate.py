"""The one loop: stopping rules, history, resume."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sksieve.solvers import Stopping, iterate


def halve(x):
    return x / 2


def run(step=halve, start=1.0, **kwargs):
    kwargs.setdefault("objective", float)
    kwargs.setdefault("stopping", Stopping(max_iter=10))
    return iterate(step, start, **kwargs)


def test_max_iter():
    result = run()
    assert result.reason == "max_iter"
    assert result.state == 2.0**-10
    assert [r["n_iter"] for r in result.history] == list(range(1, 11))
    assert [r["objective"] for r in result.history] == [2.0**-i for i in range(1, 11)]
    assert all(r["change"] == 0.5 for r in result.history)


def test_no_iteration_at_all():
    result = run(stopping=Stopping(max_iter=0))
    assert result == (1.0, [], "max_iter")


def test_tolerance_is_reached_and_said():
    result = run(
        step=lambda x: (x + 2 / x) / 2,
        objective=None,
        change=lambda a, b: abs(a - b),
        stopping=Stopping(max_iter=50, tol=1e-9),
    )
    assert result.reason == "tolerance"
    assert abs(result.state - math.sqrt(2)) < 1e-12
    assert len(result.history) < 10


def test_converged_at_the_last_iteration_is_converged():
    result = run(step=lambda x: x, stopping=Stopping(max_iter=1, tol=1e-3))
    assert result.reason == "tolerance"


def test_tol_none_runs_the_whole_budget():
    result = run(step=lambda x: x, stopping=Stopping(max_iter=7))
    assert (result.reason, len(result.history)) == ("max_iter", 7)


def test_zero_tolerance_stops_at_a_fixed_point_only():
    assert run(step=lambda x: x, stopping=Stopping(max_iter=9, tol=0.0)).reason == "tolerance"
    assert run(stopping=Stopping(max_iter=9, tol=0.0)).reason == "max_iter"


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until somebody calls ``clock.advance``."""

    class Clock:
        now = 0.0

        def advance(self, seconds):
            self.now += seconds

        def __call__(self):
            return self.now

    fake = Clock()
    monkeypatch.setattr("sksieve.solvers._iterate.perf_counter", fake)
    return fake


def test_time_budget_finishes_the_step_under_way(clock):
    def slow(x):
        clock.advance(2.0)
        return x + 1

    result = run(step=slow, start=0, stopping=Stopping(time_budget=5.0))
    assert result.reason == "time_budget"
    assert result.state == len(result.history) == 3
    assert [r["seconds"] for r in result.history] == [2.0, 4.0, 6.0]


def test_time_budget_counts_the_measuring_too(clock):
    def objective(x):
        clock.advance(10.0)
        return float(x)

    result = run(objective=objective, stopping=Stopping(time_budget=15.0))
    assert (result.reason, len(result.history)) == ("time_budget", 2)


def test_divergence_keeps_the_last_finite_state():
    result = run(step=lambda x: x * 1e200, start=1.0, stopping=Stopping(max_iter=10))
    assert result.reason == "diverged"
    assert math.isfinite(result.state)
    assert result.state == result.history[-1]["objective"] == 1e200


def test_callbacks_see_every_step_and_stop():
    seen = []

    def second(record, state):
        seen.append((record["n_iter"], state))
        return record["n_iter"] == 3

    first_seen = []
    result = run(callbacks=[lambda r, s: first_seen.append(s), second])
    assert result.reason == "callback"
    assert seen == [(1, 0.5), (2, 0.25), (3, 0.125)]
    assert first_seen == [0.5, 0.25, 0.125]


def test_numpy_truth_counts_as_stop():
    assert run(callbacks=[lambda r, s: np.bool_(True)]).reason == "callback"


def test_count_of_batched_steps():
    """A step may stand for many iterations, and need not for a fixed number of them."""
    result = run(
        step=lambda s: (s[0] + 100, s[1] / 2),
        start=(0, 1.0),
        objective=lambda s: s[1],
        count=lambda s: s[0],
        stopping=Stopping(max_iter=250),
    )
    assert [r["n_iter"] for r in result.history] == [100, 200, 300]
    again = run(
        step=lambda s: (s[0] + 100, s[1] / 2),
        start=result.state,
        objective=lambda s: s[1],
        count=lambda s: s[0],
        stopping=Stopping(max_iter=100),
    )
    assert [r["n_iter"] for r in again.history] == [100], "max_iter counts this run's only"


def test_without_objective_the_history_says_nan():
    result = run(objective=None, stopping=Stopping(max_iter=2, tol=1e-3))
    assert result.reason == "max_iter"
    assert all(math.isnan(r["objective"]) for r in result.history)


def test_seconds_count_the_step_and_not_the_measuring(clock):
    def step(x):
        clock.advance(1.0)
        return x / 2

    def objective(x):
        clock.advance(100.0)
        return float(x)

    result = run(step=step, objective=objective, stopping=Stopping(max_iter=3))
    assert [r["seconds"] for r in result.history] == [1.0, 2.0, 3.0]


def test_errors_in_a_step_are_not_swallowed():
    with pytest.raises(ZeroDivisionError):
        run(step=lambda x: 1 / 0)


@given(m=st.integers(0, 15), n=st.integers(0, 15), start=st.floats(0.1, 1e6))
def test_resume_is_passing_the_old_state(m, n, start):
    whole = run(start=start, stopping=Stopping(max_iter=m + n)).state
    first = run(start=start, stopping=Stopping(max_iter=m)).state
    assert run(start=first, stopping=Stopping(max_iter=n)).state == whole
