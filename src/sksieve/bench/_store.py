"""The store: one SQLite file in WAL mode, safe for several processes and for ``kill -9``.

Why SQLite and not one file for each cell: a fit and its scores appear together or not at all (one
transaction), claims are atomic without a lock file, 1e5 cells are one file, and the standard
library has it. In WAL mode with ``synchronous=NORMAL`` a killed process loses nothing that was
committed; after a power cut the last commits may be missing, and the file is still whole.
Not for network file systems: SQLite's locks are not to be trusted there.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import socket
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._wording import argument
from ..exceptions import DataError
from ._cells import Cell, Item, canonical
from ._processes import is_alive

FILE = "store.sqlite"

#: Seconds after which the claim of a runner that gives no sign of life may be taken over.
LEASE = 60.0

#: Number of the layout of the tables, kept in the file as ``user_version``.
LAYOUT = 2

SCHEMA = """
CREATE TABLE IF NOT EXISTS fits (
    key TEXT PRIMARY KEY, names TEXT NOT NULL, cell TEXT NOT NULL, status TEXT NOT NULL,
    answer BLOB, history TEXT, seconds REAL, cpu REAL, memory REAL, reason TEXT, traceback TEXT,
    sksieve TEXT, finished REAL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS fits_by_names ON fits (names);
CREATE TABLE IF NOT EXISTS scores (
    key TEXT, scoring TEXT, k INTEGER, repeat INTEGER, status TEXT NOT NULL, "values" TEXT,
    reason TEXT, traceback TEXT, PRIMARY KEY (key, scoring, k, repeat)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bases (key TEXT PRIMARY KEY, basis BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (
    key TEXT PRIMARY KEY, owner TEXT NOT NULL, host TEXT, pid INTEGER, expires REAL) WITHOUT ROWID;
"""

#: A score that can be read: an object whose values are numbers.
READABLE = """(json_valid(s."values") AND json_type(s."values") = 'object' AND NOT EXISTS (
    SELECT 1 FROM json_each(s."values") WHERE type NOT IN ('real', 'integer')))"""

#: What an error of the database means, by a part of its text, and what to do.
ADVICE = {
    "full": "there is no space left on its disk. Free some and run the spec again; finished cells "
    "are kept",
    "readonly": "it cannot be written. Make the file and its folder writable, or choose another "
    "path for the store",
    "unable to open": "it cannot be opened. Check the permissions of the file and its folder",
    "locked": "another program holds it. Wait until it is done, and try again",
    "no such": "its tables are not those of a store of results. Move it away, or choose another "
    "path for the store",
    "not a database": "it is not a store of results. Move it away, or choose another path for "
    "the store",
    "disk I/O": "its disk or a limit on the size of files (ulimit -f) keeps it from being read or "
    "written. Remove the cause and run the spec again; finished cells are kept",
    "malformed": "it is damaged. Move it away and run the spec again, or recover what is left with "
    "'sqlite3 FILE .recover'",
    "": "SQLite cannot use it. Remove what it names and try again; finished cells are kept",
}


@dataclass(frozen=True)
class Fit:
    """What a fit leaves: its answer (ranking or labels), or why there is none.

    `seconds` are wall-clock time, `cpu` CPU seconds, `memory` the bytes by which the
    process grew at most; None where that is not known. `basis` is the orthonormal basis behind the
    labels of a clusterer, where it has a small one.
    """

    status: str
    answer: NDArray[np.int64] | None = None
    history: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    cpu: float | None = None
    memory: float | None = None
    reason: str = ""
    traceback: str = ""
    basis: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Score:
    """The values of one item, or why there are none."""

    item: Item
    status: str
    values: dict[str, float] = field(default_factory=dict)
    reason: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class Outcome:
    """Result of one task; `fit` is None where the fit was in the store already."""

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


class Verdict(NamedTuple):
    """How a fit ended, and what it cost."""

    status: str
    reason: str
    seconds: float
    cpu: float | None
    memory: float | None


class Claim(NamedTuple):
    """What a runner has to do for a cell: items without a score, and the fit if it is there."""

    items: tuple[Item, ...]
    fit: Fit | None


class Store:
    """Fits and scores on disk.

    Parameters
    ----------
    folder : path-like
        Where ``store.sqlite`` is; created if it is missing and `create`.
    create : bool, default=True
        False refuses a folder without a store.
    read_only : bool, default=False
        Nothing is written and nothing is claimed; the folder may be write-protected.
    lease : float, default=60
        Seconds for which a claim holds without a sign of life. A runner that was killed on the same
        machine is noticed at once.

    Raises
    ------
    DataError
        If there is no store and `create` is False, or the file is no store, damaged, or cannot be
        written. The same holds for every method: the message has the file and what to do.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        create: bool = True,
        read_only: bool = False,
        lease: float = LEASE,
    ) -> None:
        self.path = Path(folder) / FILE
        self.lease, self.read_only = lease, read_only
        self.owner, self.host = uuid.uuid4().hex, socket.gethostname()
        self._lock = threading.RLock()  # joblib asks for tasks from a thread of its own
        if (read_only or not create) and not self.path.exists():
            raise DataError(f"{folder}: there is no store here; sksieve bench run makes one.")
        with self._explained():
            self._db = self._reader() if read_only else self._writer()
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _writer(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise DataError(f"{self.path.parent} cannot hold results: {error}.") from error
        return self._connection(str(self.path))

    def _reader(self) -> sqlite3.Connection:
        """A connection that only reads, also where the folder cannot be written."""
        address = f"{self.path.absolute().as_uri()}?mode=ro"
        db = self._connection(address)
        try:
            db.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            db.close()
            # Beside results that were not merged yet, or of a damaged file, nothing else helps.
            waiting = self.path.with_name(FILE + "-wal").exists()
            if waiting or not isinstance(error, sqlite3.OperationalError):
                raise
            db = self._connection(address + "&immutable=1")
        return db

    def _connection(self, address: str) -> sqlite3.Connection:
        options: dict[str, Any] = {"isolation_level": None, "check_same_thread": False}
        return sqlite3.connect(address, timeout=60.0, uri=address.startswith("file:"), **options)

    def _prepare(self) -> None:
        """Make the tables of an empty file; refuse a file that holds others."""
        # Tables first: a rival that makes them in between has written the layout with them.
        is_empty = self._db.execute("SELECT 1 FROM sqlite_master").fetchone() is None
        (layout,) = self._db.execute("PRAGMA user_version").fetchone()
        if layout == LAYOUT or (is_empty and not self.read_only):
            if not self.read_only:
                self._open()
            return
        raise DataError(
            f"{self.path} is not a store of results, or one of another version of sksieve (layout "
            f"{layout} instead of {LAYOUT}). Choose another path for the store."
        )

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
            self._db.execute(f"PRAGMA user_version = {LAYOUT}")

    def close(self) -> None:
        """Give back the claims and close the file."""
        with self._lock:
            try:
                if not self.read_only:
                    self.release()
            finally:
                self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        try:
            self.close()
        except DataError:
            if kind is None:  # else the error under way says what happened
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """An error of the database as a sentence: which file, what happened, what to do."""
        try:
            yield
        except sqlite3.Error as error:
            advice = next(words for part, words in ADVICE.items() if part in str(error))
            raise DataError(f"{self.path}: {advice} (SQLite: {error}).") from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of it or nothing."""
        with self._lock, self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._db.in_transaction:  # SQLite rolls back by itself when the disk is full
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with self._lock, self._explained():
            return self._db.execute(query, values).fetchall()

    # Claims

    def states(self, keys: Sequence[str]) -> dict[str, State]:
        """Status of the cells with these keys; those without a fit are left out.

        A score that cannot be read counts as missing.
        """
        rows = self._rows(
            "SELECT f.key, f.status, s.scoring, s.k, s.repeat, s.status FROM fits f LEFT JOIN "
            f"scores s ON s.key = f.key AND {READABLE} WHERE f.key IN ({_marks(keys)})",
            *keys,
        )
        states: dict[str, State] = {}
        for key, fit, scoring, k, repeat, status in rows:
            state = states.setdefault(key, State(fit, {}))
            if scoring is not None:
                state.scores[Item(scoring, k, repeat)] = status
        return states

    def claim(self, requests: Sequence[tuple[Cell, Sequence[Item]]]) -> list[Claim | None]:
        """Take cells, in one transaction.

        Parameters
        ----------
        requests : sequence of (Cell, sequence of Item)
            Different cells, and the scores requested of each.

        Returns
        -------
        list of Claim or None
            For each cell what is left to do; None where all is done or another runner has it.
        """
        keys, now = [cell.key for cell, _ in requests], time.time()
        with self._writing():
            states, held = self.states(keys), self._held(keys, now)
            claims: list[Claim | None] = []
            for (cell, items), key in zip(requests, keys):
                state = states.get(key)
                missing = tuple(items) if state is None else state.missing(items)
                if not missing or key in held:
                    claims.append(None)
                    continue
                claims.append(Claim(missing, None if state is None else self._fit_or_drop(cell)))
            rows = [key for key, claim in zip(keys, claims) if claim is not None]
            self._db.execute(
                f"DELETE FROM scores AS s WHERE key IN ({_marks(rows)}) AND NOT {READABLE}", rows
            )
            self._db.executemany(
                "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)",
                [(key, self.owner, self.host, os.getpid(), now + self.lease) for key in rows],
            )
        return claims

    def _fit_or_drop(self, cell: Cell) -> Fit | None:
        """The fit of a cell; one that cannot be read is removed, so that it is done again."""
        try:
            return self.fit(cell)
        except DataError:
            for table in ("fits", "bases"):
                self._db.execute(f"DELETE FROM {table} WHERE key = ?", (cell.key,))
            return None

    def _held(self, keys: Sequence[str], now: float) -> set[str]:
        """Which of these cells another runner has, one that gives signs of life."""
        rows = self._rows(
            "SELECT key, host, pid FROM claims WHERE expires > ? AND owner != ? AND key IN "
            f"({_marks(keys)})",
            *(now, self.owner, *keys),
        )
        return {key for key, host, pid in rows if host != self.host or is_alive(pid)}

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
                f"INSERT OR IGNORE INTO fits VALUES ({_marks(range(13))})",
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
        """The fit of a cell, or None.

        Raises
        ------
        DataError
            If what is kept of it cannot be read.
        """
        rows = self._rows(
            "SELECT status, answer, history, seconds, cpu, memory, reason, traceback, basis "
            "FROM fits LEFT JOIN bases USING (key) WHERE key = ?",
            cell.key,
        )
        if not rows:
            return None
        status, answer, history, seconds, cpu, memory, reason, traceback, basis = rows[0]
        try:
            return Fit(
                *(status, _unpacked(answer), json.loads(history), seconds, cpu, memory),
                *(reason, traceback, _unpacked(basis)),
            )
        except (ValueError, EOFError, TypeError) as error:
            raise DataError(
                f"{self.path}: the fit of {cell.method} on {cell.data.label} cannot be read "
                f"({error}). The next run with {argument('rescore', True)} fits it again."
            ) from error

    def verdict(self, cell: Cell) -> Verdict | None:
        """Status, reason and costs of a fit without its answer, or None."""
        rows = self._rows(
            "SELECT status, reason, seconds, cpu, memory FROM fits WHERE key = ?", cell.key
        )
        return Verdict(*rows[0]) if rows else None

    def replaced(self, cells: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
        """Cells that are not here, each with one of the same names that is.

        The one that is here was computed from other content of the data, or by another version of
        the method.
        """
        by_names = {_digest(cell.names): cell for cell in cells}
        rows = self._rows(
            "SELECT names, cell FROM fits WHERE names IN "
            f"({_marks(by_names)}) AND names NOT IN (SELECT names FROM fits WHERE key IN "
            f"({_marks(cells)})) GROUP BY names",
            *(*by_names, *(cell.key for cell in cells)),
        )
        return [(by_names[names], Cell.read(text)) for names, text in rows]

    def scores(self, cell: Cell) -> dict[Item, Score]:
        """All scores of a cell that can be read."""
        rows = self._rows(
            'SELECT scoring, k, repeat, status, "values", reason, traceback FROM scores s '
            f"WHERE key = ? AND {READABLE} ORDER BY scoring, k, repeat",
            cell.key,
        )
        scores = {}
        for scoring, k, repeat, status, values, reason, traceback in rows:
            item = Item(scoring, k, repeat)
            scores[item] = Score(item, status, json.loads(values), reason, traceback)
        return scores

    def forget_failures(self) -> int:
        """Remove failed fits and failed scores, so that the next run tries again; how many."""
        with self._writing():
            fits = self._db.execute("DELETE FROM fits WHERE status = 'failed'").rowcount
            scores = self._db.execute("DELETE FROM scores WHERE status = 'failed'").rowcount
        return fits + scores

    def forget_scores(self, keys: Sequence[str] | None = None) -> int:
        """Remove the scores of the cells with these keys (of all if None), no fits; how many."""
        some = "" if keys is None else f" WHERE key IN ({_marks(keys)})"
        with self._writing():
            return self._db.execute(f"DELETE FROM scores{some}", tuple(keys or ())).rowcount


def _fit_row(cell: Cell, fit: Fit) -> tuple[Any, ...]:
    from .. import __version__

    answer = None if fit.answer is None else _pack(fit.answer)
    return (
        *(cell.key, _digest(cell.names), cell.text, fit.status, answer, json.dumps(fit.history)),
        *(fit.seconds, fit.cpu, fit.memory, fit.reason, fit.traceback, __version__, time.time()),
    )


def _digest(names: str) -> str:
    return hashlib.sha256(names.encode()).hexdigest()


def _marks(values: Sized) -> str:
    """SQL placeholders for the values."""
    return ", ".join("?" * len(values))


def _pack(array: NDArray[Any]) -> bytes:
    """As `numpy.save` writes it; the header is written once for each type and shape."""
    return _head(array.dtype.str, array.shape) + np.ascontiguousarray(array).tobytes()


@lru_cache(maxsize=256)
def _head(dtype: str, shape: tuple[int, ...]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.empty(shape, dtype), allow_pickle=False)
    return buffer.getvalue()[: -math.prod(shape) * np.dtype(dtype).itemsize or None]


def _unpacked(blob: bytes | None) -> NDArray[Any] | None:
    return None if blob is None else np.load(io.BytesIO(blob), allow_pickle=False)
