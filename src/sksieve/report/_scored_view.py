"""What the page says of a selector that gives a score to every column, or only a ranking."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..evaluation._reconstruction import Reconstruction, reconstruction
from ._figures import score_chart
from ._reconstruction_table import FIRST_DROPPED, FIRST_ROWS, reconstruction_view, table_payload
from ._score_meanings import SCORED
from ._selection_result import SelectionResult
from ._text import count, percent, plural, typeset


def chosen_view(result: SelectionResult, names: list[str]) -> dict[str, Any]:
    """The chosen columns with their scores, and what they explain where the table is given."""
    est = result.estimator
    k = int(est.n_features_to_select_)
    order = np.asarray(est.ranking_[:k], dtype=np.intp)
    scored = hasattr(est, "scores_") and not getattr(est, "ranks_only", False)
    scores = np.asarray(est.scores_, dtype=float) if scored else None
    summary = result.shares
    dropped = None if result.X is None else reconstruction(result.X, order)
    rows: list[dict[str, Any]] = [{"name": names[j]} for j in order]
    if scores is not None:
        _add_scores(rows, scores[order])
    if summary is not None:
        for row, share in zip(rows, summary.together):
            row["sum"] = percent(float(share))
    dropped = dropped if dropped is not None and len(dropped.columns) else None
    view: dict[str, Any] = {
        "headline": _headline(result, scored),
        "measured": SCORED.get(type(est).__name__, ""),
        "chosen": rows,
        "chosen_head": "" if scores is None else "score",
        "together": summary is not None,
        "reconstruction": None if dropped is None else reconstruction_view(dropped, names),
        "payload": _payload(names, order, rows, dropped),
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


def _headline(result: SelectionResult, scored: bool) -> str:
    est, summary = result.estimator, result.shares
    k = int(est.n_features_to_select_)
    how = ""
    if scored:
        how = f"the {'one' if k == 1 else 'ones'} with the highest score{'s' * (k > 1)}"
    if summary is None:
        return f"{plural(k, 'column')} of {count(result.n_features)} chosen{how and ', '}{how}."
    text = typeset(summary.sentence(result.n_features))
    return f"{text} They are {how}." if how and k > 1 else text


def _payload(
    names: list[str],
    order: np.ndarray,
    rows: list[dict[str, Any]],
    dropped: Reconstruction | None,
) -> dict[str, Any]:
    step = {
        "k": len(rows),
        "columns": [int(j) for j in order],
        "adds": [row.get("value") for row in rows],
        "bars": [row.get("bar") for row in rows],
        "sums": [row["sum"] for row in rows] if rows and "sum" in rows[0] else None,
        "reconstruction": None if dropped is None else table_payload(dropped),
    }
    return {
        "names": names,
        "firstRows": FIRST_ROWS,
        "firstDropped": FIRST_DROPPED,
        "start": 0,
        "steps": [step],
    }
