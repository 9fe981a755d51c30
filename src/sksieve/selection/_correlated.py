"""One column of each group of correlated columns, and who represents whom."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from .. import _frames
from .._array import BLOCK_BYTES, as_float, dense, in_one_part, missing_per_column, stored_values
from .._memory import require_memory
from .._ranking import position_scores
from .._typing import Array, Indices
from .._validation import (
    Interval,
    StrOptions,
    check_header,
    columns_named,
    refuse_gaps,
    text_columns,
    validate_data,
)
from .._wording import listed
from ..exceptions import DataError, DataWarning
from ..tables import column_norms2, constant_columns, is_constant, refuse_extremes
from ._association import associations, associations_with
from ._base import BaseSelector

#: Rounding that a correlation may lack to the threshold.
_ROUNDING = 1e-12
#: Variance inflation factors from here on count as infinite.
_INFINITE = 1e10


class CorrelatedColumns(BaseSelector):
    """Keep one column of each group of correlated columns.

    Again and again a column that is correlated with columns left represents these and is kept, and
    they are dropped. So no two kept columns reach the threshold, and every dropped column reaches
    it with the column that represents it. `keep` and `vif` add exceptions to the two.

    Data frames may have text columns: two of them are compared by Cramer's V, one and a number by
    the correlation ratio.

    Parameters
    ----------
    threshold : float, default=0.9
        In (0, 1]: absolute correlation from which on two columns are redundant.
    method : {"pearson", "spearman"}, default="pearson"
        ``"pearson"``: linear correlation; ``"spearman"``: that of the ranks, ties by their mean
        rank, for monotone relations and outliers.
    keep : array-like or None, default=None
        Columns that are kept in any case, even two that are correlated. Numbers, names or a mask.
    prefer : {"partners", "first", "fewest_missing", "target"} or array-like, default="partners"
        Which of several correlated columns is kept: that with the most columns it can represent,
        the first in the table, that with the fewest missing values, that with the largest absolute
        correlation with the `y` given to `fit`, or the largest of the priorities in an array with a
        number for each column. Of equal ones that with the most columns it can represent.
    missing : {"refuse", "pairwise"}, default="refuse"
        ``"pairwise"``: missing values are allowed, and each correlation is taken over the rows in
        which both columns have a value, as by ``pandas.DataFrame.corr``. Pairs with fewer than
        three such rows count as not correlated.
    vif : float or None, default=None
        Above 1: then columns that the other kept ones explain are dropped, that with the largest
        variance inflation factor first, until the factor of every kept column is below.

    Attributes
    ----------
    groups_ : dict of int -> ndarray
        For each kept column that represents others, in the order of `ranking_`: the columns it
        represents, most correlated first.
    representative_ : ndarray of shape (n_features,)
        The kept column that represents each column, itself for a kept one; -1 for constant columns.
        With `vif` the correlation of dropped columns with it may be below the threshold.
    correlation_ : ndarray of shape (n_features,)
        Correlation of each column with its representative, 1 for kept columns, 0 for constant ones.
    scores_, ranking_ : ndarray of shape (n_features,)
        Positions, from 1 for the best column to 0: kept columns in the order in which they were
        kept, those of `keep` first, then the dropped ones from the least to the most correlated,
        then constant ones.
    n_features_to_select_ : int
        Columns kept.

    Raises
    ------
    DataError
        If every column is constant, or the columns of `keep` alone reach `vif`.

    Warns
    -----
    DataWarning
        If a text column has another value in most rows, as names and numbers of persons have.

    Notes
    -----
    Cost O(n d^2) in blocks of columns; only the pairs that reach the threshold are stored. Sparse
    tables stay sparse, for Spearman too, unless they have missing values. With missing values, text
    or `vif` a d x d array is held; missing values cost O(n d^2) and a product for each two patterns
    of gaps, `vif` O(k^3) for each column that it drops of k. Constant columns have no correlation
    and are dropped.

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

    The column that says most about the diagnosis represents its group, and `vif` drops the columns
    that several others explain:

    >>> y = load_breast_cancer().target
    >>> est = CorrelatedColumns(0.9, prefer="target", keep=["mean radius"], vif=10).fit(X, y)
    >>> est.transform(X).shape
    (569, 16)
    """

    nested: ClassVar[bool] = True
    ranks_only: ClassVar[bool] = True
    _accept_sparse: ClassVar[bool] = True
    _accept_text: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": [Interval(Real, 0, 1, closed="right")],
        "method": [StrOptions({"pearson", "spearman"})],
        "keep": ["array-like", None],
        "prefer": [StrOptions({"partners", "first", "fewest_missing", "target"}), "array-like"],
        "missing": [StrOptions({"refuse", "pairwise"})],
        "vif": [Interval(Real, 1, None, closed="neither"), None],
    }

    def __init__(
        self,
        threshold: float = 0.9,
        *,
        method: str = "pearson",
        keep: Any = None,
        prefer: Any = "partners",
        missing: str = "refuse",
        vif: float | None = None,
    ) -> None:
        self.threshold = threshold
        self.method = method
        self.keep = keep
        self.prefer = prefer
        self.missing = missing
        self.vif = vif

    def fit(self, X: Any, y: Any = None, *, layer: str | None = None) -> Self:
        """Find the groups of correlated columns.

        Parameters
        ----------
        X : {array-like, CSR, data frame, AnnData} of shape (n_samples, n_features)
            Samples are rows. Columns of a data frame may hold text.
        y : array-like of shape (n_samples,), default=None
            What the kept columns should be correlated with; only used by ``prefer="target"``.
            Numbers, or text for classes.
        layer : str, optional
            Of an AnnData object: use ``X.layers[layer]`` in place of ``X.X``.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError
            If X has infinite values, missing ones that `missing` refuses, or values whose squares
            leave the range of its numbers; fewer than two rows; no `y` where it is needed.
        TooLargeError
            If the arrays of the method would need more than the memory limit.
        """
        self._y = y
        try:
            return super().fit(X, y, layer=layer)
        finally:
            del self._y

    def _n_to_select(self, n_features: int) -> int:
        return n_features  # as many as `_fit` keeps

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        needs_all_pairs = self.missing == "pairwise" or self.vif is not None
        return 3.0 * stored + (3.0 * d * d if needs_all_pairs else 0.0)

    def _validate(self, X: Any, reset: bool = True, min_samples: int = 2) -> Any:
        names = _frames.names_of(X)
        text = [] if names is None else list(text_columns(X))
        if text:
            check_header(self, X, reset=reset)
            X = check_array(
                _frames.codes(X, text),
                ensure_all_finite=False,
                ensure_min_samples=min_samples,
                estimator=self,
            )
            if self.missing == "refuse":
                refuse_gaps(X, names)
        else:
            X = validate_data(
                self,
                X,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_all_finite=self.missing == "refuse",
                ensure_min_samples=min_samples,
                reset=reset,
            )
        self._is_text = np.isin(np.arange(X.shape[1]), [(names or []).index(t) for t in text])
        _warn_identifiers(X, self._is_text, names)
        X = in_one_part(X)
        if self.missing == "pairwise":
            X = _dense_with_gaps(X)
            refuse_gaps(_without_gaps(X), names)
        return X

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        X = as_float(X)
        refuse_extremes(_without_gaps(X))
        d = X.shape[1]
        constant = _constant(X)
        varies = np.flatnonzero(~constant)
        if not len(varies):
            raise DataError("Every column of X is constant; no two are correlated.")
        is_protected = np.zeros(d, dtype=bool)
        if self.keep is not None:
            names = getattr(self, "feature_names_in_", None)
            is_protected[columns_named(self.keep, "keep", d, names)] = True
        priority = self._priorities(X)[varies]
        kept, owner, correlation = self._groups(X, varies, priority, is_protected[varies])
        self.representative_ = np.where(is_protected, np.arange(d), -1)
        self.representative_[varies] = varies[owner]
        self.correlation_ = is_protected.astype(np.float64)
        self.correlation_[varies] = correlation
        strength = np.abs(correlation)
        dropped = np.setdiff1d(np.arange(len(varies)), kept)
        dropped = dropped[np.argsort(strength[dropped], kind="stable")]
        members = {k: dropped[owner[dropped] == k][::-1] for k in np.unique(owner[dropped])}
        self.groups_ = {int(varies[k]): varies[members[k]] for k in kept if k in members}
        kept = np.concatenate([varies[kept], np.flatnonzero(is_protected & constant)])
        self.n_features_to_select_ = len(kept)
        ranking = np.concatenate([kept, varies[dropped]])
        ranking = np.concatenate([ranking, np.setdiff1d(np.arange(d), ranking)])
        return position_scores(ranking)

    def _groups(
        self, X: Any, varies: Indices, priority: Array, is_protected: NDArray[np.bool_]
    ) -> tuple[Indices, Indices, Array]:
        """Kept columns among those that vary, the representative of each, their correlation."""
        is_text, ranks = self._is_text[varies], self.method == "spearman"
        if self.vif is not None and is_text.any():
            raise DataError(
                "vif needs columns of numbers, but X has text columns. Leave these out, or code "
                "them as 0/1 columns."
            )
        X = X[:, varies]
        R = None
        if is_text.any() or np.isnan(stored_values(X)).any():
            R = associations(X, is_text, ranks=ranks)
            pairs = _at_least(R, 0, self.threshold)
        else:
            table = _ranks(X) if ranks else X
            pairs = _correlated_pairs(table, self.threshold)
            if self.vif is not None:
                R = np.vstack([block for _, block in _correlations(table)])
        kept, owner, correlation = _represented(pairs, priority, is_protected)
        if self.vif is None or R is None:
            return kept, owner, correlation
        kept = self._without_inflated(R, kept, priority, is_protected)
        orphans = np.flatnonzero(~np.isin(owner, kept))
        owner[orphans] = kept[np.argmax(np.abs(R[np.ix_(kept, orphans)]), axis=0)]
        correlation[orphans] = R[owner[orphans], orphans]
        return kept, owner, correlation

    def _without_inflated(
        self, R: Array, kept: Indices, priority: Array, is_protected: NDArray[np.bool_]
    ) -> Indices:
        """The kept columns without those that must go for `vif`."""
        alone = _inflation(R, kept[is_protected[kept]])
        if alone.max(initial=1.0) >= self.vif:
            raise DataError(
                f"The columns of keep have variance inflation factors of up to {alone.max():.3g} "
                f"among themselves, not below vif={self.vif:g}. Raise vif, or keep fewer columns."
            )
        while True:
            factors = _inflation(R, kept)
            if factors.max() < self.vif:
                return kept
            factors[is_protected[kept]] = 0.0
            at = np.lexsort((-np.arange(len(kept)), priority[kept], -np.round(factors, 6)))[0]
            kept = np.delete(kept, at)

    def _priorities(self, X: Any) -> Array:
        """A number for each column; of correlated ones that with the largest is kept."""
        d = X.shape[1]
        if not isinstance(self.prefer, str):
            priority = np.asarray(self.prefer, dtype=np.float64)
            if priority.shape != (d,) or not np.isfinite(priority).all():
                raise ValueError(f"prefer must have a finite number for each of the {d} columns.")
            return priority
        if self.prefer == "first":
            return -np.arange(d, dtype=np.float64)
        if self.prefer == "fewest_missing":
            return -missing_per_column(X).astype(np.float64)
        if self.prefer == "target":
            return self._agreement_with_target(X)
        return np.zeros(d)

    def _agreement_with_target(self, X: Any) -> Array:
        """Absolute association of each column with `y`."""
        if self._y is None:
            raise ValueError("prefer='target' needs y: the target is given to fit(X, y).")
        y = column_or_1d(self._y)
        check_consistent_length(X, y)
        y_is_text = y.dtype.kind not in "biuf"
        numbers = np.unique(y.astype(str), return_inverse=True)[1].ravel() if y_is_text else y
        values = np.asarray(numbers, dtype=np.float64)
        if not np.isfinite(values).all():
            raise DataError("y has missing or infinite values; leave out these rows.")
        ranks = self.method == "spearman"
        if not sp.issparse(X):
            r = associations_with(X, self._is_text, values, y_is_text, ranks=ranks)
        else:
            r = _agreement_sparse(_ranks(X) if ranks else X, values, y_is_text, ranks)
        return np.asarray(np.round(np.abs(r), 9))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "pairwise"
        tags.target_tags.required = isinstance(self.prefer, str) and self.prefer == "target"
        return tags


def _warn_identifiers(X: Any, is_text: NDArray[np.bool_], names: Any) -> None:
    """Warn of text columns that have another value in most rows."""
    many = [
        names[j]
        for j in np.flatnonzero(is_text)
        if len(np.unique(X[~np.isnan(X[:, j]), j])) > max(len(X) / 2, 2)
    ]
    if many:
        warnings.warn(
            f"Text with another value in most rows: {listed(many)}. It explains every column by "
            "chance; leave it out.",
            DataWarning,
            stacklevel=2,
        )


def _dense_with_gaps(X: Any) -> Any:
    """X; a sparse X that has missing values as a dense array."""
    if not sp.issparse(X) or not np.isnan(X.data).any():
        return X
    require_memory(
        8.0 * X.shape[0] * X.shape[1],
        "X as a dense table",
        "Fill in its missing values; then it stays sparse.",
    )
    return X.toarray()


def _without_gaps(X: Any) -> Any:
    """X with 0 for what is missing; a sparse X here has no missing values."""
    return X if sp.issparse(X) else np.where(np.isnan(X), 0.0, X)


def _constant(X: Any) -> NDArray[np.bool_]:
    """Columns with one value, or none."""
    if sp.issparse(X):
        return constant_columns(X)
    gaps = np.isnan(X)
    low = np.where(gaps, np.inf, X).min(axis=0)
    high = np.where(gaps, -np.inf, X).max(axis=0)
    empty = gaps.all(axis=0)
    return empty | is_constant(np.where(empty, 0, low), np.where(empty, 0, high))


def _inflation(R: Array, columns: Indices) -> Array:
    """Variance inflation factors of columns among themselves: the inverse's diagonal."""
    values, vectors = np.linalg.eigh(R[np.ix_(columns, columns)])
    values = np.maximum(values, 1 / _INFINITE**1.2)
    return np.minimum(np.sum(vectors**2 / values, axis=1), _INFINITE)


