"""From a table as read to the columns a method may use: labels, --columns, --drop."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ..exceptions import DataError
from ..io._messages import counted, listed
from ..io.tables import Table
from ..io.tables._text import MISSING
from ._arrow_columns import arrow_columns
from ._options import TableOptions

__all__ = ["Labels", "Numeric", "numeric_columns"]

#: A column of such a name among those to use draws a remark.
LABEL_NAMES = ("class", "label", "labels", "target", "y")


@dataclass(frozen=True, eq=False)
class Labels:
    """The label column, set aside.

    Parameters
    ----------
    name : str
    values : array or Arrow array of shape (m,)
        Of a text file: strings, as they are written.
    missing : tuple of str
        Strings that stand for a missing label.
    """

    name: str
    values: Any
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Numeric:
    """The columns a method may use, as numbers; NaN and infinite values still in.

    Parameters
    ----------
    X : ndarray or CSR of shape (m, n)
        Floating point.
    names : list of str
        Distinct names of its columns.
    labels : Labels or None
    notes : list of str
        What was done that the reader must know.
    """

    X: Any
    names: list[str]
    labels: Labels | None = None
    notes: list[str] = field(default_factory=list)


def numeric_columns(table: Table, options: TableOptions) -> Numeric:
    """The columns to use.

    Raises
    ------
    DataError
        If the table has no rows, columns of the same name or with text, or an option names a column
        that is not there.
    """
    _check_shape(table)
    _check_names(table)
    labels, label_index = _labels(table, options.label_column)
    keep = _kept(table, options, label_index)
    notes = [*table.notes, *_unused(table, labels)]
    notes += [
        f"{name!r} may hold labels and is used like the others; if it does, add "
        f"--label-column {name}."
        for name in (table.columns[i] for i in keep)
        if name.lower() in LABEL_NAMES
    ]
    if not _is_arrow(table):
        X = table.data if len(keep) == table.shape[1] else table.data[:, keep]
        return Numeric(_floating(X), [table.columns[i] for i in keep], labels, notes)
    X, names = arrow_columns(table, keep, options, notes)
    return Numeric(X, names, labels, notes)


def _is_arrow(table: Table) -> bool:
    return hasattr(table.data, "column_names")


def _check_shape(table: Table) -> None:
    m, n = table.shape
    if not n:
        raise DataError(f"{table.name} has no columns.")
    if not m:
        raise DataError(f"{table.name} has the names of {counted(n, 'column')} but no rows.")
    if m == 1:
        raise DataError(f"{table.name} has one row; at least two are needed.")


def _check_names(table: Table) -> None:
    repeated = [name for name, times in Counter(table.columns).items() if times > 1]
    if repeated:
        raise DataError(
            f"{table.name}: {counted(len(repeated), 'column name')} "
            f"{'occurs' if len(repeated) == 1 else 'occur'} more than once: {listed(repeated)}; "
            "rename the columns so that each name is there once."
        )


def _labels(table: Table, wanted: str | None) -> tuple[Labels | None, int | None]:
    if wanted is None:
        return None, None
    columns = list(table.columns)
    if wanted in columns:
        i = columns.index(wanted)
        if table.text is not None:
            return Labels(wanted, table.text(i), MISSING), i
        column = table.data.column(i) if _is_arrow(table) else _dense(table.data[:, [i]]).ravel()
        return Labels(wanted, column), i
    if wanted in table.side:
        return Labels(wanted, table.side[wanted]), None
    raise DataError(
        f"{table.name} has no label column {wanted!r}{_nearest(wanted, [*columns, *table.side])}"
    )


def _unused(table: Table, labels: Labels | None) -> list[str]:
    """A remark on arrays beside the table, unless the labels are one of them."""
    if not table.side or (labels is not None and labels.name in table.side):
        return []
    return [
        f"Not used: {listed(table.side)} (one value per row; --label-column copies one to the "
        "output)."
    ]


def _nearest(wanted: str, names: Sequence[str]) -> str:
    """The end of "there is no column ...": the closest names."""
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.6)
    folded = [name for name in names if name.lower() == wanted.lower()]
    near = folded + [name for name in near if name not in folded]
    if near:
        return f"; did you mean {' or '.join(map(repr, near[:3]))}?"
    return f"; it has {listed(names)}."


def _matches(table: Table, patterns: Sequence[str], option: str) -> set[int]:
    """Columns called exactly so, else those that match the pattern with * and ?."""
    found: set[int] = set()
    for pattern in patterns:
        hits = {i for i, name in enumerate(table.columns) if name == pattern}
        hits = hits or {i for i, name in enumerate(table.columns) if fnmatchcase(name, pattern)}
        if not hits:
            raise DataError(
                f"{option} {pattern!r}: {table.name} has no such column"
                f"{_nearest(pattern, list(table.columns))}"
            )
        found |= hits
    return found


def _kept(table: Table, options: TableOptions, label: int | None) -> list[int]:
    """Indices of the columns to use, in the table's order."""
    every = set(range(len(table.columns)))
    keep = _matches(table, options.columns, "--columns") if options.columns else every
    keep = keep - _matches(table, options.drop, "--drop") - {label}
    if not keep:
        raise DataError(
            f"{table.name}: no column is left after --columns, --drop and --label-column."
        )
    return sorted(keep)


def _floating(X: Any) -> Any:
    """Integers and booleans as float64, half precision as float32; float32 and float64 stay."""
    if X.dtype.kind != "f":
        return X.astype(np.float64)
    wider = {2: np.float32, 4: np.float32, 8: np.float64}.get(X.dtype.itemsize, np.float64)
    return X.astype(wider, copy=False)


def _dense(X: Any) -> Any:
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)
