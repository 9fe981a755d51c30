"""The catalogue says what the classes say."""

import ast
import inspect
import re
from typing import get_args

import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

import sksieve
from sksieve.catalogue import (
    METHODS,
    PURPOSES,
    SCALINGS,
    Kind,
    Role,
    get_method,
    list_methods,
)

from .cases import every_method, make, parameters


def test_names_are_unique_and_plain():
    names = [m.name for m in METHODS]
    classes = [m.class_name for m in METHODS]
    assert len(set(names)) == len(names)
    assert len(set(classes)) == len(classes)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in names)


def test_unknown_name_lists_what_there_is():
    with pytest.raises(ValueError, match=r"no method 'gredy'.*greedy"):
        get_method("gredy")


def test_kinds_split_the_catalogue():
    split = [m for kind in ("columns", "selector", "clusterer") for m in list_methods(kind)]
    assert sorted(split, key=METHODS.index) == list(METHODS)


@every_method
def test_line_of_the_catalogue(method):
    cls = method.load()
    assert cls.__name__ == method.class_name
    assert method.class_name in sksieve.__all__
    assert issubclass(cls, BaseEstimator)
    for text in (method.title, method.use_when, method.avoid_when, method.paper, method.cost):
        assert text.strip()
    assert get_method(method.name) is method
    assert get_method(method.class_name.upper()) is method
    assert get_method(method.name.replace("_", "-")) is method
    assert method.defaults() == {n: p.default for n, p in inspect.signature(cls).parameters.items()}
    if method.kind != "clusterer":
        assert method.nested == cls.nested
    assert method.purpose in PURPOSES
    assert method.scaling in SCALINGS
    assert method.role in get_args(Role)
    assert method.kind in get_args(Kind)
    assert method.sparse == get_tags(method.load()()).input_tags.sparse
    groups = method.purpose in ("clusters", "communities")
    assert groups == (method.kind == "clusterer")


def test_every_purpose_has_a_recommended_method():
    recommended = {m.purpose for m in METHODS if m.role == "recommended"}
    assert recommended == set(PURPOSES) - {"baseline"}


def literal(text):
    """``None``, ``1e-6``, ``"unit"``; a bare word is a string."""
    try:
        return ast.literal_eval(text)
    except ValueError:
        return text


@every_method
def test_docstring_says_what_a_user_asks(method):
    cls = method.load()
    doc = inspect.getdoc(cls)
    for section in ("Parameters", "Attributes", "Examples"):
        assert section in sections_of(doc), f"{cls.__name__} has no section {section}"
    if method.paper != "--":
        assert "References" in sections_of(doc)
    entries = doc.split("Parameters\n---")[1].split("Examples\n---")[0]
    assert not re.search(r"^    See `\w+`", entries, re.M), "written out, from the base class"
    assert ">>> " in doc
    is_variant = cls.__base__ in [m.load() for m in METHODS]
    of = cls.__base__ if is_variant else cls
    assert of is cls or f"`{of.__name__}`" in doc, "a variant names the class"
    assert "O(" in inspect.getdoc(of).split("Notes\n---")[1], "no cost"
    for name, default in method.defaults().items():
        line = re.search(rf"^(?:\w+, )*{name}(?:, \w+)* : (.*)$", doc, flags=re.M)
        assert line, f"parameter {name} is not in the docstring"
        if default is not inspect.Parameter.empty:
            message = re.search(r"default=(\S+)$", line[1])
            assert message, f"no default for {name}: {line[0]!r}"
            assert literal(message[1]) == default, f"{name}: {message[1]} is not {default!r}"


def sections_of(doc):
    return re.findall(r"^(\w+)\n-+$", doc, flags=re.M)


@every_method
def test_constructor_keeps_its_hands_off(method):
    """Parameters are stored as they come; `clone` and `set_params` go both ways."""
    values = {name: object() for name in parameters(method)}
    est = method.load()(**values)
    assert all(getattr(est, name) is value for name, value in values.items())
    assert set(vars(est)) == set(values)
    est = make(method)
    again = clone(est)
    assert again is not est
    assert repr(again.get_params()) == repr(est.get_params())
    for name, parameter in inspect.signature(method.load()).parameters.items():
        assert not name.endswith("_"), f"{name} makes an unfitted estimator look fitted"
        assert name != "verbose"
        assert parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL), name
