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
from ._baselines import AllColumns
from ._version import method_version

__all__ = ["Candidate", "candidate"]


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
    floor : bool
        It keeps all columns: one score stands for every k.
    in_catalogue : bool
        It is a method of this package.
    """

    estimator: type
    clusters: bool
    nested: bool
    whole: bool
    accepts: tuple[str, ...]
    floor: bool = False
    in_catalogue: bool = False

    @property
    def version(self) -> str:
        """Digest of its code."""
        return method_version(self.estimator)

    @property
    def random(self) -> bool:
        """Has it a seed?"""
        return "random_state" in self.accepts

    def told_columns(self, k: int) -> dict[str, Any]:
        """Parameters that ask for k columns; none where one ranking serves all k."""
        return {} if self.nested and self.whole else {"n_features_to_select": k}

    def told_clusters(self, n_classes: int) -> dict[str, Any]:
        """Parameters that ask for so many clusters, as every paper does."""
        return {"n_clusters": n_classes} if "n_clusters" in self.accepts and n_classes else {}


ALL = "all_columns"

#: Names beside those of the catalogue.
FLOORS = {ALL: f"{AllColumns.__module__}:AllColumns", "kmeans": "sklearn.cluster:KMeans"}


@cache
def candidate(name: str) -> Candidate:
    """The method called `name`: a name of the catalogue, a floor, or ``package.module:Class``.

    The floors are ``all_columns`` and ``kmeans`` (scikit-learn's, on the table itself).

    A class of one's own follows scikit-learn, has ``ranking_`` (best first) or ``labels_`` after
    `fit`, and may say ``nested = True``. It is imported: a spec can run code, as a script can.

    Raises
    ------
    DataError
        If there is no such method, module or class.
    """
    in_catalogue = ":" not in name and name not in FLOORS
    if in_catalogue:
        try:
            method = get_method(name)
        except ValueError as error:
            raise DataError(str(error)) from error
        estimator, clusters, nested = method.load(), method.kind == "clusterer", method.nested
        whole = method.kind == "selector"
    else:
        estimator, whole = _imported(FLOORS.get(name, name)), False
        clusters = issubclass(estimator, ClusterMixin)
        nested = bool(getattr(estimator, "nested", False))
    accepts = tuple(inspect.signature(estimator).parameters)
    return Candidate(
        *(estimator, clusters, nested, whole, accepts),
        floor=name == ALL,
        in_catalogue=in_catalogue,
    )


def _imported(name: str) -> type:
    module, _, attribute = name.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise DataError(f"{name!r} cannot be imported: {error}.") from error
    if not isinstance(found, type):
        raise DataError(f"{name!r} is not a class.")
    return found
