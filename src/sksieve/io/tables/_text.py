"""Text tables, strictly: every line as long as the header, no column renamed silently."""

from __future__ import annotations

import codecs
import csv
import io
import re
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from itertools import islice
from lzma import LZMAError
from typing import Any, BinaryIO
from zipfile import BadZipFile

import numpy as np

from ..._memory import require_memory
from ..._wording import argument, counted, listed
from ...exceptions import DataError
from .._messages import damaged, package
from .._source import Source
from ._layout import LOOKED_AT, distinct, header_row_of, joined_headers, text_lines
from ._table import ReadOptions, Table, require_shape
from ._units import with_numbers

#: Cells that stand for a missing value, in addition to the empty cell.
MISSING = ("", "NA", "N/A", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "None", "<NA>")
#: What `sep` takes beside one character.
SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " "}
#: Character -> as a message names it, as a person types it.
OTHER_SEPARATORS = {
    ";": ("';'", ";"),
    "\t": ("a tab", "tab"),
    ",": ("','", ","),
    "|": ("'|'", "|"),
}
HEAD = 1 << 16  # bytes looked at
#: So many decimal numbers are hardly in order by chance.
ORDERED = 6
#: Tables with more columns are read as one block of numbers where they are one: Arrow takes as
#: long for a column as for thousands of cells.
WIDE = 500
#: Bytes that a cell takes: in Arrow, as a number, and scaled.
CELL_BYTES = 32
#: Bytes that Arrow takes for a column of a text table, whatever its length.
ARROW_COLUMN_BYTES = 7000.0
MIN_BLOCK, MAX_BLOCK, BLOCK_LINES = 1 << 20, 1 << 26, 1000
#: What Arrow says of a line of another length.
RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)
BYTE_ORDER_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
#: What Python has among its encodings: of names of hosts, and of Python's source.
NO_ENCODINGS = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs"}
UNPACKING = (OSError, EOFError, zlib.error, LZMAError, BadZipFile)


def read_text(source: Source, options: ReadOptions) -> Table:
    """Read a CSV or TSV file, or a CSV table from standard input."""
    encoding = encoding_of(source, options.encoding)
    sep, remarks = separator_of(source, options.sep, encoding)
    options, decimal_notes = _with_decimal(source, options, sep, encoding)
    parse = _Parser(source, options, sep, encoding)
    read = parse.numbers() if parse.n_columns > WIDE and parse.names is None else None
    if read is None:
        data, columns = parse.arrow()
        _check_text(source, data, columns)
    else:
        data, columns = read
    columns = [name.strip() for name in columns]
    columns, notes = named_columns(source, parse.options, columns, parse.first)
    notes = (*remarks, *decimal_notes, *parse.notes, *notes)
    if read is None:
        data, units = with_numbers(data, columns, options.thousands, options.decimal)
        notes = (*notes, *units)
    hashed = "stdin" if source.path is None else "file"
    return Table(source.name, data, columns, source.sha256(), hashed, notes=notes, text=parse.cells)


def read_words(source: Source, options: ReadOptions) -> Table:
    """Read a TXT file: cells between tabs, commas, semicolons or else blanks."""
    if options.sep is not None:
        return read_text(source, options)
    encoding = encoding_of(source, options.encoding)
    line = next(iter(text_rows(source, "\0", encoding)), [""])[0]
    sep = next((sep for sep in ("\t", ";", ",") if sep in line), None)
    if sep is not None:
        return read_text(source, ReadOptions(**{**vars(options), "sep": sep}))
    with damaged(source.name, "a text table"):
        lines = source.unpacked(CELL_BYTES).decode(encoding or "utf-8").splitlines()
    content = "\n".join("\t".join(line.split()) for line in lines).encode()
    inner = Source(source.name, None, ".tsv", content)
    table = read_text(inner, ReadOptions(**{**vars(options), "encoding": None}))
    return Table(**{**vars(table), "sha256": source.sha256(), "hashed": "file"})


