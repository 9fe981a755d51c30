"""``sksieve bench``: run a spec, show progress, retry failures, write tables and pages."""

from __future__ import annotations

from typing import Any, Self

from ..bench import (
    Spec,
    Store,
    csv_text,
    forget_scores,
    merge_summaries,
    progress,
    read_spec,
    read_summary,
    replaced,
    result_table,
    results,
    run_spec,
    significance,
    statistics_csv,
    write_summary,
)
from ..bench import summary as summary_of
from ..exceptions import DataError
from ._data import SUFFIXES, check_target
from ._options import (
    BenchMergeOptions,
    BenchOptions,
    BenchReportOptions,
    BenchRetryOptions,
    BenchRunOptions,
    BenchStatusOptions,
    BenchSummaryOptions,
    BenchTableOptions,
)
from ._print import errors, note, out, print_lines, show_table


def run(options: BenchRunOptions) -> None:
    """Run what is not done yet."""
    if options.jobs == 0:
        raise ValueError("--jobs 0: give a number of processes, or -1 for one on each core.")
    spec = _requested(options)
    with Store(options.store) as store:
        if options.rescore:
            forget_scores(spec, store)
        start = progress(spec, store)
        for change in replaced(spec, store):
            note(change.sentence)
        with _Bar(spec.name, start) as bar:
            end = run_spec(spec, store, n_jobs=options.jobs, dask=options.dask, callback=bar)
        for text in bar.failures:
            note(text)
    print_lines(end.sentence)


def status(options: BenchStatusOptions) -> None:
    """Show progress and failures."""
    spec = _requested(options)
    with Store(options.store, read_only=True) as store:
        print_lines(progress(spec, store).sentence)
        for change in replaced(spec, store):
            note(change.sentence)
        frame = results(spec, store)
    failed = frame[frame["status"] == "failed"]
    if len(failed):
        heads = ["dataset", "method", "setting", "reason"]
        rows = failed.groupby(heads, sort=True).size().reset_index().to_numpy().tolist()
        show_table(out(), "", ("data set", "method", "setting", "reason", ">scores"), rows)


def retry(options: BenchRetryOptions) -> None:
    """Forget what failed."""
    with Store(options.store, create=False) as store:
        print_lines(f"{store.forget_failures()} failures forgotten; run the spec again.")


def table(options: BenchTableOptions) -> None:
    """Print the tables of a spec."""
    spec = _requested(options)
    with Store(options.store, read_only=True) as store:
        frame = results(spec, store)
    shared: dict[str, Any] = {"average": options.average, "name": spec.name, "test": options.test}
    scores = [options.score] if options.score else spec.rules.shows
    tables = [result_table(frame, spec.rules, score=score, **shared) for score in scores]
    tests = [significance(table) for table in tables] if options.statistics else []
    if options.form == "csv":
        text = statistics_csv(tables, tests) if options.statistics else csv_text(tables)
    else:
        parts = [[table.text(options.form)] for table in tables]
        for part, one in zip(parts, tests):
            part.append(one.text(options.form))
        text = "\n".join("\n".join(part) for part in parts)
    out().file.write(text)


def report(options: BenchReportOptions) -> None:
    """Write the page of a spec."""
    from ..report import bench_report

    check_target(options.output, str(options.spec), SUFFIXES["report"], "--output")
    spec = _requested(options)
    with Store(options.store, read_only=True) as store:
        bench_report(spec, store, options.output, command=options.command_line())
        end = progress(spec, store)
    print_lines(f"{end.done} of {end.total} cells are on {options.output}")


def summary(options: BenchSummaryOptions) -> None:
    """Write compact results of a spec."""
    check_target(options.output, str(options.spec), (".csv",), "--output")
    spec = _requested(options)
    with Store(options.store, read_only=True) as store:
        frame = summary_of(spec, store)
    if frame.empty:
        raise DataError(
            f"no data set of {options.spec} is complete in {options.store}; sksieve bench run goes "
            "on with it, sksieve bench status shows how far it is."
        )
    write_summary(frame, options.output)
    n_sets = frame["dataset"].nunique()
    print_lines(
        f"{len(frame)} results of {n_sets} of {len(spec.labels)} data sets in {options.output}"
    )


def merge(options: BenchMergeOptions) -> None:
    """Join compact results."""
    check_target(options.output, None, (".csv",), "--output")
    frame = merge_summaries([read_summary(file) for file in options.files])
    write_summary(frame, options.output)
    n_methods, n_sets = frame["method"].nunique(), frame["dataset"].nunique()
    print_lines(f"{n_methods} methods on {n_sets} data sets in {options.output}")


def _requested(options: BenchOptions) -> Spec:
    """The spec of a file, with the tables and methods of the command line."""
    if options.label_column is not None and not options.data:
        raise ValueError("--label-column is of the tables of --data; name one.")
    if options.only and not options.method:
        raise ValueError("--only leaves no method; name one with --method.")
    return read_spec(
        options.spec,
        data=options.data or (),
        label=options.label_column,
        methods=options.method or (),
        only=options.only,
    )


class _Bar:
    """A progress bar with the time left, on a terminal only; collects what failed."""

    def __init__(self, title: str, start: Any) -> None:
        from rich import progress

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

    def __enter__(self) -> Self:
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
