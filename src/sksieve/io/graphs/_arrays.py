"""Graphs as arrays: a matrix, or pairs of vertex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._memory import require_memory
from ..._wording import counted
from ...exceptions import DataError
from ..tables import Table
from ._graph import Arcs

#: Bytes that a vertex takes beside its edges: its name, and a row of a few matrices.
VERTEX_BYTES = 200


def arcs_of_array(table: Table, names: list[str]) -> Arcs:
    """The entries of a square matrix, dense or sparse."""
    X = table.data
    n_entries = X.nnz if sp.issparse(X) else np.count_nonzero(X)
    require_memory(
        VERTEX_BYTES * len(names) + 80.0 * n_entries,
        f"{table.name}, a graph of {len(names):,} vertices,",
        "Leave out weak edges.",
    )
    A = sp.coo_array(X)
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
    if edges.dtype.kind not in "iuf":
        raise DataError(f"{table.name}: edges are pairs of vertex numbers, not {edges.dtype}.")
    ends = np.asarray(edges, dtype=np.float64)
    if not np.all(np.isfinite(ends)) or not np.all(ends == np.floor(ends)) or ends.min() < 0:
        raise DataError(f"{table.name}: vertices are whole numbers from 0; the edges hold others.")
    n = max(n, int(ends.max()) + 1)
    require_memory(
        VERTEX_BYTES * n,
        f"{table.name}, a graph of {n:,} vertices,",
        "Number the vertices from 0 without gaps, or name them in an edge list.",
    )
    i, j = ends.T.astype(np.intp)
    if names is not None and len(names) != n:
        names = None
    values = np.ones(len(ends)) if weights is None else np.asarray(weights, dtype=np.float64)
    if values.shape != (len(ends),):
        raise DataError(
            f"{table.name}: {counted(len(values), 'weight')} for {counted(len(ends), 'edge')}."
        )
    side = {key: a for key, a in table.side.items() if len(a) == n}
    return Arcs(
        table.name,
        names or [str(k) for k in range(n)],
        i,
        j,
        values,
        table.sha256,
        "list",
        side=side,
    )
