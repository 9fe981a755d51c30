"""`sksieve.anndata`: what is written, and where; backed files are read in blocks."""

from __future__ import annotations

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sksieve import GreedyCSS, IterFS, VarianceRank
from sksieve.anndata import select_columns
from sksieve.exceptions import DataError

NAMES = [f"gene{j}" for j in range(12)]


def cells(m=60, seed=0, form=sp.csr_matrix):
    rng = np.random.default_rng(seed)
    X = np.log1p(rng.poisson(rng.gamma(1.0, 1.0, (m, 3)) @ rng.gamma(0.5, 2.0, (3, 12))))
    obs = pd.DataFrame({"batch": np.where(np.arange(m) % 3 == 0, "a", "b")})
    return anndata.AnnData(
        form(X), obs=obs.set_index(obs.index.astype(str)), var=pd.DataFrame(index=NAMES)
    )


@pytest.mark.parametrize("form", [sp.csr_matrix, np.asarray])
def test_what_is_written(form):
    adata = cells(form=form)
    assert select_columns(adata, 4) is None
    est = IterFS(4, init="greedy", random_state=0).fit(adata.X)
    chosen = np.flatnonzero(adata.var["highly_variable"])
    assert set(chosen) == set(est.ranking_[:4])
    rank = adata.var["highly_variable_rank"]
    assert [NAMES.index(name) for name in rank.sort_values().index[:4]] == est.ranking_[:4].tolist()
    assert rank.isna().sum() == 8
    np.testing.assert_allclose(adata.var["explained_by"], est.explained_by_)
    assert adata.var["explained_by"][rank.notna()].min() == 1.0
    hvg = adata.uns["hvg"]
    assert hvg["flavor"] == "sksieve"
    assert hvg["method"] == "IterFS"
    assert hvg["parameters"]["n_features_to_select"] == 4


def test_what_is_written_can_be_saved(tmp_path):
    adata = cells()
    select_columns(adata, 4, batch_key="batch")
    adata.write_h5ad(tmp_path / "a.h5ad")
    again = anndata.read_h5ad(tmp_path / "a.h5ad")
    assert (again.var["highly_variable"] == adata.var["highly_variable"]).all()
    assert again.uns["hvg"]["batch_key"] == "batch"


@pytest.mark.parametrize("selector", [GreedyCSS(3), VarianceRank(3)])
def test_any_selector_and_a_layer(selector):
    adata = cells(form=np.asarray)
    adata.layers["squared"] = adata.X**2
    before = adata.X.copy()
    select_columns(adata, selector, layer="squared")
    expected = type(selector)(3).fit(adata.X**2).get_support()
    np.testing.assert_array_equal(adata.var["highly_variable"], expected)
    assert not hasattr(selector, "ranking_")
    assert adata.uns["hvg"]["layer"] == "squared"
    assert ("explained_by" in adata.var) == isinstance(selector, GreedyCSS)
    np.testing.assert_array_equal(adata.X, before)


def test_names_of_candidates_and_of_kept_genes():
    adata = cells()
    adata.layers["same"] = adata.X.copy()
    for layer in (None, "same"):
        select_columns(adata, IterFS(3, candidates=NAMES[:6], keep=["gene5"]), layer=layer)
        chosen = set(adata.var_names[adata.var["highly_variable"]])
        assert "gene5" in chosen
        assert chosen <= set(NAMES[:6])


def test_batches_are_chosen_from_by_themselves():
    adata = cells(90)
    select_columns(adata, 4, batch_key="batch")
    ranks = np.full((2, 12), np.nan)
    for i, batch in enumerate("ab"):
        rows = np.flatnonzero(adata.obs["batch"] == batch)
        est = IterFS(4, init="greedy", random_state=0).fit(adata.X[rows])
        ranks[i, est.ranking_[:4]] = np.arange(4)
    times = (~np.isnan(ranks)).sum(axis=0)
    np.testing.assert_array_equal(adata.var["highly_variable_nbatches"], times)
    np.testing.assert_array_equal(adata.var["highly_variable_intersection"], times == 2)
    chosen = adata.var["highly_variable"].to_numpy()
    assert chosen.sum() == 4
    assert times[chosen].min() >= times[~chosen].max()
    median = np.nanmedian(ranks[:, times > 0], axis=0)
    np.testing.assert_array_equal(adata.var["highly_variable_rank"][times > 0], median)
    assert "explained_by" not in adata.var


def test_only_the_chosen_are_left():
    adata = cells()
    select_columns(adata, 5, subset=True)
    assert adata.shape == (60, 5)
    assert adata.var["highly_variable"].all()


