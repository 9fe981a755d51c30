"""What a selection's report is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluation import HalfSamples, SelectionSummary, selection_summary
from ._pictures import ImageShape


@dataclass(frozen=True, eq=False)
class SelectionResult:
    """A fitted selection, and what is needed to repeat it.

    Parameters
    ----------
    estimator : fitted selector
        With ``ranking_``; sections on scores, groups and concepts need more attributes.
    feature_names : sequence of str
        One for each column the estimator saw, in its order.
    method : str
        Name of the method, as the command line takes it.
    command : str
        The exact command that made the selection; empty when it was made in Python.
    data_name : str
        File or data set, as the reader knows it.
    data_sha256 : str
        SHA-256 of the file, in hexadecimal; empty when there is no file.
    n_samples, n_features : int
        Shape of the table the estimator saw.
    seconds : float or None
        Time the fit took, if known.
    seed : int or None
        Seed of the random numbers; None when the method draws none, or drew without a seed.
    scale : str
        How the columns were scaled: ``unit``, ``standard``, ``minmax`` or ``none``.
    X : ndarray or CSR of shape (n_samples, n_features)
        The table the estimator saw, in any scaling: everything that is shown is computed from it.
    notes : tuple of str, default=()
        Warnings the reader must see (constant columns, dropped columns), shown at the top.
    stability : HalfSamples, optional
        How often each chosen column is chosen again on half of the rows.
    headline : str, default=""
        What the columns explain, as the terminal reports it; computed when empty.
    number : tuple of str, default=()
        Sentences on why there are so many columns.
    proof : str, default=""
        Whether other columns could explain more, where that is known.
    compiling : float, default=0.0
        Seconds spent compiling, which `seconds` does not contain.
    loading : str, default=""
        Lines of Python that make ``X`` from the data, for "How to repeat"; guessed from the ending
        of `data_name` when empty.
    image : ImageShape, optional
        How the columns make an image, where they are pixels: the chosen ones are then shown in it.
    column_means : ndarray of shape (n_features,), optional
        Means of the columns as they were read: the image the chosen pixels are shown on.
    created : datetime, optional
        When the selection was made; now, when None.
    chooser : ColumnChoice, optional
        The fitted choice among methods that took `estimator`; its candidates are then shown.
    suggestion : Suggestion, optional
        Of the number of columns (`sksieve.suggest.suggest_n_columns`).
    summary : SelectionSummary, optional
        Numbers of the fit itself (`sksieve.evaluation.selection_summary`); computed when None.

    Raises
    ------
    ValueError
        If `feature_names` does not hold one name for each column, or the image has not one pixel
        for each.
    """

    estimator: Any
    feature_names: Sequence[str]
    method: str
    command: str
    data_name: str
    data_sha256: str
    n_samples: int
    n_features: int
    seconds: float | None
    seed: int | None
    scale: str
    X: Any = field(repr=False)
    notes: tuple[str, ...] = ()
    stability: HalfSamples | None = None
    headline: str = ""
    number: tuple[str, ...] = ()
    proof: str = ""
    compiling: float = 0.0
    loading: str = ""
    image: ImageShape | None = None
    column_means: NDArray[np.float64] | None = field(default=None, repr=False)
    created: datetime | None = None
    chooser: Any = field(default=None, repr=False)
    suggestion: Any = field(default=None, repr=False)
    summary: SelectionSummary | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len(self.feature_names) != self.n_features:
            raise ValueError(
                f"feature_names has {len(self.feature_names)} names for n_features="
                f"{self.n_features} columns; give one name for each column."
            )
        if self.image is not None and self.image.height * self.image.width != self.n_features:
            raise ValueError(
                f"image={self.image.height}x{self.image.width} has "
                f"{self.image.height * self.image.width} pixels and the table "
                f"{self.n_features} columns; give the height and width of the images."
            )

    @cached_property
    def train(self) -> SelectionSummary:
        """Numbers of the fit itself, on the rows it has seen."""
        if self.summary is not None:
            return self.summary
        return selection_summary(self.estimator, self.X, scale=self.scale)
