"""The checks of steps accept what keeps the rules and find what breaks them."""

import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve.testing import assert_same_state, check_block_descent, check_pure_step, check_resume


class State(NamedTuple):
    x: np.ndarray
    y: np.ndarray


class LeastSquares:
    """``||A x - b||^2 + ||B y - x||^2`` by exact minimization of one block after the other."""

    def __init__(self):
        rng = np.random.RandomState(0)
        self.A, self.B = rng.standard_normal((9, 4)), rng.standard_normal((4, 3))
        self.b = rng.standard_normal(9)

    def start(self, rng):
        return State(rng.standard_normal(4), rng.standard_normal(3))

    def objective(self, s):
        return np.sum((self.A @ s.x - self.b) ** 2) + np.sum((self.B @ s.y - s.x) ** 2)

    def update_x(self, s):
        H = self.A.T @ self.A + np.eye(4)
        return s._replace(x=np.linalg.solve(H, self.A.T @ self.b + self.B @ s.y))

    def update_y(self, s):
        return s._replace(y=np.linalg.lstsq(self.B, s.x)[0])

    def step(self, s):
        return self.update_y(self.update_x(s))


class Misprint(LeastSquares):
    def update_x(self, s):  # the transpose forgotten, as papers do
        H = self.A.T @ self.A - np.eye(4)
        return s._replace(x=np.linalg.solve(H, self.A.T @ self.b - self.B @ s.y))


class InPlace(LeastSquares):
    def update_y(self, s):
        s.y[:] = np.linalg.lstsq(self.B, s.x)[0]
        return s


class HiddenState(LeastSquares):
    """Remembers something outside its state: a step size that shrinks from call to call."""

    calls = 0

    def step(self, s):
        self.calls += 1
        new = super().step(s)
        return new._replace(x=s.x + (new.x - s.x) / self.calls)


class Aliased(LeastSquares):
    """Gives out one buffer again and again."""

    def __init__(self):
        super().__init__()
        self.buffer = np.zeros(4)

    def step(self, s):
        self.buffer[:] = super().step(s).x * 0.5 + s.x.sum()
        return s._replace(x=self.buffer)


class Counting(LeastSquares):
    """Counts its steps: of no effect on the state."""

    calls = 0

    def step(self, s):
        self.calls += 1
        return super().step(s)


class Remembering(LeastSquares):
    """What `start` writes into the problem is missing from one built anew."""

    def start(self, rng):
        self.half = 0.5
        return super().start(rng)

    def step(self, s):
        new = super().step(s)
        return new._replace(x=self.half * (s.x + new.x))


def start(problem):
    return problem.start(np.random.RandomState(1))


def test_a_good_problem_passes_all():
    problem = LeastSquares()
    check_block_descent(problem)
    check_pure_step(problem, start(problem))
    check_resume(problem, start(problem))


def test_descent_finds_a_misprint():
    with pytest.raises(AssertionError, match="update_x raises the objective"):
        check_block_descent(Misprint())


def test_descent_takes_an_excuse_with_a_reason():
    problem = Misprint()
    problem.not_descending = {"update_x": "as printed", "step": "as printed"}
    check_block_descent(problem)
    problem.not_descending = {"update_x": "", "step": "as printed"}
    with pytest.raises(AssertionError, match="no reason"):
        check_block_descent(problem)
    problem.not_descending = {"update_q": "there is none"}
    with pytest.raises(AssertionError, match="none of"):
        check_block_descent(problem)


def test_descent_needs_something_to_check():
    with pytest.raises(AssertionError, match="nothing to check"):
        check_block_descent(object())


def test_descent_looks_at_the_blocks_it_is_told():
    check_block_descent(LeastSquares(), blocks=["update_y"])
    with pytest.raises(AssertionError, match="update_x"):
        check_block_descent(Misprint(), blocks=["update_y", "update_x"])


def test_in_place_update_is_found():
    problem = InPlace()
    with pytest.raises(AssertionError, match="the argument of update_y"):
        check_block_descent(problem)
    with pytest.raises(AssertionError, match=r"argument of step|looked at again"):
        check_pure_step(lambda s: problem.update_y(s), start(problem))


