"""Which method runs, with which parameters."""

from __future__ import annotations

import difflib
import inspect
from typing import Any, NamedTuple

from ..catalogue import Method, get_method, list_methods
from ..exceptions import DataError
from ._options import AUTO, MethodOptions, TableOptions, UsageError

__all__ = ["Choice", "choose_clusterer", "choose_method", "find_method", "make_estimator"]


class Choice(NamedTuple):
    """A method and why it was taken, in a few words."""

    method: Method
    reason: str


def find_method(name: str) -> Method:
    """The method called `name`.

    Raises
    ------
    UsageError
        If there is none; the message names the closest.
    """
    try:
        return get_method(name)
    except ValueError:
        known = [method.name for method in list_methods()]
        near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else "sksieve methods lists them."
        raise UsageError(f"There is no method {name!r}; {hint}") from None


def choose_method(name: str) -> Choice:
    """The method to run; ``auto`` is the one with the best answer per second.

    Raises
    ------
    UsageError
        If there is none of that name, or it does not choose columns.
    """
    if name == "auto":
        return Choice(
            find_method(AUTO),
            "auto: of the methods here it reaches the smallest rebuild error in a given time",
        )
    method = find_method(name)
    if method.kind == "clusterer":
        raise UsageError(
            f"{method.name} finds groups of samples and chooses no columns; "
            "sksieve methods lists what does."
        )
    return Choice(method, "as asked")


def choose_clusterer(name: str, auto: str, reason: str) -> Choice:
    """The method that finds groups; ``auto`` is the one called so, for that reason.

    Raises
    ------
    UsageError
        If there is none of that name, or it finds no groups.
    """
    if name == "auto":
        return Choice(find_method(auto), f"auto: {reason}")
    method = find_method(name)
    if method.kind != "clusterer":
        known = ", ".join(m.name for m in list_methods("clusterer"))
        raise UsageError(f"{method.name} chooses columns and finds no groups; what does: {known}.")
    return Choice(method, "as asked")


def make_estimator(method: Method, options: MethodOptions) -> Any:
    """The method's estimator, not yet fitted.

    Raises
    ------
    UsageError
        If --param names a parameter that the method does not have, or one with its own option.
    DataError
        If --time is given and the method cannot be stopped early.
    """
    cls = method.load()
    known = list(inspect.signature(cls).parameters)
    _check_params(method, options, known)
    own = options.own_parameters()
    if "time_budget" in own and "time_budget" not in known:
        raise DataError(
            f"--time does not apply to the method {method.name}, which has no time limit; leave it "
            f"out, or use a method that has: {_with_time_budget()}."
        )
    if method.kind == "columns" and isinstance(options, TableOptions):
        own["scale"] = "none" if options.scale == "minmax" else options.scale
    own = {name: value for name, value in own.items() if name in known}
    return cls(**(own | options.params))


def _check_params(method: Method, options: MethodOptions, known: list[str]) -> None:
    for name in options.params:
        if name in options.spelled and name in known:
            raise UsageError(f"--param {name}: use {options.spelled[name]} instead.")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
            there = [name for name in known if name not in options.spelled]
            hint = (
                f"did you mean {' or '.join(near)}?"
                if near
                else f"it has {', '.join(there) or 'none but those with options of their own'}."
            )
            raise UsageError(f"--param {name}: {method.name} has no such parameter; {hint}")


def _with_time_budget() -> str:
    methods = [m for m in list_methods() if m.kind != "clusterer"]
    return ", ".join(m.name for m in methods if "time_budget" in m.defaults())
