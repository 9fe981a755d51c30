"""Line charts as numbers: ticks, and paths in a box of 1000 x 1000 that the page stretches.

The page draws lines with strokes that do not scale and puts the labels beside the box as text, so
that a chart is readable at any width without a script.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Array

BOX = 1000.0
#: Points of a long line that are drawn.
POINTS = 400
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Axis:
    """One direction of a chart.

    Parameters
    ----------
    lo, hi : float
        Ends of the axis, in data units.
    ticks : tuple of (float, str)
        Positions in per cent of the length, with their labels.
    log : bool
        Logarithmic?
    """

    lo: float
    hi: float
    ticks: tuple[tuple[float, str], ...]
    log: bool = False

    def place(self, values: ArrayLike) -> Array:
        """Positions of `values` in [0, 1]."""
        v, lo, hi = np.asarray(values, dtype=float), self.lo, self.hi
        if self.log:
            v, lo, hi = np.log10(v), math.log10(lo), math.log10(hi)
        return (v - lo) / (hi - lo)


@dataclass(frozen=True)
class Line:
    """A line of a chart: its path, its class in the style sheet, its name in the key."""

    path: str
    style: str
    label: str


@dataclass(frozen=True)
class Chart:
    """All the page needs to draw a line chart.

    Parameters
    ----------
    x, y : Axis
        The axes.
    x_label, y_label : str
        Their names, with units.
    lines : tuple of Line
        What is drawn.
    summary : str
        The chart in words, for those who do not see it.
    header : tuple of str
        Column heads of the chart's table.
    rows : tuple of tuple of str
        The chart's numbers as a table.
    marker : tuple of two floats or None
        Position of the movable marker, in per cent from the left and from the top.
    """

    x: Axis
    y: Axis
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    summary: str
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    marker: tuple[float, float] | None = None


def linear_axis(lo: float, hi: float, *, suffix: str = "", whole: bool = False) -> Axis:
    """An axis from `lo` to `hi` with at most six round ticks.

    Examples
    --------
    >>> [label for _, label in linear_axis(0, 1).ticks]
    ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']
    """
    if hi <= lo:
        hi = lo + (1.0 if whole else max(abs(lo), 1.0) * 0.1)
    step = _round_step((hi - lo) / 5)
    if whole:
        step = max(1.0, round(step))
    first, last = math.ceil(lo / step - 1e-9), math.floor(hi / step + 1e-9)
    values = [step * i for i in range(first, last + 1)]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    labels = [_plain(v, decimals) + suffix for v in values]
    ticks = tuple((100 * (v - lo) / (hi - lo), t) for v, t in zip(values, labels))
    return Axis(lo, hi, ticks)


def log_axis(lo: float, hi: float) -> Axis:
    """A logarithmic axis from `lo` > 0 to `hi`, ticks at powers of ten, or at 1, 2 and 5 times.

    Where fewer than two of those lie on the axis, ticks stand at equal steps. Limits closer than a
    millionth are moved apart.

    Examples
    --------
    >>> [label for _, label in log_axis(0.01, 10).ticks]
    ['0.01', '0.1', '1', '10']
    >>> [label for _, label in log_axis(0.021, 0.038).ticks]
    ['0.025', '0.03', '0.035']
    """
    if hi <= lo * (1 + 1e-6):
        lo, hi = lo / 2, hi * 2
    a, b = math.log10(lo), math.log10(hi)
    powers = range(math.floor(a), math.ceil(b) + 1)
    inside = [p for p in powers if a - 1e-9 <= p <= b + 1e-9]
    if len(inside) >= 3:
        values = [10.0**p for p in inside[:: max(1, math.ceil(len(inside) / 6))]]
    else:
        values = [m * 10.0**p for p in powers for m in (1, 2, 5)]
        values = [v for v in values if a - 1e-9 <= math.log10(v) <= b + 1e-9]
    if len(values) < 2:
        step = _round_step((hi - lo) / 4)
        values = [step * i for i in range(math.ceil(lo / step), math.floor(hi / step) + 1)]
    ticks = tuple((100 * (math.log10(v) - a) / (b - a), f"{v:g}") for v in values)
    return Axis(lo, hi, ticks, log=True)


def polyline(x: Axis, y: Axis, xs: ArrayLike, ys: ArrayLike) -> str:
    """SVG path through the points, in the box of 1000 x 1000."""
    return "M" + "L".join(f"{u:.1f} {v:.1f}" for u, v in _points(x, y, xs, ys))


def staircase(x: Axis, y: Axis, xs: ArrayLike, ys: ArrayLike) -> str:
    """SVG path that keeps each value until the next: the best value so far."""
    points = _points(x, y, xs, ys)
    start = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    return start + "".join(f"H{u:.1f}V{v:.1f}" for u, v in points[1:])


def thin(xs: Array, ys: Array) -> tuple[Array, Array]:
    """About `POINTS` points at most of a long history, evenly in log(x), and the ends.

    Parameters
    ----------
    xs, ys : ndarray of shape (n,)
        xs rising and positive.
    """
    if len(xs) <= POINTS:
        return xs, ys
    bins = np.linspace(np.log(xs[0]), np.log(xs[-1]), POINTS)
    keep = np.minimum(np.searchsorted(np.log(xs), bins), len(xs) - 1)
    keep = np.union1d(keep, [0, len(xs) - 1])
    return xs[keep], ys[keep]


def _points(x: Axis, y: Axis, xs: ArrayLike, ys: ArrayLike) -> list[tuple[float, float]]:
    return list(zip(BOX * x.place(xs), BOX * (1.0 - y.place(ys))))


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= step * (1 - 1e-9))


def _plain(value: float, decimals: int) -> str:
    if abs(value) >= 1e6:
        return f"{value:g}".replace("-", MINUS)
    return f"{value:.{decimals}f}".replace("-", MINUS)