def test_reused_buffer_is_found():
    problem = Aliased()
    with pytest.raises(AssertionError, match=r"argument of step|looked at again"):
        check_pure_step(problem, start(problem))


def test_two_buffers_in_turn_are_found():
    """Each step leaves its argument alone, and the next but one writes into an older state."""
    buffers = [np.zeros(4), np.zeros(4)]

    def step(x):
        new = buffers[x is buffers[0]]
        new[:] = x / 2 + 1
        return new

    with pytest.raises(AssertionError, match="the state after step 1, looked at again later"):
        check_pure_step(step, np.arange(4.0))


def test_inherited_blocks_are_looked_at():
    class Inherits(Misprint):
        def step(self, s):
            return s

    with pytest.raises(AssertionError, match="update_x raises the objective"):
        check_block_descent(Inherits())


def test_hidden_state_is_found():
    with pytest.raises(AssertionError, match="same state"):
        check_pure_step(HiddenState(), start(HiddenState()))
    with pytest.raises(AssertionError, match="after 8 \\+ 12 steps"):
        check_resume(HiddenState(), start(HiddenState()))


def test_random_numbers_belong_in_the_state():
    rng = np.random.RandomState(0)
    with pytest.raises(AssertionError, match="same state"):
        check_pure_step(lambda x: x + rng.standard_normal(), 1.0)
    with pytest.raises(AssertionError, match="8 \\+ 12"):
        check_resume(lambda x: x + rng.standard_normal(), 1.0)


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (State(np.zeros(2), np.zeros(1)), State(np.zeros(2), np.ones(1)), r"state\.y differs"),
        ((1.0, 2.0), (1.0, 2.5), r"state\[1\] is 2.0"),
        ({"a": 1}, {"b": 1}, "keys"),
        (np.zeros(2), np.zeros(2, dtype=np.float32), "float64 here and float32"),
        (np.zeros(2), np.zeros(3), "shape"),
        (sp.eye_array(2).tocsr(), 2 * sp.eye_array(2).tocsr(), "2 of 4 entries"),
        (np.array([2], dtype=np.uint8), np.array([5], dtype=np.uint8), "entries, by at most 3"),
        (1, 1.0, "int became float"),
        ((1,), (1, 2), "items"),
        (np.array([0.0, np.nan]), np.array([1.0, np.nan]), "1 of 2 entries, by at most 1"),
    ],
)
def test_states_that_differ(a, b, words):
    assert_same_state(a, a)
    assert_same_state((float("nan"),), (float("nan"),))
    with pytest.raises(AssertionError, match=words):
        assert_same_state(a, b)


def test_a_step_that_writes_into_its_problem_is_found():
    problem = Counting()
    with pytest.raises(AssertionError, match=r"the problem after some steps"):
        check_pure_step(problem, start(problem))


def test_resume_on_a_fresh_problem():
    check_resume(LeastSquares(), start(LeastSquares()), fresh=LeastSquares())
    problem = Remembering()
    check_resume(problem, start(problem))
    with pytest.raises(AttributeError, match="half"):
        check_resume(problem, start(problem), fresh=Remembering())


OPTIMIZED = """
import numpy as np
from sksieve.testing import assert_same_state, check_block_descent, check_prox, check_pure_step
from sksieve.testing import check_resume

class Uphill:
    def start(self, rng): return 1.0
    def objective(self, x): return x
    def step(self, x): return x + 1

class Moving:
    n = 0.0
    def __call__(self, x):
        self.n += 1.0
        return x + self.n

def caught(check, *args):
    try:
        check(*args)
    except AssertionError:
        return True
    return False

checks = [
    (assert_same_state, 1, 2),
    (check_block_descent, Uphill()),
    (check_pure_step, Moving(), 0.0),
    (check_resume, Moving(), 0.0),
    (check_prox, lambda V, t: V, lambda X: float(np.abs(X).sum()), np.ones((2, 2))),
]
print([caught(*check) for check in checks])
"""


def test_the_checks_work_under_python_O():
    run = subprocess.run(
        [sys.executable, "-O", "-c", OPTIMIZED], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == str([True] * 5)
