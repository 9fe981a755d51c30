"""Second moments of tall data in one pass: the Gram matrix, and what centering needs.

Data are added up in blocks of rows around a fixed shift (the mean of the first dense block), so
that the centered Gram matrix does not suffer when the mean is large compared with the spread.
Memory: one block, one d x d array.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import as_float, dense, row_blocks
from .._typing import Array
from ._scaling import column_range, is_constant

#: Density from which dense blocks of CSR rows are multiplied faster than CSR: in double precision,
#: and where single precision is exact (``benchmarks/columns_scale.py gram``).
DENSE, DENSE_EXACT = 0.05, 0.035
#: Rows of a dense block: enough that adding its products takes little beside forming them.
DENSE_ROWS = 2048
#: Fewer rows at a time than this are not worth single precision.
EXACT_ROWS = 256


class Moments(NamedTuple):
    """Sufficient statistics of the rows seen so far.

    Attributes
    ----------
    n_samples : int
        Number of rows.
    shift : ndarray of shape (d,)
        The fixed point c the sums are taken around.
    sums : ndarray of shape (d,)
        ``sum_i (x_i - c)``.
    products : ndarray of shape (d, d)
        ``sum_i (x_i - c)(x_i - c)'``.
    low, high : ndarray of shape (d,)
        Smallest and largest value of each column.
    """

    n_samples: int
    shift: Array
    sums: Array
    products: Array
    low: Array
    high: Array

    def take(self, columns: NDArray[np.intp]) -> Moments:
        """Moments of some of the columns."""
        return Moments(
            self.n_samples,
            self.shift[columns],
            self.sums[columns],
            self.products[np.ix_(columns, columns)],
            self.low[columns],
            self.high[columns],
        )


def empty_moments(shift: Array) -> Moments:
    """Moments of no rows, around `shift`."""
    d = shift.shape[0]
    return Moments(
        n_samples=0,
        shift=np.array(shift, dtype=np.float64),
        sums=np.zeros(d),
        products=np.zeros((d, d)),
        low=np.full(d, np.inf),
        high=np.full(d, -np.inf),
    )


def moments(X: Any, start: Moments | None = None) -> Moments:
    """Add the rows of `X` to `start`.

    Parameters
    ----------
    X : ndarray, memmap, CSR, dask array, or iterator of row blocks, (n, d)
        Read once, block by block.
    start : Moments, optional
        What came before; not modified.

    Returns
    -------
    Moments

    Notes
    -----
    Cost O(n d^2) (O(sum of squared row counts) for CSR of low density), memory one block and two
    d x d arrays. Rows of CSR are multiplied as dense blocks from a density of 5 % on; where they
    are small integers (counts) from 3.5 % on, in single precision, which is exact there.
    """
    total = start
    for block in row_blocks(X):
        block = as_float(block)
        if total is None:
            center = np.zeros(block.shape[1]) if sp.issparse(block) else block.mean(axis=0)
            total = empty_moments(center)
        elif total is start:
            total = total._replace(sums=total.sums.copy(), products=total.products.copy())
        with np.errstate(over="ignore", invalid="ignore"):  # `refuse_magnitude` says so in words
            total = _add_block(total, block)
    if total is None:
        raise ValueError("X has no row blocks; give at least one.")
    return total


def _add_block(total: Moments, block: Any) -> Moments:
    """Add one block, to the sums in place (the caller owns them)."""
    if not block.shape[0]:
        return total
    low, high = column_range(block)
    if sp.issparse(block):
        total = _unshifted(total)
        _add_sparse(total.products, block)
        total.sums[:] += np.asarray(block.sum(axis=0)).ravel()
    else:
        block = block - total.shift
        total.products[:] += block.T @ block
        total.sums[:] += block.sum(axis=0)
    return total._replace(
        n_samples=total.n_samples + block.shape[0],
        low=np.minimum(total.low, low),
        high=np.maximum(total.high, high),
    )


def _add_sparse(products: Array, block: Any) -> None:
    """Add ``X'X`` for CSR rows X: by dense blocks of them unless X is very sparse."""
    m, n = block.shape
    density = block.nnz / (m * n)
    exact = _exact_rows(block) if density > DENSE_EXACT else 0
    if exact < EXACT_ROWS and density <= DENSE:
        product = sp.csr_array(block.T @ block)
        for rows in _row_slices(n):
            products[rows] += product[rows].toarray()
        return
    step = DENSE_ROWS
    if exact >= EXACT_ROWS:
        block, step = block.astype(np.float32), min(step, exact)
    for first in range(0, m, step):
        D = block[first : first + step].toarray()
        products += D.T @ D


