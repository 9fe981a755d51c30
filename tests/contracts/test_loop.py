"""Methods with a loop: pure steps, descent, resume, history, callbacks."""

import math
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest

from sksieve.solvers import Patience
from sksieve.testing import (
    assert_same_state,
    check_block_descent,
    check_pure_step,
    check_resume,
)

from .cases import RESUME, answer, cases, every_loop, has_loop, make, once, table


def fitted(method):
    est = make(method).fit(table())
    answer(est)
    return est


class Watched(Exception):
    """Carries the problem and the first states out of a fit."""


def loop_of(method, monkeypatch, **given):
    """The problem and the first of the states that a fit hands to the loop."""
    est = make(method, **given)

    def watch(problem, *states, stopping=None):
        raise Watched(problem, states[0])

    monkeypatch.setattr(est, "_loop", watch)
    try:
        answer(est.fit(table()))
    except Watched as found:
        return found.args
    raise AssertionError(f"{method.class_name} runs no loop on this table")


def seal(kind, monkeypatch):
    """From now on nothing may set an attribute of a `kind` after its constructor.

    Returns the copies made as each constructor ended, by identity.
    """
    made, building = {}, []
    init, setattr_ = kind.__init__, kind.__setattr__

    def sealed_init(self, *args, **kwargs):
        building.append(self)
        init(self, *args, **kwargs)
        building.pop()
        made[id(self)] = self, deepcopy(self)

    def sealed_setattr(self, name, value):
        late = id(self) in made and made[id(self)][0] is self
        assert not late, f"{kind.__name__}.{name} is set after the constructor"
        setattr_(self, name, value)

    monkeypatch.setattr(kind, "__init__", sealed_init)
    monkeypatch.setattr(kind, "__setattr__", sealed_setattr)
    return made


@every_loop
def test_step_is_pure(method, monkeypatch):
    problem, state = loop_of(method, monkeypatch)
    assert callable(problem.start)
    check_pure_step(problem, state)


@every_loop
def test_nothing_writes_into_a_problem(method, monkeypatch):
    """Neither start, step nor objective, and nothing outside."""
    kind = type(loop_of(method, monkeypatch)[0])
    made = seal(kind, monkeypatch)
    problem, state = loop_of(method, monkeypatch)
    assert made, "no problem was built"
    if id(problem) in made:  # else it is a copy with other weights
        assert_same_state(made[id(problem)][1], problem, "the problem after start")
    before = deepcopy(problem)
    for _ in range(3):
        state = problem.step(state)
        problem.objective(state)
    assert_same_state(before, problem, "the problem after three steps")


@every_loop
def test_a_state_resumes_on_a_fresh_problem(method, monkeypatch):
    """8 steps, then 12 on a problem just built on which nothing was called, are 20, bit for bit."""
    problem, state = loop_of(method, monkeypatch)
    made = seal(type(problem), monkeypatch)
    again, _ = loop_of(method, monkeypatch)
    fresh = made[id(again)][1] if id(again) in made else again
    check_resume(problem, state, 8, 12, fresh=fresh)


@every_loop
def test_every_block_descends(method, monkeypatch):
    problem, state = loop_of(method, monkeypatch)

    class FromHere:
        """The problem, started where the fit starts."""

        not_descending = getattr(problem, "not_descending", {})

        def start(self, rng):
            return state

        def __getattr__(self, name):
            return getattr(problem, name)

    names = [n for cls in reversed(type(problem).__mro__) for n in vars(cls)]
    blocks = list(dict.fromkeys(n for n in names if n.startswith("update_")))
    check_block_descent(FromHere(), blocks=blocks)


@every_loop
def test_history_and_reason(method):
    est = fitted(method)
    assert est.history_, "a loop leaves a history"
    frame = pd.DataFrame(est.history_)
    assert list(frame.columns) == ["n_iter", "objective", "change", "seconds"]
    assert frame.n_iter.is_monotonic_increasing
    assert frame.n_iter.iloc[-1] == est.n_iter_
    assert frame.seconds.is_monotonic_increasing
    assert (frame.seconds >= 0).all()
    assert np.isfinite(frame.objective).all()
    assert np.isfinite(frame.change).all()
    assert (frame.change >= 0).all()
    assert all(isinstance(value, (int, float)) for r in est.history_ for value in r.values())
    assert est.stop_reason_ in ("tolerance", "max_iter", "time_budget", "callback", "diverged")
    assert est.stop_reason_ != "diverged"
    assert est.converged_ == (est.stop_reason_ == "tolerance")


#: After one iteration L1UFS has not chosen a column yet, and says so.
UNFINISHED = pytest.mark.filterwarnings(
    "ignore:lam2=0.5 is so large that no column", "ignore:Not proven"
)


@UNFINISHED
@cases(needs=("max_iter",))
def test_one_iteration_is_enough_for_an_answer(method):
    est = make(method, max_iter=1).fit(table())
    assert len(answer(est)) > 0


@UNFINISHED
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


#: One of each way in which a class hands its loop the callbacks and keeps what the loop returns.
one_of_each_loop = once(of=("_loop", "_run", "_keep", "_loop_attributes"), where=has_loop)


@one_of_each_loop
def test_watching_changes_nothing(method):
    plain = fitted(method)
    watched = make(method).set_callbacks(lambda record, state: None)
    np.testing.assert_array_equal(answer(watched.fit(table())), answer(plain))


@one_of_each_loop
def test_patience_is_a_callback_like_any_other(method):
    whole = fitted(method)
    est = make(method).set_callbacks(Patience(1))
    answer(est.fit(table()))
    assert len(est.history_) <= len(whole.history_)


@one_of_each_loop
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
