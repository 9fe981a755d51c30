"""``sksieve compare``: several methods on one table, without labels."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

from .._wording import counted, duration, percent
from ..catalogue import list_methods
from ..evaluation import Comparison
from ..evaluation._compare import by_error, comparisons, not_fitted
from ..evaluation._cost import Meter
from ..exceptions import DataError
from ..io import NumericTable, write_table
from ..tables import constant_columns
from ..workflows._fitting import Interrupt, Progress
from ..workflows._methods import Choice, choose
from ..workflows._select import check_number
from ..workflows._tables import size_of
from ._data import check_targets, read_numeric, report_fields
from ._errors import UsageError
from ._options import CompareOptions
from ._print import out, print_lines, print_result, show_table, shows_progress

SCHEMA = "sksieve.compare/1"
RECOMMENDED, BASELINE = "recommended", "random"


class Compared(NamedTuple):
    """Everything about one run."""

    options: CompareOptions
    numeric: NumericTable
    rows: list[Comparison]
    notes: list[str]


def run(options: CompareOptions) -> None:
    """Fit each method and report what its columns are worth."""
    if options.k < 1:
        raise UsageError(f"-k {options.k}: choose at least one column.")
    names = _methods(options.methods)
    check_targets(options, (".csv",))
    numeric = read_numeric(options)
    check_number(options.k, numeric)
    name = numeric.table.name
    if constant_columns(numeric.X).all():
        raise DataError(f"Every column of {name} is constant; there is nothing to choose from.")
    rows = _fitted(numeric, options, names)
    notes = [*numeric.notes, *(f"{row.method}: {text}" for row in rows for text in row.warnings)]
    done = Compared(options, numeric, rows, notes)
    if options.output is not None:
        records = [_record(row, numeric) for row in rows]
        records = [record | {"columns": "; ".join(record["columns"])} for record in records]
        write_table(options.output, {name: [r[name] for r in records] for name in records[0]})
    if options.report is not None:
        _write_report(done)
    print_result(options, partial(_document, done), partial(_show, done), notes)
    if all(row.refused for row in rows):
        raise DataError(f"No method gave a result for {name}; the reasons are listed above.")


def _methods(text: str) -> list[str]:
    """Names of methods, each once; ``recommended`` stands for those and the random baseline."""
    if text == RECOMMENDED:
        methods = [m for m in list_methods() if m.kind != "clusterer" and m.role == RECOMMENDED]
        apart = (BASELINE, "correlated", "mixed")  # own number of columns; whole variables
        return [*(m.name for m in methods if m.name not in apart), BASELINE]
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise UsageError("--methods: name at least one method; sksieve methods lists them.")
    auto = Choice(choose("local_search", ("columns",), None).method, "")  # type: ignore[arg-type]
    methods = [choose(word, ("columns", "selector"), auto).method for word in words]
    return list(dict.fromkeys(method.name for method in methods))


def _fitted(numeric: NumericTable, options: CompareOptions, names: list[str]) -> list[Comparison]:
    """A row for each method; after Ctrl-C those not yet fitted have none."""
    rows = []
    with Interrupt(True) as interrupt:
        for i, name in enumerate(names):
            if interrupt.requested:
                rows.append(not_fitted(name, "not fitted: stopped by Ctrl-C."))
                continue
            title = f"Fitting {name} ({i + 1} of {len(names)})"
            with (
                Progress(title, shown=shows_progress(), seconds=options.seconds) as progress,
                Meter(on_compile=progress.report_compilation),
            ):
                rows += comparisons(
                    numeric.X,
                    options.k,
                    [name],
                    random_state=options.seed,
                    time_limit=options.seconds,
                    watch=lambda _, progress=progress: (progress, interrupt),  # type: ignore[misc]
                )
    return sorted(rows, key=by_error)


def _show(done: Compared) -> None:
    numeric, k = done.numeric, done.options.k
    print_lines(
        f"Data: {numeric.table.name}, {size_of(numeric.X)}; {counted(k, 'column')} chosen",
        "All numbers refer to the standardized table; no labels are used.",
        "",
    )
    rows = [
        (
            row.method,
            percent(1 - row.unexplained),
            percent(row.preservation),
            f"{row.redundancy:.3f}",
            duration(row.seconds),
        )
        for row in done.rows
        if not row.refused
    ]
    heads = ("method", ">explained", ">neighbors kept", ">redundancy", ">time")
    show_table(out(), "", heads, rows)
    refused = [f"{row.method}: {row.refused}" for row in done.rows if row.refused]
    if refused:
        print_lines("", "Without a result:", *refused)


def _record(row: Comparison, numeric: NumericTable) -> dict[str, Any]:
    """One method's entry; what is not a number is null."""
    record: dict[str, Any] = {"method": row.method}
    for field in ("unexplained", "preservation", "redundancy", "seconds"):
        value = getattr(row, field)
        record[field] = value if math.isfinite(value) else None
    record["refused"] = row.refused or None
    record["columns"] = [numeric.columns[j] for j in row.columns]
    return record


def _document(done: Compared) -> dict[str, Any]:
    m, n = done.numeric.X.shape
    return {
        "schema": SCHEMA,
        "command": done.options.command_line(),
        "data": {"name": done.numeric.table.name, "n_samples": m, "n_features": n},
        "methods": [_record(row, done.numeric) for row in done.rows],
        "notes": done.notes,
    }


def _write_report(done: Compared) -> None:
    from ..report import ComparisonResult, write_comparison_report

    options = done.options
    result = ComparisonResult(
        rows=done.rows,
        feature_names=done.numeric.columns,
        k=options.k,
        n_samples=done.numeric.X.shape[0],
        seed=options.seed,
        time_limit=options.seconds,
        notes=tuple(done.notes),
        **report_fields(done.numeric, options, None, "none"),  # it scales by itself
    )
    assert options.report is not None
    write_comparison_report(options.report, result)
