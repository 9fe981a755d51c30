"""A graph as an image of cells, its vertices ordered by group: never an n x n array."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

#: Graphs of so few vertices are shown entry by entry.
SMALL = 200
#: Cells to a side, at least; and for each square root of the number of entries.
LEAST, PER_ROOT = 120, 1.5
#: Quantile of the weights that gets the darkest color.
DARKEST = 0.99


def n_cells(A: Any, limit: int) -> int:
    """A number of cells to a side at which a graph looks neither blurred nor like dust.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from sksieve.evaluation._binned import n_cells
    >>> n_cells(sp.eye_array(150), 600), n_cells(sp.eye_array(10000), 600)
    (150, 150)
    """
    n = A.shape[0]
    if n <= SMALL:
        return n
    if not sp.issparse(A):
        return min(n, limit)
    return int(min(n, limit, max(LEAST, PER_ROOT * A.nnz**0.5)))


def binned_adjacency(
    A: Any, labels: ArrayLike, n_bins: int = 600
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The mean weight in each of ``n_bins x n_bins`` cells, vertices in the order of their labels.

    Parameters
    ----------
    A : ndarray or sparse of shape (n, n)
        Weights. The diagonal is left out.
    labels : array-like of shape (n,)
        Vertices of one label stand together, in their own order.
    n_bins : int, default=600
        A graph of no more vertices is shown entry by entry.

    Returns
    -------
    means : ndarray of shape (m, m)
        m the smaller of n and n_bins. Sums are taken over all pairs of a cell, those without an
        edge too.
    edges : ndarray of shape (K - 1,)
        Where in the order a new label begins, counted in vertices.

    Notes
    -----
    Cost O(edges) and memory O(edges + m^2): a sparse A is never filled in.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.evaluation._binned import binned_adjacency
    >>> A = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    >>> binned_adjacency(A, [0, 1, 0])
    (array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]]), array([2]))
    """
    labels = np.asarray(labels)
    n = len(labels)
    if A.ndim != 2 or A.shape != (n, n):
        raise ValueError(
            f"A must have a row and a column for each of the {n} labels; got shape {A.shape}."
        )
    m = min(n, n_bins)
    order = np.argsort(labels, kind="stable")
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n)
    cell = place * m // n
    edges = np.flatnonzero(np.diff(labels[order])) + 1
    sums = np.zeros((m, m))
    if sp.issparse(A):
        A = A.tocoo()
        i, j = A.coords
        apart = i != j
        into = cell[i[apart]] * m + cell[j[apart]]
        sums[:] = np.bincount(into, A.data[apart], m * m).reshape(m, m)
    elif not isinstance(A, np.ndarray):  # not written out: only products are available
        C = np.zeros((n, m))
        C[np.arange(n), cell] = 1.0
        sums[:] = C.T @ np.asarray(A @ C, dtype=np.float64)
        sums -= np.diag(np.bincount(cell, A.diagonal(), m))
    else:
        firsts = np.searchsorted(cell[order], np.arange(m))
        for r, rows in enumerate(np.split(order, firsts[1:])):
            rows_of_cell = np.asarray(A[rows], dtype=np.float64)
            rows_of_cell[np.arange(len(rows)), rows] = 0.0
            sums[r] = np.add.reduceat(rows_of_cell.sum(axis=0)[order], firsts)
    height = np.bincount(cell, minlength=m).astype(float)
    pairs = np.outer(height, height) - np.diag(height)
    return sums / np.where(pairs > 0, pairs, 1.0), edges


def darkest(means: NDArray[np.float64]) -> float:
    """The weight that gets the darkest color: the 99th percentile of the cells that have any."""
    some = means[means > 0]
    return float(np.quantile(some, DARKEST)) if some.size else 1.0
