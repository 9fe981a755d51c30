"""A matrix fit to use: missing, infinite and constant values are looked for and named."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import row_blocks
from ..exceptions import DataError
from ..io._messages import counted, listed
from ..scaling import is_constant
from ._columns import Numeric

__all__ = ["checked"]

Counts = NDArray[np.int64]
#: A column that counts this many rows or more, from 0 or 1, draws a remark.
ROW_NUMBERS = 10
#: The largest entry of a column that can be squared and summed lies between these.
SMALLEST, LARGEST = 1e-150, 1e150


class Facts(NamedTuple):
    """About every column, from one pass over the rows."""

    missing: Counts
    infinite: Counts
    lowest: NDArray[Any]
    highest: NDArray[Any]


def checked(table_name: str, numeric: Numeric, *, impute: str | None, k: int = 0) -> Numeric:
    """The same columns without missing values, and with remarks on constant ones.

    Raises
    ------
    DataError
        If there are missing values and `impute` is None, infinite values, values that cannot be
        squared, or fewer than `k` columns.
    """
    facts = _facts(numeric.X)
    _refuse_infinite(table_name, numeric, facts)
    _refuse_extreme(table_name, numeric, facts)
    n = len(numeric.names)
    if k > n:
        raise DataError(
            f"-k {k:,} asks for more than the {counted(n, 'column')} there are to choose from in "
            f"{table_name}; ask for {n:,} or fewer."
        )
    X, notes = numeric.X, [*numeric.notes, *_remarks(numeric, facts)]
    if facts.missing.any():
        X = _imputed(table_name, numeric, facts, impute)
        where = counted(int(np.count_nonzero(facts.missing)), "column")
        notes.append(
            f"{counted(int(facts.missing.sum()), 'missing value')} in {where} replaced by the "
            f"column's {impute} (--impute {impute})."
        )
    return Numeric(X, numeric.names, numeric.labels, notes)


def _facts(X: Any) -> Facts:
    n = X.shape[1]
    missing, infinite = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    lowest, highest = np.full(n, np.inf), np.full(n, -np.inf)
    for block in row_blocks(X):
        nan, low, high = _sparse_facts(block) if sp.issparse(block) else _dense_facts(block)
        missing += nan
        infinite += _infinite(block)
        lowest, highest = np.fmin(lowest, low), np.fmax(highest, high)
    return Facts(missing, infinite, lowest, highest)


def _dense_facts(block: Any) -> tuple[Any, Any, Any]:
    nan = np.isnan(block)
    low = np.where(nan, np.inf, block).min(axis=0)
    high = np.where(nan, -np.inf, block).max(axis=0)
    return nan.sum(axis=0), low, high


def _sparse_facts(block: Any) -> tuple[Any, Any, Any]:
    nan = np.bincount(block.indices[np.isnan(block.data)], minlength=block.shape[1])
    return nan, block.nanmin(axis=0).toarray().ravel(), block.nanmax(axis=0).toarray().ravel()


def _infinite(block: Any) -> Any:
    if sp.issparse(block):
        return np.bincount(block.indices[np.isinf(block.data)], minlength=block.shape[1])
    return np.isinf(block).sum(axis=0)


def _refuse_infinite(table_name: str, numeric: Numeric, facts: Facts) -> None:
    where = np.flatnonzero(facts.infinite)
    if len(where):
        names = [numeric.names[i] for i in where]
        raise DataError(
            f"{table_name}: {counted(int(facts.infinite.sum()), 'infinite value')} in "
            f"{counted(len(where), 'column')}: {listed(names)}; correct "
            f"{'it' if facts.infinite.sum() == 1 else 'them'}, or leave the "
            f"{'column' if len(where) == 1 else 'columns'} out (--drop {names[0]!r})."
        )


def _refuse_extreme(table_name: str, numeric: Numeric, facts: Facts) -> None:
    size = np.maximum(np.abs(facts.lowest), np.abs(facts.highest))
    far = np.isfinite(size) & ((size > LARGEST) | ((size < SMALLEST) & (size > 0)))
    where = np.flatnonzero(far)  # without any value: not finite
    if len(where):
        names = [numeric.names[i] for i in where]
        one = len(where) == 1
        raise DataError(
            f"{table_name}: {counted(len(where), 'column')} whose largest value in magnitude is "
            f"{size[where[0]]:.3g}{'' if one else ' or the like'}, which cannot be squared: "
            f"{listed(names)}; give {'it' if one else 'them'} in another unit, or leave the "
            f"{'column' if one else 'columns'} out (--drop {names[0]!r})."
        )


def _imputed(table_name: str, numeric: Numeric, facts: Facts, impute: str | None) -> Any:
    from sklearn.impute import SimpleImputer

    where = np.flatnonzero(facts.missing)
    names = [numeric.names[i] for i in where]
    m = numeric.X.shape[0]
    empty = [numeric.names[i] for i in where if facts.missing[i] == m]
    if empty:
        drops = f"--drop {empty[0]!r}" + (" and so on" if len(empty) > 1 else "")
        raise DataError(
            f"{table_name}: {counted(len(empty), 'column')} without any value: {listed(empty)}; "
            f"leave {'it' if len(empty) == 1 else 'them'} out ({drops})."
        )
    if impute is None:
        raise DataError(
            f"{table_name}: {counted(int(facts.missing.sum()), 'missing value')} in "
            f"{counted(len(where), 'column')}: {listed(names)}; fill them in with --impute median "
            f"(or mean), or leave the {'column' if len(where) == 1 else 'columns'} out (--drop "
            f"{names[0]!r})."
        )
    return SimpleImputer(strategy=impute).fit_transform(numeric.X)


def _remarks(numeric: Numeric, facts: Facts) -> list[str]:
    notes = []
    constant = [numeric.names[i] for i in np.flatnonzero(is_constant(facts.lowest, facts.highest))]
    if constant:
        notes.append(
            f"{counted(len(constant), 'column')} with one value only: {listed(constant)}; kept, "
            "but once centred (--scale standard) such a column tells nothing."
        )
    counting = [numeric.names[i] for i in np.flatnonzero(_may_count_rows(numeric.X, facts))]
    counting = [name for name in counting if _counts_rows(numeric, name)]
    if counting:
        notes.append(
            f"{listed(counting)} counts the rows (0, 1, 2, ... or 1, 2, 3, ...); if it is a row "
            f"number and not a measurement, leave it out with --drop {counting[0]!r}."
        )
    return notes


def _may_count_rows(X: Any, facts: Facts) -> Any:
    span = facts.highest - facts.lowest == X.shape[0] - 1
    return span & np.isin(facts.lowest, (0, 1)) & (X.shape[0] >= ROW_NUMBERS)


def _counts_rows(numeric: Numeric, name: str) -> bool:
    X = numeric.X
    column = X[:, [numeric.names.index(name)]]
    column = (column.toarray() if sp.issparse(column) else column).ravel()
    return bool(np.all(np.diff(column) == 1))
