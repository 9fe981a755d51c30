"""Codes for missing values in tables that are stored as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._wording import argument
from ...exceptions import DataError
from .._messages import package
from ._table import Table, require_shape

#: Bytes that a cell takes while codes are replaced: a number, whether it is one, the new number.
CELL_BYTES = 24.0


def without_codes(table: Table, codes: Sequence[str]) -> Table:
    """The table with a missing value in each cell that holds one of the codes.

    Parameters
    ----------
    table : Table
        Of Arrow columns, a dense array, or CSR.
    codes : sequence of str
        Texts; those that are numbers stand for missing values in columns of numbers too.
    """
    numbers = numbers_of(codes)
    n_cells = table.data.nnz if sp.issparse(table.data) else table.shape[0] * table.shape[1]
    require_shape(table.name, *table.shape, CELL_BYTES * n_cells)
    if sp.issparse(table.data):
        return replace(table, data=_sparse(table, numbers))
    if isinstance(table.data, np.ndarray):
        return replace(table, data=np.where(np.isin(table.data, numbers), np.nan, table.data))
    data = table.data
    for i, name in enumerate(table.columns):
        data = data.set_column(i, name, _column(data.column(i), codes, numbers))
    return replace(table, data=data)


def numbers_of(codes: Sequence[str]) -> list[float]:
    """Those of the codes that are numbers."""
    numbers = []
    for code in codes:
        with suppress(ValueError):
            numbers.append(float(code))
    return numbers


def _sparse(table: Table, numbers: list[float]) -> Any:
    if 0.0 in numbers:
        raise DataError(
            f"{table.name} is sparse: its zeros are not stored, and none of them can stand for a "
            f"missing value. Leave 0 out of {argument('missing')}, or read a dense array."
        )
    X = table.data.astype(np.result_type(table.data.dtype, np.float32))
    X.data[np.isin(X.data, numbers)] = np.nan
    return X


def _column(column: Any, codes: Sequence[str], numbers: list[float]) -> Any:
    pa, pc = package("pyarrow", "cli"), package("pyarrow.compute", "cli")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        is_code = pc.is_in(column, value_set=pa.array(codes, type=kind))
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind):
        values = column.cast(pa.float64(), safe=False)
        is_code = pc.is_in(values, value_set=pa.array(numbers, type=pa.float64()))
    else:
        return column
    return pc.if_else(is_code, pa.scalar(None, type=kind), column)
