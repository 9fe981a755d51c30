"""Columns of text that are numbers with a unit: percent, currency, thousands, kg."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..._optional import optional
from ..._wording import argument, listed

#: A number between a sign of currency or a unit before it and one after it.
CELL = re.compile(
    r"([-+]?)\s*([$€£¥]?)\s*([-+]?)\s*(\d[\d.,'\u00a0\u202f ]*|[.,]\d+)"
    r"\s*([^\d\s.,'+:/-][^\d\s]{0,7})?"
)
#: A number in groups of three digits; two groups or more, or with a point after them.
GROUPED = {
    ",": re.compile(r"\d{1,3}(,\d{3})+(\.\d*)?"),
    ".": re.compile(r"\d{1,3}(\.\d{3})+(,\d*)?"),
    " ": re.compile(r"\d{1,3}([ \u00a0\u202f]\d{3})+([.,]\d*)?"),
    "'": re.compile(r"\d{1,3}('\d{3})+([.,]\d*)?"),
}
PLAIN = re.compile(r"(\d+\.?\d*|\.\d+)")
COMMA = re.compile(r"[-+]?\d*,?\d+")


class Parsed(NamedTuple):
    """Numbers of a column, and what was read away: the unit and the separator of thousands."""

    values: list[float | None]
    unit: str
    thousands: str


def parsed(cells: Sequence[str | None], thousands: str | None, decimal: str) -> Parsed | None:
    """Numbers with one unit, or in groups of three digits, as numbers; None for other text.

    Parameters
    ----------
    cells : sequence of str or None
    thousands : str or None
        What separates groups of three digits; None takes what leaves no doubt.
    decimal : str

    Examples
    --------
    >>> parsed(["31.5%", None, "7 %"], None, ".")
    Parsed(values=[31.5, None, 7.0], unit='%', thousands='')
    >>> parsed(["$8,700.00", "$12.50"], None, ".")
    Parsed(values=[8700.0, 12.5], unit='$', thousands=',')
    >>> parsed(["1,400", "12,500"], None, ".") is None  # or with a decimal comma
    True
    """
    units, numbers = set(), []
    for cell in cells:
        if cell is None:
            continue
        match = CELL.fullmatch(cell.strip())
        if match is None or (match[1] and match[3]) or (match[2] and match[5]):
            return None
        units.add(match[2] or match[5] or "")
        numbers.append((match[1] or match[3], match[4].strip()))
    if not numbers or len(units) > 1:
        return None
    unit = units.pop()
    digits = [text for _, text in numbers]
    separator = _separator(digits, thousands, decimal)
    if separator is None or (not unit and not separator):
        return None
    values = iter([_value(sign, text, separator, decimal) for sign, text in numbers])
    return Parsed([None if cell is None else next(values) for cell in cells], unit, separator)


def _separator(digits: Sequence[str], thousands: str | None, decimal: str) -> str | None:
    """What separates thousands: "" where nothing does, None where these are not numbers."""
    sep = "" if decimal == "." else ","
    texts = [text.replace(",", ".") if sep else text for text in digits]
    if all(PLAIN.fullmatch(text) for text in texts) and not _needs_groups(digits, thousands):
        return ""
    for candidate in [thousands] if thousands else list(GROUPED):
        if candidate == decimal or candidate not in GROUPED:
            continue
        grouped = [text for text in digits if GROUPED[candidate].fullmatch(text)]
        others = [text for text in digits if not GROUPED[candidate].fullmatch(text)]
        if not grouped or not all(PLAIN.fullmatch(t.replace(decimal, ".")) for t in others):
            continue
        is_certain = thousands or candidate in " '" or any(_is_certain(t) for t in grouped)
        return candidate if is_certain else None
    return None


def _needs_groups(digits: Sequence[str], thousands: str | None) -> bool:
    """With a point for thousands, all numbers look like decimals."""
    return thousands is not None and any(GROUPED[thousands].fullmatch(text) for text in digits)


def _is_certain(text: str) -> bool:
    """Whether a number with commas cannot be one with a decimal comma."""
    marks = [c for c in text if c in ",."]
    return len(marks) > 1


def _value(sign: str, text: str, separator: str, decimal: str) -> float:
    groups = {separator, *("\u00a0\u202f" if separator == " " else "")} - {""}
    for mark in groups:
        text = text.replace(mark, "")
    return float(sign + text.replace(decimal, "."))


def with_decimal_commas(cells: Sequence[str | None]) -> Parsed | None:
    """Numbers with a decimal comma; None for other text, and where all may be thousands.

    Examples
    --------
    >>> with_decimal_commas(["0,5", None, "12"])
    Parsed(values=[0.5, None, 12.0], unit='', thousands='')
    >>> with_decimal_commas(["1,400", "12,500"]) is None
    True
    """
    texts = [cell.strip() for cell in cells if cell is not None]
    commas = [text for text in texts if "," in text]
    if not all(map(COMMA.fullmatch, texts)) or all(map(GROUPED[","].fullmatch, commas)):
        return None
    values = [None if cell is None else float(cell.replace(",", ".")) for cell in cells]
    return Parsed(values, "", "")


def with_numbers(
    data: Any, columns: Sequence[str], thousands: str | None, decimal: str | None
) -> tuple[Any, tuple[str, ...]]:
    """An Arrow table whose columns of numbers with units are numbers, and remarks on these.

    So are columns of decimal commas where other columns have decimal points, unless `decimal` says
    what the table has.
    """
    pa = optional("pyarrow", "A table")
    notes: dict[str, list[str]] = {}
    has_points = decimal is None and "double" in map(str, data.schema.types)
    for i, kind in enumerate(data.schema.types):
        if str(kind) not in ("string", "large_string"):
            continue
        column = data.column(i)
        head = column.slice(0, 1000).to_pylist()
        how = ""
        read: Callable[[Sequence[str | None]], Parsed | None] = partial(
            parsed, thousands=thousands, decimal=decimal or "."
        )
        if has_points and with_decimal_commas(head) is not None:
            read, how = with_decimal_commas, "with a decimal comma, unlike other columns"
        if read(head) is None and any(cell is not None for cell in head):
            continue
        numbers = read(column.to_pylist())
        if numbers is None:
            continue
        array = pa.array(numbers.values, pa.float64())
        data = data.set_column(i, data.column_names[i], array)
        if numbers.unit:
            how = f"in {numbers.unit}"
        if numbers.thousands:
            groups = argument("thousands", numbers.thousands)
            how = f"{how}{' ' if how else ''}with thousands ({groups})"
        notes.setdefault(how, []).append(columns[i])
    return data, tuple(f"Read as numbers {how}: {listed(names)}." for how, names in notes.items())
