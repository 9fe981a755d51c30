"""``sksieve select``: read, check, fit, report.

The layout of the JSON document is stable: within ``sksieve.select/1`` fields are added, never
renamed or removed. Shares lie in [0, 1]; a number that is not finite is null; columns are counted
from 0 in the order of ``columns``, the columns the method could choose from.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..catalogue import get_method
from ..exceptions import DataError
from ..io import Table, read_table
from ..io._messages import counted
from ..report._summary import SelectionSummary, selection_summary
from ._fit import Choice, Fitted, choose, fit, make_estimator, prescaled, suitable_scale
from ._options import SelectOptions, UsageError
from ._prepare import Numeric, prepare
from ._print import (
    SCALED,
    dumps,
    duration,
    errors,
    out,
    percent,
    print_lines,
    print_notes,
    show_table,
    stopped,
    versions,
)
from ._write import REPORTS, WRITERS, check_target, write_chosen

__all__ = ["run"]

SCHEMA = "sksieve.select/1"
#: The method behind ``--method auto``, and why.
AUTO, REASON = "local_search", "auto: usually the most accurate for its run time"
NARROW = "\N{NARROW NO-BREAK SPACE}"


class Selection(NamedTuple):
    """Everything about one run."""

    options: SelectOptions
    table: Table
    numeric: Numeric
    choice: Choice
    scale: str
    fitted: Fitted
    summary: SelectionSummary
    notes: list[str]


def run(options: SelectOptions) -> None:
    """Choose columns and report them.

    Raises
    ------
    UsageError
        If a method or parameter does not exist.
    ValueError
        If the data or the method refuse.
    """
    if options.k < 1:
        raise UsageError(f"-k {options.k}: choose at least one column.")
    choice = choose(options.method, ("columns", "selector"), Choice(get_method(AUTO), REASON))
    make_estimator(choice.method, options)  # refuses parameters before any file is read
    _check_targets(options)
    selection = _selected(options, choice)
    notes = selection.notes
    if options.output is not None:
        notes += write_chosen(
            options.output, selection.table, selection.numeric, selection.summary.chosen
        )
    if options.report is not None:
        _write_report(selection)
    print_notes(notes, selection.fitted)
    if options.json:
        out().file.write(dumps(_document(selection)))
    else:
        _show(selection)


def _check_targets(options: SelectOptions) -> None:
    if options.output is not None:
        check_target(options.output, options.data, tuple(WRITERS), "--output")
    if options.report is not None:
        check_target(options.report, options.data, REPORTS, "--report")
    elif options.image is not None:
        raise UsageError(
            f"--image-shape {options.image_shape} is for the report; add --report report.html."
        )


def _selected(options: SelectOptions, choice: Choice) -> Selection:
    table = read_table(options.data, **options.reading)
    numeric = prepare(table, options, k=options.k)
    image, n = options.image, len(numeric.names)
    if image is not None and image.height * image.width != n:
        raise DataError(
            f"--image-shape {options.image_shape} has {image.height * image.width:,} pixels, but "
            f"there are {counted(n, 'column')} to choose from in {table.name}; give the height and "
            "width of its images, and leave other columns out with --columns, --drop or "
            "--label-column."
        )
    method, scale, why = choice.method, options.scale, ""
    if scale == "auto":
        scale, why = suitable_scale(method, sparse=hasattr(numeric.X, "tocsr"))
    X = prescaled(method, numeric.X, scale)
    if not (X.count_nonzero() if hasattr(X, "tocsr") else np.any(X)):
        raise DataError(
            f"Every column of {table.name} is zero, unchanged or once scaled (constant); there is "
            "nothing to choose from."
        )
    own = {"scale": "none" if scale == "minmax" else scale} if method.kind == "columns" else {}
    estimator = make_estimator(method, options, own)
    title = f"Choosing {options.k:,} of {n:,} columns"
    fitted = fit(estimator, X, title, errors(), options.seconds)
    summary = selection_summary(fitted.estimator, fitted.X, scale=scale)
    notes = [*numeric.notes, *filter(None, [why]), *fitted.warnings]
    return Selection(options, table, numeric, choice, scale, fitted, summary, notes)


# The terminal -------------------------------------------------------------------------------------


def _show(selection: Selection) -> None:
    numeric, choice, summary = selection.numeric, selection.choice, selection.summary
    m, n = numeric.X.shape
    sparse = ", sparse" if hasattr(numeric.X, "tocsr") else ""
    size = f"{counted(m, 'row')} x {counted(n, 'column')}{sparse}"
    print_lines(
        f"Method: {choice.method.name} ({choice.reason})",
        f"Data: {selection.table.name}, {size}, {SCALED[selection.scale]}",
        "",
    )
    heads = [">#", "column", ">adds", ">explained", ">unique"]
    rows = [
        [i + 1, numeric.names[j], *map(percent, (summary.adds[i], together, summary.unique[i]))]
        for i, (j, together) in enumerate(zip(summary.chosen, summary.together))
    ]
    if numeric.missing.any():
        heads.append(">missing")
        rows = [[*row, percent(numeric.missing[j])] for row, j in zip(rows, summary.chosen)]
    show_table(out(), "", heads, rows)
    print_lines("", *_conclusion(selection))


def _conclusion(selection: Selection) -> list[str]:
    options, summary, fitted = selection.options, selection.summary, selection.fitted
    how = ""
    if steps := stopped(fitted):
        how = f" ({steps})"
        anytime = selection.choice.method.name == AUTO and options.time is None
        if anytime and fitted.estimator.stop_reason_ == "max_iter":
            how += "; add --time 60s to keep searching"
    best = "PCA" if summary.scale == "standard" else "the SVD"
    next_command = "sksieve methods"
    if options.output is None:
        next_command = options.command_line("-o", "chosen.csv")
    elif options.report is None:
        next_command = options.command_line("--report", "report.html")
    return [
        summary.sentence(len(selection.numeric.names)).replace(NARROW, " "),
        f"Error ratio: {summary.ratio:.3f} (the share lost over that of {best}; 1 is the best "
        "possible).",
        "Unique: the share of a column that the other chosen columns do not explain.",
        f"Time: {duration(fitted.seconds)}{how}.",
        f"Next: {next_command}",
    ]


# The document -------------------------------------------------------------------------------------


def _document(selection: Selection) -> dict[str, Any]:
    options, table, numeric = selection.options, selection.table, selection.numeric
    summary, est = selection.summary, selection.fitted.estimator
    m, n = numeric.X.shape
    return {
        "schema": SCHEMA,
        "versions": versions(),
        "command": options.command_line(),  # repeats the selection
        "data": {
            "name": table.name,
            "sha256": table.sha256,
            "sha256_of": table.hashed,  # "file", "stdin" or "array" (float64, row by row)
            "n_samples": int(m),
            "n_features": int(n),
            "sparse": hasattr(numeric.X, "tocsr"),
            "label_column": options.label_column,
        },
        "method": method_entry(selection.choice, est, options.seed) | {"scale": selection.scale},
        "k": options.k,  # as requested; fewer are chosen if fewer already explain everything
        "chosen": [
            {
                "rank": i + 1,  # in the order of what each adds
                "index": int(j),  # into "columns"
                "name": numeric.names[j],
                "adds": summary.adds[i],  # share added to the columns before it
                "explained": together,  # share of all columns up to this one
                "unique": summary.unique[i],  # share the other chosen columns do not explain
                "missing": float(numeric.missing[j]),  # share of its values before --impute
            }
            for i, (j, together) in enumerate(zip(summary.chosen, summary.together))
        ],
        "error": {
            "scale": summary.scale,  # the scaling that all shares refer to
            "total": summary.total,  # squared norm of the columns in that scaling
            "error": summary.error,  # what the chosen columns do not explain of it
            "explained": summary.explained,  # 1 - error / total
            "ratio": summary.ratio,  # error over that of the best rank-k approximation
            "best_possible": summary.best_possible,  # share that approximation explains
            "random": summary.random,  # share of as many random columns, mean of ten draws
        },
        "path": [vars(point) for point in summary.path],  # empty for methods without a path
        "ranking": est.ranking_,  # all columns, best first
        "columns": numeric.names,
        "fit": fit_entry(selection.fitted),
        "output": options.output and str(options.output),
        "report": options.report and str(options.report),
        "notes": selection.notes,
    }


def method_entry(choice: Choice, est: Any, seed: int) -> dict[str, Any]:
    """The entry of a method, of columns or of groups."""
    return {
        "name": choice.method.name,
        "class": choice.method.class_name,
        "reason": choice.reason,
        "parameters": est.get_params(deep=False),
        "seed": seed,
    }


def fit_entry(fitted: Fitted) -> dict[str, Any]:
    """The entry of a fit, of columns or of groups."""
    return {
        "seconds": fitted.seconds,
        "compiling": fitted.compiling,  # seconds, not part of "seconds"
        "n_iter": getattr(fitted.estimator, "n_iter_", None),  # null without a loop
        "stop_reason": getattr(fitted.estimator, "stop_reason_", None),
        "interrupted": fitted.interrupted,
    }


# The page -----------------------------------------------------------------------------------------


def _write_report(selection: Selection) -> None:
    from ..report import ImageShape, SelectionResult, write_selection_report
    from ._repeat import table_lines

    options, numeric, choice = selection.options, selection.numeric, selection.choice
    fitted, image = selection.fitted, options.image
    m, n = numeric.X.shape
    result = SelectionResult(
        estimator=fitted.estimator,
        feature_names=numeric.names,
        method=choice.method.name,
        command=options.command_line(method=choice.method.name),
        data_name=selection.table.name,
        data_sha256=selection.table.sha256,
        n_samples=m,
        n_features=n,
        seconds=fitted.seconds,
        seed=options.seed if "random_state" in fitted.estimator.get_params() else None,
        scale=selection.scale,
        X=fitted.X,
        notes=tuple(selection.notes),
        loading=table_lines(selection.table, numeric, options, choice.method, selection.scale),
        image=None if image is None else ImageShape(image.height, image.width, image.down),
        summary=selection.summary,
        column_means=None if image is None else np.asarray(numeric.X.mean(axis=0)).ravel(),
    )
    assert options.report is not None
    write_selection_report(options.report, result)
