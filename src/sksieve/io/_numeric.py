"""From a table as read to the matrix a method gets: which columns, as numbers, without gaps.

Everything that stands in the way is collected and reported at once, with the arguments that help.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import is_symmetric, row_blocks
from .._wording import argument, counted, did_you_mean, listed, percent
from ..exceptions import DataError
from ..tables import is_constant
from ._messages import package, refuse_repeated
from ._repeats import Repeat, repeats
from ._source import read_list
from ._write import arrow_table
from .graphs._header import UNIX_TIMES
from .tables import Table
from .tables._text import MISSING

#: Columns of such a name are left out unless they are asked for.
LABEL_NAMES = ("class", "label", "labels", "target", "y")
#: What a first column without a name is called.
UNNAMED = "unnamed_0"
#: A text column with more different values than this is not turned into 0/1 columns.
MOST_CATEGORIES = 100
#: Text columns up to which a message names each one to leave out.
MOST_DROPPED = 5
#: A column that numbers so many rows or more, from 0 or 1, is left out unless it is asked for.
ROW_NUMBERS = 10
#: The largest entry of a column that can be squared and summed lies between these.
SMALLEST, LARGEST = 1e-150, 1e150
#: Whole numbers up to here are exact as float64.
LARGEST_EXACT = 2.0**53
#: Numbers that may have a decimal comma, or one for thousands.
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
#: What is advised for columns with missing values: with few, and with more than half.
FILL, LEAVE_OUT = ("impute", "median"), ("drop_missing", "columns:0.5")
#: So often a number at the edge of a column's range is taken for a code, in so many columns.
CODE_TIMES, CODE_COLUMNS = 3, 2
#: Codes for missing values that are taken for such in one column.
CODES = frozenset(
    sign * number for sign in (1.0, -1.0) for number in (99, 999, 9999, 99999, 1e20, 1e30, 1e31)
)
#: Most different whole numbers that may be labels.
MOST_LABELS = 10
TIME_NAME = re.compile(r"time|date|stamp|epoch|unix|\bts\b|_at\b|since")


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
class NumericTable:
    """The columns of a table that a method may use, as numbers; made by `numeric_table`.

    Parameters
    ----------
    table : Table
        As read.
    X : ndarray or CSR of shape (m, n)
        Floating point, without missing values.
    columns : list of str
        Distinct names of its columns.
    labels : Labels or None
    notes : list of str
        What was left out, filled in or encoded.
    missing : ndarray of shape (n,)
        Share of each column's values that was missing.
    rows : ndarray of shape (m,) or None
        Rows of the table that are used; None for all.
    groups : list of str
        Column of the table that each column of X is made from. A text column makes several.
    left_out : list of str
        Those of the notes that say which columns of the table are not used.
    """

    table: Table
    X: Any
    columns: list[str]
    labels: Labels | None = None
    notes: list[str] = field(default_factory=list)
    missing: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    rows: NDArray[np.intp] | None = None
    groups: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def is_mixed(self) -> bool:
        """Whether some columns are made from text, whatever their number."""
        return any(name != group for name, group in zip(self.columns, self.groups))

    def to_frame(self) -> Any:
        """X as a ``pandas.DataFrame``; sparse columns where X is sparse."""
        pandas = package("pandas", "cli")
        if sp.issparse(self.X):
            return pandas.DataFrame.sparse.from_spmatrix(self.X, self.rows, self.columns)
        return pandas.DataFrame(self.X, self.rows, self.columns)


class UnusableTableError(DataError):
    """A table has obstacles: columns or values that no method can use.

    The message has all of them; ``remedy`` the arguments of `numeric_table` and `read_table` with
    which the table can be used.
    """


class Obstacle(NamedTuple):
    """Something that keeps a table from being used, and the arguments that remove it."""

    text: str
    remedy: tuple[tuple[str, Any], ...] = ()


class NumericOptions(NamedTuple):
    """The arguments of `numeric_table`."""

    columns: tuple[str, ...]
    drop: tuple[str, ...]
    include: tuple[str, ...]
    named: tuple[str, ...]
    label_column: str | None
    numeric_only: bool
    encode: str | None
    impute: str | None
    drop_missing: tuple[str, float] | None


def numeric_table(
    table: Any,
    *,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    include: str | Sequence[str] | None = None,
    named: Sequence[str] = (),
    label_column: str | None = None,
    numeric_only: bool = False,
    encode: Literal["onehot"] | None = None,
    impute: Literal["median", "mean", "knn"] | None = None,
    drop_missing: str | None = None,
) -> NumericTable:
    """Make the matrix that a method can use from a table with text, labels and missing values.

    Columns that look like labels (named class, label, labels, target or y) and columns that number
    the rows are left out unless they are asked for; ``notes`` says so.

    Parameters
    ----------
    table : Table, pandas.DataFrame, pyarrow.Table, or mapping of str to array-like
    columns : str or sequence of str, optional
        Use only these columns: names, or patterns such as ``pix*``, separated by commas, or
        ``@FILE`` for a file with a name in each line.
    drop : str or sequence of str, optional
        Leave out these columns.
    include : str or sequence of str, optional
        Use these columns although they look like labels or row numbers.
    named : sequence of str, default=()
        Columns named elsewhere, such as the `candidates` of a selector: they are not left out
        because they look like labels or row numbers.
    label_column : str, optional
        Column with labels: not used, kept in ``labels``.
    numeric_only : bool, default=False
        Leave out the columns that hold no numbers.
    encode : {"onehot"}, optional
        Turn text columns into 0/1 columns, one for each value (one in all for two values), and
        dates into days since the first one.
    impute : {"median", "mean", "knn"}, optional
        Replace missing values by the column's median or mean, or by the mean of the 5 nearest
        rows.
    drop_missing : {"rows", "columns", "columns:SHARE"}, optional
        Leave out the rows with missing values, or the columns where more than this share is
        missing (``"columns:0.3"``).

    Returns
    -------
    NumericTable

    Raises
    ------
    UnusableTableError
        If text, stray cells, or missing, infinite or extreme values remain: all of them in one
        message.
    DataError
        If the table has no rows, or no column is left.
    ValueError
        If `drop_missing` is none of those above.

    Examples
    --------
    >>> from sksieve.io import numeric_table
    >>> people = {"age": [31, 45, None], "height": [1.8, 1.7, 1.6], "class": ["a", "b", "a"]}
    >>> numeric = numeric_table(people, label_column="class", impute="median")
    >>> numeric.columns, numeric.X[:, 0].tolist()
    (['age', 'height'], [31.0, 45.0, 38.0])
    >>> print(numeric.notes[0])
    1 missing value in 1 column replaced by the column's median: 'age' 1 (impute="median").
    """
    if not isinstance(table, Table):
        data = arrow_table(table)
        table = Table("The table", data, data.column_names, sha256="", hashed="array")
    given = (_tuple(columns), _tuple(drop), _tuple(include), tuple(named))
    limit = None if drop_missing is None else missing_limit(drop_missing)
    return _prepared(
        table, NumericOptions(*given, label_column, numeric_only, encode, impute, limit)
    )


def _tuple(names: str | Sequence[str] | None) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names or ())


def missing_limit(text: str) -> tuple[str, float]:
    """``rows``, ``columns`` or ``columns:SHARE`` as what is dropped and the share allowed.

    Raises
    ------
    ValueError

    Examples
    --------
    >>> missing_limit("columns:0.3")
    ('columns', 0.3)
    """
    what, _, share = text.partition(":")
    try:
        limit = float(share) if share else 0.0
    except ValueError:
        limit = -1.0
    if what not in ("rows", "columns") or not 0 <= limit < 1 or (share and what == "rows"):
        raise ValueError(
            f"{argument('drop_missing', text)}: use rows, columns, or columns:SHARE with a share "
            "from 0 to 1, for example columns:0.3."
        )
    return what, limit


def _prepared(table: Table, options: NumericOptions) -> NumericTable:
    _check_shape(table)
    labels, label = _labels(table, options.label_column)
    keep, left_out = _used(table, options, label)
    notes = [*table.notes, *_unused(table, labels)]
    obstacles: list[Obstacle] = []
    if _is_arrow(table):
        X, names, groups = _arrow_numbers(table, keep, options, notes, left_out, obstacles)
    else:
        X = table.data if len(keep) == table.shape[1] else table.data[:, keep]
        X, names = _floating(X), [table.columns[i] for i in keep]
        groups = names
    notes = [*notes, *left_out]
    numeric = NumericTable(table, X, names, labels, notes, groups=groups, left_out=left_out)
    facts = _facts(X)
    obstacles += [*_infinite(numeric, facts), *_extreme(numeric, facts)]
    numeric = replace(numeric, missing=facts.missing / X.shape[0])
    numeric = replace(numeric, notes=[*numeric.notes, *_suspicions(numeric, facts, options)])
    numeric, facts = _without_row_numbers(numeric, facts, options)
    numeric, facts = _without_missing(numeric, facts, options, obstacles)
    if obstacles:
        lines = [f"{table.name} cannot be used yet:", *(f"  {one.text}." for one in obstacles)]
        single = f"{table.name}: {obstacles[0].text}."
        raise UnusableTableError(
            single if len(obstacles) == 1 else "\n".join(lines),
            remedy=tuple(dict.fromkeys(pair for obstacle in obstacles for pair in obstacle.remedy)),
        )
    return _imputed(numeric, facts, options)


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
    refuse_repeated(table.name, table.columns)


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
        f"Not used: {listed(table.side)} (one value per row; {argument('label_column')} copies one "
        "to the output)."
    ]


def _nearest(name: str, names: Sequence[str]) -> str:
    """The end of "there is no column ...": the closest names."""
    return f"; {did_you_mean(name, names, quoted=True) or f'it has {listed(names)}.'}"


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
            yield from read_list(Path(text[1:]))
        else:
            yield from (part.strip() for part in text.split(","))


def _used(table: Table, options: NumericOptions, label: int | None) -> tuple[list[int], list[str]]:
    """Indices of the columns to use, in the table's order; notes on columns left out."""
    names = table.columns
    columns = matching(names, options.columns, argument("columns"), table.name)
    include = matching(names, options.include, argument("include"), table.name)
    chosen = (set(columns or range(len(names))) | set(include)) - {label}
    chosen -= set(matching(names, options.drop, argument("drop"), table.name))
    named = _named(names, options)
    suspect = [i for i in sorted(chosen) if names[i] not in named and _looks_like_labels(table, i)]
    notes = []
    if suspect and len(suspect) < len(chosen):
        chosen -= set(suspect)
        names = [table.columns[i] for i in suspect]
        why = "its name suggests" if len(names) == 1 else "their names suggest"
        notes.append(f"Left out {listed(names)}: {why} labels ({argument('include', names)}).")
    if not chosen:
        raise DataError(
            f"{table.name}: no column is left after {argument('columns')}, {argument('drop')} and "
            f"{argument('label_column')}."
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
    options: NumericOptions,
    notes: list[str],
    left_out: list[str],
    obstacles: list[Obstacle],
) -> tuple[Any, list[str], list[str]]:
    """Columns as numbers, their names, and the columns they are made from.

    Text is encoded, left out, or an obstacle.
    """
    pa = package("pyarrow", "cli")
    columns = {table.columns[i]: _plain(pa, table.data.column(i)) for i in keep}
    text = {name: c for name, c in columns.items() if not _is_numeric(pa, c.type)}
    for name in [name for name, column in text.items() if _names_rows(name, column)]:
        left_out.append(f"Left out {name!r}: it names the rows.")
        del text[name], columns[name]
    switched: list[str] = []
    for name, levels in _switches(text, options).items():
        columns[name] = _as_switch(pa, text.pop(name), levels)
        end = "" if levels[1:] else ", else 0"
        switched.append(f"{listed([name])} is 1 for {listed(levels[-1:])}{end}")
    if switched:
        more = f" and {len(switched) - 5:,} more" if len(switched) > 5 else ""
        notes.append(f"Text as 0/1: {'; '.join(switched[:5])}{more}.")
    stray = {name: o for name, c in text.items() if (o := _stray_cells(name, c)) is not None}
    if options.numeric_only:
        left_out += _left_out(text, stray)
        text = {}
    else:
        obstacles += stray.values()
        text = {name: c for name, c in text.items() if name not in stray}
        if text and options.encode is None:
            obstacles += _text_obstacles(pa, text, len(columns))
    parts, names, groups = [], [], []
    for name, column in columns.items():
        if _is_numeric(pa, column.type):
            values, column_names = [column], [name]
            obstacles += _rounded(pa, name, column)
        elif name in text and options.encode is not None:
            values, column_names = _encoded(pa, name, column, obstacles)
        else:
            values, column_names = [], []
        parts += values
        names += column_names
        groups += [name] * len(column_names)
    if text and options.encode is not None:
        notes += _encoding_notes(pa, text, groups)
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise DataError(
            f"{table.name}: {argument('encode', 'onehot')} would make a second column called "
            f"{listed(repeated)}; rename the column that has that name."
        )
    if not parts and not obstacles:
        raise DataError(f"{table.name}: no column holds numbers.")
    return _joined(pa, parts, table.shape[0]), names, groups


