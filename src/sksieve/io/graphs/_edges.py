"""Edge lists: from, to and perhaps a weight, as text, Parquet, Feather or an array."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._wording import argument, counted, listed
from ...exceptions import DataError
from .._messages import damaged, package
from .._source import Source
from ..tables import ReadOptions, Table, read_with
from ..tables._table import require_shape
from ..tables._text import encoding_of, read_text, separator_of
from ._arrays import arcs_of_array
from ._graph import Arcs, GraphReading
from ._header import NUMBER, TIMES, UNIX_TIMES, WEIGHTS, first_rows, has_header

#: Memory that a line takes while its words are read, over its length.
LINE_FACTOR = 16


def read_edge_text(source: Source, reading: GraphReading) -> Arcs:
    """CSV or TSV: two columns, or three with a weight; or a whole adjacency matrix."""
    sep, notes = separator_of(source, reading.sep, encoding_of(source, reading.encoding))
    rows = first_rows(source, sep, reading.encoding)
    header = has_header(rows) if reading.header is None else reading.header
    table = read_text(source, ReadOptions(sep=sep, header=header, encoding=reading.encoding))
    table = replace(table, notes=notes)  # the table's are about samples
    arcs = arcs_of_table(table, reading)
    if reading.header is None and not header and arcs.kind == "list":
        _refuse_names(arcs, rows[0])
    return arcs


def read_edge_words(source: Source, reading: GraphReading) -> Arcs:
    """Words between blanks, one edge a line; lines that begin with # or % are remarks."""
    if reading.sep is not None:
        return read_edge_text(source, reading)
    encoding = encoding_of(source, reading.encoding)
    with damaged(source.name, "an edge list"):
        raw = source.unpacked(LINE_FACTOR)
        raw = raw if encoding is None else raw.decode(encoding).encode()
    lines = (line.split() for line in raw.splitlines())
    kept = [b"\t".join(words) for words in lines if words and words[0][:1] not in (b"#", b"%")]
    if not kept:
        raise DataError(f"{source.name} has no edges: every line is empty or a remark.")
    inner = Source(source.name, None, ".tsv", b"\n".join(kept) + b"\n")
    arcs = read_edge_text(inner, replace(reading, sep="tab", encoding=None))
    return replace(arcs, sha256=source.sha256(), hashed="file")


def _refuse_names(arcs: Arcs, first: Sequence[str]) -> None:
    """Refuse a first line read as an edge whose two vertices occur nowhere else."""
    names = [cell.strip() for cell in first[:2]]
    if any(NUMBER.fullmatch(name) for name in names) or any(n not in arcs.names for n in names):
        return
    times = np.bincount(np.concatenate([arcs.i, arcs.j]), minlength=len(arcs.names))
    if any(times[arcs.names.index(name)] > 1 for name in names) or len(arcs.i) < 2:
        return
    raise DataError(
        f"{arcs.name}: the first line ({listed(names)}) may name the columns or be an edge, as its "
        f"vertices occur nowhere else; add {argument('header', True)} or "
        f"{argument('header', False)}."
    )


def arcs_of_table(table: Table, reading: GraphReading) -> Arcs:
    """The arcs that the rows of a table list."""
    columns = [str(name) for name in table.columns]
    m = table.shape[0]
    if m == 0:
        raise DataError(f"{table.name} has no edges: it has the names of the columns and no rows.")
    square = None if reading.source or reading.target else _square(table)
    if square is not None:
        return square
    if not hasattr(table.data, "column_names"):
        raise DataError(
            f"{table.name} has {counted(len(columns), 'column')} and {counted(m, 'row')}: neither "
            "an edge list nor a square matrix."
        )
    places = _places(table, columns, reading)
    codes, names = _encoded(_end(table, places[0]), _end(table, places[1]))
    weights = np.ones(m) if places[2] is None else _weights(table, places[2])
    if places[2] is not None and reading.weight is None:
        _refuse_times(table, columns, places, weights)
        name = columns[places[2]]
        if (
            table.text is not None
            and name.strip().lower() not in WEIGHTS
            and name != f"x{places[2]}"
        ):
            note = f"The weights of the edges are those of column {name!r}."
            table = replace(table, notes=(*table.notes, note))
    return Arcs(
        table.name,
        names,
        codes[:m],
        codes[m:],
        weights,
        table.sha256,
        "list",
        table.hashed,
        notes=tuple(table.notes),
    )


