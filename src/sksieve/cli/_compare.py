"""``sksieve compare``: several methods on one table, without labels."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from pathlib import Path
from typing import Any

from ..evaluation._compare import Comparison, compare
from ._columns import Numeric, numeric_columns
from ._matrix import checked
from ._method import choose_method
from ._options import SelectOptions, UsageError
from ._output import duration, errors, note, out, percent, show_table
from ._write import check_target
from .tables import counted, read_table

__all__ = ["run"]

SCHEMA = "sksieve.compare/1"
SUFFIXES = (".csv",)


def run(options: SelectOptions, methods: str) -> None:
    """Fit each method and show what its columns are worth.

    Parameters
    ----------
    options : SelectOptions
        As for ``sksieve select``; `method` is not looked at.
    methods : str
        Names with commas between.

    Raises
    ------
    UsageError
        If a method does not exist or finds clusters.
    ValueError
        If the data refuse.
    """
    if options.k < 1:
        raise UsageError(f"-k {options.k}: ask for at least one column.")
    names = [word.strip() for word in methods.split(",") if word.strip()]
    if not names:
        raise UsageError("--methods: name at least one method; sksieve methods lists them.")
    chosen = list(dict.fromkeys(choose_method(name).method.name for name in names))
    if options.output is not None:
        check_target(options.output, options.data, SUFFIXES, "--output")
    table = read_table(options.data, options.reading)
    numeric = numeric_columns(table, options)
    numeric = checked(table.name, numeric, impute=options.impute, k=options.k)
    console = errors()
    with console.status("") as status:
        found = compare(
            numeric.X,
            options.k,
            chosen,
            random_state=options.seed,
            watch=lambda name: status.update(f"Fitting {name}"),
        )
    remarks = list(numeric.notes)
    remarks += [f"{row.method}: {text}" for row in found for text in row.warnings]
    if options.output is not None:
        _write(options.output, found, numeric)
    for text in remarks:
        note(text, console)
    if options.json:
        out().file.write(json.dumps(_document(table.name, found, numeric, remarks), indent=2))
        out().file.write("\n")
        return
    _show(table.name, found, numeric, options.k)


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
    for row in found:
        if row.refused:
            console.print(f"{row.method} refused: {row.refused}", markup=False, soft_wrap=True)


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
    writer.writerows({**record, "columns": " ".join(record["columns"])} for record in records)
    part = path.with_name(f".{path.name}.part")
    part.write_text(text.getvalue(), encoding="utf-8")
    os.replace(part, path)
