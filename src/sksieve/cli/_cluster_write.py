"""Write the labels, and the image of the graph ordered by group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io import replacing, write_table
from ..io._messages import package
from ._cluster_fit import Grouping
from ._cluster_options import ClusterOptions, CommunityOptions
from ._columns import Numeric
from ._write import FRAMES, REPORTS, check_target

__all__ = ["check_targets", "labelled_rows", "write_image", "write_labels"]

IMAGES = (".png", ".svg", ".pdf")
DPI = 150


def check_targets(options: ClusterOptions | CommunityOptions) -> None:
    """Refuse, before any work, files that could not be written.

    Raises
    ------
    DataError
    """
    for path, suffixes, name in (
        (options.output, tuple(FRAMES), "--output"),
        (options.report, REPORTS, "--report"),
        (options.adjacency, IMAGES, "--adjacency"),
    ):
        if path is not None:
            check_target(path, options.data, suffixes, name)


def labelled_rows(numeric: Numeric, labels: NDArray[np.intp]) -> dict[str, Any]:
    """One line per row of the table: its number from 0, its cluster, the label set aside."""
    columns: dict[str, Any] = {"row": np.arange(len(labels)), "cluster": labels}
    if numeric.labels is not None:
        name = numeric.labels.name
        columns[name if name not in columns else f"{name} (set aside)"] = numeric.labels.values
    return columns


def write_labels(path: Path, columns: dict[str, Any]) -> None:
    """Write the columns as a table."""
    write_table(path, columns)


def write_image(path: Path, grouping: Grouping) -> None:
    """Write the graph as an image, its vertices ordered by group."""
    from ..plotting import plot_adjacency

    figure_module = package("matplotlib.figure", "cli")
    figure = figure_module.Figure(figsize=(6.4, 5.4), layout="constrained")
    ax = plot_adjacency(grouping.fitted.estimator.affinity_, grouping.labels, ax=figure.subplots())
    ax.set_title(f"{len(grouping.partition.sizes)} groups, {grouping.choice.method.name}")
    with replacing(path) as file:
        figure.savefig(file, dpi=DPI, format=path.suffix[1:].lower())
