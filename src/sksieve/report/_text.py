"""Numbers and plain words for readers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from .. import _wording

MINUS = "\N{MINUS SIGN}"
NARROW = "\N{NARROW NO-BREAK SPACE}"

#: What "explained" means.
EXPLAINED = (
    "Explained: the share of the variance of all {nouns} that the chosen ones predict on rows that "
    "were not used to fit the prediction (five folds). Every {noun} counts the same; chosen ones "
    "count as explained."
)
#: What the sizes below the selected one are, of a method that has no other.
FIRST_OF_CHOSEN = (
    "Below the selected number the chart and the list show the first of the chosen {noun}s, in "
    "this order; a new selection of fewer {noun}s could find others that explain more."
)
#: Names longer than this may break after their punctuation.
BREAKABLE = 16


def clean(text: object) -> str:
    """`text` without control characters and lone surrogates, which HTML cannot carry."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in ("Cc", "Cs") else c
        for c in str(text)
    )


def breakable(name: str, limit: int = BREAKABLE) -> list[str]:
    """The parts of a name longer than `limit` between which a line may end.

    Examples
    --------
    >>> breakable("mean_temperature.of-day"), breakable("od280/od315")
    (['mean_', 'temperature.', 'of-', 'day'], ['od280/od315'])
    """
    return re.split(r"(?<=[_./:=-])(?=[^\W_])", name) if len(name) > limit else [name]


def shortened(name: str, limit: int = 24) -> str:
    """A name with its middle left out where it is too long: the ends tell names apart.

    Examples
    --------
    >>> shortened("gene_with_a_long_identifier_0470", 16)
    'gene_with…r_0470'
    """
    if len(name) <= limit:
        return name
    tail = (limit - 1) * 2 // 5
    return f"{name[: limit - 1 - tail]}\N{HORIZONTAL ELLIPSIS}{name[-tail:]}"


def percent(share: float) -> str:
    """A share in percent, with a narrow space that does not break.

    Examples
    --------
    >>> percent(0.6653) == f"66.5{NARROW}%"
    True
    """
    return _wording.percent(share).replace(" %", f"{NARROW}%")


def signed(value: float) -> str:
    """Two decimals and always a sign.

    Examples
    --------
    >>> signed(0.618), signed(-0.2) == MINUS + "0.20"
    ('+0.62', True)
    """
    return f"{'+' if round(value, 2) >= 0 else MINUS}{abs(value):.2f}"


def rounded(value: float, digits: int = 4) -> float:
    """`value` to so many significant digits."""
    return float(f"{value:.{digits}g}")


def count(n: int) -> str:
    """`n` with thousands set apart: 12345 as 12 345, with narrow spaces."""
    return f"{n:,}".replace(",", NARROW) if n >= 10_000 else str(n)


def plural(n: int, noun: str) -> str:
    """`n` and its noun: "1 column", "3 columns"."""
    return f"{count(n)} {noun}{'' if n == 1 else 's'}"


def typeset(text: str) -> str:
    """Narrow spaces that do not break before per cent signs."""
    return text.replace(" %", f"{NARROW}%")


def duration(seconds: float) -> str:
    """Seconds in the unit that reads best, with narrow spaces that do not break."""
    text = _wording.duration(seconds)
    return re.sub(r"(?<=\d) (?=[a-z])", NARROW, text)


def iterations(history: Sequence[Any], reason: str, has_compiled: bool) -> str:
    """Steps of a loop, their time where that contains no compiling, and why it ended."""
    last = history[-1]
    time = "" if has_compiled else f" in {duration(float(last['seconds']))}"
    return f"{plural(int(last['n_iter']), 'iteration')}{time}. {stopped(reason)}".strip()


def stopped(reason: str) -> str:
    """Why a loop ended, as a sentence; empty where it is not known."""
    return f"Stopped by {_wording.STOPPED[reason]}." if reason else ""
