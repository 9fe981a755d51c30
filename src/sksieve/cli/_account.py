"""What a choice of columns is worth, read from the fitted estimator and its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..linalg import gram
from ..metrics import contributions, error_ratio, inner_products, uniqueness
from ._fit import Fitted, chosen

__all__ = ["Account", "PathPoint", "account"]

Array = NDArray[np.float64]


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
        rows, norms = inner_products(fitted.X, S)
        adds = contributions(rows, S, norms)
        error, path = max(float(norms.sum() - adds.sum()), 0.0), ()
        ratio = error_ratio(fitted.X, S, scale="none")
    total = float(norms.sum())
    unique = uniqueness(rows[:, S])
    return Account(S, adds / (total or 1.0), unique, total, float(error), float(ratio), path)


def _path(est: Any) -> tuple[PathPoint, ...]:
    bounds = est.svd_error_path_
    return tuple(
        PathPoint(int(k), tuple(map(int, subset)), float(est.error_path_[k]), float(bounds[k]))
        for k, subset in est.path_.items()
    )
