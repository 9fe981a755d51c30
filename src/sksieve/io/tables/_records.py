"""JSON: a list of records, columns by name, or one record a line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import partial
from sys import intern
from typing import Any

from ..._wording import listed
from ...exceptions import DataError
from .._messages import damaged, package
from .._source import Source
from ._codes import numbers_of
from ._table import ReadOptions, Table, require_shape

#: Memory of Python's objects, over the length of the text.
OBJECTS = 25
CELL_BYTES = 64.0
LIKE = '[{"age": 31, "height": 1.8}, {"age": 45, "height": 1.7}]'


def read_json(source: Source, options: ReadOptions) -> Table:
    """Read a JSON file: a list of records, or an object of columns of equal length."""
    with damaged(source.name, "JSON"):
        text = _text(source)
        try:
            content = json.loads(text, object_pairs_hook=partial(_object, source.name))
        except json.JSONDecodeError as error:
            if error.msg != "Extra data" or not text.lstrip().startswith("{"):
                raise
            return _of_lines(source, text, options.missing)
    if isinstance(content, dict) and all(isinstance(part, list) for part in content.values()):
        lengths = {len(part) for part in content.values()}
        if len(lengths) > 1:
            raise DataError(f"{source.name}: its columns differ in length.")
        return _table(source, content, next(iter(lengths), 0), options.missing)
    if not isinstance(content, list):
        raise DataError(f"{source.name} is not a list of records, such as {LIKE}.")
    return _of_records(source, content, options.missing)


def read_jsonl(source: Source, options: ReadOptions) -> Table:
    """Read a file of one JSON record a line."""
    with damaged(source.name, "JSON lines"):
        return _of_lines(source, _text(source), options.missing)


def _of_lines(source: Source, text: str, missing: Sequence[str]) -> Table:
    records, record_of = [], partial(_object, source.name)
    with damaged(source.name, "JSON lines"):
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                try:
                    records.append(json.loads(line, object_pairs_hook=record_of))
                except json.JSONDecodeError as error:
                    raise DataError(
                        f"{source.name}: line {number} is not JSON ({error.msg}); correct it."
                    ) from error
    return _of_records(source, records, missing)


def _text(source: Source) -> str:
    content = source.unpacked(OBJECTS)
    return content.decode(json.detect_encoding(content))


def _object(file: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = {intern(name): value for name, value in pairs}  # records share their names
    if len(record) < len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise DataError(f"{file}: an object has the name {name!r} twice; rename one of the two.")
    return record


def _of_records(source: Source, records: Sequence[Any], missing: Sequence[str]) -> Table:
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise DataError(
                f"{source.name}: record {number} is not an object of names and values, as in "
                f"{LIKE}."
            )
    names = list(dict.fromkeys(name for record in records for name in record))
    require_shape(source.name, len(records), len(names), CELL_BYTES * len(records) * len(names))
    columns = {name: [record.get(name) for record in records] for name in names}
    return _table(source, columns, len(records), missing)


def _table(source: Source, columns: dict[str, list[Any]], m: int, missing: Sequence[str]) -> Table:
    pa = package("pyarrow", "cli")
    require_shape(source.name, m, len(columns), CELL_BYTES * m * len(columns))
    nested = [
        name
        for name, cells in columns.items()
        if any(isinstance(cell, dict | list) for cell in cells)
    ]
    if nested:
        raise DataError(
            f"{source.name}: {listed(nested)} hold objects or lists; give every value a name of "
            "its own."
        )
    for name, cells in columns.items():
        wrong = next((c for c in (name, *cells) if isinstance(c, str) and not _is_text(c)), None)
        if wrong is not None:
            raise DataError(
                f"{source.name}: column {name!r} has {wrong[:40]!r}, half of a pair of surrogates "
                "and no character; correct it."
            )
    arrays = [arrow_column(cells, source.name, missing) for cells in columns.values()]
    names = [name.strip() for name in columns]
    data = pa.table(arrays, names=names)
    return Table(source.name, data, names, source.sha256())


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def arrow_column(cells: Sequence[Any], name: str, missing: Sequence[str] = ()) -> Any:
    """Values of Python as an Arrow array: numbers, or text where some value is text.

    Parameters
    ----------
    cells : sequence
    name : str
        Of the file, in messages.
    missing : sequence of str
        Codes of missing values.

    Raises
    ------
    DataError
        If a whole number is beyond the range of float64.
    """
    pa = package("pyarrow", "cli")
    if missing:
        codes = {*missing, *numbers_of(missing)}
        cells = [None if cell in codes and not isinstance(cell, bool) else cell for cell in cells]
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {int, float}:
        if kinds == {int} and all(cell is None or -(2**63) <= cell < 2**63 for cell in cells):
            return pa.array(cells, pa.int64())
        try:
            numbers = [None if cell is None else float(cell) for cell in cells]
        except OverflowError as error:
            raise DataError(
                f"{name} has a number too large for float64 (beyond 1.8e308); correct it."
            ) from error
        return pa.array(numbers, pa.float64())
    if len(kinds) == 1:
        return pa.array(cells)
    return pa.array([None if cell is None else str(cell) for cell in cells])