def _switches(text: dict[str, Any], options: NumericOptions) -> dict[str, list[str]]:
    """Columns of text with two values, sorted, or with one value and empty cells: a ticked box.

    Each of two values occurs at least twice; with `encode` these are columns like the others.
    """
    switches: dict[str, list[str]] = {}
    if options.numeric_only:
        return switches
    for name, column in text.items():
        if str(column.type) not in ("string", "large_string") or len(column.unique()) > 3:
            continue
        counts = {one["values"]: one["counts"] for one in column.value_counts().to_pylist()}
        counts.pop(None, None)
        levels = sorted(counts)
        is_box = len(levels) == 1 and column.null_count > 0
        is_pair = len(levels) == 2 and min(counts.values()) > 1 and all(map(_odd, levels))
        if is_box or (is_pair and options.encode is None):
            switches[name] = levels
    return switches


def _as_switch(pa: Any, column: Any, levels: list[str]) -> Any:
    """1 for the last level; 0 for the first, or for an empty cell where there is one level."""
    pc = package("pyarrow.compute", "cli")
    values = pc.equal(column, levels[-1])
    if len(levels) == 1:
        values = pc.fill_null(values, False)
    return values.cast(pa.float64())


def _names_rows(name: str, column: Any) -> bool:
    """Whether a text column without a name, all its values different, holds names of rows."""
    return name == UNNAMED and len(column.unique()) == len(column) and not column.null_count


