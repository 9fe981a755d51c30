"""What a reader needs to get the same result: command, Python lines, versions, seed, hash."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import sksieve

from ._words import clean

if TYPE_CHECKING:
    from ._cluster_result import ClusteringResult
    from ._comparison import ComparisonResult
    from ._result import SelectionResult

__all__ = [
    "comparison_lines",
    "made_by",
    "python_lines",
    "repeat_view",
    "split_imports",
    "versions",
]


def repeat_view(
    result: SelectionResult | ClusteringResult | ComparisonResult, python: str
) -> dict[str, Any]:
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
    made = est.__repr__(N_CHAR_MAX=100_000).replace("\n", "\n" + len(f"{name} = ") * " ")
    return f"from {home} import {kind.__name__}", f"{name} = {made}"


def split_imports(loading: str) -> tuple[list[str], list[str]]:
    """Lines of Python, the imports apart."""
    lines = loading.strip().splitlines()
    imports = [line for line in lines if line.startswith(("import ", "from "))]
    return imports, [line for line in lines if line not in imports]


def python_lines(result: SelectionResult) -> str:
    """The selection as about ten lines of Python."""
    est = result.estimator
    imports, body = _loading(result)
    if result.scale == "minmax":
        imports.append("from sklearn.preprocessing import MinMaxScaler")
        body.append('X = MinMaxScaler().set_output(transform="pandas").fit_transform(X)')
    home, made = made_by(est, "selector")
    imports.append(home)
    body += [made, "selector.fit(X)", "print(selector.get_feature_names_out())"]
    if hasattr(est, "error_path_"):
        k = int(est.n_features_to_select_)
        body.append(f"print(1 - selector.error_path_[{k}] / selector.error_path_[0])")
    body.append("X_small = selector.transform(X)")
    return "\n".join([*imports, "", *body])


def comparison_lines(result: ComparisonResult) -> str:
    """The comparison as a few lines of Python."""
    imports, body = _loading(result)
    limit = "" if result.time_limit is None else f", time_limit={result.time_limit:g}"
    names = [row.method for row in result.rows]
    return "\n".join(
        [
            *imports,
            "from sksieve.evaluation import compare",
            "",
            *body,
            f"methods = {names}",
            f"table = compare(X, {result.k}, methods, random_state={result.seed}{limit})",
            "print(table.to_string())",
        ]
    )


def _loading(result: SelectionResult | ComparisonResult) -> tuple[list[str], list[str]]:
    if result.loading:
        return split_imports(result.loading)
    if PurePath(result.data_name).suffix:
        read = f"X = read_table({result.data_name!r}).to_frame()"
        return ["from sksieve.io import read_table"], [read]
    return [], [f"X = ...  # the table {result.data_name!r}"]


def versions() -> dict[str, str]:
    """Version of the package and of everything its numbers depend on."""
    found = {"scikit-sieve": sksieve.__version__, "Python": platform.python_version()}
    for package in ("numpy", "scipy", "scikit-learn", "numba"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # vendored or installed without metadata
            found[package] = "unknown"
    return found | {"System": f"{platform.system()} {platform.machine()}"}
