"""Each parameter does something, and a name has one default or a reason for another."""

import inspect
import re
import warnings
from collections import defaultdict

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve.catalogue import METHODS
from sksieve.clustering import Bounded, Sparsifier
from sksieve.columns import Factored
from sksieve.graphs import NeighborGraph

from .cases import N_CLUSTERS, QUICK, K, cases, parameters

#: The default of a name in the whole package. Another one needs a reason in the docstring of the
#: parameter, with the words "and not" before the common one.
COMMON = {
    "n_clusters": 8,
    "n_components": None,
    "n_init": 20,
    "n_neighbors": 5,
    "scale": "standard",
    "tol": 1e-4,
}

#: Names whose default is the method's own, with the reason.
OWN = {
    **dict.fromkeys(
        ("alpha", "beta", "gamma", "lam", "lam1", "lam2", "theta", "threshold"),
        "a weight by the paper's letter: its unit and its default are the paper's",
    ),
    "affinity": "the graph that the method is about",
    "matrix": "the matrix that the method is about",
    "max_iter": "counts steps of the method; the docstring says what a step is",
    "solver": "the algorithms that the method has",
    "unit_rows": "belongs to the matrix",
}

#: A second value of each parameter, on a table of 60 x 12.
OTHER = {
    "affinity": "precomputed",
    "alpha": 30.0,
    "beta": 30.0,
    "candidates": [0, 1, 2, 3, 4, 5, 6, 7],
    "delta": 0.5,
    "eta": 0.1,
    "gamma": 3.0,
    "graph": NeighborGraph("binary"),
    "groups": [0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    "keep": [11],
    "lam": 0.3,
    "lam1": 0.01,
    "lam2": 0.1,
    "matrix": "normalized",
    "max_iter": 1,
    "n_clusters": 5,
    "n_components": 2,
    "n_concepts": 3,
    "n_features_to_select": 6,
    "n_init": 1,
    "n_neighbors": 12,
    "nu": 30.0,
    "penalty": Bounded(),
    "random_state": 1,
    "resolution": 2.0,
    "rho": 0.9,
    "ridge": 0.5,
    "scale": "none",
    "theta": 30.0,
    "solver": Factored(n_candidates=6),
    "sparsifier": Sparsifier(top=2),
    "starts": None,
    "tol": 0.1,
    "zeta": 1.0,
}


def table():
    """Three groups that overlap, columns of different spread."""
    rng = np.random.RandomState(0)
    centers = 2 * rng.standard_normal((3, 12))
    X = centers[np.arange(60) % 3] + rng.standard_normal((60, 12))
    return X * np.linspace(1, 3, 12)


def documented(cls, name):
    """What the docstring of the class, or of a base, says about a parameter."""
    for base in cls.__mro__:
        text = inspect.cleandoc(base.__dict__.get("__doc__") or "")
        found = re.search(
            rf"^(?:\w+, )*{name}(?:, \w+)* : ?.*\n((?:    .*\n?)+)", text, re.MULTILINE
        )
        if found:
            return " ".join(found[1].split())
    return ""


def spelled(value):
    """The value as docstrings write it."""
    if isinstance(value, str):
        return f'"{value}"'
    return "1e-4" if value == 1e-4 else str(value)


def defaults():
    found = defaultdict(dict)
    for method in METHODS:
        cls = method.load()
        for name, parameter in inspect.signature(cls).parameters.items():
            found[name][cls] = parameter.default
    return found


def test_a_name_has_one_default_or_a_reason():
    unexplained = []
    for name, values in defaults().items():
        if name in OWN or len({repr(v) for v in values.values()}) == 1:
            continue
        assert name in COMMON, f"{name} has several defaults: {values}"
        for cls, value in values.items():
            words = documented(cls, name)
            if value != COMMON[name] and f"and not {spelled(COMMON[name])}" not in words:
                unexplained.append(f"{cls.__name__}.{name}={value!r}: {words}")
    assert not unexplained, "\n".join(unexplained)


#: Second values where the one of `OTHER` does nothing on this table, and parameters of one class.
OF_CLASS = {
    ("AlignedColumns", "scale"): "counts",
    ("BPMA", "alpha"): 0.5,
    ("BLSFE", "n_bases"): 3,
    ("BLSFE", "n_features_base"): 3,
    ("ColumnChoice", "use"): "neighbors",
    ("CorrelatedColumns", "method"): "spearman",
    ("CorrelatedColumns", "prefer"): "first",
    ("CorrelatedColumns", "threshold"): 0.05,
    ("CorrelatedColumns", "vif"): 1.5,
    ("IterFS", "init"): "greedy",
    ("IterFS", "n_init"): 5,
    ("IteratedLocalSearchCSS", "full_path"): False,
    ("LeverageScoreCSS", "sampling"): "random",
    **dict.fromkeys(
        (("SpectralCommunities", "graph"), ("SpectralGraph", "graph")), NeighborGraph("heat")
    ),
    ("POCSS", "max_size"): 5,
    ("POCSS", "mutation"): "swap",
    ("POCSS", "polish"): False,
    ("SPCAFS", "p"): 0.3,
    ("TwoStageCSS", "n_repeats"): 1,
    ("TwoStageCSS", "sample_size"): 5,
    ("TwoStageCSS", "sampling"): "random",
    ("WeightedAStarCSS", "epsilon"): 30.0,
    ("WeightedAStarCSS", "v"): "h",
}

#: What else must be given for a parameter to have an effect.
TOGETHER = {
    ("CorrelatedColumns", "method"): {"threshold": 0.3},
    ("CorrelatedColumns", "prefer"): {"threshold": 0.3},
    ("LeverageScoreCSS", "random_state"): {"sampling": "random"},
    ("TwoStageCSS", "n_repeats"): {"sampling": "random", "sample_size": 5},
    ("POCSS", "polish"): {"max_iter": 3},
    **{(name, "n_init"): {"lam": 1e-3} for name in ("RPMA", "SPMA", "PPMA", "BPMA")},
    ("TwoStageCSS", "random_state"): {"sampling": "random", "sample_size": 5, "n_repeats": 1},
    ("TwoStageCSS", "sample_size"): {"sampling": "random", "n_repeats": 1},
}

#: The same by name, for clusterers: k-means has one answer where clusters are few.
OF_CLUSTERERS = {
    "n_init": {"n_clusters": 9, "random_state": 1},
    "n_neighbors": {"affinity": "knn"},
    "random_state": {"n_clusters": 9, "n_init": 1, "resolution": 4.0},
}

#: Parameters whose effect this table cannot show, with the reason.
NOT_SHOWN = {
    "budget": "another form of `n_features_to_select`, by costs: tests/columns/test_requests.py",
    "time_budget": "a time",
    "warm_start": "begins with the last fit: tests/contracts/test_loop.py",
    ("CorrelatedColumns", "missing"): "for tables with gaps: tests/selection/test_correlated.py",
    ("AlignedColumns", "random_state"): "draws rows of large tables only",
    ("FSPCA", "max_iter"): "the search ends after one step on few columns",
    ("FSPCA", "n_exchanges"): "the search ends after one step on few columns",
    ("FSPCA", "n_init"): "the search ends after one step on few columns",
    ("IteratedLocalSearchCSS", "tol"): "looks back over 100 rounds",
}


def outcome(method, given=None):
    """Every number among the public attributes of a fit."""
    given = {**QUICK.get(method.class_name, {}), **(given or {})}
    known = parameters(method)
    if "n_features_to_select" in known:
        given.setdefault("n_features_to_select", K)
    if "n_clusters" in known:
        given.setdefault("n_clusters", N_CLUSTERS)
    if "random_state" in known:
        given.setdefault("random_state", 0)
    X = table()
    if given.get("affinity") == "precomputed":
        X = np.exp(-((X[:, None] - X) ** 2).mean(axis=2))
    if method.class_name == "AlignedColumns":
        X = np.exp(X / 3)  # counts are not negative
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        est = method.load()(**given).fit(X)
        return {name: numbers(getattr(est, name)) for name in fitted(est)}


def fitted(est):
    """Names of the public attributes that the fit has set."""
    names = {*vars(est), *dir(type(est))}
    return sorted(n for n in names if n[-1] == "_" and n[0] != "_" and hasattr(est, n))


def numbers(value):
    if sp.issparse(value):
        value = value.toarray()
    if isinstance(value, list | tuple) and value and isinstance(value[0], dict):
        value = [[v for k, v in record.items() if k != "seconds"] for record in value]
    return repr(value.tolist() if isinstance(value, np.ndarray) else value)


@cases("columns", "selector", "clusterer")
def test_every_parameter_changes_the_fit(method):
    usual = outcome(method)
    assert usual == outcome(method), "the same fit twice"
    idle = []
    for name in sorted(parameters(method) - set(NOT_SHOWN)):
        key = method.class_name, name
        if key in NOT_SHOWN:
            continue
        other = OF_CLASS.get(key, OTHER.get(name, "missing"))
        assert other != "missing", f"{name} has no second value in OTHER"
        more = TOGETHER.get(key, {})
        if method.kind == "clusterer":
            also = OF_CLUSTERERS.get(name, {})
            more = {**more, **{n: v for n, v in also.items() if n in parameters(method)}}
        before = outcome(method, more) if more else usual
        if before == outcome(method, {**more, name: other}):
            idle.append(name)
    assert not idle


@cases("clusterer", needs=("affinity", "n_neighbors"))
def test_parameters_of_another_affinity_are_refused(method):
    given = {"n_neighbors": 12, "graph": NeighborGraph()}
    for name in parameters(method) & set(given):
        est = method.load()(affinity="precomputed", **{name: given[name]})
        with pytest.raises(ValueError, match=f"{name}=.* belongs to affinity='knn' and has no"):
            est.fit(np.ones((60, 60)))
