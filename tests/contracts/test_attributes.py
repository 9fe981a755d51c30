"""The table of attributes in CONTRIBUTING.md holds for every method of the catalogue."""

import re
import warnings
from pathlib import Path

import numpy as np

from sksieve.catalogue import METHODS

from .cases import N_CLUSTERS, K, every_method, make

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
N, D = 60, 12


def table():
    """Name -> (type, shape) of every row."""
    text = CONTRIBUTING.read_text(encoding="utf-8").partition("## Attributes of fitted")[2]
    rows = {}
    for line in re.findall(r"^\| (`.*)\|$", text.partition("\n## ")[0], re.MULTILINE):
        names, kind, shape, meaning = (cell.strip() for cell in line.split("|"))
        assert meaning, names
        rows.update(dict.fromkeys(re.findall(r"`(\w+)`", names), (kind, shape)))
    return rows


ATTRIBUTES = table()


def fitted(est):
    """Names of the public attributes that a fit has set."""
    names = {*vars(est), *dir(type(est))}
    return sorted(n for n in names if n[-1] == "_" and n[0] != "_" and hasattr(est, n))


def data():
    centers = 4 * np.random.RandomState(0).standard_normal((N_CLUSTERS, D))
    return centers[np.arange(N) % N_CLUSTERS] + np.random.RandomState(1).random_sample((N, D))


def agrees(shape, actual):
    """Does the shape of an array agree with letters such as ``(n, c)``?"""
    letters = re.findall(r"\w", shape)
    sizes = {"n": N, "d": D, "k": K, "c": N_CLUSTERS}
    return len(letters) == len(actual) and all(
        sizes.get(letter, size) == size for letter, size in zip(letters, actual, strict=True)
    )


@every_method
def test_names_types_and_shapes(method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        est = make(method).fit(data())
        values = {name: getattr(est, name) for name in fitted(est)}
    assert set(values) <= set(ATTRIBUTES), "a row is missing in CONTRIBUTING.md"
    for name, value in values.items():
        kind, shape = ATTRIBUTES[name]
        assert kind in ("object", type(value).__name__), name
        assert bool(shape) == hasattr(value, "shape"), name
        if shape and (name, method.class_name) not in OTHER_SHAPES:
            assert agrees(shape, value.shape), (name, value.shape)


#: Shapes that the quick parameters of a class change.
OTHER_SHAPES = {("coef_", "BLSFE"), ("embedding_", "Louvain")}


def test_every_row_is_an_attribute_of_some_class():
    """It is in a docstring, or a property with one."""
    classes = {base for m in METHODS for base in m.load().__mro__}
    words = set(re.findall(r"\w+", " ".join(base.__doc__ or "" for base in classes)))
    assert {n for n in ATTRIBUTES if not any(hasattr(c, n) for c in classes)} <= words
