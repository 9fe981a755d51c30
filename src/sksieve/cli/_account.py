"""What a choice of columns is worth, read from the fitted estimator and its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..linalg import gram
from ..metrics import error_ratio
from ._fit import Fitted, chosen

__all__ = ["Account", "PathPoint", "account"]

Array = NDArray[np.float64]
#: A column whose residual is a smaller part of its squared norm adds nothing.
PIVOT_RTOL = 1e-10
#: Added to the unit diagonal, so that dependent columns come out as 0 % unique.
RIDGE = 1e-12


@dataclass(frozen=True)
class PathPoint:
    """The best subset found of one size."""

    k: int
    columns: tuple[int, ...]
    error: float
    best_possible: float


@dataclass(frozen=True, eq=False)
class Account:
    """Shares are of the total squared norm of the scaled data.

    Parameters
    ----------
    chosen : ndarray of shape (k,)
        Column indices in order.
    adds : ndarray of shape (k,)
        Share each column adds to those before it.
    unique : ndarray of shape (k,)
        Share of each column that the other chosen ones do not rebuild.
    total, error, ratio : float
        ``||A||^2``, ``||A - A_S A_S^+ A||^2``, and the error over that of the best rank-k
        approximation.
    path : tuple of PathPoint
        Empty for methods without a path.
    """

    chosen: NDArray[np.intp]
    adds: Array
    unique: Array
    total: float
    error: float
    ratio: float
    path: tuple[PathPoint, ...]

    @property
    def explained(self) -> float:
        return 1.0 - self.error / self.total


def account(fitted: Fitted, kind: str) -> Account:
    """Work out the account of a fitted selector.

    Parameters
    ----------
    fitted : Fitted
    kind : str
        The method's kind; ``columns`` has a path and knows its Gram matrix.

    Notes
    -----
    O(k^2 n) for column subset methods; O(m n^2) for others, whose error ratio takes a factorisation
    of the data.
    """
    est, S = fitted.estimator, chosen(fitted.estimator)
    if kind == "columns":
        G, _, _ = gram(est.moments_, est.scale)
        rows, norms = G[S], np.diagonal(G)
        error, ratio, path = est.error_, est.error_ratio_, _path(est)
        adds = contributions(rows, S, norms)
    else:
        rows, norms = _inner_products(fitted.X, S)
        adds = contributions(rows, S, norms)
        error, path = max(float(norms.sum() - adds.sum()), 0.0), ()
        ratio = error_ratio(fitted.X, S, scale="none")
    total = float(norms.sum())
    unique = uniqueness(rows[:, S])
    return Account(S, adds / (total or 1.0), unique, total, float(error), float(ratio), path)


def contributions(rows: Array, S: NDArray[np.intp], norms: Array) -> Array:
    """Squared norm of A that each column rebuilds beyond those before it.

    Parameters
    ----------
    rows : ndarray of shape (k, n)
        ``A_S' A``.
    S : ndarray of shape (k,)
        The chosen columns, in order.
    norms : ndarray of shape (n,)
        Squared norms of all columns.

    Returns
    -------
    ndarray of shape (k,)
        0 for a column that depends on those before it.

    Notes
    -----
    Cholesky factorisation in the given order, O(k^2 n): the squared norm of row i of
    ``L^-1 A_S' A`` is what column i adds.
    """
    V = np.zeros(rows.shape)
    for i, j in enumerate(S):
        v = V[:i, j]
        pivot = norms[j] - v @ v
        if pivot > PIVOT_RTOL * norms[j]:
            V[i] = (rows[i] - v @ V[:i]) / np.sqrt(pivot)
    return np.einsum("ij,ij->i", V, V)


def uniqueness(G: Array) -> Array:
    """Share of each column that the others do not rebuild, from their Gram matrix, in [0, 1]."""
    d = np.sqrt(np.diagonal(G))
    zero = d == 0
    C = G / np.outer(np.where(zero, 1.0, d), np.where(zero, 1.0, d))
    C[np.diag_indices_from(C)] = 1.0 + RIDGE
    share = 1.0 / np.diagonal(np.linalg.inv(C))
    return np.where(zero, 0.0, np.clip(share, 0.0, 1.0))


def _inner_products(X: Any, S: NDArray[np.intp]) -> tuple[Array, Array]:
    """``A_S' A`` and the squared norms of A's columns."""
    if sp.issparse(X):
        X = X.astype(np.float64)
        return (X[:, S].T @ X).toarray(), np.asarray(X.multiply(X).sum(axis=0)).ravel()
    X = np.asarray(X, dtype=np.float64)
    return X[:, S].T @ X, np.einsum("ij,ij->j", X, X)


def _path(est: Any) -> tuple[PathPoint, ...]:
    bounds = est.svd_error_path_
    return tuple(
        PathPoint(int(k), tuple(map(int, subset)), float(est.error_path_[k]), float(bounds[k]))
        for k, subset in est.path_.items()
    )
