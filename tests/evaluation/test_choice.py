"""Choosing columns for a use: the three numbers, the rule, refusals, and what is claimed."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_wine, make_blobs
from sklearn.linear_model import Ridge

from sksieve import BLUFS, AlignedColumns, ColumnChoice, IteratedLocalSearchCSS
from sksieve.evaluation import _choice, eigengap_count
from sksieve.evaluation._choice import _chosen, _Judge
from sksieve.exceptions import DataError
from sksieve.graphs import knn_graph
from sksieve.metrics import modularity, neighborhood_preservation
from sksieve.suggest import suggest_n_columns
from sksieve.tables import scale_columns

WINE = load_wine().data


def judge(X=WINE, n_clusters=None, seed=0):
    return _Judge(X, np.arange(X.shape[1]), n_clusters, np.random.RandomState(seed))


def test_neighbors_are_those_of_the_metric():
    Z = scale_columns(WINE, "standard").X
    for S in ([0, 5], [2, 6, 9], list(range(13))):
        expected = neighborhood_preservation(Z, S, n_neighbors=10)
        assert_allclose(judge().neighbors(np.array(S)), expected, atol=1e-12)


def test_reconstruction_is_cross_validated_ridge():
    j, S = judge(), np.array([1, 4, 6])
    rest = np.setdiff1d(np.arange(13), S)
    left = total = 0.0
    for train, test in (j._folds, j._folds[::-1]):
        A = j.Z[train][:, S]
        alpha = 0.05 * len(train) * A.var(axis=0).mean()
        model = Ridge(alpha).fit(A, j.Z[train][:, rest])
        left += ((j.Z[test][:, rest] - model.predict(j.Z[test][:, S])) ** 2).sum()
        total += ((j.Z[test][:, rest] - j.Z[train][:, rest].mean(axis=0)) ** 2).sum()
    assert_allclose(j.reconstruction(S), 1 - left / total, rtol=1e-9)
    assert j.reconstruction(np.arange(13)) == 1.0


@pytest.mark.parametrize(("n_clusters", "used"), [(None, 8), (3, 3)])
def test_modularity_is_that_of_the_three_best_starts(n_clusters, used):
    j, S = judge(n_clusters=n_clusters), np.array([1, 4, 6])
    A = knn_graph(j.Z, 7)
    runs = [KMeans(used, n_init=1, random_state=int(s)).fit(j.Z[:, S]) for s in j._seeds]
    assert len(runs) == 10
    best = sorted(runs, key=lambda run: run.inertia_)[:3]
    expected = np.mean([modularity(A, run.labels_) for run in best])
    assert_allclose(j.modularity(S), expected, rtol=1e-12)


def test_the_largest_sum_of_ranks_is_taken():
    names = _choice.NUMBERS
    values = {"a": (0.3, 0.2, 0.9), "b": (0.2, 0.3, 0.95), "c": (0.1, 0.1, 0.1)}
    records = [{"method": m, **dict(zip(names, v))} for m, v in values.items()]
    assert _chosen(records, names) == "b"
    assert [r["rank_sum"] for r in records] == [7.0, 8.0, 3.0]
    assert _chosen(records, names[:1]) == "a"
    tied = [{"method": m, "neighbors": 0.5} for m in "xyz"]
    assert _chosen(tied, names[:1]) == "x"


def test_candidates_are_the_three_methods_and_random_columns():
    X = load_breast_cancer().data
    est = ColumnChoice(6, random_state=0).fit(X)
    table = pd.DataFrame(est.compared_).set_index("method")
    assert list(table.index) == ["local_search", "aligned", "blufs", "random"]
    assert table.loc[est.method_, "rank_sum"] == table["rank_sum"].max()
    assert_array_equal(est.ranking_, est.estimator_.ranking_)
    expected = {
        "aligned": AlignedColumns(6).fit(X),
        "blufs": BLUFS(6, n_clusters=est.n_clusters_).fit(X),
    }
    for name, other in expected.items():
        assert_array_equal(table.loc[name, "columns"], other.ranking_[:6])
    own = table.loc["local_search", "columns"]
    search = IteratedLocalSearchCSS(6, scale="standard", random_state=1).fit(X)
    assert set(own) == set(search.ranking_[:6])
    assert est.n_clusters_ == eigengap_count(knn_graph(scale_columns(X, "standard").X, 7))


@pytest.mark.parametrize(
    ("use", "candidates"),
    [
        ("reconstruct", ["local_search"]),
        ("groups", ["blufs"]),
        ("neighbors", ["local_search", "aligned"]),
    ],
)
def test_uses(use, candidates):
    est = ColumnChoice(4, use=use, random_state=0).fit(WINE)
    assert [record["method"] for record in est.compared_] == [*candidates, "random"]
    assert est.method_ in candidates
    if use == "neighbors":
        best = max(est.compared_[:-1], key=lambda record: record["neighbors"])
        assert est.method_ == best["method"]


def test_a_known_number_of_groups_is_used():
    X, _ = make_blobs(120, centers=3, n_features=6, random_state=0)
    est = ColumnChoice(2, use="groups", n_clusters=3, random_state=0).fit(X)
    assert est.n_clusters_ == est.estimator_.n_clusters == 3
    both = ColumnChoice(2, n_clusters=3, random_state=0).fit(X)
    aligned = next(r for r in both.compared_ if r["method"] == "aligned")
    assert_array_equal(aligned["columns"], AlignedColumns(2, n_clusters=3).fit(X).ranking_[:2])


def test_a_candidate_that_refuses_is_dropped_and_named(monkeypatch):
    def refuse(self, X, y=None):
        raise DataError("too many groups.")

    monkeypatch.setattr(BLUFS, "fit", refuse)
    est = ColumnChoice(4, random_state=0).fit(WINE)
    assert est.refused_ == {"blufs": "too many groups."}
    assert "blufs" not in [record["method"] for record in est.compared_]
    assert est.verdict_.endswith("BLUFS refused the table: too many groups.")
    with pytest.raises(DataError, match=r"Every method refused the table\. BLUFS: too many groups"):
        ColumnChoice(4, use="groups").fit(WINE)


def test_the_verdict_claims_what_the_evidence_supports():
    est = ColumnChoice(4, random_state=0).fit(WINE)
    assert "the choice kept more than random columns" in est.verdict_
    by_name = {record["method"]: record for record in est.compared_}
    better = sum(by_name[est.method_][n] > by_name["random"][n] for n in _choice.NUMBERS)
    assert f"in {better} of the 3 numbers" in est.verdict_
    assert "reconstructed most" in ColumnChoice(4, use="reconstruct").fit(WINE).verdict_


def test_many_rows_are_judged_on_a_sample(monkeypatch):
    monkeypatch.setattr(_choice, "JUDGED_ROWS", 60)
    monkeypatch.setattr(_choice, "BLUFS_ROWS", 100)
    est = ColumnChoice(4, random_state=0).fit(WINE)
    assert est.estimator_.n_features_in_ == 13
    again = ColumnChoice(4, random_state=0).fit(WINE)
    assert est.compared_[0] == again.compared_[0]
    assert _Judge(WINE, np.arange(13), None, np.random.RandomState(0)).Z.shape == (60, 13)


def test_sparse_and_rank_deficient_tables():
    X = np.random.RandomState(0).poisson(0.6, (80, 3)).astype(float)
    X = np.column_stack([X, X[:, :2] + X[:, 1:], np.ones(80)])
    dense, sparse = (ColumnChoice(4, random_state=0).fit(Z) for Z in (X, sp.csr_array(X)))
    assert set(dense.ranking_[:4]) == set(sparse.ranking_[:4])
    assert 5 not in dense.ranking_[:4]
    assert dense.get_support().sum() == 4


def test_callbacks_reach_the_candidates_and_are_removed():
    seen = []

    def stop(record, state):
        seen.append(record)
        return True

    est = ColumnChoice(4, random_state=0)
    est.set_callbacks(stop)
    est.fit(WINE)
    assert seen
    n_seen = len(seen)
    est.estimator_.fit(WINE)
    assert len(seen) == n_seen


def test_eigengap():
    blocks = [np.ones((6, 6)) - np.eye(6)] * 5
    assert eigengap_count(sp.block_diag(blocks, format="csr")) == 5
    assert eigengap_count(np.ones((2, 2)) - np.eye(2)) == 2


def test_the_table_says_the_number_where_it_is_asked():
    k = suggest_n_columns(WINE, random_state=0).n
    auto = ColumnChoice("auto", random_state=0).fit(WINE)
    assert auto.n_features_to_select_ == k == 3
    assert_array_equal(auto.ranking_, ColumnChoice(k, random_state=0).fit(WINE).ranking_)
    share = ColumnChoice(0.9, random_state=0).fit(WINE)
    assert share.n_features_to_select_ == suggest_n_columns(WINE, random_state=0).enough(0.9) == 6
    assert ColumnChoice("auto").fit(sp.csr_array(WINE)).transform(WINE).shape == (178, 3)
    noise = np.random.RandomState(0).standard_normal((100, 8))
    with pytest.raises(DataError, match="n_features_to_select='auto': No structure"):
        ColumnChoice("auto").fit(noise)
    for k in (0.0, 1.0, 1.5, "some"):
        with pytest.raises(ValueError, match="n_features_to_select"):
            ColumnChoice(k).fit(WINE)
