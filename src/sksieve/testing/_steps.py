"""Does a method keep the rules of the one loop: pure steps, descent of every block, resume?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import cached_property, partial
from types import MethodType
from typing import Any

import numpy as np

from .._validation import check_random_state
from ..solvers import Stopping, iterate
from ._require import require


def assert_same_state(a: Any, b: Any, where: str = "state") -> None:
    """Raise unless two states are equal bit for bit.

    Parameters
    ----------
    a, b : tuple, dict, ndarray, sparse array, number, or object
        Compared to the last field, types of arrays included; NaN equals NaN. An object is compared
        by its attributes, except cached properties and those its class names in ``workspace``.
    where : str, default="state"
        What to call it in the message.

    Raises
    ------
    AssertionError
        With the path of the first field that differs.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.testing import assert_same_state
    >>> assert_same_state((1, np.zeros(2)), (1, np.zeros(2)))
    >>> assert_same_state((1, np.zeros(2)), (1, np.ones(2)))
    Traceback (most recent call last):
        ...
    AssertionError: state[1] differs in 2 of 2 entries, by at most 1.
    """
    if a is b:
        return
    require(type(a) is type(b), f"{where}: {type(a).__name__} became {type(b).__name__}.")
    if hasattr(a, "_fields"):
        for name in a._fields:
            assert_same_state(getattr(a, name), getattr(b, name), f"{where}.{name}")
    elif isinstance(a, (tuple, list)):
        require(len(a) == len(b), f"{where} has {len(a)} items here and {len(b)} there.")
        for i, pair in enumerate(zip(a, b, strict=True)):
            assert_same_state(*pair, f"{where}[{i}]")
    elif isinstance(a, Mapping):
        require(list(a) == list(b), f"{where} has keys {list(a)} here and {list(b)} there.")
        for key in a:
            assert_same_state(a[key], b[key], f"{where}[{key!r}]")
    elif hasattr(a, "tocsr"):
        require(a.shape == b.shape, f"{where} has shape {a.shape} here and {b.shape} there.")
        _require_same_array(a.tocsr().toarray(), b.tocsr().toarray(), where)
    elif isinstance(a, np.ndarray):
        _require_same_array(a, b, where)
    elif isinstance(a, MethodType):
        require(a.__func__ is b.__func__, f"{where} is {a!r} here and {b!r} there.")
        assert_same_state(a.__self__, b.__self__, f"{where}.__self__")
    elif isinstance(a, partial):
        assert_same_state((a.func, a.args, a.keywords), (b.func, b.args, b.keywords), where)
    elif hasattr(a, "__dict__") and type(a).__eq__ is object.__eq__:
        assert_same_state(_attributes(a), _attributes(b), where)
    else:
        require(a == b or (a != a and b != b), f"{where} is {a!r} here and {b!r} there.")


def _attributes(x: Any) -> dict[str, Any]:
    """The attributes of `x` that may change what its methods return."""
    kind = type(x)
    kept = set(getattr(kind, "workspace", ()))
    kept |= {name for c in kind.__mro__ for name, v in vars(c).items() if _is_cached(v)}
    return {name: value for name, value in vars(x).items() if name not in kept}


def _is_cached(member: Any) -> bool:
    return isinstance(member, cached_property)


def _require_same_array(a: np.ndarray, b: np.ndarray, where: str) -> None:
    require(a.dtype == b.dtype, f"{where} is {a.dtype} here and {b.dtype} there.")
    require(a.shape == b.shape, f"{where} has shape {a.shape} here and {b.shape} there.")
    equal_nan = a.dtype.kind in "fc"
    if not np.array_equal(a, b, equal_nan=equal_nan):
        differs = (a != b) & ~((a != a) & (b != b))
        furthest = ""
        if a.dtype.kind in "iuf":  # unsigned numbers have no differences below zero
            furthest = f", by at most {np.nanmax(np.abs(np.subtract(a, b, dtype=float))):.3g}"
        raise AssertionError(
            f"{where} differs in {differs.sum()} of {differs.size} entries{furthest}."
        )


def check_pure_step(problem: Any, state: Any, *, n_steps: int = 3) -> None:
    """Raise unless a step depends on its argument only and changes neither it nor the problem.

    Parameters
    ----------
    problem : object with ``step``, or callable
        ``step(state) -> state``.
    state : tuple
        Where to start, ``problem.start(rng)`` for instance.
    n_steps : int, default=3
        How many steps to look at.

    Raises
    ------
    AssertionError
        If a step modifies its argument or the problem's attributes, writes later into an earlier
        answer, or gives two answers for one state (a random number drawn from somewhere else than
        the state).

    Examples
    --------
    >>> from sksieve.testing import check_pure_step
    >>> check_pure_step(lambda x: x / 2, 1.0)
    """
    step = _step_of(problem)
    before = deepcopy(problem)
    states, copies = [state], [deepcopy(state)]
    for i in range(n_steps):
        new = step(states[-1])
        copies.append(deepcopy(new))
        assert_same_state(states[-1], copies[-2], f"the argument of step {i + 1}")
        states.append(new)
    for i, (kept, copy) in enumerate(zip(states, copies, strict=True)):
        assert_same_state(kept, copy, f"the state after step {i}, looked at again later,")
    for i in range(n_steps):
        again = step(deepcopy(copies[i]))
        assert_same_state(again, copies[i + 1], f"step {i + 1}, taken again from the same state:")
    assert_same_state(before, problem, "the problem after some steps")


def check_resume(problem: Any, state: Any, m: int = 8, n: int = 12, *, fresh: Any = None) -> None:
    """Raise unless m steps and then n more are m + n steps, bit for bit.

    Parameters
    ----------
    problem : object with ``step``, or callable
        ``step(state) -> state``.
    state : tuple
        Where to start.
    m, n : int
        Steps before and after the break.
    fresh : object with ``step``, or callable, optional
        What takes the last n steps: the same problem built again, on which nothing has been called.
        Default: `problem`.

    Raises
    ------
    AssertionError
        If they are not: something the method remembers is missing from the state.

    Examples
    --------
    >>> from sksieve.testing import check_resume
    >>> check_resume(lambda x: x * 0.9 + 0.1, 5.0)
    """
    step = _step_of(problem)
    whole = iterate(step, deepcopy(state), stopping=Stopping(max_iter=m + n)).state
    first = iterate(step, deepcopy(state), stopping=Stopping(max_iter=m)).state
    resumed = step if fresh is None else _step_of(fresh)
    second = iterate(resumed, deepcopy(first), stopping=Stopping(max_iter=n)).state
    assert_same_state(second, whole, f"the state after {m} + {n} steps, and after {m + n},")


def check_block_descent(
    problem: Any,
    random_state: int | np.random.RandomState | None = 0,
    *,
    n_sweeps: int = 5,
    blocks: Sequence[str] | None = None,
    rtol: float = 1e-9,
) -> None:
    """Raise unless every block update, and every step, lowers the objective or leaves it.

    Parameters
    ----------
    problem : object
        With ``start(rng)``, ``objective(state)``, one ``update_<block>(state) -> state`` per block,
        and ``step(state)`` if it has one. ``problem.not_descending``, a dict of name -> reason,
        excuses a block (or ``"step"``).
    random_state : int, RandomState or None, default=0
        Given to ``start``.
    n_sweeps : int, default=5
        How often to go through all blocks; each sweep ends with a ``step``.
    blocks : sequence of str, optional
        Names of the update methods, in the order of the algorithm box. Default: every ``update_*``,
        in the order of their definition.
    rtol : float, default=1e-9
        Rounding allowed, relative to the largest objective met.

    Raises
    ------
    AssertionError
        If an update raises the objective, modifies its argument, or there is nothing to check.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> from sksieve.testing import check_block_descent
    >>> class State(NamedTuple):
    ...     x: float
    ...     y: float
    >>> class Quadratic:
    ...     def start(self, rng):
    ...         return State(*rng.standard_normal(2))
    ...     def objective(self, s):
    ...         return s.x**2 + s.x * s.y + s.y**2
    ...     def update_x(self, s):
    ...         return s._replace(x=-s.y / 2)
    ...     def update_y(self, s):
    ...         return s._replace(y=2 * s.x)
    >>> check_block_descent(Quadratic())
    Traceback (most recent call last):
        ...
    AssertionError: update_y raises the objective from ...
    """
    names = list(blocks) if blocks is not None else _blocks_of(problem)
    if hasattr(problem, "step"):
        names.append("step")
    kind = type(problem).__name__
    require(bool(names), f"{kind} has no update_<block> and no step: nothing to check.")
    excused = dict(getattr(problem, "not_descending", {}))
    for name, reason in excused.items():
        require(name in names, f"not_descending names {name!r}, which is none of {names}.")
        require(bool(reason), f"not_descending[{name!r}] gives no reason.")
    state = problem.start(check_random_state(random_state))
    value = largest = _objective(problem, state, "start")
    for sweep in range(1, n_sweeps + 1):
        for name in names:
            copy = deepcopy(state)
            new = getattr(problem, name)(state)
            assert_same_state(state, copy, f"the argument of {name}")
            new_value = _objective(problem, new, name)
            largest = max(largest, abs(value), abs(new_value))
            require(
                name in excused or new_value <= value + rtol * largest,
                f"{name} raises the objective from {value:.17g} to {new_value:.17g} (sweep "
                f"{sweep}); if that is meant, {kind}.not_descending says why.",
            )
            state, value = new, new_value


def _objective(problem: Any, state: Any, after: str) -> float:
    value = float(problem.objective(state))
    require(bool(np.isfinite(value)), f"the objective is {value} after {after}.")
    return value


def _blocks_of(problem: Any) -> list[str]:
    """Names of the update methods, in the order of their definition, base classes first."""
    names: dict[str, None] = {}
    for cls in reversed(type(problem).__mro__):
        names |= dict.fromkeys(name for name in vars(cls) if name.startswith("update_"))
    return list(names)


def _step_of(problem: Any) -> Callable[[Any], Any]:
    step = getattr(problem, "step", problem)
    require(callable(step), f"{problem!r} is no step and has none.")
    return step
