"""One task, from data to scores, in whatever process: everything that can go wrong is an answer."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..exceptions import DataError
from ._budget import OverBudget, budget
from ._cells import Cell, Data, Item
from ._methods import Candidate, candidate
from ._protocols import SCORINGS
from ._store import Fit, Outcome, Score

__all__ = ["Job", "perform"]


class Job(NamedTuple):
    """What a worker is sent: a cell, the scores still missing, the answer if there is one."""

    cell: Cell
    items: tuple[Item, ...]
    answer: NDArray[np.int64] | None
    budget: float
    runner: int | None = None


def perform(job: Job) -> Outcome:
    """Fit, unless that is done, and score.

    One BLAS and one OpenMP thread: sums then come in one order, whatever the number of workers.
    """
    if job.runner == os.getpid():
        job = job._replace(runner=None)
    with _libraries()():
        fit, answer = None, job.answer
        if answer is None:
            fit = _fitted(job)
            answer = fit.answer
        if answer is None:
            return Outcome(job.cell, fit)
        return Outcome(job.cell, fit, _scored(job, answer))


@cache
def _libraries() -> Callable[[], Any]:
    """A context of one thread for all numerical libraries, which are loaded first."""
    import sklearn.cluster  # noqa: F401  (brings OpenMP)
    from threadpoolctl import ThreadpoolController

    controller = ThreadpoolController()
    return lambda: controller.limit(limits=1)


def _fitted(job: Job) -> Fit:
    started = time.perf_counter()
    try:
        with budget(job.budget, runner=job.runner):
            X, _ = _load(job.cell.data)
            method = candidate(job.cell.method)
            parameters = dict(job.cell.parameters)
            if method.random:
                parameters["random_state"] = job.cell.seed
            estimator = method.estimator(**parameters)
            started = time.perf_counter()
            estimator.fit(X)
            answer = _answer(estimator, method, X, parameters)
    except (Exception, OverBudget) as error:
        return Fit(
            "failed",
            seconds=time.perf_counter() - started,
            reason=f"{type(error).__name__}: {error}",
            traceback=traceback.format_exc(),
        )
    return Fit(
        "ok",
        answer,
        [dict(record) for record in getattr(estimator, "history_", [])],
        time.perf_counter() - started,
        str(getattr(estimator, "stop_reason_", "")),
    )


def _answer(
    estimator: Any, method: Candidate, X: Any, parameters: dict[str, Any]
) -> NDArray[np.int64]:
    """Ranking or labels as whole numbers; NaN or a wrong shape is an error."""
    raw = np.asarray(estimator.labels_ if method.clusters else estimator.ranking_)
    if raw.dtype.kind == "f" and not np.isfinite(raw).all():
        raise DataError("The answer has NaN or infinite entries.")
    if not np.isfinite(np.asarray(getattr(estimator, "scores_", 0.0), dtype=float)).all():
        raise DataError("The scores of the columns have NaN or infinite entries.")
    answer = raw.astype(np.int64)
    if method.clusters and answer.shape != (X.shape[0],):
        raise DataError(f"labels_ has shape {answer.shape} for {X.shape[0]} samples.")
    if not method.clusters:
        wanted = parameters.get("n_features_to_select", 1)
        got = getattr(estimator, "n_features_to_select_", wanted)
        if answer.ndim != 1 or min(len(answer), got) < wanted:
            raise DataError(f"{wanted} columns were asked for, {got} came.")
        if len(set(answer.tolist()) & set(range(X.shape[1]))) != len(answer):
            raise DataError("ranking_ is not a list of different columns.")
    return answer


def _scored(job: Job, answer: NDArray[np.int64]) -> tuple[Score, ...]:
    scores: list[Score] = []
    try:
        with budget(job.budget, runner=job.runner):
            for item in job.items:
                scores.append(_score(job.cell, item, answer))
    except OverBudget as error:
        text, reason = traceback.format_exc(), f"OverBudget: {error}"
        scores += [
            Score(item, "failed", reason=reason, traceback=text)
            for item in job.items[len(scores) :]
        ]
    return tuple(scores)


def _score(cell: Cell, item: Item, answer: NDArray[np.int64]) -> Score:
    try:
        X, y = _load(cell.data)
        values = SCORINGS[item.scoring](X, y, answer, item, item.seed(cell))
        bad = [name for name, value in values.items() if not np.isfinite(value)]
        if bad:
            raise DataError(f"{bad[0]} is {values[bad[0]]}.")
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        return Score(item, "failed", reason=reason, traceback=traceback.format_exc())
    return Score(item, "ok", {name: float(value) for name, value in values.items()})


@lru_cache(maxsize=2)
def _load(data: Data) -> tuple[Any, Any]:
    """The table as the methods see it, read-only where it is dense, and the classes."""
    from ..datasets import load

    bunch = load(data.name)
    X, y = bunch.X, bunch.y
    if data.classes is not None:
        if y is None or data.classes > len(np.unique(y)):
            raise DataError(f"{data.name} has fewer than {data.classes} classes.")
        X, y = X[y < data.classes], y[y < data.classes]
    X = _scaled(X, data.scale)
    if isinstance(X, np.ndarray):
        X.setflags(write=False)
    return X, y


def _scaled(X: Any, scale: str) -> Any:
    from sklearn.preprocessing import MinMaxScaler, StandardScaler, normalize

    if scale == "standard":
        return StandardScaler().fit_transform(X)
    if scale == "minmax":
        return MinMaxScaler().fit_transform(X)
    return normalize(X, axis=0) if scale == "unit" else X
