"""``sksieve select``: read, check, fit, report.

The layout of the JSON document is stable: within ``sksieve.select/1`` fields are added, never
renamed or removed. Shares lie in [0, 1]; a number that is not finite is null; columns are counted
from 0 in the order of ``columns``, the columns the method could choose from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

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

if TYPE_CHECKING:
    from ..evaluation import Suggestion

__all__ = ["run"]

SCHEMA = "sksieve.select/1"
#: The methods behind ``--method auto``, without and with a time limit.
AUTO, TIMED = "choice", "local_search"
NUMBERS = ("neighbors", "reconstruction", "modularity")
NARROW = "\N{NARROW NO-BREAK SPACE}"


class Selection(NamedTuple):
    """Everything about one run."""

    options: SelectOptions
    table: Table
    numeric: Numeric
    choice: Choice
    scale: str
    fitted: Fitted
    chooser: Any  # the fitted ColumnChoice, or None
    suggestion: Suggestion | None
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
    number = options.number
    if options.method != "auto" and options.use != "any":
        raise UsageError("--for chooses the method; leave it out, or leave out --method.")
    auto = Choice(get_method(AUTO), "auto")
    if options.time is not None:
        auto = Choice(get_method(TIMED), "auto: keeps searching until the time limit")
    choice = choose(options.method, ("columns", "selector"), auto)
    if number is not None and "n_features_to_select" not in choice.method.defaults():
        raise UsageError(f"-k {options.k}: {choice.method.name} finds the number itself; omit -k.")
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
    number = options.number
    numeric = prepare(table, options, k=number if isinstance(number, int) else 0)
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
    X = numeric.X if method.name == AUTO else prescaled(method, numeric.X, scale)
    if not (X.count_nonzero() if hasattr(X, "tocsr") else np.any(X)):
        raise DataError(
            f"Every column of {table.name} is zero, unchanged or once scaled (constant); there is "
            "nothing to choose from."
        )
    suggestion: Suggestion | None = None
    k: int | str = "some"
    if "n_features_to_select" in method.defaults():
        k, suggestion = _how_many(number, numeric.X, options.seed, table.name)
    own: dict[str, Any] = {"n_features_to_select": k}
    if method.kind == "columns":
        own["scale"] = "none" if scale == "minmax" else scale
    estimator = make_estimator(method, options, own)
    title = f"Choosing {k} of {n:,} columns"
    fitted = fit(estimator, X, title, errors(), options.seconds)
    chooser = None
    if method.name == AUTO:
        chooser = fitted.estimator
        choice = Choice(get_method(chooser.method_), f"auto, for {options.use}")
        fitted = replace(fitted, estimator=chooser.estimator_)
    summary = selection_summary(fitted.estimator, fitted.X, scale=scale)
    notes = [*numeric.notes, *filter(None, [why]), *fitted.warnings]
    notes += [] if suggestion is None else suggestion.notes
    return Selection(
        options, table, numeric, choice, scale, fitted, chooser, suggestion, summary, notes
    )


def _how_many(
    number: int | float | None, X: Any, seed: int, name: str
) -> tuple[int, Suggestion | None]:
    """How many columns to choose, and the suggestion that says so unless it was given.

    Raises
    ------
    DataError
        If the table suggests no number.
    """
    if isinstance(number, int):
        return number, None
    from ..evaluation import suggest_k

    try:
        suggestion = suggest_k(X, random_state=seed)
    except DataError as error:
        raise DataError(f"{name}: give a number of columns with -k N. {error}") from error
    k = suggestion.k if number is None else suggestion.enough(number)
    if k is None:
        raise DataError(f"{name}: {suggestion.sentence} Choose a number with -k N.")
    return k, suggestion


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
    if selection.chooser is not None:
        _show_candidates(selection.chooser)
    options = selection.options
    next_command = "sksieve methods"
    if options.output is None:
        next_command = options.command_line("-o", "chosen.csv")
    elif options.report is None:
        next_command = options.command_line("--report", "report.html")
    print_lines(f"Next: {next_command}")


def _show_candidates(chooser: Any) -> None:
    """The candidates with the numbers they were judged by, beside random columns."""
    rows = []
    for record in chooser.candidates_:
        mark = " *" if record["method"] == chooser.method_ else ""
        shares = [percent(record["neighbors"]), percent(max(record["reconstruction"], 0.0))]
        rows.append([f"{record['method']}{mark}", *shares, f"{record['modularity']:.3f}"])
    print_lines("")
    heads = ("candidate", ">neighbors kept", ">reconstruction", ">modularity")
    show_table(out(), "", heads, rows)
    print_lines(f"* {chooser.verdict_}", "")


def _conclusion(selection: Selection) -> list[str]:
    options, summary, fitted = selection.options, selection.summary, selection.fitted
    how = ""
    if steps := stopped(fitted):
        how = f" ({steps})"
        anytime = selection.choice.method.name == TIMED and options.time is None
        if anytime and fitted.estimator.stop_reason_ == "max_iter":
            how += "; add --time 60s to keep searching"
    best = "PCA" if summary.scale == "standard" else "the SVD"
    return [
        summary.sentence(len(selection.numeric.names)).replace(NARROW, " "),
        f"Error ratio: {summary.ratio:.3f} (the share lost over that of {best}; 1 is the best "
        "possible).",
        "Unique: the share of a column that the other chosen columns do not explain.",
        f"Time: {duration(fitted.seconds)}{how}.",
        *_number_lines(selection),
    ]


def _number_lines(selection: Selection) -> list[str]:
    """Why so many columns, where that was not given."""
    number, suggestion = selection.options.number, selection.suggestion
    if suggestion is None:
        return []
    if number is None:
        return [f"Number: {suggestion.sentence}"]
    k = len(selection.summary.chosen)
    return [
        f"Number: {counted(k, 'column')} {'carries' if k == 1 else 'carry'} {percent(number)} of "
        "what all columns have in common (by forward selection)."
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
        "k": getattr(est, "n_features_to_select", None),  # fewer are chosen if fewer suffice
        "requested": options.k,
        "suggestion": selection.suggestion and vars(selection.suggestion),
        "choice": selection.chooser
        and {
            "use": options.use,
            "verdict": selection.chooser.verdict_,
            "candidates": selection.chooser.candidates_,
            "refused": selection.chooser.refused_,
        },
        "chosen": _chosen_entries(numeric, summary),
        "error": _error_entry(summary),
        "path": [vars(point) for point in summary.path],  # empty for methods without a path
        "ranking": est.ranking_,  # all columns, best first
        "columns": numeric.names,
        "fit": fit_entry(selection.fitted),
        "output": options.output and str(options.output),
        "report": options.report and str(options.report),
        "notes": selection.notes,
    }


def _chosen_entries(numeric: Numeric, summary: SelectionSummary) -> list[dict[str, Any]]:
    return [
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
    ]


def _error_entry(summary: SelectionSummary) -> dict[str, Any]:
    return {
        "scale": summary.scale,  # the scaling that all shares refer to
        "total": summary.total,  # squared norm of the columns in that scaling
        "error": summary.error,  # what the chosen columns do not explain of it
        "explained": summary.explained,  # 1 - error / total
        "ratio": summary.ratio,  # error over that of the best rank-k approximation
        "best_possible": summary.best_possible,  # share that approximation explains
        "random": summary.random,  # share of as many random columns, mean of ten draws
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
        command=options.command_line(),
        data_name=selection.table.name,
        data_sha256=selection.table.sha256,
        n_samples=m,
        n_features=n,
        seconds=fitted.seconds,
        seed=options.seed if "random_state" in fitted.estimator.get_params() else None,
        scale=selection.scale,
        X=fitted.X,
        notes=tuple(selection.notes),
        loading=table_lines(
            selection.table,
            numeric,
            options,
            None if selection.chooser is not None else choice.method,
            selection.scale,
        ),
        image=None if image is None else ImageShape(image.height, image.width, image.down),
        summary=selection.summary,
        chooser=selection.chooser,
        suggestion=selection.suggestion,
        column_means=None if image is None else np.asarray(numeric.X.mean(axis=0)).ravel(),
    )
    assert options.report is not None
    write_selection_report(options.report, result)
