"""What chosen columns explain of a table, for methods that do not compute it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..metrics import contributions
from ..scaling import constant_columns
from ._path_facts import Reconstruction, worst_first

__all__ = ["Explained", "correlations", "explained"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Correlations that differ from dependence by less are dependent.
RCOND = 1e-10


class Explained(NamedTuple):
    """Shares of the variance of the columns, each centered and scaled to variance 1.

    Attributes
    ----------
    together : ndarray of shape (k,)
        Kept by the first column, the first two, ...
    reconstruction : Reconstruction
        How well the dropped columns are explained, and by which.
    """

    together: Array
    reconstruction: Reconstruction


def explained(X: Any, order: Indices) -> Explained:
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
    adds = contributions(C, order, varies.astype(float))
    coef: Array = np.linalg.lstsq(C[:, order], C, rcond=RCOND)[0].astype(np.float64)
    r2 = np.where(varies, np.clip(np.einsum("ij,ij->j", coef, C), 0.0, 1.0), np.nan)
    together = np.cumsum(adds) / max(int(varies.sum()), 1)
    return Explained(together, worst_first(order, r2, coef))


def correlations(X: Any, S: Indices) -> tuple[Array, NDArray[np.bool_]]:
    """Correlation of the columns S with all, 0 for constant ones; and which are not constant."""
    m = X.shape[0]
    if sp.issparse(X):
        X = X.astype(np.float64)
        mean = np.asarray(X.mean(axis=0)).ravel()
        rows = (X[:, S].T @ X).toarray() - m * np.outer(mean[S], mean)
        norms = np.asarray(X.multiply(X).sum(axis=0)).ravel() - m * mean**2
    else:
        X = np.asarray(X, dtype=np.float64)
        mean = X.mean(axis=0)
        A = X - mean
        rows, norms = A[:, S].T @ A, np.einsum("ij,ij->j", A, A)
    varies = ~constant_columns(X) & (norms > 0)
    scale = np.divide(1, np.sqrt(np.maximum(norms, 0)), out=np.zeros_like(norms), where=varies)
    C = np.clip(rows * scale[S, None] * scale, -1, 1)
    C[np.arange(len(S)), S] = varies[S]
    return C, varies
