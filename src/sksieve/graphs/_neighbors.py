"""Exact nearest neighbors, in blocks of rows, with ties broken by index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import BLOCK_BYTES, check_sparse, distinct_rows, floating, in_one_part
from .._threads import map_threads
from ..exceptions import warn_user
from ..kernels._neighbors import (
    GROUP,
    STRIP,
    distances_of_pairs,
    first_limits,
    nearest_of_candidates,
    nearest_of_given,
    nearest_of_rows,
    scan_tile,
    snap_rows,
    sum_of_distances,
)

#: Rows and columns of a tile of distances: what the processor's cache holds.
TILE_ROWS, TILE_COLUMNS = 256, 2048
#: Fewer rows, with so many products of entries at most, are searched without compiled code.
FEW_ROWS, _FEW_PRODUCTS = 2000, 1e8
#: Bytes of a block of products there: what the processor's cache holds.
_FEW_BYTES = 2**20
#: Rows that one thread takes at a time. Where float32 has not decided half of the first of them, it
#: is not tried on the others.
_PIECE = 4 * TILE_ROWS


def nearest_neighbors(X: Any, k: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The k nearest other rows of every row of X.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Samples are rows; finite.
    k : int
        ``1 <= k <= n - 1``.

    Returns
    -------
    indices : ndarray of shape (n, k)
        Nearest first; of equally distant rows the smaller index comes first, where distances that
        differ by no more than the rounding of the rows' entries are equal. The row itself is left
        out by its index, so a duplicate of it is a neighbor at distance 0.
    distances : ndarray of shape (n, k)
        Squared Euclidean distances, ascending, in the precision of X.

    Raises
    ------
    ValueError
        If k is not between 1 and n - 1.

    Notes
    -----
    Exact: distances are sums of squared differences in float64, in the order of the columns; matrix
    products serve only to rule out rows that cannot be among the nearest. The answer is the same
    for dense and sparse X, also where these were scaled each in its own way and agree up to
    rounding only, and does not depend on threads. Cost O(n^2 d), O(n^2 nnz per row) for
    CSR; memory a block of rows, never n x n.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import nearest_neighbors
    >>> indices, distances = nearest_neighbors(np.array([[0.0], [1.0], [3.0], [1.0]]), 2)
    >>> indices
    array([[1, 3],
           [3, 0],
           [1, 3],
           [1, 0]])
    >>> distances[2]
    array([4., 4.])
    """
    check_sparse(X)
    X = _sorted_rows(floating(X))
    n = X.shape[0]
    if not 1 <= k < n:
        raise ValueError(
            f"n_neighbors={k} must be at least 1 and less than the number of samples, {n}."
        )
    indices = np.empty((n, k), dtype=np.int64)
    distances = np.empty((n, k), dtype=np.float64)
    if not sp.issparse(X) and n < FEW_ROWS and n * k * X.shape[1] <= _FEW_PRODUCTS:
        _search_few(X, indices, distances)
    elif _capacity(k) > n:
        _search_by_rows(X, None, indices, distances)
    else:
        rest = np.arange(n) if sp.issparse(X) else _search_by_tiles(X, indices, distances)
        _search_by_copies(X, rest, indices, distances)
    return indices, distances.astype(X.dtype, copy=False)


