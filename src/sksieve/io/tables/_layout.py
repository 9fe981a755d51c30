"""Where the table stands in a sheet or a text: the rows above it and those that name columns."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..._wording import argument, counted, listed
from ...exceptions import DataError
from ._table import ReadOptions

#: Rows in which the header is looked for.
LOOKED_AT = 40
#: Filled cells of a row of names, as a share of those of the widest rows below.
FILLED = 0.99
NUMBER = re.compile(r"[-+]?[$€£¥]?\s*(\d[\d,. ]*|\.\d+)([eE][-+]?\d+)?\s*%?")
ROWS = re.compile(r"(\d+)(?:-(\d+))?")


class Layout(NamedTuple):
    """Rows above the table, rows that name the columns, and remarks on both."""

    start: int
    n_headers: int
    notes: tuple[str, ...] = ()


def header_row_of(name: str, rows: Sequence[Sequence[str]], options: ReadOptions) -> Layout:
    """Which rows name the columns: those that `options` say, or the first that looks so.

    Parameters
    ----------
    name : str
        Of the file.
    rows : sequence of sequences of str
        The first rows, all of them, cells stripped; an empty cell is "".
    options : ReadOptions

    Raises
    ------
    DataError
        If the options name a row that is not there.
    """
    if options.header_row is not None:
        return _requested(name, rows, options)
    if options.header is not None or not rows:
        return Layout(0, 1)
    start = _first_of_names(rows)
    n_headers = 2 if _has_second(rows, start) else 1
    last = start + n_headers
    notes = []
    if start:
        texts = [cell for row in rows[:start] for cell in row if cell]
        which = f"Row 1 of {name} is" if start == 1 else f"Rows 1 to {start} of {name} are"
        notes.append(
            f"{which} above the table ({listed(texts, 2)}) and not used; row {start + 1} names the "
            f"columns ({argument('header_row', start + 1)})."
        )
    if n_headers == 2:
        how = argument("header_row", f"{start + 1}-{last}")
        notes.append(f"Rows {start + 1} and {last} of {name} name the columns together ({how}).")
    return Layout(start, n_headers, tuple(notes))


def _requested(name: str, rows: Sequence[Sequence[str]], options: ReadOptions) -> Layout:
    match = ROWS.fullmatch(str(options.header_row))
    first = int(match[1]) if match else 0
    last = int(match[2] or match[1]) if match else 0
    if not 1 <= first <= last <= first + 1 or options.header is False:
        raise DataError(
            f"{argument('header_row')} is the number of the row with the names, from 1, or two "
            f"rows such as 3-4; got {options.header_row!r}."
        )
    if last > len(rows):
        raise DataError(
            f"{argument('header_row', options.header_row)}: {name} has no such row among its first "
            f"{counted(len(rows), 'row')}."
        )
    return Layout(first - 1, last - first + 1)


def _first_of_names(rows: Sequence[Sequence[str]]) -> int:
    """The first row as filled as those below it, if it is text; 0 where the first row may be it."""
    filled = [sum(map(bool, row)) for row in rows[:LOOKED_AT]]
    if len(rows) < 3:
        return 0
    width = max(filled)
    if width < 2 or filled[0] > width / 2:
        return 0
    for i, row in enumerate(rows[: LOOKED_AT - 1]):
        if filled[i] >= FILLED * width and not any(map(_is_number, row)):
            return i
    return 0


def _has_second(rows: Sequence[Sequence[str]], start: int) -> bool:
    """Whether the row below the names goes on with them: it is text where they are empty."""
    if len(rows) < start + 3:
        return False
    first, second, third = rows[start : start + 3]
    if not len(first) == len(second) == len(third) > 3:
        return False
    empty = [j for j, cell in enumerate(first) if not cell]
    is_name = len(empty) >= len(first) / 4 and sum(bool(second[j]) for j in empty) >= 0.9 * len(
        empty
    )
    differs = any(_is_number(c) != _is_number(b) for b, c in zip(second, third) if b or c)
    return is_name and differs and not any(map(_is_number, second))


def joined_headers(rows: Sequence[Sequence[str]]) -> list[str]:
    """The names that one row, or two rows together, give to the columns.

    Examples
    --------
    >>> joined_headers([["id", "seen", "", "age"], ["", "I", "II", ""]])
    ['id', 'seen: I', 'seen: II', 'age']
    """
    names = list(rows[0])
    if len(rows) == 1:
        return names
    above = ""
    for j, below in enumerate(rows[1]):
        above = names[j] or above
        names[j] = f"{above}: {below}" if below and above else below or names[j]
    return names


def distinct(names: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Names of which each occurs once, the later ones numbered, and a remark on these.

    Examples
    --------
    >>> distinct(["len", "len", "len_2"])[0]
    ['len', 'len_3', 'len_2']
    """
    taken, result, renamed = set(names), [], []
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        new = name
        while seen[name] > 1 and new in taken:
            new = f"{name}_{max(seen[name], 2)}"
            seen[name] += 1
        if new != name:
            taken.add(new)
            renamed.append(f"{name} -> {new}")
        result.append(new)
    if not renamed:
        return result, ()
    one = len(renamed) == 1
    return result, (
        f"{counted(len(renamed), 'column name')} {'occurs' if one else 'occur'} more than once; "
        f"the later {'one is' if one else 'ones are'} numbered: {listed(renamed)}.",
    )


def text_lines(lines: Sequence[str], sep: str) -> list[tuple[int, list[str]]]:
    """For each row of a text: how many lines it and those above it take, and its cells."""
    reader = csv.reader([line + "\n" for line in lines], delimiter=sep)
    rows = []
    try:
        for row in reader:
            rows.append((reader.line_num, [cell.strip() for cell in row]))
    except csv.Error:
        return []
    return rows


def _is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None
