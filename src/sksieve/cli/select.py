"""``sksieve select``: read, check, fit, report.

The layout of the JSON document is stable: within ``sksieve.select/1`` fields are added, never
renamed or removed. Shares lie in [0, 1]; a number that is not finite is null; columns are counted
from 0 in the order of ``columns``, the columns the method could choose from.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._versions import versions
from .._wording import counted, listed
from ..catalogue import Method, get_method, list_methods
from ..evaluation._summary import SelectionSummary, selection_summary
from ..exceptions import DataError
from ..io import NumericTable, read_costs, write_columns
from ..io._numeric import matching
from ..io._write_columns import COLUMN_SUFFIXES
from ._data import check_targets, data_entry, data_line, read_numeric, report_fields
from ._fit import Choice, Fitted, choose, fit, make_estimator, prescaled, suitable_scale
from ._options import SelectOptions, UsageError
from ._print import (
    duration,
    errors,
    out,
    percent,
    print_lines,
    print_next,
    print_result,
    show_table,
    stopped,
)

if TYPE_CHECKING:
    from ..suggest import Suggestion

__all__ = ["run"]

SCHEMA = "sksieve.select/1"
#: The methods behind ``--method auto``, without and with a time limit.
AUTO, TIMED = "choice", "local_search"
#: The method for whole variables of a table with encoded text columns, and the uses it serves.
MIXED, MIXED_USES = "mixed", ("any", "reconstruct")
NUMBERS = ("neighbors", "reconstruction", "modularity")


class Selection(NamedTuple):
    """Everything about one run."""

    options: SelectOptions
    numeric: NumericTable
    limits: Restrictions
    choice: Choice
    scale: str
    fitted: Fitted
    chooser: Any  # the fitted ColumnChoice, or None
    suggestion: Suggestion | None
    summary: SelectionSummary
    notes: list[str]


def run(options: SelectOptions) -> None:
    """Choose columns and report them."""
    number = options.number
    if options.method != "auto" and options.use != "any":
        raise UsageError("--for chooses the method; leave it out, or leave out --method.")
    auto = Choice(get_method(AUTO), "auto")
    if options.time is not None:
        auto = Choice(get_method(TIMED), "auto: keeps searching until the time limit")
    elif options.restrictions:
        auto = Choice(get_method(TIMED), f"auto: takes {' and '.join(options.restrictions)}")
    choice = choose(options.method, ("columns", "selector"), auto)
    _check_restrictions(options, choice)
    if number is not None and "n_features_to_select" not in choice.method.defaults():
        raise UsageError(f"-k {options.k}: {choice.method.name} finds the number itself; omit -k.")
    make_estimator(choice.method, options)  # refuses parameters before any file is read
    check_targets(options, COLUMN_SUFFIXES)
    if options.image is not None and options.report is None:
        raise UsageError(
            f"--image-shape {options.image_shape} is for the report; add --report report.html."
        )
    selection = _selected(options, choice)
    notes = selection.notes
    if options.output is not None:
        notes += write_columns(options.output, selection.numeric, selection.summary.chosen)
    if options.report is not None:
        _write_report(selection)
    document, show = partial(_document, selection), partial(_show, selection)
    print_result(options, document, show, notes, selection.fitted)


def _check_restrictions(options: SelectOptions, choice: Choice) -> None:
    """Refuse --candidates, --keep, --cost and --solver where they cannot be met."""
    given = options.restrictions
    if given and options.use != "any":
        raise UsageError(
            f"{given[0]} is for column subset methods, and --for compares methods of all kinds; "
            "leave one of them out."
        )
    if (options.cost is None) != (options.budget is None):
        raise UsageError(
            "--cost and --budget belong together: the chosen columns cost at most the budget in "
            "all. Give both or neither."
        )
    if options.budget is not None and not 0 < options.budget < np.inf:
        raise UsageError(f"--budget {options.budget:g}: give a number above 0.")
    for option in given:
        if not _takes(choice.method, option):
            able = [m.name for m in list_methods() if _takes(m, option)]
            raise UsageError(
                f"{option}: the method {choice.method.name} does not take it; methods that do: "
                f"{', '.join(able)}."
            )


def _takes(method: Method, option: str) -> bool:
    """Has a method the parameter that an option sets?"""
    if method.kind != "columns":
        return False
    parameter = "budget" if option == "--cost" else option.removeprefix("--")
    return parameter in method.defaults()


class Restrictions(NamedTuple):
    """Which columns may or must be chosen, by their places, and what they cost."""

    candidates: list[int] | None
    keep: list[int] | None
    cost: Any  # ndarray of shape (n,), or None
    notes: list[str]

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the estimator."""
        given = {"candidates": self.candidates, "keep": self.keep}
        return {name: value for name, value in given.items() if value is not None}

    def within(self, k: int) -> int:
        """A suggested number of columns, made possible."""
        most = k if self.candidates is None else len({*self.candidates, *(self.keep or ())})
        return max(min(k, most), len(self.keep or ()))


