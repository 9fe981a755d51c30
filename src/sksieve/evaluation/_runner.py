"""The runner: takes cells that nobody has, lets joblib do them, keeps what comes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import NamedTuple

from ._grid import Spec
from ._store import Fit, Outcome, Score, Store
from ._work import Job, perform

__all__ = ["Progress", "Tell", "progress", "run_spec"]

#: Seconds between looks at the store while other runners finish their cells.
POLL = 0.3

DIED = (
    "the process of this cell died: it crashed, ran out of memory, or hung in compiled code past "
    "its budget"
)

Tell = Callable[[Outcome], None]


class Progress(NamedTuple):
    """Cells of a spec, by how far they are; `failed` ones are part of `done`."""

    total: int
    done: int
    failed: int


def run_spec(spec: Spec, store: Store, *, n_jobs: int = 1, tell: Tell | None = None) -> Progress:
    """Do all cells of a spec that are not done; return when none is left.

    Parameters
    ----------
    spec : Spec
        What to do.
    store : Store
        Where results are and go. Several runners may share it, with the same spec or others; this
        one waits for cells that another has taken, and takes them over when it is gone.
    n_jobs : int, default=1
        Worker processes, as joblib counts them. With 1, all is done in this process: a method that
        hangs in compiled code then hangs the runner; workers are ended.
    tell : callable, optional
        Called with each `Outcome` once it is in the store.

    Returns
    -------
    Progress
        How many cells there are, are done, and failed.

    Notes
    -----
    Killed at any moment, it loses the cells in flight and nothing else; run it again.
    """
    runner = _Runner(spec, store, n_jobs, tell or (lambda outcome: None))
    with _heartbeat(store):
        try:
            while True:
                if not runner.sweep():
                    if not runner.left():
                        break
                    time.sleep(POLL)
        finally:
            store.release()
    return progress(spec, store)


def progress(spec: Spec, store: Store) -> Progress:
    """How far a spec is; a cell is failed when its fit or one of its scores is."""
    total = done = failed = 0
    for task in spec.tasks():
        total += 1
        if store.missing(task.cell.key, task.items) is not None:
            continue
        done += 1
        verdict = store.verdict(task.cell)
        scores = store.scores(task.cell)
        failed += (verdict is not None and verdict[0] == "failed") or any(
            item in scores and scores[item].status == "failed" for item in task.items
        )
    return Progress(total, done, failed)


@contextmanager
def _heartbeat(store: Store) -> Iterator[None]:
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(store.lease / 4):
            store.beat()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


class _Runner:
    def __init__(self, spec: Spec, store: Store, n_jobs: int, tell: Tell) -> None:
        self.spec, self.store, self.n_jobs, self.tell = spec, store, n_jobs, tell
        self.in_flight: dict[str, Job] = {}

    def left(self) -> bool:
        """Is there a cell, anybody's, that is not done?"""
        missing = (self.store.missing(t.cell.key, t.items) for t in self.spec.tasks())
        return any(items is not None for items in missing)

    def sweep(self) -> int:
        """Do every cell that is free; how many came home."""
        count = 0
        try:
            for outcome in self._parallel(self._free()):
                self._keep(outcome)
                count += 1
        except BrokenProcessPool:
            for job in list(self.in_flight.values()):
                self._keep(self._alone(job))
                count += 1
        return count

    def _free(self) -> Iterator[Job]:
        for task in self.spec.tasks():
            missing = self.store.claim(task.cell, task.items)
            if missing is None:
                continue
            fit = self.store.fit(task.cell)
            answer = None if fit is None else fit.answer
            job = Job(task.cell, missing, answer, task.budget, os.getpid())
            self.in_flight[task.cell.key] = job
            yield job

    def _parallel(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        if self.n_jobs == 1:
            yield from map(perform, jobs)
        else:
            yield from _pool(jobs, self.n_jobs)

    def _alone(self, job: Job) -> Outcome:
        """A cell that was in flight when a worker died: was it this one?"""
        try:
            return next(_pool([job], 2))
        except BrokenProcessPool:
            if job.answer is None:
                return Outcome(job.cell, Fit("failed", reason=DIED))
            return Outcome(
                job.cell, None, tuple(Score(item, "failed", reason=DIED) for item in job.items)
            )

    def _keep(self, outcome: Outcome) -> None:
        self.store.put(outcome)
        self.in_flight.pop(outcome.cell.key, None)
        self.tell(outcome)


def _pool(jobs: Iterable[Job], n_jobs: int) -> Iterator[Outcome]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    yield from parallel(delayed(perform)(job) for job in jobs)
