"""Whatever a table is given as, as numbers that a method can use."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, TypedDict

import numpy as np
import scipy.sparse as sp

from .._validation import is_anndata
from .._wording import SCALED, argument, counted
from ..exceptions import ArgumentError, DataError
from ..io import Graph, NumericTable, Table, numeric_table, read_table


class Preparing(TypedDict, total=False):
    """The arguments of `sksieve.io.numeric_table` that every workflow on tables takes."""

    columns: str | Sequence[str] | None
    drop: str | Sequence[str] | None
    include: str | Sequence[str] | None
    label_column: str | None
    numeric_only: bool
    encode: Literal["onehot"] | None
    impute: Literal["median", "mean", "knn"] | None
    drop_missing: str | None


def as_numeric(X: Any, preparing: Preparing, named: Sequence[str] = ()) -> NumericTable:
    """The table as numbers; `named` columns are used although they look like labels.

    Raises
    ------
    DataError
        If it cannot be used, with the arguments that help.
    ArgumentError
        If a table that is prepared already is to be prepared again.
    """
    if isinstance(X, NumericTable):
        if preparing:
            names = ", ".join(map(argument, preparing))
            raise ArgumentError(f"{names}: the table is prepared already; give it to numeric_table")
        return X
    return numeric_table(_as_table(X), named=named, **preparing)


def _as_table(X: Any) -> Any:
    if isinstance(X, str | os.PathLike):
        return read_table(X)
    if isinstance(X, Table):
        return X
    if is_anndata(X):
        matrix, names = X.X, [str(name) for name in X.var_names]
        matrix = matrix if sp.issparse(matrix) else np.asarray(matrix)
        return Table("The AnnData object", matrix, names, sha256="", hashed="array")
    if sp.issparse(X) or isinstance(X, np.ndarray | list | tuple):
        matrix = sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
        if matrix.ndim != 2:
            raise DataError(f"X has {matrix.ndim} dimensions; a table has rows and columns.")
        names = [f"x{j}" for j in range(matrix.shape[1])]
        return Table("The table", matrix, names, sha256="", hashed="array")
    return X


def size_of(X: Any) -> str:
    """The size of a table in words."""
    m, n = X.shape
    sparse = ", sparse" if hasattr(X, "tocsr") else ""
    return f"{counted(m, 'row')} x {counted(n, 'column')}{sparse}"


def data_line(numeric: NumericTable, scale: str) -> str:
    """The table in one line."""
    return f"Data: {numeric.table.name}, {size_of(numeric.X)}, {SCALED[scale]}"


def label_name(numeric: NumericTable) -> str | None:
    """Name of the label column."""
    return None if numeric.labels is None else numeric.labels.name


def source_entry(source: Table | Graph, label_column: str | None) -> dict[str, Any]:
    """What was read, for a JSON document."""
    return {
        "name": source.name,
        "sha256": source.sha256,
        "sha256_of": source.hashed,  # "file", "stdin", "rows" or "array" (float64, row by row)
        "label_column": label_column,
    }


def data_entry(numeric: NumericTable) -> dict[str, Any]:
    """The table, for a JSON document."""
    m, n = map(int, numeric.X.shape)
    size = {"n_samples": m, "n_features": n, "sparse": hasattr(numeric.X, "tocsr")}
    return source_entry(numeric.table, label_name(numeric)) | size
