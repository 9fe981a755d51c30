"""Write the chosen columns, in a format given by the ending of the file's name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.io
import scipy.sparse as sp

from .._replace import replacing
from ..exceptions import DataError
from ..io._messages import package
from ..io._write import FRAMES
from ..io.tables import Table
from ._prepare import Numeric

__all__ = ["FRAMES", "REPORTS", "WRITERS", "check_target", "write_chosen"]

Writer = Callable[[BinaryIO, Table, Numeric, list[int], list[str]], list[str]]

#: Endings of text: cells of a text file are copied as they are written.
TEXT = (".csv", ".tsv")
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
    with replacing(path) as file:
        notes = WRITERS[path.suffix.lower()](file, table, numeric, columns, names)
    return [f"{path}: {note}" for note in notes]


def _frame(
    table: Table, numeric: Numeric, columns: list[int], names: list[str], as_text: bool
) -> Any:
    """An Arrow table; columns that were neither filled in nor encoded stay as they were read."""
    pa = package("pyarrow", "cli")
    X = _values(table, numeric, columns)
    X = X.toarray() if sp.issparse(X) else X
    parts = {}
    for i, name in enumerate(names):
        whole = _untouched(table, numeric, name, as_text)
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
        X = X if numeric.rows is None else X[numeric.rows]
    else:
        X = numeric.X[:, columns]
    return X if sp.issparse(X) else np.asarray(X)


def _untouched(table: Table, numeric: Numeric, name: str, as_text: bool) -> Any:
    """A column without missing values as it was read; for a text file, as it is written."""
    if name not in table.columns:
        return None
    i = list(table.columns).index(name)
    if as_text and table.text is not None:
        pc = package("pyarrow.compute", "cli")
        cells = table.text(i)
        has_decimal_comma = pc.any(pc.match_substring(cells, ",")).as_py()
        if not has_decimal_comma and not _has_missing(table, i):
            return _rows(cells, numeric)
    if not hasattr(table.data, "column_names") or table.data.column(i).null_count:
        return None
    return _rows(table.data.column(i), numeric)


def _rows(column: Any, numeric: Numeric) -> Any:
    return column if numeric.rows is None else column.take(numeric.rows)


def _has_missing(table: Table, i: int) -> bool:
    if hasattr(table.data, "column_names"):
        return bool(table.data.column(i).null_count)
    return bool(np.isnan(table.data[:, i]).any())


def _framed(suffix: str) -> Writer:
    def write_columns(
        file: BinaryIO, table: Table, numeric: Numeric, columns: list[int], names: list[str]
    ) -> list[str]:
        FRAMES[suffix](file, _frame(table, numeric, columns, names, suffix in TEXT))
        return []

    return write_columns


def _npy(
    file: BinaryIO, table: Table, numeric: Numeric, columns: list[int], names: list[str]
) -> list[str]:
    X = _values(table, numeric, columns)
    np.save(file, X.toarray() if sp.issparse(X) else X, allow_pickle=False)
    return _unheld(numeric, "NPY")


def _npz(
    file: BinaryIO, table: Table, numeric: Numeric, columns: list[int], names: list[str]
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
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return []


def _plain_labels(values: Any) -> Any:
    """Labels as an array that needs no pickling."""
    values = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    return values.astype(str) if values.dtype == object else values


def _mtx(
    file: BinaryIO, table: Table, numeric: Numeric, columns: list[int], names: list[str]
) -> list[str]:
    scipy.io.mmwrite(file, _values(table, numeric, columns))
    return _unheld(numeric, "Matrix Market")


def _unheld(numeric: Numeric, kind: str) -> list[str]:
    label = "" if numeric.labels is None else f" and the label column {numeric.labels.name!r}"
    return [f"{kind} holds numbers only: the names of the columns{label} are not in it."]


#: Suffix -> writer.
WRITERS: dict[str, Writer] = {
    **{suffix: _framed(suffix) for suffix in FRAMES},
    ".npy": _npy,
    ".npz": _npz,
    ".mtx": _mtx,
}