def _restrictions(options: SelectOptions, numeric: NumericTable) -> Restrictions:
    """What --candidates, --keep and --cost say about the columns there are to choose from."""
    names, where = numeric.columns, f"what is used of {numeric.table.name}"
    candidates, keep = (
        list(matching(names, given, option, where)) if given else None
        for given, option in ((options.candidates, "--candidates"), (options.keep, "--keep"))
    )
    k = options.number
    if isinstance(k, int) and keep is not None and len(keep) > k:
        raise DataError(
            f"--keep names {counted(len(keep), 'column')}, more than -k {k}; raise -k, or keep "
            "fewer."
        )
    if isinstance(k, int) and candidates is not None:
        there = len({*candidates, *(keep or ())})
        if there < k:
            raise DataError(
                f"--candidates{' and --keep' if keep else ''} names {counted(there, 'column')}, "
                f"fewer than -k {k}; lower -k, or name more."
            )
    notes: list[str] = []
    cost = None
    if options.cost is not None:
        cost, unused = read_costs(options.cost, names)
        notes += [f"Costs of columns that are not used: {listed(unused)}."] if unused else []
    return Restrictions(candidates, keep, cost, notes)


def _selected(options: SelectOptions, choice: Choice) -> Selection:
    number = options.number
    numeric = read_numeric(options, number if isinstance(number, int) else 0)
    n, name = len(numeric.columns), numeric.table.name
    limits = _restrictions(options, numeric)
    _check_image(options, numeric)
    if numeric.is_mixed and choice.method.name == AUTO and options.use in MIXED_USES:
        choice = Choice(get_method(MIXED), "auto: a text column counts as one variable")
    method, notes = choice.method, [*numeric.notes, *limits.notes]
    if method.name == MIXED:
        _check_variables(options, numeric)
    elif numeric.is_mixed:
        notes.append(
            "Each 0/1 column is chosen or dropped by itself; --method mixed keeps those of a text "
            "column together."
        )
    scale: str = options.scale
    if scale == "auto":
        scale, why = suitable_scale(method, sparse=hasattr(numeric.X, "tocsr"))
        notes += filter(None, [why])
    X = numeric.X if method.name == AUTO else prescaled(method, numeric.X, scale)
    if not (X.count_nonzero() if hasattr(X, "tocsr") else np.any(X)):
        raise DataError(
            f"Every column of {name} is zero, unchanged or once scaled (constant); there is "
            "nothing to choose from."
        )
    suggestion: Suggestion | None = None
    k: int | str = "some"
    if "n_features_to_select" in method.defaults():
        k, suggestion = _how_many(number, numeric.X, options.seed, name)
        k = k if suggestion is None else limits.within(k)
    own: dict[str, Any] = {"n_features_to_select": k, **limits.parameters}
    if method.name == MIXED:
        own["groups"] = numeric.groups
    if method.kind == "columns":
        own["scale"] = "none" if scale == "minmax" else scale
    estimator = make_estimator(method, options, own)
    title = f"Choosing {k} of {n:,} columns"
    fitted = fit(estimator, X, title, errors(), options.seconds, limits.cost)
    chooser = None
    if method.name == AUTO:
        chooser = fitted.estimator
        choice = Choice(get_method(chooser.method_), f"auto, for {options.use}")
        fitted = replace(fitted, estimator=chooser.estimator_)
    summary = selection_summary(fitted.estimator, fitted.X, scale=scale)
    notes += [*fitted.warnings, *(suggestion.notes if suggestion else ())]
    return Selection(
        options, numeric, limits, choice, scale, fitted, chooser, suggestion, summary, notes
    )