def _encoding_notes(pa: Any, text: dict[str, Any], groups: list[str]) -> list[str]:
    dates = [name for name, column in text.items() if _is_date(pa, column.type)]
    text = {name: column for name, column in text.items() if name not in dates}
    how = argument("encode", "onehot")
    notes = []
    if text:
        n_encoded = sum(group in text for group in groups)
        notes.append(
            f"{counted(len(text), 'text column')} ({listed(text)}) became "
            f"{counted(n_encoded, '0/1 column')} ({how})."
        )
    if dates:
        notes.append(f"Dates as days since the first one ({how}): {listed(dates)}.")
    return notes


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
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    column = column.cast(pa.float32() if _is_single(pa, column) else pa.float64(), safe=False)
    batch = pa.record_batch([column.combine_chunks()], ["x"])
    return batch.to_tensor(null_to_nan=True).to_numpy()[:, 0]  # column.to_numpy() imports pandas


def _rounded(pa: Any, name: str, column: Any) -> list[Obstacle]:
    """An obstacle where different whole numbers become one as float64."""
    if not pa.types.is_integer(column.type):
        return []
    values = _numbers(pa, column)
    if not (np.abs(values) > LARGEST_EXACT).any():
        return []
    n, n_left = len(column.unique()), len(np.unique(values))
    if n <= n_left:
        return []
    text = (
        f"column {name!r} holds {n:,} different whole numbers of which float64 holds {n_left:,} "
        "(beyond 2^53); leave the column out, or subtract a number from it"
    )
    return [Obstacle(text, _drops([name]))]


