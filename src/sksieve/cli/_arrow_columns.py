"""Columns of any type as numbers: text is refused, or turned into 0/1 columns."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ..exceptions import DataError
from ..io._messages import counted, listed, package
from ..io.tables import Table
from ._options import TableOptions

__all__ = ["MOST_CATEGORIES", "arrow_columns"]

#: A text column with more different values than this is not turned into 0/1 columns.
MOST_CATEGORIES = 100


def arrow_columns(
    table: Table, keep: list[int], options: TableOptions, notes: list[str]
) -> tuple[Any, list[str]]:
    """Columns as numbers; text refused, or turned into 0/1 columns where --encode says so.

    Parameters
    ----------
    table : Table
        With an Arrow table.
    keep : list of int
        The columns wanted.
    options : TableOptions
    notes : list of str
        What was done is added to it.

    Returns
    -------
    X : ndarray of shape (m, n)
        float32 where all columns are, else float64; missing values are NaN.
    names : list of str

    Raises
    ------
    DataError
        If columns hold text and --encode is not given, or hold numbers but for a few cells.
    """
    pa = package("pyarrow", "cli")
    columns = {table.columns[i]: _plain(pa, table.data.column(i)) for i in keep}
    text = [name for name, column in columns.items() if not _is_numeric(pa, column.type)]
    for name in text:
        _refuse_stray_cells(table, name, columns[name])
    if text and options.encode is None:
        raise DataError(_text_refused(table, text, columns))
    parts, names = [], []
    for name, column in columns.items():
        if name in text:
            values, made = _encoded(table, name, column)
        else:
            values, made = [_numbers(pa, column)], [name]
        parts += values
        names += made
    if text:
        n_made = len(names) - (len(columns) - len(text))
        notes.append(
            f"{counted(len(text), 'text column')} ({listed(text)}) became "
            f"{counted(n_made, '0/1 column')} (--encode onehot)."
        )
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise DataError(
            f"{table.name}: --encode onehot would make a second column called {listed(repeated)}; "
            "rename the column that has that name."
        )
    return _joined(parts), names


def _plain(pa: Any, column: Any) -> Any:
    """A categorical column as its values."""
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column


def _is_numeric(pa: Any, kind: Any) -> bool:
    t = pa.types
    return bool(
        t.is_integer(kind)
        or t.is_floating(kind)
        or t.is_boolean(kind)
        or t.is_decimal(kind)
        or t.is_null(kind)
    )


def _numbers(pa: Any, column: Any) -> Any:
    """A numeric Arrow column as floating point, missing values as NaN."""
    kind = column.type
    if pa.types.is_float16(kind):
        return column.to_numpy().astype(np.float32)
    if pa.types.is_float32(kind):
        return column.to_numpy()
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    return column.cast(pa.float64(), safe=False).to_numpy()


def _joined(parts: list[Any]) -> Any:
    single = all(part.dtype == np.float32 for part in parts)
    X = np.empty((len(parts[0]), len(parts)), dtype=np.float32 if single else np.float64, order="F")
    for i, part in enumerate(parts):
        X[:, i] = part
    return X


def _refuse_stray_cells(table: Table, name: str, column: Any) -> None:
    """Refuse a column of numbers that a few cells, or decimal commas, have turned into text."""
    if str(column.type) not in ("string", "large_string"):
        return
    cells = column.to_pylist()
    stray = [(row, cell) for row, cell in enumerate(cells) if cell is not None and _odd(cell)]
    present = sum(cell is not None for cell in cells)
    if stray and all(_has_decimal_comma(cell) for _, cell in stray):
        raise DataError(
            f"{table.name}: the numbers of column {name!r} have a decimal comma "
            f"({stray[0][1]!r}); add --decimal ','."
        )
    if not stray or len(stray) > present / 2:
        return
    row, cell = stray[0]
    same = all(other == cell for _, other in stray)
    missing = f"pass --missing {cell!r} if it stands for a missing value, " if same else ""
    raise DataError(
        f"{table.name}: column {name!r} is numeric but for {counted(len(stray), 'cell')} of "
        f"{len(cells):,}, the first in row {row + 1}: {cell[:40]!r}; {missing}"
        f"correct the {'cells' if len(stray) > 1 else 'cell'}, or leave the column out with "
        f"--drop {name!r}."
    )


def _odd(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return True
    return False


def _has_decimal_comma(cell: str) -> bool:
    return cell.count(",") == 1 and not _odd(cell.replace(",", "."))


def _text_refused(table: Table, text: list[str], columns: dict[str, Any]) -> str:
    first = next((v for v in columns[text[0]].to_pylist() if v is not None), None)
    many = len(text) > 1
    return (
        f"{table.name}: {counted(len(text), 'column')} of {len(columns):,} "
        f"{'do' if many else 'does'} not hold numbers: {listed(text)} (for example "
        f"{str(first)!r}); leave {'them' if many else 'it'} out (--drop {text[0]!r}), say which "
        f"holds the labels (--label-column {text[0]!r}), or turn text into 0/1 columns (--encode "
        "onehot)."
    )


def _encoded(table: Table, name: str, column: Any) -> tuple[list[Any], list[str]]:
    """One 0/1 column for each value (one in all where there are two)."""
    from sklearn.preprocessing import OneHotEncoder

    if "list" in str(column.type) or "struct" in str(column.type):
        raise DataError(
            f"{table.name}: column {name!r} holds nested values ({column.type}), which cannot be "
            f"turned into numbers; leave it out with --drop {name!r}."
        )
    cells = np.array(
        [["(missing)" if cell is None else str(cell)] for cell in column.to_pylist()], dtype=object
    )
    encoder = OneHotEncoder(drop="if_binary", sparse_output=False).fit(cells)
    n_values = len(encoder.categories_[0])
    if n_values > MOST_CATEGORIES:
        raise DataError(
            f"{table.name}: column {name!r} has {n_values:,} different values, too many for 0/1 "
            f"columns (limit {MOST_CATEGORIES}); leave it out with --drop {name!r}."
        )
    values = encoder.transform(cells)
    kept = [c for i, c in enumerate(encoder.categories_[0]) if i != _dropped(encoder)]
    return list(values.T), [f"{name}={category}" for category in kept]


def _dropped(encoder: Any) -> int | None:
    return None if encoder.drop_idx_ is None else encoder.drop_idx_[0]
