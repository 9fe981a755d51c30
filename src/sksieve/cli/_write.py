"""Write the chosen columns, in a format told by the ending of the file's name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from ..exceptions import DataError
from ._columns import Numeric
from .tables import Table, package

__all__ = ["FRAMES", "REPORTS", "check_target", "replacing", "write_chosen", "write_frame"]

#: Endings of a report.
REPORTS = (".html", ".htm")


def check_target(path: Path, data: str, suffixes: tuple[str, ...], option: str) -> None:
    """Refuse, before any work, a file that could not be written.

    Raises
    ------
    DataError
        If the ending is unknown, the folder is not there, or it is the file that is read.
    """
    if path.suffix.lower() not in suffixes:
        raise DataError(
            f"{option} {path}: the ending {path.suffix or '(none)'} is not one of "
            f"{', '.join(suffixes)}."
        )
    if path.is_dir():
        raise DataError(f"{option} {path} is a folder; name a file.")
    if not path.parent.is_dir():
        raise DataError(f"{option} {path}: the folder {path.parent} does not exist.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise DataError(f"{option} {path} cannot be written: no permission.")
    if Path(data).exists() and path.exists() and os.path.samefile(path, data):
        raise DataError(f"{option} {path} would overwrite the table it is read from.")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to, which takes its place once all is written."""
    part = path.with_name(f".{path.name}.part")
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_chosen(path: Path, table: Table, numeric: Numeric, columns: Any) -> list[str]:
    """Write all rows of the chosen columns, and the label column where there is one.

    Values are as they were read (filled in where values were missing), not scaled.

    Returns
    -------
    notes : list of str
        What the format could not hold.
    """
    columns = [int(j) for j in columns]
    names = [numeric.names[j] for j in columns]
    with replacing(path) as part:
        notes = WRITERS[path.suffix.lower()](part, table, numeric, columns, names)
    return [f"{path}: {note}" for note in notes]


def _frame(table: Table, numeric: Numeric, columns: list[int], names: list[str]) -> Any:
    """An Arrow table; columns that were neither filled in nor encoded keep their type."""
    pa = package("pyarrow", "cli")
    X = _values(table, numeric, columns)
    X = X.toarray() if sp.issparse(X) else X
    parts = {}
    for i, name in enumerate(names):
        whole = _untouched(table, name)
        parts[name] = pa.chunked_array([pa.array(X[:, i])]) if whole is None else whole
    if numeric.labels is not None:
        values = numeric.labels.values
        parts[numeric.labels.name] = values if hasattr(values, "chunks") else pa.array(values)
    return pa.table(parts)


def _values(table: Table, numeric: Numeric, columns: list[int]) -> Any:
    """The chosen columns of the matrix; whole numbers stay whole numbers."""
    if getattr(getattr(table.data, "dtype", None), "kind", "f") in "iu":
        places = {name: i for i, name in enumerate(table.columns)}
        X = table.data[:, [places[numeric.names[j]] for j in columns]]
    else:
        X = numeric.X[:, columns]
    return X if sp.issparse(X) else np.asarray(X)


def _untouched(table: Table, name: str) -> Any:
    if not hasattr(table.data, "column_names") or name not in table.columns:
        return None
    column = table.data.column(list(table.columns).index(name))
    return None if column.null_count else column


def write_frame(path: Path, columns: dict[str, Any]) -> None:
    """Write columns of equal length as a table; the ending of the file's name says how."""
    pa = package("pyarrow", "cli")
    arrays = {name: a if hasattr(a, "chunks") else pa.array(a) for name, a in columns.items()}
    with replacing(path) as part:
        FRAMES[path.suffix.lower()](part, pa.table(arrays))


def _csv_frame(part: Path, frame: Any) -> None:
    package("pandas", "cli")
    frame.to_pandas().to_csv(part, index=False)


def _tsv_frame(part: Path, frame: Any) -> None:
    package("pandas", "cli")
    frame.to_pandas().to_csv(part, index=False, sep="\t")


def _parquet_frame(part: Path, frame: Any) -> None:
    package("pyarrow.parquet", "cli").write_table(frame, part)


def _feather_frame(part: Path, frame: Any) -> None:
    package("pyarrow.feather", "cli").write_feather(frame, part)


#: Suffix -> writer of an Arrow table.
FRAMES: dict[str, Callable[[Path, Any], None]] = {
    ".csv": _csv_frame,
    ".tsv": _tsv_frame,
    ".parquet": _parquet_frame,
    ".feather": _feather_frame,
}


def _framed(
    part: Path, table: Table, numeric: Numeric, columns: list[int], names: list[str]
) -> list[str]:
    suffix = part.name.removesuffix(".part").rpartition(".")[2].lower()
    FRAMES[f".{suffix}"](part, _frame(table, numeric, columns, names))
    return []


def _npy(
    part: Path, table: Table, numeric: Numeric, columns: list[int], names: list[str]
) -> list[str]:
    X = _values(table, numeric, columns)
    with part.open("wb") as file:
        np.save(file, X.toarray() if sp.issparse(X) else X, allow_pickle=False)
    return _unheld(numeric, "NPY")


def _npz(
    part: Path, table: Table, numeric: Numeric, columns: list[int], names: list[str]
) -> list[str]:
    X = _values(table, numeric, columns)
    arrays: dict[str, Any] = {"feature_names": np.array(names, dtype=str)}
    if sp.issparse(X):  # readable by scipy.sparse.load_npz
        arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        arrays |= {"shape": np.array(X.shape), "format": np.array(b"csr")}
    else:
        arrays["X"] = X
    if numeric.labels is not None:
        arrays["y"] = _plain_labels(numeric.labels.values)
    with part.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    return []


def _plain_labels(values: Any) -> Any:
    """Labels as an array that needs no pickling."""
    values = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    return values.astype(str) if values.dtype == object else values


def _mtx(
    part: Path, table: Table, numeric: Numeric, columns: list[int], names: list[str]
) -> list[str]:
    with part.open("wb") as file:
        scipy.io.mmwrite(file, _values(table, numeric, columns))
    return _unheld(numeric, "Matrix Market")


def _unheld(numeric: Numeric, kind: str) -> list[str]:
    label = "" if numeric.labels is None else f" and the label column {numeric.labels.name!r}"
    return [f"{kind} holds numbers only: the names of the columns{label} are not in it."]


Writer = Callable[[Path, Table, Numeric, list[int], list[str]], list[str]]
#: Suffix -> writer.
WRITERS: dict[str, Writer] = {
    **dict.fromkeys(FRAMES, _framed),
    ".npy": _npy,
    ".npz": _npz,
    ".mtx": _mtx,
}
