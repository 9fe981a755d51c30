"""From the name of a data set to what methods see and what scores are measured on."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..datasets import find, largest_component, load, make_sbm
from ..exceptions import DataError
from ._cells import Cell, Data, seed_of
from ._files import read_file
from ._store import Fit
from ._version import source_version

#: The name of graphs drawn from the stochastic block model, and the parameters they need.
SBM = "sbm"
BLOCKS = ("n_nodes", "n_blocks", "p_in", "p_out")

_LIMITS = ("max_columns", "max_rows")

#: What an entry of ``datasets`` may say of each kind of data.
OPTIONS: dict[str, tuple[str, ...]] = {
    "table": ("classes", "rows", "above", "train", "sample", *_LIMITS),
    "sparse": ("classes", "rows", "train", "sample", *_LIMITS),
    "file": ("classes", "rows", "train", "sample", "label", *_LIMITS),
    "graph": ("component",),
    SBM: BLOCKS,
}

#: A file changed so few nanoseconds ago may change again without showing another time.
RECENT = 2_000_000_000

SCALES = ("standard", "unit", "minmax", "symmetric", "none")


class Table(NamedTuple):
    """What a method is fitted on, and what is scored (the same, but for a split); true classes.

    Of a split also the part that the method learned from, unscaled, and its classes.
    """

    fitted: Any
    X: Any
    y: NDArray[np.intp] | None
    X_train: Any = None
    y_train: NDArray[np.intp] | None = None


class Shape(NamedTuple):
    """Rows, columns (0 for a graph) and classes (0 where there are none) of a data set."""

    n_samples: int
    n_features: int
    n_classes: int


class Evidence(NamedTuple):
    """All that a score may depend on besides its item and its seed."""

    cell: Cell
    fit: Fit

    @property
    def data(self) -> Data:
        """The data set."""
        return self.cell.data

    @property
    def answer(self) -> NDArray[np.int64]:
        """Ranking or labels."""
        assert self.fit.answer is not None
        return self.fit.answer

    @property
    def X(self) -> Any:
        """The samples to be scored, scaled as the method saw them."""
        return self.scaled(self.data.scale)

    @property
    def raw(self) -> Any:
        """The samples to be scored, unscaled."""
        return self.scaled("none")

    def scaled(self, scale: str) -> Any:
        """The samples to be scored, with this scale."""
        return table(replace(self.data, scale=scale)).X

    @property
    def y(self) -> NDArray[np.intp]:
        """Their true classes.

        Raises
        ------
        DataError
            If there are none.
        """
        y = table(self.data).y
        if y is None:
            raise DataError("This data set has no classes to compare with.")
        return y

    @property
    def training(self) -> tuple[Any, NDArray[np.intp]]:
        """The samples the method learned from, unscaled, and their true classes; of a split only.

        Raises
        ------
        DataError
            If there are none.
        """
        whole = table(self.data)
        if whole.y_train is None:
            raise DataError("This data set has no training part with classes.")
        return whole.X_train, whole.y_train


def kind(name: str, path: str = "") -> str:
    """``file``, ``table``, ``sparse``, ``graph`` or ``sbm``; refuses an unknown name."""
    if path:
        return "file"
    return SBM if name == SBM else find(name).kind


def is_graph(name: str, path: str = "") -> bool:
    """Is this an adjacency matrix?"""
    return kind(name, path) in ("graph", SBM)


def content_of(name: str, path: str = "") -> str:
    """Digest of what a data set holds: of its files, of its arrays, or of a generator's source.

    A file is read again when its time of change or its size differs from the last look.
    ``missing`` where the files are not there.
    """
    if name == SBM:
        return source_version("sksieve.datasets._sbm")
    if path:
        return _digest_of_file(Path(path)) if Path(path).is_file() else "missing"
    record = find(name)
    if not record.file_names:
        return _digest_of_arrays(record.name)
    if record.path is None:
        return "missing"
    parts = [_digest_of_file(record.path.with_name(file)) for file in record.file_names]
    return parts[0] if len(parts) == 1 else hashlib.sha256("".join(parts).encode()).hexdigest()


@cache
def _digest_of_arrays(name: str) -> str:
    bunch = load(name)
    digest = hashlib.sha256(repr((bunch.X.shape, bunch.X.dtype.str)).encode())
    for array in (bunch.X, bunch.y):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _digest_of_file(path: Path) -> str:
    stat = path.stat()
    if time.time_ns() - stat.st_mtime_ns < RECENT:
        return _read_digest(path)
    return _kept_digest(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4096)
def _kept_digest(path: Path, changed: int, size: int) -> str:
    return _read_digest(path)


def _read_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def shape(data: Data) -> Shape:
    """Rows, columns and classes before any option but `classes` is applied.

    Only a data set given by its path is read for this.
    """
    options = dict(data.options)
    if data.name == SBM:
        return Shape(int(options["n_nodes"]), 0, int(options["n_blocks"]))
    if data.path:
        X, y = _file(data.path, options.get("label"), data.content)
        n_classes = 0 if y is None else len(np.unique(y))
        return Shape(X.shape[0], X.shape[1], data.classes or n_classes)
    record = find(data.name)
    n_features = 0 if record.kind == "graph" else record.n_features
    n_classes = 2 if "above" in options else record.n_classes
    return Shape(record.n_samples, n_features, data.classes or n_classes)


@lru_cache(maxsize=4)
def table(data: Data) -> Table:
    """The data of a cell, read-only where they are dense.

    Raises
    ------
    DataError
        If there are fewer classes or rows than asked for, no target to make classes of, or the
        data are no longer those of `Data.content`.
    """
    if data.content and data.content != content_of(data.name, data.path):
        raise DataError(f"{data.label} changed after this run began: run the spec again.")
    options = dict(data.options)
    if is_graph(data.name, data.path):
        return _graph(data, options)
    X, y = _columns(data, options)
    if "sample" in options:
        rows = _drawn(data, X.shape[0])[: round(options["sample"] * X.shape[0])]
        return Table(_frozen(_scaled(X[np.sort(rows)], data.scale)), _frozen(X), y)
    if "train" not in options:
        X = _frozen(_scaled(X, data.scale))
        return Table(X, X, y)
    if not 2 <= options["train"] < X.shape[0]:
        raise DataError(f"{data.name}: train must lie in 2..{X.shape[0] - 1}.")
    order = _drawn(data, X.shape[0])
    chosen, rest = np.sort(order[: options["train"]]), np.sort(order[options["train"] :])
    fitted = _frozen(_scaled(X[chosen], data.scale))
    if y is None:
        return Table(fitted, _frozen(X[rest]), None)
    return Table(fitted, _frozen(X[rest]), y[rest], _frozen(X[chosen]), y[chosen])


def _draw_seed(data: Data) -> int:
    """The same draws for all methods, and for all sizes of the training part."""
    return seed_of("draw", data.name, data.draw)


def _drawn(data: Data, n: int) -> NDArray[np.intp]:
    """The rows in the random order of this draw."""
    return np.random.RandomState(_draw_seed(data)).permutation(n)


def _graph(data: Data, options: dict[str, Any]) -> Table:
    if data.name == SBM:
        A, y = make_sbm(**options, random_state=_draw_seed(data))
    else:
        graph = load(data.name)
        if "component" in options:
            graph = largest_component(graph)
        A, y = graph.adjacency, graph.y
    return Table(A, A, y)


@lru_cache(maxsize=2)
def _file(path: str, label: str | None, content: str) -> Any:
    return read_file(path, label)


def _columns(data: Data, options: dict[str, Any]) -> tuple[Any, Any]:
    if data.path:
        X, y = _file(data.path, options.get("label"), data.content)
    else:
        bunch = load(data.name)
        X, y = bunch.X, bunch.y
        if "above" in options:
            if "target" not in bunch:
                raise DataError(f"{data.name} has no target to be above of.")
            y = (bunch.target > options["above"]).astype(np.intp)
    if data.classes is not None:
        if y is None or data.classes > len(np.unique(y)):
            raise DataError(f"{data.name} has fewer than {data.classes} classes.")
        X, y = X[y < data.classes], y[y < data.classes]
    if "rows" in options:
        if options["rows"] > X.shape[0]:
            raise DataError(f"{data.name} has {X.shape[0]} rows, fewer than {options['rows']}.")
        X, y = X[: options["rows"]], None if y is None else y[: options["rows"]]
    return _limited(data, X, y, options)


def _limited(data: Data, X: Any, y: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """A random part of the rows and columns, the same in every draw, where there are more."""
    rng = np.random.RandomState(seed_of("subsample", data.name))
    n, d = X.shape
    rows, columns = rng.permutation(n), rng.permutation(d)
    if options.get("max_rows", n) < n:
        rows = np.sort(rows[: options["max_rows"]])
        X, y = X[rows], None if y is None else np.unique(y[rows], return_inverse=True)[1]
    if options.get("max_columns", d) < d:
        X = X[:, np.sort(columns[: options["max_columns"]])]
    return X, y


def _scaled(X: Any, scale: str) -> Any:
    from sklearn.preprocessing import MinMaxScaler, StandardScaler, normalize

    if scale == "standard":
        return StandardScaler().fit_transform(X)
    if scale == "minmax":
        return MinMaxScaler().fit_transform(X)
    if scale == "symmetric":
        return MinMaxScaler((-1, 1)).fit_transform(X)
    return normalize(X, axis=0) if scale == "unit" else X


def _frozen(X: Any) -> Any:
    if isinstance(X, np.ndarray):
        X.setflags(write=False)
    return X
