"""Does the first line of an edge list name its columns?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...exceptions import DataError
from .._source import Source
from ..tables._text import encoding_of, text_rows

#: First cells of a line that names the columns.
ENDS = {"source", "target", "from", "to", "src", "dst", "tgt", "u", "v", "i", "j", "node1", "node2"}
ENDS |= {"sender", "receiver", "follower", "followed", "follows", "person", "friend"}
#: Cells that name a column of times.
TIMES = {"timestamp", "time", "date", "datetime", "since", "year", "ts", "created_at", "t"}
ENDS |= {"node_1", "node_2", "vertex1", "vertex2", "id1", "id2", "id_1", "id_2", "start", "end"}
WEIGHTS = {"weight", "weights", "w", "value", "count", "strength"}
#: Seconds, and milliseconds, from 1990 to 2060.
UNIX_TIMES = ((6.3e8, 2.85e9), (6.3e11, 2.85e12))
#: Cells that stand where numbers should and name nothing.
NO_NUMBER = {"", "nan", "inf", "-inf", "+inf", "infinity", "na", "n/a", "null", "none"}
NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Does the first line name the columns?

    It does if its cells are names one gives to columns, if it has text where all lines below have
    numbers.

    Examples
    --------
    >>> has_header([["from", "to"], ["ann", "bob"]]), has_header([["ann", "bob"], ["bob", "cat"]])
    (True, False)
    >>> has_header([["a", "b", "n"], ["x", "y", "3"]]), has_header([["1", "2"], ["2", "3"]])
    (True, False)
    """
    first = [cell.strip().lower() for cell in rows[0]]
    if len(first) >= 2 and set(first[:2]) <= ENDS:
        return True
    if any(cell in TIMES for cell in first[2:]):
        return True
    if len(first) > 3 and _numbered(first):
        return True
    below = [row for row in rows[1:] if len(row) == len(first)]
    if len(first) >= 3 and first[2] in WEIGHTS and not NUMBER.fullmatch(first[2]):
        return True
    return any(
        not (NUMBER.fullmatch(cell) or cell in NO_NUMBER)
        and below
        and all(NUMBER.fullmatch(row[k].replace(",", ".", 1)) for row in below)
        for k, cell in enumerate(first)
    )


def _numbered(cells: Sequence[str]) -> bool:
    """Nothing, perhaps, and then 0, 1, 2, ... or 1, 2, 3, ...: the names of a matrix's columns."""
    if cells[0] == "":
        return True
    expected = [str(k) for k in range(len(cells) + 1)]
    return list(cells) in (expected[:-1], expected[1:])


def first_rows(source: Source, sep: str, encoding: str | None) -> list[list[str]]:
    """The first lines, cut into cells."""
    rows = text_rows(source, sep, encoding_of(source, encoding))
    if not rows:
        raise DataError(f"{source.name} has no edges: it holds no line of text.")
    return rows
