"""Edge lists: from, to and perhaps a weight, as text, Parquet, Feather or an array."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...exceptions import DataError
from .._messages import listed, package
from .._source import Source
from ..tables import ReadOptions, Table, read_with
from ..tables._text import read_text
from ._arrays import arcs_of_array
from ._graph import Arcs, GraphReading
from ._header import NUMBER, first_rows, has_header

__all__ = ["arcs_of_table", "read_edge_table", "read_edge_text", "read_edge_words"]


def read_edge_text(source: Source, reading: GraphReading) -> Arcs:
    """CSV or TSV: two columns, or three with a weight; or a whole adjacency matrix."""
    sep = {"tab": "\t", "\\t": "\t", "space": " "}.get(reading.sep or "", reading.sep)
    sep = sep or ("\t" if source.suffix == ".tsv" else ",")
    rows = first_rows(source, sep)
    header = has_header(rows) if reading.header is None else reading.header
    table = read_text(source, ReadOptions(sep=reading.sep, header=header))
    table = replace(table, notes=())  # they speak of tables of samples
    reader = f"pd.read_csv({str(source.path)!r}" if source.path else ""
    reader += "" if sep == "," else f", sep={sep!r}"
    reader += "" if header else ", header=None"
    arcs = arcs_of_table(table, reading, f"{reader})" if source.path else "")
    if reading.header is None and not header and arcs.kind == "list":
        return _doubted(arcs, rows[0])
    return arcs


def read_edge_words(source: Source, reading: GraphReading) -> Arcs:
    """Words between blanks, one edge a line; lines that begin with # or % are remarks."""
    if reading.sep is not None:
        return read_edge_text(source, reading)
    raw = source.content or (source.file.read_bytes() if source.path else b"")
    lines = (line.split() for line in raw.splitlines())
    kept = [b"\t".join(words) for words in lines if words and words[0][:1] not in (b"#", b"%")]
    if not kept:
        raise DataError(f"{source.name} has no edges: every line is empty or a remark.")
    inner = Source(source.name, None, ".tsv", b"\n".join(kept) + b"\n")
    arcs = read_edge_text(inner, replace(reading, sep="tab"))
    loading: tuple[str, ...] = ()
    if arcs.kind == "list":
        header = has_header(first_rows(inner, "\t")) if reading.header is None else reading.header
        names = "" if header else ", header=None"
        reader = f"pd.read_csv({str(source.path)!r}, sep=r'\\s+', comment='#'{names})"
        loading = _loading_lines(reader, arcs, arcs.places)
    return replace(arcs, sha256=source.sha256(), hashed="file", loading=loading)


def _doubted(arcs: Arcs, first: Sequence[str]) -> Arcs:
    """A remark where the first line was read as an edge and its vertices occur nowhere else."""
    names = [cell.strip() for cell in first[:2]]
    if any(NUMBER.fullmatch(name) for name in names) or any(n not in arcs.names for n in names):
        return arcs
    times = np.bincount(np.concatenate([arcs.i, arcs.j]), minlength=len(arcs.names))
    if any(times[arcs.names.index(name)] > 1 for name in names) or len(arcs.i) < 2:
        return arcs
    note = (
        f"The first line of {arcs.name} ({listed(names)}) was read as an edge; if it names the "
        "columns, add --header."
    )
    return replace(arcs, notes=(*arcs.notes, note))


def arcs_of_table(table: Table, reading: GraphReading, reader: str = "") -> Arcs:
    """The arcs that the rows of a table list.

    Parameters
    ----------
    table : Table
        With an Arrow table.
    reading : GraphReading
    reader : str
        Python that reads the table as a data frame.
    """
    columns = [str(name) for name in table.columns]
    if table.data.num_rows == 0:
        raise DataError(f"{table.name} has no edges: it has the names of the columns and no rows.")
    square = _square(table) if not (reading.source or reading.target) else None
    if square is not None:
        return square
    places = _places(table, columns, reading)
    codes, names = _encoded(_end(table, places[0]), _end(table, places[1]))
    m = table.data.num_rows
    weights = np.ones(m) if places[2] is None else _weights(table, places[2])
    arcs = Arcs(
        table.name,
        names,
        codes[:m],
        codes[m:],
        weights,
        table.sha256,
        "list",
        table.hashed,
        notes=tuple(table.notes),
        places=places,
    )
    return replace(arcs, loading=_loading_lines(reader, arcs, places) if reader else ())


