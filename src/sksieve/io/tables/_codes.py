"""Codes for missing values in tables that are stored as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._messages import package
from ._table import Table, require_shape

#: Bytes that a cell takes while codes are replaced: a number, whether it is one, the new number.
CELL_BYTES = 24.0


def without_codes(table: Table, codes: Sequence[str]) -> Table:
    """The table with a missing value in each cell that holds one of the codes.

    Parameters
    ----------
    table : Table
        Of Arrow columns, or a dense array.
    codes : sequence of str
        Texts; those that are numbers stand for missing values in columns of numbers too.
    """
    require_shape(table.name, *table.shape, CELL_BYTES * table.shape[0] * table.shape[1])
    numbers = [number for code in codes if (number := _number(code)) is not None]
    if isinstance(table.data, np.ndarray):
        return replace(table, data=np.where(np.isin(table.data, numbers), np.nan, table.data))
    data = table.data
    for i, name in enumerate(table.columns):
        data = data.set_column(i, name, _column(data.column(i), codes, numbers))
    return replace(table, data=data)


def _number(code: str) -> float | None:
    try:
        return float(code)
    except ValueError:
        return None


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
