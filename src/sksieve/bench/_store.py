"""The store: one SQLite file in WAL mode, safe for several processes and for ``kill -9``.

Why SQLite and not one file for each cell: a fit and its scores appear together or not at all (one
transaction), claims are atomic without a lock file, 1e5 cells are one file, and the standard
library has it. In WAL mode with ``synchronous=NORMAL`` a killed process loses nothing that was
committed; after a power cut the last commits may be missing, and the file is still whole.
Not for network file systems: SQLite's locks are not to be trusted there.
"""

from __future__ import annotations

import io
import json
import math
import os
import socket
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..exceptions import DataError
from ._cells import Cell, Item, canonical

__all__ = ["Claim", "Fit", "Outcome", "Score", "State", "Store"]

FILE = "store.sqlite"

#: Seconds after which the claim of a runner that gives no sign of life may be taken over.
LEASE = 60.0

SCHEMA = """
CREATE TABLE IF NOT EXISTS fits (
    key TEXT PRIMARY KEY, cell TEXT NOT NULL, status TEXT NOT NULL, answer BLOB, history TEXT,
    seconds REAL, reason TEXT, traceback TEXT, version TEXT, finished REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scores (
    key TEXT, scoring TEXT, k INTEGER, repeat INTEGER, status TEXT NOT NULL, "values" TEXT,
    reason TEXT, traceback TEXT, PRIMARY KEY (key, scoring, k, repeat)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bases (key TEXT PRIMARY KEY, basis BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (
    key TEXT PRIMARY KEY, owner TEXT NOT NULL, host TEXT, pid INTEGER, expires REAL) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Fit:
    """What a fit leaves: its answer (ranking or labels), or why there is none.

    `basis` is the orthonormal basis behind the labels of a clusterer, where it has a small one.
    """

    status: str
    answer: NDArray[np.int64] | None = None
    history: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    reason: str = ""
    traceback: str = ""
    basis: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Score:
    """The figures of one item, or why there are none."""

    item: Item
    status: str
    values: dict[str, float] = field(default_factory=dict)
    reason: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class Outcome:
    """All that one task brings home; `fit` is None where the fit was in the store already."""

    cell: Cell
    fit: Fit | None
    scores: tuple[Score, ...] = ()

    @property
    def failed(self) -> bool:
        """Did the fit or a score of it fail?"""
        fit_failed = self.fit is not None and self.fit.status == "failed"
        return fit_failed or any(score.status == "failed" for score in self.scores)


class State(NamedTuple):
    """Status of a fit, and of each score there is of it."""

    status: str
    scores: dict[Item, str]

    def missing(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Items without a score; none after a failed fit, which has no scores."""
        if self.status == "failed":
            return ()
        return tuple(item for item in items if item not in self.scores)

    def failed(self, items: Sequence[Item]) -> bool:
        """Did the fit fail, or one of these scores?"""
        return self.status == "failed" or any(self.scores.get(i) == "failed" for i in items)


class Claim(NamedTuple):
    """What a runner has to do for a cell: items without a score, and the fit if it is there."""

    items: tuple[Item, ...]
    fit: Fit | None


