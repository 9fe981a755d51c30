"""The data of a command: read, written, described, and repeated in Python."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..catalogue import Method
from ..exceptions import DataError
from ..io import (
    NumericTable,
    numeric_table,
    read_graph,
    read_table,
)
from ..io.tables._places import public
from ._errors import OPTION_NAMES
from ._options import CommunityOptions, TableOptions

#: Endings of the files of each option.
SUFFIXES = {"report": (".html", ".htm"), "adjacency": (".png", ".svg", ".pdf")}


def read_numeric(options: TableOptions) -> NumericTable:
    """The table of a command as numbers."""
    with continuing(options):
        return numeric_table(read_table(options.data, **options.reading), **options.preparing)


@contextmanager
def continuing(options: TableOptions | CommunityOptions) -> Iterator[None]:
    """The message on data that cannot be used names the command that continues."""
    try:
        yield
    except DataError as error:
        if not error.remedy:
            raise
        given = dict(error.remedy)
        k = str(given.pop("k", ""))
        words = [
            word for name, value in error.remedy if name in given for word in _words(name, value)
        ]
        command = options.command_line(*words, k=k)
        raise DataError(f"{error}\nTo continue: {command}") from error


def _words(name: str, value: Any) -> list[str]:
    flag = OPTION_NAMES.get(name, f"--{name.replace('_', '-')}")
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
    if path.exists() and not path.is_file():
        raise DataError(f"{option} {path} is a device or a pipe; name a file.")
    if not path.parent.is_dir():
        raise DataError(f"{option} {path}: the folder {path.parent} does not exist.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise DataError(f"{option} {path} cannot be written: no permission.")
    if data is not None and Path(data).exists() and path.exists() and os.path.samefile(path, data):
        raise DataError(f"{option} {path} would overwrite the table it is read from.")


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
        f"table = {_call(read_table, repr(public(options.data)), options.reading)}",
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
