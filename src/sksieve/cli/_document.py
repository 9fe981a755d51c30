"""The JSON document of ``sksieve select --json``.

The layout is stable: within ``sksieve.select/1`` fields are added, never renamed or removed. Shares
lie in [0, 1]; a number that is not finite is null; columns are counted from 0 in the order of
``columns``, the columns the method could choose from.
"""

from __future__ import annotations

import json
import math
import platform
from importlib.metadata import version
from typing import Any, TypedDict

import sksieve

from ..catalogue import Method
from ..io.tables import Table
from ..report._summary import SelectionSummary
from ._columns import Numeric
from ._fit import Fitted
from ._method import Choice
from ._options import SelectOptions

__all__ = ["FitEntry", "SelectDocument", "document", "dumps", "fit_entry", "versions"]

SCHEMA = "sksieve.select/1"


class ChosenColumn(TypedDict):
    rank: int  # from 1, in the order of what each adds
    index: int  # into "columns"
    name: str
    adds: float  # share of the total squared norm added to the columns before it
    explained: float  # share of all columns up to this one
    unique: float  # share of the column that the other chosen ones do not explain


class PathEntry(TypedDict):
    k: int
    columns: list[int]  # best subset found of this size
    error: float  # squared error of reconstruction
    best_possible: float  # squared error of the best rank-k approximation (SVD)


class DataEntry(TypedDict):
    name: str
    sha256: str
    sha256_of: str  # "file", "stdin" or "array" (float64, row by row)
    n_samples: int
    n_features: int
    sparse: bool
    label_column: str | None


class MethodEntry(TypedDict):
    name: str
    class_: str  # "class" in the document
    reason: str
    parameters: dict[str, Any]  # all constructor parameters, as used
    scale: str
    seed: int


class FitEntry(TypedDict):
    """How the fit went."""

    seconds: float
    n_iter: int | None  # null for methods without a loop
    stop_reason: str | None  # tolerance, max_iter, time_budget, callback, diverged
    interrupted: bool


class ErrorEntry(TypedDict):
    scale: str  # the scaling that all shares refer to
    total: float  # squared norm of the columns in that scaling
    error: float  # what the chosen columns do not explain
    explained: float  # 1 - error / total
    ratio: float | None  # error over that of the best rank-k approximation, at least 1
    best_possible: float  # share that the best rank-k approximation explains
    random: float | None  # share that as many random columns explain, mean of ten draws


class SelectDocument(TypedDict):
    """The whole document; the other classes are its parts."""

    schema: str
    versions: dict[str, str]
    command: str  # repeats the selection
    data: DataEntry
    method: MethodEntry
    k: int  # as asked; fewer are chosen where fewer already rebuild all
    chosen: list[ChosenColumn]
    error: ErrorEntry
    path: list[PathEntry]  # empty for methods without a path
    ranking: list[int]  # all columns, best first
    columns: list[str]
    fit: FitEntry
    output: str | None
    report: str | None
    notes: list[str]


def document(
    table: Table,
    numeric: Numeric,
    fitted: Fitted,
    worth: SelectionSummary,
    *,
    choice: Choice,
    options: SelectOptions,
    notes: list[str],
) -> SelectDocument:
    """Everything there is to say, as plain values."""
    est = fitted.estimator
    m, n = numeric.X.shape
    return {
        "schema": SCHEMA,
        "versions": versions(),
        "command": options.command(),
        "data": {
            "name": table.name,
            "sha256": table.sha256,
            "sha256_of": table.hashed,
            "n_samples": int(m),
            "n_features": int(n),
            "sparse": hasattr(numeric.X, "tocsr"),
            "label_column": options.label_column,
        },
        "method": _method(choice.method, choice.reason, est, options),
        "k": options.k,
        "chosen": _chosen(numeric.names, worth),
        "error": {
            "total": worth.total,
            "error": worth.error,
            "explained": worth.explained,
            "ratio": worth.ratio,
            "best_possible": worth.best_possible,
            "random": worth.random,
            "scale": worth.scale,
        },
        "path": [
            {**vars(point), "columns": list(point.columns)}  # type: ignore[typeddict-item]
            for point in worth.path
        ],
        "ranking": [int(j) for j in est.ranking_],
        "columns": numeric.names,
        "fit": fit_entry(fitted),
        "output": None if options.output is None else str(options.output),
        "report": None if options.report is None else str(options.report),
        "notes": notes,
    }


def fit_entry(fitted: Fitted) -> FitEntry:
    """The entry of a fit, of columns or of groups."""
    return {
        "seconds": fitted.seconds,
        "n_iter": getattr(fitted.estimator, "n_iter_", None),
        "stop_reason": getattr(fitted.estimator, "stop_reason_", None),
        "interrupted": fitted.interrupted,
    }


def versions() -> dict[str, str]:
    """Version of the package and of what its numbers depend on."""
    found = {"scikit-sieve": sksieve.__version__, "python": platform.python_version()}
    return found | {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "numba")}


def _method(method: Method, reason: str, est: Any, options: SelectOptions) -> Any:
    return {
        "name": method.name,
        "class": method.class_name,
        "reason": reason,
        "parameters": est.get_params(deep=False),
        "scale": options.scale,
        "seed": options.seed,
    }


def _chosen(names: list[str], worth: SelectionSummary) -> list[ChosenColumn]:
    together = worth.together
    return [
        {
            "rank": i + 1,
            "index": int(j),
            "name": names[j],
            "adds": float(worth.adds[i]),
            "explained": float(together[i]),
            "unique": float(worth.unique[i]),
        }
        for i, j in enumerate(worth.chosen)
    ]


def dumps(value: Any) -> str:
    """JSON text: numbers that are not finite as null, arrays as lists, all else by its repr."""
    return json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else repr(value)
