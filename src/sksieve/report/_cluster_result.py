"""What a clustering's report is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..evaluation import Partition
from ..metrics import LabelAgreement


@dataclass(frozen=True, eq=False)
class ClusteringResult:
    """A fitted clustering of samples or of vertices, and what is needed to repeat it.

    Parameters
    ----------
    estimator : fitted clusterer
        With ``labels_``, ``affinity_`` and, where it has one, ``embedding_``.
    partition : Partition
        What it is worth (`sksieve.evaluation.partition`).
    method : str
        Name of the method, as the command line takes it.
    command : str
        The exact command that made it; empty when it was made in Python.
    data_name : str
        File or data set, as the reader knows it.
    data_sha256 : str
        SHA-256 of the file, in hexadecimal; empty when there is no file.
    seconds : float or None
        Time the fit took, if known.
    seed : int or None
        Seed of the random numbers.
    X : ndarray or CSR of shape (n_samples, n_features), optional
        The table, in the units the reader knows; None for a graph.
    feature_names : sequence of str, default=()
        One for each column of X.
    seen : ndarray or CSR of shape (n_samples, n_features), optional
        The table as the estimator saw it, scaled, for the map; X when None.
    scale : str, default=""
        How the columns were scaled: ``unit``, ``standard``, ``minmax`` or ``none``.
    names : sequence of str, optional
        Names of the samples or vertices; numbers from 0 when None.
    notes : tuple of str, default=()
        Warnings the reader must see, shown at the top.
    number : tuple of str, default=()
        Sentences on why there are so many groups, and what else is reasonable.
    stability : str, default=""
        How well the groups agree with those of half of the rows.
    compiling : float, default=0.0
        Seconds spent compiling, which `seconds` does not contain.
    loading : str, default=""
        Lines of Python that make ``X``, or ``A`` for a graph.
    against : sksieve.metrics.LabelAgreement, optional
        Agreement with labels that were not used.
    created : datetime, optional
        When the clustering was made; now, when None.

    Raises
    ------
    ValueError
        If names do not match the table or the labels.
    """

    estimator: Any
    partition: Partition
    method: str
    command: str
    data_name: str
    data_sha256: str
    seconds: float | None
    seed: int | None
    X: Any = field(default=None, repr=False)
    feature_names: Sequence[str] = ()
    seen: Any = field(default=None, repr=False)
    scale: str = ""
    names: Sequence[str] | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    number: tuple[str, ...] = ()
    stability: str = ""
    compiling: float = 0.0
    loading: str = ""
    against: LabelAgreement | None = None
    created: datetime | None = None

    def __post_init__(self) -> None:
        n = len(self.estimator.labels_)
        if self.names is not None and len(self.names) != n:
            raise ValueError(f"names has {len(self.names)} entries for {n} labels; give one each.")
        if self.X is not None and self.X.shape != (n, len(self.feature_names)):
            raise ValueError(
                f"X has shape {self.X.shape}; with {n} labels and {len(self.feature_names)} "
                "feature_names it must have one row and one column for each."
            )

    @property
    def is_graph(self) -> bool:
        """Are vertices of a graph grouped, and not rows of a table?"""
        return self.X is None
