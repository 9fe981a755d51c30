"""Fit every method to hostile tables and graphs, and judge what comes out.

    python tools/attack_fits.py --count 10000 --seed 1 --table benchmarks/results/attack_fits.md
    python tools/attack_fits.py --count 300              # small, for CI
    python tools/attack_fits.py --only 1234              # one fit again, with its traceback
    python tools/attack_fits.py --count 10000 --log fits.jsonl    # continues what the log has

Fit i of a seed is the same on every machine: a method of the catalogue, a kind of `hostile_tables`,
and random parameters within the constraints the method declares. Fits run in worker processes with
limits on time and memory; a worker that dies is replaced. Outcomes:

right     finite, complete and consistent (see `problems_of`)
warning   the same, with a warning of scikit-sieve or scikit-learn
refusal   ValueError or TypeError, raised on purpose, that names the input or a parameter
foreign   any other error or warning: LinAlgError, IndexError, NumPy's RuntimeWarning ...
nonsense  an answer that is wrong, or any answer to a table that cannot be used
crash     the process died
slow      more processor time than the limit
memory    more than the memory limit

The exit status is 1 if a fit ends in one of the last five.
"""

from __future__ import annotations

import argparse
import json
import linecache
import multiprocessing
import os
import re
import resource
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

sys.path.insert(0, str(Path(__file__).parent))
from hostile_tables import GRAPHS, TABLES, Kind

GOOD = ("right", "warning", "refusal")
BAD = ("foreign", "nonsense", "crash", "slow", "memory")
SECONDS = 60.0
GIGABYTES = 4.0
#: A worker is given up after this multiple of the limit on processor time.
WAITING = 3

#: Bounds that keep a fit short; everything else is drawn.
SHORT: dict[str, dict[str, Any]] = {
    "POCSS": {"max_iter": 3000},
    "IteratedLocalSearchCSS": {"max_iter": 30},
    "WeightedAStarCSS": {"max_iter": 300},
}
SHORT_FOR_ALL: dict[str, Any] = {"n_init": 1, "max_iter": 20}


class Outcome(NamedTuple):
    """What one fit did."""

    index: int
    method: str
    kind: str
    parameters: str
    outcome: str
    detail: str
    seconds: float
    gigabytes: float


# What is fitted


def case(seed: int, index: int) -> tuple[Any, Kind, dict[str, Any], np.random.Generator]:
    """Method, kind of input, parameters and generator of fit `index` of a seed."""
    from sksieve.catalogue import METHODS

    rng = np.random.default_rng([seed, index])
    method = METHODS[int(rng.integers(len(METHODS)))]
    parameters = _parameters(method, rng)
    precomputed = "affinity" in method.defaults() and rng.random() < 0.4
    if precomputed:
        parameters["affinity"] = "precomputed"
    kinds = GRAPHS if precomputed else TABLES
    return method, kinds[int(rng.integers(len(kinds)))], parameters, rng


def _parameters(method: Any, rng: np.random.Generator) -> dict[str, Any]:
    cls = method.load()
    names = method.defaults()
    bounds = {k: v for k, v in SHORT_FOR_ALL.items() if k in names} | SHORT.get(cls.__name__, {})
    drawn: dict[str, Any] = {}
    for name in names:
        options = list(_options(cls._parameter_constraints.get(name, ())))
        if options and name not in bounds and rng.random() < 0.3:
            drawn[name] = options[int(rng.integers(len(options)))]
    if drawn.get("affinity") == "precomputed":
        del drawn["affinity"]
    for name, few in (("n_clusters", (1, 2, 3, 5)), ("n_features_to_select", (1, 2, 3, 5, None))):
        if name in names:
            drawn[name] = few[int(rng.integers(len(few)))]
    if "random_state" in names:
        drawn["random_state"] = int(rng.integers(100))
    return bounds | drawn


def _options(constraints: Any) -> Iterator[Any]:
    """Values within declared constraints, the extreme ones among them."""
    for constraint in constraints:
        kind = type(constraint).__name__
        if constraint is None:
            yield None
        elif constraint == "boolean":
            yield from (True, False)
        elif kind == "StrOptions":
            yield from sorted(constraint.options)
        elif kind == "Interval":
            whole = constraint.type.__name__ == "Integral"
            values = (0, 1, 2, 3, 7, 20) if whole else (0.0, 1e-8, 1e-3, 0.1, 0.5, 1.0, 1e3, 1e8)
            yield from (v for v in values if v in constraint)


# How it is judged


