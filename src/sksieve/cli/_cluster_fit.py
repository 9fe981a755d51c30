"""From a fitted clusterer to what is told of it: the partition, notes, the outside check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..evaluation import Partition
from ..io._messages import counted
from ..metrics import clustering_accuracy, nmi
from ._columns import Labels
from ._fit import Fitted
from ._method import Choice
from ._output import percent

__all__ = ["Against", "Grouping", "compared", "doubts", "spoken_graph", "vertices"]


class Against(NamedTuple):
    """How the groups agree with labels that were set aside.

    Parameters
    ----------
    name : str
        The column of labels.
    accuracy, nmi : float
        Under the best map of groups to labels; mutual information over the larger entropy.
    n_classes, n_used : int
        Labels there are, and samples that have one.
    """

    name: str
    accuracy: float
    nmi: float
    n_classes: int
    n_used: int


@dataclass(frozen=True, eq=False)
class Grouping:
    """All that a clustering leaves behind, whatever it is of."""

    choice: Choice
    fitted: Fitted
    partition: Partition
    against: Against | None

    @property
    def labels(self) -> NDArray[np.intp]:
        return self.fitted.estimator.labels_


def compared(labels: Labels | None, groups: NDArray[np.intp]) -> Against | None:
    """Groups against labels, samples without a label left out; None where there are no labels."""
    if labels is None:
        return None
    values = labels.values
    values = values.to_pylist() if hasattr(values, "to_pylist") else np.asarray(values).tolist()
    known = np.array([not _missing(value, labels) for value in values])
    if not known.any():
        return None
    named = np.array([str(value) for value, here in zip(values, known) if here])
    found = groups[known]
    return Against(
        labels.name,
        clustering_accuracy(named, found),
        nmi(named, found),
        len(np.unique(named)),
        int(known.sum()),
    )


def _missing(value: Any, labels: Labels) -> bool:
    if isinstance(value, str):
        return value.strip() in labels.missing
    return value is None or value != value


def doubts(c: int, found: Partition) -> list[str]:
    """Remarks where fewer groups were found than asked for, or none that the graph speaks for."""
    notes = []
    if len(found.sizes) < c:
        notes.append(
            f"{counted(len(found.sizes), 'group')} found of the {c} asked for: the method tells no "
            "more points apart."
        )
    if found.modularity <= 0:
        notes.append(
            f"The groups hold no more of the graph's weight ({percent(found.share_inside)}) than "
            f"chance would give them ({percent(found.share_expected)}): the graph does not speak "
            "for them."
        )
    return notes


def vertices(n: int) -> str:
    """A number of vertices."""
    return f"{n:,} {'vertex' if n == 1 else 'vertices'}"


def spoken_graph(partition: Partition) -> str:
    """The graph in one line: edges, components, vertices without an edge."""
    sizes = partition.component_sizes
    n = int(sizes.sum())
    if partition.n_edges == n * (n - 1) // 2:
        edges = "every pair joined"
    else:
        edges = f"{counted(partition.n_edges, 'edge')}"
    parts = int(np.count_nonzero(sizes > 1))
    alone = partition.n_isolated
    if parts == 1 and not alone:
        return f"{vertices(n)}, {edges}, connected"
    listed = "; ".join(f"{size:,}" for size in sizes[: min(parts, 5)])
    more = f" and {parts - 5:,} more" if parts > 5 else ""
    text = f"{vertices(n)}, {edges}, {counted(parts, 'connected component')}"
    text += f" ({listed}{more} vertices)" if parts > 1 else f" of {sizes[0]:,}"
    if alone:
        text += f", {alone:,} without an edge"
    return text
