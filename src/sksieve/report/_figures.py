"""The report's three line charts: kept share, scores, convergence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluation._path import SelectionPath
from ..suggest import Suggestion
from ._charts import Axis, Chart, Line, linear_axis, log_axis, polyline, staircase, thin
from ._text import duration, percent, plural, stopped

#: Rows of a chart's table, at most.
TABLE_ROWS = 100
#: Shares that differ by less lie at one height.
FLAT = 1e-4
LEAST = "smallest possible (PCA or SVD)"
BEST = "principal components (PCA)"
RANDOM = "random {noun}s, mean of 10 draws"


def path_chart(
    path: SelectionPath, suggestion: Suggestion | None = None, noun: str = "column"
) -> Chart:
    """Share explained against the number of columns, with PCA and random columns.

    Of a `Suggestion` of the number its interval is marked; of a path that forward selection
    continues, where that begins.
    """
    sizes, shares, step = path.sizes, path.shares, path.answer
    first, largest = min(int(sizes[0]), 1), int(sizes.max())
    compared = (path.components[:largest], path.random[:largest])
    lowest = min(float(some.min()) for some in (shares, *compared) if len(some))
    first = 0 if lowest < 0.5 else first
    suggested = 0 if suggestion is None else (suggestion.interval or (0, 0))[1]
    x = linear_axis(first, float(max(largest, suggested, first + 1)), whole=True)
    y = _percent_axis(0.0 if lowest < 0.5 else lowest, 1.0)

    def line(ks: NDArray[Any], values: NDArray[Any], style: str, label: str) -> Line:
        if first == 0 and ks[0] == 1:
            ks, values = np.concatenate([[0], ks]), np.concatenate([[0.0], values])
        return Line(polyline(x, y, ks, values), style, label)

    lines = []
    if suggestion is not None and suggestion.interval is not None:
        lines.append(_interval(x, suggestion))
    for values, style, label in zip(compared, ("bound", "random"), (BEST, RANDOM)):
        if len(values) > 1:
            counts = np.arange(1, len(values) + 1)
            lines.append(line(counts, values, style, label.format(noun=noun)))
    if (more := sizes >= path.last)[:-1].any():
        label = f"more {noun}s, by forward selection"
        lines.append(line(sizes[more], shares[more], "main more", label))
    own = sizes <= path.last
    lines.append(line(sizes[own], shares[own], "main", f"chosen {noun}s"))
    return Chart(
        x,
        y,
        f"number of {noun}s",
        "share explained on rows not used",
        tuple(lines),
        f"Line chart. The share explained on rows not used goes from {percent(float(shares[0]))} "
        f"with {plural(int(sizes[0]), noun)} to {percent(float(shares[-1]))} with {sizes[-1]}; "
        f"with the {step.k} selected it is {percent(step.share)}.",
        *_path_table(path, noun),
        marker_at(x, y, step.k, step.share),
    )


def _path_table(
    path: SelectionPath, noun: str
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Heads and rows of the numbers; of PCA and of random columns where there are any."""
    rows = _some(path.sizes, TABLE_ROWS)
    columns = {
        f"{noun}s".capitalize(): [str(k) for _, k in rows],
        "Explained": [percent(float(path.shares[i])) for i, _ in rows],
    }
    for head, share_of in (("PCA", path.component_share), ("Random", path.random_share)):
        shares = [share_of(int(k)) for _, k in rows]
        if any(share is not None for share in shares):
            columns[head] = ["" if share is None else percent(share) for share in shares]
    return tuple(columns), tuple(zip(*columns.values(), strict=True))


def _interval(x: Axis, suggestion: Suggestion) -> Line:
    """The interval of a suggested number of columns as a band of the chart."""
    assert suggestion.interval is not None
    low, high = (float(max(k, x.lo)) for k in suggestion.interval)
    a, b = 1000 * x.place([low - 0.25 * (low > x.lo), high + 0.25 * (high < x.hi)])
    fewest, most = suggestion.interval
    between = f" ({fewest} to {most})" if most > fewest else ""
    label = f"suggested: {suggestion.n}{between}"
    return Line(f"M{a:.1f} 0H{b:.1f}V1000H{a:.1f}Z", "interval", label)


def score_chart(scores: NDArray[Any], selected: int) -> Chart:
    """Scores from best to worst, with the cut after the selected ones."""
    ranks = np.arange(1, len(scores) + 1)
    x = linear_axis(1, float(len(scores)), whole=True)
    y = linear_axis(min(0.0, float(scores.min())), float(scores.max()))
    cut = f"M{1000 * x.place([selected + 0.5])[0]:.1f} 0V1000"
    kept, values = thin(ranks.astype(float), np.asarray(scores, dtype=float))
    following = f"{scores[selected]:.4g}" if selected < len(scores) else "none left"
    return Chart(
        x,
        y,
        "rank of the column",
        "score",
        (
            Line(cut, "bound", f"cut after {plural(selected, 'column')}"),
            Line(polyline(x, y, kept, values), "main", "score"),
        ),
        f"Line chart. Scores fall from {scores[0]:.4g} (rank 1) to {scores[-1]:.4g} (rank "
        f"{len(scores)}); the last column chosen has {scores[selected - 1]:.4g}, the first one "
        f"dropped {following}.",
        ("Rank", "Score"),
        tuple((str(r), f"{scores[i]:.4g}") for i, r in _some(ranks, TABLE_ROWS)),
    )


