"""From public files to the arrays that `load` reads: one function for each format.

Each takes the paths of the files and the options of the source, and returns the arrays of the npz
file.
Labels become 0, 1, ... in the order of their sorted names.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from numpy.typing import NDArray

from .._array import dense
from .._optional import optional

Arrays = dict[str, NDArray[Any]]


def _encode(labels: NDArray[Any]) -> NDArray[np.int64]:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _mat(paths: list[Path], options: Mapping[str, Any]) -> Arrays:
    """MATLAB, with the variables X and Y, as scikit-feature's collection has them."""
    content = scipy.io.loadmat(paths[0])
    X = content["X"]
    return {"X": dense(X), "y": _encode(content["Y"].ravel())}


def _arff(paths: list[Path], options: Mapping[str, Any]) -> Arrays:
    """ARFF of numeric attributes; the last attribute is the class."""
    content, meta = scipy.io.arff.loadarff(paths[0])
    *names, label = meta.names()
    labels = content[label]
    return {
        "X": np.column_stack([content[name] for name in names]),
        "y": _encode(labels),
        "feature_names": np.array(names),
        "class_names": np.unique(labels).astype(str),
    }


def _csv(paths: list[Path], options: Mapping[str, Any]) -> Arrays:
    """CSV without a header, the class in the last column.

    With the option ``above`` the last column is a number, and the class whether it is larger.
    """
    cells = np.genfromtxt(paths[0], delimiter=",", dtype=str)
    X = np.where(cells[:, :-1] == "?", "nan", cells[:, :-1]).astype(float)
    if "above" not in options:
        return {"X": X, "y": _encode(cells[:, -1])}
    target = cells[:, -1].astype(float)
    return {"X": X, "y": (target > options["above"]).astype(np.int64), "target": target}


def _views(paths: list[Path], options: Mapping[str, Any]) -> Arrays:
    """CSV files of the same rows, each with a header and the class in the last column."""
    tables = [np.genfromtxt(path, delimiter=",", skip_header=1) for path in paths]
    names = [
        f"{view}{i}"
        for view, table in zip(options["views"], tables, strict=True)
        for i in range(table.shape[1] - 1)
    ]
    return {
        "X": np.hstack([table[:, :-1] for table in tables]),
        "y": _encode(tables[0][:, -1]),
        "feature_names": np.array(names),
    }


def _gml(paths: list[Path], options: Mapping[str, Any]) -> Arrays:
    """GML, plain or as the one such file of a zip archive; ``value`` is the community."""
    if zipfile.is_zipfile(paths[0]):
        with zipfile.ZipFile(paths[0]) as archive:
            (member,) = (name for name in archive.namelist() if name.endswith(".gml"))
            text = archive.read(member).decode("utf-8", errors="replace")
    else:
        text = paths[0].read_text(encoding="utf-8", errors="replace")
    if "multigraph" not in text:  # networkx refuses parallel edges otherwise
        text = text.replace("directed", "multigraph 1\n  directed", 1)
    G = optional("networkx", "Converting GML").parse_gml(text, label="id")
    return _graph(G, "value")


def _karate(paths: list[Path], options: Mapping[str, Any]) -> Arrays:
    """Zachary's karate club, which networkx ships."""
    return _graph(optional("networkx", "The karate club").karate_club_graph(), "club")


def _graph(G: Any, attribute: str) -> Arrays:
    """An undirected simple graph; vertices in the order of their numbers."""
    ids = sorted(G.nodes)
    place = {vertex: i for i, vertex in enumerate(ids)}
    pairs = {tuple(sorted((place[u], place[v]))) for u, v, *_ in G.edges() if u != v}
    arrays = {
        "edges": np.array(sorted(pairs), dtype=np.int32),
        "n_nodes": np.array(len(ids)),
        "y": _encode(np.array([G.nodes[vertex][attribute] for vertex in ids])),
    }
    names = [G.nodes[vertex].get("label") for vertex in ids]
    return arrays if None in names else {**arrays, "node_names": np.array(names)}


def from_openml(data_id: int, data_home: Path) -> Arrays:
    """A data set of OpenML, by its number."""
    from sklearn.datasets import fetch_openml

    data = fetch_openml(
        data_id=data_id, data_home=str(data_home), as_frame=False, parser="liac-arff"
    )
    X = dense(data.data)
    return {
        "X": X.astype(float),
        "y": _encode(data.target),
        "feature_names": np.array(data.feature_names),
        "class_names": np.unique(data.target).astype(str),
    }


CONVERTERS: dict[str, Callable[[list[Path], Mapping[str, Any]], Arrays]] = {
    "mat": _mat,
    "arff": _arff,
    "csv": _csv,
    "views": _views,
    "gml": _gml,
    "networkx": _karate,
}
