"""How well chosen columns explain each dropped one, and which of them do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._typing import Array, Indices
from ..tables import column_norms2, constant_columns

#: Correlations that differ from dependence by less are dependent.
RCOND = 1e-10
#: Chosen columns named for each dropped one, and the least weight that is named.
NAMED, LEAST = 3, 5e-3
#: Shares from which on a column counts as explained well, and partly.
WELL, PARTLY = 0.9, 0.5


@dataclass(frozen=True)
class Reconstruction:
    """How the chosen columns explain the dropped ones, worst first.

    Parameters
    ----------
    columns : ndarray of shape (m,)
        The dropped columns.
    r2 : ndarray of shape (m,)
        Share of each column's variation that the chosen columns explain; NaN for a column that
        has none.
    sources : ndarray of shape (m, NAMED)
        The chosen columns of largest weight, -1 where there are fewer.
    weights : ndarray of shape (m, NAMED)
        Their least-squares coefficients, every column measured in its own spread: its standard
        deviation where columns are centered, else its root mean square.
    """

    columns: Indices
    r2: Array
    sources: Indices
    weights: Array

    @property
    def n_well(self) -> int:
        """Columns of which at least 90 % is explained."""
        return int(np.count_nonzero(self.r2 >= WELL))

    @property
    def n_partly(self) -> int:
        """Columns of which at least 50 %, but less than 90 %, is explained."""
        return int(np.count_nonzero((self.r2 >= PARTLY) & (self.r2 < WELL)))

    @property
    def n_poorly(self) -> int:
        """Columns of which less than 50 % is explained."""
        return int(np.count_nonzero(self.r2 < PARTLY))

    @property
    def n_constant(self) -> int:
        """Columns without variation."""
        return int(np.count_nonzero(np.isnan(self.r2)))


def reconstruction(X: Any, order: Indices) -> Reconstruction:
    """Least squares of every column on the chosen ones, all standardized.

    Parameters
    ----------
    X : ndarray or CSR of shape (m, n)
        Scaled in any way; sparse X is centered in the products only.
    order : ndarray of shape (k,)
        The chosen columns, in order.

    Notes
    -----
    O(m k n + k^2 n); nothing is n x n.
    """
    C, varies = correlations(X, order)
    coef: Array = np.linalg.lstsq(C[:, order], C, rcond=RCOND)[0].astype(np.float64)
    r2 = np.where(varies, np.clip(np.einsum("ij,ij->j", coef, C), 0.0, 1.0), np.nan)
    return worst_first(order, r2, coef)


def worst_first(order: Indices, r2: Array, weights: Array) -> Reconstruction:
    """The table of dropped columns, from the R2 of all and the weights of the chosen in each."""
    dropped = np.setdiff1d(np.arange(len(r2)), order)
    dropped = dropped[np.argsort(r2[dropped], kind="stable")]
    weights = weights[:, dropped]
    top = np.argsort(-np.abs(weights), axis=0, kind="stable")[:NAMED].T
    largest = np.take_along_axis(weights.T, top, axis=1)
    missing = np.abs(largest) < LEAST
    sources = np.where(missing, -1, order[top])
    return Reconstruction(dropped, r2[dropped], sources, np.where(missing, 0.0, largest))


def correlations(X: Any, S: Indices) -> tuple[Array, NDArray[np.bool_]]:
    """Correlation of the columns S with all, 0 for constant ones; and which are not constant."""
    m = X.shape[0]
    if sp.issparse(X):
        X = X.astype(np.float64)
        mean = np.asarray(X.mean(axis=0)).ravel()
        rows = (X[:, S].T @ X).toarray() - m * np.outer(mean[S], mean)
        norms = column_norms2(X) - m * mean**2
    else:
        X = np.asarray(X, dtype=np.float64)
        mean = X.mean(axis=0)
        A = X - mean
        rows, norms = A[:, S].T @ A, column_norms2(A)
    varies = ~constant_columns(X) & (norms > 0)
    scale = np.divide(1, np.sqrt(np.maximum(norms, 0)), out=np.zeros_like(norms), where=varies)
    C = np.clip(rows * scale[S, None] * scale, -1, 1)
    C[np.arange(len(S)), S] = varies[S]
    return C, varies