def _is_single(pa: Any, column: Any) -> bool:
    return bool(pa.types.is_float16(column.type) or pa.types.is_float32(column.type))


def _joined(pa: Any, parts: list[Any], n_rows: int) -> Any:
    """Arrow columns and arrays as one table; converted one by one, to hold each number once."""
    is_arrow = [hasattr(part, "chunks") for part in parts]
    single = bool(parts) and all(
        _is_single(pa, part) if arrow else part.dtype == np.float32
        for part, arrow in zip(parts, is_arrow)
    )
    X = np.empty((n_rows, len(parts)), dtype=np.float32 if single else np.float64, order="F")
    for i, (part, arrow) in enumerate(zip(parts, is_arrow)):
        X[:, i] = _numbers(pa, part) if arrow else part
    return X


def _stray_cells(name: str, column: Any) -> Obstacle | None:
    """Of a column of numbers that a few cells, or decimal commas, have turned into text."""
    if str(column.type) not in ("string", "large_string"):
        return None
    cells = column.to_pylist()
    stray = [(row, cell) for row, cell in enumerate(cells) if cell is not None and _odd(cell)]
    present = sum(cell is not None for cell in cells)
    others = [(row, cell) for row, cell in stray if not _has_decimal_comma(cell)]
    if others and len(stray) - len(others) > present / 2:  # read with a decimal comma
        stray = others
    if stray and all(THOUSANDS.fullmatch(cell) for _, cell in stray):
        text = (
            f"the numbers of column {name!r} have commas with three digits after them "
            f"({stray[0][1]!r}): thousands, or else decimals ({argument('decimal', ',')})"
        )
        return Obstacle(text, (("thousands", ","),))
    if stray and all(_has_decimal_comma(cell) for _, cell in stray):
        text = f"the numbers of column {name!r} have a decimal comma ({stray[0][1]!r})"
        return Obstacle(text, (("decimal", ","),))
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
            (("missing", cell), FILL if present - len(stray) > len(cells) / 2 else LEAVE_OUT),
        )
    return Obstacle(f"{text}; correct the cells, or leave the column out", (("drop", name),))