def named_columns(
    source: Source, options: ReadOptions, columns: list[str], first: Sequence[str] = ()
) -> tuple[list[str], tuple[str, ...]]:
    """The names of the columns, and remarks on them.

    Parameters
    ----------
    source : Source
    options : ReadOptions
        With ``header`` decided; None stands for True.
    columns : list of str
        The names as read.
    first : sequence of str
        The first line, where `looks_like_data` decided that it is data.
    """
    notes = []
    if options.header is False:
        if options.was_decided:
            notes.append(
                f"The first line of {source.name} holds numbers ({listed(first, 3)}) and was read "
                "as data; the columns are called x0, x1, ... If it names them, add "
                f"{argument('header', True)}."
            )
        return [f"x{i}" for i in range(len(columns))], tuple(notes)
    if sum(map(_is_number, columns)) > len(columns) / 2:
        message = f"The first line of {source.name} holds numbers ({listed(columns, 3)})"
        advice = f"if it is a row of data, add {argument('header', False)}."
        if len(set(columns)) < len(columns):
            raise DataError(f"{message}, some of them twice, and cannot name the columns; {advice}")
        notes.append(f"{message} and was taken for the names of the columns; {advice}")
    unnamed = [i for i, name in enumerate(columns) if not name]
    if unnamed:
        columns = [name or f"unnamed_{i}" for i, name in enumerate(columns)]
        places = listed((columns[i] for i in unnamed), 5)
        notes.append(f"{counted(len(unnamed), 'column')} without a name: called {places}.")
    columns, renamed = distinct(columns)
    return columns, (*notes, *renamed)


def looks_like_data(cells: Sequence[str]) -> bool:
    """Whether a first line is a row of data: most cells are numbers, in no order.

    Numbers that rise or fall are names, such as years or wavelengths; of those with decimals at
    least six.

    Examples
    --------
    >>> looks_like_data(["5.1", "3.5", "1.4", "0.2", "Iris-setosa"])
    True
    >>> looks_like_data(["country", "2019", "2020", "2021", "2022"])
    False
    >>> looks_like_data(["length", "width", "class"])
    False
    """
    numbers = [float(cell) for cell in map(str.strip, cells) if _is_number(cell)]
    if len(numbers) <= len(cells) / 2:
        return False
    steps = np.diff(numbers)
    in_order = (steps > 0).all() or (steps < 0).all()
    whole = all(number.is_integer() for number in numbers)
    return bool(len(steps)) and not (in_order and (whole or len(numbers) >= ORDERED))


def separator_of(
    source: Source, requested: str | None, encoding: str | None
) -> tuple[str, tuple[str, ...]]:
    """The separator, and a remark where the first line decided it."""
    lines = text_rows(source, "\0", encoding)
    line = lines[0][0] if lines else ""
    if requested is None and not any(other in line for other in OTHER_SEPARATORS):
        line = _line_of_most(lines)
    if requested is None:
        usual = "\t" if source.suffix == ".tsv" else ","
        if usual in line:
            return usual, ()
        for other, (description, typed) in OTHER_SEPARATORS.items():
            if other in line:
                return other, (
                    f"The cells of {source.name} are separated by {description}, as in its first "
                    f"line ({argument('sep', typed)}).",
                )
        return usual, ()
    sep = SEPARATORS.get(requested, requested)
    if len(sep) != 1 or not sep.isascii() or sep in '\r\n\0"':
        raise DataError(
            f"{argument('sep')} takes one ASCII character (or the words tab and space); "
            f"got {requested!r}."
        )
    if sep not in line:
        _refuse_other_separator(source, line)
    return sep, ()


def _line_of_most(lines: Sequence[Sequence[str]]) -> str:
    """A line like most of the first ones, where these have a separator, else the first line."""
    head = [line for (line,) in lines[:20]]
    for sep in OTHER_SEPARATORS:
        counts = [line.count(sep) for line in head]
        usual = max(set(counts), key=counts.count) if counts else 0
        if usual and counts.count(usual) > len(counts) / 2:
            return head[counts.index(usual)]
    return head[0] if head else ""


def _with_decimal(
    source: Source, options: ReadOptions, sep: str, encoding: str | None
) -> tuple[ReadOptions, tuple[str, ...]]:
    """The options with the decimal sign: a comma where the first lines leave no doubt."""
    if options.decimal is not None or sep == ",":
        return options, ()
    rows = [[cell.strip() for cell in row] for row in text_rows(source, sep, encoding)[1:]]
    width = max(map(len, rows), default=0)
    columns = [[row[j] for row in rows if len(row) > j and row[j]] for j in range(width)]
    commas = [
        cells
        for cells in columns
        if any("," in cell for cell in cells)
        and all(_is_number(cell.replace(",", ".", 1)) and "." not in cell for cell in cells)
    ]
    points = any(
        any("." in cell for cell in cells) and all(map(_is_number, cells)) for cells in columns
    )
    decimals = [cell for cells in commas for cell in cells if "," in cell]
    grouped = all(re.fullmatch(r"-?[1-9]\d{0,2},\d{3}", cell) for cell in decimals)
    if not commas or points or grouped:
        return options, ()
    note = f"Numbers have a decimal comma ({argument('decimal', ',')}), such as {decimals[0]!r}."
    return replace(options, decimal=","), (note,)


