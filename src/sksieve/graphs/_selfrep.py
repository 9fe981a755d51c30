"""Sparse codes of every sample on all the others (the l1 graph of sparse subspace clustering).

Column i of Z solves ``min_z ||x_i - X'z||^2 + lam |z|_1, z_i = 0`` (no one half), exactly: the
optimality conditions hold to rounding in the Gram form, to 1e-5 in the blocked form.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import check_sparse
from ..kernels._l1_blocks import largest_entries, local_codes
from ..kernels._l1_graph import l1_codes
from ..prox import row_norms

__all__ = ["GRAM_LIMIT", "Codes", "first_copies", "kkt_residual", "sparse_codes", "unit_rows"]

#: Above this many samples the Gram matrix is never formed.
GRAM_LIMIT = 10_000

_MAX_ROUNDS = 200
_BLOCK = 256
_CANDIDATES = 48


class Codes(NamedTuple):
    """Sparse rows in padded form, as the kernels take them: the first ``size`` of each row."""

    support: NDArray[np.int64]
    value: NDArray[np.float64]
    size: NDArray[np.int64]

    def take(self, rows: NDArray) -> Codes:
        return Codes(self.support[rows], self.value[rows], self.size[rows])

    def followed_by(self, extra: int) -> Codes:
        """These codes, then `extra` empty ones."""
        below = ((0, extra), (0, 0))
        support, value = np.pad(self.support, below), np.pad(self.value, below)
        return Codes(support, value, np.pad(self.size, (0, extra)))

    def with_capacity(self, n_more: int) -> Codes:
        """A copy in which every row can take `n_more` more entries."""
        extra = int(self.size.max(initial=0)) + n_more - self.support.shape[1]
        pad = ((0, 0), (0, max(0, extra)))
        return Codes(np.pad(self.support, pad), np.pad(self.value, pad), self.size.copy())

    def trimmed(self) -> Codes:
        """Without the columns that no row uses."""
        width = int(self.size.max(initial=0))
        return Codes(self.support[:, :width], self.value[:, :width], self.size)

    def matrix(self, n: int) -> sp.csr_array:
        """As CSR of shape (rows, n)."""
        inside = np.arange(self.support.shape[1]) < self.size[:, None]
        indptr = np.concatenate([[0], np.cumsum(self.size)])
        shape = (len(self.size), n)
        return sp.csr_array((self.value[inside], self.support[inside], indptr), shape=shape)

    @classmethod
    def empty(cls, n_rows: int) -> Codes:
        """No entries, and capacity for none."""
        size = np.zeros(n_rows, dtype=np.int64)
        return cls(np.zeros((n_rows, 0), dtype=np.int64), np.zeros((n_rows, 0)), size)

    @classmethod
    def from_matrix(cls, rows: sp.csr_array) -> Codes:
        """The padded form of a CSR matrix with sorted indices."""
        check_sparse(rows, "rows")
        size = np.diff(rows.indptr).astype(np.int64)
        shape = (rows.shape[0], max(1, int(size.max(initial=0))))
        inside = np.arange(shape[1]) < size[:, None]
        index, value = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        index[inside], value[inside] = rows.indices, rows.data
        return cls(index, value, size)


def unit_rows(X: NDArray) -> NDArray:
    """Rows of X divided by their l2 norm; zero rows stay zero."""
    norm = row_norms(X)
    return X / np.where(norm > 0, norm, 1)[:, None]


def first_copies(X: NDArray) -> NDArray[np.int64]:
    """For each row the smallest index of a row equal to it.

    Examples
    --------
    >>> import numpy as np
    >>> first_copies(np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]]))
    array([0, 1, 0])
    """
    _, first, label = np.unique(X, axis=0, return_index=True, return_inverse=True)
    return first[label.ravel()].astype(np.int64)


def sparse_codes(X: NDArray, lam: float, *, gram: bool | None = None) -> sp.csc_array:
    """Lasso codes of each row of X on the other rows.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples; the l1 graph takes them of unit length (`unit_rows`).
    lam : float > 0
        Weight of the l1 norm.
    gram : bool, optional
        Work from the n x n Gram matrix (exact to rounding) or without it, in blocks of rows with
        float32 products (optimality violated by at most 1e-5). Default: Gram up to 10 000 samples.

    Returns
    -------
    Z : csc_array of shape (n, n)
        Column i is the code of sample i; zero diagonal. Of several equal samples only the first is
        used by the others. A zero row of X has an empty column.

    Notes
    -----
    Cost: Gram form O(n^2 d) once and O(n |supp|) per sample and round, memory n^2; blocked form two
    to five products of n^2 d in float32, memory O(256 n). Parallel over samples; the result does
    not depend on the number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import sparse_codes, unit_rows
    >>> X = unit_rows(np.array([[1.0, 0.02], [1.0, 0.0], [0.0, 1.0], [0.02, 1.0]]))
    >>> (abs(sparse_codes(X, 0.1).toarray()) > 0).astype(int)
    array([[0, 1, 0, 0],
           [1, 0, 0, 0],
           [0, 0, 0, 1],
           [0, 0, 1, 0]])
    """
    X = np.ascontiguousarray(X)
    if gram is None:
        gram = X.shape[0] <= GRAM_LIMIT
    return _codes_by_gram(X, lam) if gram else _codes_by_blocks(X, lam)  # SRSG (1)


def _codes_by_gram(X: NDArray, lam: float) -> sp.csc_array:
    n = X.shape[0]
    X64 = X.astype(np.float64)
    K = X64 @ X64.T
    copies = first_copies(X)
    parts = []
    for first in range(0, n, _BLOCK):
        last = min(first + _BLOCK, n)
        index, value, size, _ = l1_codes(K, first, last, copies, lam / 2, 1e-13, _MAX_ROUNDS)
        width = max(1, int(size.max()))
        parts.append(Codes(index[:, :width].copy(), value[:, :width].copy(), size))
    return _assemble(parts, n)


def _codes_by_blocks(X: NDArray, lam: float, slack: float = 1e-5) -> sp.csc_array:
    """A pool of samples: solve each on its candidates, look for violators among all, add them.

    A sample without violators leaves the pool and the next one takes its place, so that every
    product is of a full block.
    """
    n, half = X.shape[0], lam / 2
    X32, X64 = X.astype(np.float32, copy=False), X.astype(np.float64, copy=False)
    copies = first_copies(X)
    space = np.empty((min(_BLOCK, n), n), dtype=np.float32)
    rows, pool = np.arange(0), Codes.empty(0)
    rounds = np.zeros(n, dtype=np.int64)
    done: list[tuple[NDArray, Codes]] = []
    entered = 0
    while entered < n or len(rows):
        new = np.arange(entered, min(entered + _BLOCK - len(rows), n))
        rows, pool, entered = np.append(rows, new), pool.followed_by(len(new)), entered + len(new)
        residual = X64[rows] - np.asarray(pool.matrix(n) @ X64)
        g = np.matmul(residual.astype(np.float32), X32.T, out=space[: len(rows)])
        before = pool.size
        pool = pool.with_capacity(_CANDIDATES)
        threshold = np.where(before > 0, half + slack, half).astype(np.float32)
        largest_entries(g, rows, copies, threshold, pool.support, pool.size, _CANDIDATES)
        rounds[rows] += 1
        settled = (pool.size == before) | (rounds[rows] > _MAX_ROUNDS)
        done.append((rows[settled], pool.take(settled).trimmed()))
        rows, pool = rows[~settled], pool.take(~settled)
        local_codes(X, rows, half, 1e-13, _MAX_ROUNDS, *pool)
        pool = pool.trimmed()
    order = np.argsort(np.concatenate([rows for rows, _ in done]))
    return _assemble([codes for _, codes in done], n)[:, order]


def _assemble(parts: list[Codes], n: int) -> sp.csc_array:
    """Rows of codes, one per sample, as the columns of Z."""
    rows = sp.vstack([part.matrix(n) for part in parts], format="csr")
    return sp.csc_array(rows.T)


def kkt_residual(X: NDArray, Z: sp.csc_array, lam: float) -> NDArray[np.float64]:
    """Largest violation of the lasso's optimality conditions, per sample.

    On the support ``|x_t'r - (lam/2) sign z_t|``, off it the excess of ``|x_t'r|`` over lam/2, with
    r the residual of the sample; in blocks, never n x n.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import sparse_codes, unit_rows
    >>> X = unit_rows(np.random.RandomState(0).randn(30, 5))
    >>> bool(kkt_residual(X, sparse_codes(X, 0.1), 0.1).max() < 1e-12)
    True
    """
    check_sparse(Z, "Z")
    n, half = X.shape[0], lam / 2
    X = np.asarray(X, dtype=np.float64)
    codes = sp.csr_array(Z.T)
    worst = np.zeros(n)
    for first in range(0, n, _BLOCK):
        rows = np.arange(first, min(first + _BLOCK, n))
        Zb = codes[rows]
        g = (X[rows] - np.asarray(Zb @ X)) @ X.T
        violation = np.maximum(np.abs(g) - half, 0.0)
        violation[np.arange(len(rows)), rows] = 0.0
        z = Zb.tocoo()
        violation[z.row, z.col] = np.abs(g[z.row, z.col] - half * np.sign(z.data))
        worst[rows] = violation.max(axis=1)
    return worst