def fit(seed: int, index: int) -> tuple[str, str]:
    """Outcome and detail of one fit."""
    method, kind, parameters, rng = case(seed, index)
    X = kind.make(rng)
    est = method.load()(**parameters)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            est.fit(X)
            if hasattr(type(est), "ranking_"):
                _ = est.ranking_  # some fits end when an answer is read
            problems = problems_of(method, est, X)
        except MemoryError as error:
            return "memory", str(error)
        except Exception as error:
            return judged_error(error, set(parameters) | set(method.defaults()))
    if kind.refused and method.class_name not in kind.takers:
        return "nonsense", "an input that cannot be used was accepted"
    if problems:
        return "nonsense", "; ".join(problems)
    return judged_warnings(caught)


def judged_error(error: Exception, parameters: set[str]) -> tuple[str, str]:
    """Refusal or foreign error: raised on purpose, and does it name what is wrong?"""
    message = f"{type(error).__name__}: {error}".split("\n")[0][:300]
    frames = traceback.extract_tb(error.__traceback__)
    frame = frames[-1]
    line = linecache.getline(frame.filename, frame.lineno or 0).strip()
    converted = any(f.filename.endswith("/sklearn/utils/validation.py") for f in frames)
    converted |= any(f.filename.endswith("/sklearn/utils/_param_validation.py") for f in frames)
    ours = "/sksieve/" in frame.filename and line.startswith("raise ")
    expected = isinstance(error, ValueError | TypeError)
    if not expected or isinstance(error, np.linalg.LinAlgError) or not (ours or converted):
        return "foreign", f"{message} ({_place(frame)})"
    words = {"X", "column", "columns", "row", "rows", "sample", "samples", "affinity", "data"}
    words |= {"array", "feature", "features", "Input", "input", "dataset", "graph", "string"}
    if not set(re.findall(r"\w+", str(error))) & (words | parameters):
        return "foreign", f"names nothing: {message}"
    return "refusal", message


def _place(frame: traceback.FrameSummary) -> str:
    return f"{'/'.join(Path(frame.filename).parts[-2:])}:{frame.lineno}"


def judged_warnings(caught: list[warnings.WarningMessage]) -> tuple[str, str]:
    if not caught:
        return "right", ""
    from sklearn.exceptions import ConvergenceWarning

    from sksieve.exceptions import DataWarning

    for warning in caught:
        if not issubclass(warning.category, DataWarning | ConvergenceWarning):
            place = f"{'/'.join(Path(warning.filename).parts[-2:])}:{warning.lineno}"
            return "foreign", f"{warning.category.__name__}: {warning.message} ({place})"
    first = caught[0]
    return "warning", f"{first.category.__name__}: {first.message}".split("\n")[0][:200]


def problems_of(method: Any, est: Any, X: Any) -> list[str]:
    """What is wrong with a fitted estimator, by what every method promises."""
    problems = [
        f"{name} has NaN or infinite values"
        for name in ("scores_", "embedding_", "affinity_", "codes_", "objective_")
        if not _finite(getattr(est, name, 0.0))
    ]
    for record in getattr(est, "history_", ()):
        if not np.isfinite(record["objective"]):
            problems.append("history_ has an objective that is not finite")
            break
    checks = _labels_problems if method.kind == "clusterer" else _ranking_problems
    problems += checks(est)
    if method.kind == "columns":
        problems += _subset_problems(est, X)
    return problems


def _finite(value: Any) -> bool:
    if sp.issparse(value):
        value = value.data
    if not isinstance(value, np.ndarray | float | int | np.generic):
        return True  # an affinity in tiles
    return bool(np.isfinite(value).all())


def _labels_problems(est: Any) -> Iterator[str]:
    labels = est.labels_
    n = est.affinity_.shape[0]
    most = est.n_clusters if hasattr(est, "n_clusters") else est.n_clusters_
    if sp.issparse(est.affinity_):  # isolated vertices and small components stay apart
        most += connected_components(est.affinity_, directed=False)[0] - 1
    if labels.shape != (n,) or labels.dtype.kind != "i":
        yield f"labels_ has shape {labels.shape} and type {labels.dtype}"
    elif labels.min() != 0 or labels.max() >= most:
        yield f"labels_ lie in {labels.min()}..{labels.max()}, {most} clusters"
    elif list(dict.fromkeys(labels.tolist())) != list(range(labels.max() + 1)):
        yield "labels_ are not numbered by first occurrence"
    A = est.affinity_
    if isinstance(A, np.ndarray) or sp.issparse(A):
        A = A.toarray() if sp.issparse(A) else A
        if not np.array_equal(A, A.T):
            yield "affinity_ is not symmetric"
        if A.min() < 0:
            yield "affinity_ has negative weights"


