"""The page of a comparison on many data sets: from a store to its tables and figures."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from .._optional import optional
from ..bench import (
    ResultTable,
    Spec,
    Store,
    progress,
    replaced,
    result_table,
    results,
    rows_of_score,
    significance,
)
from ._bench_page import BenchFigure, BenchPage, BenchTable, bench_html
from ._html import Page

if TYPE_CHECKING:
    import pandas as pd

#: Figures of one kind, at most: one for each data set.
MOST = 12
#: Runs of a method on a data set from which on a box says more than a mean.
BOX = 5

LABELS = (
    "Columns named (oracle) and best numbers of columns are chosen by TRUE LABELS: without "
    "labels they cannot be reached."
)


def bench_report(
    spec: Spec, store: Store, path: str | os.PathLike[str] | None = None, *, command: str = ""
) -> Page:
    """The report of a comparison: one HTML page with tables, figures, statistics and failures.

    Parameters
    ----------
    spec : sksieve.bench.Spec
        What was run; cells that are not done yet are left out and counted.
    store : sksieve.bench.Store
        Where the results are.
    path : str or path-like, optional
        File to write.
    command : str, optional
        The command that repeats the comparison, for "How to repeat".

    Returns
    -------
    Page

    Raises
    ------
    ImportError
        If jinja2, matplotlib or pandas is not installed (they come with ``scikit-sieve[cli]``).

    Examples
    --------
    >>> import tempfile
    >>> from sksieve.bench import Store, parse_spec, run_spec
    >>> from sksieve.report import bench_report
    >>> spec = parse_spec({"protocol": "css", "datasets": ["iris"], "k": [2],
    ...                    "method": [{"name": "greedy"}]}, name="quick")
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     done = run_spec(spec, store)
    ...     page = bench_report(spec, store)
    >>> "All 1 cells are done, and none failed." in page.html
    True
    """
    end, frame = progress(spec, store), results(spec, store)
    labels = LABELS if (frame["setting"] != "").any() or spec.rules.best_k else ""
    page = BenchPage(
        title=spec.name,
        protocol=f"Protocol {spec.protocol}: {spec.rules.title}.",
        done=end.done,
        total=end.total,
        failed=end.failed,
        notes=[*filter(None, [labels]), *(change.sentence for change in replaced(spec, store))],
        tables=list(_tables(frame, spec)),
        figures=list(_figures(frame, spec)),
        statistics=list(_statistics(frame, spec)),
        failures=list(_failures(frame)),
        command=command,
        spec=spec.text,
    )
    return Page.create(bench_html(page), path)


def _tables(frame: pd.DataFrame, spec: Spec) -> Iterator[BenchTable]:
    """Means over k first, where there are several; each k by itself folded away."""
    several = "k" in spec.rules.rows and frame["k"].nunique() > 1 and not spec.rules.best_k
    for score in spec.rules.shows:
        board = result_table(frame, spec.rules, score=score, name=spec.name)
        if several:
            mean = result_table(frame, spec.rules, score=score, average=True, name=spec.name)
            yield _table(mean, f"{score}, mean over all k")
        yield _table(board, f"{score}, each k" if several else score, folded=several)


def _table(board: ResultTable, title: str, folded: bool = False) -> BenchTable:
    rows = []
    for i, index in enumerate(board.mean.index):
        names = index if isinstance(index, tuple) else (index,)
        row = [(str(name), "name" if j == 0 else "") for j, name in enumerate(names)]
        row += [_cell(board, i, j) for j in range(board.mean.shape[1])]
        rows.append(row)
    heads = [*map(str, board.mean.index.names), *map(str, board.mean.columns)]
    note = f"Bold: best of the row ({board.better} is better); italic: tie. {board.note}"
    return BenchTable(title, heads, rows, note, folded)


def _cell(board: ResultTable, i: int, j: int) -> tuple[str, str]:
    status = str(board.status.iat[i, j])
    if status != "ok":
        text = str(board.causes.iat[i, j]) or status
        return text or "-", "failed" if status == "failed" else ""
    return board.number(i, j), str(board.marks.iat[i, j])


def _statistics(frame: pd.DataFrame, spec: Spec) -> Iterator[BenchTable]:
    for score in spec.rules.shows:
        board = result_table(frame, spec.rules, score=score, average=True)
        try:
            tests = significance(board)
        except (ValueError, ImportError) as error:  # too few rows, or no scikit-posthocs: say so
            yield BenchTable(score, [], [], note=str(error))
            continue
        for title, table in tests.frames().items():
            rows = [
                [(str(row[0]), "name"), *((f"{value:.4g}", "") for value in row[1:])]
                for row in table.itertuples(index=False)
            ]
            yield BenchTable(f"{score}. {title}", [str(c) for c in table.columns], rows)


def _failures(frame: pd.DataFrame) -> Iterator[BenchTable]:
    failed = frame[frame["status"] == "failed"]
    if len(failed):
        heads = ["dataset", "method", "setting", "reason"]
        counted = failed.groupby(heads, sort=True).size().reset_index(name="scores")
        rows = [
            [(str(row[0]), "name"), *((str(cell), "text") for cell in row[1:])]
            for row in counted.itertuples(index=False)
        ]
        yield BenchTable("Failed cells", [*heads, "scores"], rows)


def _figures(frame: pd.DataFrame, spec: Spec) -> Iterator[BenchFigure]:
    """Whatever the results have the data for."""
    score = spec.rules.score
    scored = rows_of_score(frame, score)
    ok = scored[scored["status"] == "ok"]
    plain = ok[ok["setting"] == ""]
    yield from _ranks(frame, spec)
    for dataset in list(dict.fromkeys(ok["dataset"]))[:MOST]:
        yield from _of_dataset(str(dataset), plain[plain["dataset"] == dataset], score)
        yield from _weights(ok[ok["dataset"] == dataset], str(dataset), spec, score)
    timed = plain.drop_duplicates(["dataset", "method", "k", "repetition"])
    timed = timed[timed["seconds"] > 0]
    if len(timed):
        from ..plotting import plot_time_bars

        caption = (
            "Mean seconds of a fit over all data sets; whiskers from the fastest to the slowest."
        )
        yield _drawn("Time of a fit", caption, lambda: plot_time_bars(timed))


def _ranks(frame: pd.DataFrame, spec: Spec) -> Iterator[BenchFigure]:
    from ..plotting import plot_critical_difference

    board = result_table(frame, spec.rules, score=spec.rules.score, average=True)
    wide = board.mean.dropna(axis="columns", how="all")
    n_rows, n_methods = wide.dropna().shape
    if n_rows >= 2 and n_methods >= 3:
        caption = (
            f"Mean ranks of {spec.rules.score} over {n_rows} data sets; methods joined by a bar do "
            "not differ by Nemenyi's test at 0.05."
        )
        yield _drawn(
            "Mean ranks",
            caption,
            partial(plot_critical_difference, wide, better=board.better),
        )


def _of_dataset(dataset: str, rows: pd.DataFrame, score: str) -> Iterator[BenchFigure]:
    from ..plotting import plot_score_boxes, plot_scores_against_k

    if not len(rows):
        return
    if "evaluations" in rows and rows["evaluations"].notna().any():
        caption = f"{score} on {dataset} after so many evaluations per k n; band: one deviation."
        yield _drawn(
            f"{dataset}: error against evaluations",
            caption,
            lambda: plot_scores_against_k(rows, score, k="evaluations").set(
                xlabel="evaluations / (k n)", xscale="log"
            ),
        )
    elif rows["k"].nunique() > 1:
        caption = (
            f"Mean {score} on {dataset}, defaults of each method; band: one standard deviation."
        )
        if not rows["k"].all():
            caption += " Level lines are methods that choose no columns."
        yield _drawn(
            f"{dataset}: {score} against k", caption, lambda: plot_scores_against_k(rows, score)
        )
    if rows.groupby("method").size().max() >= BOX:
        caption = f"Every run on {dataset} at the defaults, over all k; in brackets how many."
        yield _drawn(
            f"{dataset}: spread of {score}", caption, lambda: plot_score_boxes(rows, score)
        )


def _weights(rows: pd.DataFrame, dataset: str, spec: Spec, score: str) -> Iterator[BenchFigure]:
    """Sensitivity to the two weights of which most values were tried."""
    from ..plotting import plot_sensitivity

    for method, part in rows[rows["setting"] != ""].groupby("method", sort=True):
        table = _parameters(part)
        numbers = [name for name in table if table[name].dtype.kind == "f" and name not in part]
        tried = sorted(numbers, key=lambda name: -table[name].nunique())[:2]
        if len(tried) == 2 and min(table[name].nunique() for name in tried) > 1:
            caption = f"Mean {score} of {method} on {dataset} over its grid; cross: the best."
            x, y = map(str, tried)
            points = table.dropna(subset=tried)
            yield _drawn(
                f"{dataset}: {method}, {x} and {y}",
                caption,
                partial(plot_sensitivity, points, x, y, score, better=spec.rules.better),
            )


def _parameters(rows: pd.DataFrame) -> pd.DataFrame:
    """The points of the grid as columns of numbers, where they are numbers."""
    import pandas as pd

    points = [
        dict(part.split("=", 1) for part in re.split(r", (?=\w+=)", text))
        for text in rows["setting"]
    ]
    columns = pd.DataFrame(points, index=rows.index)
    numeric = columns.apply(pd.to_numeric, errors="coerce").astype(float)
    return pd.concat([rows.drop(columns=numeric.columns, errors="ignore"), numeric], axis=1)


def _drawn(title: str, caption: str, draw: Callable[[], Any]) -> BenchFigure:
    """The figure as SVG: the same text for the same numbers."""
    mpl, plt = optional("matplotlib", "A chart"), optional("matplotlib.pyplot", "A chart")

    with mpl.rc_context({"svg.hashsalt": title, "svg.fonttype": "path", "font.size": 9}):
        draw()
        figure, buffer = plt.gcf(), io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
        plt.close(figure)
    return BenchFigure(title, caption, buffer.getvalue())