def _exact_rows(block: Any) -> int:
    """How many rows can be multiplied in single precision without rounding; 0 if none.

    Sums of integers are exact as long as none is above ``2**24``.
    """
    largest = np.abs(block.data).max(initial=0.0)
    if not 0 < largest <= 2**12 or not block.has_canonical_format:
        return 0
    return int(2**24 / largest**2) if (block.data == np.rint(block.data)).all() else 0


def _unshifted(total: Moments) -> Moments:
    """The same moments around zero, where sparse rows can be added without filling in."""
    if not total.shift.any():
        return total
    c, s, n = total.shift, total.sums, total.n_samples
    products = total.products + np.outer(s, c) + np.outer(c, s) + n * np.outer(c, c)
    return total._replace(shift=np.zeros_like(c), sums=s + n * c, products=products)


def gram(m: Moments, scale: str = "standard") -> tuple[Array, Array, Array]:
    """Gram matrix of the scaled data, from the moments alone.

    Parameters
    ----------
    m : Moments
        Of the raw data.
    scale : {"standard", "unit", "none"}
        See `sksieve.tables`; under ``"standard"`` the products are divided by n as well, so that G
        is the correlation matrix.

    Returns
    -------
    G : ndarray of shape (d, d)
        ``A'A`` of the scaled data, exactly symmetric. A zero column, and under ``"standard"`` a
        constant one (or one whose variance is lost in the rounding of the sums), has a zero row and
        column.
    center : ndarray of shape (d,)
        What was subtracted from each column.
    divisor : ndarray of shape (d,)
        What each column was divided by; 1 for zero columns.
    """
    n, c, s = m.n_samples, m.shift, m.sums
    G = m.products.copy()
    center = np.zeros_like(c)
    for rows in _row_slices(len(c)):  # in parts: no second array of this size
        if scale == "standard":
            G[rows] -= np.outer(s[rows], s) / n
        else:
            G[rows] += np.outer(s[rows], c)
            G[rows] += np.outer(c[rows], s)
            G[rows] += n * np.outer(c[rows], c)
    norm2 = np.diagonal(G).copy()
    if scale == "standard":
        center = c + s / n
        lost = norm2 <= n * np.finfo(float).eps * np.diagonal(m.products)
        zero = is_constant(m.low, m.high) | lost
    else:
        zero = norm2 <= 0
    symmetrize(G)
    G[zero, :] = 0.0
    G[:, zero] = 0.0
    divisor = np.ones_like(c)
    if scale != "none":
        divisor[~zero] = np.sqrt(norm2[~zero])
        for rows in _row_slices(len(c)):
            G[rows] /= np.outer(divisor[rows], divisor)  # one division, so that G stays symmetric
        G[np.diag_indices_from(G)] = np.where(zero, 0.0, 1.0)
    return G, center, divisor


def symmetrize(G: Array) -> None:
    """Replace G by ``(G + G') / 2``, in place.

    Parameters
    ----------
    G : ndarray of shape (d, d)

    Examples
    --------
    >>> import numpy as np
    >>> G = np.array([[1.0, 2.0], [4.0, 3.0]])
    >>> symmetrize(G)
    >>> G
    array([[1., 3.],
           [3., 3.]])
    """
    slices = list(_row_slices(G.shape[0]))
    for i, rows in enumerate(slices):
        for columns in slices[i:]:
            mean = (G[rows, columns] + G[columns, rows].T) / 2
            G[rows, columns] = mean
            G[columns, rows] = mean.T


def _row_slices(d: int, step: int = 256) -> Iterator[slice]:
    for start in range(0, d, step):
        yield slice(start, min(start + step, d))


def square(G: Array, A: Any = None) -> Array:
    """``F = G^2`` for ``G = A'A``; through the smaller side, ``A'(AA')A``, when A has fewer rows.

    Cost O(d^3), or O(m d^2) when A (m x d, m < d, dense or CSR) is given.
    """
    if A is None or A.shape[0] >= A.shape[1]:
        F = G @ G
    else:
        F = A.T @ ((A @ A.T) @ A)
        F = dense(F)
    symmetrize(F)
    return F