def convergence_chart(
    history: Sequence[Mapping[str, Any]], reason: str, error: tuple[float, float] | None = None
) -> Chart | None:
    """The objective against the steps, or the error of a column subset against the seconds spent.

    Parameters
    ----------
    history : sequence of records
        With ``n_iter``, ``objective`` and ``seconds``.
    reason : str
        Why the run stopped.
    error : (float, float) or None
        For methods whose objective is the error of a column subset: that of no column, and the
        smallest any subset of this size could have. The chart is then in per cent of the first, on
        a logarithmic axis of time, for these methods are stopped by the clock.

    Returns
    -------
    Chart or None
        None where fewer than two steps have a finite objective: there is no line to draw.
    """
    values = np.array([float(record["objective"]) for record in history])
    spent = "seconds" if error is not None else "n_iter"
    at = np.array([float(record[spent]) for record in history])
    usable = np.isfinite(values) & (at > 0)
    if usable.sum() < 2:
        return None
    at, values = thin(at[usable], values[usable])
    return _error_line(at, values, reason, error) if error else _objective_line(at, values, reason)


def _objective_line(steps: NDArray[Any], values: NDArray[Any], reason: str) -> Chart:
    x = linear_axis(float(steps[0]), float(steps[-1]), whole=True)
    y = linear_axis(float(values.min()), float(values.max()))
    return Chart(
        x,
        y,
        "step",
        "objective",
        (Line(polyline(x, y, steps, values), "main", "objective"),),
        f"Line chart. The objective goes from {values[0]:.6g} after step {steps[0]:.0f} to "
        f"{values[-1]:.6g} after step {steps[-1]:.0f}. {stopped(reason)}",
        ("Step", "Objective"),
        tuple((f"{steps[i]:.0f}", f"{v:.6g}") for i, v in _some(values, TABLE_ROWS)),
    )


def _error_line(
    seconds: NDArray[Any], values: NDArray[Any], reason: str, error: tuple[float, float]
) -> Chart:
    x = log_axis(float(seconds[0]), float(seconds[-1]))
    values, least = values / error[0], error[1] / error[0]
    y = _percent_axis(min(least, float(values.min())), float(values.max()))
    name, texts = "error on the rows of the fit", [percent(float(v)) for v in values]
    return Chart(
        x,
        y,
        "seconds (logarithmic)",
        name,
        (
            Line(polyline(x, y, [x.lo, x.hi], [least, least]), "bound", LEAST),
            Line(staircase(x, y, seconds, values), "main", "best subset so far"),
        ),
        f"Line chart. The {name} goes from {texts[0]} after {duration(seconds[0])} to "
        f"{texts[-1]} after {duration(seconds[-1])}. {stopped(reason)}",
        ("Seconds", name.capitalize()),
        tuple((f"{seconds[i]:.4g}", t) for i, t in _some(np.array(texts), TABLE_ROWS)),
    )


def marker_at(x: Axis, y: Axis, k: int, share: float) -> tuple[float, float]:
    """Where the marker stands, in per cent from the left and from the top."""
    left, top = 100 * x.place([k])[0], 100 * (1 - y.place([share])[0])
    return round(float(left), 3), round(float(top), 3)


def _percent_axis(lo: float, hi: float) -> Axis:
    """A linear axis of shares, labeled in per cent, that begins at or below `lo`."""
    if hi - lo < FLAT:
        lo, hi = (hi - 0.1, hi) if hi > 0.1 else (lo, lo + 0.1)
    ticks = linear_axis(100 * lo, 100 * hi).ticks
    if lo > 0 and ticks:
        step = (ticks[1][0] - ticks[0][0]) / 100 * (hi - lo) if len(ticks) > 1 else hi - lo
        lo = max(0.0, lo + ticks[0][0] / 100 * (hi - lo) - step)
    scaled = linear_axis(100 * lo, 100 * hi, suffix="%")
    return Axis(lo, hi, scaled.ticks)


def _some(values: NDArray[Any], limit: int) -> list[tuple[int, Any]]:
    """At most `limit` of `values`, evenly spread, the ends among them, with their places."""
    places = np.linspace(0, len(values) - 1, min(limit, len(values))).round().astype(int)
    return [(int(i), values[i]) for i in np.unique(places)]
