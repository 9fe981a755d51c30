"""What the page says of a selector that gives a score to every column, or only a ranking."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._columns import Rebuilt
from ._explained import Explained, explained
from ._figures import score_chart
from ._result import SelectionResult
from ._scored import SCORED
from ._tables import FIRST_DROPPED, FIRST_ROWS, rebuilt_view, table_payload
from ._words import count, percent, plural

__all__ = ["chosen_view"]


def chosen_view(result: SelectionResult, names: list[str]) -> dict[str, Any]:
    """The chosen columns with their scores, and what they rebuild where the table is at hand."""
    est = result.estimator
    k = int(est.n_features_to_select_)
    order = np.asarray(est.ranking_[:k], dtype=np.intp)
    scores = np.asarray(est.scores_, dtype=float) if hasattr(est, "scores_") else None
    worth = None if result.X is None else explained(result.X, order)
    rows: list[dict[str, Any]] = [{"name": names[j]} for j in order]
    if scores is not None:
        _add_scores(rows, scores[order])
    if worth is not None:
        for row, share in zip(rows, worth.together):
            row["sum"] = percent(float(share))
    dropped = worth is not None and len(worth.rebuilt.columns) > 0
    view: dict[str, Any] = {
        "headline": _headline(result, scores is not None, worth),
        "measured": SCORED.get(type(est).__name__, ""),
        "chosen": rows,
        "chosen_head": "" if scores is None else "score",
        "together": worth is not None,
        "rebuilt": rebuilt_view(worth.rebuilt, names) if worth is not None and dropped else None,
        "payload": _payload(names, order, rows, worth.rebuilt if worth and dropped else None),
    }
    if scores is not None and np.isfinite(scores).all() and len(scores) > 1:
        view["scores"] = score_chart(scores[est.ranking_], k)
    return view


def _add_scores(rows: list[dict[str, Any]], scores: np.ndarray) -> None:
    finite = scores[np.isfinite(scores)]
    low = min(0.0, float(finite.min(initial=0.0)))
    span = max(float(finite.max(initial=0.0)) - low, 1e-300)
    for row, v in zip(rows, scores):
        row["value"] = f"{v:.4g}"
        row["bar"] = round(100 * (v - low) / span, 2) if np.isfinite(v) else 0.0


def _headline(result: SelectionResult, scored: bool, worth: Explained | None) -> str:
    est = result.estimator
    k = int(est.n_features_to_select_)
    chosen = f"{plural(k, 'column')} of {count(result.n_features)} chosen"
    text = f"{chosen}, the {'one' if k == 1 else 'ones'} with the highest score{'s' * (k > 1)}."
    if not scored:
        text = f"{chosen}."
    if worth is None:
        return text
    explain = "It explains" if k == 1 else "Together they explain"
    return f"{text} {explain} {percent(float(worth.together[-1]))} of the variance of the columns."


def _payload(
    names: list[str], order: np.ndarray, rows: list[dict[str, Any]], rebuilt: Rebuilt | None
) -> dict[str, Any]:
    step = {
        "k": len(rows),
        "columns": [int(j) for j in order],
        "adds": [row.get("value") for row in rows],
        "bars": [row.get("bar") for row in rows],
        "sums": [row["sum"] for row in rows] if rows and "sum" in rows[0] else None,
        "rebuilt": None if rebuilt is None else table_payload(rebuilt),
    }
    return {
        "names": names,
        "firstRows": FIRST_ROWS,
        "firstDropped": FIRST_DROPPED,
        "start": 0,
        "steps": [step],
    }
