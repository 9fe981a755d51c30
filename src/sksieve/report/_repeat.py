"""What a reader needs to get the same result: command, Python lines, versions, seed, hash."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, Protocol

import sksieve

from .._versions import versions
from ._text import clean


class Repeatable(Protocol):
    """How a result was made."""

    @property
    def command(self) -> str: ...
    @property
    def data_name(self) -> str: ...
    @property
    def data_sha256(self) -> str: ...
    @property
    def loading(self) -> str: ...
    @property
    def seed(self) -> int | None: ...
    @property
    def created(self) -> datetime | None: ...


def repeat_view(result: Repeatable, python: str) -> dict[str, Any]:
    """All that "How to repeat" shows; `python` is the result as lines of Python."""
    created = result.created or datetime.now(UTC)
    return {
        "command": clean(result.command),
        "python": "\n".join(clean(line) for line in python.split("\n")),
        "versions": versions(),
        "seed": "none (no random numbers, or drawn without a seed)"
        if result.seed is None
        else str(result.seed),
        "sha256": clean(result.data_sha256),
        "created": created.strftime("%Y-%m-%d %H:%M %Z").strip(),
    }


def made_by(est: Any, name: str) -> tuple[str, str]:
    """The line that imports the estimator's class, and that which makes it, called `name`."""
    kind = type(est)
    home = "sksieve" if kind.__name__ in sksieve.__all__ else kind.__module__
    text = est.__repr__(N_CHAR_MAX=100_000).replace("\n", "\n" + len(f"{name} = ") * " ")
    return f"from {home} import {kind.__name__}", f"{name} = {text}"


def loading_lines(result: Repeatable, name: str = "X") -> tuple[list[str], list[str]]:
    """Lines of Python that make the data, the imports apart."""
    loading = result.loading or f"{name} = ...  # {result.data_name!r}"
    if not result.loading and name == "X" and PurePath(result.data_name).suffix:
        call = f"read_table({result.data_name!r}).to_frame()"
        loading = f"from sksieve.io import read_table\nX = {call}"
    lines = loading.strip().splitlines()
    imports = [line for line in lines if line.startswith(("import ", "from "))]
    return imports, [line for line in lines if line not in imports]