class Store:
    """Fits and scores on disk.

    Parameters
    ----------
    folder : path-like
        Where ``store.sqlite`` is; made if it is not there and `create`.
    create : bool, default=True
        False refuses a folder without a store.
    lease : float, default=60
        Seconds for which a claim holds without a sign of life. A runner that was killed on the same
        machine is noticed at once.

    Raises
    ------
    DataError
        If there is no store and `create` is False, or the file is no store.
    """

    def __init__(
        self, folder: str | os.PathLike[str], *, create: bool = True, lease: float = LEASE
    ) -> None:
        self.path = Path(folder) / FILE
        if not create and not self.path.exists():
            raise DataError(f"{folder}: there is no store here; sksieve bench run makes one.")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.lease = lease
        self.owner, self.host = uuid.uuid4().hex, socket.gethostname()
        self._lock = threading.RLock()  # joblib asks for tasks from a thread of its own
        self._db = sqlite3.connect(
            self.path, timeout=60.0, isolation_level=None, check_same_thread=False
        )
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise DataError(f"{self.path} is not a store of results: {error}.") from error

    def _open(self) -> None:
        for _ in range(100):  # switching to WAL does not wait for a rival that switches too
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
                time.sleep(0.05)
        self._db.execute("PRAGMA synchronous=NORMAL")
        with self._writing():
            for statement in SCHEMA.split(";"):
                self._db.execute(statement)

    def close(self) -> None:
        """Give back the claims and close the file."""
        with self._lock:
            self.release()
            self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of it or nothing."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    # Claims

    def states(self, keys: Sequence[str]) -> dict[str, State]:
        """What is known of the cells with these keys; those that have no fit are not in it."""
        rows = self._rows(
            "SELECT f.key, f.status, s.scoring, s.k, s.repeat, s.status FROM fits f LEFT JOIN "
            f"scores s ON s.key = f.key WHERE f.key IN ({', '.join('?' * len(keys))})",
            *keys,
        )
        found: dict[str, State] = {}
        for key, fit, scoring, k, repeat, status in rows:
            state = found.setdefault(key, State(fit, {}))
            if scoring is not None:
                state.scores[Item(scoring, k, repeat)] = status
        return found

    def claim(self, wanted: Sequence[tuple[Cell, Sequence[Item]]]) -> list[Claim | None]:
        """Take cells, in one transaction.

        Parameters
        ----------
        wanted : sequence of (Cell, sequence of Item)
            Different cells, and the scores wanted of each.

        Returns
        -------
        list of Claim or None
            For each cell what is left to do; None where all is done or another runner has it.
        """
        keys, now = [cell.key for cell, _ in wanted], time.time()
        with self._writing():
            states, held = self.states(keys), self._held(keys, now)
            claims: list[Claim | None] = []
            for (cell, items), key in zip(wanted, keys):
                state = states.get(key)
                missing = tuple(items) if state is None else state.missing(items)
                if not missing or key in held:
                    claims.append(None)
                    continue
                claims.append(Claim(missing, None if state is None else self.fit(cell)))
            rows = [key for key, claim in zip(keys, claims) if claim is not None]
            self._db.executemany(
                "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)",
                [(key, self.owner, self.host, os.getpid(), now + self.lease) for key in rows],
            )
        return claims

    def _held(self, keys: Sequence[str], now: float) -> set[str]:
        """Which of these cells another runner has, one that gives signs of life."""
        rows = self._rows(
            "SELECT key, host, pid FROM claims WHERE expires > ? AND owner != ? AND key IN "
            f"({', '.join('?' * len(keys))})",
            *(now, self.owner, *keys),
        )
        return {key for key, host, pid in rows if host != self.host or _is_alive(pid)}

    def beat(self) -> None:
        """A sign of life: this runner's claims hold for another lease."""
        with self._writing():
            self._db.execute(
                "UPDATE claims SET expires = ? WHERE owner = ?",
                (time.time() + self.lease, self.owner),
            )

    def release(self) -> None:
        """Give back all claims of this runner."""
        with self._writing():
            self._db.execute("DELETE FROM claims WHERE owner = ?", (self.owner,))

    # Results

    def put(self, outcomes: Sequence[Outcome]) -> None:
        """Keep fits with their scores, in one transaction; what is there already stays as it is."""
        scores = [(o.cell.key, score) for o in outcomes for score in o.scores]
        with self._writing():
            self._db.executemany(
                "INSERT OR IGNORE INTO fits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_fit_row(o.cell, o.fit) for o in outcomes if o.fit is not None],
            )
            self._db.executemany(
                "INSERT OR IGNORE INTO bases VALUES (?, ?)",
                [
                    (o.cell.key, _pack(o.fit.basis))
                    for o in outcomes
                    if o.fit is not None and o.fit.basis is not None
                ],
            )
            self._db.executemany(
                "INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        *(key, s.item.scoring, s.item.k, s.item.repeat, s.status),
                        *(canonical(s.values), s.reason, s.traceback),
                    )
                    for key, s in scores
                ],
            )
            self._db.executemany(
                "DELETE FROM claims WHERE key = ? AND owner = ?",
                [(o.cell.key, self.owner) for o in outcomes],
            )

    def fit(self, cell: Cell) -> Fit | None:
        """The fit of a cell, or None."""
        rows = self._rows(
            "SELECT status, answer, history, seconds, reason, traceback, basis FROM fits "
            "LEFT JOIN bases USING (key) WHERE key = ?",
            cell.key,
        )
        if not rows:
            return None
        status, answer, history, seconds, reason, traceback, basis = rows[0]
        answer, basis = _unpacked(answer), _unpacked(basis)
        return Fit(status, answer, json.loads(history), seconds, reason, traceback, basis)

    def verdict(self, cell: Cell) -> tuple[str, str, float] | None:
        """Status, reason and seconds of a fit without its answer, or None."""
        rows = self._rows("SELECT status, reason, seconds FROM fits WHERE key = ?", cell.key)
        return rows[0] if rows else None

    def versions(self, keys: Sequence[str]) -> dict[str, int]:
        """How many of the cells with these keys were fitted with which version of the library."""
        return dict(
            self._rows(
                "SELECT version, COUNT(*) FROM fits WHERE key IN "
                f"({', '.join('?' * len(keys))}) GROUP BY version",
                *keys,
            )
        )

    def scores(self, cell: Cell) -> dict[Item, Score]:
        """All scores of a cell."""
        rows = self._rows(
            'SELECT scoring, k, repeat, status, "values", reason, traceback FROM scores '
            "WHERE key = ? ORDER BY scoring, k, repeat",
            cell.key,
        )
        found = {}
        for scoring, k, repeat, status, values, reason, traceback in rows:
            item = Item(scoring, k, repeat)
            found[item] = Score(item, status, json.loads(values), reason, traceback)
        return found

    def forget_failures(self) -> int:
        """Remove failed fits and failed scores, so that the next run tries again; how many."""
        with self._writing():
            fits = self._db.execute("DELETE FROM fits WHERE status = 'failed'").rowcount
            scores = self._db.execute("DELETE FROM scores WHERE status = 'failed'").rowcount
        return fits + scores

    def forget_scores(self, keys: Sequence[str] | None = None) -> int:
        """Remove the scores of the cells with these keys (of all if None), no fits; how many."""
        some = "" if keys is None else f" WHERE key IN ({', '.join('?' * len(keys))})"
        with self._writing():
            return self._db.execute(f"DELETE FROM scores{some}", tuple(keys or ())).rowcount


def _fit_row(cell: Cell, fit: Fit) -> tuple[Any, ...]:
    from .. import __version__

    answer = None if fit.answer is None else _pack(fit.answer)
    return (
        *(cell.key, cell.text, fit.status, answer, json.dumps(fit.history), fit.seconds),
        *(fit.reason, fit.traceback, __version__, time.time()),
    )


def _pack(array: NDArray[Any]) -> bytes:
    """As `numpy.save` writes it, whose head is made once for each type and shape."""
    return _head(array.dtype.str, array.shape) + np.ascontiguousarray(array).tobytes()


@lru_cache(maxsize=256)
def _head(dtype: str, shape: tuple[int, ...]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.empty(shape, dtype), allow_pickle=False)
    return buffer.getvalue()[: -math.prod(shape) * np.dtype(dtype).itemsize or None]


def _unpacked(blob: bytes | None) -> NDArray[Any] | None:
    return None if blob is None else np.load(io.BytesIO(blob), allow_pickle=False)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
