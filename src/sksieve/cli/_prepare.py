"""From a table as read to the matrix a method gets: which columns, as numbers, without gaps.

Everything that stands in the way is collected and reported at once, with the command that goes on.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import row_blocks
from .._wording import percent
from ..exceptions import DataError
from ..io import Table
from ..io._messages import counted, listed, package
from ..io.tables._text import MISSING
from ..scaling import is_constant
from ._options import TableOptions

__all__ = ["Labels", "Numeric", "matching", "prepare"]

#: Columns of such a name are left out unless they are asked for.
LABEL_NAMES = ("class", "label", "labels", "target", "y")
#: A text column with more different values than this is not turned into 0/1 columns.
MOST_CATEGORIES = 100
#: A column that numbers so many rows or more, from 0 or 1, is left out unless it is asked for.
ROW_NUMBERS = 10
#: The largest entry of a column that can be squared and summed lies between these.
SMALLEST, LARGEST = 1e-150, 1e150


@dataclass(frozen=True, eq=False)
class Labels:
    """The label column.

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
    """The columns a method may use, as numbers.

    Parameters
    ----------
    X : ndarray or CSR of shape (m, n)
        Floating point.
    names : list of str
        Distinct names of its columns.
    labels : Labels or None
    notes : list of str
        What was done that the reader must know.
    missing : ndarray of shape (n,)
        Share of each column's values that was missing before --impute.
    rows : ndarray of shape (m,) or None
        Rows of the table that are used; None for all.
    """

    X: Any
    names: list[str]
    labels: Labels | None = None
    notes: list[str] = field(default_factory=list)
    missing: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    rows: NDArray[np.intp] | None = None


class Obstacle(NamedTuple):
    """Something that keeps a table from being used, and the options that remove it."""

    text: str
    fix: tuple[tuple[str, ...], ...] = ()


def prepare(table: Table, options: TableOptions, *, k: int = 0) -> Numeric:
    """The columns to use, as numbers without missing values.

    Parameters
    ----------
    table : Table
    options : TableOptions
    k : int
        Columns that are to be chosen.

    Raises
    ------
    DataError
        Everything that stands in the way (text, stray cells, missing, infinite and extreme values),
        with one command that goes on; or a table without rows, or fewer than `k` columns.
    """
    _check_shape(table)
    labels, label = _labels(table, options.label_column)
    keep, notes = _used(table, options, label)
    notes = [*table.notes, *_unused(table, labels), *notes]
    obstacles: list[Obstacle] = []
    if _is_arrow(table):
        X, names = _arrow_numbers(table, keep, options, notes, obstacles)
    else:
        X = table.data if len(keep) == table.shape[1] else table.data[:, keep]
        X, names = _floating(X), [table.columns[i] for i in keep]
    numeric = Numeric(X, names, labels, notes)
    facts = _facts(X)
    obstacles += [*_infinite(numeric, facts), *_extreme(numeric, facts)]
    numeric = replace(numeric, missing=facts.missing / X.shape[0])
    numeric, facts = _without_row_numbers(numeric, facts, options)
    numeric, facts = _without_missing(numeric, facts, options, obstacles)
    if obstacles:
        raise DataError(_refusal(table, options, obstacles))
    n = len(numeric.names)
    if k > n:
        raise DataError(
            f"-k {k:,} asks for more than the {counted(n, 'column')} there are to choose from in "
            f"{table.name}; use {n:,} or fewer."
        )
    return _imputed(numeric, facts, options)


def _refusal(table: Table, options: TableOptions, obstacles: list[Obstacle]) -> str:
    """All obstacles, and one command that removes them."""
    flags = dict.fromkeys(flag for obstacle in obstacles for flag in obstacle.fix)
    words = [word for flag in flags for word in flag]
    command = f"To continue: {options.command_line(*words)}" if words else ""
    if len(obstacles) == 1:
        return "\n".join([f"{table.name}: {obstacles[0].text}.", *filter(None, [command])])
    lines = [f"{table.name} cannot be used yet:", *(f"  {one.text}." for one in obstacles)]
    return "\n".join([*lines, *filter(None, [command])])


