"""JSON: a list of records, columns by name, or one record a line."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from sys import intern
from typing import Any

from ..._wording import listed
from ...exceptions import DataError
from .._messages import damaged, package
from .._source import Source
from ._codes import numbers_of
from ._table import ReadOptions, Table, require_shape
from ._text import Counted

#: Memory of Python's objects, over the length of the text they are decoded from at one time.
OBJECTS = 25
CELL_BYTES = 64.0
#: Characters read at a time, and cells that are Python's objects at a time.
CHUNK, CELLS = 1 << 20, 50_000
#: The longest token that an end of the text may cut, "-Infinity", with some to spare.
TOKEN = 16
SPACE = re.compile(r"[ \t\n\r]*")
LIKE = '[{"age": 31, "height": 1.8}, {"age": 45, "height": 1.7}]'


def read_json(source: Source, options: ReadOptions) -> Table:
    """Read a JSON file: a list of records, or an object of columns of equal length."""
    with damaged(source.name, "JSON"):
        if _Reader(source).following() == "[":
            return _of_records(source, partial(_listed, source), options.missing)
        text = _text(source)
        try:
            content = json.loads(text, object_pairs_hook=partial(_object, source.name))
        except json.JSONDecodeError as error:
            if error.msg != "Extra data" or not text.lstrip().startswith("{"):
                raise
            del text
            return read_jsonl(source, options)
    if isinstance(content, dict) and all(isinstance(part, list) for part in content.values()):
        lengths = {len(part) for part in content.values()}
        if len(lengths) > 1:
            raise DataError(f"{source.name}: its columns differ in length.")
        columns = Columns(source.name, options.missing)
        columns.add(content, next(iter(lengths), 0))
        return columns.table(source)
    raise DataError(f"{source.name} is not a list of records, such as {LIKE}.")


def read_jsonl(source: Source, options: ReadOptions) -> Table:
    """Read a file of one JSON record a line."""
    with damaged(source.name, "JSON lines"):
        return _of_records(source, partial(_lines, source), options.missing)


def _lines(source: Source) -> Iterator[Any]:
    """The records of a file of one a line."""
    decode = partial(json.loads, object_pairs_hook=partial(_object, source.name))
    for number, line in enumerate(_split(source), start=1):
        if line.strip():
            try:
                yield decode(line)
            except json.JSONDecodeError as error:
                raise DataError(
                    f"{source.name}: line {number} is not JSON ({error.msg}); correct it."
                ) from error


def _split(source: Source) -> Iterator[str]:
    """The lines of a file: names may hold the other separators that `str.splitlines` knows."""
    rest = ""
    for piece in _pieces(source):
        *lines, rest = (rest + piece).split("\n")
        source.require(OBJECTS * len(rest))
        yield from lines
    yield rest


def _listed(source: Source) -> Iterator[Any]:
    """The elements of a file that holds one list, decoded one by one."""
    text = _Reader(source)
    text.take("[")
    if text.following() != "]":
        yield text.value()
        while text.following() != "]":
            text.take(",", "Expecting ',' delimiter")
            text.following()
            yield text.value()
    text.take("]")
    if text.following():
        raise text.error("Extra data", text.at)


def _pieces(source: Source) -> Iterator[str]:
    """The text of a file in pieces; refused where its cells would exceed the memory limit."""
    with Counted(source, ",") as stream:
        piece = stream.read(CHUNK)
        decoder = codecs.getincrementaldecoder(json.detect_encoding(piece))()
        while piece:
            yield decoder.decode(piece)
            piece = stream.read(CHUNK)
        yield decoder.decode(b"", final=True)


class _Reader:
    """JSON text that is read piece by piece; the place in it is the position `at` of `held`."""

    def __init__(self, source: Source) -> None:
        self.source, self.pieces = source, _pieces(source)
        self.decode = json.JSONDecoder(object_pairs_hook=partial(_object, source.name)).raw_decode
        self.held, self.at = "", 0
        self.n_lines = self.n_characters = 0  # of what is no longer held
        self.newline = -1  # where the last one was

    def more(self) -> bool:
        """Drop what is behind, and hold at least twice as much as is left; False at the end."""
        self.newline = max(self.newline, self._newline(self.at))
        self.n_lines += self.held.count("\n", 0, self.at)
        self.n_characters += self.at
        pieces = [self.held[self.at :]]
        self.held, self.at = "", 0
        length = wanted = len(pieces[0])
        while length <= 2 * wanted and (piece := next(self.pieces, None)) is not None:
            length += len(piece)
            self.source.require(OBJECTS * length)
            pieces.append(piece)
        self.held = "".join(pieces)
        return length > wanted

    def _newline(self, end: int) -> int:
        place = self.held.rfind("\n", 0, end)
        return -1 if place < 0 else self.n_characters + place

    def following(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            space = SPACE.match(self.held, self.at)
            self.at = space.end() if space else self.at
            if self.at < len(self.held):
                return self.held[self.at]
            if not self.more():
                return ""

    def take(self, character: str, message: str = "Expecting value") -> None:
        """Pass a character that has to follow."""
        if self.following() != character:
            raise self.error(message, self.at)
        self.at += 1

    def value(self) -> Any:
        """Decode the next value; one that the end of what is held may cut is tried with more."""
        while True:
            try:
                value, end = self.decode(self.held, self.at)
            except json.JSONDecodeError as error:
                cut = error.pos + TOKEN >= len(self.held) or error.msg.startswith("Unterminated")
                worded = self.error(error.msg, error.pos)
                if not cut or not self.more():
                    raise worded from error
                continue
            if end < len(self.held) or not self.more():
                self.at = end
                return value

    def error(self, message: str, at: int) -> ValueError:
        """An error at a position of `held`, worded as by `json`."""
        line = self.n_lines + self.held.count("\n", 0, at) + 1
        place = self.n_characters + at
        column = place - max(self.newline, self._newline(at))
        return ValueError(f"{message}: line {line} column {column} (char {place})")


def _text(source: Source) -> str:
    content = source.unpacked(OBJECTS)
    return content.decode(json.detect_encoding(content))


def _object(file: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = {intern(name): value for name, value in pairs}  # records share their names
    if len(record) < len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise DataError(f"{file}: an object has the name {name!r} twice; rename one of the two.")
    return record


def _of_records(source: Source, read: Callable[[], Iterator[Any]], missing: Sequence[str]) -> Table:
    """The table of records, read once more if some columns turn out to have text and numbers."""
    mixed: set[str] = set()
    while True:
        columns = Columns(source.name, missing, mixed)
        for records in _batches(source.name, read()):
            names = list(dict.fromkeys(name for record in records for name in record))
            columns.require(len(records), names)
            cells = {name: [record.get(name) for record in records] for name in names}
            columns.add(cells, len(records))
        if not (found := columns.mixed()):
            return columns.table(source)
        mixed |= found


def _batches(file: str, records: Iterator[Any]) -> Iterator[list[dict[str, Any]]]:
    """Records, so many at a time that they have about `CELLS` cells."""
    batch, n_cells = [], 0
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise DataError(
                f"{file}: record {number} is not an object of names and values, as in {LIKE}."
            )
        batch.append(record)
        n_cells += 1 + len(record)
        if n_cells >= CELLS:
            yield batch
            batch, n_cells = [], 0
    yield batch


class Columns:
    """Named columns that come in blocks of rows, each block an Arrow array.

    Parameters
    ----------
    file : str
        The name in messages.
    missing : sequence of str
        Codes of missing values.
    objects : set of str
        Columns that are kept as Python's objects to the end: they have text and numbers, and how
        a number is written depends on the others of its block.
    """

    def __init__(self, file: str, missing: Sequence[str], objects: Set[str] = frozenset()) -> None:
        self.file, self.missing, self.objects = file, missing, objects
        self.n_rows = 0
        self.blocks: dict[str, list[Any]] = {}
        self.nested: dict[str, None] = {}

    def require(self, m: int, names: Iterable[str]) -> None:
        """Refuse `m` more rows with cells in these columns if the table would be too large."""
        rows, columns = self.n_rows + m, len({*self.blocks, *names})
        require_shape(self.file, rows, columns, CELL_BYTES * rows * columns)

    def add(self, cells: Mapping[str, list[Any]], m: int) -> None:
        """Add `m` rows; the columns that are not among `cells` have none there."""
        pa = package("pyarrow", "cli")
        self.require(m, cells)
        for name in cells:
            if name not in self.blocks:
                before = [None] * self.n_rows if name in self.objects else [pa.nulls(self.n_rows)]
                self.blocks[name] = before
        for name, blocks in self.blocks.items():
            if name in self.objects:
                blocks += cells.get(name, [None] * m)
            elif name in cells:
                blocks.append(self._block(name, cells[name]))
            else:
                blocks.append(pa.nulls(m))
        self.n_rows += m

    def _block(self, name: str, cells: list[Any]) -> Any:
        pa = package("pyarrow", "cli")
        if any(isinstance(cell, dict | list) for cell in cells):
            self.nested[name] = None
            return pa.nulls(len(cells))
        wrong = next((c for c in (name, *cells) if isinstance(c, str) and not _is_text(c)), None)
        if wrong is not None:
            raise DataError(
                f"{self.file}: column {name!r} has {wrong[:40]!r}, half of a pair of surrogates "
                "and no character; correct it."
            )
        block = arrow_column(cells, self.file, self.missing)
        return pa.nulls(len(cells)) if block.null_count == len(cells) else block

    def _kinds(self, name: str) -> set[Any]:
        """The types of a column's blocks that have any value."""
        types = package("pyarrow", "cli").types
        return {block.type for block in self.blocks[name] if not types.is_null(block.type)}

    def mixed(self) -> set[str]:
        """Columns with blocks of several types, numbers aside."""
        pa = package("pyarrow", "cli")
        numbers = {pa.int64(), pa.float64()}
        typed = self.blocks.keys() - self.objects - self.nested.keys()
        kinds = {name: self._kinds(name) for name in typed}
        return {name for name in typed if len(kinds[name]) > 1 and not kinds[name] <= numbers}

    def _joined(self, name: str) -> Any:
        pa = package("pyarrow", "cli")
        if name in self.objects:
            return arrow_column(self.blocks[name], self.file, self.missing)
        kinds = self._kinds(name)
        kind = kinds.pop() if len(kinds) == 1 else pa.float64()
        return pa.chunked_array([block.cast(kind, safe=False) for block in self.blocks[name]])

    def table(self, source: Source) -> Table:
        """The table of all rows."""
        if self.nested:
            nested = [name for name in self.blocks if name in self.nested]
            raise DataError(
                f"{source.name}: {listed(nested)} hold objects or lists; give every value a name "
                "of its own."
            )
        names = [name.strip() for name in self.blocks]
        arrays = []
        for name in list(self.blocks):
            arrays.append(self._joined(name))
            self.blocks[name] = []
        data = package("pyarrow", "cli").table(arrays, names=names)
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
