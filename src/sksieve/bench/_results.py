"""From the store to a DataFrame: one row for each score that a spec wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._scores import LEVELS
from ._spec import Spec, Task
from ._store import Store

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["results"]

INDEX = ["dataset", "method", "setting", "k", "repetition", "repeat"]


def results(spec: Spec, store: Store) -> pd.DataFrame:
    """Every score of a spec, sorted by name, whatever the order in which they were computed.

    Returns
    -------
    DataFrame
        Columns dataset, method, setting (the point of the grid, empty for the defaults), k (0 for
        clusterers), repetition (or the number of the random graph or split), repeat, status
        (``ok``, ``failed``, ``unfinished``), reason, the costs of the fit (seconds by the clock,
        cpu in seconds of the processor, memory in bytes by which the process grew at most; NaN
        where not known), and one for each score (those the protocol shows are always there): NaN
        unless the status is ``ok``. Scores of all columns are repeated at every k.
    """
    import pandas as pd

    rows = [row for task in spec.tasks() for row in _rows(task, store)]
    heads = [*INDEX, "status", "reason", "seconds", "cpu", "memory"]
    frame = pd.DataFrame(rows, columns=None if rows else heads)
    figures = sorted({*frame.columns, *spec.rules.shows} - set(heads))
    return frame.reindex(columns=heads + figures).sort_values(INDEX, ignore_index=True)


def _rows(task: Task, store: Store) -> list[dict[str, Any]]:
    fit = store.verdict(task.cell)
    scores = store.scores(task.cell) if fit is not None and fit.status == "ok" else {}
    rows, draw = [], task.cell.data.draw
    for item in task.items:
        row: dict[str, Any] = {
            "dataset": task.cell.data.label,
            "method": task.method,
            "setting": task.setting,
            "k": item.k,
            "repetition": task.cell.repetition if draw is None else draw,
            "repeat": item.repeat,
            "status": "unfinished",
            "reason": "",
            "seconds": _number(fit and fit.seconds),
            "cpu": _number(fit and fit.cpu),
            "memory": _number(fit and fit.memory),
        }
        if fit is not None and fit.status == "failed":
            row |= {"status": "failed", "reason": fit.reason}
        elif item in scores:
            row |= {"status": scores[item].status, "reason": scores[item].reason}
            row |= scores[item].values
        if item.scoring == "anytime":
            row["evaluations"] = LEVELS[item.repeat]
        rows += [row | {"k": k} for k in task.shown or (item.k,)]
    return rows


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
