"""A method of a spec: one of the catalogue, or a reader's own class."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from sklearn.base import ClusterMixin

from ..catalogue import get_method
from ..exceptions import DataError
from ._references import AllColumns, Communities
from ._version import method_version


@dataclass(frozen=True)
class Candidate:
    """What the harness must know of a method.

    Attributes
    ----------
    estimator : type
        Its class.
    clusters : bool
        It gives ``labels_``, not ``ranking_``.
    nested : bool
        Its k-subset is a prefix of its ranking: one fit serves every k.
    whole : bool
        Its ranking is one of all columns, whatever k.
    accepts : tuple of str
        Parameters of its constructor.
    keeps_all : bool
        It keeps all columns: one score stands for every k.
    kind : {"columns", "selector", "clusterer", "other"}
        As in the catalogue; ``other`` for a class that is not in it.
    """

    estimator: type
    clusters: bool
    nested: bool
    whole: bool
    accepts: tuple[str, ...]
    keeps_all: bool = False
    kind: str = "other"

    @property
    def in_catalogue(self) -> bool:
        """Is it a method of this package?"""
        return self.kind != "other"

    @property
    def takes_graphs(self) -> bool:
        """Does it take adjacency matrices?"""
        return "affinity" in self.accepts

    @property
    def only_graphs(self) -> bool:
        """Does it take adjacency matrices and no tables?"""
        return issubclass(self.estimator, Communities)

    @property
    def version(self) -> str:
        """Digest of its code."""
        return method_version(self.estimator)

    @property
    def random(self) -> bool:
        """Has it a seed?"""
        return "random_state" in self.accepts

    def column_parameters(self, k: int) -> dict[str, Any]:
        """Parameters that ask for k columns; none where one ranking serves all k."""
        return {} if self.nested and self.whole else {"n_features_to_select": k}

    def cluster_parameters(self, n_clusters: int | str) -> dict[str, Any]:
        """Parameters that ask for so many clusters; none for 0 or where the method takes none."""
        return {"n_clusters": n_clusters} if "n_clusters" in self.accepts and n_clusters else {}


ALL = "all_columns"

_HERE = AllColumns.__module__

#: Baselines in addition to the methods of the catalogue.
BASELINES = {
    ALL: f"{_HERE}:AllColumns",
    "kmeans": "sklearn.cluster:KMeans",
    "networkx_greedy_modularity": f"{_HERE}:GreedyModularity",
    "networkx_label_propagation": f"{_HERE}:LabelPropagation",
}


@cache
def candidate(name: str) -> Candidate:
    """The method called `name`: of the catalogue, a baseline, or ``package.module:Class``.

    The baselines are ``all_columns``, ``kmeans`` (scikit-learn's, on the table itself), and for
    graphs ``networkx_greedy_modularity`` and ``networkx_label_propagation``.

    A class of one's own follows scikit-learn, has ``ranking_`` (best first) or ``labels_`` after
    `fit`, and may say ``nested = True``. It is imported: a spec can run code, as a script can.

    Raises
    ------
    DataError
        If there is no such method, module or class.
    """
    kind = "other"
    if ":" not in name and name not in BASELINES:
        try:
            method = get_method(name)
        except ValueError as error:
            raise DataError(str(error)) from error
        kind, estimator, nested = method.kind, method.load(), method.nested
        clusters, whole = kind == "clusterer", kind == "selector"
    else:
        estimator, whole = _imported(BASELINES.get(name, name)), False
        clusters = issubclass(estimator, ClusterMixin)
        nested = bool(getattr(estimator, "nested", False))
    accepts = tuple(inspect.signature(estimator).parameters)
    return Candidate(estimator, clusters, nested, whole, accepts, keeps_all=name == ALL, kind=kind)


def _imported(name: str) -> type:
    module, _, attribute = name.partition(":")
    try:
        imported = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise DataError(f"{name!r} cannot be imported: {error}.") from error
    if not isinstance(imported, type):
        raise DataError(f"{name!r} is not a class.")
    return imported