# Which columns ------------------------------------------------------------------------------------


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
    repeated = [name for name, times in Counter(table.columns).items() if times > 1]
    if repeated:
        raise DataError(
            f"{table.name}: {counted(len(repeated), 'column name')} "
            f"{'occurs' if len(repeated) == 1 else 'occur'} more than once: {listed(repeated)}; "
            "rename the columns so that each name occurs once."
        )


def _labels(table: Table, name: str | None) -> tuple[Labels | None, int | None]:
    if name is None:
        return None, None
    columns = list(table.columns)
    if name in columns:
        i = columns.index(name)
        if table.text is not None:
            return Labels(name, table.text(i), MISSING), i
        column = table.data.column(i) if _is_arrow(table) else _dense(table.data[:, [i]]).ravel()
        return Labels(name, column), i
    if name in table.side:
        return Labels(name, table.side[name]), None
    raise DataError(
        f"{table.name} has no label column {name!r}{_nearest(name, [*columns, *table.side])}"
    )


def _unused(table: Table, labels: Labels | None) -> list[str]:
    """A note on other arrays of the file, unless the labels are one of them."""
    if not table.side or (labels is not None and labels.name in table.side):
        return []
    return [
        f"Not used: {listed(table.side)} (one value per row; --label-column copies one to the "
        "output)."
    ]


def _nearest(name: str, names: Sequence[str]) -> str:
    """The end of "there is no column ...": the closest names."""
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    folded = [one for one in names if one.lower() == name.lower()]
    near = folded + [one for one in near if one not in folded]
    if near:
        return f"; did you mean {' or '.join(map(repr, near[:3]))}?"
    return f"; it has {listed(names)}."


def matching(
    names: Sequence[str], given: Sequence[str] | None, option: str, where: str
) -> dict[int, None]:
    """Places of the columns that an option names, in the order given.

    Parameters
    ----------
    names : sequence of str
        Of the columns there are.
    given : sequence of str or None
        What follows the option: a name; names, or patterns such as ``pix*``, with commas between
        them; or ``@FILE``, a text file with one of these in each line.
    option, where : str
        For the message: the option, and what has the columns.

    Raises
    ------
    DataError
        If a name is that of no column, or a file cannot be read.
    """
    places = {name: i for i, name in enumerate(names)}
    matched: dict[int, None] = {}
    for part in _parts(given or (), places):
        if part in places:
            matched[places[part]] = None
            continue
        hits = [i for name, i in places.items() if fnmatchcase(name, part)]
        if not hits:
            raise DataError(
                f"{option} {part!r}: {where} has no such column{_nearest(part, list(names))}"
            )
        matched |= dict.fromkeys(hits)
    return matched


def _parts(given: Sequence[str], names: Container[str]) -> Iterator[str]:
    """Names and patterns: files are read, and what is no name is split at commas."""
    for text in given:
        if text in names:
            yield text
        elif text.startswith("@"):
            try:
                lines = Path(text[1:]).read_text(encoding="utf-8-sig").splitlines()
            except (OSError, UnicodeDecodeError) as error:
                reason = getattr(error, "strerror", None) or "it is not a text file in UTF-8"
                raise DataError(f"{text}: cannot read names of columns: {reason}.") from error
            yield from (line.strip() for line in lines if line.strip())
        else:
            yield from (part.strip() for part in text.split(","))


def _used(table: Table, options: TableOptions, label: int | None) -> tuple[list[int], list[str]]:
    """Indices of the columns to use, in the table's order; notes on columns left out."""
    names = table.columns
    columns = matching(names, options.columns, "--columns", table.name)
    include = matching(names, options.include, "--include", table.name)
    chosen = (set(columns or range(len(names))) | set(include)) - {label}
    chosen -= set(matching(names, options.drop, "--drop", table.name))
    named = _named(names, options)
    suspect = [i for i in sorted(chosen) if names[i] not in named and _looks_like_labels(table, i)]
    notes = []
    if suspect and len(suspect) < len(chosen):
        chosen -= set(suspect)
        names = [table.columns[i] for i in suspect]
        one = len(names) == 1
        notes.append(
            f"Left out: {listed(names)}, by the name {'a label column' if one else 'label columns'}"
            f". To use {'it' if one else 'them'}: --include {','.join(names)}. To copy it to the "
            f"output: --label-column {names[0]}."
        )
    if not chosen:
        raise DataError(
            f"{table.name}: no column is left after --columns, --drop and --label-column."
        )
    return sorted(chosen), notes


