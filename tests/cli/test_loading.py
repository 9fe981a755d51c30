"""The lines of Python in the report make the same table the estimator saw."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from sksieve.catalogue import Method, get_method
from sksieve.cli._data import read_numeric, table_lines
from sksieve.workflows._methods import prescaled, suitable_scale

from .conftest import parsed

SELECTOR = replace(get_method("lapscore"), name="any", class_name="Any", title="any selector")


def both(method: Method, *words: object) -> tuple[Any, Any]:
    """What the lines make, and what the estimator sees."""
    options = parsed("select", *words, "-k", 1)
    numeric = read_numeric(options)
    scale = options.scale if options.scale != "auto" else suitable_scale(method, sparse=False)[0]
    space: dict[str, Any] = {}
    exec(table_lines(numeric, options, method, scale), space)
    made = space["X"]
    if hasattr(made, "columns"):
        assert made.columns.tolist() == numeric.columns
    made = made.toarray() if sp.issparse(made) else np.asarray(made, dtype=float)
    seen = prescaled(method, numeric.X, scale)
    return made, seen.toarray() if sp.issparse(seen) else seen


def agree(*words: object, method: Method | None = None) -> None:
    made, seen = both(method or get_method("greedy"), *words)
    np.testing.assert_allclose(made, seen, rtol=1e-12)


def test_text(csv, tmp_path):
    agree(csv, "--drop", "group")
    agree(csv, "--label-column", "group", "--drop", "p*,age")
    other = tmp_path / "o.csv"
    other.write_text("1,5;2;2\n2;-9;3\n4;5;1\n")
    agree(
        other, "--sep", ";", "--decimal", ",", "--no-header", "--missing", "-9", "--impute", "mean"
    )


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
    words = [path, *([] if header else ["--no-header"])]
    agree(*words)
    agree(*words, "--drop", drop)


@pytest.mark.parametrize("scale", ["unit", "standard", "minmax", "none"])
def test_scaling_of_other_selectors(csv, values, tmp_path, scale):
    agree(csv, "--drop", "group", "--scale", scale, method=SELECTOR)
    np.save(tmp_path / "a.npy", values)
    agree(tmp_path / "a.npy", "--drop", "x1", "--scale", scale, method=SELECTOR)


def test_arrays(values, tmp_path):
    np.savez(tmp_path / "a.npz", fea=values)
    agree(tmp_path / "a.npz", "--columns", "x[13]")
    sp.save_npz(tmp_path / "s.npz", sp.csc_array(values))
    agree(tmp_path / "s.npz")
    scipy.io.savemat(tmp_path / "a.mat", {"fea": values, "s": sp.csc_array(values)})
    agree(tmp_path / "a.mat", "--name", "fea", "--drop", "x0")
    agree(tmp_path / "a.mat", "--name", "s")
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
    agree(tmp_path / "a.parquet", "--impute", "median")
    pyarrow.feather.write_feather(frame, tmp_path / "a.feather")
    agree(tmp_path / "a.feather", "--drop", "b")


def test_h5ad(values, tmp_path):
    anndata = pytest.importorskip("anndata")
    anndata.AnnData(values, layers={"half": values / 2}).write_h5ad(tmp_path / "a.h5ad")
    agree(tmp_path / "a.h5ad")
    agree(tmp_path / "a.h5ad", "--name", "half", "--drop", "3")


def test_data_sets():
    agree("dataset:wine", "--drop", "proline")


@pytest.mark.parametrize("by", ["mean", "knn"])
def test_missing_values(csv, values, tmp_path, by):
    import pandas as pd

    frame = pd.DataFrame(values, columns=list("abcde"))
    frame.iloc[[1, 5, 9], [0, 2, 2]] = np.nan
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    agree(tmp_path / "gaps.csv", "--impute", by)
    agree(tmp_path / "gaps.csv", "--drop-missing", "rows")
    agree(tmp_path / "gaps.csv", "--drop-missing", "columns:0.05", "--impute", by)


def test_encoded_columns_and_columns_left_out(csv, tmp_path):
    agree(csv, "--encode", "onehot")
    agree(csv, "--numeric-only", "--scale", "minmax")
    path = tmp_path / "rows.csv"
    path.write_text("id,a,class\n" + "".join(f"{i},{i * i % 7},{i % 2}\n" for i in range(12)))
    agree(path)
    agree(path, "--include", "id,class")


def test_a_secret_in_an_address_is_not_printed(invoke, monkeypatch):
    from sksieve.io.tables import _places

    text = b"a,b,c\n" + b"".join(b"%d,%d,%d\n" % (i, i * i % 7, i % 3) for i in range(20))
    monkeypatch.setattr(_places, "_content", lambda data: text)
    address = "https://ann:secret@example.org/t.csv?token=secret"
    for words in (("-k", 1), ("-k", 1, "--json"), ("-k", 1, "--drop", "nothing")):
        result = invoke("select", address, *words)
        assert "secret" not in result.output
    assert "https://example.org/t.csv" in invoke("select", address, "-k", 1, "--json").stdout
