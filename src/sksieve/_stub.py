"""Public names of a package, imported on first use; they stand in its ``__init__.pyi``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import lazy_loader


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    `lazy_loader.attach_stub` opens the stub by its path; here it may also lie in a zip file.

    Examples
    --------
    >>> from sksieve._stub import attach
    >>> "select" in attach("sksieve")[2]
    True
    """
    text = files(package).joinpath("__init__.pyi").read_text(encoding="utf-8")
    names: dict[str, list[str]] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names.setdefault(node.module, []).extend(alias.name for alias in node.names)
    return lazy_loader.attach(package, submod_attrs=names)