def _ranking_problems(est: Any) -> Iterator[str]:
    d = est.n_features_in_
    ranking, support = est.ranking_, est.get_support()
    if sorted(ranking) != list(range(d)):
        yield "ranking_ is not a permutation of the columns"
        return
    k = est.n_features_to_select_
    if support.sum() != k or set(np.flatnonzero(support)) != set(ranking[:k]):
        yield f"get_support() and ranking_ disagree on {k} columns"
    wanted = getattr(est, "n_features_to_select", None)
    wanted = wanted if isinstance(wanted, int) else None
    if not 1 <= k <= (d if wanted is None else wanted):
        yield f"{k} columns in place of {wanted}"
    scores = getattr(est, "scores_", None)
    if scores is not None and not np.array_equal(np.argsort(-scores, kind="stable"), ranking):
        yield "scores_ and ranking_ disagree"


def _subset_problems(est: Any, X: Any) -> Iterator[str]:
    total = est.error_path_[0]
    errors = list(est.error_path_.values())
    if min(errors) < 0 or max(errors) > total * (1 + 1e-9):
        yield f"error_path_ leaves 0..{total:g}"
    if est.error_ratio_ < 1:
        yield f"error_ratio_ = {est.error_ratio_:g} < 1"
    r2 = est.explained_by_
    if not (np.isfinite(r2).all() and r2.min() >= 0 and r2.max() <= 1):
        yield "explained_by_ leaves 0..1"
    for size, S in est.path_.items():
        if len(set(S)) != size:
            yield f"path_[{size}] has {len(set(S))} distinct columns"
    if not getattr(est, "ridge", 0):  # else the error is that of a ridge regression
        yield from _error_problems(est, X, total)


def _error_problems(est: Any, X: Any, total: float) -> Iterator[str]:
    """The error by QR of the scaled table, where its numbers are of ordinary size."""
    from sklearn.utils import check_array

    A = check_array(X, accept_sparse="csr", dtype=np.float64)
    A = A.toarray() if sp.issparse(A) else np.array(A)
    size = np.abs(A[A != 0])
    if not len(size) or size.max() > 1e8 * size.min():
        return
    accuracy = 1e-6
    if est.scale == "standard":
        eps = np.finfo(float).eps
        largest = np.abs(A).max(axis=0)
        constant = np.ptp(A, axis=0) <= 64 * eps * largest  # as sksieve.tables has it
        A = A.astype(np.longdouble)
        A = np.where(constant, 0, A - A.mean(axis=0)).astype(float)
        spread = np.linalg.norm(A, axis=0) / np.sqrt(len(A))
        # a change of X by one unit in the last place changes the scaled columns by so much
        accuracy += 4 * eps * np.max(largest / np.where(constant, np.inf, spread))
    if est.scale != "none":
        length = np.linalg.norm(A, axis=0)
        A = A / np.where(length > 0, length, 1)
    S = A[:, est.ranking_[: est.n_features_to_select_]]
    left = A - S @ np.linalg.lstsq(S, A, rcond=1e-10)[0]
    if abs(np.sum(left**2) - est.objective_) > accuracy * total:
        yield f"objective_ = {est.objective_:g}; by least squares it is {np.sum(left**2):g}"


# Workers


def work(pipe: Connection, seed: int, seconds: float, gigabytes: float) -> None:
    """Fit the indices that come through the pipe, until None."""
    import sklearn.utils.validation  # imported here, not by the parent: fork before threads

    import sksieve

    del sklearn, sksieve
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = int((gigabytes + 2) * 2**30) + _virtual_bytes()
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # messages of C libraries
    while (index := pipe.recv()) is not None:
        before = _peak_gigabytes()
        start = time.process_time()
        outcome, detail = fit(seed, index)
        used = time.process_time() - start
        taken = _peak_gigabytes() - before
        if used > seconds:
            outcome, detail = "slow", f"{used:.0f} s of processor time"
        if taken > gigabytes:
            outcome, detail = "memory", f"{taken:.1f} GB"
        pipe.send((outcome, detail, used, taken))


def _peak_gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _virtual_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


class Worker:
    """A process that fits, and is replaced when it dies or takes too long."""

    def __init__(self, seed: int, seconds: float, gigabytes: float) -> None:
        self.seed, self.seconds, self.gigabytes = seed, seconds, gigabytes
        self.context = multiprocessing.get_context("fork")
        self._start()

    def _start(self) -> None:
        self.pipe, other = self.context.Pipe()
        limits = other, self.seed, self.seconds, self.gigabytes
        self.process = self.context.Process(target=work, args=limits, daemon=True)
        self.process.start()
        other.close()

    def run(self, index: int) -> Outcome:
        method, kind, parameters, _ = case(self.seed, index)
        named = index, method.class_name, kind.name, _spelled(parameters)
        start = time.perf_counter()
        self.pipe.send(index)
        try:
            if self.pipe.poll(WAITING * self.seconds):
                return Outcome(*named, *self.pipe.recv())
            outcome, detail = "slow", f"more than {WAITING * self.seconds:g} s"
        except EOFError:
            self.process.join()
            outcome, detail = "crash", f"exit status {self.process.exitcode}"
        self.process.kill()
        self.process.join()
        self._start()
        return Outcome(*named, outcome, detail, time.perf_counter() - start, float("nan"))

    def stop(self) -> None:
        self.pipe.send(None)
        self.process.join()


