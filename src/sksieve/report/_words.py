"""Numbers and plain words for readers."""

from __future__ import annotations

import math
import unicodedata

__all__ = [
    "MEASURED",
    "STOPPED",
    "clean",
    "count",
    "duration",
    "headline",
    "percent",
    "plural",
    "rounded",
    "signed",
]

#: A share nearer to 0 or 1 than this differs from it by rounding only.
ROUNDING = 1e-12
MINUS = "\N{MINUS SIGN}"
HYPHEN = "\N{NON-BREAKING HYPHEN}"
NARROW = "\N{NARROW NO-BREAK SPACE}"

#: What "variation" means after each scaling.
MEASURED = {
    "standard": "Variation is the variance of the columns, each centred and scaled to variance 1.",
    "unit": "Variation is the sum of squares of the columns, each scaled to unit length and not "
    "centred, so a column's mean counts as well.",
    "minmax": "Variation is the sum of squares of the columns, each scaled to the range 0 to 1 and "
    "not centred, so a column's mean counts as well.",
    "none": "Variation is the sum of squares of the columns as they are, neither scaled nor "
    "centred, so columns with large numbers weigh most.",
}

#: The words of ``stop_reason_`` as sentences.
STOPPED = {
    "tolerance": "It stopped because nothing changed any more (tolerance reached).",
    "max_iter": "It stopped because the number of steps allowed was used up.",
    "time_budget": "It stopped because the time allowed was used up.",
    "callback": "It stopped because it was asked to (an interrupt or a callback).",
    "diverged": "It stopped because the objective was no longer finite; the last finite state was "
    "kept.",
}


def clean(text: object) -> str:
    """`text` without control characters and lone surrogates, which HTML cannot carry."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in ("Cc", "Cs") else c
        for c in str(text)
    )


def percent(share: float) -> str:
    """A share as per cent; more decimals where one would round to 0 or to 100.

    Examples
    --------
    >>> [percent(v).replace(NARROW, " ") for v in (0.6653, 1.0, 0.99996, 0.0002, 0.0)]
    ['66.5 %', '100 %', '99.996 %', '0.02 %', '0 %']
    """
    if share <= ROUNDING or share >= 1 - ROUNDING:
        return f"{100.0 * min(max(share, 0.0), 1.0):.0f}{NARROW}%"
    for decimals in range(1, 5):
        text = f"{100.0 * share:.{decimals}f}"
        if 0.0 < float(text) < 100.0:
            return f"{text}{NARROW}%"
    return f"{'over 99.9999' if share > 0.5 else 'under 0.0001'}{NARROW}%"


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


def duration(seconds: float) -> str:
    """Seconds as a person would say them.

    Examples
    --------
    >>> [duration(s).replace(NARROW, " ") for s in (0.0004, 0.25, 12.34, 59.96, 754, 119.7)]
    ['under 1 ms', '250 ms', '12.3 s', '1 min 0 s', '12 min 34 s', '2 min 0 s']
    """
    if seconds < 1e-3:
        return f"under 1{NARROW}ms"
    if seconds < 0.9995:
        return f"{1000 * seconds:.0f}{NARROW}ms"
    if seconds < 59.95:
        return f"{seconds:.1f}{NARROW}s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}{NARROW}min {rest}{NARROW}s"


def headline(k: int, n_features: int, share: float, bound: float) -> str:
    """What k columns keep, and what no k-dimensional summary can beat.

    Examples
    --------
    >>> headline(1, 13, 0.25, 0.36).replace(NARROW, " ").replace(HYPHEN, "-")
    '1 column of 13 keeps 25.0 % of the total variation; the best any 1-dimensional summary could
    do is 36.0 %. What is lost is 1.17 times what that summary loses.'
    """
    verb = "keeps" if k == 1 else "keep"
    text = (
        f"{plural(k, 'column')} of {count(n_features)} {verb} {percent(share)} of the total "
        f"variation; the best any {k}{HYPHEN}dimensional summary could do is {percent(bound)}."
    )
    lost, least = 1.0 - share, 1.0 - bound
    if least > 1e-9 and math.isfinite(lost / least):
        text += f" What is lost is {lost / least:.2f} times what that summary loses."
    return text
