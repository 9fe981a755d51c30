"""Graphs stored as matrices or arrays: Matrix Market, NPY, NPZ, MAT, and those of the catalogue."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...datasets import find, load
from ...exceptions import DataError
from .._messages import damaged
from .._source import Source
from ..tables import PREFIX, ReadOptions, Table, read_with
from ..tables._arrays import as_strings
from ..tables._numpy import SPARSE_PARTS, read_npy, read_npz
from ._arrays import arcs_of_array, arcs_of_pairs
from ._graph import Arcs, GraphReading

__all__ = ["read_matrix", "read_named_graph", "read_npz_graph", "read_numpy"]

#: Arrays of an NPZ file that are the matrix, whatever else is beside them.
MATRICES = ("adjacency", "affinity", "A", "W")
NAMES = ("node_names", "names", "vertex_names", "labels_of_nodes", "feature_names")


def read_matrix(data: str, reading: GraphReading) -> Arcs:
    """Matrix Market or MAT."""
    table = read_with(data, ReadOptions(name=reading.name))
    if data.lower().endswith(".mat"):
        loading = (
            "from scipy.io import loadmat",
            "import scipy.sparse as sp",
            f"A = sp.csr_array(loadmat({data!r})[{table.array!r}])",
        )
    else:
        loading = (
            "from scipy.io import mmread",
            "import scipy.sparse as sp",
            f"A = sp.csr_array(mmread({data!r}))",
        )
    return replace(_matrix(table), loading=loading)


def read_numpy(source: Source, reading: GraphReading) -> Arcs:
    """NPY: a square matrix, or edges with two or three columns."""
    table = read_npy(source, ReadOptions())
    m, n = table.shape
    imports = ("import numpy as np", "import scipy.sparse as sp")
    made = f"np.load({str(source.path)!r}, allow_pickle=False)"
    if m != n and n in (2, 3):
        X = np.asarray(table.data)
        arcs = arcs_of_pairs(table, X[:, :2], X[:, 2] if n == 3 else None, None, 0)
        values = "E[:, 2]" if n == 3 else "np.ones(len(E))"
        return replace(arcs, loading=(*imports, f"E = {made}", *_from_pairs(arcs, values)))
    return replace(_matrix(table), loading=(*imports, f"A = sp.csr_array({made})"))


def _from_pairs(arcs: Arcs, values: str) -> tuple[str, ...]:
    n = len(arcs.names)
    return (
        f"ends = tuple(E[:, :2].astype(int).T)\nA = sp.coo_array(({values}, ends), "
        f"shape=({n}, {n})).tocsr()",
    )


def read_npz_graph(source: Source, reading: GraphReading) -> Arcs:
    """NPZ: a sparse matrix as SciPy writes it, a square array, or an array ``edges``."""
    keys = _keys(source)
    path = repr(str(source.path))
    if "edges" in keys and reading.name in (None, "edges"):
        return _listed(source, keys)
    name = reading.name
    sparse = SPARSE_PARTS < keys and name is None
    if name is None and not sparse:
        name = next((key for key in MATRICES if key in keys), None)
    table = read_npz(source, ReadOptions(name=name))
    loading: tuple[str, ...]
    if sparse:
        loading = (
            "import scipy.sparse as sp",
            f"A = sp.csr_array(sp.load_npz({path}))",
        )
    else:
        loading = (
            "import numpy as np",
            "import scipy.sparse as sp",
            f"A = sp.csr_array(np.load({path}, allow_pickle=False)[{table.array!r}])",
        )
    return replace(_matrix(table), loading=loading)


def _keys(source: Source) -> set[str]:
    """Names of the arrays; an empty set where the reader will say what is wrong."""
    if not source.head().startswith(b"PK"):
        return set()
    with damaged(source.name, "NPZ"), np.load(source.file, allow_pickle=False) as stored:
        return set(stored.files)


def _listed(source: Source, keys: set[str]) -> Arcs:
    """Pairs of vertex numbers, with weights, names and the number of vertices beside them."""
    table = read_npz(source, ReadOptions(name="edges"))
    with damaged(source.name, "NPZ"), np.load(source.file, allow_pickle=False) as stored:
        found = {key: stored[key] for key in keys & {"n_nodes", "weights", "y", *NAMES}}
    n = int(np.ravel(found.get("n_nodes", 0))[0])
    key = next((key for key in NAMES if key in found), None)
    names = None if key is None else as_strings(found[key])
    side = {"y": found["y"]} if "y" in found else {}
    table = Table(table.name, table.data, table.columns, table.sha256, side=side)
    edges = np.asarray(table.data)
    arcs = arcs_of_pairs(table, edges, found.get("weights"), names, n)
    values = "stored['weights']" if "weights" in found else "np.ones(len(E))"
    loading = (
        "import numpy as np",
        "import scipy.sparse as sp",
        f"stored = np.load({str(source.path)!r}, allow_pickle=False)",
        "E = stored['edges']",
        *_from_pairs(arcs, values),
    )
    return replace(arcs, name=source.name, loading=loading)


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
    named = list(table.columns) != [f"x{k}" for k in range(n)]
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
    arcs = arcs_of_array(table, [str(node) for node in content.node_names])
    loading = ("from sksieve.datasets import load", f"A = load({record.name!r}).adjacency")
    return replace(arcs, loading=loading)
