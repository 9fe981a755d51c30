"""Lines of Python that read the same data, for "How to repeat" in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..catalogue import Method
from ..io.tables import PREFIX, Table
from ._cluster_options import CommunityOptions
from ._columns import Numeric
from ._options import TableOptions

__all__ = ["graph_loading", "loading"]

READ_TABLE = "from sksieve.io import read_table"
READ_GRAPH = "from sksieve.io import read_graph"


def loading(table: Table, numeric: Numeric, method: Method, options: TableOptions) -> str:
    """Python source that makes ``X``, empty for standard input.

    Parameters
    ----------
    table : Table
        As read.
    numeric : Numeric
        What was chosen from.
    method : Method
        Column subset methods scale by themselves; for others the scaling is part of the lines.
    options : TableOptions
    """
    if options.data == "-":
        return ""
    if options.encode is not None:
        return f"X = ...  # {options.data} after: {options.command()}"
    lines, frame = _read(table, options)
    if len(numeric.names) < len(table.columns):
        lines.append(_kept(table.columns, numeric.names, frame))
    steps = []
    if options.impute is not None:
        steps.append(("impute", "SimpleImputer", f"strategy={options.impute!r}"))
    if method.kind != "columns" and options.scale == "standard":
        steps.append(("preprocessing", "StandardScaler", ""))
    pandas = '.set_output(transform="pandas")' if frame else ""
    for module, name, arguments in steps:
        lines.insert(0, f"from sklearn.{module} import {name}")
        lines.append(f"X = {name}({arguments}){pandas}.fit_transform(X)")
    if method.kind != "columns" and options.scale == "unit":
        lines.insert(0, "from sklearn.preprocessing import normalize")
        lines.append("X = normalize(X, axis=0)")
    return "\n".join(lines)


def graph_loading(options: CommunityOptions) -> str:
    """Python source that makes the adjacency matrix ``A``, empty for standard input."""
    if options.data == "-":
        return ""
    given = {**vars(options.graph), "largest": options.largest or None}
    return f"{READ_GRAPH}\nA = {_call('read_graph', options.data, given)}.A"


def _read(table: Table, options: TableOptions) -> tuple[list[str], bool]:
    """Lines that read the table, and whether they give a data frame."""
    if options.data.startswith(PREFIX):
        name = options.data.removeprefix(PREFIX)
        return ["from sksieve.datasets import load", f"X = load({name!r}).X"], False
    frame = hasattr(table.data, "column_names") or table.text is not None
    reading = options.reading
    changed = {
        name: value
        for name, value in vars(reading).items()
        if value != getattr(type(reading), name)
    }
    call = _call("read_table", options.data, changed)
    return [READ_TABLE, f"X = {call}.{'to_frame()' if frame else 'data'}"], frame


def _call(function: str, data: str, given: Mapping[str, object]) -> str:
    """A call of a reader with the parameters that are not None."""
    words = [f"{name}={value!r}" for name, value in given.items() if value is not None]
    return f"{function}({', '.join([repr(data), *words])})"


def _kept(columns: Sequence[str], names: Sequence[str], frame: bool) -> str:
    """The line that leaves out columns: by name, or by number in an array."""
    wanted = set(names)
    gone = [i for i, name in enumerate(columns) if name not in wanted]
    kept = [i for i, name in enumerate(columns) if name in wanted]
    if not frame:
        return f"X = X[:, {kept}]"
    if len(gone) <= len(kept):
        return f"X = X.drop(columns={[columns[i] for i in gone]})"
    return f"X = X[{list(names)}]"