def _refuse_other_separator(source: Source, line: str) -> None:
    """Refuse a first line whose cells another character separates."""
    for other, (description, typed) in OTHER_SEPARATORS.items():
        if other in line:
            raise DataError(
                f"{source.name}: the first line, {line[:60]!r}, would be one cell: its cells seem "
                f"to be separated by {description}; add "
                f"{argument('sep', typed)}."
            )


def encoding_of(source: Source, requested: str | None) -> str | None:
    """The encoding of a text file; None for UTF-8.

    Raises
    ------
    DataError
        If `requested` is not the name of an encoding of text, or the file is not text.
    """
    if requested is not None:
        try:
            if not _is_encoding(requested):
                raise LookupError(requested)
        except (LookupError, ValueError) as error:
            raise DataError(
                f"{argument('encoding', requested)}: there is no such encoding; common ones are "
                "utf-8, latin-1, cp1252 and utf-16."
            ) from error
        name = codecs.lookup(requested).name
        return None if name == "utf-8" else name
    head = _start(source)
    if head[:2] in BYTE_ORDER_MARKS and head[:4] != codecs.BOM_UTF32_LE:
        return BYTE_ORDER_MARKS[head[:2]]
    if b"\0" in head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if max(even, odd) > len(head) / 8:
            likely = "utf-16-le" if odd > even else "utf-16-be"
            raise DataError(
                f"{source.name} is not UTF-8 text (it looks like UTF-16 or UTF-32); add "
                f"{argument('encoding', likely)}, or save it as UTF-8."
            )
        raise DataError(f"{source.name} is not text: it has zero bytes.")
    return None


def _is_encoding(name: str) -> bool:
    """Whether Python knows an encoding of whole texts by that name."""
    codecs.lookup(name)
    return (
        "a,1".encode(name).decode(name) == "a,1"
        and codecs.lookup(name).name.replace("-", "_") not in NO_ENCODINGS
    )


def _start(source: Source) -> bytes:
    """The first bytes, unpacked."""
    try:
        with source.stream() as stream:
            return stream.read(HEAD)
    except UNPACKING as error:
        raise DataError(
            f"{source.name} cannot be read as a text table; it is damaged or of another format "
            f"({error})."
        ) from error


def text_rows(source: Source, sep: str, encoding: str | None) -> list[list[str]]:
    """The first lines that are not empty, cut into cells."""
    raw = _start(source)
    text = raw.decode(encoding or "utf-8", "replace").lstrip("\ufeff")
    text = text if sep == "\0" else text.replace("\0", "")
    lines = text.splitlines()
    lines = lines[:-1] if len(raw) == HEAD and len(lines) > 1 else lines
    if sep == "\0":
        return [[line] for line in lines if line.strip()]
    try:
        rows = csv.reader(io.StringIO("\n".join(lines)), delimiter=sep)
        return [row for row in rows if row]
    except csv.Error as error:
        raise DataError(f"{source.name} cannot be read as a text table ({error}).") from error


class Counted(io.RawIOBase):
    """A stream that refuses to go on when its cells would take more than the memory limit.

    The limit is that of the thread which opens it: Arrow reads in one of its own.
    """

    def __init__(self, source: Source, sep: str) -> None:
        self.source, self.sep = source, sep.encode()
        self.context, self.is_stopped = copy_context(), False
        self.stream: BinaryIO = source.stream()
        self.n_bytes = self.n_cells = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        if self.is_stopped:
            raise InterruptedError
        piece = self.stream.read(-1 if size is None else size)
        self.n_bytes += len(piece)
        self.n_cells += piece.count(self.sep) + piece.count(b"\n")
        self.context.run(self.source.require, self.n_bytes + CELL_BYTES * self.n_cells)
        return piece

    def readinto(self, buffer: Any) -> int:
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self.stream.close()
        super().close()


