"""One call for every data set: `load(name)`."""

from __future__ import annotations

import hashlib
import zipfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from sklearn.utils import Bunch

from ..exceptions import DataError
from ._catalogue import Dataset, find, require

Arrays = dict[str, NDArray[Any]]


def load(name: str) -> Bunch:
    """A data set by name, as it is: nothing is scaled, centered, imputed or removed.

    Parameters
    ----------
    name : str
        A name of `catalogue`; case and hyphens do not matter. scikit-learn's ``iris``, ``wine``,
        ``digits`` and ``breast_cancer`` are always there. The others are read from `data_folder`.

    Returns
    -------
    Bunch
        For a table: `X` (n_samples, n_features), floating point as it is stored, integers as
        float64, CSR for sparse sets, missing values NaN; `y` (n_samples,), labels 0, 1, ..., or
        None where there are none; `feature_names` (``x0``, ``x1``, ... where the file has none);
        `class_names`; `name`; `source`; `description`; and the set's own further arrays.

        For a graph (names that begin with ``graph_``): `adjacency` (n, n), CSR, symmetric, 0/1,
        empty diagonal; `y`; `node_names`; `features` (CSR, or None); `class_names`, `name`,
        `source`, `description`.

    Raises
    ------
    MissingDataError
        If the file is not there; the message says where to put it.
    DataError
        If the name is unknown or the file cannot be read. Nothing is ever unpickled.

    Examples
    --------
    >>> from sksieve.datasets import load
    >>> wine = load("wine")
    >>> wine.X.shape, wine.class_names.tolist()
    ((178, 13), ['class_0', 'class_1', 'class_2'])
    """
    record = find(name)
    if not record.file_names:
        content = _from_sklearn(record.name)
    else:
        content = _READERS[record.kind](require(record), record)
    content["class_names"] = _names(content.get("class_names"), record.n_classes, "")
    about = {"name": record.name, "source": record.origin, "description": _describe(record)}
    return Bunch(**content, **about)


def _from_sklearn(name: str) -> dict[str, Any]:
    from sklearn import datasets

    raw = getattr(datasets, f"load_{name}")()
    return {
        "X": np.asarray(raw.data, dtype=np.float64),
        "y": np.asarray(raw.target, dtype=np.intp),
        "feature_names": np.array(raw.feature_names, dtype=str),
        "class_names": np.array(raw.target_names).astype(str),
    }


def _table(path: Path, record: Dataset) -> dict[str, Any]:
    arrays = _read(path, "X")
    X = arrays.pop("X")
    return {
        "X": X if X.dtype.kind == "f" else X.astype(np.float64),
        "y": _labels(arrays.pop("y", None)),
        "feature_names": _names(arrays.pop("feature_names", None), X.shape[1], "x"),
        **arrays,
    }


def _sparse(path: Path, record: Dataset) -> dict[str, Any]:
    X = _csr(_read(path, "data", "indices", "indptr", "shape"), "")
    arrays = _read(path.with_name(record.file_names[1]), "y")
    return {
        "X": X,
        "y": _labels(arrays.pop("y")),
        "feature_names": _names(arrays.pop("feature_names", None), X.shape[1], "x"),
        **arrays,
    }


def _graph(path: Path, record: Dataset) -> dict[str, Any]:
    arrays = _read(path, "edges", "n_nodes", "y")
    i, j = arrays.pop("edges").T
    n = int(arrays.pop("n_nodes"))
    ends = np.concatenate([i, j]), np.concatenate([j, i])
    has_features = "X_data" in arrays
    content = {
        "adjacency": sp.csr_array((np.ones(2 * len(i)), ends), shape=(n, n)),
        "y": _labels(arrays.pop("y")),
        "node_names": _names(arrays.pop("node_names", None), n, ""),
        "features": _csr(arrays, "X_") if has_features else None,
    }
    return content | {key: value for key, value in arrays.items() if not key.startswith("X_")}


_READERS = {"table": _table, "sparse": _sparse, "graph": _graph}


