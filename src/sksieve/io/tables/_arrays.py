"""Which array of a file is the table, and what the other arrays hold."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._array import check_sparse
from ..._wording import argument, counted, listed
from ...exceptions import DataError
from ._table import ROW_BYTES, Numbered, ReadOptions, Table, require_shape


def choose(name: str, shapes: Mapping[str, tuple[int, ...]], options: ReadOptions) -> str:
    """The array that is the table: `name`, else ``X``, else the only one with two dimensions.

    Parameters
    ----------
    name : str
        The file, for messages.
    shapes : dict of str -> tuple of int
        Shape of every array that can be read.
    options : ReadOptions

    Raises
    ------
    DataError
        If several arrays could be it, or it does not exist; the message names the arrays.
    """
    there = ", ".join(f"{key!r} {_size(shape)}" for key, shape in list(shapes.items())[:8])
    if options.name is not None:
        if options.name not in shapes:
            raise DataError(f"{name} has no array {options.name!r}; it has {there or 'none'}.")
        return options.name
    if "X" in shapes:
        return "X"
    tables = [key for key, shape in shapes.items() if len(shape) == 2 and min(shape) > 1]
    if len(tables) == 1:
        return tables[0]
    if not tables:
        raise DataError(f"{name} has no array with two dimensions; it has {there or 'none'}.")
    raise DataError(
        f"{name} has several arrays that could be the table: {there}; choose one, for example "
        f"{argument('name', tables[0])}."
    )


def _size(shape: Sequence[int]) -> str:
    return f"({' x '.join(map(str, shape))})"


def check_array(name: str, X: Any) -> Any:
    """Refuse what is not a table of real numbers; booleans and half precision get a wider type."""
    if not sp.issparse(X) and X.dtype.names:
        raise DataError(
            f"{name} holds records with the fields {listed(X.dtype.names)}, not an array of "
            "numbers; save it as CSV or Parquet."
        )
    if X.ndim != 2:
        raise DataError(
            f"{name} has {counted(X.ndim, 'dimension')}, shape {_size(X.shape)}; a table has two: "
            "samples in rows, columns in columns."
        )
    if X.dtype.kind == "c":
        raise DataError(
            f"{name} holds complex numbers; give real ones, for example real and imaginary parts "
            "as columns of their own."
        )
    if X.dtype.kind not in "fiub":
        raise DataError(f"{name} holds {_kind(X.dtype)}, not numbers; save numbers only.")
    return X


def _kind(dtype: np.dtype[Any]) -> str:
    words = {"U": "text", "S": "text", "M": "dates", "m": "time spans", "O": "Python objects"}
    return words.get(dtype.kind, f"values of type {dtype}")


def array_table(
    name: str,
    X: Any,
    others: Mapping[str, Any],
    sha256: str,
    *,
    notes: Sequence[str] = (),
    array: str = "X",
) -> Table:
    """A table from the array X and the arrays beside it.

    ``feature_names`` names the columns where it has one entry for each; arrays with one value per
    row can serve as labels.
    """
    X = check_array(name, X)
    m, n = X.shape
    require_shape(name, m, n, 0.0)
    notes, others = list(notes), dict(others)
    columns: Sequence[str] = Numbered(n)
    names = others.pop("feature_names", None)
    if names is not None and np.size(names) == n:
        columns = as_strings(names)
    elif names is not None:
        notes.append(
            f"'feature_names' has {counted(np.size(names), 'entry').replace('entrys', 'entries')} "
            f"for {counted(n, 'column')} and is not used: columns are called x0, x1, ..."
        )
    side = {
        key: np.ravel(a)
        for key, a in others.items()
        if isinstance(a, np.ndarray) and is_per_row(a.shape, m)
    }
    return Table(name, X, columns, sha256, array=array, side=side, notes=tuple(notes))


def is_per_row(shape: Sequence[int], m: int) -> bool:
    """Whether an array of this shape has one value for each of `m` rows."""
    return math.prod(shape) == m and max(shape, default=0) == m


def sparse_table(name: str, X: Any) -> Any:
    """A sparse matrix as CSR, its shape judged and its indices checked before it is converted.

    Raises
    ------
    DataError
        If its arrays contradict its shape, or the matrix would take more than the memory limit.
    """
    m, n = X.shape
    require_shape(name, m, n, 40.0 * X.nnz + ROW_BYTES * m)
    check_sparse(X, name)
    X = sp.csr_array(X)
    check_sparse(X, name)
    return X


def as_strings(names: Any) -> list[str]:
    """Names of any array-like as stripped strings."""
    return [
        (x.decode("utf-8", "replace") if isinstance(x, bytes) else str(x)).strip()
        for x in np.ravel(names)
    ]


def sparse_arrays(read: Callable[..., Any]) -> dict[str, bool]:
    """Arguments that make a reader of SciPy return sparse arrays (from SciPy 1.15 on)."""
    return {"spmatrix": False} if "spmatrix" in inspect.signature(read).parameters else {}
