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
from ..scaling import scale_columns
from ._cells import Data, seed_of
from ._store import Fit
from ._version import source_version

__all__ = [
    "OPTIONS",
    "SBM",
    "SCALES",
    "Evidence",
    "Table",
    "content_of",
    "is_graph",
    "kind",
    "size",
    "table",
]

#: The name of graphs drawn from the stochastic block model, and what they must be told.
SBM = "sbm"
BLOCKS = ("n_nodes", "n_blocks", "p_in", "p_out")

#: What an entry of ``datasets`` may say of each kind of data.
OPTIONS: dict[str, tuple[str, ...]] = {
    "table": ("classes", "rows", "above", "train"),
    "sparse": ("classes", "rows", "train"),
    "graph": ("component",),
    SBM: BLOCKS,
}

#: A file changed so few nanoseconds ago may change again without showing another time.
RECENT = 2_000_000_000

SCALES = ("standard", "unit", "minmax", "symmetric", "none")


class Table(NamedTuple):
    """What a method is fitted on, and what is scored (the same, but for a split); true classes."""

    fitted: Any
    X: Any
    y: NDArray[np.intp] | None


class Evidence(NamedTuple):
    """All that a score may depend on besides its item and its seed."""

    data: Data
    method: str
    fit: Fit

    @property
    def answer(self) -> NDArray[np.int64]:
        """Ranking or labels."""
        assert self.fit.answer is not None
        return self.fit.answer

    @property
    def X(self) -> Any:
        """The samples to be scored, scaled as the method saw them."""
        return table(self.data).X

    @property
    def raw(self) -> Any:
        """The samples to be scored, as they are."""
        return table(replace(self.data, scale="none")).X

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


def kind(name: str) -> str:
    """``table``, ``sparse``, ``graph`` or ``sbm``; refuses an unknown name."""
    return SBM if name == SBM else find(name).kind


def content_of(name: str) -> str:
    """Digest of what a data set holds: of its files, of its arrays, or of a generator's source.

    Files are read again when their time of change or their size differs from the last look.
    ``missing`` where the files are not there.
    """
    if name == SBM:
        return source_version("sksieve.datasets._sbm")
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


def is_graph(name: str) -> bool:
    """Is this an adjacency matrix?"""
    return kind(name) in ("graph", SBM)


def size(data: Data) -> tuple[int, int]:
    """Columns and classes, without reading the data; no columns for a graph."""
    if data.name == SBM:
        return 0, int(dict(data.options)["n_blocks"])
    record = find(data.name)
    n_features = 0 if record.kind == "graph" else record.n_features
    return n_features, data.classes or record.n_classes


@lru_cache(maxsize=4)
def table(data: Data) -> Table:
    """The data of a cell, read-only where they are dense.

    Raises
    ------
    DataError
        If there are fewer classes or rows than asked for, no target to make classes of, or the
        data are no longer those of `Data.content`.
    """
    if data.content and data.content != content_of(data.name):
        raise DataError(f"{data.label} changed after this run began: run the spec again.")
    options = dict(data.options)
    if is_graph(data.name):
        return _graph(data, options)
    X, y = _columns(data, options)
    if "train" not in options:
        X = _frozen(_scaled(X, data.scale))
        return Table(X, X, y)
    if not 2 <= options["train"] < X.shape[0]:
        raise DataError(f"{data.name}: train must lie in 2..{X.shape[0] - 1}.")
    order = np.random.RandomState(_draw_seed(data)).permutation(X.shape[0])
    chosen, rest = np.sort(order[: options["train"]]), np.sort(order[options["train"] :])
    fitted = _frozen(_scaled(X[chosen], data.scale))
    return Table(fitted, _frozen(X[rest]), None if y is None else y[rest])


def _draw_seed(data: Data) -> int:
    """The same draws for all methods, and for all sizes of the training part."""
    return seed_of("draw", data.name, data.draw)


def _graph(data: Data, options: dict[str, Any]) -> Table:
    if data.name == SBM:
        A, y = make_sbm(**options, random_state=_draw_seed(data))
    else:
        graph = load(data.name)
        if "component" in options:
            graph = largest_component(graph)
        A, y = graph.adjacency, graph.y
    return Table(A, A, y)


def _columns(data: Data, options: dict[str, Any]) -> tuple[Any, Any]:
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
    return X, y


def _scaled(X: Any, scale: str) -> Any:
    if scale == "symmetric":  # from -1 to 1
        return 2 * scale_columns(X, "minmax").X - 1
    return scale_columns(X, scale).X


def _frozen(X: Any) -> Any:
    if isinstance(X, np.ndarray):
        X.setflags(write=False)
    return X
