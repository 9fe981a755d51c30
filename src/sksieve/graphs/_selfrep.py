"""Sparse codes of every sample on all the others (the l1 graph of sparse subspace clustering).

Column i of Z solves ``min_z ||x_i - X'z||^2 + lam |z|_1, z_i = 0`` (no one half), exactly: the
optimality conditions hold to rounding, at most 1e-10 in any case.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from .._array import check_sparse
from .._threads import map_threads, one_thread
from ..kernels._l1_blocks import select_groups, update_codes, visit_groups
from ..kernels._l1_graph import l1_codes
from ..prox import row_norms
from ._neighbors import rounding32

#: Up to so many samples, and so many a column, inner products are taken from the Gram matrix: where
#: samples are long, that costs less than to compute those that are needed.
_GRAM_LIMIT, _SAMPLES_PER_COLUMN = 10_000, 4
#: Up to so many samples the Gram matrix is small, however short they are.
_FEW_SAMPLES = 2000
_MAX_ROUNDS = 200
#: Samples whose conditions are checked together by `kkt_residual`, and samples coded together.
_BLOCK, _POOL = 256, 1024
#: Samples of a group, and those of them from which its center is computed, on average.
_GROUP, _SAMPLE = 100, 40
#: Groups that a sample visits in a turn: at first, and at most.
_VISITS, _MOST_VISITS = 64, 1024
#: Violators taken into a code at a time.
_CANDIDATES = 32
#: Largest violation of the optimality conditions by samples outside of the code.
_TOL = 1e-10


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


def sparse_codes(X: NDArray, lam: float) -> sp.csc_array:
    """Lasso codes of each row of X on the other rows.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples; the l1 graph takes them of unit length (`unit_rows`).
    lam : float > 0
        Weight of the l1 norm.

    Returns
    -------
    Z : csc_array of shape (n, n)
        Column i is the code of sample i; zero diagonal. Of several equal samples only the first is
        used by the others. A zero row of X has an empty column.

    Notes
    -----
    Exact: the optimality conditions are checked with float32 products, and in float64 where these
    are near the limit; groups of samples whose bound is below the limit are not looked at. Cost
    O(n^2 d) at worst, less where samples lie in groups, and a small lasso per sample and round;
    memory a block of 1024 samples and three copies of X. With at most 2000 samples, or 4 a column
    and 10 000, from the Gram matrix instead: O(n^2 d) once, then O(n |support|) per sample and
    round. Parallel over samples; the result does not depend on the number of threads.

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
    n, d = X.shape
    by_gram = n <= max(_FEW_SAMPLES, min(_GRAM_LIMIT, _SAMPLES_PER_COLUMN * d))
    if by_gram:
        return _codes_by_gram(X, lam)  # SRSG (1)
    with one_thread():  # threads of small products, which wait busily, would be in the kernels' way
        return _codes_by_blocks(X, lam)


def _codes_by_gram(X: NDArray, lam: float) -> sp.csc_array:
    n = X.shape[0]
    X64 = X.astype(np.float64)
    K = X64 @ X64.T
    copies = first_copies(X)

    def block(first: int) -> Codes:
        last = min(first + _BLOCK, n)
        index, value, size, _ = l1_codes(K, first, last, copies, lam / 2, 1e-13, _MAX_ROUNDS)
        width = max(1, int(size.max()))
        return Codes(index[:, :width].copy(), value[:, :width].copy(), size)

    return _assemble(map_threads(block, range(0, n, _BLOCK)), n)


