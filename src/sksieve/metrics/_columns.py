"""Quality of chosen columns: redundancy, neighbors kept, classification by neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from .._array import BLOCK_BYTES, dense
from .._validation import check_table
from ..tables import scale_columns


def as_columns(columns: ArrayLike | None, n_features: int) -> NDArray[np.intp]:
    """Indices of the columns a person means by indices, a mask, or None (all)."""
    if columns is None:
        return np.arange(n_features)
    S = np.asarray(columns)
    if S.dtype == bool:
        if S.shape != (n_features,):
            raise ValueError(f"columns, a mask, has shape {S.shape}; X has {n_features} columns.")
        return np.flatnonzero(S)
    if S.ndim != 1 or (S.size and S.dtype.kind not in "iu"):
        raise ValueError("columns must be a list of column indices or a mask.")
    S = S.astype(np.intp)
    if S.size and (S.min() < 0 or S.max() >= n_features):
        raise ValueError(f"columns must lie in 0..{n_features - 1}; got {S.min()}..{S.max()}.")
    if len(np.unique(S)) < len(S):
        raise ValueError("columns names a column twice; give distinct columns.")
    return S


def unit_columns(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """A with columns of unit norm; zero columns stay zero."""
    norms = np.linalg.norm(A, axis=0)
    return np.divide(A, norms, out=np.zeros_like(A), where=norms > 0)


def redundancy(X: Any, columns: ArrayLike | None = None) -> float:
    """Mean absolute correlation over all pairs of the chosen columns.

    ``2 / (k (k - 1)) sum_{i < j in S} |corr(x_i, x_j)|``

    Parameters
    ----------
    X : {array-like, CSR} of shape (n_samples, n_features)
        Samples are rows; at least two.
    columns : array-like of int of shape (k,), or of bool of shape (n_features,), optional
        Which columns; all by default.

    Returns
    -------
    float
        In [0, 1]; 0 for fewer than two columns. A constant column has correlation 0 with every
        other: it carries no information.

    Raises
    ------
    ValueError
        If X has NaN or infinite values, or `columns` are not distinct columns of X.

    Notes
    -----
    O(n_samples k^2); only the chosen columns are made dense.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.metrics import redundancy
    >>> X = np.array([[1.0, -2.0, 1.0], [2.0, -4.0, -1.0], [3.0, -6.0, 1.0], [4.0, -8.0, -1.0]])
    >>> redundancy(X, [0, 1])
    1.0
    """
    X = check_table(X, min_samples=2)
    S = as_columns(columns, X.shape[1])
    k = len(S)
    if k < 2:
        return 0.0
    A = dense(X[:, S])
    A = A.astype(np.float64)
    A = scale_columns(A, "correlation").X
    correlation = np.minimum(np.abs(A.T @ A), 1.0)
    return float(np.sum(np.triu(correlation, 1)) / (k * (k - 1) / 2))


def knn_accuracy(
    X: Any,
    y: ArrayLike,
    columns: ArrayLike | None = None,
    *,
    n_neighbors: int = 5,
    n_repeats: int = 50,
    train_size: float = 0.5,
    random_state: int | np.random.RandomState | None = None,
) -> NDArray[np.float64]:
    """Accuracy of the k-nearest-neighbor classifier that sees the chosen columns only.

    Parameters
    ----------
    X : {array-like, CSR} of shape (n_samples, n_features)
        Samples are rows. Nothing is scaled: distances are those of the columns as they are.
    y : array-like of shape (n_samples,)
        True labels.
    columns : array-like of int of shape (k,), or of bool of shape (n_features,), optional
        Which columns; all by default.
    n_neighbors : int, default=5
        Neighbors that vote.
    n_repeats : int, default=50
        Random splits.
    train_size : float in (0, 1), default=0.5
        Share of the samples the classifier learns from; the rest is classified.
    random_state : int, RandomState or None
        Seeds the splits. The same seed gives the same splits whatever the columns, so that methods
        can be compared split by split.

    Returns
    -------
    ndarray of shape (n_repeats,)
        Share of the test samples classified right, one for each split.

    Raises
    ------
    ValueError
        If X has NaN or infinite values, `columns` are not distinct columns of X, or a training part
        has fewer than `n_neighbors` samples.

    Notes
    -----
    The protocol of BLUFS, Table VII: 50 random half and half splits, not stratified.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve.metrics import knn_accuracy
    >>> X, y = load_iris(return_X_y=True)
    >>> petals = knn_accuracy(X, y, [2, 3], random_state=0)
    >>> sepals = knn_accuracy(X, y, [0, 1], random_state=0)
    >>> bool(petals.mean() > 0.9 > sepals.mean())
    True
    """
    from sklearn.model_selection import ShuffleSplit
    from sklearn.neighbors import KNeighborsClassifier

    X = check_table(X, min_samples=2)
    Z = X[:, as_columns(columns, X.shape[1])]
    labels = np.asarray(y)
    classifier = KNeighborsClassifier(n_neighbors=n_neighbors)
    splits = ShuffleSplit(n_repeats, train_size=train_size, random_state=random_state)
    return np.array(
        [
            classifier.fit(Z[train], labels[train]).score(Z[test], labels[test])
            for train, test in splits.split(Z, labels)
        ]
    )


def neighborhood_preservation(X: Any, columns: ArrayLike, *, n_neighbors: int = 10) -> float:
    """Share of each sample's nearest neighbors that the chosen columns alone also find.

    Needs no labels. A neighbor found in the chosen columns counts when its distance in all columns
    is not larger than that of the k-th nearest neighbor there, so ties in all columns do not
    matter.

    Parameters
    ----------
    X : {array-like, CSR} of shape (n_samples, n_features)
        Samples are rows. Nothing is scaled: bring columns of different units to one scale first.
    columns : array-like of int of shape (k,), or of bool of shape (n_features,)
        Which columns, at least one.
    n_neighbors : int, default=10
        Neighbors of a sample (itself not among them), less than `n_samples`.

    Returns
    -------
    float
        In [0, 1]; 1.0 for all columns, about ``n_neighbors / (n_samples - 1)`` for columns
        unrelated to the others.

    Raises
    ------
    ValueError
        If X has NaN or infinite values, `columns` are not distinct columns of X or none at all, or
        `n_neighbors` is not in 1..n_samples - 1.

    Notes
    -----
    O(n_samples^2 n_features) time, worked off in blocks: no n_samples x n_samples array. Where many
    samples are equal in the chosen columns, which of them are found is arbitrary.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve.metrics import neighborhood_preservation
    >>> X = load_iris().data
    >>> neighborhood_preservation(X, [0, 1, 2, 3])
    1.0
    """
    X = check_table(X, min_samples=2)
    S = as_columns(columns, X.shape[1])
    if not len(S):
        raise ValueError("columns is empty; give at least one column.")
    if not 1 <= n_neighbors < X.shape[0]:
        raise ValueError(f"n_neighbors must lie in 1..{X.shape[0] - 1}; got {n_neighbors}.")
    if not sp.issparse(X):
        X = X - X.mean(axis=0)  # distances stay, their rounding shrinks
    nearest = _nearest(X, n_neighbors)
    kept = _nearest(X[:, S], n_neighbors)
    radius = _distances(X, nearest).max(axis=1, keepdims=True)
    slack = 1 + np.sqrt(np.finfo(X.dtype).eps)
    return float(np.mean(_distances(X, kept) <= radius * slack))


def _nearest(X: Any, n_neighbors: int) -> NDArray[np.intp]:
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=n_neighbors).fit(X)
    return search.kneighbors(return_distance=False)


def _distances(X: Any, neighbors: NDArray[np.intp]) -> NDArray[np.float64]:
    """Distance of each sample to each of its neighbors, in all columns, block by block."""
    from sklearn.metrics.pairwise import paired_euclidean_distances

    n, k = neighbors.shape
    out = np.empty((n, k))
    step = max(1, BLOCK_BYTES // (8 * k * X.shape[1]))
    for start in range(0, n, step):
        near = neighbors[start : start + step]
        rows = np.repeat(np.arange(start, start + len(near)), k)
        out[start : start + step] = paired_euclidean_distances(X[rows], X[near.ravel()]).reshape(
            -1, k
        )
    return out