def _check_image(options: SelectOptions, numeric: NumericTable) -> None:
    """Refuse an image of another number of pixels than there are columns."""
    image, n = options.image, len(numeric.columns)
    if image is not None and image.height * image.width != n:
        raise DataError(
            f"--image-shape {options.image_shape} has {image.height * image.width:,} pixels, but "
            f"there are {counted(n, 'column')} to choose from in {numeric.table.name}; give the "
            "height and width of its images, and leave other columns out with --columns, --drop or "
            "--label-column."
        )


def _check_variables(options: SelectOptions, numeric: NumericTable) -> None:
    """Refuse a number of variables that is not given, or more than there are."""
    there = len(set(numeric.groups))
    if not isinstance(options.number, int):
        raise DataError(
            f"{numeric.table.name}: a number of columns can be suggested for columns of numbers "
            "only, and there are text columns. To continue: "
            f"{options.command_line(k=str(min(there, max(1, there // 2))))}"
        )
    if options.number > there:
        raise DataError(
            f"-k {options.number:,} asks for more than the {counted(there, 'variable')} of "
            f"{numeric.table.name}; use {there:,} or fewer."
        )


def _how_many(
    number: int | float | None, X: Any, seed: int, name: str
) -> tuple[int, Suggestion | None]:
    """How many columns to choose, and the suggestion that says so unless it was given."""
    if isinstance(number, int):
        return number, None
    from ..suggest import suggest_n_columns

    try:
        suggestion = suggest_n_columns(X, random_state=seed)
    except DataError as error:
        raise DataError(f"{name}: give a number of columns with -k N. {error}") from error
    k = suggestion.n if number is None else suggestion.enough(number)
    if k is None:
        raise DataError(f"{name}: {suggestion.sentence} Choose a number with -k N.")
    return k, suggestion


# The terminal -------------------------------------------------------------------------------------


def _show(selection: Selection) -> None:
    numeric, choice, summary = selection.numeric, selection.choice, selection.summary
    print_lines(
        f"Method: {choice.method.name} ({choice.reason})", data_line(numeric, selection.scale), ""
    )
    if summary.variables is not None:
        _show_variables(selection)
        print_next(selection.options, "chosen.csv")
        return
    heads = [">#", "column", ">adds", ">explained", ">unique"]
    rows = [
        [i + 1, numeric.columns[j], *map(percent, (summary.adds[i], together, summary.unique[i]))]
        for i, (j, together) in enumerate(zip(summary.chosen, summary.together))
    ]
    if numeric.missing.any():
        heads.append(">missing")
        rows = [[*row, percent(numeric.missing[j])] for row, j in zip(rows, summary.chosen)]
    if (cost := selection.limits.cost) is not None:
        heads.append(">cost")
        rows = [[*row, f"{cost[j]:g}"] for row, j in zip(rows, summary.chosen)]
    show_table(out(), "", heads, rows)
    print_lines("", *_conclusion(selection))
    if selection.chooser is not None:
        _show_candidates(selection.chooser)
    print_next(selection.options, "chosen.csv")


