"""Write some columns of a numeric table with its labels, in many formats."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import scipy.io
import scipy.sparse as sp

from .._array import dense
from .._replace import replacing
from ..exceptions import DataError
from ._messages import package
from ._numeric import NumericTable
from ._write import FRAMES

#: Endings of text: cells of a text file are copied as they are written.
TEXT = (".csv", ".tsv")


class Chosen(NamedTuple):
    """What is written: the table, and which of its columns."""

    numeric: NumericTable
    columns: list[int]

    @property
    def names(self) -> list[str]:
        return [self.numeric.columns[j] for j in self.columns]


def write_columns(
    path: str | os.PathLike[str], numeric: NumericTable, columns: Any = None
) -> list[str]:
    """Write all rows of some columns, and the label column where there is one.

    Values are as they were read (filled in where values were missing), not scaled.

    Parameters
    ----------
    path : str or path-like
        ``.csv``, ``.tsv``, ``.parquet``, ``.feather``, ``.npy``, ``.npz`` or ``.mtx``. A file of
        that name is replaced once everything is written; see `replacing`.
    numeric : NumericTable
        As made by `numeric_table`.
    columns : array-like of int, optional
        Indices of the columns, such as ``ranking_[:k]`` of a selector; by default all.

    Returns
    -------
    notes : list of str
        What the format cannot hold.

    Raises
    ------
    DataError
        If the ending is not one of those above.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sksieve.io import numeric_table, write_columns
    >>> numeric = numeric_table({"a": [1, 2], "b": [0.5, 2.5], "class": ["x", "y"]},
    ...                         label_column="class")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "chosen.csv"
    ...     notes = write_columns(path, numeric, [1])
    ...     path.read_text()
    'b,class\\n0.5,x\\n2.5,y\\n'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise DataError(
            f"{path}: the ending {suffix or '(none)'} is not one of {', '.join(WRITERS)}."
        )
    indices = range(len(numeric.columns)) if columns is None else columns
    with replacing(path) as file:
        notes = WRITERS[suffix](file, Chosen(numeric, [int(j) for j in indices]))
    return [f"{path}: {note}" for note in notes]


def _frame(chosen: Chosen, as_text: bool) -> Any:
    """An Arrow table; columns that were neither filled in nor encoded stay as they were read."""
    pa = package("pyarrow", "cli")
    X, labels = dense(_values(chosen)), chosen.numeric.labels
    parts = {}
    for i, name in enumerate(chosen.names):
        unchanged = _unchanged(chosen.numeric, name, as_text)
        parts[name] = pa.chunked_array([pa.array(X[:, i])]) if unchanged is None else unchanged
    if labels is not None:
        is_arrow = hasattr(labels.values, "chunks")
        parts[labels.name] = labels.values if is_arrow else pa.array(labels.values)
    return pa.table(parts)


def _values(chosen: Chosen) -> Any:
    """The chosen columns of the matrix; whole numbers stay whole numbers."""
    numeric, table = chosen.numeric, chosen.numeric.table
    if getattr(getattr(table.data, "dtype", None), "kind", "f") not in "iu":
        X = numeric.X[:, chosen.columns]
    else:
        places = {name: i for i, name in enumerate(table.columns)}
        X = table.data[:, [places[name] for name in chosen.names]]
        X = X if numeric.rows is None else X[numeric.rows]
    return X if sp.issparse(X) else np.asarray(X)


def _unchanged(numeric: NumericTable, name: str, as_text: bool) -> Any:
    """A column without missing values as it was read; for a text file, as it is written."""
    table = numeric.table
    if name not in table.columns:
        return None
    i = list(table.columns).index(name)
    if as_text and table.text is not None:
        pc = package("pyarrow.compute", "cli")
        cells = table.text(i)
        has_decimal_comma = pc.any(pc.match_substring(cells, ",")).as_py()
        if not has_decimal_comma and not _has_missing(table.data, i):
            return _rows(cells, numeric)
    if not hasattr(table.data, "column_names") or table.data.column(i).null_count:
        return None
    return _rows(table.data.column(i), numeric)


def _rows(column: Any, numeric: NumericTable) -> Any:
    return column if numeric.rows is None else column.take(numeric.rows)


def _has_missing(data: Any, i: int) -> bool:
    if hasattr(data, "column_names"):
        return bool(data.column(i).null_count)
    return bool(np.isnan(data[:, i]).any())


def _framed(suffix: str) -> Callable[[BinaryIO, Chosen], list[str]]:
    def write(file: BinaryIO, chosen: Chosen) -> list[str]:
        FRAMES[suffix](file, _frame(chosen, suffix in TEXT))
        return []

    return write


def _npy(file: BinaryIO, chosen: Chosen) -> list[str]:
    np.save(file, dense(_values(chosen)), allow_pickle=False)
    return _not_held(chosen.numeric, "NPY")


def _npz(file: BinaryIO, chosen: Chosen) -> list[str]:
    X, labels = _values(chosen), chosen.numeric.labels
    arrays: dict[str, Any] = {"feature_names": np.array(chosen.names, dtype=str)}
    if sp.issparse(X):  # readable by scipy.sparse.load_npz
        arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        arrays |= {"shape": np.array(X.shape), "format": np.array(b"csr")}
    else:
        arrays["X"] = X
    if labels is not None:
        values = labels.values
        values = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
        arrays["y"] = values.astype(str) if values.dtype == object else values  # no pickling
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return []


def _mtx(file: BinaryIO, chosen: Chosen) -> list[str]:
    scipy.io.mmwrite(file, _values(chosen))
    return _not_held(chosen.numeric, "Matrix Market")


def _not_held(numeric: NumericTable, kind: str) -> list[str]:
    label = "" if numeric.labels is None else f" and the label column {numeric.labels.name!r}"
    return [f"{kind} holds numbers only: the names of the columns{label} are not in it."]


#: Suffix -> writer.
WRITERS: dict[str, Callable[[BinaryIO, Chosen], list[str]]] = {
    **{suffix: _framed(suffix) for suffix in FRAMES},
    ".npy": _npy,
    ".npz": _npz,
    ".mtx": _mtx,
}
COLUMN_SUFFIXES = tuple(WRITERS)