class _Groups(NamedTuple):
    """Samples in groups of near ones.

    Attributes
    ----------
    order : ndarray of shape (m,)
        The samples, group by group.
    X : ndarray of shape (m, d)
        In this order.
    tiles : ndarray of float32, shape (m d,)
        The same in float32, the samples of each group as the columns of a matrix.
    group : ndarray of int32, shape (m,)
        The group of each.
    starts : ndarray of shape (K + 1,)
        Where each group begins.
    centers : ndarray of float32, shape (d, K)
    radius : ndarray of float32, shape (K,)
        Largest distance of a member from the center.
    length : float
        Largest norm of a sample.
    """

    order: NDArray[np.intp]
    X: NDArray[Any]
    tiles: NDArray[np.float32]
    group: NDArray[np.int32]
    starts: NDArray[np.int64]
    centers: NDArray[np.float32]
    radius: NDArray[np.float32]
    length: float

    @classmethod
    def of(cls, X: NDArray[Any]) -> _Groups:
        """By a few rounds of k-means on some of the samples; the codes do not depend on it."""
        m = len(X)
        X32 = X.astype(np.float32, copy=False)
        label = _near_labels(X32, max(1, m // _GROUP))
        order = np.argsort(label, kind="stable")
        X, X32, label = X[order], X32[order], label[order]
        starts = np.flatnonzero(np.diff(label, prepend=-1, append=-1))
        size = np.diff(starts)
        centers = np.add.reduceat(X, starts[:-1]) / size[:, None]
        apart = X - np.repeat(centers, size, axis=0)
        radius = np.sqrt(np.maximum.reduceat(np.einsum("ij,ij->i", apart, apart), starts[:-1]))
        return cls(
            order,
            X,
            np.concatenate([tile.T.ravel() for tile in np.split(X32, starts[1:-1])]),
            np.repeat(np.arange(len(size), dtype=np.int32), size),
            starts,
            np.ascontiguousarray(centers.T, dtype=np.float32),
            radius.astype(np.float32),
            float(row_norms(X).max()),
        )


def _near_labels(X: NDArray[np.float32], n_groups: int) -> NDArray[np.int64]:
    """About `n_groups` groups of near rows."""
    m = len(X)
    if n_groups == 1:
        return np.zeros(m, dtype=np.int64)
    size = min(m, _SAMPLE * n_groups)
    means = KMeans(n_groups, init="random", n_init=1, max_iter=4, random_state=0)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # rows that are equal in float32
        label: NDArray[Any] = means.fit(X[np.arange(size) * m // size]).predict(X)
    return label.astype(np.int64)


class _Pool(NamedTuple):
    """Samples whose codes are not settled, a row each.

    Attributes
    ----------
    rows : ndarray of int64, shape (b,)
    support, value, size
        The codes; see `Codes`.
    residual : ndarray of float64, shape (b, d)
    bound : ndarray of float32, shape (b, K)
        Upper bounds of ``|x_t'r|`` over the members t of each group that are not in the code.
    factor, drift : ndarray of float32, shape (b,)
        The residual is ``factor r + e`` and ``|x_t'e| <= drift``, where `bound` is that of r.
    quota : ndarray of int64, shape (b,)
        How many groups to visit in a turn.
    turn : ndarray of int64, shape (b,)
        Turns so far.
    """

    rows: NDArray[np.int64]
    support: NDArray[np.int64]
    value: NDArray[np.float64]
    size: NDArray[np.int64]
    residual: NDArray[np.float64]
    bound: NDArray[np.float32]
    factor: NDArray[np.float32]
    drift: NDArray[np.float32]
    quota: NDArray[np.int64]
    turn: NDArray[np.int64]

    @classmethod
    def entering(cls, rows: NDArray[np.int64], groups: _Groups) -> _Pool:
        b, n_groups = len(rows), len(groups.radius)
        return cls(
            rows,
            *Codes.empty(b),
            residual=groups.X[rows].astype(np.float64),
            bound=np.full((b, n_groups), np.inf, dtype=np.float32),
            factor=np.ones(b, dtype=np.float32),
            drift=np.zeros(b, dtype=np.float32),
            quota=np.full(b, _VISITS),
            turn=np.zeros(b, dtype=np.int64),
        )

    @property
    def codes(self) -> Codes:
        return Codes(self.support, self.value, self.size)

    def take(self, which: NDArray[Any]) -> _Pool:
        return _Pool(*(part[which] for part in self))

    def joined(self, other: _Pool) -> _Pool:
        codes = self.codes.followed_by(len(other.rows))._asdict()
        both = zip(self._fields, self, other, strict=True)
        return _Pool(**{f: codes[f] if f in codes else np.concatenate([a, b]) for f, a, b in both})


def _codes_by_blocks(X: NDArray, lam: float) -> sp.csc_array:
    """A pool of samples: visit groups that may hold violators, add these, solve on the candidates.

    A sample is settled when no group can hold a violator. For members t of a group with center c
    and radius rho ``|x_t'r| <= |c'r| + rho ||r||``, and what a visit has measured for an earlier
    residual bounds it for the present one. The next sample takes the place of a settled one.
    """
    n, half = X.shape[0], lam / 2
    copies = first_copies(X)
    distinct = np.flatnonzero(copies == np.arange(n))
    groups = _Groups.of(X[distinct])
    samples = distinct[groups.order]
    is_repeated = np.bincount(copies, minlength=n)[samples] > 1  # one copy codes another
    own = np.where(is_repeated, -1, np.arange(len(samples)))
    pool, entered = _Pool.entering(np.arange(0), groups), 0
    done: list[tuple[NDArray, Codes]] = []
    while entered < len(samples) or len(pool.rows):
        new = np.arange(entered, min(entered + _POOL - len(pool.rows), len(samples)))
        pool, entered = pool.joined(_Pool.entering(new, groups)), entered + len(new)
        pool, settled = _turn(pool, groups, own, half)
        done.append((pool.rows[settled], pool.codes.take(settled).trimmed()))
        pool = pool.take(~settled)
    order = np.argsort(np.concatenate([rows for rows, _ in done]))
    Z = _assemble([codes for _, codes in done], len(samples))[:, order]
    return _with_copies(Z, samples, copies)


def _turn(
    pool: _Pool, groups: _Groups, own: NDArray[np.int64], half: float
) -> tuple[_Pool, NDArray[np.bool_]]:
    """Visit groups; new codes where there are violators. The pool, and which rows are settled."""
    codes = pool.codes.with_capacity(_CANDIDATES)
    residual32 = pool.residual.astype(np.float32)
    length = np.linalg.norm(residual32, axis=1)
    slack = np.float32(rounding32(residual32.shape[1]) * groups.length) * length
    near = residual32 @ groups.centers
    change = pool.factor, pool.drift
    indptr, visits, complete = select_groups(
        pool.bound, near, groups.radius, length, slack, change, np.float32(half), pool.quota
    )
    lists = codes.support, codes.size
    seen = visit_groups(
        indptr, visits, groups.X, groups.tiles, groups.starts, pool.residual, residual32, lists,
        own[pool.rows], half, _TOL, slack,
    )  # fmt: skip
    changed, factor, drift = update_codes(
        indptr, visits, seen, pool.bound, groups.X, groups.length, groups.group, pool.rows, half,
        1e-13, _MAX_ROUNDS, _CANDIDATES, codes.support, codes.value, codes.size, pool.residual,
    )  # fmt: skip
    pool = pool._replace(
        **codes.trimmed()._asdict(),
        factor=factor,
        drift=drift,
        quota=np.where(changed, pool.quota, np.minimum(2 * pool.quota, _MOST_VISITS)),
        turn=pool.turn + 1,
    )
    return pool, ~changed & complete | (pool.turn > _MAX_ROUNDS)


def _with_copies(Z: sp.csc_array, samples: NDArray, copies: NDArray) -> sp.csc_array:
    """Codes of all samples from those of the distinct ones, `samples`.

    The first copy of a sample is coded as if it might use itself; its next copy stands in for it.
    """
    n = len(copies)
    place = np.empty(n, dtype=np.int64)
    place[samples] = np.arange(len(samples))
    Z = Z[:, place[copies]]
    later = np.flatnonzero(copies != np.arange(n))[::-1]
    stand_in = np.arange(n)
    stand_in[copies[later]] = later
    rows, columns = samples[Z.indices], np.repeat(np.arange(n), np.diff(Z.indptr))
    rows = np.where(rows == columns, stand_in[rows], rows)
    Z = sp.csc_array((Z.data, rows, Z.indptr), shape=(n, n))
    Z.sort_indices()
    return Z


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
