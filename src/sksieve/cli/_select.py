"""``sksieve select``: read, check, fit, tell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..catalogue import Method
from ..exceptions import DataError
from ..io._messages import counted
from ..io.tables import Table, read_table
from ..report._summary import SelectionSummary, selection_summary
from ._columns import Numeric, numeric_columns
from ._document import document, dumps
from ._fit import Fitted, fit, prescaled
from ._loading import loading
from ._matrix import checked
from ._method import Choice, choose_method, make_estimator
from ._options import AUTO, SelectOptions, UsageError
from ._output import (
    SCALED,
    duration,
    errors,
    note,
    out,
    percent,
    show_table,
    stopped,
    tell_interrupted,
)
from ._write import REPORTS, WRITERS, check_target, write_chosen

__all__ = ["run"]


class Selection(NamedTuple):
    """All that a selection leaves behind."""

    table: Table
    numeric: Numeric
    choice: Choice
    fitted: Fitted
    worth: SelectionSummary


def run(options: SelectOptions) -> None:
    """Choose columns and say so.

    Raises
    ------
    UsageError
        If a method or parameter does not exist.
    ValueError
        If the data or the method refuse.
    """
    if options.k < 1:
        raise UsageError(f"-k {options.k}: ask for at least one column.")
    choice = choose_method(options.method)
    options = options.scaled_for(choice.method)
    estimator = make_estimator(choice.method, options)
    _check_targets(options)
    table, numeric = _read(options)
    options = options.scaled_for(choice.method, hasattr(numeric.X, "tocsr"))
    X = prescaled(choice.method, numeric.X, options.scale)
    _refuse_nothing(X, table.name)
    title = f"Choosing {options.k:,} of {len(numeric.names):,} columns"
    fitted = fit(estimator, X, title, errors())
    worth = selection_summary(fitted.estimator, fitted.X, scale=options.scale)
    selection = Selection(table, numeric, choice, fitted, worth)
    notes = [*numeric.notes, *options.why_not_standard(choice.method), *fitted.warnings]
    if options.output is not None:
        notes += write_chosen(options.output, table, numeric, worth.chosen)
    if options.report is not None:
        _write_report(options.report, selection, tuple(notes), options)
    rest = "; smaller sizes take its columns in greedy order and were not searched"
    tell_interrupted(fitted, rest if getattr(fitted.estimator, "front", False) else "")
    console = errors()
    for text in notes:
        note(text, console)
    _show(selection, notes, options)


def _check_targets(options: SelectOptions) -> None:
    if options.output is not None:
        check_target(options.output, options.data, tuple(WRITERS), "--output")
    if options.report is not None:
        check_target(options.report, options.data, REPORTS, "--report")
    elif options.image is not None:
        raise UsageError(
            f"--image-shape {options.image}: it is for the report; add --report report.html."
        )


def _read(options: SelectOptions) -> tuple[Table, Numeric]:
    """The table, and the columns to choose from, fit to use."""
    table = read_table(options.data, **vars(options.reading))
    numeric = numeric_columns(table, options)
    numeric = checked(table.name, numeric, impute=options.impute, k=options.k)
    image, n = options.image, len(numeric.names)
    if image is not None and image.height * image.width != n:
        raise DataError(
            f"--image-shape {image} has {image.height * image.width:,} pixels, but there are "
            f"{counted(n, 'column')} to choose from in {table.name}; give the height and width of "
            "its images, and leave other columns out with --columns, --drop or --label-column."
        )
    return table, numeric


def _refuse_nothing(X: Any, name: str) -> None:
    """Refuse a table without a number other than 0, of which no share could be explained."""
    if not (X.count_nonzero() if hasattr(X, "tocsr") else np.any(X)):
        raise DataError(
            f"Every column of {name} is zero, as it stands or once scaled (constant); there is "
            "nothing to choose from."
        )


def _write_report(
    path: Path, selection: Selection, notes: tuple[str, ...], options: SelectOptions
) -> None:
    from ..report import ImageShape, SelectionResult, write_selection_report

    table, numeric, choice, fitted, worth = selection
    m, n = numeric.X.shape
    image = options.image
    result = SelectionResult(
        estimator=fitted.estimator,
        feature_names=numeric.names,
        method=choice.method.name,
        command=replace(options, method=choice.method.name).command(),
        data_name=options.data,
        data_sha256=table.sha256,
        n_samples=m,
        n_features=n,
        seconds=fitted.seconds,
        seed=options.seed if "random_state" in fitted.estimator.get_params() else None,
        scale=options.scale,
        X=fitted.X,
        notes=notes,
        loading=loading(table, numeric, choice.method, options),
        image=None if image is None else ImageShape(image.height, image.width, image.down),
        summary=worth,
        column_means=None if image is None else np.asarray(numeric.X.mean(axis=0)).ravel(),
    )
    write_selection_report(path, result)


def _show(selection: Selection, notes: list[str], options: SelectOptions) -> None:
    table, numeric, choice, fitted, worth = selection
    if options.json:
        text = dumps(
            document(table, numeric, fitted, worth, choice=choice, options=options, notes=notes)
        )
        out().file.write(text + "\n")
        return
    console = out()
    m, n = numeric.X.shape
    said = f"Method: {choice.method.name} ({choice.reason})"
    sparse = ", sparse" if hasattr(numeric.X, "tocsr") else ""
    size = f"{counted(m, 'row')} x {counted(n, 'column')}{sparse}"
    data = f"Data: {table.name}, {size}, {SCALED[options.scale]}"
    for line in (said, data, ""):
        console.print(line, markup=False, soft_wrap=True)
    rows = [
        (i + 1, numeric.names[j], *map(percent, (worth.adds[i], together, worth.unique[i])))
        for i, (j, together) in enumerate(zip(worth.chosen, worth.together))
    ]
    show_table(console, "", (">#", "column", ">adds", ">explained", ">unique"), rows)
    console.print("")
    for line in _conclusion(choice.method, selection, options):
        console.print(line, markup=False, soft_wrap=True)


def _conclusion(method: Method, selection: Selection, options: SelectOptions) -> list[str]:
    worth, fitted = selection.worth, selection.fitted
    est = fitted.estimator
    how = ""
    if steps := stopped(est):
        how = f" ({steps})"
        if est.stop_reason_ == "max_iter" and options.time is None and method.name == AUTO:
            how += "; add --time 60s to keep searching"
    best = "PCA" if worth.scale == "standard" else "the SVD"
    return [
        worth.sentence(len(selection.numeric.names)).replace("\N{NARROW NO-BREAK SPACE}", " "),
        f"Error ratio: {worth.ratio:.3f} (the share lost over that of {best}; 1 is the best "
        "possible).",
        "Unique: the share of a column that the other chosen columns do not explain.",
        f"Time: {duration(fitted.seconds)}{how}.",
        f"Next: {_next_command(method, options)}",
    ]


def _next_command(method: Method, options: SelectOptions) -> str:
    """What most people want after this."""
    if options.output is None:
        return options.command("-o", "chosen.csv")
    if options.report is None:
        return options.command("--report", "report.html")
    return "sksieve methods"
