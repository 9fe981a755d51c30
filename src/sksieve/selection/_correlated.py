"""One column of each group of correlated columns, and who represents whom."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata

from .._array import BLOCK_BYTES, as_float
from .._ranking import position_scores
from .._typing import Array, Indices
from .._validation import Interval, StrOptions
from ..exceptions import DataError
from ..tables import constant_columns, refuse_extremes
from ._base import BaseSelector

#: Rounding that a correlation may lack to the threshold.
_ROUNDING = 1e-12


class CorrelatedColumns(BaseSelector):
    """Keep one column of each group of correlated columns.

    Again and again the column that is correlated with most of the columns left represents these and
    is kept, and they are dropped. So no two kept columns reach the threshold, and every dropped
    column reaches it with the column that represents it.

    Parameters
    ----------
    threshold : float, default=0.9
        In (0, 1]: absolute correlation from which on two columns are redundant.
    method : {"pearson", "spearman"}, default="pearson"
        ``"pearson"``: linear correlation; ``"spearman"``: that of the ranks, ties by their mean
        rank, for monotone relations and outliers.

    Attributes
    ----------
    groups_ : dict of int -> ndarray
        For each kept column that represents others, in the order of `ranking_`: the columns it
        represents, most correlated first.
    representative_ : ndarray of shape (n_features,)
        The kept column that represents each column, itself for a kept one; -1 for constant columns.
    correlation_ : ndarray of shape (n_features,)
        Correlation of each column with its representative, 1 for kept columns, 0 for constant ones.
    scores_, ranking_ : ndarray of shape (n_features,)
        Positions, from 1 for the best column to 0: kept columns by the number of columns they
        represent, then the dropped ones from the least to the most correlated, then constant ones.
    n_features_to_select_ : int
        Columns kept.

    Raises
    ------
    DataError
        If every column is constant.

    Notes
    -----
    Cost O(n d^2) in blocks of columns; only the pairs that reach the threshold are stored. Sparse
    tables stay sparse, for Spearman too. Constant columns have no correlation and are dropped.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sksieve import CorrelatedColumns
    >>> X = load_breast_cancer(as_frame=True).data
    >>> est = CorrelatedColumns(0.95).fit(X)
    >>> est.transform(X).shape
    (569, 23)
    >>> names = X.columns
    >>> for kept, others in est.groups_.items():
    ...     print(names[kept], "<-", ", ".join(names[others]))
    worst radius <- worst perimeter, worst area, mean radius, mean perimeter, mean area
    radius error <- perimeter error, area error
    """

    nested: ClassVar[bool] = True
    ranks_only: ClassVar[bool] = True
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": [Interval(Real, 0, 1, closed="right")],
        "method": [StrOptions({"pearson", "spearman"})],
    }

    def __init__(self, threshold: float = 0.9, *, method: str = "pearson") -> None:
        self.threshold = threshold
        self.method = method

    def _n_to_select(self, n_features: int) -> int:
        return n_features  # as many as `_fit` keeps

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        X = as_float(X)
        refuse_extremes(X)
        d = X.shape[1]
        varies = np.flatnonzero(~constant_columns(X))
        if not len(varies):
            raise DataError("Every column of X is constant; no two are correlated.")
        X = X[:, varies]
        pairs = _correlated_pairs(_ranks(X) if self.method == "spearman" else X, self.threshold)
        kept, owner, correlation = _represented(pairs)
        self.representative_ = np.full(d, -1)
        self.representative_[varies] = varies[owner]
        self.correlation_ = np.zeros(d)
        self.correlation_[varies] = correlation
        strength = np.abs(correlation)
        dropped = np.setdiff1d(np.arange(len(varies)), kept)
        dropped = dropped[np.argsort(strength[dropped], kind="stable")]
        self.n_features_to_select_ = len(kept)
        members = {k: dropped[owner[dropped] == k][::-1] for k in np.unique(owner[dropped])}
        self.groups_ = {int(varies[k]): varies[members[k]] for k in kept if k in members}
        ranking = varies[np.concatenate([kept, dropped])]
        ranking = np.concatenate([ranking, np.setdiff1d(np.arange(d), ranking)])
        return position_scores(ranking)


def _ranks(X: Any) -> Any:
    """Ranks in every column, ties by their mean; sparse ones shifted so that 0 has rank 0."""
    if not sp.issparse(X):
        return rankdata(X, axis=0)
    R = sp.csc_array(X, copy=True)
    R.eliminate_zeros()
    n = R.shape[0]
    for j in range(R.shape[1]):
        part = slice(R.indptr[j], R.indptr[j + 1])
        values = R.data[part]
        n_zeros, n_negative = n - len(values), int(np.sum(values < 0))
        ranks = rankdata(values) + np.where(values > 0, n_zeros, 0)
        R.data[part] = ranks - (n_negative + (n_zeros + 1) / 2)
    return R


def _correlated_pairs(X: Any, threshold: float) -> sp.csr_array:
    """Correlations of at least the threshold in magnitude; no diagonal."""
    blocks = []
    for first, correlation in _correlations(X):
        is_correlated = np.abs(correlation) >= threshold - _ROUNDING
        at = np.arange(len(correlation))
        is_correlated[at, first + at] = False
        blocks.append(sp.csr_array(np.where(is_correlated, correlation, 0.0)))
    return sp.csr_array(sp.vstack(blocks))


def _correlations(X: Any) -> Iterator[tuple[int, Array]]:
    """Blocks of rows of the correlation matrix, with the first row of each."""
    n, d = X.shape
    step = max(1, BLOCK_BYTES // (8 * d))
    if sp.issparse(X):
        Z: Any = sp.csc_array(X)
        mean = np.asarray(Z.mean(axis=0)).ravel()
        squares = np.asarray(Z.multiply(Z).sum(axis=0)).ravel() - n * mean**2
    else:
        Z = X - X.mean(axis=0)
        Z /= np.abs(Z).max(axis=0)  # columns may be far apart in magnitude
        mean = np.zeros(d)
        squares = np.einsum("ij,ij->j", Z, Z)
    length = np.sqrt(squares)
    for first in range(0, d, step):
        block = slice(first, first + step)
        product = Z[:, block].T @ Z
        product = product.toarray() if sp.issparse(product) else product
        product -= n * np.outer(mean[block], mean)
        yield first, product / length / length[block, None]


def _represented(pairs: sp.csr_array) -> tuple[Indices, Indices, Array]:
    """Kept columns, the one that represents each column, and their correlation."""
    d = pairs.shape[0]
    count = np.diff(pairs.indptr)
    strength = np.asarray(abs(pairs).sum(axis=1)).ravel()
    owner, correlation = np.arange(d), np.ones(d)
    left = np.ones(d, dtype=bool)
    kept: list[int] = []
    while (count[left] > 0).any():
        order = np.lexsort((-np.round(strength, 9), np.where(left, -count, 1)))
        k = int(order[0])
        near = pairs.indices[pairs.indptr[k] : pairs.indptr[k + 1]]
        values = pairs.data[pairs.indptr[k] : pairs.indptr[k + 1]][left[near]]
        near = near[left[near]]
        owner[near], correlation[near] = k, values
        kept.append(k)
        gone = np.append(near, k)
        left[gone] = False
        for j in gone:
            part = slice(pairs.indptr[j], pairs.indptr[j + 1])
            count[pairs.indices[part]] -= 1
            strength[pairs.indices[part]] -= np.abs(pairs.data[part])
    return np.array([*kept, *np.flatnonzero(left)], dtype=np.intp), owner, correlation
