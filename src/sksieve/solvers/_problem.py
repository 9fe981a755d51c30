"""What a method hands to the loop: a problem."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

S = TypeVar("S")


class Problem(Protocol[S]):
    """An optimization problem and one pass of the method that solves it.

    Its attributes are set by the constructor and never change: everything that changes from step to
    step is in the state. A state can therefore be resumed on any problem built from the same data
    and parameters, and continues bit for bit.

    Besides the three methods here a problem has one ``update_<block>(state) -> state`` for each
    block of variables, and may have

    * ``change(old, new) -> float >= 0``, its own measure of progress, compared with ``tol``;
      default: the relative change of the objective;
    * ``count(state) -> int``, the iterations done before a state, if a step is a batch of them;
    * ``not_descending``, a dict of method name -> reason: which updates may raise the objective;
    * ``workspace``, a tuple with the names of attributes that hold preallocated arrays or results
      kept for speed: their content does not change what a step returns.

    Examples
    --------
    >>> from sksieve.solvers import Problem, Stopping, iterate
    >>> class SquareRoot:
    ...     def __init__(self, a):
    ...         self.a = a
    ...     def start(self, rng):
    ...         return 1.0
    ...     def step(self, x):
    ...         return (x + self.a / x) / 2
    ...     def objective(self, x):
    ...         return abs(x * x - self.a)
    >>> problem: Problem[float] = SquareRoot(9.0)
    >>> run = iterate(problem.step, problem.start(None), objective=problem.objective,
    ...               stopping=Stopping(max_iter=10))
    >>> run.state
    3.0
    """

    def start(self, origin: Any, /) -> S:
        """The first state; `origin` is a random state, or the point where the method starts."""
        ...

    def step(self, state: S, /) -> S:
        """The next state; does not modify its argument."""
        ...

    def objective(self, state: S, /) -> float:
        """The value that is minimized."""
        ...
