"""Second moments of tall data in one pass: the Gram matrix, and what centring needs.

Data are added up in blocks of rows around a fixed shift (the mean of the first dense block), so
that the centred Gram matrix does not suffer when the mean is large beside the spread. Memory: one
block, one d x d array.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import as_float, row_blocks

__all__ = ["Moments", "empty_moments", "gram", "merge_moments", "moments", "square"]

Array = NDArray[np.float64]


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
    """

    n_samples: int
    shift: Array
    sums: Array
    products: Array


def empty_moments(shift: Array) -> Moments:
    """Moments of no rows, around `shift`."""
    d = shift.shape[0]
    return Moments(0, np.array(shift, dtype=np.float64), np.zeros(d), np.zeros((d, d)))


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
    Cost O(n d^2) (O(sum of squared row counts) for CSR), memory one block and two d x d arrays.
    """
    total = start
    for block in row_blocks(X):
        block = as_float(block)
        if total is None:
            centre = np.zeros(block.shape[1]) if sp.issparse(block) else block.mean(axis=0)
            total = empty_moments(centre)
        elif total is start:
            total = Moments(total.n_samples, total.shift, total.sums.copy(), total.products.copy())
        total = _add_block(total, block)
    if total is None:
        raise ValueError("X has no row blocks; give at least one.")
    return total


def _add_block(total: Moments, block: Any) -> Moments:
    """Add one block in place (the caller owns `total`)."""
    if sp.issparse(block):
        total = _unshifted(total)
        product = (block.T @ block).tocoo()
        total.products[product.row, product.col] += product.data  # each entry once
        total.sums[:] += np.asarray(block.sum(axis=0)).ravel()
    else:
        block = block - total.shift
        total.products[:] += block.T @ block
        total.sums[:] += block.sum(axis=0)
    return total._replace(n_samples=total.n_samples + block.shape[0])


def _unshifted(total: Moments) -> Moments:
    """The same moments around zero, where sparse rows can be added without filling in."""
    if not total.shift.any():
        return total
    c, s, n = total.shift, total.sums, total.n_samples
    products = total.products + np.outer(s, c) + np.outer(c, s) + n * np.outer(c, c)
    return Moments(n, np.zeros_like(c), s + n * c, products)


def merge_moments(a: Moments, b: Moments) -> Moments:
    """Moments of the rows of `a` and `b` together (for data spread over machines)."""
    delta = b.shift - a.shift
    products = b.products + np.outer(b.sums, delta) + np.outer(delta, b.sums)
    products += b.n_samples * np.outer(delta, delta)
    sums = a.sums + b.sums + b.n_samples * delta
    return Moments(a.n_samples + b.n_samples, a.shift, sums, a.products + products)


def gram(m: Moments, scale: str = "unit") -> tuple[Array, Array, Array]:
    """Gram matrix of the scaled data, from the moments alone.

    Parameters
    ----------
    m : Moments
        Of the raw data.
    scale : {"unit", "standard", "none"}
        ``"unit"``: columns of unit l2 norm, not centred. ``"standard"``: centred, unit variance,
        divided by sqrt(n), that is centred columns of unit norm: G is the correlation matrix.
        ``"none"``: A'A as it is.

    Returns
    -------
    G : ndarray of shape (d, d)
        ``A'A`` of the scaled data, exactly symmetric. A column that is zero after centring
        (constant, up to rounding) has a zero row and column.
    centre : ndarray of shape (d,)
        What was subtracted from each column.
    divisor : ndarray of shape (d,)
        What each column was divided by; 1 for zero columns.
    """
    n, c, s = m.n_samples, m.shift, m.sums
    if scale == "standard":
        centre = c + s / n
        G = m.products - np.outer(s, s) / n
        eps = np.finfo(float).eps
        floor = n * np.maximum((64 * eps * np.abs(centre)) ** 2, eps * np.diagonal(m.products))
    else:
        centre = np.zeros_like(c)
        G = m.products + np.outer(s, c) + np.outer(c, s) + n * np.outer(c, c)
        floor = np.zeros_like(c)
    G = (G + G.T) / 2
    norm2 = np.diagonal(G).copy()
    zero = norm2 <= floor
    G[zero, :] = 0.0
    G[:, zero] = 0.0
    divisor = np.ones_like(c)
    if scale != "none":
        divisor[~zero] = np.sqrt(norm2[~zero])
        G /= np.outer(divisor, divisor)  # one division, so that G stays symmetric
        G[np.diag_indices_from(G)] = np.where(zero, 0.0, 1.0)
    return G, centre, divisor


def square(G: Array, A: Any = None) -> Array:
    """``F = G^2`` for ``G = A'A``; through the smaller side, ``A'(AA')A``, when A has fewer rows.

    Cost O(d^3), or O(m d^2) when A (m x d, m < d, dense or CSR) is given.
    """
    if A is None or A.shape[0] >= A.shape[1]:
        F = G @ G
    else:
        F = A.T @ ((A @ A.T) @ A)
        F = F.toarray() if sp.issparse(F) else F
    return (F + F.T) / 2
