"""What clusters of samples and communities of vertices share: checks, summary, output.

The layouts of the JSON documents are stable: within ``sksieve.cluster/1`` and
``sksieve.communities/1`` fields are added, never renamed or removed. Shares lie in [0, 1]; a number
that is not finite is null; samples, vertices and groups are counted from 0.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._replace import replacing
from .._versions import versions
from .._wording import counted, duration, percent
from ..catalogue import Method
from ..evaluation import Partition
from ..exceptions import DataError
from ..io import write_table
from ..io._messages import package
from ..io._numeric import Labels
from ..metrics import LabelAgreement, label_agreement
from ..workflows._fitting import Fitted
from ..workflows._methods import Choice
from ._errors import UsageError
from ._options import GroupOptions
from ._print import print_lines, print_next, print_result

DPI = 150


@dataclass(frozen=True, eq=False, kw_only=True)
class Grouping(ABC):
    """Everything about a clustering, of samples or of vertices."""

    options: Any
    choice: Choice
    fitted: Fitted
    partition: Partition
    against: LabelAgreement | None
    n_groups: int
    suggestion: Any
    notes: list[str]

    #: Name of the layout of the JSON document.
    schema: ClassVar[str]

    @property
    def labels(self) -> NDArray[np.intp]:
        return self.fitted.estimator.labels_

    @abstractmethod
    def rows(self) -> dict[str, Any]:
        """The table to write: columns by their names."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """The entry ``data`` of the JSON document, and those that are not in every one."""

    @abstractmethod
    def page(self) -> dict[str, Any]:
        """The arguments of `ClusteringResult` that are not in every one."""

    @abstractmethod
    def show(self) -> None:
        """Print the result."""

    def deliver(self) -> None:
        """Write the files that were asked for, and print the result."""
        options = self.options
        if options.output is not None:
            write_table(options.output, self.rows())
        if options.adjacency is not None:
            self._write_image(options.adjacency)
        if options.report is not None:
            self._write_report(options.report)
        print_result(options, self.document, self.show, self.notes, self.fitted)

    def _write_image(self, path: Path) -> None:
        """Write the graph as an image, its vertices ordered by group."""
        from ..plotting import plot_adjacency

        figure_module = package("matplotlib.figure", "cli")
        figure = figure_module.Figure(figsize=(6.4, 5.4), layout="constrained")
        ax = plot_adjacency(self.fitted.estimator.affinity_, self.labels, ax=figure.subplots())
        ax.set_title(f"{len(self.partition.sizes)} groups, {self.choice.method.name}")
        with replacing(path) as file:
            figure.savefig(file, dpi=DPI, format=path.suffix[1:].lower())

    def _write_report(self, path: Path) -> None:
        from ..report import ClusteringResult, write_clustering_report

        method = self.choice.method.name
        shared: dict[str, Any] = {
            "estimator": self.fitted.estimator,
            "partition": self.partition,
            "method": method,
            "seconds": self.fitted.seconds,
            "seed": self.options.seed,
            "notes": tuple(self.notes),
            "against": self.against,
        }
        page = self.page() | {"command": self.options.command_line(method=method)}
        write_clustering_report(path, ClusteringResult(**shared, **page))

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        partition, options, against = self.partition, self.options, self.against
        facts = self.facts()
        return {
            "schema": self.schema,
            "versions": versions(),
            "command": options.command_line(),  # repeats the clustering
            "data": facts["data"],
            "method": self.choice.record(self.fitted.estimator, options.seed),
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
            "fit": self.fitted.record(),
            "output": options.output and str(options.output),
            "report": options.report and str(options.report),
            "adjacency": options.adjacency and str(options.adjacency),
            "notes": self.notes,
            "labels": self.labels,
        } | facts


# Checks -------------------------------------------------------------------------------------------


def finds_number(method: Method) -> bool:
    """Whether a method finds the number of groups itself."""
    return "n_clusters" not in method.defaults()


def check_count(options: GroupOptions, method: Method) -> None:
    """Refuse a number of groups, or labels to compare with, that no data can meet."""
    if options.clusters is not None and finds_number(method):
        raise UsageError(f"-c {options.clusters}: {method.name} finds the number itself; omit -c.")
    if options.clusters is not None and options.clusters < 2:
        raise UsageError(f"-c {options.clusters}: find at least two groups; one is everything.")
    if options.against_labels and options.label_column is None:
        raise UsageError("--against-labels: name the labels with --label-column.")


def check_size(c: int, n: int, noun: str, name: str) -> None:
    """Refuse more groups than there are things to group."""
    if c > n:
        raise DataError(
            f"-c {c:,} asks for more groups than the {n:,} {noun} of {name}; use {n:,} or fewer."
        )


# Facts --------------------------------------------------------------------------------------------


def compared(labels: Labels | None, groups: NDArray[np.intp]) -> LabelAgreement | None:
    """Groups against labels; None where there are no labels."""
    if labels is None:
        return None
    values = labels.values
    values = values.to_pylist() if hasattr(values, "to_pylist") else values
    return label_agreement(values, groups, name=labels.name, missing=labels.missing)


# The terminal -------------------------------------------------------------------------------------


def size_columns(partition: Partition) -> list[list[str]]:
    """Size, share of all, and share of edge weight inside, of each group."""
    inside = ["-" if math.isnan(share) else percent(share) for share in partition.inside]
    shares = [percent(size / partition.sizes.sum()) for size in partition.sizes]
    return [[f"{size:,}" for size in partition.sizes], shares, inside]


def number(value: float, form: str) -> str:
    return "-" if math.isnan(value) else f"{value:{form}}"


def print_close(grouping: Grouping) -> None:
    """The outside check, the time, and what most people want next."""
    if grouping.against is not None:
        print_lines(_agreement(grouping.against, len(grouping.labels)))
    steps = grouping.fitted.stopped
    print_lines(f"Time: {duration(grouping.fitted.seconds)}{f' ({steps})' if steps else ''}.")
    print_next(grouping.options, "labels.csv")


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
