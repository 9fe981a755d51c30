"""What the contract tests share: every method of the catalogue with quick parameters, and data.

A new method is covered as soon as it stands in `sksieve.catalogue.METHODS`. If its defaults take
longer than about a second on 60 x 12 data, give it a line in `QUICK`; nothing else is needed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from sksieve.catalogue import METHODS, Method
from sksieve.clustering import Starts

ONE_START = Starts(begin="spectral", n_rounds=0)

#: Parameters that keep a fit short. Nothing here may change what is promised.
QUICK: dict[str, dict[str, Any]] = {
    "BLSFE": {"n_clusters": 8},  # with 3 its weights collapse, with a warning
    "BLUFS": {"max_iter": 15},
    "IteratedLocalSearchCSS": {"max_iter": 20},
    "Leiden": {"resolution": 0.5},  # as Louvain
    "Louvain": {"resolution": 0.5},  # at 1 it may divide the groups of the tables here
    "LaplacianL1Graph": {"max_iter": 10},
    "POCSS": {"max_iter": 2000},
    "RPMA": {"starts": ONE_START},
    "WeightedAStarCSS": {"max_iter": 200},
    "BPMA": {"starts": ONE_START},
    "PPMA": {"starts": ONE_START},
    "SPMA": {"starts": ONE_START},
    "SDP1": {"max_iter": 50},
    "SDP2": {"max_iter": 50},
}

#: (m, n): m iterations and then n more are compared with m + n; a batch is not cut in two.
RESUME: dict[str, tuple[int, int]] = {}

K = 4
N_CLUSTERS = 3


def parameters(method: Method) -> set[str]:
    """Names of the constructor's parameters."""
    return set(inspect.signature(method.load()).parameters)


def has_loop(method: Method) -> bool:
    """Does the class hand a step to the one loop?"""
    return "max_iter" in parameters(method)


def takes_sparse(method: Method) -> bool:
    return method.load()().__sklearn_tags__().input_tags.sparse


def cases(
    *kinds: str, where: Callable[[Method], bool] = lambda m: True, needs: tuple[str, ...] = ()
) -> Any:
    """Parametrize a test over the methods of these kinds (all when none is named).

    `where` is what else must be true of a method, `needs` names parameters it must have.
    """
    chosen = [
        m
        for m in METHODS
        if (not kinds or m.kind in kinds) and parameters(m).issuperset(needs) and where(m)
    ]
    return pytest.mark.parametrize("method", chosen, ids=[m.class_name for m in chosen])


def shares(*members: str) -> Callable[[Method], Any]:
    """The implementations of these members in a class, and whether it takes sparse tables.

    Methods with the same implementations behave alike where nothing else takes part.
    """

    def key(method: Method) -> Any:
        cls = method.load()
        return (*(getattr(cls, name, None) for name in members), takes_sparse(method))

    return key


def once(*kinds: str, of: tuple[str, ...], where: Callable[[Method], bool] = lambda m: True) -> Any:
    """Parametrize a test over one method for each implementation of the members `of`."""
    key, seen = shares(*of), set()

    def is_first(method: Method) -> bool:
        first = key(method) not in seen
        seen.add(key(method))
        return first

    return cases(*kinds, where=lambda m: where(m) and is_first(m))


def with_option(name: str, values: Sequence[Any], usual: Any, of: tuple[str, ...]) -> Any:
    """Parametrize over all column subset methods with `usual`, and one of each `of` with all."""
    chosen, seen = [], set()
    for method in METHODS:
        if method.kind == "columns":
            key = shares(*of)(method)
            chosen += [(method, v) for v in values if v == usual or key not in seen]
            seen.add(key)
    ids = [f"{method.class_name}-{value}" for method, value in chosen]
    return pytest.mark.parametrize(("method", name), chosen, ids=ids)


every_method = cases()
every_loop = cases(where=has_loop)
every_selector = cases("columns", "selector")
every_scorer = cases("selector")
every_column_subset = cases("columns")
every_clusterer = cases("clusterer")
#: One of each way in which a table is checked.
every_entrance = once(of=("fit", "_validate", "__sklearn_tags__"))


def make(method: Method, /, **given: Any) -> Any:
    """An estimator with quick parameters, a fixed seed where there is one, and `given`."""
    known = parameters(method)
    common = {
        "n_features_to_select": K,
        "n_clusters": N_CLUSTERS,
        "random_state": 0,
    }
    chosen = {name: value for name, value in common.items() if name in known}
    return method.load()(**chosen | QUICK.get(method.class_name, {}) | given)


def table(n: int = 60, d: int = 12, seed: int = 0) -> np.ndarray:
    """Positive data in three groups, columns correlated, none like another: no ties."""
    rng = np.random.RandomState(seed)
    centers = 6 * rng.standard_normal((N_CLUSTERS, 5))
    hidden = centers[np.arange(n) % N_CLUSTERS] + rng.standard_normal((n, 5))
    X = hidden @ rng.standard_normal((5, d)) + 0.3 * rng.standard_normal((n, d))
    return (X - X.min(axis=0)) * np.linspace(0.8, 1.3, d) + 0.1


def answer(est: Any) -> np.ndarray:
    """What the fit found: the ranking of a selector, the labels of a clusterer."""
    return np.asarray(est.ranking_ if hasattr(est, "ranking_") else est.labels_)


def depends_on_seed(method: Method, X: Any) -> bool:
    """Do two seeds give two answers here, or two sets of scores?"""
    if "random_state" not in parameters(method):
        return False
    first, second = (make(method, random_state=seed).fit(X) for seed in (0, 1))
    if not np.array_equal(answer(first), answer(second)):
        return True
    return hasattr(first, "scores_") and not np.allclose(first.scores_, second.scores_)
