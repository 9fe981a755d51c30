"""From the store to a DataFrame: one row for each score that a spec wants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._optional import optional
from ..metrics import stability
from ._data import shape
from ._scores import COSTS, LEVELS, SCORINGS
from ._spec import Spec, Task
from ._store import Store

if TYPE_CHECKING:
    import pandas as pd

INDEX = ["dataset", "method", "setting", "k", "repetition", "repeat", "scoring"]

#: Kind of the error behind a failure -> what tables show in place of a number.
CAUSES = {"OverBudget": "over budget", "DataError": "refused", "ValueError": "refused"}


def results(spec: Spec, store: Store) -> pd.DataFrame:
    """Every score of a spec, sorted by name, whatever the order in which they were computed.

    Returns
    -------
    DataFrame
        One row for each scoring of each fit, k and repeat:

        - dataset, method, setting (the point of the grid, empty for the defaults), k (0 for
          clusterers), repetition (or the number of the random graph, split or sample), repeat,
          scoring;
        - status (``ok``, ``failed``, ``unfinished``), reason and cause of a failure (``over
          budget``, ``refused``, ``failed``);
        - the costs of the fit: seconds by the clock, cpu in CPU seconds, memory in
          bytes by which the process grew at most; NaN where not known;
        - one column for each score, NaN unless its scoring has status ``ok``. The scores that the
          protocol shows are always there.

        Scores of all columns are repeated at every k. With protocol ``stability`` there is one row
        for each k: Nogueira's stability over the samples, and its interval.
    """
    pd = optional("pandas", "A table of results")
    rows = [row for task in spec.tasks() for row in _rows(task, store)]
    if spec.rules.samples:
        rows = _stabilities(spec, store, rows)
    heads = [*INDEX, "status", "reason", "cause", *COSTS]
    frame = pd.DataFrame(rows, columns=None if rows else heads)
    scores = sorted({*frame.columns, *spec.rules.shows} - set(heads))
    return frame.reindex(columns=heads + scores).sort_values(INDEX, ignore_index=True)


def rows_of_score(frame: pd.DataFrame, score: str) -> pd.DataFrame:
    """The rows whose scoring gives a score; of a cost one row for each fit and k."""
    if "scoring" not in frame:
        return frame
    if score in COSTS:
        return frame.drop_duplicates([name for name in INDEX if name not in ("repeat", "scoring")])
    measuring = [name for name, scoring in SCORINGS.items() if score in scoring.scores]
    return frame[frame["scoring"].isin(measuring)]


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
            "scoring": item.scoring,
            "status": "unfinished",
            "reason": "",
            "cause": "",
            **{name: _number(fit and getattr(fit, name)) for name in COSTS},
        }
        if fit is not None and fit.status == "failed":
            row |= {"status": "failed", "reason": fit.reason, "cause": _cause(fit.reason)}
        elif item in scores:
            score = scores[item]
            row |= {"status": score.status, "reason": score.reason, **score.values}
            row["cause"] = _cause(score.reason) if score.status == "failed" else ""
        if item.scoring == "anytime":
            row["evaluations"] = LEVELS[item.repeat]
        rows += [row | {"k": k} for k in task.ks or (item.k,)]
    return rows


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _cause(reason: str) -> str:
    """What tables call a failure, by the class of its error."""
    return CAUSES.get(reason.partition(":")[0], "failed")


def _stabilities(spec: Spec, store: Store, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each data set, method, setting and k, from the choices in all draws."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    names = ("dataset", "method", "setting", "k")
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    answers: dict[tuple[Any, ...], list[Any]] = {}
    sizes: dict[str, int] = {}
    for task in spec.tasks():
        fit = store.fit(task.cell)
        sizes[task.cell.data.label] = _n_features(task)
        if fit is not None and fit.answer is not None:
            for item in task.items:
                key = (task.cell.data.label, task.method, task.setting, item.k)
                answers.setdefault(key, []).append(fit.answer[: item.k])
    records = []
    for key, group in groups.items():
        worst = next((r for s in ("failed", "unfinished") for r in group if r["status"] == s), None)
        row = {**(worst or group[0]), "repetition": 0}
        if worst is None and key[3] < sizes[key[0]]:
            measure = stability(answers[key], sizes[key[0]])
            row |= dict(zip(("stability", "stability_low", "stability_high"), measure[:3]))
        elif worst is None:
            row |= {"status": "failed", "reason": "all columns were chosen", "cause": "refused"}
        records.append(row)
    return records


def _n_features(task: Task) -> int:
    options = dict(task.cell.data.options)
    return min(shape(task.cell.data).n_features, options.get("max_columns", 10**9))
