"""The runner: takes cells that nobody has, lets joblib do them, keeps what comes."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Literal, NamedTuple

from .._optional import optional
from .._wording import counted
from ..config import carrying_config
from ..exceptions import DataError
from ._spec import Spec, Task
from ._store import Fit, Outcome, Score, Store
from ._work import Job, perform, perform_all

#: Seconds between queries of the store while other runners finish their cells.
POLL = 0.3

#: Cells the store is asked about at once.
CHUNK = 256

#: A runner claims so many cells at once as it does in so many seconds, at most `LARGEST`.
MOMENT, LARGEST = 0.1, 64

#: Results are written at once, but not more often than so; a runner that is killed loses no more.
WRITE = 0.1

DIED = (
    "the process of this cell died: it crashed, ran out of memory, or hung in compiled code past "
    "its budget"
)

Callback = Callable[[Outcome], None]


class Progress(NamedTuple):
    """Cells of a spec, by how far they are; `failed` ones are part of `done`."""

    total: int
    done: int
    failed: int

    @property
    def sentence(self) -> str:
        return f"{self.done} of {self.total} cells done, {self.failed} of them failed"


def run_spec(
    spec: Spec,
    store: Store,
    *,
    n_jobs: int = 1,
    dask: str | None = None,
    callback: Callback | None = None,
) -> Progress:
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
    dask : str, optional
        Address of a dask scheduler; its workers do the cells then, through joblib's dask backend,
        and `n_jobs` is not looked at. The store stays with this process. A method that hangs in
        compiled code blocks its worker.
    callback : callable, optional
        Called with each `Outcome` once it is in the store.

    Returns
    -------
    Progress
        How many cells there are, are done, and failed.

    Notes
    -----
    Killed at any moment, it loses the cells in flight and those that came home in the last 0.1 s,
    for which `callback` was not called yet; run it again.
    """
    runner = _Runner(spec, store, n_jobs, dask, callback or (lambda outcome: None))
    with _heartbeat(store):
        try:
            while True:
                count = runner.sweep()
                far = progress(spec, store)
                if far.done == far.total:
                    return far
                if not count:
                    time.sleep(POLL)
        finally:
            store.release()


def progress(spec: Spec, store: Store) -> Progress:
    """How far a spec is; a cell is failed when its fit or one of its scores is."""
    total = done = failed = 0
    for tasks in _chunks(spec):
        states = store.states([task.cell.key for task in tasks])
        total += len(tasks)
        for task in tasks:
            state = states.get(task.cell.key)
            if state is not None and not state.missing(task.items):
                done += 1
                failed += state.failed(task.items)
    return Progress(total, done, failed)


@dataclass(frozen=True)
class Replaced:
    """Cells of a spec that must be computed again, because a file or a method changed.

    Attributes
    ----------
    kind : {"data", "method"}
        What changed.
    name : str
        Label of the data set, or name of the method.
    n_cells : int
        Cells whose results were computed before the change; they stay in the store, unused.
    """

    kind: Literal["data", "method"]
    name: str
    n_cells: int

    @property
    def sentence(self) -> str:
        """What changed, and what follows from it."""
        what = "The data set" if self.kind == "data" else "The method"
        return (
            f"{what} {self.name} changed since results of this spec were computed: "
            f"{counted(self.n_cells, 'cell')} must be computed again. The old results stay in the "
            "store, unused."
        )


def replaced(spec: Spec, store: Store) -> list[Replaced]:
    """What changed since results of a spec were computed, by kind and name.

    A cell of which both data and method changed counts for both.
    """
    counts: Counter[tuple[Literal["data", "method"], str]] = Counter()
    for tasks in _chunks(spec):
        for new, old in store.replaced([task.cell for task in tasks]):
            if new.data.content != old.data.content:
                counts["data", new.data.label] += 1
            if new.version != old.version:
                counts["method", new.method] += 1
    return [Replaced(kind, name, count) for (kind, name), count in sorted(counts.items())]


def forget_scores(spec: Spec, store: Store) -> int:
    """Remove the scores of a spec's cells and keep the fits, so that the next run scores anew."""
    return sum(store.forget_scores([task.cell.key for task in tasks]) for tasks in _chunks(spec))


def _chunks(spec: Spec) -> Iterator[list[Task]]:
    """The tasks in lists, so that the store is asked once for many."""
    tasks = spec.tasks()
    while chunk := list(islice(tasks, CHUNK)):
        yield chunk


@contextmanager
def _heartbeat(store: Store) -> Iterator[None]:
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(store.lease / 4):
            try:
                store.beat()
            except DataError:  # the runner's next write fails for the same reason, and reports it
                return

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