def _read(path: Path, *needed: str) -> Arrays:
    """The arrays of an npz file, without unpickling."""
    try:
        with path.open("rb") as file:  # np.load leaves a damaged file open that it opened itself
            stored = np.load(file, allow_pickle=False)
            if isinstance(stored, np.ndarray):
                raise ValueError("it holds one array without a name")
            arrays = {key: stored[key] for key in stored.files}
    except (ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} cannot be read as an npz file of plain arrays: {error}") from error
    missing = [key for key in needed if key not in arrays]
    if missing:
        raise DataError(f"{path} has no array {missing[0]!r}; it has {', '.join(arrays)}.")
    return arrays


def _csr(arrays: Arrays, prefix: str) -> sp.csr_array:
    data, indices, indptr, shape = (
        arrays[prefix + part] for part in ("data", "indices", "indptr", "shape")
    )
    return sp.csr_array((data.astype(np.float64), indices, indptr), shape=tuple(shape.tolist()))


def _labels(y: NDArray[Any] | None) -> NDArray[np.intp] | None:
    return None if y is None else y.astype(np.intp)


def _names(names: NDArray[Any] | None, n: int, prefix: str) -> NDArray[np.str_]:
    if names is not None:
        return names.astype(str)
    return np.array([f"{prefix}{i}" for i in range(n)], dtype=str)


def _describe(record: Dataset) -> str:
    if record.kind == "graph":
        size = f"{record.n_samples} nodes, {record.n_edges} edges"
    else:
        size = f"{record.n_samples} samples x {record.n_features} features"
    parts = [f"{record.name}: {size}, {record.n_classes or 'no'} classes. {record.origin}."]
    if record.note:
        parts.append(f"{record.note[0].upper()}{record.note[1:]}.")
    if record.n_missing:
        parts.append(f"{record.n_missing} values are missing (NaN).")
    return " ".join(parts)


def largest_component(graph: Bunch) -> Bunch:
    """The largest connected component of a graph as `load` returns it.

    Parameters
    ----------
    graph : Bunch
        With `adjacency` (n, n); not modified.

    Returns
    -------
    Bunch
        The same entries for the nodes of the component (the first one, among equals), and
        `nodes`, their indices in `graph`, ascending.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from sklearn.utils import Bunch
    >>> from sksieve.datasets import largest_component
    >>> A = sp.csr_array([[0, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=float)
    >>> largest_component(Bunch(adjacency=A)).nodes
    array([1, 2])
    """
    _, component = connected_components(graph.adjacency, directed=False)
    nodes = np.flatnonzero(component == np.bincount(component).argmax())
    part = Bunch(**graph)
    part["adjacency"] = graph.adjacency[nodes][:, nodes]
    for key in ("y", "node_names", "features"):
        if graph.get(key) is not None:
            part[key] = graph[key][nodes]
    part["nodes"] = nodes
    return part


def verify(name: str) -> bool:
    """Whether a data set holds exactly the values that the catalogue describes.

    Parameters
    ----------
    name : str
        A name of the catalogue.

    Returns
    -------
    bool
        Whether X (the edges of a graph) and y have the recorded SHA-256; names of columns and
        classes and further arrays are not compared.

    Raises
    ------
    DataError
        If the name is unknown or the set cannot be loaded.

    Examples
    --------
    >>> from sksieve.datasets import verify
    >>> verify("iris")
    True
    """
    record = find(name)
    return content_digest(load(record.name)) == _digests()[record.name]


def content_digest(data: Bunch) -> str:
    """SHA-256 of the values of X (of a graph: its edges) and y, as float64 and int64."""
    if "adjacency" in data:
        upper = sp.triu(data.adjacency, 1).tocsr().tocoo()
        arrays = [upper.row, upper.col, data.adjacency.shape]
    elif sp.issparse(data.X):
        X = data.X.copy()
        X.sum_duplicates()
        arrays = [X.indptr, X.indices, X.shape, X.data]
    else:
        arrays = [data.X.shape, np.where(np.isnan(data.X), np.nan, data.X + 0.0)]  # one zero
    if data.y is not None:
        arrays.append(data.y)
    digest = hashlib.sha256()
    for array in map(np.asarray, arrays):
        kind = "<f8" if array.dtype.kind == "f" else "<i8"
        digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return digest.hexdigest()


@cache
def _digests() -> dict[str, str]:
    text = files(__package__).joinpath("sha256sums.txt").read_text(encoding="ascii")
    return {line.split()[1]: line.split()[0] for line in text.splitlines()}