def _show_variables(selection: Selection) -> None:
    """The chosen variables of a table with text columns."""
    variables = selection.summary.variables
    assert variables is not None
    together, k = np.cumsum(variables.adds), len(variables.names)
    numbers = [map(percent, shares) for shares in (variables.adds, together, variables.unique)]
    rows = zip(range(1, k + 1), variables.names, variables.sizes, *numbers)
    show_table(out(), "", [">#", "variable", ">columns", ">adds", ">explained", ">unique"], rows)
    there = len(set(selection.numeric.groups))
    print_lines(
        "",
        f"{counted(k, 'variable')} of {there:,} {'explains' if k == 1 else 'explain'} "
        f"{percent(together[-1])} of the variance; {counted(k, 'random variable')} "
        f"{percent(variables.random)} (mean of 10 draws). Every variable weighs the same.",
        "Unique: the share of a variable that the other chosen variables do not explain.",
        f"Time: {duration(selection.fitted.seconds)}.",
    )


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
    ratio = f"Error ratio: {summary.ratio:.3f} (the share lost over that of {best}; 1 is the best "
    return [
        summary.sentence(len(selection.numeric.columns)),
        *([] if np.isnan(summary.ratio) else [f"{ratio}possible)."]),
        "Unique: the share of a column that the other chosen columns do not explain.",
        *_cost_lines(selection),
        f"Time: {duration(fitted.seconds)}{how}.",
        *_number_lines(selection),
    ]


def _cost_lines(selection: Selection) -> list[str]:
    """What the chosen columns cost, where columns have costs."""
    cost, budget = selection.limits.cost, selection.options.budget
    if cost is None or budget is None:
        return []
    return [f"Cost: {cost[selection.summary.chosen].sum():g} of {budget:g}."]


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
    options, numeric = selection.options, selection.numeric
    summary, est = selection.summary, selection.fitted.estimator
    return {
        "schema": SCHEMA,
        "versions": versions(),
        "command": options.command_line(),  # repeats the selection
        "data": data_entry(numeric, options.label_column),
        "method": method_entry(selection.choice, est, options.seed) | {"scale": selection.scale},
        "k": getattr(est, "n_features_to_select", None),  # fewer are chosen if fewer suffice
        "requested": options.k,
        "suggestion": selection.suggestion and selection.suggestion.record(),
        "choice": selection.chooser
        and {
            "use": options.use,
            "verdict": selection.chooser.verdict_,
            "candidates": selection.chooser.candidates_,
            "refused": selection.chooser.refused_,
        },
        "chosen": _chosen_entries(numeric, summary, selection.limits.cost),
        "variables": summary.variables and summary.variables.names,  # of a table with text
        "error": _error_entry(summary),
        "path": [vars(point) for point in summary.path],  # empty for methods without a path
        "ranking": est.ranking_,  # all columns, best first
        "columns": numeric.columns,
        "fit": fit_entry(selection.fitted),
        "output": options.output and str(options.output),
        "report": options.report and str(options.report),
        "notes": selection.notes,
    }


def _chosen_entries(
    numeric: NumericTable, summary: SelectionSummary, cost: Any
) -> list[dict[str, Any]]:
    return [
        {
            "rank": i + 1,  # in the order of what each adds
            "index": int(j),  # into "columns"
            "name": numeric.columns[j],
            "adds": summary.adds[i],  # share added to the columns before it
            "explained": together,  # share of all columns up to this one
            "unique": summary.unique[i],  # share the other chosen columns do not explain
            "missing": float(numeric.missing[j]),  # share of its values before --impute
            "cost": None if cost is None else cost[j],  # of --cost
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
    from ..report import SelectionResult, write_selection_report

    options, numeric, choice = selection.options, selection.numeric, selection.choice
    fitted, image = selection.fitted, options.image
    m, n = numeric.X.shape
    result = SelectionResult(
        estimator=fitted.estimator,
        feature_names=numeric.columns,
        method=choice.method.name,
        n_samples=m,
        n_features=n,
        seconds=fitted.seconds,
        seed=options.seed if "random_state" in fitted.estimator.get_params() else None,
        scale=selection.scale,
        X=fitted.X,
        notes=tuple(selection.notes),
        image=image,
        summary=selection.summary,
        chooser=selection.chooser,
        suggestion=selection.suggestion,
        column_means=None if image is None else np.asarray(numeric.X.mean(axis=0)).ravel(),
        **report_fields(
            numeric, options, None if selection.chooser else choice.method, selection.scale
        ),
    )
    assert options.report is not None
    write_selection_report(options.report, result)