def _spelled(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in parameters.items())


# Report


def table_of(outcomes: list[Outcome], seed: int) -> str:
    """The outcomes as a page of Markdown."""
    import scipy
    import sklearn

    count = Counter(o.outcome for o in outcomes)
    seconds = sum(o.seconds for o in outcomes)
    lines = [
        "# Fits of hostile tables and graphs",
        "",
        f"`python tools/attack_fits.py --count {len(outcomes)} --seed {seed}`: fits of "
        f"{len({o.method for o in outcomes})} methods on {len({o.kind for o in outcomes})} kinds "
        f"of input, in {seconds / 60:.0f} minutes of processor time. numpy {np.__version__}, scipy "
        f"{scipy.__version__}, scikit-learn {sklearn.__version__}.",
        "",
        f"Longest fit: {max(o.seconds for o in outcomes):.1f} s of processor time. Most memory of "
        f"a fit: {np.nanmax([o.gigabytes for o in outcomes]):.2f} GB.",
        "",
        "| outcome | fits |",
        "|---|---|",
        *(f"| {name} | {count[name]} |" for name in GOOD + BAD),
        "",
    ]
    for title, key in (("method", "method"), ("kind", "kind")):
        lines += [f"| {title} | {' | '.join(GOOD + BAD)} |", "|---|" + "---|" * len(GOOD + BAD)]
        groups: dict[str, Counter[str]] = {}
        for o in outcomes:
            groups.setdefault(getattr(o, key), Counter())[o.outcome] += 1
        for name in sorted(groups):
            cells = " | ".join(str(groups[name][outcome]) for outcome in GOOD + BAD)
            lines.append(f"| {name} | {cells} |")
        lines.append("")
    return "\n".join(lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=300, help="number of fits")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=np.inf, help="stop after this long")
    parser.add_argument("--only", type=int, help="run one fit in this process")
    parser.add_argument("--first", type=int, default=0, help="index of the first fit")
    parser.add_argument("--log", type=Path, help="JSON lines; fits found in it are not repeated")
    parser.add_argument("--table", type=Path, help="write the table of outcomes to this file")
    return parser.parse_args()


def _logged(path: Path | None, seed: int) -> dict[int, Outcome]:
    """The outcomes an earlier run of this seed has written, by index; the last of an index."""
    if path is None or not path.exists():
        return {}
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [record for record in records if record.pop("seed") == seed]
    return {record["index"]: Outcome(**record) for record in kept}


def _fit_here(seed: int, index: int) -> int:
    """One fit with its traceback, for the debugger."""
    method, kind, parameters, rng = case(seed, index)
    X = kind.make(rng)
    print(f"{method.class_name}({_spelled(parameters)}) on {kind.name}", X, sep="\n")
    try:
        method.load()(**parameters).fit(X)
    except Exception:
        traceback.print_exc()
    outcome, detail = fit(seed, index)
    print(outcome, detail)
    return int(outcome in BAD)


def main() -> int:
    args = _arguments()
    if args.only is not None:
        return _fit_here(args.seed, args.only)
    outcomes = _logged(args.log, args.seed)
    worker, start = Worker(args.seed, SECONDS, GIGABYTES), time.perf_counter()
    log = args.log.open("a", encoding="utf-8") if args.log else None
    for index in range(args.first, args.first + args.count):
        if time.perf_counter() - start > 60 * args.minutes:
            break
        if index in outcomes:
            continue
        outcomes[index] = outcome = worker.run(index)
        if log:
            log.write(json.dumps({"seed": args.seed, **outcome._asdict()}) + "\n")
            log.flush()
        if outcome.outcome in BAD:
            print(
                f"{outcome.outcome}: --only {index}  {outcome.method}({outcome.parameters}) "
                f"on {outcome.kind}: {outcome.detail}",
                flush=True,
            )
    worker.stop()
    if args.table:
        args.table.write_text(table_of(list(outcomes.values()), args.seed))
    count = Counter(o.outcome for o in outcomes.values())
    print(", ".join(f"{count[name]} {name}" for name in GOOD + BAD if count[name]))
    return int(any(count[name] for name in BAD))


if __name__ == "__main__":
    sys.exit(main())