@pytest.mark.parametrize("solver", ["gram", "factored"])
@pytest.mark.parametrize("form", [sp.csr_matrix, np.asarray])
def test_backed_files_are_read_in_blocks(tmp_path, monkeypatch, solver, form):
    cells(form=form).write_h5ad(tmp_path / "a.h5ad")
    backed = anndata.read_h5ad(tmp_path / "a.h5ad", backed="r")

    def refuse(self, *_):
        raise AssertionError("the whole file is loaded")

    monkeypatch.setattr(anndata.AnnData, "to_memory", refuse)
    selector = IterFS(3, keep=["gene2"], init="greedy", solver=solver, random_state=0)
    est = selector.fit(backed)
    X = cells(form=form).X
    inside = IterFS(3, keep=[2], init="greedy", solver=solver, random_state=0).fit(X)
    np.testing.assert_array_equal(est.ranking_, inside.ranking_)
    assert list(est.feature_names_in_) == NAMES
    assert "gene2" in est.get_feature_names_out()
    select_columns(backed, selector)
    np.testing.assert_array_equal(backed.var["highly_variable"], inside.get_support())
    select_columns(backed, selector, batch_key="batch")
    assert backed.var["highly_variable"].sum() == 3


REFUSED = {
    "layer": ({"layer": "counts"}, "The AnnData object has no layer 'counts'; it has 'raw'."),
    "batch": ({"batch_key": "plate"}, "adata.obs has no column 'plate'; it has 'batch'."),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_what_is_not_there(case):
    adata = cells()
    adata.layers["raw"] = adata.X
    keywords, message = REFUSED[case]
    with pytest.raises(DataError) as error:
        select_columns(adata, 3, **keywords)
    assert str(error.value) == message
    assert list(adata.var.columns) == []


def test_batches_that_cannot_be_used():
    adata = cells()
    adata.obs["one"] = ["x"] * 59 + ["y"]
    with pytest.raises(DataError, match=r"Batch 'y' of adata.obs\['one'\] has 1 row"):
        select_columns(adata, 3, batch_key="one")
    adata.obs["gap"] = ["x"] * 59 + [None]
    with pytest.raises(DataError, match="has missing values"):
        select_columns(adata, 3, batch_key="gap")
    with pytest.raises(DataError, match="adata must be an AnnData object, not csr_matrix"):
        select_columns(adata.X, 3)


def test_means_and_dispersions_are_written_for_scanpy():
    rng = np.random.RandomState(0)
    counts = rng.poisson(3.0, size=(50, 6)).astype(np.float64)
    for X in (counts, sp.csr_array(counts)):
        cells = anndata.AnnData(X)
        select_columns(cells, 2)
        np.testing.assert_allclose(cells.var["means"], counts.mean(axis=0))
        variances = counts.var(axis=0, ddof=1)
        np.testing.assert_allclose(cells.var["dispersions"], variances / counts.mean(axis=0))
        assert np.median(cells.var["dispersions_norm"]) == pytest.approx(1.0)


def test_parameters_that_are_lists_are_kept(tmp_path):
    cells = anndata.AnnData(np.random.RandomState(0).rand(30, 6))
    select_columns(cells, GreedyCSS(2, keep=[1], candidates=np.array([0, 1, 4])))
    cells.write_h5ad(tmp_path / "a.h5ad")
    stored = anndata.read_h5ad(tmp_path / "a.h5ad").uns["hvg"]["parameters"]
    assert list(stored["keep"]) == [1]
    assert list(stored["candidates"]) == [0, 1, 4]


def test_a_dask_layer_of_sparse_blocks():
    da = pytest.importorskip("dask.array")
    X = np.random.RandomState(0).poisson(1.0, size=(60, 6)).astype(np.float64)
    cells = anndata.AnnData(X)
    cells.layers["blocks"] = da.from_array(X, chunks=(20, 6)).map_blocks(sp.csr_matrix)
    cells.layers["plain"] = X
    select_columns(cells, GreedyCSS(2), layer="blocks")
    chosen = cells.var["highly_variable"].copy()
    select_columns(cells, GreedyCSS(2), layer="plain")
    assert (chosen == cells.var["highly_variable"]).all()


def test_scanpy_draws_the_choice():
    pytest.importorskip("matplotlib").use("agg")
    scanpy = pytest.importorskip("scanpy")
    cells = anndata.AnnData(np.random.RandomState(0).poisson(3.0, size=(50, 6)).astype(float))
    select_columns(cells, 2)
    scanpy.pl.highly_variable_genes(cells, show=False)
