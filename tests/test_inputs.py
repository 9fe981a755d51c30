"""Graphs, AnnData and data frames go straight in; what cannot be used is refused by its name."""

import anndata
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone

from sksieve import (
    BLUFS,
    RPMA,
    SDP1,
    ClusterChoice,
    ColumnChoice,
    GreedyCSS,
    L1Graph,
    SpectralCommunities,
    SpectralGraph,
    VarianceRank,
)
from sksieve._validation import adjacency_of
from sksieve.exceptions import DataError, DataWarning
from sksieve.metrics import redundancy
from sksieve.suggest import suggest_n_clusters, suggest_n_columns

KARATE = nx.karate_club_graph()


def test_a_networkx_graph_is_its_adjacency_matrix():
    A = nx.to_scipy_sparse_array(KARATE)
    given = SpectralCommunities(2, affinity="precomputed", random_state=0).fit(A)
    est = SpectralCommunities(2, affinity="precomputed", random_state=0).fit(KARATE)
    np.testing.assert_array_equal(est.labels_, given.labels_)
    assert abs(est.affinity_ - given.affinity_).max() == 0
    automatic = SpectralCommunities("auto", affinity="precomputed").fit(KARATE)
    assert automatic.n_clusters_ == 2


def test_adjacency_of_loops_multiple_edges_and_names():
    G = nx.MultiGraph([("b", "a"), ("a", "b"), ("a", "a")])
    np.testing.assert_array_equal(adjacency_of(G).toarray(), nx.to_numpy_array(G))
    with pytest.raises(DataError, match="directed"):
        adjacency_of(nx.DiGraph([(0, 1)]))


def assert_taken_as_a_graph(est, graph):
    """The affinity and the groups are those of the adjacency matrix given as precomputed."""
    A = sp.csr_array(nx.to_numpy_array(KARATE))
    taken = clone(est).set_params(random_state=0).fit(graph)
    given = clone(est).set_params(affinity="precomputed", random_state=0).fit(A)
    assert abs(taken.affinity_ - given.affinity_).max() == 0
    np.testing.assert_array_equal(taken.labels_, given.labels_)


def test_a_graph_is_a_table_for_no_method():
    for method in (SpectralGraph, SpectralCommunities, RPMA, SDP1):
        assert_taken_as_a_graph(method(2), KARATE)
    with pytest.raises(DataError, match=r"L1Graph needs a table\. Use SpectralGraph"):
        L1Graph(2).fit(KARATE)
    for selector in (GreedyCSS(2), VarianceRank(2)):
        with pytest.raises(DataError, match=r"a graph and not a table\. To find .* use Louvain or"):
            selector.fit(KARATE)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_symmetric_matrix_is_not_taken_for_a_table_in_silence(form):
    A = form(nx.to_numpy_array(KARATE))
    for est in (SpectralCommunities(2), RPMA(2), SDP1(2)):
        if form is np.asarray:
            with pytest.raises(DataError, match=r"symmetric matrix \(34 x 34\).*precomputed"):
                est.fit(A)
        else:  # a graph, as a sparse symmetric matrix is hardly a table
            assert_taken_as_a_graph(est, A)
    for est in (SpectralGraph(2), ClusterChoice(2)):
        with pytest.warns(DataWarning, match=r"symmetric matrix \(34 x 34\)"):
            est.fit(A)
    if form is np.asarray:
        with pytest.warns(DataWarning, match="symmetric matrix"):
            L1Graph(2).fit(A)


def test_a_square_table_is_a_table(recwarn):
    SpectralGraph(2).fit(np.random.RandomState(0).standard_normal((20, 20)))
    assert not [w for w in recwarn if "symmetric" in str(w.message)]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("est", [GreedyCSS(3), VarianceRank(3), ColumnChoice(3, random_state=0)])