def nearest_among(
    X: Any, candidates: NDArray[np.integer], k: int
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """As `nearest_neighbors`, of candidates for each row instead of all rows.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    candidates : ndarray of int, shape (n, m)
        Row indices, in any order; negative ones stand for none. Rows that are left with fewer than
        k others are compared with all.
    k : int

    Returns
    -------
    indices, distances : ndarray of shape (n, k)

    Notes
    -----
    Cost O(n m d), and O(n d) for each row that is compared with all.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import nearest_among
    >>> X = np.array([[0.0], [1.0], [3.0], [1.5]])
    >>> nearest_among(X, np.array([[1, 2], [3, 0], [3, -1], [2, 3]]), 1)[0].ravel()
    array([1, 3, 3, 2])
    """
    X = _sorted_rows(floating(X))
    n, d = X.shape
    indices = np.empty((n, k), dtype=np.int64)
    distances = np.empty((n, k), dtype=np.float64)
    norms, forms = _norms(_near_its_center(X)), _both_forms(X)
    given = candidates.astype(np.int64, copy=False)

    def choose(first: int) -> NDArray[np.bool_]:
        rows = np.arange(first, min(first + _PIECE, n))
        of_rows = given[first : first + _PIECE]
        few: NDArray[np.bool_] = nearest_of_given(
            rows, of_rows, norms, *forms, d, indices, distances
        )
        return few

    too_few = np.concatenate(map_threads(choose, range(0, n, _PIECE)))
    _search_by_rows(X, np.flatnonzero(too_few), indices, distances)
    return indices, distances.astype(X.dtype, copy=False)


def distance_of_kth(X: Any, rows: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Squared distance of the k-th nearest other row of some rows, exactly.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    rows : ndarray of int, shape (b,)
    k : int

    Returns
    -------
    ndarray of shape (b,)
    """
    X = _sorted_rows(floating(X))
    distances = np.empty((X.shape[0], k))
    _search_by_rows(X, rows, np.empty(distances.shape, dtype=np.int64), distances)
    return distances[rows, -1]


def rounding32(d: int) -> float:
    """Rounding of a product of d entries in float32, of vectors of length 1."""
    return _slack(np.float32, d)


def _slack(dtype: Any, d: int) -> float:
    """Rounding of a product, four times its expected growth with sqrt(d), and of the shift."""
    return float(np.finfo(dtype).eps) * (8 + 4 * np.sqrt(d))


def _capacity(k: int) -> int:
    """Candidates of a row for which there is workspace."""
    return 4 * k + 64


def _search_by_rows(
    X: Any, rows: NDArray[np.int64] | None, indices: NDArray[Any], distances: NDArray[Any]
) -> None:
    """Fill the rows (None: all) from products in the precision of X; spare entries hold ties."""
    if rows is not None and not len(rows):
        return
    d = X.shape[1]
    slack = _slack(X.dtype, d)
    forms = _both_forms(X)
    centered = _centered(X)

    def search(part: NDArray[np.int64]) -> None:
        for block, products, norms in _products(centered, part):
            nearest_of_rows(products, block, norms, slack, *forms, d, indices, distances)

    rows = np.arange(X.shape[0]) if rows is None else rows
    map_threads(search, [rows[a : a + _PIECE] for a in range(0, len(rows), _PIECE)])


def _search_few(
    X: NDArray[Any], indices: NDArray[np.int64], distances: NDArray[np.float64]
) -> None:
    """What `_search_by_rows` does for all rows, in NumPy: there is nothing to compile."""
    k, d = indices.shape[1], X.shape[1]
    slack = _slack(X.dtype, d)
    for rows, products, norms in _products(_centered(X), np.arange(len(X)), _FEW_BYTES):
        products[np.arange(len(rows)), rows] = -np.inf
        half, norm = norms / 2, norms[rows]  # of the distances: x_j'x_j / 2 - x_i'x_j
        kth = 2 * _kth_upper(half * (1 + slack) - products, k)
        limit = kth + 2.0 * slack * norm
        limit += _rounding(np.maximum(limit + norm, 0.0), norm, d)
        np.subtract(half * (1 - slack), products, out=products)
        r, j = np.divmod(np.flatnonzero(products <= limit[:, None] / 2), len(X))
        squared = _squared_distances(X, rows[r], j)
        order = np.lexsort((j, squared, r))
        r, j, squared = r[order], j[order], squared[order]
        starts = np.searchsorted(r, np.arange(len(rows)))
        first = starts[:, None] + np.arange(k)
        distances[rows] = squared[first]
        _sort_equal(r, j, squared, norm, d)
        indices[rows] = j[first]


def _kth_upper(bounds: NDArray[Any], k: int) -> NDArray[Any]:
    """A number in each row that k of its entries do not exceed: the k-th least, or a little more.

    Of many entries it is that of the least ones of disjoint groups, which are fewer.
    """
    b, n = bounds.shape
    n_groups = n // GROUP
    if n_groups >= 2 * k:
        bounds = bounds[:, : GROUP * n_groups].reshape(b, GROUP, n_groups).min(axis=1)
    return np.asarray(np.partition(bounds, k - 1, axis=1)[:, k - 1])


def _squared_distances(
    X: NDArray[Any], a: NDArray[np.intp], b: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Between rows a and b of X, pair by pair, summed in the order of the columns."""
    squared = np.empty(len(a))
    step = max(1, BLOCK_BYTES // (16 * X.shape[1]))
    for first in range(0, len(a), step):
        part = slice(first, first + step)
        difference = X[a[part]].astype(np.float64) - X[b[part]]
        difference *= difference
        squared[part] = np.add.accumulate(difference, axis=1, out=difference)[:, -1]
    return squared


def _sort_equal(
    r: NDArray[np.intp],
    j: NDArray[np.intp],
    squared: NDArray[np.float64],
    norm: NDArray[np.float64],
    d: int,
) -> None:
    """Of distances that differ by rounding only, put the smaller index first.

    `squared` ascends for each row r, of equal ones j does. Only runs of nearly equal ones remain.
    """
    near = squared[1:] <= squared[:-1] + _rounding(squared[:-1], norm[r[:-1]], d)
    near &= (r[1:] == r[:-1]) & (squared[1:] > squared[:-1])
    done = 0
    for at in np.flatnonzero(near):
        if at < done:
            continue
        row, first = r[at], int(at)
        while first > done and r[first - 1] == row and squared[first - 1] == squared[at]:
            first -= 1
        limit = squared[first] + _rounding(squared[first], norm[row], d)
        end = first + 1
        while end < len(r) and r[end] == row and squared[end] <= limit:
            end += 1
        j[first:end] = np.sort(j[first:end])
        done = end


def _rounding(distance: Any, norm: Any, d: int) -> Any:
    """What the rounding of two rows can change of a squared distance between them.

    As `sksieve.kernels._neighbors.rounding`, of arrays.
    """
    slack = np.finfo(np.float64).eps * (64 + 4 * np.sqrt(d))
    return slack * (distance + np.sqrt(distance) * np.sqrt(norm) + slack * norm)


def _search_by_copies(
    X: Any, rows: NDArray[np.int64], indices: NDArray[Any], distances: NDArray[Any]
) -> None:
    """Fill the rows from a search among the distinct rows of X, if some occur more than once.

    In sparse X only where at most half of the rows are distinct: else all rows cost as much.

    The k nearest rows are copies of the row itself and of its k nearest distinct rows, the first
    k + 1 of each at most: any other has k rows before it that are as near or nearer.
    """
    if not len(rows):
        return
    n, k = indices.shape
    first_of, group = distinct_rows(X)
    m = len(first_of)
    if m > (n / 2 if sp.issparse(X) else n - 1):
        _search_by_rows(X, rows, indices, distances)
        return
    near = np.empty((m, 0), dtype=np.int64)
    if m > 1:
        near, _ = nearest_neighbors(X[first_of], min(k, m - 1))
    near = np.column_stack([np.arange(m), near])
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group)
    starts = np.cumsum(sizes) - sizes
    place = np.arange(min(k + 1, int(sizes.max())))
    norms = _norms(_near_its_center(X))
    step = max(1, BLOCK_BYTES // (8 * near.shape[1] * len(place)))
    for first in range(0, len(rows), step):
        part = rows[first : first + step]
        groups = near[group[part]]
        at = np.minimum(starts[groups][..., None] + place, n - 1)
        copies = np.where(place < sizes[groups][..., None], order[at], -1).reshape(len(part), -1)
        nearest_of_given(part, copies, norms, *_both_forms(X), X.shape[1], indices, distances)


def _search_by_tiles(
    X: NDArray[Any], indices: NDArray[np.int64], distances: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Fill the rows from products in float32, a tile at a time; return the rows still to do.

    Those are the rows for which float32 cannot tell the nearest from many others: duplicates, or
    clusters that are small compared with the distances between them.
    """
    n, k = indices.shape
    bounds = _Bounds.of(X, k)

    def search(begin: int) -> NDArray[np.int64]:
        return _search_piece(X, begin, bounds, indices, distances)

    undecided: list[NDArray[np.int64]] = []
    done, turn = 0, _PIECE
    while done < n:
        last = min(done + turn, n)
        undecided += map_threads(search, range(done, last, _PIECE))
        done, turn = last, 2 * turn
        if 2 * sum(map(len, undecided)) > done:
            undecided.append(np.arange(done, n))
            break
    return np.concatenate(undecided)


def _search_piece(
    X: NDArray[Any],
    begin: int,
    bounds: _Bounds,
    indices: NDArray[np.int64],
    distances: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Fill `_PIECE` rows from the one at `begin` on; return those still to do."""
    k, d, slack = indices.shape[1], X.shape[1], bounds.slack
    sample, scaled = bounds.sample, bounds.scaled
    candidates = np.empty((TILE_ROWS, _capacity(k)), dtype=np.int64)
    lower = np.empty(candidates.shape, dtype=np.float32)
    buffer = np.empty(TILE_ROWS * max(TILE_COLUMNS, len(sample)), dtype=np.float32)
    undecided = []
    for first in range(begin, min(begin + _PIECE, len(X)), TILE_ROWS):
        part = bounds.rows[first : first + TILE_ROWS]
        b = len(part)
        limit = np.full(b, np.inf, dtype=np.float32)
        if len(sample):
            products = np.matmul(part, bounds.near, out=buffer[: b * len(sample)].reshape(b, -1))
            first_limits(products, first, sample, scaled, slack, d, k, limit)
        state = np.full((b, k), np.inf), limit, candidates, lower, np.zeros(b, dtype=np.int64)
        for t, tile in enumerate(bounds.tiles):
            products = np.matmul(part, tile, out=buffer[: b * tile.shape[1]].reshape(b, -1))
            scan_tile(products, first, t * TILE_COLUMNS, scaled, slack, d, *state)
        nearest_of_candidates(
            first,
            candidates,
            lower,
            *(limit, state[-1], bounds.norms, *_both_forms(X), d),
            indices,
            distances,
        )
        undecided.append(first + np.flatnonzero(state[-1] < 0))
    return np.concatenate(undecided)


class _Bounds(NamedTuple):
    """Factors in float32 of ``(1 - slack) |x_j|^2 - 2 x_i'x_j``, entries scaled to at most 1.

    Attributes
    ----------
    rows : ndarray of shape (n, d + 1)
    tiles : list of ndarray of shape (d + 1, width)
        The columns of X' in parts, and infinite ones up to a multiple of `STRIP`.
    sample : ndarray of int64
    near : ndarray
        Rows that give a first limit, and their columns of X'.
    norms, scaled : ndarray of float64, shape (n,)
        Squared norms of the rows, before and after scaling.
    slack : float
    """

    rows: NDArray[np.float32]
    tiles: list[NDArray[np.float32]]
    sample: NDArray[np.int64]
    near: NDArray[np.float32]
    norms: NDArray[np.float64]
    scaled: NDArray[np.float64]
    slack: float

    @classmethod
    def of(cls, X: NDArray[Any], k: int) -> _Bounds:
        n, d = X.shape
        slack = _slack(np.float32, d)
        X = _near_its_center(X)
        largest = float(np.abs(X).max()) or 1.0
        norms = _norms(X)
        scaled = norms / largest**2
        rows = np.empty((n, d + 1), dtype=np.float32)
        np.divide(X, -0.5 * largest, out=rows[:, :d], casting="same_kind")
        rows[:, d] = 1
        columns = np.zeros((d + 1, -(-n // STRIP) * STRIP), dtype=np.float32)
        np.divide(X.T, largest, out=columns[:d, :n], casting="same_kind")
        columns[d] = np.inf
        columns[d, :n] = (1 - slack) * scaled
        tiles = [columns[:, a : a + TILE_COLUMNS].copy() for a in range(0, n, TILE_COLUMNS)]
        sample = _sample(n, k)
        return cls(rows, tiles, sample, columns[:, sample], norms, scaled, slack)


def _sample(n: int, k: int) -> NDArray[np.int64]:
    """Rows that give every row a first limit, evenly spaced; none where there are few rows."""
    size = max(1024, 2 * GROUP * k)
    return np.arange(size if n >= 4 * size else 0) * n // size


def neighbors_within(k: int, n: int) -> int:
    """The number of neighbors that every estimator uses: `k`, or n - 1 with a `DataWarning`.

    Graph functions such as `nearest_neighbors` take k as it is and raise where n samples have no k
    others.

    Examples
    --------
    >>> neighbors_within(5, 100)
    5
    """
    if k < n:
        return k
    warn_user(
        f"n_neighbors={k} is more than the {n - 1} other samples each sample of X has; "
        f"n_neighbors={n - 1} is used.",
    )
    return n - 1


def mean_distance(X: Any, n_rows: int | None = None) -> float:
    """Mean of all n^2 entries of the matrix of (unsquared) distances, zero diagonal included.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    n_rows : int, optional
        Average over the distances of so many rows to all, evenly spaced, where there are more.

    Notes
    -----
    Cost O(n^2 d), with `n_rows` O(n_rows n d); memory a block of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import mean_distance
    >>> mean_distance(np.array([[0.0], [2.0]]))
    1.0
    """
    check_sparse(X)
    X = floating(X)
    n = X.shape[0]
    m = n if n_rows is None else min(n, n_rows)
    if m == n and not sp.issparse(X):
        return 2 * _sum_of_distances(_near_its_center(X)) / (n * n)
    total = 0.0
    for rows, products, norms in _products(_centered(X), np.arange(m) * n // m):
        squared = norms[rows, None] + norms - 2.0 * products
        squared[np.arange(len(rows)), rows] = 0.0
        total += float(np.sqrt(np.maximum(squared, 0.0)).sum())
    return total / (m * n)


def _sum_of_distances(X: NDArray[Any]) -> float:
    """Sum of the distances of all pairs of rows."""
    norms = _norms(X)
    total = 0.0
    for first in range(0, len(X), TILE_ROWS):
        products = X[first : first + TILE_ROWS] @ X[first:].T
        total += sum_of_distances(products, norms[first:])
    return total


def distances_on(pattern: sp.csr_array, Z: NDArray[Any]) -> sp.csr_array:
    """Squared distances ``||z_i - z_j||^2`` for the stored entries (i, j) of a sparse matrix.

    Parameters
    ----------
    pattern : csr_array of shape (n, n)
        Its values are not used.
    Z : ndarray of shape (n, c)

    Returns
    -------
    csr_array of shape (n, n)
        The pattern's entries, explicit zeros among them.

    Notes
    -----
    Cost O(nnz c), no further memory.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from sksieve.graphs import distances_on
    >>> distances_on(sp.csr_array([[0, 1], [0, 0]]), np.array([[0.0], [3.0]])).toarray()
    array([[0., 9.],
           [0., 0.]])
    """
    check_sparse(pattern, "pattern")
    out = np.empty(len(pattern.indices), dtype=Z.dtype)
    distances_of_pairs(pattern.indptr, pattern.indices, Z, out)
    return sp.csr_array((out, pattern.indices, pattern.indptr), shape=pattern.shape)


def with_equal_ties(V: sp.csr_array, Z: NDArray[Any]) -> sp.csr_array:
    """Squared distances of which those of a row that are equal up to rounding are equal.

    For choices among them that must not depend on rounding: ties then go by index.

    Parameters
    ----------
    V : csr_array of shape (n, n)
        Distances between rows of Z, as `distances_on` gives them.
    Z : ndarray of shape (n, c)
        Near its mean, so that the length of a row tells what its rounding is.

    Returns
    -------
    csr_array of shape (n, n)
        With the pattern of V.

    Notes
    -----
    Cost O(nnz log nnz).

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from sksieve.graphs import with_equal_ties
    >>> V = sp.csr_array([[0.0, 2.0 + 1e-15, 2.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> with_equal_ties(V, np.array([[1.0], [0.0], [0.0]])).data
    array([2., 2., 1., 1.])
    """
    check_sparse(V, "V")
    data = V.data.astype(np.float64)
    snap_rows(data, V.indptr, np.einsum("ij,ij->i", Z, Z, dtype=np.float64), Z.shape[1])
    return sp.csr_array((data.astype(V.dtype, copy=False), V.indices, V.indptr), shape=V.shape)


def _sorted_rows(X: Any) -> Any:
    """CSR with ascending column indices and no duplicates; dense arrays C-contiguous."""
    if not sp.issparse(X):
        return np.ascontiguousarray(X)
    return in_one_part(sp.csr_array(X))


def _both_forms(X: Any) -> tuple[Any, Any, Any, Any]:
    """The rows as the kernel takes them: dense, or data, indices and indptr."""
    if sp.issparse(X):
        index = X.indices.astype(np.int64, copy=False), X.indptr.astype(np.int64, copy=False)
        return np.empty((0, 0), dtype=X.dtype), X.data, *index
    none = np.empty(0, dtype=np.int64)
    return X, np.empty(0, dtype=X.dtype), none, none


def _near_its_center(X: Any) -> Any:
    """The rows less their mean: distances stay, rounding does not.

    X itself where it is sparse, or the mean is small compared with the spread.
    """
    if sp.issparse(X):
        return X
    center = X.mean(axis=0)
    far = len(X) * np.vdot(center, center) > 1e-2 * np.vdot(X, X)
    return X - center if far else X


def _norms(X: Any) -> NDArray[np.float64]:
    """Squared lengths of the rows."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1, dtype=np.float64)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def _centered(X: Any) -> tuple[Any, NDArray[np.float64]]:
    """The rows, near their center where X is dense, and their squared norms."""
    X = _near_its_center(X)
    return X, _norms(X)


def _products(
    centered: tuple[Any, NDArray[np.float64]],
    chosen: NDArray[np.int64],
    block_bytes: int = BLOCK_BYTES,
) -> Iterator[tuple[NDArray[np.int64], NDArray[Any], NDArray[np.float64]]]:
    """Blocks of the `chosen` rows, their XX', and all squared norms.

    All blocks lie in one buffer: a block is gone with the next.
    """
    X, norms = centered
    n = X.shape[0]
    step = min(len(chosen), max(1, block_bytes // (8 * n)))
    buffer = np.empty((step, n), dtype=X.dtype)
    for first in range(0, len(chosen), step):
        rows = chosen[first : first + step]
        block = buffer[: len(rows)]
        if sp.issparse(X):
            (X[rows] @ X.T).toarray(out=block)
        else:
            np.matmul(X[rows], X.T, out=block)
        yield rows, block, norms
