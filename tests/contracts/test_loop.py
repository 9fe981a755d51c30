"""Methods with a loop: pure steps, descent, resume, history, callbacks."""

import math

import numpy as np
import pandas as pd
import pytest

from sksieve.solvers import Checkpoint, Patience, load_checkpoint
from sksieve.testing import (
    assert_same_state,
    check_block_descent,
    check_pure_step,
    check_resume,
)

from .cases import RESUME, answer, cases, every_loop, make, table


def fitted(method):
    est = make(method).fit(table())
    answer(est)
    return est


class Watched(Exception):
    """Carries the first run of the loop out of a fit."""


def loop_of(method, monkeypatch):
    """The step, first state and objective that a fit hands to the loop."""
    est = make(method)

    def watch(step, state, **kwargs):
        raise Watched(step, state, kwargs.get("objective"))

    monkeypatch.setattr(est, "_run", watch)
    try:
        answer(est.fit(table()))
    except Watched as found:
        return found.args
    raise AssertionError(f"{method.class_name} runs no loop on this table")


@every_loop
def test_step_is_pure(method, monkeypatch):
    step, state, _ = loop_of(method, monkeypatch)
    check_pure_step(step, state)


@every_loop
def test_state_is_all_there_is_to_resume(method, monkeypatch):
    step, state, _ = loop_of(method, monkeypatch)
    check_resume(step, state, 8, 12)


@every_loop
def test_a_checkpoint_holds_the_state(method, monkeypatch, tmp_path):
    step, state, _ = loop_of(method, monkeypatch)
    path, new = tmp_path / "state.npz", step(state)
    Checkpoint(path, every=0.0)({"n_iter": 1, "seconds": 1.0}, new)
    assert_same_state(step(load_checkpoint(path, type(new))), step(new))


@every_loop
def test_every_block_descends(method, monkeypatch):
    step, state, objective = loop_of(method, monkeypatch)
    assert objective is not None, "without an objective a history says nothing"
    problem = step.__self__  # the step is a method of the problem: that is the house's rule

    class FromHere:
        """The problem, started where the fit starts."""

        not_descending = getattr(problem, "not_descending", {})

        def start(self, rng):
            return state

        def objective(self, state):
            return objective(state)

        def __getattr__(self, name):
            return getattr(problem, name)

    names = [n for cls in reversed(type(problem).__mro__) for n in vars(cls)]
    blocks = list(dict.fromkeys(n for n in names if n.startswith("update_")))
    check_block_descent(FromHere(), blocks=blocks)


@every_loop
def test_history_is_flat_and_true(method):
    est = fitted(method)
    assert est.history_, "a loop leaves a history"
    frame = pd.DataFrame(est.history_)
    assert list(frame.columns) == ["n_iter", "objective", "change", "seconds"]
    assert frame.n_iter.is_monotonic_increasing
    assert frame.n_iter.iloc[-1] == est.n_iter_
    assert frame.seconds.is_monotonic_increasing
    assert (frame.seconds >= 0).all()
    assert np.isfinite(frame.objective).all()
    assert (frame.change.dropna() >= 0).all()
    assert all(isinstance(value, (int, float)) for r in est.history_ for value in r.values())


@every_loop
def test_reason_is_a_word_and_converged_means_tolerance(method):
    est = fitted(method)
    assert est.stop_reason_ in ("tolerance", "max_iter", "time_budget", "callback", "diverged")
    assert est.stop_reason_ != "diverged"
    assert est.converged_ == (est.stop_reason_ == "tolerance")


@cases(needs=("max_iter",))
def test_one_iteration_is_enough_for_an_answer(method):
    est = make(method, max_iter=1).fit(table())
    assert len(answer(est)) > 0


@every_loop
def test_own_callback_sees_and_stops(method):
    seen = []

    def stop_at_once(record, state):
        seen.append(record)
        return True

    est = make(method).set_callbacks(stop_at_once)
    answer(est.fit(table()))
    assert len(seen) == len(est.history_) == 1
    assert seen[0] == est.history_[0]
    assert est.stop_reason_ in ("callback", "tolerance")
    assert len(answer(est)) == len(answer(fitted(method))), "a whole answer all the same"


@every_loop
def test_watching_changes_nothing(method):
    plain = fitted(method)
    watched = make(method).set_callbacks(lambda record, state: None)
    np.testing.assert_array_equal(answer(watched.fit(table())), answer(plain))


@every_loop
def test_patience_is_a_callback_like_any_other(method):
    whole = fitted(method)
    est = make(method).set_callbacks(Patience(1))
    answer(est.fit(table()))
    assert len(est.history_) <= len(whole.history_)


@every_loop
def test_progress_bar_of_scikit_learn(method, capsys):
    callback = pytest.importorskip("sklearn.callback", reason="scikit-learn >= 1.9")
    pytest.importorskip("rich")
    est = make(method).set_callbacks(callback.ProgressBar())
    answer(est.fit(table()))
    assert est.stop_reason_ != "callback"
    assert f"{method.class_name} - fit" in capsys.readouterr().out


@cases(needs=("warm_start", "max_iter"))
def test_warm_start_continues(method):
    """8 iterations and then 12 are 20, bit for bit."""
    X = table()
    m, n = RESUME.get(method.class_name, (8, 12))
    off = {"tol": None} if "tol" in method.defaults() else {}
    whole = make(method, max_iter=m + n, **off).fit(X)
    est = make(method, max_iter=m, warm_start=True, **off).fit(X)
    est.set_params(max_iter=n).fit(X)
    np.testing.assert_array_equal(answer(est), answer(whole))
    assert est.history_[-1]["objective"] == whole.history_[-1]["objective"]
    if hasattr(whole, "path_"):
        assert list(est.path_) == list(whole.path_)
        for size in whole.path_:
            np.testing.assert_array_equal(np.sort(est.path_[size]), np.sort(whole.path_[size]))


@cases(needs=("time_budget",))
def test_time_budget_is_kept(method):
    unlimited = {"max_iter": None} if method.defaults().get("max_iter", 0) is None else {}
    est = make(method, time_budget=0.05, **unlimited).fit(table())
    answer(est)
    assert est.stop_reason_ in ("time_budget", "max_iter", "tolerance")
    assert math.isfinite(est.history_[-1]["seconds"])