def test_anndata(form, est):
    X = np.random.RandomState(0).poisson(1.0, (40, 8)).astype(float)
    cells = anndata.AnnData(form(X), var=pd.DataFrame(index=[f"gene{j}" for j in range(8)]))
    chosen = est.fit(form(X)).get_support()
    est.fit(cells)
    np.testing.assert_array_equal(est.get_support(), chosen)
    names = [f"gene{j}" for j in np.flatnonzero(chosen)]
    assert list(est.get_feature_names_out()) == names
    small = est.transform(cells)
    assert list(small.var_names) == names
    assert small.shape == (40, 3)
    with pytest.raises(DataError, match="other variables than the 8 of the fit"):
        est.transform(cells[:, ::-1])


def test_anndata_in_clusterers():
    X = np.random.RandomState(0).standard_normal((40, 4))
    X[:20] += 6
    est = SpectralGraph(2, random_state=0).fit(anndata.AnnData(X))
    assert est.labels_.tolist() == [0] * 20 + [1] * 20


@pytest.mark.parametrize("est", [GreedyCSS(1), BLUFS(1), SpectralGraph(2)])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_the_column_is_named(est, frame):
    rng = np.random.RandomState(0)
    columns = {name: rng.standard_normal(12) for name in ("age", "height", "weight")}
    missing = {**columns, "height": np.where(np.arange(12) < 2, np.nan, columns["height"])}
    with pytest.raises(DataError, match=r"missing values \(NaN\) in column 'height' \(2\)"):
        est.fit(frame(missing))
    infinite = {**columns, "weight": np.where(np.arange(12) < 3, np.inf, columns["weight"])}
    with pytest.raises(DataError, match=r"infinite values \(infinity\) in column 'weight' \(3\)"):
        est.fit(frame(infinite))
    text = {**columns, "city": ["Delft", "Gent"] * 6}
    with pytest.raises(DataError, match=r"a column of text: 'city' .for example 'Delft'"):
        est.fit(frame(text))


def test_columns_without_a_name_are_numbered():
    X = np.ones((9, 4))
    X[0, 2] = X[1, 2] = X[1, 3] = np.nan
    with pytest.raises(DataError, match=r"missing values \(NaN\) in columns 2 \(2\), 3 \(1\)\. "):
        VarianceRank(1).fit(X)
    with pytest.raises(DataError, match=r"in columns 2 \(2\), 3 \(1\)\. "):
        GreedyCSS(1).fit(sp.csr_array(X))


@pytest.mark.skipif(not hasattr(BaseEstimator, "_html_repr"), reason="needs scikit-learn 1.7")
def test_the_notebook_shows_the_groups():
    est = SpectralCommunities(2, affinity="precomputed", random_state=0)
    assert "Groups" not in est._repr_html_()
    text = est.fit(KARATE)._repr_html_()
    assert "Groups (2), by size: 16, 18. Modularity in the graph: 0.404." in text


def test_missing_values_of_nullable_columns_are_named():
    X = pd.DataFrame({"a": pd.array([1, None, 3] * 10, dtype="Int64"), "b": np.arange(30.0)})
    with pytest.raises(DataError, match=r"missing values \(NaN\) in column 'a' \(10\)"):
        SpectralGraph(2).fit(X)


MASKED = [
    ColumnChoice(2),
    GreedyCSS(2),
    VarianceRank(2),
    SpectralGraph(2),
    SpectralCommunities(2, affinity="precomputed"),
]


@pytest.mark.parametrize("est", MASKED, ids=lambda est: type(est).__name__)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_what_a_mask_hides_is_missing(est, dtype):
    X = np.rint(9 * np.random.RandomState(0).random_sample((30, 30)))
    X = X + X.T if est.get_params().get("affinity") == "precomputed" else X[:, :8]
    X = np.ma.masked_array(X.astype(dtype), mask=False)
    est = clone(est).fit(X)  # nothing is hidden
    X[4, 2] = X[2, 4] = np.ma.masked
    with pytest.raises(ValueError, match="NaN"):
        est.fit(X)


def test_what_a_mask_hides_is_missing_for_functions():
    X = np.ma.masked_less(np.random.RandomState(0).standard_normal((40, 4)), -1.5)
    for function in (suggest_n_columns, suggest_n_clusters, lambda X: redundancy(X, [0, 1])):
        with pytest.raises(ValueError, match="NaN"):
            function(X)
