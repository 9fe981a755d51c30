"""Every kind of frame: the columns and names of a NumPy array, or one sentence."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import sksieve
from sksieve import GreedyCSS, IterFS, LaplacianScore, SpectralGraph, VarianceRank
from sksieve.exceptions import DataError, TooLargeError
from sksieve.io import numeric_table

N, D = 60, 8
NAMES = [f"column {i}" for i in range(D)]


def values():
    rng = np.random.RandomState(0)
    return rng.normal(size=(N, 3)) @ rng.normal(size=(3, D)) + 0.3 * rng.normal(size=(N, D))


CONNECTIONS = []


def as_pandas():
    return pd.DataFrame(values(), columns=NAMES)


def as_duckdb():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    CONNECTIONS.append(connection)  # older relations do not keep it
    connection.register("t", as_pandas())
    return connection.sql("select * from t")


def as_dask_frame():
    pytest.importorskip("dask.dataframe")
    import dask.dataframe as dd

    return dd.from_pandas(as_pandas(), npartitions=3)


def as_reader():
    table = pa.Table.from_pandas(as_pandas())
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=17))


KINDS = {
    "pandas": as_pandas,
    "polars": lambda: pl.from_pandas(as_pandas()),
    "LazyFrame": lambda: pl.from_pandas(as_pandas()).lazy(),
    "Table": lambda: pa.Table.from_pandas(as_pandas()),
    "RecordBatch": lambda: pa.RecordBatch.from_pandas(as_pandas()),
    "RecordBatchReader": as_reader,
    "DuckDB": as_duckdb,
    "dask frame": as_dask_frame,
}
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
@pytest.mark.parametrize(
    "make",
    [
        lambda: GreedyCSS(3),
        lambda: IterFS(3, solver="factored", random_state=0),
        lambda: GreedyCSS("auto"),
        lambda: VarianceRank(3),
        lambda: LaplacianScore(3),
    ],
    ids=["one pass", "factored", "auto", "variance", "graph"],
)
def test_selectors_choose_as_from_numpy(kind, make):
    plain = make().fit(values())
    est = make().fit(KINDS[kind]())
    np.testing.assert_array_equal(est.ranking_, plain.ranking_)
    assert list(est.feature_names_in_) == NAMES
    chosen = [NAMES[j] for j in np.flatnonzero(plain.get_support())]
    assert list(est.get_feature_names_out()) == chosen
    np.testing.assert_allclose(np.asarray(est.transform(KINDS[kind]())), plain.transform(values()))


@every_kind
def test_clusterers_find_the_groups_of_numpy(kind):
    plain = SpectralGraph(3, random_state=0).fit(values())
    est = SpectralGraph(3, random_state=0).fit(KINDS[kind]())
    np.testing.assert_array_equal(est.labels_, plain.labels_)
    assert list(est.feature_names_in_) == NAMES


@every_kind
def test_names_are_checked_again(kind):
    est = VarianceRank(3).fit(KINDS[kind]())
    other = pl.from_pandas(as_pandas()).rename({"column 0": "another"})
    with pytest.raises(ValueError, match="feature names should match"):
        est.transform(other)


@every_kind
def test_partial_fit_takes_every_kind(kind):
    est = GreedyCSS(3).partial_fit(KINDS[kind]()).partial_fit(KINDS[kind]())
    np.testing.assert_array_equal(est.ranking_, GreedyCSS(3).fit(values()).ranking_)
    assert est.n_samples_seen_ == 2 * N


@every_kind
def test_numeric_table_takes_every_kind(kind):
    numeric = numeric_table(KINDS[kind]())
    np.testing.assert_array_equal(numeric.X, values())
    assert numeric.columns == NAMES


@pytest.mark.parametrize("kind", ["LazyFrame", "RecordBatchReader", "DuckDB", "dask frame"])
def test_one_pass_holds_batches_only(kind, monkeypatch):
    from sksieve import _frames

    def never(X):
        raise AssertionError("collected")

    monkeypatch.setattr("sksieve.columns._base.collected", never)
    monkeypatch.setattr(_frames, "BATCH_ROWS", 20)
    est = GreedyCSS(3).fit(KINDS[kind]())
    np.testing.assert_array_equal(est.ranking_, GreedyCSS(3).fit(values()).ranking_)


@pytest.mark.parametrize("kind", ["LazyFrame", "RecordBatchReader", "DuckDB", "dask frame"])
def test_what_is_collected_keeps_to_the_limit(kind):
    with (
        sksieve.config_context(memory_limit=500),
        pytest.raises(TooLargeError, match=r"The first \d+ rows of the \w+ would need"),
    ):
        VarianceRank(3).fit(KINDS[kind]())


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]}), "of text: 'a' .for example 'x'"),
        (pa.table({"a": pa.array(["x", "y"]).dictionary_encode(), "b": [1, 2]}), "of text: 'a'"),
        (pl.DataFrame({"a": [1, 2], "t": [3, 4]}).with_columns(pl.col("t").cast(pl.Date)),
         "dates or durations in column 't'"),
        (pa.table([[1, 2], [3, 4]], names=["a", "a"]), "several columns with the name 'a'"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "several columns with the name 'a'"),
        (pl.DataFrame({"a": [1.0, None, 3.0], "b": [1, 2, 3]}), r"missing .* column 'a' .1."),
        (pl.DataFrame({"a": [[1], [2]], "b": [1, 2]}), "hold no numbers: 'a'"),
        (pl.DataFrame({"a": [1.0], "b": [2.0]}).filter(pl.col("a") > 5).lazy(), "has no rows"),
    ],
)  # fmt: skip
def test_frames_refused(frame, message):
    with pytest.raises(DataError, match=message):
        VarianceRank(1).fit(frame)


def test_mudata_names_the_table_to_give():
    mudata = pytest.importorskip("mudata")
    anndata = pytest.importorskip("anndata")
    parts = {"rna": anndata.AnnData(values()), "atac": anndata.AnnData(values())}
    for part in parts.values():
        part.obs_names, part.var_names = [str(i) for i in range(N)], NAMES
    parts["atac"].var_names = [f"peak {i}" for i in range(D)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of mudata's own
        mdata = mudata.MuData(parts)
    for est in (VarianceRank(3), GreedyCSS(3), SpectralGraph(2)):
        with pytest.raises(DataError, match=r"2 tables: 'rna', 'atac'\. .* such as mdata\['rna'\]"):
            est.fit(mdata)


@pytest.mark.parametrize("sparse", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize(
    "est", [GreedyCSS(3, scale="none"), GreedyCSS(3, solver="factored"), VarianceRank(3)]
)
def test_dask_arrays_of_sparse_blocks(sparse, est):
    da = pytest.importorskip("dask.array")
    X = np.where(values() > 0.5, values(), 0.0)
    blocks = da.from_array(X, chunks=(20, D)).map_blocks(sparse)
    from sklearn.base import clone

    got, plain = clone(est).fit(blocks), clone(est).fit(sp.csr_array(X))
    np.testing.assert_array_equal(got.ranking_, plain.ranking_)


@pytest.mark.parametrize("scale", ["standard", "none"])
@pytest.mark.parametrize("has_target", [False, True])
def test_dask_arrays_of_sparse_blocks_with_fewer_rows_than_columns(scale, has_target):
    da = pytest.importorskip("dask.array")
    X = np.where(values() > 0.5, values(), 0.0).T
    target = X[:, :2] ** 2 if has_target else None
    blocks = da.from_array(X, chunks=(3, N)).map_blocks(sp.csr_array)
    est = GreedyCSS(3, scale=scale, solver="gram")
    got = est.fit(blocks, target=target).ranking_[:3]
    np.testing.assert_array_equal(got, est.fit(sp.csr_array(X), target=target).ranking_[:3])


@pytest.mark.parametrize("est", [VarianceRank(2), LaplacianScore(2), sksieve.MCFS(2)])
def test_indices_of_two_types(est):
    X = sp.csr_array(np.where(values() > 0.5, values(), 0.0))
    plain = est.fit(X).ranking_
    X.indices = X.indices.astype(np.int64)
    np.testing.assert_array_equal(est.fit(X).ranking_, plain)
    assert X.indices.dtype == np.int64  # the caller's


@pytest.mark.parametrize("kind", ["polars", "pandas"])
def test_set_output_keeps_the_types_of_columns(kind):
    frame = pl.DataFrame(
        {
            "single": np.arange(12, dtype=np.float32) ** 2,
            "yes": np.arange(12) % 2 == 0,
            "flat": np.ones(12),
        }
    )
    frame = frame if kind == "polars" else frame.to_pandas()
    est = VarianceRank(2).set_output(transform=kind).fit(frame)
    out = est.transform(frame)
    assert type(out) is type(frame)
    assert list(out.columns) == ["single", "yes"]
    types = list(out.dtypes)
    assert types == [frame["single"].dtype, frame["yes"].dtype]


def test_batches_without_a_frame_library_stay_what_they_are():
    blocks = (values()[i : i + 20] for i in range(0, N, 20))
    np.testing.assert_array_equal(
        GreedyCSS(3).fit(blocks).ranking_, GreedyCSS(3).fit(values()).ranking_
    )