def _odd(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return True
    return False


def _has_decimal_comma(cell: str) -> bool:
    return cell.count(",") == 1 and not _odd(cell.replace(",", "."))


def _text_obstacles(pa: Any, text: dict[str, Any], n_columns: int) -> list[Obstacle]:
    """Text that can be encoded, or has too many values; and dates."""
    how = f"({argument('encode', 'onehot')})"
    dates = [name for name, column in text.items() if _is_date(pa, column.type)]
    nested = [name for name, column in text.items() if pa.types.is_nested(column.type)]
    words = {name: column for name, column in text.items() if name not in (*dates, *nested)}
    obstacles = [_nested_obstacle(name, text[name]) for name in nested]
    if words:
        obstacles.append(_words_obstacle(words, n_columns, how))
    encodes = any(("encode", "onehot") in obstacle.remedy for obstacle in obstacles)
    if dates:
        one = len(dates) == 1
        obstacles.append(
            Obstacle(
                f"{counted(len(dates), 'column')} {'holds' if one else 'hold'} dates: "
                f"{listed(dates)}; leave {'it' if one else 'them'} out, or turn dates into days "
                f"since the first one {how}",
                () if encodes else _drops(dates),
            )
        )
    return obstacles


def _words_obstacle(text: dict[str, Any], n_columns: int, how: str) -> Obstacle:
    name, column = next(iter(text.items()))
    first = next((v for v in column.to_pylist() if v is not None), None)
    one = len(text) == 1
    many = {name: n for name, c in text.items() if (n := len(c.unique())) > _most_values(c)}
    message = (
        f"{counted(len(text), 'column')} of {n_columns:,} {'does' if one else 'do'} not hold "
        f"numbers: {listed(text)} (for example {str(first)!r}); leave {'it' if one else 'them'} "
        f"out ({argument('numeric_only', True)}), use one as labels "
        f"({argument('label_column', name)}), or turn text into 0/1 columns {how}, which count as "
        "one variable"
    )
    if len(many) == len(text):
        few = len(many) <= MOST_DROPPED
        return Obstacle(message, _drops(list(many)) if few else (("numeric_only", True),))
    if many:
        numbers = ", ".join(f"{name!r} has {n:,} values" for name, n in list(many.items())[:3])
        message += f"; too many values for that: {numbers}"
    return Obstacle(message, (*_drops(list(many)), ("encode", "onehot")))


def _most_values(column: Any) -> float:
    """A text column with more values is taken for identifiers."""
    return min(MOST_CATEGORIES, max(2, len(column) / 2))


def _is_date(pa: Any, kind: Any) -> bool:
    t = pa.types
    return bool(t.is_timestamp(kind) or t.is_date(kind))


#: In one unit of a date or time.
MICROSECONDS = {"d": 86_400e6, "s": 1e6, "ms": 1e3, "us": 1.0}


def _days(pa: Any, column: Any) -> Any:
    """Dates as days since the first one, missing ones as NaN."""
    kind = column.type
    unit = {pa.date32(): "d", pa.date64(): "ms"}.get(kind) or kind.unit
    if unit == "ns":  # truncated: nothing below a microsecond counts
        unit, column = "us", column.cast(pa.timestamp("us", kind.tz), safe=False)
    whole = column.cast(pa.int32() if unit == "d" else pa.int64())
    days = whole.cast(pa.float64(), safe=False).to_numpy() * MICROSECONDS[unit] / 86_400e6
    return days - np.nanmin(days) if np.isfinite(days).any() else days


def _left_out(text: dict[str, Any], stray: dict[str, Obstacle]) -> list[str]:
    """Columns without numbers, and those that would hold numbers but for a few cells."""
    how = argument("numeric_only", True)
    words = [name for name in text if name not in stray]
    notes = [f"Left out {listed(words, 20)}: no numbers ({how})."] if words else []
    for obstacle in stray.values():
        given = [argument(*pair) for pair in obstacle.remedy if pair[0] in ("missing", "decimal")]
        option = f" ({' '.join(given)})" if given else ""
        notes.append(f"Left out ({how}), although {obstacle.text}{option}.")
    return notes


def _nested_obstacle(name: str, column: Any) -> Obstacle:
    text = f"column {name!r} holds nested values ({column.type}), which are not numbers"
    return Obstacle(text, (("drop", name),))


def _encoded(
    pa: Any, name: str, column: Any, obstacles: list[Obstacle]
) -> tuple[list[Any], list[str]]:
    """One 0/1 column for each value (one in all where there are two); dates as days."""
    from sklearn.preprocessing import OneHotEncoder

    if _is_date(pa, column.type):
        return [_days(pa, column)], [name]
    if pa.types.is_nested(column.type):
        obstacles.append(_nested_obstacle(name, column))
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
        obstacles.append(Obstacle(text, (("drop", name),)))
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


def _suspicions(numeric: NumericTable, facts: Facts, options: NumericOptions) -> list[str]:
    """Notes on numbers that may be codes for missing values, labels or times."""
    if sp.issparse(numeric.X):
        return []
    named = _named(numeric.columns, options)
    return [
        *_codes(numeric, facts),
        *_label_numbers(numeric, facts, named),
        *_unix_times(numeric, facts, named),
    ]


def _codes(numeric: NumericTable, facts: Facts) -> list[str]:
    """Notes on numbers that stand often at the edge of the range of several columns."""
    X, times, where, sure = numeric.X, Counter[float](), Counter[float](), Counter[float]()
    for edge in (facts.lowest, facts.highest):
        for j in np.flatnonzero(np.isfinite(edge)):
            value = float(edge[j])
            if value == 0 or not (value < 0 or value in CODES) or value != np.floor(value):
                continue
            others = X[(X[:, j] != value) & np.isfinite(X[:, j]), j]
            count = X.shape[0] - len(others) - int(facts.missing[j])
            if count < CODE_TIMES or not len(others):
                continue
            times[value] += count
            where[value] += 1
            gap = float(np.abs(others - value).min())
            sure[value] += gap > 0.5 * np.ptp(others) or (value == -1.0 and others.min() >= 0)
    return [
        f"{value:g} stands {counted(times[value], 'time')} in {counted(n, 'column')}, at the edge "
        f"of {'its' if n == 1 else 'their'} range: a code for missing values? Then add "
        f"{argument('missing', f'{value:g}')}."
        for value, n in where.items()
        if sure[value] >= CODE_COLUMNS or (sure[value] and value in CODES)
    ]


def _label_numbers(numeric: NumericTable, facts: Facts, named: set[str]) -> list[str]:
    """A note on a first or last column of few whole numbers among measurements."""
    X, names = numeric.X, numeric.columns
    n = X.shape[1]
    if n < 4 or X.shape[0] < 20 or numeric.labels is not None:
        return []
    span = facts.highest - facts.lowest
    for j in (0, n - 1):
        if names[j] in named or not 2 <= span[j] < MOST_LABELS or facts.lowest[j] not in (0, 1):
            continue
        values = np.unique(X[np.isfinite(X[:, j]), j])
        others = [X[:100, i] for i in range(n) if i != j]
        measured = sum(bool((np.mod(part[np.isfinite(part)], 1) != 0).any()) for part in others)
        if (
            len(values) == span[j] + 1
            and (values == np.floor(values)).all()
            and measured > 0.8 * (n - 1)
        ):
            return [
                f"{names[j]!r} holds {len(values)} whole numbers among measurements: labels? To "
                f"leave it out: {argument('label_column', names[j])}."
            ]
    return []


def _unix_times(numeric: NumericTable, facts: Facts, named: set[str]) -> list[str]:
    """Notes on columns of whole numbers that are seconds or milliseconds since 1970."""
    times = [
        numeric.columns[j]
        for j in range(len(numeric.columns))
        if numeric.columns[j] not in named
        and any(low <= facts.lowest[j] < facts.highest[j] <= high for low, high in UNIX_TIMES)
        and TIME_NAME.search(numeric.columns[j].lower())
    ]
    if not times:
        return []
    one = len(times) == 1
    return [
        f"{listed(times)} {'looks' if one else 'look'} like times (seconds since 1970). To leave "
        f"{'it' if one else 'them'} out: {argument('drop', times)}."
    ]


def _drops(names: list[str]) -> tuple[tuple[str, str], ...]:
    return tuple(("drop", name) for name in names)


def _infinite(numeric: NumericTable, facts: Facts) -> list[Obstacle]:
    names = [numeric.columns[i] for i in np.flatnonzero(facts.infinite)]
    if not names:
        return []
    text = (
        f"{counted(int(facts.infinite.sum()), 'infinite value')} in "
        f"{counted(len(names), 'column')}: {listed(names)}; correct the values, or leave the "
        f"{'column' if len(names) == 1 else 'columns'} out"
    )
    return [Obstacle(text, _drops(names))]


def _extreme(numeric: NumericTable, facts: Facts) -> list[Obstacle]:
    size = np.maximum(np.abs(facts.lowest), np.abs(facts.highest))
    far = np.isfinite(size) & ((size > LARGEST) | ((size < SMALLEST) & (size > 0)))
    where = np.flatnonzero(far)  # a column without any value is not finite
    if not len(where):
        return []
    names = [numeric.columns[i] for i in where]
    one = len(where) == 1
    text = (
        f"{counted(len(where), 'column')} whose largest magnitude is {size[where[0]]:.3g}"
        f"{'' if one else ' or similar'}, which cannot be squared: {listed(names)}; use another "
        f"unit, or leave the {'column' if one else 'columns'} out"
    )
    return [Obstacle(text, _drops(names))]


def _without_missing(
    numeric: NumericTable, facts: Facts, options: NumericOptions, obstacles: list[Obstacle]
) -> tuple[NumericTable, Facts]:
    """Rows or columns with missing values left out as `drop_missing` says; what is left refused."""
    dropping = options.drop_missing
    if dropping is not None and facts.missing.any():
        numeric, facts = _dropped(numeric, facts, *dropping)
    empty = np.flatnonzero(facts.missing == numeric.X.shape[0])
    if len(empty):
        names = [numeric.columns[i] for i in empty]
        text = f"{counted(len(names), 'column')} without any value: {listed(names)}"
        obstacles.append(Obstacle(text, _drops(names)))
    where = np.flatnonzero((facts.missing > 0) & (facts.missing < numeric.X.shape[0]))
    if len(where) and options.impute is None:
        text = (
            f"{counted(int(facts.missing[where].sum()), 'missing value')} in "
            f"{counted(len(where), 'column')}: {_with_counts(numeric, facts, where)}; fill them in "
            f"({argument('impute', 'median', 'mean', 'knn')}), or leave out rows or columns "
            f"({argument('drop_missing', 'rows', 'columns', 'columns:0.3')})"
        )
        obstacles.append(Obstacle(text, _fillings(numeric, facts, where)))
    return numeric, facts


def _fillings(numeric: NumericTable, facts: Facts, where: Any) -> tuple[tuple[str, Any], ...]:
    """Leave out columns of which more than half is missing, and fill the others."""
    mostly = facts.missing[where] > numeric.X.shape[0] / 2
    if mostly.all():
        return (LEAVE_OUT,) if len(where) < len(numeric.columns) else ()
    return (LEAVE_OUT, FILL) if mostly.any() else (FILL,)


def _with_counts(numeric: NumericTable, facts: Facts, where: Any, limit: int = 5) -> str:
    """Columns with how many values are missing in each, most first."""
    order = sorted(where, key=lambda i: (-facts.missing[i], i))
    text = ", ".join(f"{listed([numeric.columns[i]])} {facts.missing[i]:,}" for i in order[:limit])
    rest = len(order) - limit
    return text if rest <= 0 else f"{text} and {counted(rest, 'more column')}"


def _dropped(
    numeric: NumericTable, facts: Facts, what: str, share: float
) -> tuple[NumericTable, Facts]:
    X = numeric.X
    if what == "columns":
        keep = np.flatnonzero(facts.missing <= share * X.shape[0])
        gone = [name for i, name in enumerate(numeric.columns) if i not in set(keep.tolist())]
        if not len(keep):
            raise DataError(
                f"{argument('drop_missing', 'columns')} leaves no column; allow a share: "
                "columns:0.3."
            )
        than = f" in more than {percent(share)} of the rows" if share else ""
        how = argument("drop_missing", "columns")
        note = f"Left out {listed(gone, 20)}: values missing{than} ({how})."
        return _with_columns(numeric, keep, [note] if gone else []), facts.of(keep)
    gaps = _rows_with_gaps(X)
    rows = np.flatnonzero(~gaps)
    if len(rows) < 2:
        raise DataError(
            f"{argument('drop_missing', 'rows')} leaves {counted(len(rows), 'row')} of "
            f"{X.shape[0]:,}; leave out columns with many missing values first "
            f"({argument('drop')}), or use {argument('impute')}."
        )
    note = (
        f"{int(gaps.sum()):,} of {counted(len(gaps), 'row')} left out "
        f"({argument('drop_missing', 'rows')})."
    )
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
    numeric: NumericTable, facts: Facts, options: NumericOptions
) -> tuple[NumericTable, Facts]:
    """Columns that number the rows left out, unless they are asked for by name."""
    m, named = numeric.X.shape[0], _named(numeric.columns, options)
    with np.errstate(over="ignore"):
        width = facts.highest - facts.lowest
    span = (width == m - 1) & np.isin(facts.lowest, (0, 1))
    numbers = [
        i
        for i in np.flatnonzero(span & (m >= ROW_NUMBERS) & (facts.missing == 0))
        if len(np.unique(_dense(numeric.X[:, [i]]))) == m and numeric.columns[i] not in named
    ]
    if not numbers or len(numbers) == len(numeric.columns):
        return numeric, facts
    names = [numeric.columns[i] for i in numbers]
    why = "it numbers" if len(names) == 1 else "they number"
    note = f"Left out {listed(names)}: {why} the rows ({argument('include', names)})."
    keep = np.setdiff1d(np.arange(len(numeric.columns)), numbers)
    return _with_columns(numeric, keep, [note]), facts.of(keep)


