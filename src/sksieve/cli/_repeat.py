"""The lines of Python that make the same data, for "How to repeat" in the report."""

from __future__ import annotations

from typing import Any

from ..catalogue import Method
from ..io import Table
from ._options import CommunityOptions, TableOptions
from ._prepare import Numeric

__all__ = ["graph_lines", "table_lines"]


def _call(function: str, data: str, reading: dict[str, Any], defaults: dict[str, Any]) -> str:
    given = [f"{name}={value!r}" for name, value in reading.items() if value != defaults[name]]
    return f"{function}({', '.join([repr(data), *given])})"


def table_lines(
    table: Table, numeric: Numeric, options: TableOptions, method: Method | None, scale: str
) -> str:
    """Python source that makes ``X``, empty for standard input.

    Parameters
    ----------
    table : Table
        As read.
    numeric : Numeric
        What was chosen from.
    options : TableOptions
    method : Method or None
        Column subset methods scale by themselves; for others the scaling is part of the lines.
    scale : str
    """
    if options.data == "-":
        return ""
    if options.encode is not None:
        return f"X = ...  # {options.data} after: {options.command_line()}"
    imports = ["from sksieve.io import read_table"]
    defaults = {"name": None, "sep": None, "decimal": ".", "header": True, "missing": ()} | {
        "encoding": None
    }
    lines = [f"table = {_call('read_table', options.data, options.reading, defaults)}"]
    if frame := not hasattr(table.data, "tocsr"):
        lines.append("X = table.to_frame()" + _frame_columns(table, numeric))
    else:
        lines.append("X = table.data" + _array_columns(table, numeric))
    if numeric.rows is not None:
        lines.append("X = X.dropna()" if frame else f"X = X[{numeric.rows.tolist()}]")
    pandas = '.set_output(transform="pandas")' if frame else ""
    if options.impute in ("median", "mean"):
        imports.append("from sklearn.impute import SimpleImputer")
        lines.append(f"X = SimpleImputer(strategy={options.impute!r}){pandas}.fit_transform(X)")
    elif options.impute == "knn":
        imports.append("from sklearn.impute import KNNImputer")
        lines.append("spread = X.std(ddof=0).replace(0, 1)")
        lines.append(f"X = KNNImputer(){pandas}.fit_transform(X / spread) * spread")
    if method is not None and method.kind != "columns" and scale == "standard":
        imports.append("from sklearn.preprocessing import StandardScaler")
        lines.append(f"X = StandardScaler(){pandas}.fit_transform(X)")
    if method is not None and method.kind != "columns" and scale == "unit":
        imports.append("from sklearn.preprocessing import normalize")
        lines.append("X = normalize(X, axis=0)")
    return "\n".join([*imports, *lines])


def _frame_columns(table: Table, numeric: Numeric) -> str:
    kept = set(numeric.names)
    gone = [name for name in table.columns if name not in kept]
    if not gone:
        return ""
    if len(gone) <= len(kept):
        return f".drop(columns={gone})"
    return f"[{numeric.names}]"


def _array_columns(table: Table, numeric: Numeric) -> str:
    kept = set(numeric.names)
    places = [i for i, name in enumerate(table.columns) if name in kept]
    return "" if len(places) == len(table.columns) else f"[:, {places}]"


def graph_lines(options: CommunityOptions) -> str:
    """Python source that makes the adjacency matrix ``A``, empty for standard input."""
    if options.data == "-":
        return ""
    reading = options.reading
    defaults = dict.fromkeys(reading) | {"largest": False}
    call = _call("read_graph", options.data, reading, defaults)
    return f"from sksieve.io import read_graph\nA = {call}.A"
