"""Gower's distance between rows of numbers and text, as a city-block distance.

Gower, "A general coefficient of similarity and some of its properties", Biometrics 27, 1971.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from .._memory import require_memory
from .._typing import Array
from ..exceptions import DataError
from ._weights import from_neighbors, symmetrized


def gower_columns(X: Any, groups: Sequence[Any]) -> Array:
    """Columns whose city-block distance is Gower's distance of the rows.

    The distance of two rows is the mean over the variables of: for a number, the difference over
    the range of the column; for a text variable, 1 where the values differ and else 0.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Numbers, and text coded as 0/1 columns. Their units do not matter.
    groups : sequence of length d
        Variable of each column; a variable with several columns is a text variable with one for
        each value.

    Returns
    -------
    ndarray of shape (n, d)

    Raises
    ------
    DataError
        If `groups` does not have one entry for each column.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import gower_columns
    >>> X = np.array([[1, 0, 0, 20.0], [0, 1, 0, 20.0], [0, 0, 1, 40.0]])
    >>> W = gower_columns(X, ["city", "city", "city", "age"])
    >>> float(np.abs(W[0] - W[1]).sum()), float(np.abs(W[0] - W[2]).sum())
    (0.5, 1.0)
    """
    W = X.toarray() if sp.issparse(X) else np.array(X, dtype=np.float64)
    groups = [group.item() if hasattr(group, "item") else group for group in groups]
    if len(groups) != W.shape[1]:
        raise DataError(
            f"groups has {len(groups)} entries for the {W.shape[1]} columns of X; give one for "
            "each column."
        )
    width = Counter(groups)
    W -= W.min(axis=0)
    spread = W.max(axis=0)
    W /= np.where(spread > 0, spread, 1.0)
    weights = np.array([0.5 if width[group] > 1 else 1.0 for group in groups])
    return W * weights / len(width)


def gower_shares(W: Array, groups: Sequence[Any]) -> dict[Any, float]:
    """Share of the mean distance of two rows that each variable makes.

    Parameters
    ----------
    W : ndarray of shape (n, d)
        From `gower_columns`.
    groups : sequence of length d

    Returns
    -------
    dict
        Variable -> share, in the order of the columns; zeros where all rows are equal.
    """
    n = len(W)
    steps = 2 * np.arange(n)[:, None] - n + 1
    means = (np.sort(W, axis=0) * steps).sum(axis=0)  # of |a - b| over pairs, times a constant
    total = float(means.sum()) or 1.0
    shares: dict[Any, float] = {}
    for group, value in zip(groups, means):
        shares[group] = shares.get(group, 0.0) + float(value) / total
    return shares


def gower_graph(W: Array, n_neighbors: int) -> sp.csr_array:
    """Graph that joins every row with its nearest others by Gower's distance.

    Parameters
    ----------
    W : ndarray of shape (n, d)
        From `gower_columns`.
    n_neighbors : int
        ``1 <= n_neighbors <= n - 1``.

    Returns
    -------
    csr_array of shape (n, n)
        Symmetric, 0/1, zero diagonal.

    Notes
    -----
    Cost O(n^2 d) time, O(n k) memory.
    """
    neighbors = NearestNeighbors(n_neighbors=n_neighbors, metric="manhattan").fit(W)
    indices = neighbors.kneighbors(return_distance=False)
    return symmetrized(from_neighbors(indices, np.ones(indices.shape)), "max")


def gower_coordinates(W: Array, n_components: int) -> Array:
    """Principal coordinates: points whose squared Euclidean distances are Gower's, as far as so
    few can.

    Parameters
    ----------
    W : ndarray of shape (n, d)
        From `gower_columns`.
    n_components : int
        Coordinates, largest variance first; fewer where the others have none.

    Returns
    -------
    ndarray of shape (n, at most n_components)

    Raises
    ------
    TooLargeError
        If the n x n distances do not fit in memory.

    Notes
    -----
    Cost O(n^3). The square root of a city-block distance is Euclidean, so that no eigenvalue is
    negative.
    """
    n = len(W)
    require_memory(32.0 * n * n, f"Distances between {n} rows", "Use a sample of the rows.")
    B = cdist(W, W, "cityblock")
    B -= B.mean(axis=0)
    B -= B.mean(axis=1)[:, None]
    first = max(0, n - n_components)
    values, vectors = eigh(-0.5 * B, subset_by_index=[first, n - 1])
    kept = values > 1e-10 * max(values[-1], np.finfo(float).tiny)
    return np.ascontiguousarray((vectors[:, kept] * np.sqrt(values[kept]))[:, ::-1])