def _with_columns(numeric: NumericTable, keep: NDArray[np.intp], notes: list[str]) -> NumericTable:
    """Some of the columns, and notes on those left out."""
    return replace(
        numeric,
        X=numeric.X[:, keep],
        columns=[numeric.columns[i] for i in keep],
        missing=numeric.missing[keep],
        groups=[numeric.groups[i] for i in keep],
        notes=[*numeric.notes, *notes],
        left_out=[*numeric.left_out, *notes],
    )


def _named(names: Sequence[str], options: NumericOptions) -> set[str]:
    """Those of the names that the options ask for, by name or by a pattern."""
    places = set(names)
    parts = set(_parts((*options.columns, *options.include, *options.named), places))
    patterns = [part for part in parts - places if set("*?[") & set(part)]
    return (parts & places) | {
        name for name in places if any(fnmatchcase(name, one) for one in patterns)
    }


def _imputed(numeric: NumericTable, facts: Facts, options: NumericOptions) -> NumericTable:
    """Missing values replaced; notes on that and on constant columns."""
    X, notes = numeric.X, [*numeric.notes]
    sizes = Counter(numeric.groups)
    constant = [
        numeric.groups[i] if sizes[numeric.groups[i]] == 1 else numeric.columns[i]
        for i in np.flatnonzero(is_constant(facts.lowest, facts.highest))
    ]
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
            f"{_with_counts(numeric, facts, where)} ({argument('impute', options.impute)})."
        )
        X = _filled(X, str(options.impute))
    return replace(numeric, X=X, notes=[*notes, *_warnings(X, numeric)])