def _places(table: Table, columns: list[str], reading: GraphReading) -> tuple[int, int, int | None]:
    """Which columns hold the ends and the weight."""
    named = (reading.source, reading.target, reading.weight)
    for option, name in zip(("--source", "--target", "--weight"), named):
        if name is not None and name not in columns:
            raise DataError(
                f"{option} {name}: {table.name} has no such column; it has {listed(columns)}."
            )
    if (reading.source is None) != (reading.target is None):
        raise DataError("Give both --source and --target, or neither.")
    weight = None if reading.weight is None else columns.index(reading.weight)
    if reading.source is not None and reading.target is not None:
        return columns.index(reading.source), columns.index(reading.target), weight
    if len(columns) == 1:
        raise DataError(
            f"{table.name} has one column; an edge list has two or three (from, to, weight). If "
            "another character separates its cells, name it with --sep."
        )
    lowered = [name.strip().lower() for name in columns]
    if len(columns) > 3 and not {"source", "target"} <= set(lowered):
        raise DataError(
            f"{table.name} has {len(columns)} columns: {listed(columns)}; an edge list has two or "
            "three (from, to, weight). Name them with --source, --target and --weight."
        )
    if len(columns) > 3:
        found = lowered.index("weight") if "weight" in lowered else None
        place = found if weight is None else weight
        return lowered.index("source"), lowered.index("target"), place
    return 0, 1, weight if weight is not None else (2 if len(columns) == 3 else None)


def _end(table: Table, place: int) -> Any:
    """One end of every edge, as text."""
    pa, pc = package("pyarrow", "cli"), package("pyarrow.compute", "cli")
    column = table.data.column(place).combine_chunks()
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise DataError(
            f"{table.name}: edge {row + 1} has no vertex in column {table.columns[place]!r} (an "
            "empty cell, NA, NaN, null and None all read as missing); correct the line."
        )
    if pa.types.is_floating(column.type):
        whole = column.to_numpy()
        if np.all(whole == np.floor(whole)) and np.all(np.abs(whole) < 2**53):
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
        shown = next((str(v) for v in column.to_pylist() if not _is_number(v)), "")
        if NUMBER.fullmatch(shown.replace(",", ".", 1)):
            raise DataError(
                f"{table.name}: the weights in column {name!r} have a decimal comma ({shown!r}); "
                "write them with a decimal point."
            )
        raise DataError(
            f"{table.name}: the column of weights, {name!r}, holds {shown[:40]!r}, which is no "
            "number; correct it, or name the columns with --source, --target and --weight "
            "(without --weight every edge weighs 1)."
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
    pa = package("pyarrow", "cli")
    m, n = table.shape
    numeric = [
        pa.types.is_integer(t) or pa.types.is_floating(t) or pa.types.is_null(t)
        for t in table.data.schema.types
    ]
    first = 1 if n == m + 1 and n > 4 else 0
    if n < 4 or n - first != m or not all(numeric[first:]):
        return None
    A = np.column_stack([table.data.column(k).to_numpy() for k in range(first, n)]).astype(float)
    names = [str(name) for name in table.columns[first:]]
    if first:
        names = [str(name).strip() for name in table.data.column(0).to_pylist()]
    return arcs_of_array(Table(table.name, A, names, table.sha256, table.hashed), names)


def read_edge_table(data: str, reading: GraphReading) -> Arcs:
    """Parquet or Feather."""
    table = read_with(data, ReadOptions())
    reader = "read_parquet" if data.lower().endswith(".parquet") else "read_feather"
    return arcs_of_table(table, reading, f"pd.{reader}({data!r})")


def _loading_lines(reader: str, arcs: Arcs, places: tuple[int, int, int | None]) -> tuple[str, ...]:
    """Python that makes A from the file: each line an arc."""
    a, b, weight = places
    values = "np.ones(len(frame))" if weight is None else f"frame.iloc[:, {weight}]"
    return (
        "import numpy as np",
        "import pandas as pd",
        "import scipy.sparse as sp",
        f"frame = {reader}",
        f"ends = pd.concat([frame.iloc[:, {a}], frame.iloc[:, {b}]])",
        "codes, names = pd.factorize(ends" + (", sort=True)" if _whole(arcs.names) else ")"),
        "ends = codes.reshape(2, -1)",
        f"A = sp.coo_array(({values}, tuple(ends)), shape=(len(names),) * 2).tocsr()",
    )


def _whole(names: Sequence[str]) -> bool:
    return all(re.fullmatch(r"-?\d{1,15}", name) for name in names)
