"""What clusters of samples and communities of vertices share: checks, text, document, page.

The layouts of the JSON documents are stable: within ``sksieve.cluster/1`` and
``sksieve.communities/1`` fields are added, never renamed or removed. Shares lie in [0, 1]; a number
that is not finite is null; samples, vertices and groups are counted from 0.
"""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._replace import replacing
from .._versions import versions
from .._wording import argument, counted, duration, percent
from ..catalogue import Method
from ..evaluation import Partition
from ..exceptions import ArgumentError, DataError
from ..io._messages import package
from ..io._numeric import Labels
from ..metrics import LabelAgreement, label_agreement
from ..suggest import Suggestion
from ._fitting import Fitted
from ._methods import Choice, make_estimator
from ._text import Blocks, Printed, as_json

if TYPE_CHECKING:
    import pandas as pd

    from ..report import Page

DPI = 150


@dataclass(frozen=True, kw_only=True)
class GroupingPlan:
    """The arguments of `cluster` and `communities`, checked before any data are read."""

    n_clusters: int | None = None
    method: str = "auto"
    params: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float | None = None
    random_state: int = 0
    against_labels: bool = False
    label_column: str | None = None
    progress: bool = False

    def check_count(self, method: Method) -> None:
        """Refuse a number of groups, or labels to compare with, that no data can meet."""
        c = self.n_clusters
        if c is not None and finds_number(method):
            raise ArgumentError(
                f"{argument('n_clusters', c)}: {method.name} finds the number itself; omit "
                f"{argument('n_clusters')}."
            )
        if c is not None and c < 2:
            raise ArgumentError(
                f"{argument('n_clusters', c)}: find at least two groups; one is everything."
            )
        if self.against_labels and self.label_column is None:
            raise ArgumentError(
                f"{argument('against_labels')}: name the labels with {argument('label_column')}."
            )

    def estimator(
        self,
        method: Method,
        more: Mapping[str, Any] | None = None,
        own: Mapping[str, str] | None = None,
    ) -> Any:
        """The method's estimator, not yet fitted; `more` and `own` as in `make_estimator`."""
        given = {
            "random_state": self.random_state,
            "time_budget": self.time_limit,
            "n_clusters": self.n_clusters,
        }
        arguments = {
            "random_state": argument("random_state"),
            "time_budget": argument("time_limit"),
            "n_clusters": argument("n_clusters"),
        }
        return make_estimator(
            method, given | dict(more or {}), self.params, arguments | dict(own or {})
        )

    def compared(self, labels: Labels | None, groups: NDArray[np.intp]) -> LabelAgreement | None:
        """Groups against labels; None where that was not asked for."""
        if labels is None or not self.against_labels:
            return None
        values = labels.values
        values = values.to_pylist() if hasattr(values, "to_pylist") else values
        return label_agreement(values, groups, name=labels.name, missing=labels.missing)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Grouping(Printed):
    """Groups of samples or of vertices, and what they are worth.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Group of each sample or vertex, from 0.
    n_groups : int
        As requested, as suggested, or as found.
    estimator : fitted clusterer
    partition : Partition
        What the groups are worth without labels.
    against : LabelAgreement or None
        Agreement with labels that were not used.
    suggestion : Suggestion or None
        Of the number of groups, where it was not given.
    notes : list of str
    """

    plan: GroupingPlan
    choice: Choice
    fitted: Fitted
    partition: Partition
    against: LabelAgreement | None
    n_groups: int
    suggestion: Suggestion | None
    notes: list[str] = field(default_factory=list)

    #: Name of the layout of the JSON document.
    schema: ClassVar[str]

    @property
    def estimator(self) -> Any:
        """The fitted clusterer."""
        return self.fitted.estimator

    @property
    def labels(self) -> NDArray[np.intp]:
        """Group of each sample or vertex, from 0."""
        return np.asarray(self.fitted.estimator.labels_)

    @abstractmethod
    def rows(self) -> dict[str, Any]:
        """The columns of `frame` by their names."""

    @abstractmethod
    def _facts(self) -> dict[str, Any]:
        """The entry ``data`` of the JSON document, and those that are not in every one."""

    @abstractmethod
    def _page(self) -> dict[str, Any]:
        """The arguments of `ClusteringResult` that are not in every one."""

    @abstractmethod
    def _body(self) -> Blocks:
        """The text, but for its end."""

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each sample or vertex."""
        return package("pandas", "cli").DataFrame(self.rows())

    def blocks(self, *, details: bool = False) -> Blocks:
        """What is printed, line by line."""
        steps = f" ({self.fitted.stopped})" if self.fitted.stopped else ""
        return [
            *self._body(),
            *([] if self.against is None else [_agreement(self.against, len(self.labels))]),
            f"Time: {duration(self.fitted.seconds)}{steps}.",
        ]

    def write_image(self, path: str | os.PathLike[str]) -> None:
        """Write the graph as an image, its vertices ordered by group: PNG, SVG or PDF."""
        from ..plotting import plot_adjacency

        figure_module = package("matplotlib.figure", "cli")
        figure = figure_module.Figure(figsize=(6.4, 5.4), layout="constrained")
        ax = plot_adjacency(self.estimator.affinity_, self.labels, ax=figure.subplots())
        ax.set_title(f"{len(self.partition.sizes)} groups, {self.choice.method.name}")
        with replacing(path) as file:
            figure.savefig(file, dpi=DPI, format=Path(path).suffix[1:].lower())

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        command: str = "",
        loading: str | None = None,
    ) -> Page:
        """The answer as one HTML page that needs nothing beside itself.

        Parameters
        ----------
        path : str or path-like, optional
            File to write.
        command, loading : str, optional
            The command that repeats it, and lines of Python that make the table or the graph.

        Returns
        -------
        Page
        """
        from ..report import ClusteringResult, report_page

        page = self._page()
        letter = "X" if "X" in page else "A"
        result = ClusteringResult(
            estimator=self.estimator,
            partition=self.partition,
            method=self.choice.method.name,
            seconds=self.fitted.seconds,
            seed=self.plan.random_state,
            notes=tuple(self.notes),
            number=() if self.suggestion is None else (f"Number: {self.suggestion.sentence}",),
            compiling=self.fitted.compiling,
            against=self.against,
            command=command,
            loading=f"{letter} = ...  # your data" if loading is None else loading,
            **page,
        )
        return report_page(result, path)

    def document(self) -> dict[str, Any]:
        """The answer as JSON can hold it."""
        partition, against, facts = self.partition, self.against, self._facts()
        document = {
            "schema": self.schema,
            "versions": versions(),
            "data": facts["data"],
            "method": self.choice.record(self.estimator, self.plan.random_state),
            "n_groups": self.n_groups,  # as requested, or as suggested, or as found
            "groups": partition.records(),
            "graph": {
                "vertices": int(partition.component_sizes.sum()),
                "edges": partition.n_edges,
                "components": partition.component_sizes,  # sizes, largest first
                "isolated": partition.n_isolated,
            },
            "quality": {
                "inside": partition.share_inside,  # share of all edge weight inside groups
                "expected": partition.share_expected,  # the same for random edges, these degrees
                "modularity": partition.modularity,
                "density_within": partition.density_within,
                "density_between": partition.density_between,
                "silhouette": partition.silhouette,
                "silhouette_rows": partition.n_sampled,
            },
            "against": against
            and {
                "label_column": against.name,
                "accuracy": against.accuracy,
                "nmi": against.nmi,
                "n_labels": against.n_labels,
                "n_used": against.n_used,
            },
            "suggestion": self.suggestion and self.suggestion.record(),
            "fit": self.fitted.record(),
            "notes": self.notes,
            "labels": self.labels,
        }
        return as_json(document | facts)


def finds_number(method: Method) -> bool:
    """Whether a method finds the number of groups itself."""
    return "n_clusters" not in method.defaults()


def check_size(c: int, n: int, noun: str, name: str) -> None:
    """Refuse more groups than there are things to group."""
    if c > n:
        raise DataError(
            f"{argument('n_clusters', c)} asks for more groups than the {n:,} {noun} of {name}; "
            f"use {n:,} or fewer."
        )


def size_columns(partition: Partition) -> list[list[str]]:
    """Size, share of all, and share of edge weight inside, of each group."""
    inside = ["-" if math.isnan(share) else percent(share) for share in partition.inside]
    shares = [percent(size / partition.sizes.sum()) for size in partition.sizes]
    return [[f"{size:,}" for size in partition.sizes], shares, inside]


def number(value: float, form: str) -> str:
    """A number, or a dash where there is none."""
    return "-" if math.isnan(value) else f"{value:{form}}"


def _agreement(against: LabelAgreement, n: int) -> str:
    used = "" if against.n_used == n else f" of the {against.n_used:,} labeled"
    return (
        f"Agreement with {against.name!r} ({counted(against.n_labels, 'label')}, not used for the "
        f"clustering): accuracy {against.accuracy:.3f}{used}, NMI {against.nmi:.3f}."
    )


def with_labels(columns: dict[str, Any], labels: Labels | None) -> dict[str, Any]:
    """Columns to write, with the labels behind them."""
    if labels is None:
        return columns
    name = labels.name if labels.name not in columns else f"{labels.name} (label)"
    return columns | {name: labels.values}