class _Parser:
    """One text file, read as numbers, as an Arrow table, or one column as it is written."""

    def __init__(
        self, source: Source, options: ReadOptions, sep: str, encoding: str | None
    ) -> None:
        self.source, self.options, self.sep, self.encoding = source, options, sep, encoding
        self.line_bytes, first = self._first_line()
        self.names, self.n_above, self.notes = self._layout()
        first = first if self.names is None else self.names
        self.first = [cell.strip() for cell in first]
        if self.names is not None:
            options = replace(options, header=True)
            self.options = options
        if options.header is None:
            is_data = looks_like_data(self.first)
            self.options = replace(options, header=not is_data, was_decided=is_data)
        self.has_long_lines = False
        self.n_columns = len(first)
        require_shape(source.name, 0, self.n_columns, 0.0)

    def _layout(self) -> tuple[list[str] | None, int, tuple[str, ...]]:
        """The names and the lines above the data where these are not one line; else None."""
        source, options = self.source, self.options
        with damaged(source.name, "a text table"):
            start = _start(source)
        text = start.decode(self.encoding or "utf-8", "replace").lstrip("\ufeff")
        lines = re.split(r"\r\n|\n|\r", text)
        lines = lines[:-1] if len(lines) > 1 else lines
        rows = text_lines(lines[: 5 * LOOKED_AT], self.sep)
        texts = [row for _, row in rows]
        layout = header_row_of(source.name, texts, options)
        last = layout.start + layout.n_headers
        names = joined_headers(texts[layout.start : last]) if texts else []
        below = {len(row) for row in texts[last:] if row}
        if below == {len(names) + 1} and options.header is None and len(texts) - last > 1:
            return ["", *names], rows[last - 1][0], layout.notes
        if last <= 1 and options.header_row is None:
            return None, 0, ()
        is_utf8 = self.encoding is not None or "\ufffd".encode() in start
        if "\ufffd" in "".join(names) and not is_utf8:
            raise DataError(_not_utf8(source, "the names of the columns"))
        return names, rows[last - 1][0], layout.notes

    def _first_line(self) -> tuple[int, list[str]]:
        """Length and cells of the first line that is not empty."""
        with damaged(self.source.name, "a text table"), self.source.stream() as stream:
            text = io.TextIOWrapper(stream, self.encoding or "utf-8-sig", "replace", newline="")
            length = 0
            while line := text.readline(MAX_BLOCK):
                length = len(line)
                if line.strip():
                    break
        csv.field_size_limit(MAX_BLOCK)
        if '"' in line:
            cells = next(csv.reader([line], delimiter=self.sep), [])
        else:
            cells = line.rstrip("\r\n").split(self.sep)
        return length, cells

    def numbers(self) -> tuple[Any, list[str]] | None:
        """A block of numbers and the names of its columns; None where some cell is no number."""
        options = self.options
        if options.decimal == "," or options.missing or any('"' in cell for cell in self.first):
            return None
        with damaged(self.source.name, "a text table"), Counted(self.source, self.sep) as stream:
            text = io.TextIOWrapper(
                io.BufferedReader(stream), self.encoding or "utf-8-sig", "strict"
            )
            lines = (line for line in text if line.strip())
            try:
                first = next(lines).rstrip("\n").split(self.sep) if options.header else self.first
                parse = partial(np.loadtxt, delimiter=self.sep, comments=None, ndmin=2)
                blocks = []
                while rows := list(islice(lines, BLOCK_LINES)):
                    blocks.append(parse(rows, dtype=np.float64))
            except ValueError as error:  # text, a missing cell, lines of different lengths
                if isinstance(error, DataError):
                    raise
                return None
        if not blocks or {block.shape[1] for block in blocks} != {len(first)}:
            return None
        return np.concatenate(blocks), first

    def arrow(self) -> tuple[Any, list[str]]:
        """The Arrow table, and the names as they are written.

        After a line that is longer than a block the file is read once more, in the largest blocks.
        """
        require_memory(
            ARROW_COLUMN_BYTES * self.n_columns,
            f"{self.source.name}, of {counted(self.n_columns, 'column')} that are not all numbers,",
            "Save it as Parquet with fewer columns, or with samples in rows.",
        )
        with damaged(self.source.name, "a text table"):
            try:
                table = self._read(self._converted())
                names = list(table.column_names) if self.names is None else self.names
                if len(names) != table.num_columns:
                    raise DataError(self._ill_named(len(names), table.num_columns))
            except UnicodeDecodeError as error:
                raise DataError(_not_utf8(self.source, "the names of the columns")) from error
            except package("pyarrow", "cli").ArrowInvalid as error:
                if "Empty CSV" in str(error):
                    raise DataError(
                        f"{self.source.name} holds no table: not even a header line."
                    ) from error
                if ragged := RAGGED.search(str(error)):
                    raise DataError(self._ragged(ragged)) from error
                if self.has_long_lines or "straddl" not in str(error):
                    raise
                self.has_long_lines = True
                return self.arrow()
        return table, names

    def _ragged(self, ragged: re.Match[str]) -> str:
        """The message on a line with too few or too many cells."""
        number, expected, actual, text = ragged.groups()
        return (
            f"{self.source.name}: line {number} has {counted(int(actual), 'cell')} where "
            f"{expected} are expected (as in the first line): {text[:60]!r}; correct that line, or "
            f"say with {argument('sep')} what separates the cells."
        )

    def _ill_named(self, n_names: int, n_cells: int) -> str:
        """The message on more or fewer names than the rows have cells."""
        return (
            f"{self.source.name}: line {self.n_above} has {counted(n_names, 'name')} and the rows "
            f"below have {counted(n_cells, 'cell')}; correct that line (a name with the separator "
            f"in it is quoted), or say with {argument('header_row')} which one holds the names."
        )

    def cells(self, column: int) -> Any:
        """A column as it is written, as an Arrow array of strings."""
        csv_module, pa = package("pyarrow.csv", "cli"), package("pyarrow", "cli")
        name = f"f{column}"
        convert = csv_module.ConvertOptions(
            include_columns=[name],
            column_types={name: pa.string()},
            null_values=[],
            strings_can_be_null=False,
        )
        with damaged(self.source.name, "a text table"):
            read = self._read(convert, names=False).column(0)
        return read.slice(1) if self.options.header and self.names is None else read

    def _converted(self) -> Any:
        return package("pyarrow.csv", "cli").ConvertOptions(
            null_values=[*MISSING, *self.options.missing],
            decimal_point=self.options.decimal or ".",
            quoted_strings_can_be_null=True,
            strings_can_be_null=True,
        )

    def _read(self, convert: Any, names: bool = True) -> Any:
        """The file, read on one thread.

        Several threads gain little, read ahead of each other without a limit on memory, do not
        know the number of a bad line, and after an error can block the end of the process: the
        tasks that an error leaves in Arrow's pool wait for each other. It is not the main thread:
        there Arrow replaces the handlers of signals, and loses those that come while it ends.
        """
        csv_module = package("pyarrow.csv", "cli")

        if self.has_long_lines:
            block = MAX_BLOCK
        else:
            block = int(np.clip(BLOCK_LINES * self.line_bytes, MIN_BLOCK, MAX_BLOCK))
        with Counted(self.source, self.sep) as stream, ThreadPoolExecutor(1) as thread:
            read = thread.submit(
                csv_module.read_csv,
                stream,
                read_options=csv_module.ReadOptions(
                    use_threads=False,
                    block_size=block,
                    encoding=self.encoding or "utf8",
                    autogenerate_column_names=self.names is not None
                    or not (self.options.header and names),
                    skip_rows=self.n_above,
                ),
                parse_options=csv_module.ParseOptions(delimiter=self.sep, newlines_in_values=True),
                convert_options=convert,
            )
            try:
                return read.result()
            finally:
                stream.is_stopped = True  # by Ctrl-C, for instance


def _check_text(source: Source, table: Any, columns: Sequence[str]) -> None:
    """Refuse bytes that are not UTF-8 (Arrow reads them as binary columns)."""
    pa = package("pyarrow", "cli")
    for i, kind in enumerate(table.schema.types):
        if pa.types.is_binary(kind):
            for row, value in enumerate(table.column(i).to_pylist()):
                if value is not None and not _is_utf8(value):
                    raise DataError(_not_utf8(source, f"row {row + 1} of column {columns[i]!r}"))


def _not_utf8(source: Source, where: str) -> str:
    return (
        f"{source.name} is not UTF-8 text ({where}); say what it is, for example with "
        f"{argument('encoding', 'cp1252')} (Windows) or latin-1."
    )


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text) is not None