def _places(table: Table, columns: list[str], reading: GraphReading) -> tuple[int, int, int | None]:
    """Which columns hold the ends and the weight."""
    named = (reading.source, reading.target, reading.weight)
    for option, name in zip(("source", "target", "weight"), named):
        if name is not None and name not in columns:
            raise DataError(
                f"{argument(option, name)}: {table.name} has no such column; it has "
                f"{listed(columns)}."
            )
    if (reading.source is None) != (reading.target is None):
        raise DataError(f"Give both {argument('source')} and {argument('target')}, or neither.")
    weight = None if reading.weight is None else columns.index(reading.weight)
    if reading.source is not None and reading.target is not None:
        return columns.index(reading.source), columns.index(reading.target), weight
    if len(columns) == 1:
        raise DataError(
            f"{table.name} has one column; an edge list has two or three (from, to, weight). If "
            f"another character separates its cells, name it with {argument('sep')}."
        )
    lowered = [name.strip().lower() for name in columns]
    if len(columns) > 3 and not {"source", "target"} <= set(lowered):
        raise DataError(
            f"{table.name} has {len(columns)} columns: {listed(columns)}; an edge list has two or "
            f"three (from, to, weight). Name them with {_options()}."
        )
    if len(columns) > 3:
        default = lowered.index("weight") if "weight" in lowered else None
        place = default if weight is None else weight
        return lowered.index("source"), lowered.index("target"), place
    return 0, 1, weight if weight is not None else (2 if len(columns) == 3 else None)


def _refuse_times(table: Table, columns: list[str], places: Any, weights: NDArray[Any]) -> None:
    """Refuse weights that were not requested and look like times or identifiers."""
    name = columns[places[2]]
    is_whole = len(weights) > 2 and bool((weights == np.floor(weights)).all())
    is_time = is_whole and any(
        low <= weights.min() < weights.max() <= high for low, high in UNIX_TIMES
    )
    words = set(re.split(r"[^a-z]+", name.lower()))
    is_id = (
        is_whole
        and bool(words & {"id", "ids", "index"})
        and len(np.unique(weights)) == len(weights)
    )
    if is_time or is_id or words & TIMES:
        what = "identifiers" if is_id else "times"
        remedy = (("source", columns[places[0]]), ("target", columns[places[1]]))
        ends = " ".join(argument(*pair) for pair in remedy)
        raise DataError(
            f"{table.name}: column {name!r} looks like {what} and not like weights of edges. For "
            f"edges without weights add {ends}; to use it: {argument('weight', name)}.",
            remedy=remedy,
        )


def _options() -> str:
    """The arguments that name columns."""
    return f"{argument('source')}, {argument('target')} and {argument('weight')}"


