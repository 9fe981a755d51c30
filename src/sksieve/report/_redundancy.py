"""Correlation of the chosen columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..linalg import Moments, gram, moments
from ._selection_result import SelectionResult

__all__ = ["Redundancy", "redundancy"]

#: Columns the heat map shows, at most.
SHOWN = 60


@dataclass(frozen=True)
class Redundancy:
    """Correlations of the first chosen columns.

    Parameters
    ----------
    columns : ndarray of shape (k,)
        The columns, in order.
    correlation : ndarray of shape (k, k)
        Pearson's correlation; rows and columns of constant columns are NaN.
    pairs : list of (float, int, int)
        The most correlated pairs by absolute value: correlation and the two columns.
    mean : float
        Mean absolute correlation over all pairs.
    """

    columns: NDArray[np.intp]
    correlation: NDArray[np.float64]
    pairs: list[tuple[float, int, int]]
    mean: float


def redundancy(result: SelectionResult, n_pairs: int = 10) -> Redundancy | None:
    """Correlations of the chosen columns, from X or else from the estimator's moments.

    Parameters
    ----------
    result : SelectionResult
    n_pairs : int
        How many of the most correlated pairs to name.

    Returns
    -------
    Redundancy or None
        None when fewer than two columns were chosen, or there is nothing to compute it from.
    """
    est = result.estimator
    columns = np.asarray(est.ranking_[: est.n_features_to_select_], dtype=np.intp)[:SHOWN]
    seen = _moments_of(result, columns)
    if seen is None or len(columns) < 2:
        return None
    r = gram(seen, "standard")[0]
    constant = np.diagonal(r) == 0
    r[constant, :] = np.nan
    r[:, constant] = np.nan
    i, j = np.tril_indices(len(columns), -1)
    values = r[i, j]
    finite = np.flatnonzero(~np.isnan(values))
    largest = finite[np.argsort(-np.abs(values[finite]), kind="stable")][:n_pairs]
    pairs = [(float(values[p]), int(columns[j[p]]), int(columns[i[p]])) for p in largest]
    mean = float(np.abs(values[finite]).mean()) if finite.size else float("nan")
    return Redundancy(columns, r, pairs, mean)


def _moments_of(result: SelectionResult, columns: NDArray[np.intp]) -> Moments | None:
    if result.X is not None:
        return moments(result.X[:, columns])
    seen = getattr(result.estimator, "moments_", None)
    if seen is None:
        return None
    taken: Moments = seen.take(columns)
    return taken