def _looks_like_labels(table: Table, i: int) -> bool:
    name = table.columns[i].strip().lower()
    if name == "y":  # a coordinate, unless it has few values and there is no x
        return "x" not in (other.strip().lower() for other in table.columns) and _few(table, i)
    return name in LABEL_NAMES


def _few(table: Table, i: int, limit: int = 20) -> bool:
    if _is_arrow(table):
        return len(table.data.column(i).unique()) <= limit
    return len(np.unique(_dense(table.data[:, [i]]))) <= limit


def _floating(X: Any) -> Any:
    """Integers and booleans as float64, half precision as float32; float32 and float64 stay."""
    if X.dtype.kind != "f":
        return X.astype(np.float64)
    wider = {2: np.float32, 4: np.float32, 8: np.float64}.get(X.dtype.itemsize, np.float64)
    return X.astype(wider, copy=False)


def _dense(X: Any) -> Any:
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)


# Columns of any type as numbers -------------------------------------------------------------------


def _arrow_numbers(
    table: Table,
    keep: list[int],
    options: TableOptions,
    notes: list[str],
    obstacles: list[Obstacle],
) -> tuple[Any, list[str]]:
    """Columns as numbers; text is encoded, left out, or an obstacle."""
    pa = package("pyarrow", "cli")
    columns = {table.columns[i]: _plain(pa, table.data.column(i)) for i in keep}
    text = {name: c for name, c in columns.items() if not _is_numeric(pa, c.type)}
    stray = {name: o for name, c in text.items() if (o := _stray_cells(name, c)) is not None}
    if options.numeric_only:
        notes += _left_out(text)
        text = {}
    else:
        obstacles += stray.values()
        text = {name: c for name, c in text.items() if name not in stray}
        if text and options.encode is None:
            obstacles.append(_text_obstacle(text, len(columns)))
    parts, names = [], []
    for name, column in columns.items():
        if _is_numeric(pa, column.type):
            parts.append(_numbers(pa, column))
            names.append(name)
        elif name in text and options.encode is not None:
            values, made = _encoded(name, column, obstacles)
            parts += values
            names += made
    if text and options.encode is not None:
        made_in_all = len(names) - (len(columns) - len(text))
        notes.append(
            f"{counted(len(text), 'text column')} ({listed(text)}) became "
            f"{counted(made_in_all, '0/1 column')} (--encode onehot); each is chosen or dropped by "
            "itself."
        )
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise DataError(
            f"{table.name}: --encode onehot would make a second column called {listed(repeated)}; "
            "rename the column that has that name."
        )
    if not parts and not obstacles:
        raise DataError(f"{table.name}: no column holds numbers.")
    return _joined(parts, table.shape[0]), names


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


def _joined(parts: list[Any], n_rows: int) -> Any:
    single = all(part.dtype == np.float32 for part in parts) and parts
    X = np.empty((n_rows, len(parts)), dtype=np.float32 if single else np.float64, order="F")
    for i, part in enumerate(parts):
        X[:, i] = part
    return X


def _stray_cells(name: str, column: Any) -> Obstacle | None:
    """Of a column of numbers that a few cells, or decimal commas, have turned into text."""
    if str(column.type) not in ("string", "large_string"):
        return None
    cells = column.to_pylist()
    stray = [(row, cell) for row, cell in enumerate(cells) if cell is not None and _odd(cell)]
    present = sum(cell is not None for cell in cells)
    if stray and all(_has_decimal_comma(cell) for _, cell in stray):
        text = f"the numbers of column {name!r} have a decimal comma ({stray[0][1]!r})"
        return Obstacle(text, (("--decimal", ","),))
    if not stray or len(stray) > present / 2:
        return None
    row, cell = stray[0]
    text = (
        f"column {name!r} is numeric except for {counted(len(stray), 'cell')} of {len(cells):,}, "
        f"the first in row {row + 1}: {cell[:40]!r}"
    )
    if all(other == cell for _, other in stray):
        return Obstacle(
            f"{text}; correct the cells, or read them as missing values",
            (("--missing", cell), ("--impute", "median")),
        )
    return Obstacle(f"{text}; correct the cells, or leave the column out", (("--drop", name),))


