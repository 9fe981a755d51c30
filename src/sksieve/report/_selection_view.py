"""From a result to the values the page shows, and to the data its script uses."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .._wording import SCALED, explained_sentence
from ..evaluation._maps import MIN_COLUMNS, row_maps
from ..evaluation._path import PathStep, SelectionPath, selection_path
from ..evaluation._redundancy import (
    THRESHOLD,
    chosen_correlations,
    cross_correlations,
    represented_columns,
)
from ._concepts import concepts_view
from ._figures import convergence_chart, marker_at, path_chart, score_chart
from ._group_weights import groups_view
from ._pixels import pixels_view
from ._reconstruction_table import FIRST_DROPPED, FIRST_ROWS, reconstruction_view, table_payload
from ._repeat import loading_lines, made_by, repeat_view
from ._score_meanings import SCORED
from ._selection_result import SelectionResult
from ._text import (
    EXPLAINED,
    FIRST_OF_CHOSEN,
    clean,
    count,
    duration,
    iterations,
    percent,
    plural,
    signed,
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
    columns = [clean(name) or "(no name)" for name in result.feature_names]
    path = selection_path(est, result.X, columns)
    names = [clean(name) or "(no name)" for name in path.variables.names]
    noun = "column" if len(names) == len(columns) else "variable"
    step = path.answer
    assert step.reconstruction is not None
    chart = path_chart(path, result.suggestion, noun)
    return {
        "title": f"{clean(result.data_name)}: {path.selected} of {plural(len(names), noun)}",
        "data_name": clean(result.data_name),
        "k": path.selected,
        "noun": noun,
        "headline": typeset(clean(result.headline)) or _sentence(path, step, noun),
        "proof": typeset(clean(result.proof)),
        "number": _number_of_columns(result),
        "explained": EXPLAINED.format(noun=noun, nouns=f"{noun}s"),
        "smaller": FIRST_OF_CHOSEN.format(noun=noun) * path.has_prefixes,
        "notes": [clean(note) for note in result.notes],
        "facts": _facts(result, noun, len(names)),
        "path": chart,
        "stops": list(path.steps),
        "start": list(path.steps).index(path.selected),
        "chosen": _chosen_rows(step, names),
        "first_rows": FIRST_ROWS,
        "maps": _maps(result, path),
        "stability": _stability_view(result),
        "reconstruction": reconstruction_view(
            step.reconstruction, names, follows=path.is_detailed and len(path.steps) > 1
        )
        if len(step.reconstruction.columns)
        else None,
        "cross": _cross_view(result, columns),
        "represented": _represented_view(result, columns),
        "redundancy": _redundancy_view(result, columns),
        "candidates": None if result.chooser is None else _candidates(result.chooser),
        "groups": groups_view(est, columns),
        "concepts": concepts_view(result, columns),
        "pixels": pixels_view(result, columns),
        "scores": _scores(est),
        "convergence": _convergence_view(est, result.compiling > 0),
        "train": _train(result),
        "clock": getattr(est, "stop_reason_", "") == "time_budget",
        "repeat": repeat_view(result, python_lines(result)),
        "payload": _payload(path, chart, names, noun),
    }


def _number_of_columns(result: SelectionResult) -> list[str]:
    """Why there are so many columns."""
    lines = list(result.number)
    if not lines and result.suggestion is not None:
        lines = [f"How many: {result.suggestion.sentence}"]
    return [typeset(clean(line)) for line in lines]


def _sentence(path: SelectionPath, step: PathStep, noun: str) -> str:
    sentence = explained_sentence(
        step.k,
        len(path.variables.names),
        step.share,
        components=path.component_share(step.k),
        random=path.random_share(step.k),
        noun=noun,
    )
    return typeset(sentence)


def _facts(result: SelectionResult, noun: str, n_variables: int) -> list[tuple[str, str]]:
    method = f"{clean(result.method)} ({type(result.estimator).__name__})"
    facts = [("Rows", count(result.n_samples)), ("Columns", count(result.n_features))]
    if noun == "variable":
        facts.append(("Variables", count(n_variables)))
    facts += [("Method", method), ("Scaling", SCALED.get(result.scale, clean(result.scale)))]
    facts.append(("Time", "unknown" if result.seconds is None else duration(result.seconds)))
    if result.compiling:
        facts.append(("Compiling, once", duration(result.compiling)))
    return facts


def _chosen_rows(step: PathStep, names: list[str]) -> list[dict[str, Any]]:
    """One row for each chosen variable: what it adds, and what all up to it explain."""
    largest = max(float(step.adds.max()), 1e-300)
    return [
        {
            "name": names[j],
            "sum": percent(float(total)),
            "value": _gain(float(gain)),
            "bar": round(100 * max(float(gain), 0.0) / largest, 2),
        }
        for j, gain, total in zip(step.order, step.adds, step.together)
    ]


def _gain(share: float) -> str:
    """A share in percent that may be below 0."""
    text = percent(abs(share))
    return f"\N{MINUS SIGN}{text}" if share < 0 and text != percent(0.0) else text


def _payload(path: SelectionPath, chart: Any, names: list[str], noun: str) -> dict[str, Any]:
    steps = []
    for step in path.steps.values():
        rows = _chosen_rows(step, names)
        steps.append(
            {
                "k": step.k,
                "text": _sentence(path, step, noun),
                "at": marker_at(chart.x, chart.y, step.k, step.share),
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
        "noun": noun,
        "firstRows": FIRST_ROWS,
        "firstDropped": FIRST_DROPPED,
        "start": list(path.steps).index(path.selected),
        "steps": steps,
    }


def _maps(result: SelectionResult, path: SelectionPath) -> dict[str, Any] | None:
    """The rows in all columns, and in the chosen ones; colors say where a row is in the first."""
    columns, _ = path.variables.columns(path.answer.order)
    if len(columns) < MIN_COLUMNS or result.X.shape[1] == len(columns):
        return None
    maps = row_maps(result.X, columns)
    clouds = []
    for places in (maps.everything, maps.chosen):
        x, y = 1000 * places[:, 0], 1000 * (1 - places[:, 1])
        clouds.append(
            [
                "".join(f"M{a:.0f} {b:.0f}h0" for a, b in zip(x[some], y[some]))
                for some in (maps.sectors == k for k in range(maps.n_sectors))
            ]
        )
    sampled = f"{count(len(maps.sectors))} random rows. " * (len(maps.sectors) < result.n_samples)
    return {
        "clouds": clouds,
        "text": f"{sampled}The two directions in which the standardized columns spread most, "
        f"with {percent(maps.shares[0])} of the variance of all columns and "
        f"{percent(maps.shares[1])} of that of the chosen ones. A row has the same color in both "
        "maps: rows that are near each other on the left should be near each other on the right.",
    }


def _cross_view(result: SelectionResult, names: list[str]) -> dict[str, Any] | None:
    """The heat map of correlations between chosen and dropped columns."""
    cross = cross_correlations(result.estimator, result.X)
    if cross is None:
        return None
    k = int(result.estimator.n_features_to_select_)
    rows, columns = cross.correlation.shape
    dropped = result.n_features - k
    which = "all" if columns == dropped else f"the {columns} most correlated"
    chosen = "chosen columns" if rows == k else f"first {rows} chosen columns"
    return {
        "chosen": [names[j] for j in cross.chosen],
        "dropped": [names[j] for j in cross.dropped],
        "r": [[round(100 * r) for r in row] for row in cross.correlation.tolist()],
        "n": columns,
        "summary": f"The {chosen} (lines) and {which} of {plural(dropped, 'dropped column')}, each "
        "beside those that the same chosen column explains best.",
    }


def _scores(est: Any) -> dict[str, Any] | None:
    """Scores of all columns from best to worst, where the method gives any."""
    meaning = SCORED.get(type(est).__name__, "")
    if not hasattr(est, "scores_") or getattr(est, "ranks_only", False):
        return None
    scores = np.asarray(est.scores_, dtype=float)
    if not np.isfinite(scores).all() or len(scores) < 2:
        return None
    chart = score_chart(scores[est.ranking_], int(est.n_features_to_select_))
    return {"chart": chart, "text": meaning}


def _train(result: SelectionResult) -> str:
    """Numbers of the fit itself, on the rows it has seen."""
    train = result.train
    best = "PCA" if train.scale == "standard" else "the SVD"
    of = "variance" if train.scale == "standard" else "squared norm"
    text = (
        f"On the rows of the fit itself ({SCALED.get(train.scale, train.scale)}) the chosen "
        f"columns explain {percent(train.explained)} of the {of}"
    )
    if np.isnan(train.best_possible):
        return f"{text}."
    ratio = f" (error ratio {train.ratio:.3f})" if np.isfinite(train.ratio) else ""
    return f"{text}; {best} would explain {percent(train.best_possible)}{ratio}."


def _candidates(chooser: Any) -> dict[str, Any]:
    """The methods that were judged, with the numbers, beside random columns."""
    rows = [
        {
            "method": record["method"],
            "taken": record["method"] == chooser.method_,
            "explained": percent(record["explained"]),
            "explained_bar": round(100 * record["explained"], 2),
            "neighbors": percent(record["neighbors"]) if "neighbors" in record else "",
        }
        for record in chooser.compared_
    ]
    return {"rows": rows, "with_neighbors": any(row["neighbors"] for row in rows)}


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


def _convergence_view(est: Any, has_compiled: bool = False) -> dict[str, Any] | None:
    """Objectives of the steps; their seconds are shown unless they contain compiling."""
    history = getattr(est, "history_", None)
    if not history or _is_flat(history):
        return None
    reason = getattr(est, "stop_reason_", "")
    scale = None if has_compiled else _error_scale(est, history)
    return {
        "chart": convergence_chart(history, reason, scale),
        "text": iterations(history, reason, has_compiled) + _exchanged(est),
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


def _stability_view(result: SelectionResult) -> dict[str, Any] | None:
    """In how many half-samples of the rows each chosen column, or a stand-in, is chosen again."""
    stable = result.stability
    if stable is None:
        return None
    n = stable.n_subsets
    rows = [
        {
            "name": clean(name) or "(no name)",
            "bar": round(100 * times / n, 2),
            "value": f"{times} of {n}",
            "stand_in": clean(stand_in),
        }
        for name, times, stand_in in zip(stable.names, stable.counts, stable.stand_ins)
    ]
    return {"text": typeset(clean(stable.sentence)), "rows": rows}


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
