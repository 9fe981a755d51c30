"""Which method answers, with which parameters, on the table in which scaling."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

import scipy.sparse as sp

from .._validation import estimator_with
from .._wording import argument, did_you_mean, spelled
from ..catalogue import Kind, Method, get_method, list_methods
from ..exceptions import ArgumentError, DataError
from ..tables import scale_columns


class Choice(NamedTuple):
    """A method and why it was taken, in a few words."""

    method: Method
    reason: str

    def record(self, est: Any, seed: int) -> dict[str, Any]:
        """The entry ``method`` of a JSON document."""
        return {
            "name": self.method.name,
            "class": self.method.class_name,
            "reason": self.reason,
            "parameters": est.get_params(deep=False),
            "seed": seed,
        }


def find_method(name: str) -> Method:
    """The method called `name`; the message on an unknown one names the closest."""
    try:
        return get_method(name)
    except ValueError:
        hint = did_you_mean(name, (method.name for method in list_methods()))
        text = f"There is no method {name!r}; {hint or f'{list_command()} lists them.'}"
        raise ArgumentError(text) from None


def list_command() -> str:
    """What lists the methods, in Python or on the command line."""
    return spelled("sksieve.catalogue.list_methods()", "sksieve methods")


def choose(name: str, kinds: tuple[Kind, ...], auto: Choice) -> Choice:
    """The method to run, one of these kinds; ``auto`` is that of `auto`."""
    if name == "auto":
        return auto
    method = find_method(name)
    if method.kind not in kinds:
        finds = "finds groups of samples and chooses no columns"
        if method.kind != "clusterer":
            finds = "chooses columns and finds no groups"
        raise ArgumentError(
            f"{method.name} {finds}; {list_command()} lists the methods by purpose."
        )
    return Choice(method, "as requested")


def make_estimator(
    method: Method,
    given: Mapping[str, Any],
    params: Mapping[str, Any],
    own: Mapping[str, str],
) -> Any:
    """The method's estimator, not yet fitted.

    Parameters
    ----------
    method : Method
    given : mapping of str to value
        Parameters by the arguments of the workflow; the method gets those that it has. None is not
        given.
    params : mapping of str to value
        Parameters that the user names.
    own : mapping of str to str
        Parameters that are given by an argument of the workflow, and what to use for them.

    Raises
    ------
    ArgumentError
        If the method does not have one of `params`, or an argument gives it.
    """
    cls = method.load()
    names = list(inspect.signature(cls).parameters)
    for given_name in params:
        name = given_name.partition("__")[0]  # graph__weights is a parameter of the object `graph`
        asked = spelled(f"params[{given_name!r}]", f"--param {given_name}")
        if name in own and name in names:
            raise ArgumentError(f"{asked}: use {own[name]} instead.")
        if name not in names:
            others = ", ".join(n for n in names if n not in own)
            hint = did_you_mean(name, names) or f"it has {others or 'none'}."
            raise ArgumentError(f"{asked}: {method.name} has no such parameter; {hint}")
    taken = {name: v for name, v in given.items() if name in names and v is not None}
    return estimator_with(cls, taken | dict(params))


# Scaling ------------------------------------------------------------------------------------------


def suitable_scale(method: Method, *, sparse: bool) -> tuple[str, str]:
    """The scaling that suits a method and a table, and why if a user may wonder."""
    scale, why = method.suitable_scale(sparse=sparse), ""
    unchanged = f"Columns are unchanged ({argument('scale', 'none')}): "
    if method.scaling == "raw":
        why = (
            f"{unchanged}{method.name} looks for large variance, which is the same for all "
            "standardized columns."
        )
    elif scale == "unit":
        why = (
            f"Columns are scaled to length 1 ({argument('scale', 'unit')}): centering would fill "
            "in the zeros of a sparse table."
        )
    elif scale == "none" and method.kind == "selector":
        why = (
            f"{unchanged}{method.name} scales them itself, and centering would fill in the zeros "
            "of a sparse table."
        )
    return scale, why


def prescaled(method: Method, X: Any, scale: str) -> Any:
    """The data as the estimator gets them: column subset methods scale by themselves.

    Raises
    ------
    DataError
        If the data are sparse and the method, or the scaling, is for dense data only.
    """
    if sp.issparse(X):
        _check_sparse(method, scale)
    if scale == "none" or (method.kind == "columns" and scale != "minmax"):
        return X
    return scale_columns(X, scale).X


def _check_sparse(method: Method, scale: str) -> None:
    if not method.sparse:
        groups = method.kind == "clusterer"
        alike = [m for m in list_methods() if (m.kind == "clusterer") == groups]
        able = [m.name for m in alike if m.sparse]
        raise DataError(
            f"The method {method.name} needs a dense table and this one is sparse; "
            f"methods that take sparse tables: {', '.join(able)}."
        )
    if scale == "minmax" or (scale == "standard" and method.kind != "columns"):
        raise DataError(
            f"{argument('scale', scale)} would fill in the zeros of a sparse table"
            f"{'' if scale == 'minmax' else f' for the method {method.name}'}; "
            f"use {argument('scale', 'unit')} or {argument('scale', 'none')}."
        )