def _odd(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return True
    return False


def _has_decimal_comma(cell: str) -> bool:
    return cell.count(",") == 1 and not _odd(cell.replace(",", "."))


def _text_obstacle(text: dict[str, Any], n_columns: int) -> Obstacle:
    name, column = next(iter(text.items()))
    first = next((v for v in column.to_pylist() if v is not None), None)
    one = len(text) == 1
    message = (
        f"{counted(len(text), 'column')} of {n_columns:,} {'does' if one else 'do'} not hold "
        f"numbers: {listed(text)} (for example {str(first)!r}); leave {'it' if one else 'them'} "
        f"out (--numeric-only), use one as labels (--label-column {name!r}), or turn text into 0/1 "
        "columns (--encode onehot)"
    )
    return Obstacle(message, (("--numeric-only",),))


def _left_out(text: dict[str, Any]) -> list[str]:
    if not text:
        return []
    return [f"Left out, no numbers (--numeric-only): {listed(text, 20)}."]


def _encoded(name: str, column: Any, obstacles: list[Obstacle]) -> tuple[list[Any], list[str]]:
    """One 0/1 column for each value (one in all where there are two)."""
    from sklearn.preprocessing import OneHotEncoder

    if "list" in str(column.type) or "struct" in str(column.type):
        text = f"column {name!r} holds nested values ({column.type}), which are not numbers"
        obstacles.append(Obstacle(text, (("--drop", name),)))
        return [], []
    cells = np.array(
        [["(missing)" if cell is None else str(cell)] for cell in column.to_pylist()], dtype=object
    )
    encoder = OneHotEncoder(drop="if_binary", sparse_output=False).fit(cells)
    n_values = len(encoder.categories_[0])
    if n_values > MOST_CATEGORIES:
        text = (
            f"column {name!r} has {n_values:,} different values, too many for 0/1 columns (limit "
            f"{MOST_CATEGORIES})"
        )
        obstacles.append(Obstacle(text, (("--drop", name),)))
        return [], []
    dropped = None if encoder.drop_idx_ is None else encoder.drop_idx_[0]
    kept = [c for i, c in enumerate(encoder.categories_[0]) if i != dropped]
    return list(encoder.transform(cells).T), [f"{name}={category}" for category in kept]


# Values -------------------------------------------------------------------------------------------


class Facts(NamedTuple):
    """About every column, from one pass over the rows."""

    missing: NDArray[np.int64]
    infinite: NDArray[np.int64]
    lowest: NDArray[Any]
    highest: NDArray[Any]

    def of(self, columns: Any) -> Facts:
        return Facts(*(values[columns] for values in self))


def _facts(X: Any) -> Facts:
    n = X.shape[1]
    missing, infinite = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    lowest, highest = np.full(n, np.inf), np.full(n, -np.inf)
    for block in row_blocks(X) if n else ():
        if sp.issparse(block):
            nan = np.bincount(block.indices[np.isnan(block.data)], minlength=n)
            inf = np.bincount(block.indices[np.isinf(block.data)], minlength=n)
            low, high = block.nanmin(axis=0), block.nanmax(axis=0)
            low, high = low.toarray().ravel(), high.toarray().ravel()
        else:
            gaps = np.isnan(block)
            nan, inf = gaps.sum(axis=0), np.isinf(block).sum(axis=0)
            low = np.where(gaps, np.inf, block).min(axis=0)
            high = np.where(gaps, -np.inf, block).max(axis=0)
        missing += nan
        infinite += inf
        lowest, highest = np.fmin(lowest, low), np.fmax(highest, high)
    return Facts(missing, infinite, lowest, highest)


def _drops(names: list[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(("--drop", name) for name in names)


def _infinite(numeric: Numeric, facts: Facts) -> list[Obstacle]:
    names = [numeric.names[i] for i in np.flatnonzero(facts.infinite)]
    if not names:
        return []
    text = (
        f"{counted(int(facts.infinite.sum()), 'infinite value')} in "
        f"{counted(len(names), 'column')}: {listed(names)}; correct the values, or leave the "
        f"{'column' if len(names) == 1 else 'columns'} out"
    )
    return [Obstacle(text, _drops(names))]


def _extreme(numeric: Numeric, facts: Facts) -> list[Obstacle]:
    size = np.maximum(np.abs(facts.lowest), np.abs(facts.highest))
    far = np.isfinite(size) & ((size > LARGEST) | ((size < SMALLEST) & (size > 0)))
    where = np.flatnonzero(far)  # a column without any value is not finite
    if not len(where):
        return []
    names = [numeric.names[i] for i in where]
    one = len(where) == 1
    text = (
        f"{counted(len(where), 'column')} whose largest magnitude is {size[where[0]]:.3g}"
        f"{'' if one else ' or similar'}, which cannot be squared: {listed(names)}; use another "
        f"unit, or leave the {'column' if one else 'columns'} out"
    )
    return [Obstacle(text, _drops(names))]


def _without_missing(
    numeric: Numeric, facts: Facts, options: TableOptions, obstacles: list[Obstacle]
) -> tuple[Numeric, Facts]:
    """Rows or columns with missing values left out as --drop-missing says; what is left refused."""
    dropping = options.dropping
    if dropping is not None and facts.missing.any():
        numeric, facts = _dropped(numeric, facts, *dropping)
    empty = np.flatnonzero(facts.missing == numeric.X.shape[0])
    if len(empty):
        names = [numeric.names[i] for i in empty]
        text = f"{counted(len(names), 'column')} without any value: {listed(names)}"
        obstacles.append(Obstacle(text, _drops(names)))
    where = np.flatnonzero((facts.missing > 0) & (facts.missing < numeric.X.shape[0]))
    if len(where) and options.impute is None:
        text = (
            f"{counted(int(facts.missing[where].sum()), 'missing value')} in "
            f"{counted(len(where), 'column')}: {_with_counts(numeric, facts, where)}; fill them in "
            "(--impute median, mean or knn), or leave out rows or columns (--drop-missing rows, "
            "columns or columns:0.3)"
        )
        obstacles.append(Obstacle(text, (("--impute", "median"),)))
    return numeric, facts


def _with_counts(numeric: Numeric, facts: Facts, where: Any, limit: int = 5) -> str:
    """Columns with how many values are missing in each, most first."""
    order = sorted(where, key=lambda i: (-facts.missing[i], i))
    text = ", ".join(f"{numeric.names[i]!r} {facts.missing[i]:,}" for i in order[:limit])
    return text if len(order) <= limit else f"{text} and {len(order) - limit:,} more columns"


def _dropped(numeric: Numeric, facts: Facts, what: str, share: float) -> tuple[Numeric, Facts]:
    X = numeric.X
    if what == "columns":
        keep = np.flatnonzero(facts.missing <= share * X.shape[0])
        gone = [name for i, name in enumerate(numeric.names) if i not in set(keep.tolist())]
        if not len(keep):
            raise DataError("--drop-missing columns leaves no column; allow a share: columns:0.3.")
        than = f" in more than {percent(share)} of the rows" if share else ""
        note = f"Left out, values missing{than} (--drop-missing columns): {listed(gone, 20)}."
        return _with_columns(numeric, keep, [note] if gone else []), facts.of(keep)
    gaps = _rows_with_gaps(X)
    rows = np.flatnonzero(~gaps)
    if len(rows) < 2:
        raise DataError(
            f"--drop-missing rows leaves {counted(len(rows), 'row')} of {X.shape[0]:,}; leave out "
            "columns with many missing values first (--drop), or use --impute."
        )
    note = f"{int(gaps.sum()):,} of {counted(len(gaps), 'row')} left out (--drop-missing rows)."
    labels = numeric.labels
    if labels is not None:
        labels = replace(labels, values=_taken(labels.values, rows))
    numeric = replace(numeric, X=X[rows], labels=labels, rows=rows, notes=[*numeric.notes, note])
    return numeric, _facts(numeric.X)


def _taken(values: Any, rows: NDArray[np.intp]) -> Any:
    return values.take(rows) if hasattr(values, "chunks") else np.asarray(values)[rows]


def _rows_with_gaps(X: Any) -> NDArray[np.bool_]:
    if not sp.issparse(X):
        return np.isnan(X).any(axis=1)
    X = X.tocsr()
    gaps = np.zeros(X.shape[0], dtype=bool)
    gaps[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[np.isnan(X.data)]] = True
    return gaps


def _without_row_numbers(
    numeric: Numeric, facts: Facts, options: TableOptions
) -> tuple[Numeric, Facts]:
    """Columns that number the rows left out, unless they are asked for by name."""
    m, named = numeric.X.shape[0], _named(numeric.names, options)
    span = (facts.highest - facts.lowest == m - 1) & np.isin(facts.lowest, (0, 1))
    numbers = [
        i
        for i in np.flatnonzero(span & (m >= ROW_NUMBERS) & (facts.missing == 0))
        if len(np.unique(_dense(numeric.X[:, [i]]))) == m and numeric.names[i] not in named
    ]
    if not numbers or len(numbers) == len(numeric.names):
        return numeric, facts
    names = [numeric.names[i] for i in numbers]
    one = len(names) == 1
    note = (
        f"Left out: {listed(names)}, which {'numbers' if one else 'number'} the rows. To use "
        f"{'it' if one else 'them'}: --include {','.join(names)}."
    )
    keep = np.setdiff1d(np.arange(len(numeric.names)), numbers)
    return _with_columns(numeric, keep, [note]), facts.of(keep)


def _with_columns(numeric: Numeric, keep: NDArray[np.intp], notes: list[str]) -> Numeric:
    return replace(
        numeric,
        X=numeric.X[:, keep],
        names=[numeric.names[i] for i in keep],
        missing=numeric.missing[keep],
        notes=[*numeric.notes, *notes],
    )


def _named(names: Sequence[str], options: TableOptions) -> set[str]:
    """Those of the names that the options ask for, by name or by a pattern."""
    places = set(names)
    parts = set(_parts(options.named, places))
    patterns = [part for part in parts - places if set("*?[") & set(part)]
    return (parts & places) | {
        name for name in places if any(fnmatchcase(name, one) for one in patterns)
    }


def _imputed(numeric: Numeric, facts: Facts, options: TableOptions) -> Numeric:
    """Missing values replaced; notes on that and on constant columns."""
    X, notes = numeric.X, [*numeric.notes]
    constant = [numeric.names[i] for i in np.flatnonzero(is_constant(facts.lowest, facts.highest))]
    if constant:
        one = len(constant) == 1
        notes.append(
            f"{counted(len(constant), 'column')} with one value only: {listed(constant)}; "
            f"{'it carries' if one else 'they carry'} no information."
        )
    where = np.flatnonzero(facts.missing)
    if len(where):
        by = {"knn": "the mean of the 5 nearest rows"}.get(
            str(options.impute), f"the column's {options.impute}"
        )
        notes.append(
            f"{counted(int(facts.missing.sum()), 'missing value')} in "
            f"{counted(len(where), 'column')} replaced by {by}: "
            f"{_with_counts(numeric, facts, where)} (--impute {options.impute})."
        )
        X = _filled(X, str(options.impute))
    return replace(numeric, X=X, notes=notes)


def _filled(X: Any, by: str) -> Any:
    from sklearn.impute import KNNImputer, SimpleImputer

    if by != "knn":
        return SimpleImputer(strategy=by).fit_transform(X)
    if sp.issparse(X):
        raise DataError("--impute knn needs a dense table; use --impute median or mean.")
    spread = np.nanstd(X, axis=0)
    spread[spread == 0] = 1.0
    return KNNImputer().fit_transform(X / spread) * spread