class _Runner:
    def __init__(
        self, spec: Spec, store: Store, n_jobs: int, dask: str | None, callback: Callback
    ) -> None:
        self.spec, self.store, self.n_jobs, self.dask, self.callback = (
            spec,
            store,
            n_jobs,
            dask,
            callback,
        )
        self.in_flight: dict[str, Job] = {}
        self.finished: list[Outcome] = []
        self.written = time.monotonic()

    def sweep(self) -> int:
        """Do every cell that is free; how many came home."""
        count = 0
        try:
            with closing(self._parallel(self._free())) as outcomes:
                for outcome in outcomes:
                    self._keep(outcome)
                    count += 1
        except BrokenProcessPool:
            for job in list(self.in_flight.values()):
                self._keep(self._alone(job))
                count += 1
        finally:
            self._write()
        return count

    def _free(self) -> Iterator[Job]:
        for group in self._groups():
            claims = self.store.claim([(task.cell, task.items) for task in group])
            for task, claim in zip(group, claims):
                if claim is not None:
                    runner = os.getpid() if self.dask is None else None
                    job = Job(task.cell, *claim, task.budget, runner, task.score_budget)
                    self.in_flight[task.cell.key] = job
                    yield job

    def _groups(self) -> Iterator[list[Task]]:
        """Cells to claim at once: one, and more where cells take a moment only.

        All of one method on one data set; else quick cells of the one would take away slow cells of
        the other, for which another runner is waiting.
        """
        size, kind, before = 1, None, time.monotonic()
        for this, same in groupby(self._open(), lambda task: (task.cell.data, task.cell.method)):
            while tasks := list(islice(same, size)):
                group = [task for task in tasks if task.cell.key not in self.in_flight]
                if group:
                    yield group
                now = time.monotonic()
                part = MOMENT / max(now - before, 1e-9)
                size = min(max(int(size * min(part, 2)), 1), LARGEST) if this == kind else 1
                kind, before = this, now

    def _open(self) -> Iterator[Task]:
        """Tasks that are not done, each cell once."""
        for tasks in _chunks(self.spec):
            states = self.store.states([task.cell.key for task in tasks])
            free: dict[str, Task] = {}
            for task in tasks:
                state = states.get(task.cell.key)
                if state is None or state.missing(task.items):
                    free.setdefault(task.cell.key, task)
            yield from free.values()

    def _parallel(self, jobs: Iterable[Job]) -> Generator[Outcome, None, None]:
        if self.dask is not None:
            yield from _cluster(jobs, self.dask)
        elif self.n_jobs == 1:
            yield from perform_all(jobs)
        else:
            yield from _pool(jobs, self.n_jobs)

    def _alone(self, job: Job) -> Outcome:
        """A cell that was in flight when a worker died: was it this one?"""
        try:
            return next(_pool([job], 2))
        except BrokenProcessPool:
            if job.fit is None:
                return Outcome(job.cell, Fit("failed", reason=DIED))
            return Outcome(
                job.cell, None, tuple(Score(item, "failed", reason=DIED) for item in job.items)
            )

    def _keep(self, outcome: Outcome) -> None:
        """Into the store, together with what else came within a moment."""
        self.in_flight.pop(outcome.cell.key, None)
        self.finished.append(outcome)
        if time.monotonic() - self.written > WRITE:
            self._write()

    def _write(self) -> None:
        outcomes, self.finished = self.finished, []
        self.store.put(outcomes)
        self.written = time.monotonic()
        for outcome in outcomes:
            self.callback(outcome)


def _pool(jobs: Iterable[Job], n_jobs: int) -> Iterator[Outcome]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    run = delayed(carrying_config(perform))
    yield from parallel(run(job) for job in jobs)


def _cluster(jobs: Iterable[Job], address: str) -> Iterator[Outcome]:
    """The same on a dask cluster; cells of workers that died are left to be looked at one by one.

    Raises
    ------
    ImportError
        Without distributed (``pip install 'scikit-sieve[dask]'``).
    DataError
        If no scheduler answers.
    """
    optional("distributed", "A dask cluster")
    from distributed import Client
    from distributed.scheduler import KilledWorker
    from joblib import parallel_config

    try:
        client = Client(address)
    except (OSError, ValueError) as error:
        raise DataError(f"no dask scheduler answers at {address}: {error}.") from error
    with client, parallel_config(backend="dask", n_jobs=-1):
        try:
            yield from _pool(jobs, -1)
        except KilledWorker as error:
            raise BrokenProcessPool(str(error)) from error
