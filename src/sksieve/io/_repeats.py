"""Columns that repeat another: equal to it, or to a multiple of it plus a constant.

All pairs of d columns would cost O(n d^2). Instead every column without gaps is centered, scaled to
length 1 and multiplied by one random vector: columns that repeat each other give the same number up
to its sign, and only neighbors in the sorted numbers are compared. Columns with gaps are compared
with all others, on the rows where both have values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import as_float, dense

#: Products that columns with gaps may cost.
PRODUCTS = 1e9
#: Numbers of two columns closer than this may be equal; a repeated column has no larger error, as a
#: part of its length.
NEAR, EXACT = 1e-7, 1e-9


class Repeat(NamedTuple):
    """Column `j` is ``slope * column i + offset``."""

    j: int
    i: int
    slope: float
    offset: float

    def text(self, names: Any) -> str:
        """The formula.

        Examples
        --------
        >>> Repeat(1, 0, 1.8, 32.0).text(["C", "F"]), Repeat(1, 0, -1.0, 1.0).text(["m", "f"])
        ('F = 1.8 C + 32', 'f = 1 - m')
        """
        times = "" if abs(self.slope) == 1 else f"{abs(self.slope):.4g} "
        term, name, offset = f"{times}{names[self.i]}", names[self.j], f"{abs(self.offset):.4g}"
        if not self.offset:
            return f"{name} = {'-' if self.slope < 0 else ''}{term}"
        if self.slope < 0:
            return f"{name} = {'-' if self.offset < 0 else ''}{offset} - {term}"
        return f"{name} = {term} {'+' if self.offset > 0 else '-'} {offset}"


def repeats(X: Any) -> list[Repeat]:
    """Columns that repeat an earlier one, each once.

    Parameters
    ----------
    X : {ndarray, CSR} of shape (n_samples, n_features)
        NaN where a value is missing.

    Returns
    -------
    list of Repeat
        By `j`; `i` is the first column of those that repeat each other.
    """
    columns = sp.csc_array(X) if sp.issparse(X) else X
    first: dict[int, Repeat] = {}
    for j, earlier in _candidates(columns):
        for i in earlier:
            if i in first:  # the column that it repeats is compared
                continue
            if (repeat := _relation(_column(columns, i), _column(columns, j), i, j)) is not None:
                first.setdefault(j, repeat)
                break
    return [first[j] for j in sorted(first)]


def _column(columns: Any, j: int) -> NDArray[np.float64]:
    return as_float(dense(columns[:, [j]]).ravel())


def _candidates(columns: Any) -> Iterator[tuple[int, list[int]]]:
    """Columns with the earlier ones that each may repeat."""
    n, d = columns.shape
    direction = np.random.RandomState(0).standard_normal(n)
    numbers, gaps = np.full(d, np.nan), []
    for j in range(d):
        column = _column(columns, j)
        if np.isnan(column).any():
            gaps.append(j)
            continue
        scale = np.abs(column).max()
        z = column / (scale or 1.0)
        z -= z.mean()
        norm = np.linalg.norm(z)
        if norm > EXACT:
            numbers[j] = abs(direction @ z) / norm
    order = np.argsort(numbers, kind="stable")
    order = order[~np.isnan(numbers[order])]
    is_near = np.diff(numbers[order]) < NEAR
    for run in np.split(order, np.flatnonzero(~is_near) + 1):
        members = sorted(run.tolist())
        yield from ((j, members[:k]) for k, j in enumerate(members) if k)
    if float(n) * len(gaps) * d <= PRODUCTS:
        for j in gaps:
            for i in _alike(columns, j):
                yield max(i, j), [min(i, j)]


def _alike(columns: Any, j: int) -> list[int]:
    """Columns that are correlated without error with one that has gaps."""
    own = _column(columns, j)
    rows = ~np.isnan(own)
    part = columns[rows]
    part = as_float(dense(part))
    has = ~np.isnan(part)
    counts = has.sum(axis=0)
    X = np.where(has, part, 0.0)
    X = X / np.maximum(np.abs(X).max(axis=0, initial=0.0), np.finfo(float).tiny)
    y = own[rows] / max(np.abs(own[rows]).max(), np.finfo(float).tiny)
    X = np.where(has, X - X.sum(axis=0) / np.maximum(counts, 1), 0.0)
    mean = y @ has / np.maximum(counts, 1)
    product = y @ X
    norms = np.sqrt(np.sum(X**2, axis=0) * np.maximum((y**2) @ has - counts * mean**2, 0.0))
    enough = (2 * counts >= columns.shape[0]) & (norms > 0)
    found = enough & (np.abs(product) >= (1 - NEAR) * norms)
    return [i for i in np.flatnonzero(found).tolist() if i != j]


def _relation(x: NDArray[np.float64], y: NDArray[np.float64], i: int, j: int) -> Repeat | None:
    """Column j as a multiple of column i plus a constant, None where it is not."""
    rows = ~(np.isnan(x) | np.isnan(y))
    x, y = x[rows], y[rows]
    if len(x) < 3:
        return None
    if np.array_equal(x, y):
        return Repeat(j, i, 1.0, 0.0) if np.ptp(x) > 0 else None
    u, v = x - x.mean(), y - y.mean()
    square, size = float(u @ u), float(v @ v)
    if not square or not size:
        return None
    slope = float(u @ v) / square
    if float(np.linalg.norm(v - slope * u)) > EXACT * np.sqrt(size):
        return None
    offset = float(y.mean() - slope * x.mean())
    return Repeat(j, i, slope, 0.0 if abs(offset) < EXACT * np.abs(y).max() else offset)
