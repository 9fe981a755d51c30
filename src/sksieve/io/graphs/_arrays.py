"""Graphs as arrays: a matrix, or pairs of vertex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...exceptions import DataError
from .._messages import counted
from ..tables import Table
from ._graph import Arcs

__all__ = ["arcs_of_array", "arcs_of_pairs"]


def arcs_of_array(table: Table, names: list[str]) -> Arcs:
    """The entries of a square matrix, dense or sparse."""
    A = sp.coo_array(table.data)
    A.sum_duplicates()
    i, j = (axis.astype(np.intp) for axis in A.coords)
    weights = A.data if A.dtype.kind == "f" else A.data.astype(np.float64)
    return Arcs(
        table.name,
        names,
        i,
        j,
        weights,
        table.sha256,
        "matrix",
        table.hashed,
        side=table.side,
        notes=tuple(table.notes),
    )


def arcs_of_pairs(
    table: Table, edges: NDArray[Any], weights: NDArray[Any] | None, names: list[str] | None, n: int
) -> Arcs:
    """The arcs of an array of pairs of vertex numbers.

    Parameters
    ----------
    table : Table
        For its name, hash and side arrays.
    edges : ndarray of shape (m, 2)
        Whole numbers from 0.
    weights : ndarray of shape (m,) or None
    names : list of str or None
    n : int
        Number of vertices; at least the largest number there is is added to it.
    """
    if edges.ndim != 2 or edges.shape[1] != 2 or not len(edges):
        raise DataError(
            f"{table.name}: edges need one row of two vertices each; the array has shape "
            f"{edges.shape}."
        )
    ends = np.asarray(edges, dtype=np.float64)
    if not np.all(ends == np.floor(ends)) or ends.min() < 0:
        raise DataError(f"{table.name}: vertices are whole numbers from 0; the edges hold others.")
    i, j = ends.T.astype(np.intp)
    n = max(n, int(ends.max()) + 1)
    if names is not None and len(names) != n:
        names = None
    values = np.ones(len(ends)) if weights is None else np.asarray(weights, dtype=np.float64)
    if values.shape != (len(ends),):
        raise DataError(
            f"{table.name}: {counted(len(values), 'weight')} for {counted(len(ends), 'edge')}."
        )
    known = names or [str(k) for k in range(n)]
    side = {key: a for key, a in table.side.items() if len(a) == n}
    return Arcs(table.name, known, i, j, values, table.sha256, "list", side=side)
