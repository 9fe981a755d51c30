"""A table in a file as a data set: numeric columns, and labels where one column holds them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import dense, stored_values
from ..exceptions import DataError
from ..io import Table, read_table
from ..io.tables import READERS


class FileTable(NamedTuple):
    """What a file holds: samples as rows, and labels 0, 1, ... or None."""

    X: Any
    y: NDArray[np.intp] | None


def is_path(text: str) -> bool:
    """Is this how a spec writes a path, and not a name of the catalogue?

    Examples
    --------
    >>> is_path("people.csv"), is_path("../data/x.npz"), is_path("iris")
    (True, True, False)
    """
    stem = text.lower().removesuffix(".gz")
    return os.sep in text or "/" in text or Path(stem).suffix in READERS


def read_file(path: str, label: str | None) -> FileTable:
    """The numeric columns of a table, and its labels.

    Parameters
    ----------
    path : str
        Any file that `sksieve.io.read_table` reads.
    label : str or None
        Column, or other array of the file, that holds the labels.

    Raises
    ------
    DataError
        If the file cannot be read, has no such label, or other columns are not numbers, or values
        are missing.
    """
    table = read_table(path)
    name = Path(path).name
    names = list(table.columns)
    if label is None:
        return FileTable(_numbers(table, names, name), None)
    if label in names:
        kept = [column for column in names if column != label]
        return FileTable(_numbers(table, kept, name), _codes(_column(table, label), name, label))
    if label in table.side:
        return FileTable(_numbers(table, names, name), _codes(table.side[label], name, label))
    available = ", ".join([*names[:8], *(["..."] if len(names) > 8 else []), *table.side])
    raise DataError(f"{name} has no column {label!r} for labels; it has {available}.")


def _column(table: Table, label: str) -> Any:
    if hasattr(table.data, "to_pandas"):
        return table.data.column(list(table.columns).index(label)).to_numpy(zero_copy_only=False)
    column = table.data[:, [list(table.columns).index(label)]]
    return np.ravel(dense(column))


def _codes(values: Any, name: str, label: str) -> NDArray[np.intp]:
    """Labels as 0, 1, ... in sorted order of their texts."""
    values = np.asarray(values)
    is_missing = [value is None or value != value for value in values.tolist()]
    if any(is_missing):
        raise DataError(f"{name}: {sum(is_missing)} labels in {label!r} are missing.")
    return np.unique(values.astype(str), return_inverse=True)[1].astype(np.intp)


def _numbers(table: Table, kept: list[str], name: str) -> Any:
    """The columns to use as floating-point numbers without missing values."""
    position = {column: j for j, column in enumerate(table.columns)}
    chosen = [position[column] for column in kept]
    if hasattr(table.data, "to_pandas"):
        frame = table.data.select(chosen).to_pandas()
        text = [str(c) for c in frame if not np.issubdtype(np.asarray(frame[c]).dtype, np.number)]
        if text:
            raise DataError(
                f"{name}: the columns {', '.join(text[:8])}{' ...' if text[8:] else ''} are not "
                "numbers. Name one as label, or save the table without them."
            )
        X = frame.to_numpy(dtype=np.float64)
    elif sp.issparse(table.data):
        X = sp.csr_array(table.data)[:, chosen].astype(np.float64)
    else:
        X = np.asarray(table.data)[:, chosen]
        X = X if X.dtype.kind == "f" else X.astype(np.float64)
    n_missing = int(np.isnan(stored_values(X)).sum())
    if n_missing:
        raise DataError(f"{name}: {n_missing} values are missing; fill them in first.")
    return X