def _warnings(X: Any, numeric: NumericTable) -> list[str]:
    """Notes on columns that are equal, and on a table that is a symmetric matrix."""
    notes = []
    m, n = X.shape
    if m > 2 and is_symmetric(X):
        notes.append(
            f"{numeric.table.name} is a symmetric matrix ({m:,} x {n:,}), used as a table with "
            "samples in rows. If it is a graph: sksieve communities. If it holds correlations or "
            "distances, use the table they were computed from."
        )
    pairs = _repeats(numeric)
    if pairs:
        names, one = numeric.groups, len(pairs) == 1
        exact = all((pair.slope, pair.offset) == (1, 0) for pair in pairs)
        up_to = "" if exact else " up to unit and zero point"
        notes.append(
            f"{counted(len(pairs), 'column')} equal to another{up_to}: "
            f"{listed([pair.text(names) for pair in pairs])}. "
            f"{'It counts' if one else 'They count'} twice; to leave {'it' if one else 'them'} "
            f"out: {argument('drop', [names[pair.j] for pair in pairs])}."
        )
    return notes


def _repeats(numeric: NumericTable) -> list[Repeat]:
    """Columns that repeat another, those that code text with several values left aside."""
    sizes = Counter(numeric.groups)
    single = np.array([j for j, group in enumerate(numeric.groups) if sizes[group] == 1], dtype=int)
    if len(single) == len(numeric.groups):
        return repeats(numeric.X)
    found = repeats(numeric.X[:, single])
    return [pair._replace(j=int(single[pair.j]), i=int(single[pair.i])) for pair in found]


def _filled(X: Any, by: str) -> Any:
    from sklearn.impute import KNNImputer, SimpleImputer

    if by != "knn":
        return SimpleImputer(strategy=by).fit_transform(X)
    if sp.issparse(X):
        raise DataError(
            f"{argument('impute', 'knn')} needs a dense table; use "
            f"{argument('impute', 'median', 'mean')}."
        )
    spread = np.nanstd(X, axis=0)
    spread[spread == 0] = 1.0
    return KNNImputer().fit_transform(X / spread) * spread
