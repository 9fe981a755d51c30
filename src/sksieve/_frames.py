"""The one file that knows kinds of data frames: whole ones through narwhals, others in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ._memory import require_memory
from ._wording import listed
from .exceptions import DataError

#: Rows of a batch that a query is read in.
BATCH_ROWS = 65_536


def library(X: Any) -> str:
    """The package that the type of X comes from."""
    return type(X).__module__.partition(".")[0]


def is_frame(X: Any) -> bool:
    """Whether X is a data frame in memory: of pandas, polars, Arrow or alike.

    Raises
    ------
    DataError
        If it is one, and two of its columns have one name.
    """
    if library(X) in ("numpy", "scipy", "anndata"):
        return False
    return isinstance(_wrapped(X), nw.DataFrame)


def is_lazy(X: Any) -> bool:
    """Whether X is a frame whose rows are somewhere else: a query, a reader, partitions.

    Those are polars LazyFrames, relations of DuckDB, tables of ibis, data frames of dask, and
    readers of Arrow batches.
    """
    kind = library(X)
    return (
        (kind == "polars" and hasattr(X, "collect"))
        or (kind in ("duckdb", "_duckdb") and hasattr(X, "fetchall"))
        or (kind == "ibis" and hasattr(X, "to_pyarrow_batches"))
        or (kind == "pyarrow" and hasattr(X, "read_next_batch"))
        or is_dask_frame(X)
    )


def is_dask_frame(X: Any) -> bool:
    """Whether X is a data frame of dask."""
    return (
        library(X) in ("dask", "dask_expr") and hasattr(X, "partitions") and hasattr(X, "columns")
    )


def batches(X: Any) -> Iterator[Any]:
    """The rows of a lazy frame as frames in memory, one after the other.

    Parameters
    ----------
    X : lazy frame
        See `is_lazy`.

    Yields
    ------
    frame : data frame of pandas, polars or Arrow
    """
    kind = library(X)
    if is_dask_frame(X):
        for part in X.partitions:
            yield part.compute()
    elif kind == "polars":
        if hasattr(X, "collect_batches"):
            yield from X.collect_batches(chunk_size=BATCH_ROWS)
        else:
            yield from X.collect().iter_slices(BATCH_ROWS)
    elif kind == "ibis":
        yield from X.to_pyarrow_batches(chunk_size=BATCH_ROWS)
    elif kind == "pyarrow":
        yield from X
    else:
        read = getattr(X, "to_arrow_reader", None) or X.fetch_arrow_reader  # before DuckDB 1.5
        yield from read(BATCH_ROWS)


def collected(X: Any) -> Any:
    """A lazy frame as one in memory, an Arrow batch as a table; anything else as it is.

    Raises
    ------
    DataError
        If it has no rows.
    TooLargeError
        If it takes more than the memory limit.
    """
    if not is_lazy(X):
        return _as_table(X)
    parts, n_rows, n_bytes = [], 0, 0.0
    for part in batches(X):
        frame = nw.from_native(_as_table(part), eager_only=True)
        n_rows += len(frame)
        n_bytes += 2.0 * frame.estimated_size() + 8.0 * len(frame) * len(frame.columns)
        require_memory(
            n_bytes,
            f"The first {n_rows:,} rows of the {type(X).__name__}",
            "Fewer rows or columns, or a column subset method with a number of columns and "
            'solver="gram", which reads batches, need less.',
        )
        parts.append(frame)
    if not n_rows:
        raise DataError(f"The {type(X).__name__} has no rows.")
    parts = [part for part in parts if len(part)]
    return (parts[0] if len(parts) == 1 else nw.concat(parts)).to_native()


def names_of(X: Any) -> list[Any] | None:
    """Names of the columns of a frame in memory; None for anything else."""
    return list(_wrapped(X).columns) if is_frame(X) else None


def columns_of(X: Any) -> Iterator[tuple[Any, Any]]:
    """Each column of a frame in memory, as narwhals wraps it, and its type."""
    for column in _wrapped(X).iter_columns():
        yield column, column.dtype


def numbers(X: Any) -> NDArray[Any]:
    """The columns of a frame as one array, missing values as NaN.

    Parameters
    ----------
    X : data frame in memory
        Of numbers and booleans.

    Returns
    -------
    ndarray of shape (m, n)
        float32 where all columns are, else float64.

    Raises
    ------
    DataError
        If a column holds something else.
    """
    frame = _wrapped(X)
    types = frame.schema
    single = bool(types) and all(dtype == nw.Float32 for dtype in types.values())
    values = np.empty(frame.shape, dtype=np.float32 if single else np.float64, order="F")
    strange = [
        name
        for name, dtype in types.items()
        if not (dtype.is_numeric() or dtype in (nw.Boolean, nw.Object, nw.Unknown))
    ]
    if strange:
        raise DataError(
            f"X has columns that hold no numbers: {listed(strange)}. Leave them out, or convert "
            "them to numbers."
        )
    for i, (name, column) in enumerate(zip(types, frame.iter_columns(), strict=True)):
        if types[name].is_numeric() or types[name] == nw.Boolean:
            column = column.cast(nw.Float32 if single else nw.Float64)
        values[:, i] = column.to_numpy()
    return values


def codes(X: Any, text: Sequence[Any]) -> NDArray[np.float64]:
    """The columns of a frame in memory as numbers: those of `text` as codes of their values.

    Codes count from 0 in the order of the values; missing values become NaN.

    Raises
    ------
    DataError
        If a column holds both text and numbers, or no numbers and is not one of `text`.
    """
    frame = _wrapped(X)
    values = np.empty(frame.shape, order="F")
    rest = [i for i, name in enumerate(frame.columns) if name not in set(text)]
    if rest:
        values[:, rest] = numbers(frame[:, rest].to_native())
    for i, column in enumerate(frame.iter_columns()):
        if i in rest:
            continue
        entries, gaps = column.to_list(), column.is_null().to_list()
        place: dict[Any, int] = {}
        for row, (value, gap) in enumerate(zip(entries, gaps, strict=True)):
            values[row, i] = np.nan if gap else place.setdefault(value, len(place))
        strange = [value for value in place if not isinstance(value, str)]
        if strange and column.dtype == nw.Object:
            raise DataError(
                f"Column {column.name!r} of X holds text and other values (for example "
                f"{strange[0]!r}). Correct the entries, or convert the column to text."
            )
    return values


def missing_shares(X: Any) -> NDArray[np.float64]:
    """Share of missing values, NaN among them, of each column of a frame in memory."""
    shares = []
    for column, dtype in columns_of(X):
        gaps = column.is_null()
        if dtype.is_float():
            gaps = gaps | column.is_nan().fill_null(False)
        shares.append(float(gaps.sum()) / max(len(column), 1))
    return np.array(shares)


def holds_numbers(X: Any) -> bool:
    """Whether every column of a frame in memory is of numbers or booleans."""
    return all(dtype.is_numeric() or dtype == nw.Boolean for _, dtype in columns_of(X))


def array(X: Any) -> NDArray[Any]:
    """The columns of a frame in memory, of any types, as one array."""
    return np.asarray(_wrapped(X).to_numpy())


def selected(X: Any, mask: NDArray[np.bool_]) -> Any:
    """The columns of a frame under a mask, as a frame of its kind and of the columns' types."""
    frame = _wrapped(X)
    return frame[:, np.flatnonzero(mask).tolist()].to_native()


def arrow_table_of(X: Any) -> Any:
    """A frame, in memory or not, as a ``pyarrow.Table``."""
    return nw.from_native(_as_table(collected(X)), eager_only=True).to_arrow()


class Header:
    """Names and shape of a frame, as scikit-learn before 1.9 asks for them."""

    def __init__(self, names: Sequence[Any], n_rows: int) -> None:
        self.names = list(names)
        self.shape = (n_rows, len(self.names))

    def __dataframe__(self) -> Header:
        return self

    def column_names(self) -> list[Any]:
        """The names."""
        return self.names


def _as_table(X: Any) -> Any:
    """An Arrow batch as a table, which narwhals knows; anything else as it is."""
    if type(X).__name__ == "RecordBatch" and library(X) == "pyarrow":
        return import_module("pyarrow").Table.from_batches([X])
    return X


def _wrapped(X: Any) -> Any:
    if is_dask_frame(X):  # narwhals warns
        return X
    try:
        return nw.from_native(_as_table(X), pass_through=True, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        names = list(X.column_names if library(X) == "pyarrow" else X.columns)
        repeated = next(name for name in names if names.count(name) > 1)
        raise DataError(
            f"X has several columns with the name {repeated!r}. Rename them."
        ) from error