def _agreement_sparse(X: Any, y: Array, y_is_text: bool, ranks: bool) -> Array:
    """As `associations_with`, for a sparse table without gaps."""
    n = len(y)
    mean = np.asarray(X.mean(axis=0)).ravel()
    squares = column_norms2(X) - n * mean**2
    length = np.sqrt(np.where(_constant(X), np.inf, squares))
    if y_is_text:
        sums = np.array([X[y == value].sum(axis=0).ravel() for value in np.unique(y)])
        counts = np.bincount(y.astype(np.intp))[:, None]
        return np.sqrt(np.sum((sums - counts * mean) ** 2 / counts, axis=0)) / length
    z = rankdata(y) if ranks else y
    z = z - z.mean()
    return np.asarray(X.T @ z) / (length * (np.linalg.norm(z) or 1.0))


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
        blocks.append(_at_least(correlation, first, threshold))
    return sp.csr_array(sp.vstack(blocks))


def _at_least(correlation: Array, first: int, threshold: float) -> sp.csr_array:
    """Rows of the correlation matrix, from the row `first` on, without what is too small."""
    is_correlated = np.abs(correlation) >= threshold - _ROUNDING
    at = np.arange(len(correlation))
    is_correlated[at, first + at] = False
    return sp.csr_array(np.where(is_correlated, correlation, 0.0))


