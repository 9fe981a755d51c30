"""Codes for missing values in files that store numbers."""

import numpy as np
import pytest

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
