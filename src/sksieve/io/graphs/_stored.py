"""Graphs stored as matrices or arrays: Matrix Market, NPY, NPZ, MAT, and those of the catalogue."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...datasets import find, load
from ...exceptions import DataError
from .._source import Source
from ..tables import PREFIX, Numbered, ReadOptions, Table, read_with
from ..tables._arrays import as_strings
from ..tables._numpy import SPARSE_PARTS, NpzFile, opened_npz, read_npy, read_npz
from ._arrays import arcs_of_array, arcs_of_pairs
from ._graph import Arcs, GraphReading

#: Arrays of an NPZ file that are the matrix, whatever else is beside them.
MATRICES = ("adjacency", "affinity", "A", "W")
NAMES = ("node_names", "names", "vertex_names", "labels_of_nodes", "feature_names")


def read_matrix(data: str, reading: GraphReading) -> Arcs:
    """Matrix Market or MAT."""
    return _matrix(read_with(data, ReadOptions(name=reading.name)))


def read_numpy(source: Source, reading: GraphReading) -> Arcs:
    """NPY: a square matrix, or edges with two or three columns."""
    table = read_npy(source, ReadOptions())
    m, n = table.shape
    if m != n and n in (2, 3):
        X = np.asarray(table.data)
        return arcs_of_pairs(table, X[:, :2], X[:, 2] if n == 3 else None, None, 0)
    return _matrix(table)


def read_npz_graph(source: Source, reading: GraphReading) -> Arcs:
    """NPZ: a sparse matrix as SciPy writes it, a square array, or an array ``edges``."""
    with opened_npz(source) as stored:
        if "edges" in stored.headers and reading.name in (None, "edges"):
            return _listed(source, stored)
        keys = set(stored.headers)
    name = reading.name
    if name is None and not SPARSE_PARTS < keys:
        name = next((key for key in MATRICES if key in keys), None)
    return _matrix(read_npz(source, ReadOptions(name=name)))


def _listed(source: Source, stored: NpzFile) -> Arcs:
    """Pairs of vertex numbers, with weights, names and the number of vertices beside them."""
    edges = stored.read("edges")
    parts = {key: stored.read(key) for key in ("n_nodes", "weights", "y", *NAMES)
             if key in stored.headers}  # fmt: skip
    n = np.ravel(parts.get("n_nodes", 0))
    if n.size != 1 or n.dtype.kind not in "iu":
        raise DataError(f"{source.name}: 'n_nodes' is not one whole number.")
    key = next((key for key in NAMES if key in parts), None)
    names = None if key is None else as_strings(parts[key])
    side = {"y": parts["y"]} if "y" in parts else {}
    table = Table(source.name, edges, [], source.sha256(), side=side)
    return arcs_of_pairs(table, edges, parts.get("weights"), names, int(n[0]))


def _matrix(table: Table) -> Arcs:
    m, n = table.shape
    if m != n:
        raise DataError(
            f"{table.name} is a matrix of {m:,} x {n:,}; an adjacency matrix is square (a table "
            "of samples goes to: sksieve cluster)."
        )
    if not m:
        raise DataError(f"{table.name} has no vertices: its matrix is 0 x 0.")
    key = next((key for key in NAMES if key in table.side), None)
    named = not isinstance(table.columns, Numbered)
    names = list(table.columns) if named else [str(k) for k in range(n)]
    if key is not None and not named:
        names = as_strings(table.side[key])
    side = {k: a for k, a in table.side.items() if k not in NAMES}
    return replace(arcs_of_array(table, [str(name) for name in names]), side=side)


def read_named_graph(name: str) -> Arcs:
    """A graph of the catalogue: ``dataset:NAME``."""
    record = find(name)
    if record.kind != "graph":
        raise DataError(
            f"The data set {record.name!r} is a table, not a graph; find groups of its samples "
            f"with: sksieve cluster {PREFIX}{record.name}"
        )
    content = load(record.name)
    assert record.path is not None
    sha256 = hashlib.sha256(record.path.read_bytes()).hexdigest()
    A: Any = sp.csr_array(content.adjacency)
    table = Table(f"{PREFIX}{record.name}", A, [], sha256, side={"y": content.y})
    return arcs_of_array(table, [str(node) for node in content.node_names])
