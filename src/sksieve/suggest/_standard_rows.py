"""Distinct rows of a table, weighted and standardized; halves of them from one Gram matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from .._array import BLOCK_BYTES, dense, distinct_rows
from .._memory import require_memory
from .._typing import Array, Indices
from ..solvers._forward import GramRows, ThinRows, forward
from ..tables import constant_columns
from ._noise import Spectrum

#: Entries of the sample of rows whose signs are flipped, and its least number of rows.
ENTRIES = 1_000_000
LEAST_ROWS = 500


class Half(NamedTuple):
    """Some of the rows, standardized by themselves; columns constant among them left out.

    Attributes
    ----------
    n : int
        Distinct rows.
    columns : ndarray of shape (d,)
        Which columns of the table.
    gram : ndarray of shape (d, d) or None
        ``Z'Z`` where the table has at least as many distinct rows as columns.
    rows : ndarray of shape (n, d) or None
        Z, where it has fewer.
    """

    n: int
    columns: Indices
    gram: Array | None
    rows: Array | None

    def spectrum(self) -> Spectrum:
        """Eigenvalues and vectors; O(min(n, d)^3)."""
        if self.gram is not None:
            s2, V = eigh(self.gram)
            return Spectrum(
                self.n, np.diagonal(self.gram).copy(), np.maximum(s2[::-1], 0.0), V[:, ::-1]
            )
        Z = self._rows()
        s2, U = eigh(Z @ Z.T)
        s2, U = s2[::-1], U[:, ::-1]
        kept = s2 > 1e-12 * s2[0]
        s2, U = s2[kept], U[:, kept]
        return Spectrum(self.n, np.einsum("ij,ij->j", Z, Z), s2, (Z.T @ U) / np.sqrt(s2))

    def forward(self) -> Iterator[int]:
        """Columns by forward selection: each lowers the reconstruction error most.

        Ties go to the smaller index. O(d^2) a column from the Gram matrix, O(n d) from the rows.
        """
        rows = ThinRows(self._rows()) if self.gram is None else GramRows(self.gram)
        return (step.column for step in forward(rows, np.ones(rows.n_columns, dtype=bool)))

    def unexplained(self, S: Indices) -> float:
        """Share of the squared norm that the columns S (positions here) do not reconstruct."""
        if self.gram is not None:
            inner, cross = self.gram[np.ix_(S, S)], self.gram[S]
            total = float(np.trace(self.gram))
        else:
            Z = self._rows()
            inner, cross = Z[:, S].T @ Z[:, S], Z[:, S].T @ Z
            total = float(np.vdot(Z, Z))
        values, vectors = np.linalg.eigh(inner)
        kept = values > 1e-10 * values[-1]
        explained = np.sum((vectors[:, kept].T @ cross) ** 2 / values[kept, None])
        return float(max(1 - explained / total, 0.0))

    def _rows(self) -> Array:
        if self.rows is None:
            raise TypeError("these rows are represented by their Gram matrix")
        return self.rows


class StandardRows:
    """Distinct rows of a table, each weighted by how often it occurs, and random halves of them.

    A row that occurs m times counts as one observation of weight m: repeating the whole table
    changes no answer.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Finite floats; no entry of a CSR table is stored in parts.
    rng : RandomState
        For the splits.
    n_splits : int, default=3
        Random splits of the rows into two halves.

    Attributes
    ----------
    n : int
        Distinct rows.
    d : int
        Columns that are not constant.
    columns : ndarray of shape (d,)
        Which ones.

    Raises
    ------
    TooLargeError
        If both the number of rows and the number of columns are too large.

    Notes
    -----
    Cost O(n d min(n, d)). With at least as many rows as columns, one pass adds up the products of
    the rows that are on the same side of every split, and the Gram matrix of every half is a sum of
    these: memory ``2^n_splits`` d x d arrays. Else two n x d arrays.
    """

    def __init__(self, X: Any, rng: np.random.RandomState, n_splits: int = 3) -> None:
        first, group = distinct_rows(X)
        self._weights = np.bincount(group).astype(np.float64)
        self.n = len(first)
        self._X = X if self.n == X.shape[0] else X[first]
        self._total = float(self._weights.sum())
        self._cell = np.zeros(self.n, dtype=np.intp)
        for i in range(n_splits):
            self._cell |= (rng.permutation(self.n) % 2) << i
        self._n_splits = n_splits
        n_features = X.shape[1]
        self._tall = self.n >= n_features
        n_arrays = (1 << n_splits) + 4 if self._tall else 3
        require_memory(
            8.0 * n_features * min(self.n, n_features) * n_arrays,
            f"The number of dimensions of {self.n} rows and {n_features} columns",
            "Take a sample of the rows or drop columns first.",
        )
        self._mean = np.asarray(self._weights @ self._X, dtype=np.float64) / self._total
        self.columns, self._scale = np.arange(n_features), np.ones(n_features)
        if self._tall:
            self._cells = [self._products(self._cell == c) for c in range(1 << n_splits)]
            square = np.diagonal(_sum_of(self._cells).products)
        else:
            Z = self._take(np.arange(self.n))
            square = np.einsum("ij,ij->j", Z, Z)
        deviation = np.sqrt(square / self._total)
        self.columns = np.flatnonzero(~constant_columns(X))
        self._scale[self.columns] = deviation[self.columns]

    @property
    def d(self) -> int:
        """Columns that are not constant."""
        return len(self.columns)

    @property
    def n_sampled(self) -> int:
        """Rows that `sample` draws when the number is not given."""
        return min(self.n, max(LEAST_ROWS, ENTRIES // self.d))

    def whole(self) -> Half:
        """All rows."""
        return self._part(range(1 << self._n_splits))

    def halves(self) -> Iterator[Half]:
        """Both halves of every split."""
        cells = range(1 << self._n_splits)
        for i in range(self._n_splits):
            for side in (0, 1):
                yield self._part([c for c in cells if c >> i & 1 == side])

    def _part(self, cells: Sequence[int]) -> Half:
        """The rows of some cells, standardized by themselves."""
        rows = np.flatnonzero(np.isin(self._cell, cells))
        total = float(self._weights[rows].sum())
        if self._tall:
            G, sums = _sum_of([self._cells[c] for c in cells])
            G = (G - np.outer(sums, sums / total))[np.ix_(self.columns, self.columns)]
            square = np.diagonal(G) / self._scale[self.columns] ** 2
        else:
            root = np.sqrt(self._weights[rows])[:, None]
            Z = self._take(rows)
            Z -= root * ((root.T @ Z) / total)
            square = np.einsum("ij,ij->j", Z, Z)
        columns = np.flatnonzero(square > 1e-10 * total)
        if not self._tall:
            return Half(len(rows), columns, None, Z[:, columns] * np.sqrt(total / square[columns]))
        divisor = np.sqrt(np.diagonal(G)[columns] / total)
        G = G[np.ix_(columns, columns)] / divisor / divisor[:, None]
        return Half(len(rows), columns, G, None)

    def sample(self, rng: np.random.RandomState, n_rows: int | None = None) -> Array:
        """Random rows, weighted and standardized; at most `n_rows` and about a million entries."""
        most = self.n_sampled if n_rows is None else min(self.n_sampled, n_rows)
        if most == self.n:
            return self._take(np.arange(self.n))
        return self._take(np.sort(rng.permutation(self.n)[:most]))

    def _take(self, rows: Indices) -> Array:
        """Rows, centered, divided by the scale and multiplied by the root of their weights."""
        X = self._X[rows]
        Z = dense(X).astype(np.float64, copy=False)
        if len(self.columns) < Z.shape[1]:
            Z = Z[:, self.columns]
        Z = Z - self._mean[self.columns]
        scale = self._scale[self.columns]
        if (scale != 1).any():
            Z /= scale
        if self._total > self.n:
            Z *= np.sqrt(self._weights[rows])[:, None]
        return Z

    def _products(self, holds: NDArray[np.bool_]) -> _Cell:
        rows = np.flatnonzero(holds)
        products, sums = np.zeros((self.d, self.d)), np.zeros(self.d)
        step = max(1, BLOCK_BYTES // (8 * self.d))
        for start in range(0, len(rows), step):
            block = rows[start : start + step]
            Z = self._take(block)
            products += Z.T @ Z
            sums += np.sqrt(self._weights[block]) @ Z
        return _Cell(products, sums)


class _Cell(NamedTuple):
    """``Z'Z`` of weighted, centered rows, and the weighted sums of their columns."""

    products: Array
    sums: Array


def _sum_of(cells: Sequence[_Cell]) -> _Cell:
    products, sums = np.zeros_like(cells[0].products), np.zeros_like(cells[0].sums)
    for cell in cells:
        products += cell.products
        sums += cell.sums
    return _Cell(products, sums)
