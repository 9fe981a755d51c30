"""What one command was asked to do, and the same as a command line."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .tables._table import ReadOptions

__all__ = ["AUTO", "SelectOptions", "UsageError", "parse_param", "parse_seconds"]

#: The method behind ``--method auto``.
AUTO = "local_search"


class UsageError(ValueError):
    """The command line asks for something that does not exist; exit code 2."""


@dataclass(frozen=True)
class SelectOptions:
    """The options of ``sksieve select``; the help text says what each means."""

    data: str
    k: int
    method: str = "auto"
    label_column: str | None = None
    drop: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    scale: str = "standard"
    time: float | None = None
    seed: int = 0
    params: dict[str, Any] = field(default_factory=dict)
    impute: str | None = None
    encode: str | None = None
    reading: ReadOptions = field(default_factory=ReadOptions)
    output: Path | None = None
    report: Path | None = None
    json: bool = False

    def command(self, *extra: str) -> str:
        """A command line that does the same, without what is default, `extra` words added."""
        words = ["sksieve", "select", self.data, "-k", str(self.k)]
        words += _option("--method", self.method, "auto")
        words += _option("--label-column", self.label_column)
        words += [word for name in self.columns for word in ("--columns", name)]
        words += [word for name in self.drop for word in ("--drop", name)]
        words += _option("--scale", self.scale, "standard") + _option("--seed", self.seed, 0)
        words += _option("--time", None if self.time is None else f"{self.time:g}s")
        for name, value in self.params.items():
            words += ["--param", f"{name}={value}"]
        words += _option("--impute", self.impute) + _option("--encode", self.encode)
        words += self._reading()
        words += _option("--output", self.output) + _option("--report", self.report)
        return shlex.join([*words, *extra])

    def _reading(self) -> list[str]:
        r = self.reading
        words = _option("--name", r.name) + _option("--sep", r.sep)
        words += _option("--decimal", r.decimal, ".")
        words += [] if r.header else ["--no-header"]
        return words + [word for cell in r.missing for word in ("--missing", cell)]


def _option(name: str, value: object, default: object = None) -> list[str]:
    return [] if value in (None, default) else [name, str(value)]


def parse_seconds(text: str) -> float:
    """A length of time in seconds.

    Raises
    ------
    UsageError
        If it is not a positive number with the unit ms, s, m or h (none: seconds).

    Examples
    --------
    >>> [parse_seconds(text) for text in ("30s", "2m", "500ms", "1.5")]
    [30.0, 120.0, 0.5, 1.5]
    """
    found = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(ms|s|m|min|h)?\s*", text)
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"--time {text}: give a length of time such as 30s, 2m or 500ms.")
    return float(found[1]) * {"ms": 1e-3, "m": 60.0, "min": 60.0, "h": 3600.0}.get(found[2], 1.0)


def parse_param(text: str) -> tuple[str, Any]:
    """``NAME=VALUE``, the value a Python literal where it is one, else a string.

    Raises
    ------
    UsageError
        If there is no name or no equals sign.

    Examples
    --------
    >>> parse_param("max_iter=50"), parse_param("tol=None"), parse_param("kernel=rbf")
    (('max_iter', 50), ('tol', None), ('kernel', 'rbf'))
    """
    from ast import literal_eval

    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier():
        raise UsageError(f"--param {text}: give NAME=VALUE, for example max_iter=500.")
    try:
        return name.strip(), literal_eval(value.strip())
    except (ValueError, SyntaxError):
        return name.strip(), value.strip()