def _end(table: Table, place: int) -> Any:
    """One end of every edge, as text; of a text file as it is written."""
    pa, pc = package("pyarrow", "cli"), package("pyarrow.compute", "cli")
    if table.text is not None:
        column = pc.utf8_trim_whitespace(table.text(place).combine_chunks())
        missing = pc.equal(column, "").to_numpy(zero_copy_only=False)
        which = "an empty cell"
    else:
        column = table.data.column(place).combine_chunks()
        missing = column.is_null().to_numpy(zero_copy_only=False)
        which = "a missing value"
    if missing.any():
        raise DataError(
            f"{table.name}: edge {int(np.flatnonzero(missing)[0]) + 1} has no vertex in column "
            f"{table.columns[place]!r} ({which}); correct the line."
        )
    if pa.types.is_nested(column.type):
        raise DataError(
            f"{table.name}: column {table.columns[place]!r} holds nested values, not vertices."
        )
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type):
        numbers = column.to_numpy(zero_copy_only=False)
        if not np.isfinite(numbers).all():
            raise DataError(
                f"{table.name}: edge {int(np.flatnonzero(~np.isfinite(numbers))[0]) + 1} has the "
                f"vertex {numbers[~np.isfinite(numbers)][0]} in column {table.columns[place]!r}; "
                "correct it."
            )
        if np.all(numbers == np.floor(numbers)) and np.all(np.abs(numbers) < 2**53):
            column = column.cast(pa.int64())
    return pc.utf8_trim_whitespace(column.cast(pa.string()))


def _encoded(first: Any, second: Any) -> tuple[NDArray[np.intp], list[str]]:
    """Both ends as numbers of vertices: whole numbers in their order, names as they first occur."""
    pa = package("pyarrow", "cli")
    both = pa.chunked_array([first, second]).combine_chunks()
    encoded = both.dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.intp)
    names = encoded.dictionary.to_pylist()
    if all(re.fullmatch(r"-?\d{1,15}", name) for name in names):
        order = np.argsort(np.array([int(name) for name in names]), kind="stable")
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order))
        return rank[codes], [names[k] for k in order]
    return codes, names


def _weights(table: Table, place: int) -> NDArray[Any]:
    pa = package("pyarrow", "cli")
    column = table.data.column(place).combine_chunks()
    kind, name = column.type, table.columns[place]
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        text = next((str(v) for v in column.to_pylist() if not _is_number(v)), "")
        if NUMBER.fullmatch(text.replace(",", ".", 1)):
            raise DataError(
                f"{table.name}: the weights in column {name!r} have a decimal comma ({text!r}); "
                "write them with a decimal point."
            )
        raise DataError(
            f"{table.name}: the column of weights, {name!r}, holds {text[:40]!r}, which is no "
            f"number; correct it, or name the columns with {_options()} (without "
            f"{argument('weight')} every edge weighs 1)."
        )
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise DataError(
            f"{table.name}: edge {row + 1} has no weight (column {name!r}); give it one, or remove "
            "the line."
        )
    return column.to_numpy(zero_copy_only=False).astype(np.float64)


def _is_number(value: Any) -> bool:
    return value is not None and NUMBER.fullmatch(str(value)) is not None


def _square(table: Table) -> Arcs | None:
    """The arcs of an adjacency matrix written as a table, its header or first column the names."""
    m, n = table.shape
    names = [str(name) for name in table.columns]
    if not hasattr(table.data, "column_names"):  # wide, and numbers only
        first = 1 if n == m + 1 else 0
        if n - first != m:
            return None
        A = np.asarray(table.data)[:, first:]
        return _named_square(table, A, names[first:], first)
    pa = package("pyarrow", "cli")
    numeric = [
        pa.types.is_integer(t) or pa.types.is_floating(t) or pa.types.is_null(t)
        for t in table.data.schema.types
    ]
    first = 1 if n == m + 1 and n > 4 else 0
    if n < 4 or n - first != m or not all(numeric[first:]):
        return None
    require_shape(table.name, m, n, 16.0 * m * n)
    A = np.column_stack([table.data.column(k).to_numpy() for k in range(first, n)]).astype(float)
    return _named_square(table, A, names[first:], first)


def _named_square(table: Table, A: Any, names: list[str], first: int) -> Arcs:
    if first:
        ends = table.data.column(0) if table.text is None else table.text(0)
        names = [str(name).strip() for name in ends.to_pylist()]
    return arcs_of_array(Table(table.name, A, names, table.sha256, table.hashed), names)


def read_edge_table(data: str, reading: GraphReading) -> Arcs:
    """Parquet or Feather."""
    return arcs_of_table(read_with(data, ReadOptions()), reading)
