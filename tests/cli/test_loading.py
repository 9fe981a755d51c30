"""The lines of Python in the report make the same table the estimator saw."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from sksieve.catalogue import Method, get_method
from sksieve.cli._columns import numeric_columns
from sksieve.cli._fit import prescaled
from sksieve.cli._loading import loading
from sksieve.cli._matrix import checked
from sksieve.cli._options import SelectOptions
from sksieve.io.tables import ReadOptions, read_table

SELECTOR = replace(get_method("lapscore"), name="any", class_name="Any", title="any selector")


def both(options: SelectOptions, method: Method) -> tuple[Any, Any]:
    """What the lines make, and what the estimator sees."""
    table = read_table(options.data, **vars(options.reading))
    numeric = numeric_columns(table, options)
    numeric = checked(table.name, numeric, impute=options.impute, k=options.k)
    space: dict[str, Any] = {}
    exec(loading(table, numeric, method, options), space)
    made = space["X"]
    if hasattr(made, "columns"):
        assert made.columns.tolist() == numeric.names
    made = made.toarray() if sp.issparse(made) else np.asarray(made, dtype=float)
    seen = prescaled(method, numeric.X, options.scale)
    return made, seen.toarray() if sp.issparse(seen) else seen


def agree(path: Path | str, method: Method | None = None, **options: Any) -> None:
    method = method or get_method("greedy")
    made, seen = both(SelectOptions(str(path), 1, **options).scaled_for(method), method)
    np.testing.assert_allclose(made, seen, rtol=1e-12)


def test_text(csv, tmp_path):
    agree(csv, drop=("group",))
    agree(csv, label_column="group", drop=("p*", "age"))
    other = tmp_path / "o.csv"
    other.write_text("1,5;2;2\n2;-9;3\n4;5;1\n")
    agree(other, reading=ReadOptions(None, ";", ",", False, ("-9",)), impute="mean")


@pytest.mark.parametrize(
    ("text", "header", "drop"),
    [
        ("a, Größe (cm) ,c\n1,2,4\n2,1,3\n4,4,1\n", True, "Größe (cm)"),
        ("a,,c\n1,2,4\n2,1,3\n4,4,1\n", True, "unnamed_1"),
        ("a, ,\n1,2,4\n2,1,3\n4,4,1\n", True, "a"),
        ("1,2,4\n2,1,3\n4,4,1\n", False, "x1"),
    ],
)
def test_names_that_pandas_would_read_otherwise(tmp_path, text, header, drop):
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    agree(path, reading=ReadOptions(header=header))
    agree(path, reading=ReadOptions(header=header), drop=(drop,))


@pytest.mark.parametrize("scale", ["unit", "standard", "none"])
def test_scaling_of_other_selectors(csv, values, tmp_path, scale):
    agree(csv, SELECTOR, drop=("group",), scale=scale)
    np.save(tmp_path / "a.npy", values)
    agree(tmp_path / "a.npy", SELECTOR, drop=("x1",), scale=scale)


def test_arrays(values, tmp_path):
    np.savez(tmp_path / "a.npz", fea=values)
    agree(tmp_path / "a.npz", columns=("x[13]",))
    sp.save_npz(tmp_path / "s.npz", sp.csc_array(values))
    agree(tmp_path / "s.npz")
    scipy.io.savemat(tmp_path / "a.mat", {"fea": values, "s": sp.csc_array(values)})
    agree(tmp_path / "a.mat", reading=ReadOptions("fea"), drop=("x0",))
    agree(tmp_path / "a.mat", reading=ReadOptions("s"))
    with h5py.File(tmp_path / "b.mat", "w", userblock_size=512) as file:
        file["X"] = values.T
    agree(tmp_path / "b.mat")
    scipy.io.mmwrite(tmp_path / "a.mtx", sp.coo_array(values))
    agree(tmp_path / "a.mtx")


def test_tables_of_columns(values, tmp_path):
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    frame = pa.table({"a": values[:, 0], "b": [None, *range(29)], "c": values[:, 1]})
    pyarrow.parquet.write_table(frame, tmp_path / "a.parquet")
    agree(tmp_path / "a.parquet", impute="median")
    pyarrow.feather.write_feather(frame, tmp_path / "a.feather")
    agree(tmp_path / "a.feather", drop=("b",))


def test_h5ad(values, tmp_path):
    anndata = pytest.importorskip("anndata")
    anndata.AnnData(values, layers={"half": values / 2}).write_h5ad(tmp_path / "a.h5ad")
    agree(tmp_path / "a.h5ad")
    agree(tmp_path / "a.h5ad", reading=ReadOptions("half"), drop=("3",))


def test_data_sets():
    agree("dataset:wine", drop=("proline",))


def test_what_cannot_be_said_in_lines_says_so(csv):
    options = SelectOptions(str(csv), 1, encode="onehot")
    table = read_table(options.data, **vars(options.reading))
    numeric = numeric_columns(table, options)
    said = loading(table, numeric, get_method("greedy"), options)
    assert said.startswith("X = ...  # ")
    assert options.command() in said