def _correlations(X: Any) -> Iterator[tuple[int, Array]]:
    """Blocks of rows of the correlation matrix, with the first row of each."""
    n, d = X.shape
    step = max(1, BLOCK_BYTES // (8 * d))
    if sp.issparse(X):
        Z: Any = sp.csc_array(X)
        mean = np.asarray(Z.mean(axis=0)).ravel()
        squares = column_norms2(Z) - n * mean**2
    else:
        Z = X - X.mean(axis=0)
        Z /= np.abs(Z).max(axis=0)  # columns may be far apart in magnitude
        mean = np.zeros(d)
        squares = column_norms2(Z)
    length = np.sqrt(squares)
    for first in range(0, d, step):
        block = slice(first, first + step)
        product = Z[:, block].T @ Z
        product = dense(product)
        product -= n * np.outer(mean[block], mean)
        yield first, product / length / length[block, None]


def _represented(
    pairs: sp.csr_array, priority: Array, is_protected: NDArray[np.bool_]
) -> tuple[Indices, Indices, Array]:
    """Kept columns, the one that represents each column, and their correlation."""
    d = pairs.shape[0]
    count = np.diff(pairs.indptr)
    strength = np.asarray(abs(pairs).sum(axis=1)).ravel()
    owner, correlation = np.arange(d), np.ones(d)
    left = np.ones(d, dtype=bool)

    def remove(gone: Indices) -> None:
        left[gone] = False
        for j in gone:
            part = slice(pairs.indptr[j], pairs.indptr[j + 1])
            count[pairs.indices[part]] -= 1
            strength[pairs.indices[part]] -= np.abs(pairs.data[part])

    kept = np.flatnonzero(is_protected).tolist()
    correlation[~is_protected] = 0.0
    for k in kept:
        near, values = _partners(pairs, k)
        better = ~is_protected[near] & (np.abs(values) > np.abs(correlation[near]))
        owner[near[better]], correlation[near[better]] = k, values[better]
    correlation[owner == np.arange(d)] = 1.0
    remove(np.flatnonzero(is_protected | (owner != np.arange(d))))
    while (count[left] > 0).any():
        none = ~left | (count == 0)
        k = int(np.lexsort((-np.round(strength, 9), -count, -priority, none))[0])
        near, values = _partners(pairs, k)
        near, values = near[left[near]], values[left[near]]
        owner[near], correlation[near] = k, values
        kept.append(k)
        remove(np.append(near, k))
    return np.array([*kept, *np.flatnonzero(left)], dtype=np.intp), owner, correlation


def _partners(pairs: sp.csr_array, k: int) -> tuple[Indices, Array]:
    """The columns that reach the threshold with column k, and their correlations."""
    part = slice(pairs.indptr[k], pairs.indptr[k + 1])
    return pairs.indices[part], pairs.data[part]
