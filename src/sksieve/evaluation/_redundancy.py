"""Correlations of the chosen columns with each other and with the dropped ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..tables import gram, moments
from ._reconstruction import correlations

#: Columns the heat map shows, at most.
SHOWN = 60
#: Chosen and dropped columns whose correlations are shown, at most.
CROSS = (40, 120)
#: Absolute correlation from which on a chosen column represents a dropped one; the default of
#: `CorrelatedColumns`.
THRESHOLD = 0.9
#: The most correlated pairs that are named.
PAIRS = 10


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


def chosen_correlations(est: Any, X: Any) -> Redundancy | None:
    """Correlations of the chosen columns with each other.

    Parameters
    ----------
    est : fitted selector
    X : ndarray or CSR of shape (n_samples, n_features)

    Returns
    -------
    Redundancy or None
        None when fewer than two columns were chosen.
    """
    columns = np.asarray(est.ranking_[: est.n_features_to_select_], dtype=np.intp)[:SHOWN]
    if len(columns) < 2:
        return None
    r = gram(moments(X[:, columns]), "standard")[0]
    constant = np.diagonal(r) == 0
    r[constant, :] = np.nan
    r[:, constant] = np.nan
    i, j = np.tril_indices(len(columns), -1)
    values = r[i, j]
    finite = np.flatnonzero(~np.isnan(values))
    largest = finite[np.argsort(-np.abs(values[finite]), kind="stable")][:PAIRS]
    pairs = [(float(values[p]), int(columns[j[p]]), int(columns[i[p]])) for p in largest]
    mean = float(np.abs(values[finite]).mean()) if finite.size else float("nan")
    return Redundancy(columns, r, pairs, mean)


def represented_columns(est: Any, X: Any) -> dict[int, list[tuple[float, int]]]:
    """For each chosen column the dropped columns whose correlation with it reaches `THRESHOLD`.

    A dropped column belongs to the chosen one it is most correlated with, of equal ones the first.

    Parameters
    ----------
    est : fitted selector
    X : ndarray or CSR of shape (n_samples, n_features)

    Returns
    -------
    dict of int -> list of (float, int)
        In the order of choice: correlations and columns, the most correlated first.

    Notes
    -----
    O(m k n).
    """
    S = np.asarray(est.ranking_[: est.n_features_to_select_], dtype=np.intp)
    r = correlations(X, S)[0]
    owner = np.argmax(np.abs(r), axis=0)
    strongest = r[owner, np.arange(r.shape[1])]
    near = np.setdiff1d(np.flatnonzero(np.abs(strongest) >= THRESHOLD), S)
    near = near[np.argsort(-np.abs(strongest[near]), kind="stable")]
    groups: dict[int, list[tuple[float, int]]] = {}
    for i, j in enumerate(S):
        if len(members := near[owner[near] == i]):
            groups[int(j)] = [(float(strongest[m]), int(m)) for m in members]
    return groups


@dataclass(frozen=True, eq=False)
class CrossCorrelations:
    """Correlations between chosen and dropped columns.

    Parameters
    ----------
    chosen : ndarray of shape (r,)
        In the order of choice.
    dropped : ndarray of shape (c,)
        By the chosen column each is most correlated with, the most correlated first.
    correlation : ndarray of shape (r, c)
        0 for constant columns.
    """

    chosen: NDArray[np.intp]
    dropped: NDArray[np.intp]
    correlation: NDArray[np.float64]


def cross_correlations(est: Any, X: Any) -> CrossCorrelations | None:
    """Correlations of the first chosen columns with those dropped columns they are nearest to.

    Parameters
    ----------
    est : fitted selector
    X : ndarray or CSR of shape (n_samples, n_features)

    Returns
    -------
    CrossCorrelations or None
        None where no column was dropped.
    """
    every = np.asarray(est.ranking_[: est.n_features_to_select_], dtype=np.intp)
    S = every[: CROSS[0]]
    C = correlations(X, S)[0]
    dropped = np.setdiff1d(np.arange(C.shape[1]), every)
    if not len(dropped):
        return None
    strength = np.abs(C[:, dropped])
    kept = np.argsort(-strength.max(axis=0), kind="stable")[: CROSS[1]]
    owner = strength[:, kept].argmax(axis=0)
    order = np.lexsort((-strength[owner, kept], owner))
    dropped = dropped[kept[order]]
    return CrossCorrelations(S, dropped, C[:, dropped])
