"""``sksieve bench``: run a spec, show progress, retry failures, write tables and pages."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import _options as args
from ._guard import guarded

if TYPE_CHECKING:
    from ..bench import Replaced, Spec

__all__ = ["app", "sentence_of"]

app = typer.Typer(
    name="bench",
    help="Compare methods on many data sets; stopped at any moment, the same command goes on.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

SpecFile = Annotated[
    Path, typer.Argument(metavar="SPEC.toml", help="What to run.", show_default=False)
]
StoreFolder = Annotated[
    Path,
    typer.Option("--store", metavar="DIR", help="Where results are kept; specs can share it."),
]

Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--data",
        metavar="FILE",
        help="Table in place of the spec's data sets; repeatable.",
        show_default=False,
    ),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Column of these tables that holds the classes."),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="Another method: of sksieve methods, or package.module:Class, which is "
        "imported and run; repeatable.",
        show_default=False,
    ),
]


class Format(StrEnum):
    """How a table is written."""

    md = "md"
    csv = "csv"
    tex = "tex"


class Test(StrEnum):
    """A paired test."""

    t = "t"
    wilcoxon = "wilcoxon"


DEFAULT = Path("sksieve-bench")


@app.command()
def run(
    spec: SpecFile,
    *,
    store: StoreFolder = DEFAULT,
    data: Files = None,
    label_column: LabelColumn = None,
    method: Methods = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Worker processes; -1 for one on each core.")
    ] = 1,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Scheduler of a dask cluster, whose workers do it."),
    ] = None,
    rescore: Annotated[
        bool, typer.Option("--rescore", help="Compute the spec's scores anew, from the fits kept.")
    ] = False,
    debug: args.Debug = False,
) -> None:
    """Run the remaining experiments. Several runs may share a store at once.

    Example: sksieve bench run quick.toml --jobs 2
    """
    with guarded(debug):
        from ..bench import Store, forget_scores, progress, replaced, run_spec
        from ._print import note

        if jobs == 0:
            raise ValueError("--jobs 0: give a number of processes, or -1 for one on each core.")
        requested = _requested(spec, data, label_column, method)
        with Store(store) as kept:
            if rescore:
                forget_scores(requested, kept)
            start = progress(requested, kept)
            for change in replaced(requested, kept):
                note(sentence_of(change))
            with _Bar(requested.name, start) as bar:
                end = run_spec(requested, kept, n_jobs=jobs, dask=dask, callback=bar)
            for text in bar.failures:
                note(text)
        _say(end)


@app.command()
def status(
    spec: SpecFile,
    *,
    store: StoreFolder = DEFAULT,
    data: Files = None,
    label_column: LabelColumn = None,
    method: Methods = None,
    debug: args.Debug = False,
) -> None:
    """Show progress and failures."""
    with guarded(debug):
        from ..bench import Store, progress, replaced, results
        from ._print import note, out, show_table

        requested = _requested(spec, data, label_column, method)
        with Store(store, read_only=True) as kept:
            _say(progress(requested, kept))
            for change in replaced(requested, kept):
                note(sentence_of(change))
            frame = results(requested, kept)
        failed = frame[frame["status"] == "failed"]
        if len(failed):
            heads = ["dataset", "method", "setting", "reason"]
            rows = failed.groupby(heads, sort=True).size().reset_index().to_numpy().tolist()
            show_table(out(), "", ("data set", "method", "setting", "reason", ">scores"), rows)


@app.command()
def retry(*, store: StoreFolder = DEFAULT, debug: args.Debug = False) -> None:
    """Forget what failed, so that the next run tries it again."""
    with guarded(debug):
        from ..bench import Store
        from ._print import out

        with Store(store, create=False) as kept:
            out().print(f"{kept.forget_failures()} failures forgotten; run the spec again.")


@app.command()
def table(
    spec: SpecFile,
    *,
    store: StoreFolder = DEFAULT,
    data: Files = None,
    label_column: LabelColumn = None,
    method: Methods = None,
    form: Annotated[Format, typer.Option("--format", help="How it is written.")] = Format.md,
    score: Annotated[
        str | None,
        typer.Option(help="acc, nmi, nmi_sqrt, error_ratio ...; all the protocol shows if none."),
    ] = None,
    average: Annotated[
        bool, typer.Option("--average", help="Mean over all k instead of a row for each.")
    ] = False,
    test: Annotated[Test, typer.Option(help="Paired test that decides on ties.")] = Test.t,
    statistics: Annotated[
        bool,
        typer.Option(
            "--statistics", help="Also Friedman and Nemenyi tests, and paired tests, over the rows."
        ),
    ] = False,
    debug: args.Debug = False,
) -> None:
    """Print the table: mean and deviation, best and ties marked, 'failed' where a cell failed."""
    with guarded(debug):
        from ..bench import (
            Store,
            csv_text,
            result_table,
            results,
            significance,
            statistics_csv,
        )
        from ._print import out

        requested = _requested(spec, data, label_column, method)
        with Store(store, read_only=True) as kept:
            frame = results(requested, kept)
        options: dict[str, Any] = {"average": average, "name": requested.name, "test": test.value}
        tables = [
            result_table(frame, requested.rules, score=one, **options)
            for one in ([score] if score else requested.rules.shows)
        ]
        tests = [significance(table) for table in tables] if statistics else []
        if form is Format.csv:
            text = statistics_csv(tables, tests) if statistics else csv_text(tables)
        else:
            parts = [[table.text(form.value)] for table in tables]
            for part, one in zip(parts, tests):
                part.append(one.text(form.value))
            text = "\n".join("\n".join(part) for part in parts)
        out().file.write(text)


@app.command()
def report(
    spec: SpecFile,
    *,
    store: StoreFolder = DEFAULT,
    data: Files = None,
    label_column: LabelColumn = None,
    method: Methods = None,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="PAGE.html", help="Where to.", show_default=False),
    ],
    debug: args.Debug = False,
) -> None:
    """Write one HTML page: tables, figures, statistics and failures.

    Example: sksieve bench report quick.toml -o quick.html
    """
    with guarded(debug):
        from ._bench_report import write_report
        from ._data import SUFFIXES, check_target
        from ._print import out

        check_target(output, str(spec), SUFFIXES["report"], "--output")
        done, total = write_report(
            *(_requested(spec, data, label_column, method), spec, store, output),
            words=_words(data, label_column, method),
        )
        out().print(f"{done} of {total} cells are on {output}", markup=False)


def _requested(
    spec: Path, data: list[Path] | None, label_column: str | None, methods: list[str] | None
) -> Spec:
    """The spec of a file, with the tables and methods of the command line."""
    from ..bench import read_spec

    if label_column is not None and not data:
        raise ValueError("--label-column is of the tables of --data; name one.")
    return read_spec(spec, data=data or (), label=label_column, methods=methods or ())


def _words(
    data: list[Path] | None, label_column: str | None, methods: list[str] | None
) -> list[str]:
    """The same as words of a command."""
    words = [word for path in data or () for word in ("--data", str(path))]
    words += ["--label-column", label_column] if label_column is not None else []
    return [*words, *(word for name in methods or () for word in ("--method", name))]


def sentence_of(change: Replaced) -> str:
    """What changed since results were computed, and what follows from it."""
    what = "The data set" if change.kind == "data" else "The method"
    cells = "1 cell" if change.n_cells == 1 else f"{change.n_cells} cells"
    return (
        f"{what} {change.name} changed since results of this spec were computed: {cells} must be "
        "computed again. The old results stay in the store, unused."
    )


def _say(far: Any) -> None:
    from ._print import out

    text = f"{far.done} of {far.total} cells done, {far.failed} of them failed"
    out().print(text, markup=False)


class _Bar:
    """A progress bar with the time left, on a terminal only; collects what failed."""

    def __init__(self, title: str, start: Any) -> None:
        from rich import progress

        from ._print import errors

        console = errors()
        self.failures: list[str] = []
        self.bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self.task = self.bar.add_task(title, total=start.total, completed=start.done)

    def __enter__(self) -> _Bar:
        self.bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.bar.stop()

    def __call__(self, outcome: Any) -> None:
        self.bar.advance(self.task)
        if outcome.failed:
            bad = [s for s in outcome.scores if s.status == "failed"]
            reason = bad[0].reason if bad else outcome.fit.reason
            cell = outcome.cell
            self.failures.append(f"{cell.method} on {cell.data.label} failed: {reason}")
