"""Groups in detail: the columns that separate them, links between them, members and a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import PCA
from sklearn.utils import check_random_state

from .._array import as_float, dense
from .._typing import Array, Indices
from ..tables import column_norms2, constant_columns
from ._partition import inside_shares

#: Points of the map, at most.
POINTS = 3000
#: The smaller side from which on only the leading directions are computed.
LARGE = 500


@dataclass(frozen=True)
class SeparatingColumns:
    """Columns that differ most between groups.

    Parameters
    ----------
    columns : ndarray of shape (m,)
        Best first.
    shares : ndarray of shape (m,)
        Share of each column's variance that is between groups, in [0, 1].
    means : ndarray of shape (m, K)
        Mean of each column in each group.
    """

    columns: Indices
    shares: Array
    means: Array


def separating_columns(X: Any, labels: Indices, limit: int) -> SeparatingColumns:
    """The columns whose variance lies most between groups; constant columns are left out.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    labels : ndarray of shape (n,)
        0, ..., K - 1.
    limit : int
        Columns to name, at most.

    Notes
    -----
    Cost O(n d); a CSR stays CSR. The share is the coefficient of determination of a one-way
    analysis of variance.
    """
    n, sizes = len(labels), np.bincount(labels)
    Z = sp.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, len(sizes)))
    if sp.issparse(X):
        shift = np.zeros(X.shape[1])
        squares = column_norms2(X).astype(np.float64)
        sums = np.asarray((Z.T @ X).toarray(), dtype=np.float64)
    else:
        shift = np.asarray(np.mean(X, axis=0, dtype=np.float64))
        centered = X - shift
        squares = column_norms2(centered)
        sums = Z.T @ centered
    means = sums / sizes[:, None]
    middle = sums.sum(axis=0) / n
    total = squares - n * middle**2
    between = sizes @ (means - middle) ** 2
    varies = ~constant_columns(X) & (total > 0)
    shares = np.clip(between / np.where(varies, total, 1.0), 0.0, 1.0)
    order = np.argsort(-np.where(varies, shares, -1.0), kind="stable")
    order = order[: min(limit, int(varies.sum()))]
    means = (means + shift)[:, order].T
    means[np.abs(means) <= 1e-12 * np.abs(means).max(axis=1, keepdims=True)] = 0.0  # rounding
    return SeparatingColumns(order, shares[order], means)


@dataclass(frozen=True)
class WeakestMembers:
    """Members with the smallest share of their weight inside their group.

    Parameters
    ----------
    members, groups, drawn_to : ndarray of shape (m,)
        Sample or vertex, its group, the group to which most of its weight goes.
    shares : ndarray of shape (m,)
        Of its weight, inside its group.
    outside : int
        How many members have more weight to another group than to their own.
    """

    members: Indices
    groups: Indices
    drawn_to: Indices
    shares: Array
    outside: int


def weakest_members(A: Any, labels: Indices, limit: int) -> WeakestMembers:
    """The weakest members, ties to the smaller index; those without an edge are left out."""
    shares, drawn = inside_shares(A, labels)
    order = np.argsort(np.where(np.isnan(shares), 2.0, shares), kind="stable")
    order = order[shares[order] < 1.0][:limit]
    return WeakestMembers(
        order, labels[order], drawn[order], shares[order], int(np.count_nonzero(drawn != labels))
    )


def group_links(weights: Array, limit: int) -> list[tuple[int, int, float]]:
    """Pairs of groups with most weight between them: a, b, share of all weight."""
    i, j = np.triu_indices(len(weights), 1)
    shares = 2 * weights[i, j] / weights.sum()
    order = np.argsort(-shares, kind="stable")[:limit]
    return [(int(i[k]), int(j[k]), float(shares[k])) for k in order if shares[k] > 0]


def principal_plane(points: Any, labels: Indices) -> tuple[Array, Indices, float]:
    """The two directions in which points spread most.

    Parameters
    ----------
    points : ndarray or CSR of shape (n, d)
    labels : ndarray of shape (n,)

    Returns
    -------
    places : ndarray of shape (m, 2)
        In [0, 1]; of at most `POINTS` of the rows, drawn with a fixed seed.
    groups : ndarray of shape (m,)
    share : float
        Of the variance, in these two directions.
    """
    rows = np.arange(len(labels))
    if len(rows) > POINTS:
        rows = np.sort(check_random_state(0).permutation(len(rows))[:POINTS])
    some: Any = points[rows]
    some = as_float(some)
    two = min(2, *some.shape)
    large = sp.issparse(some) or min(some.shape) > LARGE
    solver = "arpack" if large and two < min(some.shape) else "full"
    some = dense(some) if solver == "full" else some
    pca = PCA(two, svd_solver=solver, random_state=0)
    places = pca.fit_transform(some)
    places = np.column_stack([places, np.zeros((len(places), 2 - two))])
    low, high = places.min(axis=0), places.max(axis=0)
    share = float(np.nan_to_num(pca.explained_variance_ratio_, nan=1.0).sum())
    return (places - low) / np.where(high > low, high - low, 1.0), labels[rows], min(share, 1.0)
