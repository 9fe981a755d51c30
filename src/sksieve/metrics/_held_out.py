"""The share of a table that chosen columns explain, on rows that were not used to fit.

====== ============ ===========================================================================
here   code         meaning, shape
====== ============ ===========================================================================
B, A   test, train  standardized rows of a fold, and of all others; centered on the means of A
S      columns      chosen columns, in order
R      R            upper Cholesky factor of ``A_S'A_S + 1e-3 n I``, k x k
C      C            ``R^-T A_S'A``: the coefficients of all columns on ``Q = B_S R^-1``, k x d
====== ============ ===========================================================================

The first i rows of C and columns of Q belong to the first i chosen columns, so that one
factorization serves every prefix. Products of A are those of all rows minus those of B: no product
is formed twice.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, solve_triangular
from scipy.sparse.linalg import LinearOperator, svds

from .._array import dense, n_stored
from .._threads import one_thread
from .._typing import Array, Indices
from .._validation import check_random_state, check_table
from ..linalg import leading_ritz_pairs
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
#: The smaller side of a sparse table up to which its inner products are filled in.
FULL = 1500
#: Of the variance of the principal components, where not all of them are computed.
TOLERANCE = 1e-6


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
    O(n k d + k^2 d) for all prefixes of k columns; an array of d x d up to 1000 columns only.
    `components` takes O(n d min(n, d)) and arrays of the smaller side, those of a sparse table up
    to 1500. Of tables with more than 2e7 stored numbers a random sample of the rows is judged.

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
        order = rng.permutation(len(rows))
        tests = [np.sort(test) for test in np.array_split(order, min(FOLDS, len(rows)))]
        self._table = unit_variance(Z, self.varies)[np.concatenate(tests)]
        sums = np.asarray(self._table.sum(axis=0)).ravel()
        ends = np.cumsum([0, *map(len, tests)]).tolist()
        self._folds = [
            _Fold(self._table, first, end, sums) for first, end in itertools.pairwise(ends)
        ]
        self.total = float(sum(self.weights @ fold.norms for fold in self._folds))

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
            for errors in self._errors(S):
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
        norms = np.sum([fold.norms for fold in self._folds], axis=0)
        left = norms.copy()
        if len(S):
            left = np.sum([errors[-1] for errors in self._errors(S)], axis=0)
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
        n, d = self._table.shape
        k = min(k, d, *(fold.n_train for fold in self._folds))
        left = np.full(k, self.total)
        small = min(n, d)
        along = self._by_rows if n < d else self._by_columns
        if sp.issparse(self._table) and small > FULL and 4 * k < small:
            along = self._by_products
        for energies in along(k):
            left -= np.cumsum(energies)
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

    def _errors(self, S: Indices) -> Iterator[Array]:
        """Squared error of every column of a fold for each prefix of S, of shape (k, d)."""
        tests = self._products(S)
        whole = np.sum(tests, axis=0)
        for fold, test in zip(self._folds, tests):
            yield fold.errors(S, *fold.centered(S, whole - test, test))

    def _products(self, S: Indices) -> list[Array]:
        """Inner products of the columns S with all, not centered, on the rows of each fold."""
        if self._grams is not None:
            return [gram[S] for gram in self._grams]
        return [dense(fold.test[:, S].T @ fold.test) for fold in self._folds]

    @cached_property
    def _grams(self) -> list[Array] | None:
        n, d = self._table.shape
        if d > GRAM_COLUMNS or 2 * d > n:
            return None
        return [dense(fold.test.T @ fold.test) for fold in self._folds]

    def _by_columns(self, k: int) -> Iterator[Array]:
        """Squared norm of each fold along k components of the others, from ``A'A``."""
        root = np.sqrt(self.weights)
        whole = dense(self._table.T @ self._table)
        for fold in self._folds:
            G = whole - dense(fold.test.T @ fold.test)
            G -= fold.n_train * np.outer(fold.center, fold.center)
            V = leading_ritz_pairs(root[:, None] * G * root, k, tol=TOLERANCE)[1]
            yield fold.energies(root[:, None] * V)

    def _by_rows(self, k: int) -> Iterator[Array]:
        """The same from ``AA'``: the inner products of all rows hold those of each fold."""
        Z = self._table * np.sqrt(self.weights)
        K = dense(Z @ Z.T)
        for fold in self._folds:
            others = np.r_[: fold.first, fold.end : len(K)]
            test, train = K[fold.first : fold.end, others], K[np.ix_(others, others)]
            mean = train.mean(axis=0)
            train = train - mean - mean[:, None] + mean.mean()
            values, U = leading_ritz_pairs(train, k, tol=TOLERANCE)
            test = test - mean - test.mean(axis=1)[:, None] + mean.mean()
            floor = 1e-12 * max(float(values[0]), 1e-300)
            yield np.sum((test @ U) ** 2, axis=0) / np.maximum(values, floor)

    def _by_products(self, k: int) -> Iterator[Array]:
        """The same where neither is filled in."""
        root = np.sqrt(self.weights)
        for fold in self._folds:
            A = self._table[np.r_[: fold.first, fold.end : self._table.shape[0]]]
            operator = LinearOperator(
                A.shape,
                matvec=lambda v, A=A, c=fold.center: A @ (w := root * v.ravel()) - c @ w,
                rmatvec=lambda u, A=A, c=fold.center: root * (A.T @ u.ravel() - c * u.sum()),
                dtype=np.float64,
            )
            V = svds(operator, k, random_state=0)[2][::-1].T
            yield fold.energies(root[:, None] * V)


class _Fold:
    """Rows `first` to `end` - 1 of the standardized table, centered on the means of the others.

    Nothing is copied or centered but products.
    """

    def __init__(self, Z: Any, first: int, end: int, sums: Array) -> None:
        self.first, self.end = first, end
        self.test = Z[first:end]
        self.n_train = Z.shape[0] - (end - first)
        self._sums = np.asarray(self.test.sum(axis=0)).ravel()
        self.center = (sums - self._sums) / self.n_train

    @cached_property
    def norms(self) -> Array:
        """Squared norm of every column."""
        c, n = self.center, self.end - self.first
        return np.maximum(column_norms2(self.test) - 2 * c * self._sums + n * c * c, 0.0)

    def centered(self, S: Indices, train: Array, test: Array) -> tuple[Array, Array]:
        """Inner products of the columns S with all, of the other rows and of these."""
        c, sums, n = self.center, self._sums, self.end - self.first
        shift = np.outer(c[S], n * c - sums) - np.outer(sums[S], c)
        return train - self.n_train * np.outer(c[S], c), test + shift

    def errors(self, S: Indices, A_S: Array, B_S: Array) -> Array:
        """Squared error of every column for each prefix of S, of shape (k, d)."""
        if not len(S):  # SciPy 1.13 solves no empty systems
            return np.empty((0, len(self.norms)))
        R = cholesky(A_S[:, S] + RIDGE * self.n_train * np.eye(len(S)))
        C = solve_triangular(R, A_S, trans="T")
        H = solve_triangular(R, B_S, trans="T")  # Q'B
        QQ = solve_triangular(R, H[:, S].T, trans="T")
        changes = C * (2 * np.tril(QQ, -1) @ C - 2 * H + np.diagonal(QQ)[:, None] * C)
        return np.maximum(self.norms + np.cumsum(changes, axis=0), 0.0)

    def energies(self, V: Array) -> Array:
        """Squared norm of these rows along each of the directions V."""
        return np.asarray(np.sum((self.test @ V - self.center @ V) ** 2, axis=0))
