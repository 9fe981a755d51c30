"""Patience, progress, checkpoints, and the bridge to scikit-learn's callbacks."""

import io
from typing import NamedTuple

import numpy as np
import pytest

from sksieve.solvers import (
    CallbackSupport,
    Patience,
    Stopping,
    TextProgress,
    iterate,
)
from sksieve.solvers._callbacks import with_callbacks


class State(NamedTuple):
    x: np.ndarray
    t: int
    value: float


def step(s):
    return State(s.x * 0.5, s.t + 1, s.value / 3)


START = State(np.arange(4.0), 0, 1.0)


def record(n_iter=1, objective=1.0, seconds=0.0):
    return {"n_iter": n_iter, "objective": objective, "change": 0.0, "seconds": seconds}


def test_patience_counts_steps_without_progress():
    patience = Patience(2)
    values = [5.0, 4.0, 4.0, 3.0, 3.0, 3.5]
    answers = [patience(record(i + 1, v), None) for i, v in enumerate(values)]
    assert answers == [False] * 5 + [True]


def test_patience_with_relative_threshold():
    patience = Patience(1, rtol=0.1)
    assert not patience(record(1, 100.0), None)
    assert patience(record(2, 95.0), None), "5 % is less than the 10 % asked for"
    negative = Patience(1, rtol=0.1)
    assert not negative(record(1, -100.0), None)
    assert not negative(record(2, -120.0), None)
    assert negative(record(3, -121.0), None)


@pytest.mark.parametrize("n", [1, 5])
def test_callbacks_serve_one_run_after_another(n):
    """The second run is seen as if it were the first."""
    patience, terminal = Patience(2), Terminal()
    progress = TextProgress(terminal, every=10.0)
    for objective in (1.0, 2.0):
        for i in range(n):
            seen = record(i + 1, objective - i, seconds=1.0 + i)
            assert not patience(seen, None)
            progress(seen, None)
    assert terminal.getvalue().count("\r") == 2


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_one_line_on_a_terminal_and_nothing_in_a_pipe():
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        progress = TextProgress(stream, every=0.1)
        for i in range(5):
            progress(record(n_iter=i + 1, objective=0.25, seconds=0.06 * i), None)
    assert pipe.getvalue() == ""
    lines = terminal.getvalue().split("\r")[1:]
    assert len(lines) == 3, "at most one each 0.1 s"
    assert lines[0].startswith("iteration 1  objective 0.25")
    assert "\n" not in terminal.getvalue()


class Estimator(CallbackSupport):
    """The smallest thing that fits."""

    @with_callbacks
    def fit(self, max_iter=6):
        self.run_ = iterate(
            step,
            START,
            objective=lambda s: s.value,
            stopping=Stopping(max_iter=max_iter),
            callbacks=self._loop_callbacks(max_iter),
        )
        self._end_loop()
        return self


class Recorder:
    """Follows scikit-learn's FitCallback protocol, with an optional stop."""

    def __init__(self, stop_after=None):
        self.events, self.seen, self.stop_after = [], [], stop_after

    def setup(self, estimator, context):
        self.events.append("setup")
        self.max_subtasks = context.max_subtasks

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, metadata=None):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, metadata=None):
        self.events.append(f"end {context.task_name}")
        if context.task_name == "iteration":
            self.seen.append(metadata)
        return self.stop_after is not None and len(self.seen) >= self.stop_after


def test_plain_callables_are_set_and_removed():
    est, seen = Estimator(), []
    assert est.set_callbacks(lambda r, s: seen.append(r["n_iter"])) is est
    est.fit()
    assert seen == [1, 2, 3, 4, 5, 6]
    est.set_callbacks().fit()
    assert len(seen) == 6


def test_what_is_no_callback_is_refused():
    with pytest.raises(TypeError, match=r"set_callbacks takes callables.*got 3"):
        Estimator().set_callbacks(3)


def test_sklearn_callbacks_are_told_everything():
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")
    recorder = Recorder()
    est = Estimator().set_callbacks(recorder).fit()
    assert recorder.events[:2] == ["setup", "begin fit"]
    assert recorder.events[-2:] == ["end fit", "teardown"]
    assert recorder.events.count("begin iteration") == recorder.events.count("end iteration") == 6
    assert recorder.max_subtasks == 6
    assert recorder.seen == est.run_.history


def test_sklearn_callbacks_can_stop():
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")
    est = Estimator().set_callbacks(Recorder(stop_after=2)).fit()
    assert (est.run_.reason, len(est.run_.history)) == ("callback", 2)


def test_sklearn_callbacks_are_torn_down_after_an_error():
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")

    def fail(record, state):
        raise RuntimeError("stop here")

    recorder = Recorder()
    with pytest.raises(RuntimeError, match="stop here"):
        Estimator().set_callbacks(fail, recorder).fit()
    assert recorder.events[-1] == "teardown"


def test_progress_bar_of_sklearn(capsys):
    callback = pytest.importorskip("sklearn.callback", reason="scikit-learn >= 1.9")
    pytest.importorskip("rich")
    est = Estimator().set_callbacks(callback.ProgressBar()).fit()
    assert est.run_.reason == "max_iter"
    assert "Estimator - fit" in capsys.readouterr().out
