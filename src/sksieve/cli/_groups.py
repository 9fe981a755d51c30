"""What clusters of samples and communities of vertices share: checks, summary, output.

The layouts of the JSON documents are stable: within ``sksieve.cluster/1`` and
``sksieve.communities/1`` fields are added, never renamed or removed. Shares lie in [0, 1]; a number
that is not finite is null; samples, vertices and groups are counted from 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._replace import replacing
from .._wording import counted
from ..catalogue import Method
from ..evaluation import Partition
from ..exceptions import DataError
from ..io._messages import package
from ..io._numeric import Labels
from ..metrics import LabelAgreement, label_agreement
from ._fit import Choice, Fitted
from ._options import GroupOptions, UsageError
from ._print import duration, percent, print_lines, stopped, versions
from .select import fit_entry, method_entry

__all__ = [
    "Grouping",
    "check_count",
    "check_size",
    "compared",
    "document",
    "finds_number",
    "inside",
    "number",
    "print_close",
    "shares",
    "sizes",
    "with_labels",
    "write_image",
]

DPI = 150


@dataclass(frozen=True, eq=False)
class Grouping:
    """Everything about a clustering, of samples or of vertices."""

    choice: Choice
    fitted: Fitted
    partition: Partition
    against: LabelAgreement | None

    @property
    def labels(self) -> NDArray[np.intp]:
        return self.fitted.estimator.labels_


# Checks -------------------------------------------------------------------------------------------


def finds_number(method: Method) -> bool:
    """Whether a method finds the number of groups itself."""
    return "n_clusters" not in method.defaults()


def check_count(options: GroupOptions, method: Method) -> None:
    """Refuse what no data can meet.

    Raises
    ------
    UsageError
        If fewer than two groups are requested, or a number of a method that finds it itself, or
        labels to compare with are not named.
    """
    if options.clusters is not None and finds_number(method):
        raise UsageError(f"-c {options.clusters}: {method.name} finds the number itself; omit -c.")
    if options.clusters is not None and options.clusters < 2:
        raise UsageError(f"-c {options.clusters}: find at least two groups; one is everything.")
    if options.against_labels and options.label_column is None:
        raise UsageError("--against-labels: name the labels with --label-column.")


def check_size(c: int, n: int, noun: str, name: str) -> None:
    """Refuse more groups than there are things to group.

    Raises
    ------
    DataError
    """
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


def sizes(partition: Partition) -> list[str]:
    return [f"{size:,}" for size in partition.sizes]


def shares(partition: Partition) -> list[str]:
    return [percent(size / partition.sizes.sum()) for size in partition.sizes]


def inside(partition: Partition) -> list[str]:
    return ["-" if math.isnan(share) else percent(share) for share in partition.inside]


def number(value: float, form: str) -> str:
    return "-" if math.isnan(value) else f"{value:{form}}"


def print_close(grouping: Grouping, options: GroupOptions) -> None:
    """The outside check, the time, and what most people want next."""
    if grouping.against is not None:
        print_lines(_agreement(grouping.against, len(grouping.labels)))
    steps = stopped(grouping.fitted)
    print_lines(f"Time: {duration(grouping.fitted.seconds)}{f' ({steps})' if steps else ''}.")
    if options.output is None:
        print_lines(f"Next: {options.command_line('-o', 'labels.csv')}")
    elif options.report is None:
        print_lines(f"Next: {options.command_line('--report', 'report.html')}")
    else:
        print_lines("Next: sksieve methods")


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


# Files --------------------------------------------------------------------------------------------


def write_image(path: Path, grouping: Grouping) -> None:
    """Write the graph as an image, its vertices ordered by group."""
    from ..plotting import plot_adjacency

    figure_module = package("matplotlib.figure", "cli")
    figure = figure_module.Figure(figsize=(6.4, 5.4), layout="constrained")
    ax = plot_adjacency(grouping.fitted.estimator.affinity_, grouping.labels, ax=figure.subplots())
    ax.set_title(f"{len(grouping.partition.sizes)} groups, {grouping.choice.method.name}")
    with replacing(path) as file:
        figure.savefig(file, dpi=DPI, format=path.suffix[1:].lower())


# The document -------------------------------------------------------------------------------------


def document(
    schema: str,
    data: dict[str, Any],
    grouping: Grouping,
    options: GroupOptions,
    *,
    n_groups: int,
    notes: list[str],
) -> dict[str, Any]:
    """The JSON document."""
    partition, fitted, against = grouping.partition, grouping.fitted, grouping.against
    return {
        "schema": schema,
        "versions": versions(),
        "command": options.command_line(),  # repeats the clustering
        "data": data,
        "method": method_entry(grouping.choice, fitted.estimator, options.seed),
        "n_groups": n_groups,  # as requested, or as suggested
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
        "fit": fit_entry(fitted),
        "output": options.output and str(options.output),
        "report": options.report and str(options.report),
        "adjacency": options.adjacency and str(options.adjacency),
        "notes": notes,
        "labels": grouping.labels,
    }
