"""One task, from data to scores, in whatever process: everything that can go wrong is an answer."""

from __future__ import annotations

import math
import os
import traceback
from collections.abc import Callable, Generator, Iterable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._validation import estimator_with
from ..evaluation._cost import Meter, warm_up
from ..exceptions import DataError
from ._budget import Alarm, OverBudget
from ._cells import Cell, Data, Item
from ._data import Evidence, table
from ._eigengap import eigengap
from ._methods import Candidate, candidate
from ._scores import SCORINGS, seed_for
from ._store import Fit, Outcome, Score

#: Entries of a basis that is kept, and how far it may be from orthonormal.
LARGEST_BASIS, ORTHONORMAL = 10_000, 1e-6


class InvalidAnswer(Exception):
    """What a method left after its fit is no ranking or no labels."""


class Job(NamedTuple):
    """What a worker is sent: a cell, the scores still missing, the fit if there is one."""

    cell: Cell
    items: tuple[Item, ...]
    fit: Fit | None
    budget: float
    runner: int | None = None
    score_budget: float = 0.0


def perform(job: Job) -> Outcome:
    """Fit, unless that is done, and score.

    One BLAS and one OpenMP thread: sums then come in one order, whatever the number of workers.
    """
    runner = None if job.runner == os.getpid() else job.runner
    with _libraries()(), Alarm(runner=runner) as alarm:
        return _performed(job, alarm)


def perform_all(jobs: Iterable[Job]) -> Generator[Outcome, None, None]:
    """The same for many of this process, one after the other."""
    with _libraries()(), Alarm() as alarm:
        for job in jobs:
            yield _performed(job, alarm)


def _performed(job: Job, alarm: Alarm) -> Outcome:
    fit = _fitted(job, alarm) if job.fit is None else job.fit
    scores = () if fit.answer is None else _scored(job, fit, alarm)
    return Outcome(job.cell, fit if job.fit is None else None, scores)


@cache
def _libraries() -> Callable[[], Any]:
    """A context of one thread for all numerical libraries, which are loaded first."""
    import sklearn.cluster  # noqa: F401  (brings OpenMP)
    from threadpoolctl import ThreadpoolController

    controller = ThreadpoolController()
    return lambda: controller.limit(limits=1)


def _fitted(job: Job, alarm: Alarm) -> Fit:
    meter = Meter()
    try:
        with alarm.budget(job.budget):
            X = table(job.cell.data).fitted
            method = candidate(job.cell.method)
            parameters = dict(job.cell.parameters)
            if parameters.get("n_clusters") == "eigengap":
                parameters["n_clusters"] = _eigengap(job.cell.data)
            if method.random:
                parameters["random_state"] = job.cell.seed
            estimator = estimator_with(method.estimator, parameters)
        if method.in_catalogue:
            warm_up(estimator, X)
        with alarm.budget(job.budget), meter:
            estimator.fit(X)
            answer = _answer(estimator, method, X, parameters)
            basis = _basis(estimator, len(answer)) if method.clusters else None
    except (Exception, OverBudget) as error:
        cause = _cause(error)
        return Fit(
            "failed",
            **meter.cost._asdict(),
            reason=f"{type(cause).__name__}: {cause}",
            traceback=traceback.format_exc(),
        )
    return Fit(
        "ok",
        answer,
        [dict(record) for record in getattr(estimator, "history_", [])],
        **meter.cost._asdict(),
        reason=str(getattr(estimator, "stop_reason_", "")),
        basis=basis,
    )


def _cause(error: BaseException) -> BaseException:
    """The end of the budget where that is behind an error, else the error itself.

    numba turns what is raised while it passes arguments to a kernel into a `SystemError`.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OverBudget):
        cause = cause.__cause__
    return cause or error


@lru_cache(maxsize=64)
def _eigengap(data: Data) -> int:
    return eigengap(table(data).fitted)


def _answer(
    estimator: Any, method: Candidate, X: Any, parameters: dict[str, Any]
) -> NDArray[np.int64]:
    """Ranking or labels as whole numbers; NaN or a wrong shape is an error."""
    raw = np.asarray(estimator.labels_ if method.clusters else estimator.ranking_)
    if raw.dtype.kind == "f" and not np.isfinite(raw).all():
        raise InvalidAnswer("The answer has NaN or infinite entries.")
    if not np.isfinite(np.asarray(getattr(estimator, "scores_", 0.0), dtype=float)).all():
        raise InvalidAnswer("The scores of the columns have NaN or infinite entries.")
    answer = raw.astype(np.int64)
    if method.clusters and answer.shape != (X.shape[0],):
        raise InvalidAnswer(f"labels_ has shape {answer.shape} for {X.shape[0]} samples.")
    if not method.clusters:
        answer = _reached(estimator, method, answer, parameters.get("n_features_to_select", 1))
        if len(set(answer.tolist()) & set(range(X.shape[1]))) != len(answer):
            raise InvalidAnswer("ranking_ is not a list of different columns.")
    return answer


def _reached(
    estimator: Any, method: Candidate, answer: NDArray[np.int64], requested: int
) -> NDArray[np.int64]:
    """The ranking as far as the method chose; a nested one that ends early serves the smaller k."""
    got = getattr(estimator, "n_features_to_select_", requested)
    if answer.ndim == 1 and 0 < got < requested and method.nested:
        return answer[:got]
    if answer.ndim != 1 or min(len(answer), got) < requested:
        raise InvalidAnswer(f"{requested} columns were requested; the method gave {got}.")
    return answer


def _basis(estimator: Any, n: int) -> NDArray[np.float64] | None:
    """The orthonormal columns behind the labels, if the method has them and they are few."""
    U = np.asarray(getattr(estimator, "U_", getattr(estimator, "embedding_", 0.0)), dtype=float)
    if U.ndim != 2 or U.shape[0] != n or U.size > LARGEST_BASIS:
        return None
    return U if np.abs(U.T @ U - np.eye(U.shape[1])).max() < ORTHONORMAL else None


def _scored(job: Job, fit: Fit, alarm: Alarm) -> tuple[Score, ...]:
    scores: list[Score] = []
    try:
        with alarm.budget(job.score_budget or job.budget):
            for item in job.items:
                scores.append(_score(job.cell, item, fit))
    except OverBudget as error:
        text, reason = traceback.format_exc(), f"OverBudget: {error}"
        scores += [
            Score(item, "failed", reason=reason, traceback=text)
            for item in job.items[len(scores) :]
        ]
    return tuple(scores)


def _score(cell: Cell, item: Item, fit: Fit) -> Score:
    try:
        evidence = Evidence(cell, fit)
        if item.k > len(evidence.answer):
            raise DataError(
                f"{item.k} columns were requested, and the method ended at {len(evidence.answer)}, "
                "which explain all the others."
            )
        values = SCORINGS[item.scoring].measure(evidence, item, seed_for(cell, item))
        bad = [name for name, value in values.items() if not math.isfinite(value)]
        if bad:
            raise DataError(f"{bad[0]} is {values[bad[0]]}.")
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        return Score(item, "failed", reason=reason, traceback=traceback.format_exc())
    return Score(item, "ok", {name: float(value) for name, value in values.items()})
