"""CSV and TSV, strictly: every line as long as the header, UTF-8, no column renamed in silence."""

from __future__ import annotations

import re
from typing import Any

from ...exceptions import DataError
from .._messages import counted, damaged, listed, package
from .._source import Source
from ._table import ReadOptions, Table

__all__ = ["read_text"]

#: Cells that stand for a missing value, beside the empty cell.
MISSING = ("", "NA", "N/A", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "None", "<NA>")
#: Character -> as one says it, as one types it.
OTHER_SEPARATORS = {
    ";": ("';'", "';'"),
    "\t": ("a tab", "tab"),
    ",": ("','", "','"),
    "|": ("'|'", "'|'"),
}


def read_text(source: Source, options: ReadOptions) -> Table:
    """Read a CSV or TSV file, or a CSV table from standard input."""
    sep = _separator(source, options)
    table = _parse(source, options, sep)
    columns = [name.strip() for name in table.column_names]
    _check_text(source, table, columns)
    notes = []
    if not options.header:
        columns = [f"x{i}" for i in range(len(columns))]
    elif sum(map(_is_number, columns)) > len(columns) / 2:
        said = f"The first line of {source.name} holds numbers ({listed(columns, 3)})"
        advice = "if it is a row of data, add --no-header."
        if len(set(columns)) < len(columns):
            raise DataError(f"{said}, some of them twice, and cannot name the columns; {advice}")
        notes.append(f"{said} and was taken for the names of the columns; {advice}")
    unnamed = [i for i, name in enumerate(columns) if not name]
    if unnamed:
        columns = [name or f"unnamed_{i}" for i, name in enumerate(columns)]
        places = listed((columns[i] for i in unnamed), 5)
        notes.append(f"{counted(len(unnamed), 'column')} without a name: called {places}.")
    hashed = "stdin" if source.path is None else "file"
    return Table(source.name, table, columns, source.sha256(), hashed, notes=tuple(notes))


def _separator(source: Source, options: ReadOptions) -> str:
    if options.sep is None:
        return "\t" if source.suffix == ".tsv" else ","
    sep = {"\\t": "\t", "tab": "\t", "space": " "}.get(options.sep, options.sep)
    if len(sep) != 1 or not sep.isascii():
        raise DataError(
            f"--sep takes one ASCII character (or the words tab and space); got {options.sep!r}."
        )
    return sep


def _parse(source: Source, options: ReadOptions, sep: str) -> Any:
    """The Arrow table; on a bad line once more on one thread, which knows the line's number."""
    pa = package("pyarrow", "cli")
    bad: list[Any] = []
    _check_head(source, sep)
    for threads in (True, False):
        bad.clear()
        with damaged(source.name, "a text table"):
            try:
                table = _read(source, options, sep, threads, bad)
                table.column_names  # noqa: B018 - decodes the names
                return table
            except UnicodeDecodeError as error:
                raise DataError(_not_utf8(source, "the names of the columns")) from error
            except pa.ArrowInvalid as error:
                if "Empty CSV" in str(error):
                    raise DataError(
                        f"{source.name} holds no table: not even a header line."
                    ) from error
                if not bad:
                    raise
    row = bad[0]
    raise DataError(
        f"{source.name}: line {row.number} has {counted(row.actual_columns, 'cell')} where "
        f"{row.expected_columns} are expected (as in the first line): {row.text[:60]!r}; correct "
        "that line, or say with --sep what separates the cells."
    )


def _check_head(source: Source, sep: str) -> None:
    """Refuse UTF-16, and a first line whose cells another character separates."""
    pa = package("pyarrow", "cli")
    with damaged(source.name, "a text table"), _stream(pa, source) as stream:
        head = stream.read(4096)
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in head:
        raise DataError(_not_utf8(source, "UTF-16, or not text at all"))
    line = next((line for line in head.decode("utf-8", "replace").splitlines() if line.strip()), "")
    if sep in line:
        return
    for other, (spoken, typed) in OTHER_SEPARATORS.items():
        if other in line:
            raise DataError(
                f"{source.name}: the first line, {line[:60]!r}, would be one cell: its cells seem "
                f"to be separated by {spoken}; add --sep {typed}."
            )


def _stream(pa: Any, source: Source) -> Any:
    given = pa.BufferReader(source.content) if source.path is None else str(source.path)
    return pa.input_stream(given, compression="detect")


def _read(source: Source, options: ReadOptions, sep: str, threads: bool, bad: list[Any]) -> Any:
    csv = package("pyarrow.csv", "cli")
    pa = package("pyarrow", "cli")

    def refuse(row: Any) -> str:
        bad.append(row)
        return "error"

    with _stream(pa, source) as stream:
        return csv.read_csv(
            stream,
            read_options=csv.ReadOptions(
                use_threads=threads, autogenerate_column_names=not options.header
            ),
            parse_options=csv.ParseOptions(
                delimiter=sep, newlines_in_values=True, invalid_row_handler=refuse
            ),
            convert_options=csv.ConvertOptions(
                null_values=[*MISSING, *options.missing],
                decimal_point=options.decimal,
                quoted_strings_can_be_null=True,
                strings_can_be_null=True,
            ),
        )


def _check_text(source: Source, table: Any, columns: list[str]) -> None:
    """Refuse bytes that are not UTF-8 (Arrow reads them as binary columns)."""
    pa = package("pyarrow", "cli")
    for i, name in enumerate(columns):
        if pa.types.is_binary(table.schema.types[i]):
            for row, value in enumerate(table.column(i).to_pylist()):
                if value is not None and not _is_utf8(value):
                    raise DataError(_not_utf8(source, f"row {row + 1} of column {name!r}"))


def _not_utf8(source: Source, where: str) -> str:
    return (
        f"{source.name} is not UTF-8 text ({where}); convert it first, "
        "for example: iconv -f latin1 -t utf-8 OLD > NEW"
    )


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text) is not None
