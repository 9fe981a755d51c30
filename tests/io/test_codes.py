"""Codes for missing values in files that store numbers."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from sksieve.exceptions import DataError
from sksieve.io import numeric_table, read_table


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_codes_in_columns_become_missing(tmp_path, suffix):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / f"a.{suffix}"
    table = pa.table({"n": [1, -200, 3, -200], "x": [0.5, 2.5, -200.0, 1.0], "t": list("ab?a")})
    write = pytest.importorskip(f"pyarrow.{suffix}")
    (write.write_table if suffix == "parquet" else write.write_feather)(table, path)
    data = read_table(path, missing=["-200", "?"]).data
    assert data.column("n").to_pylist() == [1, None, 3, None]
    assert data.column("x").to_pylist() == [0.5, 2.5, None, 1.0]
    assert data.column("t").to_pylist() == ["a", "b", None, "a"]
    assert data.schema.types == table.schema.types


@pytest.mark.parametrize("suffix", ["json", "jsonl", "xlsx"])
def test_codes_in_records_and_workbooks_become_missing(tmp_path, suffix):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"n": [1, -200, 3], "x": [0.5, "?", -200.0], "t": ["a", "?", "-200"]})
    path = tmp_path / f"a.{suffix}"
    if suffix == "xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=suffix == "jsonl")
    data = read_table(path, missing=["-200", "?"]).data
    assert data.to_pydict() == {
        "n": [1, None, 3], "x": [0.5, None, None], "t": ["a", None, None]
    }  # fmt: skip


@pytest.mark.parametrize("suffix", ["npz", "mat", "h5ad", "mtx"])
def test_codes_in_stored_arrays_become_missing(tmp_path, suffix):
    X = np.arange(20.0).reshape(10, 2)
    X[3, 0] = X[7, 1] = -200
    path = tmp_path / f"a.{suffix}"
    expected = np.where(X == -200, np.nan, X)
    if suffix == "npz":
        np.savez(path, X=X)
    elif suffix == "mat":
        scipy.io.savemat(path, {"X": X})
    elif suffix == "h5ad":
        pytest.importorskip("anndata").AnnData(X).write_h5ad(path)
    else:
        scipy.io.mmwrite(path, sp.csr_array(X))
        with pytest.raises(DataError, match="is sparse: its zeros are not stored"):
            read_table(path, missing=["0"])
    data = read_table(path, missing=["-200"]).data
    np.testing.assert_array_equal(data.toarray() if sp.issparse(data) else data, expected)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_codes_in_arrays_become_missing(tmp_path, dtype):
    X = np.arange(20, dtype=dtype).reshape(10, 2) ** 2
    X[3, 0] = X[7, 1] = -200
    np.save(tmp_path / "a.npy", X)
    table = read_table(tmp_path / "a.npy", missing=["-200"])
    expected = X.astype(np.float64)
    expected[expected == -200] = np.nan
    np.testing.assert_array_equal(table.data, expected)
    assert table.data.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert numeric_table(table, impute="median").missing.tolist() == [0.1, 0.1]
