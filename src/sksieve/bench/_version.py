"""The version of a method: a digest that changes when its code does."""

from __future__ import annotations

import ast
import hashlib
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).parents[1]

#: Hexadecimal digits of a version.
DIGITS = 16

_COMMENT = re.compile(r"\s*#")

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def method_version(estimator: type) -> str:
    """Digest of the code behind a class.

    Parameters
    ----------
    estimator : type
        A class of this package, or any other.

    Returns
    -------
    str
        For a class of this package `source_version` of its module. For any other class: name and
        version of the distribution it is installed from (nothing if it is from none), and a digest
        of the source files of the class and of its bases in the same top-level package. Versions
        of other packages (NumPy, SciPy, scikit-learn, numba) do not enter.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> method_version(KMeans).startswith("scikit-learn ")
    True
    """
    top = estimator.__module__.partition(".")[0]
    if top == PACKAGE:
        return source_version(estimator.__module__)
    modules = {base.__module__ for base in estimator.__mro__}
    own = sorted(name for name in modules if name.partition(".")[0] == top)
    distributions = sorted(set(_distributions().get(top, ())))
    installed = [f"{name} {metadata.version(name)}" for name in distributions]
    return " ".join([*installed, _digest(map(_source, own))])


def _source(module: str) -> str:
    """Source of an imported module; empty where there is none, as for compiled code."""
    try:
        return inspect.getsource(sys.modules[module])
    except (OSError, TypeError):
        return ""


@cache
def _distributions() -> dict[str, list[str]]:
    return dict(metadata.packages_distributions())


def source_version(module: str, root: Path = ROOT) -> str:
    """Digest of a module and of all modules of its package that it imports, directly or not.

    Parameters
    ----------
    module : str
        Full name, such as ``sksieve.metrics._columns``.
    root : Path
        Folder of the package, whose name is the first part of `module`.

    Returns
    -------
    str
        16 hexadecimal digits. Docstrings, blank lines and lines of comment do not count.

    Notes
    -----
    Imports are read from the source, those inside functions too. A name that an ``__init__``
    re-exports leads to the module that defines it, not to the whole package.

    Examples
    --------
    >>> source_version("sksieve.exceptions") == source_version("sksieve.metrics")
    False
    """
    return _digest(_module(root, name).code for name in sorted(_reached(module, root)))


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:DIGITS]


@cache
def _reached(module: str, root: Path) -> frozenset[str]:
    """The module and all that it imports."""
    reached, waiting = {module}, [module]
    while waiting:
        for name in _module(root, waiting.pop()).imports:
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return frozenset(reached)


@cache
def _module(root: Path, name: str) -> _Module:
    return _Module(root, name)


class _Module:
    """One module of a package, from its source.

    Attributes
    ----------
    code : str
        The source without docstrings, blank lines and lines of comment.
    imports : set of str
        Modules of the package that it imports.
    """

    def __init__(self, root: Path, name: str) -> None:
        path = _path(root, name)
        if path is None:
            raise ModuleNotFoundError(f"{root} has no module {name}.")
        self.root, self.name, self.is_package = root, name, path.name == "__init__.py"
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        self.origins: dict[str, str] = {}
        self.imports = set(self._imported(tree))
        self.code = _without_prose(source, tree)

    def _imported(self, tree: ast.Module) -> Iterator[str]:
        top = self.name.partition(".")[0]
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = (alias.name for alias in node.names)
                yield from (n for n in names if n.partition(".")[0] == top and self._has(n))
            elif isinstance(node, ast.ImportFrom):
                base = self._base(node)
                if base.partition(".")[0] == top:
                    for alias in node.names:
                        self.origins[alias.asname or alias.name] = base
                        yield self._origin(base, alias.name)

    def _base(self, node: ast.ImportFrom) -> str:
        """Full name of the module in ``from ... import``."""
        parts = self.name.split(".")
        kept = len(parts) - node.level + self.is_package if node.level else 0
        return ".".join([*parts[:kept], *([node.module] if node.module else [])])

    def _origin(self, base: str, name: str) -> str:
        """The module that defines `name`, which `base` offers."""
        if self._has(f"{base}.{name}"):
            return f"{base}.{name}"
        if base == self.name or _path(self.root, base).name != "__init__.py":  # type: ignore[union-attr]
            return base
        offered = _module(self.root, base).origins.get(name)
        return self._origin(offered, name) if offered else base

    def _has(self, name: str) -> bool:
        return _path(self.root, name) is not None


def _path(root: Path, name: str) -> Path | None:
    place = root.parent.joinpath(*name.split("."))
    for path in (place / "__init__.py", place.with_suffix(".py")):
        if path.is_file():
            return path
    return None


def _without_prose(source: str, tree: ast.Module) -> str:
    """The lines that are code; inside a text of several lines every line is."""
    prose, text = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            prose |= _lines(node.body[0])
        elif isinstance(node, ast.Constant | ast.JoinedStr) and len(_lines(node)) > 1:
            text |= _lines(node)
    code = []
    for number, line in enumerate(source.splitlines(), start=1):
        is_empty = number not in text and (not line.strip() or _COMMENT.match(line))
        if number not in prose and not is_empty:
            code.append(line.rstrip())
    return "\n".join(code)


def _lines(node: ast.stmt | ast.expr) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
