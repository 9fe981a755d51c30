"""The share of a table that chosen columns explain, on rows that were not used to fit.

====== ============ ===========================================================================
here   code         meaning, shape
====== ============ ===========================================================================
A, B   train, test  standardized rows of a fold, centered on the means of A
S      columns      chosen columns, in order
R      R            upper Cholesky factor of ``A_S'A_S + 1e-3 n I``, k x k
C      C            ``R^-T A_S'A``: the coefficients of all columns on ``Q = B_S R^-1``, k x d
====== ============ ===========================================================================

The first i rows of C and columns of Q belong to the first i chosen columns, so that one
factorization serves every prefix.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.sparse.linalg import LinearOperator, svds

from .._array import dense, n_stored
from .._threads import one_thread
from .._typing import Array, Indices
from .._validation import check_random_state, check_table
from ..tables import column_norms2, constant_columns, unit_variance
from ._columns import as_columns

#: Folds; the weight of the ridge for each training row.
FOLDS, RIDGE = 5, 1e-3
#: Random choices of as many columns, whose mean is the random baseline.
DRAWS = 10
#: Stored numbers above which a random sample of the rows is judged.
ENTRIES = 20_000_000
#: Inner products of all columns are kept up to so many columns.
GRAM_COLUMNS = 1000
#: The smaller side up to which all principal components are computed, in place of the leading ones.
FULL = 1500


class HeldOut:
    """Cross-validated shares of the variance of all columns, for any chosen columns of one table.

    Every column is standardized. The rows are divided at random into five folds; every column of
    the rows of a fold is predicted by ridge regression (weight ``1e-3 n``) of the other rows on the
    chosen columns. Chosen columns count as explained; no share is below 0.

    Parameters
    ----------
    X : {array-like, CSR} of shape (n_samples, n_features)
        Samples are rows; at least two.
    groups : array-like of shape (n_features,), optional
        Variable that each column belongs to, as numbers or names. All variables weigh the same,
        and so do the columns of one. By default every column is a variable.
    random_state : int, RandomState or None, default=0
        Divides the rows into folds.

    Attributes
    ----------
    varies : ndarray of shape (n_features,)
        Columns that are not constant; the others are not counted.
    groups : ndarray of shape (n_features,)
        Variable of each column, as a number.

    Notes
    -----
    O(n k d + k^2 d) for all prefixes of k columns. No n x n array, and d x d ones up to 1000
    columns only. Of tables with more than 2e7 stored numbers a random sample of the rows is judged.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve.metrics import HeldOut
    >>> judge = HeldOut(load_wine().data)
    >>> judge.path([6, 9, 3]).round(2), judge.components(3).round(2)
    (array([0.3 , 0.45, 0.55]), array([0.35, 0.54, 0.65]))
    """

    def __init__(self, X: Any, *, groups: ArrayLike | None = None, random_state: Any = 0) -> None:
        X = check_table(X, min_samples=2)
        rng = check_random_state(random_state)
        n, d = X.shape
        stored = n_stored(X)
        rows = rng.permutation(n)[: max(int(n * min(1.0, ENTRIES / max(stored, 1))), min(n, 50))]
        Z = X if len(rows) == n else X[np.sort(rows)]
        self.varies = ~constant_columns(Z)
        self.groups = np.arange(d)
        if groups is not None:
            self.groups = np.unique(np.asarray(groups), return_inverse=True)[1]
        sizes = np.bincount(self.groups, weights=self.varies)
        self.weights = 1 / np.maximum(sizes, 1)[self.groups]
        Z = unit_variance(Z, self.varies)
        n = Z.shape[0]
        order = rng.permutation(n)
        self._folds = []
        for test in np.array_split(order, min(FOLDS, n)):
            is_test = np.zeros(n, dtype=bool)
            is_test[test] = True
            train = Z[~is_test]
            center = np.asarray(train.mean(axis=0)).ravel()
            self._folds.append(_Fold(_Rows(train, center), _Rows(Z[is_test], center)))
        self.total = float(sum(self.weights @ fold.test.norms for fold in self._folds))

    def path(self, columns: ArrayLike) -> Array:
        """Share that the first of the columns explains, the first two, and so on.

        Parameters
        ----------
        columns : array-like of int of shape (k,)
            Distinct columns, in order.

        Returns
        -------
        ndarray of shape (k,)
        """
        S = as_columns(columns, len(self.weights))
        left = np.zeros(len(S))
        with one_thread():
            for fold in self._folds:
                errors = _errors(fold, S)
                own = np.tril(errors[:, S] * self.weights[S])
                left += errors @ self.weights - own.sum(axis=1)
        return self._shares(left)

    def explained(self, columns: ArrayLike) -> float:
        """Share that the columns explain together; 0 for no column."""
        path = self.path(columns)
        return float(path[-1]) if len(path) else 0.0

    def by_column(self, columns: ArrayLike) -> Array:
        """Share of each column that the chosen ones explain: 1 for those, NaN for constant ones.

        Parameters
        ----------
        columns : array-like of int of shape (k,)

        Returns
        -------
        ndarray of shape (n_features,)
        """
        S = as_columns(columns, len(self.weights))
        norms = np.sum([fold.test.norms for fold in self._folds], axis=0)
        left = norms.copy()
        if len(S):
            left = np.sum([_errors(fold, S)[-1] for fold in self._folds], axis=0)
        left[S] = 0.0
        shares = 1 - np.divide(left, norms, out=np.ones_like(left), where=norms > 0)
        return np.where(self.varies, np.maximum(shares, 0.0), np.nan)

    def components(self, k: int) -> Array:
        """Share that 1, 2, ..., k principal components explain, made from the other rows (PCA).

        Parameters
        ----------
        k : int
            Cut to the rank that the training rows allow.

        Returns
        -------
        ndarray of shape (k,)
        """
        k = min(k, *(min(fold.train.shape) for fold in self._folds))
        left = np.full(k, self.total)
        root = np.sqrt(self.weights)
        for fold in self._folds:
            V = fold.train.basis(k, root)
            left -= np.cumsum(fold.test.energies(V, root))
        return self._shares(left)

    def random(self, k: int, random_state: Any = 0) -> Array:
        """Mean share of 1, 2, ..., k variables drawn at random among those that vary, ten times.

        Parameters
        ----------
        k : int
            Cut to the number of variables that vary.
        random_state : int, RandomState or None, default=0
            Draws the variables.

        Returns
        -------
        ndarray of shape (k,)
        """
        rng = check_random_state(random_state)
        members = [
            np.flatnonzero(self.varies & (self.groups == g))
            for g in dict.fromkeys(self.groups[self.varies].tolist())  # whatever their names are
        ]
        draws = []
        for _ in range(DRAWS):
            drawn = [members[i] for i in rng.permutation(len(members))[:k]]
            ends = np.cumsum([len(columns) for columns in drawn]) - 1
            draws.append(self.path(np.concatenate(drawn))[ends] if drawn else np.zeros(0))
        return np.asarray(np.mean(draws, axis=0))

    def _shares(self, left: Array) -> Array:
        return np.clip(1 - left / self.total, 0.0, 1.0) if self.total else np.ones(len(left))


class _Rows:
    """Some rows of the standardized table, centered on given means without being copied."""

    def __init__(self, Z: Any, center: Array) -> None:
        self.Z, self.center, self.shape = Z, center, Z.shape
        self._sums = np.asarray(Z.sum(axis=0)).ravel()

    @cached_property
    def norms(self) -> Array:
        """Squared norm of every column."""
        Z, c = self.Z, self.center
        return np.maximum(column_norms2(Z) - 2 * c * self._sums + self.shape[0] * c * c, 0.0)

    @cached_property
    def _gram(self) -> Array | None:
        n, d = self.shape
        if d > GRAM_COLUMNS or 2 * d > n:
            return None
        return self._products(np.arange(d))

    def products(self, S: Indices) -> Array:
        """Inner products of the columns S with all, of shape (k, d)."""
        gram = self._gram
        return self._products(S) if gram is None else gram[S]

    def _products(self, S: Indices) -> Array:
        raw = self.Z[:, S].T @ self.Z
        raw = dense(raw)
        c, sums = self.center, self._sums
        raw = raw - np.outer(c[S], sums) - np.outer(sums[S], c)
        return np.asarray(raw + self.shape[0] * np.outer(c[S], c))

    def basis(self, k: int, root: Array) -> Array:
        """The k leading right singular vectors, of shape (d, k), columns multiplied by `root`."""
        n, d = self.shape
        if min(n, d) > FULL and 4 * k < min(n, d):
            operator = LinearOperator(
                self.shape,
                matvec=lambda v: self._times((root * v.ravel())[:, None]).ravel(),
                rmatvec=lambda u: root * self._transposed_times(u.ravel()),
                dtype=np.float64,
            )
            _, _, V = svds(operator, k, random_state=0)
            return np.asarray(V[::-1].T)
        if d <= n:
            G = self.products(np.arange(d)) * root * root[:, None]
            return np.asarray(eigh(G, subset_by_index=(d - k, d - 1))[1][:, ::-1])
        A = dense(self.Z) - self.center
        A = A * root
        values, U = eigh(A @ A.T, subset_by_index=(n - k, n - 1))
        scale = np.sqrt(np.maximum(values, 1e-12 * max(float(values[-1]), 1e-300)))
        return np.asarray((A.T @ (U / scale))[:, ::-1])

    def energies(self, V: Array, root: Array) -> Array:
        """Squared norm of these rows along each of the orthonormal directions V."""
        return np.asarray(np.sum(self._times(root[:, None] * V) ** 2, axis=0))

    def _times(self, M: Array) -> Array:
        return np.asarray(self.Z @ M - self.center @ M)

    def _transposed_times(self, u: Array) -> Array:
        return np.asarray(self.Z.T @ u - self.center * u.sum())


class _Fold(NamedTuple):
    train: _Rows
    test: _Rows


def _errors(fold: _Fold, S: Indices) -> Array:
    """Squared error of every column of the test rows for each prefix of S, of shape (k, d)."""
    A, B = fold
    if not len(S):  # SciPy 1.13 solves no empty systems
        return np.empty((0, len(B.norms)))
    A_S, B_S = A.products(S), B.products(S)
    ridge = RIDGE * A.shape[0]
    R = cholesky(A_S[:, S] + ridge * np.eye(len(S)))
    C = solve_triangular(R, A_S, trans="T")
    H = solve_triangular(R, B_S, trans="T")  # Q'B
    QQ = solve_triangular(R, H[:, S].T, trans="T")
    changes = C * (2 * np.tril(QQ, -1) @ C - 2 * H + np.diagonal(QQ)[:, None] * C)
    return np.maximum(B.norms + np.cumsum(changes, axis=0), 0.0)
