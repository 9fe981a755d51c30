"""One wording of shares and durations, for the terminal, the pages and the messages."""

from __future__ import annotations

__all__ = ["duration", "percent"]

#: A share nearer to 0 or 1 than this differs from it by rounding only.
ROUNDING = 1e-12


def percent(share: float) -> str:
    """A share in percent; more decimals where one would round to 0 or to 100.

    Examples
    --------
    >>> [percent(share) for share in (0.1234, 0.99996, 0.0002, 1.0, 0.0)]
    ['12.3 %', '99.996 %', '0.02 %', '100 %', '0 %']
    """
    share = float(share)
    if share <= ROUNDING or share >= 1 - ROUNDING:
        return f"{100.0 * min(max(share, 0.0), 1.0):.0f} %"
    for decimals in range(1, 5):
        text = f"{100.0 * share:.{decimals}f}"
        if 0.0 < float(text) < 100.0:
            return f"{text} %"
    return f"{'over 99.9999' if share > 0.5 else 'under 0.0001'} %"


def duration(seconds: float) -> str:
    """Seconds in the unit that reads best.

    Examples
    --------
    >>> [duration(seconds) for seconds in (0.0004, 0.25, 12.34, 59.96, 754.0, 119.7)]
    ['under 1 ms', '250 ms', '12.3 s', '1 min 0 s', '12 min 34 s', '2 min 0 s']
    """
    if seconds < 1e-3:
        return "under 1 ms"
    if seconds < 0.9995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    return "{} min {} s".format(*divmod(round(seconds), 60))
