"""The data of a command: read, written, described, and repeated in Python."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .._wording import SCALED, counted
from ..catalogue import Method
from ..exceptions import DataError
from ..io import (
    Graph,
    NumericTable,
    Table,
    UnusableTableError,
    numeric_table,
    read_graph,
    read_table,
)
from ._options import CommunityOptions, TableOptions

__all__ = [
    "SUFFIXES",
    "check_target",
    "check_targets",
    "data_entry",
    "data_line",
    "graph_lines",
    "read_numeric",
    "report_fields",
    "size_of",
    "source_entry",
    "table_lines",
]

#: Endings of the files of each option.
SUFFIXES = {"report": (".html", ".htm"), "adjacency": (".png", ".svg", ".pdf")}


def read_numeric(options: TableOptions, k: int = 0) -> NumericTable:
    """The table of a command as numbers, with `k` columns or more.

    The message on a table that cannot be used names the command that continues.
    """
    preparing = options.preparing
    try:
        numeric = numeric_table(read_table(options.data, **options.reading), **preparing)
    except UnusableTableError as error:
        words = [word for name, value in error.remedy for word in _words(name, value)]
        if not words:
            raise
        raise DataError(f"{error}\nTo continue: {options.command_line(*words)}") from error
    n = len(numeric.columns)
    if k > n:
        raise DataError(
            f"-k {k:,} asks for more than the {counted(n, 'column')} there are to choose from in "
            f"{numeric.table.name}; use {n:,} or fewer."
        )
    return numeric


def _words(name: str, value: Any) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    return [flag] if value is True else [flag, str(value)]


def check_targets(options: Any, output: tuple[str, ...]) -> None:
    """Refuse, before any work, files that could not be written; `output` may have these endings."""
    for name, suffixes in ({"output": output} | SUFFIXES).items():
        path = getattr(options, name, None)
        if path is not None:
            check_target(path, options.data, suffixes, f"--{name}")


def check_target(path: Path, data: str | None, suffixes: tuple[str, ...], option: str) -> None:
    """Refuse a file, given by an option, that could not be written."""
    if path.suffix.lower() not in suffixes:
        raise DataError(
            f"{option} {path}: the ending {path.suffix or '(none)'} is not one of "
            f"{', '.join(suffixes)}."
        )
    if path.is_dir():
        raise DataError(f"{option} {path} is a folder; name a file.")
    if not path.parent.is_dir():
        raise DataError(f"{option} {path}: the folder {path.parent} does not exist.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise DataError(f"{option} {path} cannot be written: no permission.")
    if data is not None and Path(data).exists() and path.exists() and os.path.samefile(path, data):
        raise DataError(f"{option} {path} would overwrite the table it is read from.")


# Described ----------------------------------------------------------------------------------------


def size_of(X: Any) -> str:
    """The size of a table in words."""
    m, n = X.shape
    sparse = ", sparse" if hasattr(X, "tocsr") else ""
    return f"{counted(m, 'row')} x {counted(n, 'column')}{sparse}"


def data_line(numeric: NumericTable, scale: str) -> str:
    """The table in one line."""
    return f"Data: {numeric.table.name}, {size_of(numeric.X)}, {SCALED[scale]}"


def source_entry(source: Table | Graph, label_column: str | None) -> dict[str, Any]:
    """What was read, for a JSON document."""
    return {
        "name": source.name,
        "sha256": source.sha256,
        "sha256_of": source.hashed,  # "file", "stdin" or "array" (float64, row by row)
        "label_column": label_column,
    }


def data_entry(numeric: NumericTable, label_column: str | None) -> dict[str, Any]:
    """The table, for a JSON document."""
    m, n = map(int, numeric.X.shape)
    size = {"n_samples": m, "n_features": n, "sparse": hasattr(numeric.X, "tocsr")}
    return source_entry(numeric.table, label_column) | size


# Repeated -----------------------------------------------------------------------------------------

#: Lines that scale X; column subset methods scale by themselves, except to 0..1.
SCALERS = {
    "standard": ("StandardScaler", "X = StandardScaler(){pandas}.fit_transform(X)"),
    "unit": ("normalize", "X = normalize(X, axis=0)"),
    "minmax": ("MinMaxScaler", "X = MinMaxScaler(){pandas}.fit_transform(X)"),
}


def table_lines(
    numeric: NumericTable, options: TableOptions, method: Method | None, scale: str
) -> str:
    """Python source that makes ``X`` for a method, or None that scales by itself.

    It is empty for standard input.
    """
    if options.data == "-":
        return ""
    imports = ["from sksieve.io import numeric_table, read_table"]
    is_frame = not hasattr(numeric.X, "tocsr")
    lines = [
        f"table = {_call(read_table, repr(options.data), options.reading)}",
        f"table = {_call(numeric_table, 'table', options.preparing)}",
        f"X = table.{'to_frame()' if is_frame else 'X'}",
    ]
    own = method is None or (method.kind == "columns" and scale != "minmax")
    if scale in SCALERS and not own:
        name, line = SCALERS[scale]
        imports.append(f"from sklearn.preprocessing import {name}")
        lines.append(line.format(pandas='.set_output(transform="pandas")' if is_frame else ""))
    return "\n".join([*imports, *lines])


def report_fields(
    numeric: NumericTable, options: TableOptions, method: Method | None, scale: str
) -> dict[str, Any]:
    """What every report says about its data; `method` is that of `table_lines`."""
    return {
        "command": options.command_line(),
        "data_name": numeric.table.name,
        "data_sha256": numeric.table.sha256,
        "loading": table_lines(numeric, options, method, scale),
    }


def graph_lines(options: CommunityOptions) -> str:
    """Python source that makes the adjacency matrix ``A``, empty for standard input."""
    if options.data == "-":
        return ""
    call = _call(read_graph, repr(options.data), options.reading)
    return f"from sksieve.io import read_graph\nA = {call}.A"


def _call(function: Callable[..., Any], data: str, arguments: dict[str, Any]) -> str:
    """The call, without the arguments that have their defaults."""
    defaults = inspect.signature(function).parameters
    given = {key: v for key, v in arguments.items() if v != defaults[key].default}
    words = [data, *(f"{key}={value!r}" for key, value in given.items())]
    return f"{function.__name__}({', '.join(words)})"
