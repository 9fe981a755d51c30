"""The lines of Python that make the same X, for "how to repeat" in the report."""

from __future__ import annotations

from collections.abc import Sequence

from ..catalogue import Method
from ..io._source import COMPRESSED, open_source
from ..io.tables import PREFIX, Table
from ..io.tables._matlab import is_hdf5
from ._columns import Numeric
from ._options import TableOptions

__all__ = ["loading"]


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


def _read(table: Table, options: TableOptions) -> tuple[list[str], bool]:
    """Lines that read the table, and whether they give a data frame."""
    if options.data.startswith(PREFIX):
        name = options.data.removeprefix(PREFIX)
        return ["from sksieve.datasets import load", f"X = load({name!r}).X"], False
    path = options.data.removesuffix(".gz")
    path = path if path.lower().endswith(COMPRESSED) else options.data
    suffix = path[path.rfind(".") :].lower()
    if suffix in (".csv", ".tsv"):
        reader = f"X = pd.read_csv({_csv_arguments(suffix, options)})"
        return ["import pandas as pd", reader, *_csv_names(table, options)], True
    if suffix in (".parquet", ".feather"):
        reader = "read_parquet" if suffix == ".parquet" else "read_feather"
        return ["import pandas as pd", f"X = pd.{reader}({options.data!r})"], True
    return _read_array(table, suffix, options.data), False


def _csv_arguments(suffix: str, options: TableOptions) -> str:
    reading = options.reading
    sep = reading.sep or ("\t" if suffix == ".tsv" else ",")
    sep = {"tab": "\t", "\\t": "\t", "space": " "}.get(sep, sep)
    words = [repr(options.data)]
    words += [] if sep == "," else [f"sep={sep!r}"]
    words += [] if reading.header else ["header=None"]
    words += [] if reading.decimal == "." else [f"decimal={reading.decimal!r}"]
    words += [f"na_values={list(reading.missing)!r}"] if reading.missing else []
    return ", ".join(words)


def _csv_names(table: Table, options: TableOptions) -> list[str]:
    """The line that gives the columns the names they have here, where pandas has others."""
    stored, names = list(table.data.column_names), list(table.columns)
    if not options.reading.header:
        return ["X.columns = [f'x{i}' for i in range(X.shape[1])]"]
    if stored == names:
        return []
    stripped = [name.strip() for name in stored] == names
    return ["X.columns = X.columns.str.strip()" if stripped else f"X.columns = {names}"]


def _read_array(table: Table, suffix: str, data: str) -> list[str]:
    path, name = repr(data), repr(table.array)
    if suffix == ".npz" and not table.array:
        return ["from scipy.sparse import load_npz", f"X = load_npz({path}).tocsr()"]
    if suffix == ".mat" and is_hdf5(open_source(data)):
        if hasattr(table.data, "tocsr"):
            return [f"X = ...  # the sparse matrix {name} of {path}"]
        return ["import h5py", f"X = h5py.File({path})[{name}][()].T"]
    sparse = ".tocsr()" if hasattr(table.data, "tocsr") else ""
    layer = f".layers[{name}]" if table.array != "X" else ".X"
    return {
        ".npy": ["import numpy as np", f"X = np.load({path}, allow_pickle=False)"],
        ".npz": ["import numpy as np", f"X = np.load({path}, allow_pickle=False)[{name}]"],
        ".mtx": ["from scipy.io import mmread", f"X = mmread({path}){sparse}"],
        ".mat": ["from scipy.io import loadmat", f"X = loadmat({path})[{name}]{sparse}"],
        ".h5ad": ["import anndata", f"X = anndata.read_h5ad({path}){layer}"],
    }[suffix]


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
