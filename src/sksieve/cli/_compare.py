"""``sksieve compare``: several methods on one table, without labels."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from time import perf_counter
from typing import Any

from ..catalogue import get_method
from ..evaluation._compare import Comparison, by_error, comparisons, not_fitted
from ..exceptions import DataError
from ..io import replacing
from ..io._messages import counted
from ..io.tables import Table, read_table
from ..scaling import constant_columns
from ._columns import Numeric, numeric_columns
from ._document import dumps
from ._interrupt import Interrupt
from ._loading import loading
from ._matrix import checked
from ._method import choose_method
from ._options import AUTO, CompareOptions, UsageError
from ._output import duration, errors, note, out, percent, show_table
from ._progress import EVERY
from ._write import REPORTS, check_target

__all__ = ["run"]

SCHEMA = "sksieve.compare/1"
SUFFIXES = (".csv",)


def run(options: CompareOptions) -> None:
    """Fit each method and show what its columns are worth.

    Parameters
    ----------
    options : CompareOptions

    Raises
    ------
    UsageError
        If a method does not exist or finds clusters.
    ValueError
        If the data refuse, or every method.
    """
    if options.k < 1:
        raise UsageError(f"-k {options.k}: ask for at least one column.")
    names = [word.strip() for word in options.methods.split(",") if word.strip()]
    if not names:
        raise UsageError("--methods: name at least one method; sksieve methods lists them.")
    chosen = list(dict.fromkeys(choose_method(name).method.name for name in names))
    if options.output is not None:
        check_target(options.output, options.data, SUFFIXES, "--output")
    if options.report is not None:
        check_target(options.report, options.data, REPORTS, "--report")
    table = read_table(options.data, **vars(options.reading))
    numeric = numeric_columns(table, options)
    numeric = checked(table.name, numeric, impute=options.impute, k=options.k)
    _refuse_constant(numeric.X, table.name)
    console = errors()
    found = _fitted(numeric, options, chosen, console)
    remarks = list(numeric.notes)
    remarks += [f"{row.method}: {text}" for row in found for text in row.warnings]
    if options.output is not None:
        _write(options.output, found, numeric)
    if options.report is not None:
        _write_report(options.report, found, table, numeric, remarks, options)
    for text in remarks:
        note(text, console)
    if options.json:
        out().file.write(dumps(_document(table.name, found, numeric, remarks)) + "\n")
    else:
        _show(table.name, found, numeric, options.k)
    if all(row.refused for row in found):
        raise DataError(f"No method gave an answer for {table.name}; each has its reason above.")


def _refuse_constant(X: Any, name: str) -> None:
    if constant_columns(X).all():
        raise DataError(f"Every column of {name} is constant; there is nothing to choose from.")


def _fitted(
    numeric: Numeric, options: CompareOptions, names: list[str], console: Any
) -> list[Comparison]:
    """A line for each method; after Ctrl-C those not yet fitted have none."""
    found = []
    with Interrupt(True) as interrupt, console.status("") as status:
        for i, name in enumerate(names):
            if interrupt.requested:
                found.append(not_fitted(name, "not fitted: stopped by Ctrl-C."))
                continue
            shown = _Steps(status, f"Fitting {name} ({i + 1} of {len(names)})")
            found += comparisons(
                numeric.X,
                options.k,
                [name],
                random_state=options.seed,
                time_limit=options.time,
                watch=lambda _, shown=shown: (shown, interrupt),  # type: ignore[misc]
            )
    return sorted(found, key=by_error)


class _Steps:
    """Callback that shows how far a fit is; at most ten times a second."""

    def __init__(self, status: Any, title: str) -> None:
        self.status, self.title = status, title
        self.shown = perf_counter()
        status.update(title)

    def __call__(self, record: Any, state: Any) -> None:
        now = perf_counter()
        if now - self.shown >= EVERY:
            self.shown = now
            step = f"iteration {record['n_iter']:,}, objective {record['objective']:.6g}"
            self.status.update(f"{self.title}: {step}")


def _show(name: str, found: list[Comparison], numeric: Numeric, k: int) -> None:
    console = out()
    m, n = numeric.X.shape
    size = f"{counted(m, 'row')} x {counted(n, 'column')}"
    console.print(f"Data: {name}, {size}; {counted(k, 'column')} kept", markup=False)
    console.print("Figures are of the standardised table; no labels are used.", markup=False)
    console.print("")
    rows = [
        (
            row.method,
            percent(1 - row.unexplained),
            percent(row.preservation),
            f"{row.redundancy:.3f}",
            duration(row.seconds),
        )
        for row in found
        if not row.refused
    ]
    heads = ("method", ">explained", ">neighbours kept", ">redundancy", ">time")
    show_table(console, "", heads, rows)
    if any(row.refused for row in found):
        console.print("\nWithout an answer:")
    for row in found:
        if row.refused:
            console.print(f"{row.method}: {row.refused}", markup=False, soft_wrap=True)


def _record(row: Comparison, numeric: Numeric) -> dict[str, Any]:
    """One method's line; what is not a number is null."""
    record: dict[str, Any] = {"method": row.method}
    for field in ("unexplained", "preservation", "redundancy", "seconds"):
        value = getattr(row, field)
        record[field] = value if math.isfinite(value) else None
    record["refused"] = row.refused or None
    record["columns"] = [numeric.names[j] for j in row.columns]
    return record


def _document(
    name: str, found: list[Comparison], numeric: Numeric, remarks: list[str]
) -> dict[str, Any]:
    m, n = numeric.X.shape
    return {
        "schema": SCHEMA,
        "data": {"name": name, "n_samples": m, "n_features": n},
        "methods": [_record(row, numeric) for row in found],
        "notes": remarks,
    }


def _write(path: Path, found: list[Comparison], numeric: Numeric) -> None:
    records = [_record(row, numeric) for row in found]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**record, "columns": "; ".join(record["columns"])} for record in records)
    with replacing(path) as file:
        file.write(text.getvalue().encode())


def _write_report(
    path: Path,
    found: list[Comparison],
    table: Table,
    numeric: Numeric,
    remarks: list[str],
    options: CompareOptions,
) -> None:
    from ..report import ComparisonResult, write_comparison_report

    result = ComparisonResult(
        rows=found,
        feature_names=numeric.names,
        k=options.k,
        data_name=options.data,
        data_sha256=table.sha256,
        n_samples=numeric.X.shape[0],
        command=options.command(),
        seed=options.seed,
        time_limit=options.time,
        notes=tuple(remarks),
        loading=loading(table, numeric, get_method(AUTO), options),  # it scales by itself
    )
    write_comparison_report(path, result)
