"""From a result to the values the page shows, and to the data its script moves about."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..evaluation._path import PathStep, SelectionPath, selection_path
from ..evaluation._redundancy import THRESHOLD, chosen_correlations, represented_columns
from ..evaluation._summary import explains_table, summary_sentence
from ._concepts import concepts_view
from ._figures import convergence_chart, marker_at, path_chart
from ._group_weights import groups_view
from ._pixels import pixels_view
from ._reconstruction_table import FIRST_DROPPED, FIRST_ROWS, reconstruction_view, table_payload
from ._repeat import loading_lines, made_by, repeat_view
from ._scored_view import chosen_view
from ._selection_result import SelectionResult
from ._text import (
    MEASURED,
    clean,
    count,
    duration,
    percent,
    plural,
    signed,
    stopped,
    typeset,
)

#: Heat maps up to this size have their numbers written in.
WRITTEN = 12
#: Chosen columns, and dropped ones of each, that the table of represented columns lists.
REPRESENTING, REPRESENTED = 60, 12
#: Steps whose exchanges of columns are listed, at most.
EXCHANGES = 15


def selection_view(result: SelectionResult) -> dict[str, Any]:
    """Everything the template needs; a section whose data are missing is None."""
    est = result.estimator
    k = int(est.n_features_to_select_)
    names = [clean(name) or "(no name)" for name in result.feature_names]
    view = {
        "title": f"{clean(result.data_name)}: {k} of {plural(result.n_features, 'column')}",
        "data_name": clean(result.data_name),
        "k": k,
        "notes": [clean(note) for note in result.notes],
        "facts": _facts(result),
        "redundancy": _redundancy_view(result, names),
        "represented": _represented_view(result, names),
        "convergence": _convergence_view(est),
        "stability": _stability_view(result, names),
        "repeat": repeat_view(result, python_lines(result)),
        "clock": getattr(est, "stop_reason_", "") == "time_budget",
        "first_rows": FIRST_ROWS,
        "path": None,
        "reconstruction": None,
        "scores": None,
        "stops": [],
        "together": True,
        "suggestion": None if result.suggestion is None else clean(result.suggestion.sentence),
        "candidates": None if result.chooser is None else _candidates(result.chooser),
        "groups": groups_view(est, names),
        "concepts": concepts_view(result, names),
        "pixels": pixels_view(result, names),
    }
    if explains_table(est) and hasattr(est, "moments_"):
        return view | _columns_view(result, names)
    return view | chosen_view(result, names)


def _candidates(chooser: Any) -> dict[str, Any]:
    """The methods that were judged, with the numbers, beside random columns."""
    rows = [
        {
            "method": record["method"],
            "taken": record["method"] == chooser.method_,
            "neighbors": percent(record["neighbors"]),
            "neighbors_bar": round(100 * record["neighbors"], 2),
            "reconstruction": percent(max(record["reconstruction"], 0.0)),
            "reconstruction_bar": round(100 * max(record["reconstruction"], 0.0), 2),
            "modularity": f"{record['modularity']:.3f}",
        }
        for record in chooser.candidates_
    ]
    return {"rows": rows, "verdict": chooser.verdict_}


def _facts(result: SelectionResult) -> list[tuple[str, str]]:
    return [
        ("Rows", count(result.n_samples)),
        ("Columns", count(result.n_features)),
        ("Chosen", count(int(result.estimator.n_features_to_select_))),
        ("Method", f"{clean(result.method)} ({type(result.estimator).__name__})"),
        ("Scaling", clean(result.scale)),
        ("Time", "unknown" if result.seconds is None else duration(result.seconds)),
    ]


def _columns_view(result: SelectionResult, names: list[str]) -> dict[str, Any]:
    path = selection_path(result.estimator, result.shares)
    step = path.steps[path.selected]
    summary = result.shares
    random = None if summary is None else summary.random_path
    chart = path_chart(path, random, result.suggestion)
    payload = _payload(result, path, names)
    for stop, one in zip(payload["steps"], path.steps.values()):
        stop["at"] = marker_at(chart.x, chart.y, one.k, one.share)
    assert step.reconstruction is not None
    return {
        "headline": _sentence(result, step),
        "measured": MEASURED.get(result.scale, ""),
        "path": chart,
        "stops": list(path.steps),
        "thinned": len(path.steps) < len(path.sizes),
        "n_sizes": len(path.sizes),
        "start": list(path.steps).index(path.selected),
        "chosen": _chosen_rows(step, names),
        "chosen_head": "adds",
        "reconstruction": reconstruction_view(
            step.reconstruction, names, follows=path.detailed and len(path.steps) > 1
        )
        if len(step.reconstruction.columns)
        else None,
        "payload": payload,
    }


def _sentence(result: SelectionResult, step: PathStep) -> str:
    summary = result.shares
    assert summary is not None
    return typeset(
        summary_sentence(
            step.k,
            result.n_features,
            share=step.share,
            bound=step.bound,
            random=summary.random_share(step.k),
            scale=summary.scale,
        )
    )


def _chosen_rows(step: PathStep, names: list[str]) -> list[dict[str, Any]]:
    largest = max(float(step.adds.max()), 1e-300)
    kept = np.cumsum(step.adds)
    return [
        {
            "name": names[j],
            "value": percent(float(gain)),
            "bar": round(100 * max(float(gain), 0.0) / largest, 2),
            "sum": percent(float(total)),
        }
        for j, gain, total in zip(step.order, step.adds, kept)
    ]


def _payload(result: SelectionResult, path: SelectionPath, names: list[str]) -> dict[str, Any]:
    steps = []
    for step in path.steps.values():
        rows = _chosen_rows(step, names)
        steps.append(
            {
                "k": step.k,
                "text": _sentence(result, step),
                "columns": step.order.tolist(),
                "adds": [row["value"] for row in rows],
                "bars": [row["bar"] for row in rows],
                "sums": [row["sum"] for row in rows],
                "reconstruction": None
                if step.reconstruction is None
                else table_payload(step.reconstruction),
            }
        )
    return {
        "names": names,
        "firstRows": FIRST_ROWS,
        "firstDropped": FIRST_DROPPED,
        "start": list(path.steps).index(path.selected),
        "steps": steps,
    }


def _redundancy_view(result: SelectionResult, names: list[str]) -> dict[str, Any] | None:
    pairs = chosen_correlations(result.estimator, result.X)
    if pairs is None or not pairs.pairs:
        return None
    value, a, b = pairs.pairs[0]
    rows = []
    for i, j in enumerate(pairs.columns):
        cells = [
            {
                "r": None if np.isnan(r) else round(float(r), 3),
                "text": "no variation" if np.isnan(r) else signed(float(r)).removeprefix("+"),
                "with": names[pairs.columns[c]],
            }
            for c, r in enumerate(pairs.correlation[i, : i + 1])
        ]
        rows.append({"name": names[j], "cells": cells})
    return {
        "rows": rows,
        "size": len(rows),
        "written": len(rows) <= WRITTEN,
        "limited": len(rows) < int(result.estimator.n_features_to_select_),
        "pairs": [(signed(r), names[i], names[j]) for r, i, j in pairs.pairs],
        "summary": f"Mean absolute correlation of the chosen columns: {pairs.mean:.2f}. The most "
        f"correlated pair is {names[a]} and {names[b]} ({signed(value)}).",
    }


def _represented_view(result: SelectionResult, names: list[str]) -> dict[str, Any] | None:
    """The dropped columns that are nearly duplicates of a chosen one; None if there are none."""
    groups = represented_columns(result.estimator, result.X)
    if not groups:
        return None
    n_dropped = result.n_features - int(result.estimator.n_features_to_select_)
    total = sum(map(len, groups.values()))
    rows = [
        {
            "name": names[j],
            "size": count(len(others)),
            "others": [(signed(r), names[i]) for r, i in others[:REPRESENTED]],
            "more": count(len(others) - REPRESENTED) if len(others) > REPRESENTED else "",
        }
        for j, others in itertools.islice(groups.items(), REPRESENTING)
    ]
    return {
        "rows": rows,
        "limited": f"The first {REPRESENTING} of {count(len(groups))} chosen columns."
        if len(groups) > REPRESENTING
        else "",
        "summary": f"{count(total)} of {plural(n_dropped, 'dropped column')} "
        f"{'has' if total == 1 else 'have'} an absolute correlation of {THRESHOLD} or more with a "
        "chosen column. Each is listed with the one it is most correlated with.",
    }


def _convergence_view(est: Any) -> dict[str, Any] | None:
    history = getattr(est, "history_", None)
    if not history or _is_flat(history):
        return None
    reason = getattr(est, "stop_reason_", "")
    return {
        "chart": convergence_chart(history, reason, _error_scale(est, history)),
        "text": f"{plural(int(history[-1]['n_iter']), 'iteration')} in "
        f"{duration(float(history[-1]['seconds']))}. {stopped(reason)}{_exchanged(est)}",
    }


def _is_flat(history: list[Any]) -> bool:
    """Is the objective the same at every step, so that there is nothing to show?"""
    values = np.array([float(record["objective"]) for record in history])
    values = values[np.isfinite(values)]
    return len(values) > 1 and bool(np.ptp(values) <= 1e-9 * np.abs(values).max())


def _exchanged(est: Any) -> str:
    """How many columns each step exchanged, of a method that keeps its supports."""
    path = getattr(est, "support_path_", None)
    if path is None:
        return ""
    moves = [len(np.setdiff1d(new, old)) for old, new in itertools.pairwise(path)]
    if not any(moves):
        return " The columns stayed those of the start."
    last = max(i for i, moved in enumerate(moves, start=1) if moved)
    listed = ", ".join(map(count, moves[: min(last, EXCHANGES)])) + ", ..." * (last > EXCHANGES)
    return f" Columns exchanged in steps 1 to {last}: {listed}; none after that."


def _error_scale(est: Any, history: list[Any]) -> tuple[float, float] | None:
    """Error of no column and of the bound, where the objectives are errors of column subsets."""
    if not hasattr(est, "svd_error_path_"):
        return None
    total, least = est.error_path_[0], est.svd_error_path_[int(est.n_features_to_select_)]
    last = float(history[-1]["objective"])
    return (total, least) if least * (1 - 1e-9) <= last <= total * (1 + 1e-9) else None


def _stability_view(result: SelectionResult, names: list[str]) -> dict[str, Any] | None:
    stable = result.stability
    if stable is None:
        return None
    est = result.estimator
    chosen = np.asarray(est.ranking_[: est.n_features_to_select_])
    others = np.setdiff1d(
        np.argsort(-stable.frequencies, kind="stable"), chosen, assume_unique=True
    )
    rivals = [j for j in others[:10] if stable.frequencies[j] > 0]
    text = f"The selection was repeated on {plural(stable.n_subsets, 'resample')} of the rows."
    if np.isfinite(stable.value):
        text += (
            f" Stability of the whole selection: {stable.value:.2f} (confidence interval "
            f"{stable.lower:.2f} to {min(stable.upper, 1.0):.2f}); 1 is always the same columns, 0 "
            "is what chance gives."
        )
    rows = [(names[j], percent(float(stable.frequencies[j])), True) for j in chosen]
    rows += [(names[j], percent(float(stable.frequencies[j])), False) for j in rivals]
    bars = [round(100 * float(stable.frequencies[j]), 2) for j in [*chosen, *rivals]]
    return {"text": text, "rows": [(*row, bar) for row, bar in zip(rows, bars)]}


def python_lines(result: SelectionResult) -> str:
    """The selection as about ten lines of Python."""
    est = result.estimator if result.chooser is None else result.chooser
    imports, body = loading_lines(result)
    if result.scale == "minmax":
        imports.append("from sklearn.preprocessing import MinMaxScaler")
        body.append('X = MinMaxScaler().set_output(transform="pandas").fit_transform(X)')
    home, creation = made_by(est, "selector")
    imports.append(home)
    body += [creation, "selector.fit(X)", "print(selector.get_feature_names_out())"]
    if hasattr(est, "error_path_"):
        k = int(est.n_features_to_select_)
        body.append(f"print(1 - selector.error_path_[{k}] / selector.error_path_[0])")
    body.append("X_small = selector.transform(X)")
    return "\n".join([*imports, "", *body])
