"""One column of each correlated group: the definition, both correlations, sparse tables."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr
from scipy.stats.contingency import association
from sklearn.datasets import load_breast_cancer

from sksieve import CorrelatedColumns
from sksieve.exceptions import DataError, DataWarning
from sksieve.selection import _correlated
from sksieve.selection._association import associations


def correlations(X, method):
    return np.corrcoef(X.T) if method == "pearson" else spearmanr(X).statistic


@pytest.mark.parametrize("method", ["pearson", "spearman"])
@pytest.mark.parametrize("threshold", [0.5, 0.8, 0.95])
def test_the_definition(method, threshold):
    X = load_breast_cancer().data
    R = correlations(X, method)
    est = CorrelatedColumns(threshold, method=method).fit(X)
    kept = est.get_support(indices=True)
    between = np.abs(R[np.ix_(kept, kept)] - np.eye(len(kept)))
    assert between.max() < threshold
    for j in range(30):
        owner = est.representative_[j]
        assert owner in kept
        assert abs(R[j, owner]) >= threshold - 1e-12
        assert_allclose(est.correlation_[j], R[j, owner], atol=1e-12)
    assert set(kept) == {j for j in range(30) if est.representative_[j] == j}
    members = {j for others in est.groups_.values() for j in others}
    assert members == set(range(30)) - set(kept)
    for owner, others in est.groups_.items():
        assert (est.representative_[others] == owner).all()
        assert (np.diff(np.abs(R[owner, others])) <= 1e-12).all()


def test_the_column_with_most_partners_is_kept():
    """0 and 2 are correlated with 1 but not with each other: 1 stands for both."""
    rng = np.random.RandomState(0)
    A = np.linalg.qr(rng.standard_normal((200, 4)) - 0.0)[0]
    A -= A.mean(axis=0)
    A = np.linalg.qr(A)[0]
    X = np.column_stack([A[:, 0], A[:, 0] + A[:, 1], A[:, 1], A[:, 2]])
    est = CorrelatedColumns(0.7).fit(X)
    assert_array_equal(est.get_support(indices=True), [1, 3])
    assert list(est.groups_) == [1]
    assert set(est.groups_[1]) == {0, 2}
    assert est.ranking_[0] == 1


def test_signs_duplicates_and_constants():
    rng = np.random.RandomState(0)
    x, y = rng.standard_normal((2, 50))
    X = np.column_stack([x, -x, 3 * x + 7, y, np.full(50, 0.1), y * 1e-120])
    est = CorrelatedColumns(1.0).fit(X)
    assert_array_equal(est.get_support(indices=True), [0, 3])
    assert_array_equal(est.representative_, [0, 0, 0, 3, -1, 3])
    assert_allclose(est.correlation_, [1, -1, 1, 1, 0, 1], atol=1e-9)
    assert est.ranking_[-1] == 4


def test_spearman_sees_monotone_relations():
    x = np.random.RandomState(0).standard_normal(100)
    X = np.column_stack([x, np.exp(5 * x)])
    assert CorrelatedColumns(0.99).fit(X).get_support().sum() == 2
    assert CorrelatedColumns(0.99, method="spearman").fit(X).get_support().sum() == 1


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_sparse_and_blocks(method, monkeypatch):
    rng = np.random.RandomState(0)
    X = np.where(rng.random_sample((80, 20)) < 0.6, 0, np.round(rng.standard_normal((80, 20)), 1))
    X[:, 10:] = X[:, :10] * rng.choice([-1, 2], 10)
    X[:3, 10:] += 1
    dense = CorrelatedColumns(0.6, method=method).fit(X)
    assert 1 < len(dense.groups_) < 11
    monkeypatch.setattr(_correlated, "BLOCK_BYTES", 8 * 20 * 3)
    for form in (np.asarray, sp.csr_array):
        est = CorrelatedColumns(0.6, method=method).fit(form(X))
        assert_array_equal(est.representative_, dense.representative_)
        assert_allclose(est.correlation_, dense.correlation_, atol=1e-12)


def test_uncorrelated_columns_are_all_kept():
    X = np.random.RandomState(0).standard_normal((500, 6))
    est = CorrelatedColumns(0.5).fit(X)
    assert est.get_support().all()
    assert est.groups_ == {}


def test_refusals():
    with pytest.raises(DataError, match="Every column of X is constant"):
        CorrelatedColumns().fit(np.ones((5, 3)))
    for threshold in (0, 1.5):
        with pytest.raises(ValueError, match="threshold"):
            CorrelatedColumns(threshold).fit(np.eye(4))


def cancer():
    return load_breast_cancer(as_frame=True).data


def with_gaps():
    X = cancer()
    return X.mask(np.random.RandomState(0).random_sample(X.shape) < 0.1)


def inflation_factors(X):
    return np.diag(np.linalg.inv(np.corrcoef(X.T)))


def test_protected_columns_are_kept_and_represent_others():
    X = cancer()
    names = ["mean area", "worst radius", "mean radius"]
    for keep in (names, [X.columns.get_loc(name) for name in names], X.columns.isin(names)):
        est = CorrelatedColumns(0.9, keep=keep).fit(X)
        assert set(names) <= set(est.get_feature_names_out())
        assert est.n_features_to_select_ == 22
    R = X.corr().to_numpy()
    protected = [X.columns.get_loc(name) for name in names]
    near = np.abs(R[protected]).max(axis=0) >= 0.9
    near[protected] = False
    for j in np.flatnonzero(near):
        assert est.representative_[j] == protected[np.argmax(np.abs(R[protected, j]))]
        assert est.correlation_[j] == pytest.approx(R[est.representative_[j], j], abs=1e-12)
    assert set(est.ranking_[:3]) == set(protected)


def test_a_protected_constant_column_is_kept():
    X = np.column_stack([np.random.RandomState(0).standard_normal((20, 2)), np.ones(20)])
    est = CorrelatedColumns(keep=[2]).fit(X)
    assert est.get_support().all()
    assert est.representative_[2] == 2
    with pytest.raises(ValueError, match="keep names columns that X does not have: 3"):
        CorrelatedColumns(keep=[3]).fit(X)


def chain():
    """Columns 0 and 2 are correlated with 1 and not with each other; 3 stands alone."""
    A = np.random.RandomState(0).standard_normal((200, 4))
    A = np.linalg.qr(A - A.mean(axis=0))[0]
    return np.column_stack([A[:, 0], A[:, 0] + A[:, 1], A[:, 1], A[:, 2]])


@pytest.mark.parametrize(
    ("prefer", "kept"),
    [
        ("partners", [1, 3]),
        ("first", [0, 2, 3]),
        ([0, 5, 1, 2], [1, 3]),
        ([0, 1, 5, -2], [0, 2, 3]),
    ],
)
def test_which_of_a_group_is_kept(prefer, kept):
    est = CorrelatedColumns(0.7, prefer=prefer).fit(chain())
    assert_array_equal(est.get_support(indices=True), kept)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, pd.DataFrame])
@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_the_column_nearest_to_the_target_is_kept(form, method):
    X = chain()
    y = X[:, 2] + 0.1 * X[:, 3]
    for target in (y, np.where(y > 0, "high", "low")):
        est = CorrelatedColumns(0.6, prefer="target", method=method).fit(form(X), target)
        assert_array_equal(est.get_support(indices=True), [0, 2, 3])
    with pytest.raises(DataError, match="y has missing or infinite values"):
        CorrelatedColumns(prefer="target").fit(form(X), np.full(len(X), np.nan))
    with pytest.raises(ValueError, match="prefer='target' needs y"):
        CorrelatedColumns(prefer="target").fit(X)


def test_the_column_with_fewest_gaps_is_kept():
    x = np.random.RandomState(0).standard_normal(50)
    X = np.column_stack([x, 2 * x, -x])
    X[:5, 0], X[3:5, 1], X[:9, 2] = np.nan, np.nan, np.nan
    est = CorrelatedColumns(prefer="fewest_missing", missing="pairwise").fit(X)
    assert_array_equal(est.get_support(indices=True), [1])
    assert_array_equal(est.groups_[1], [2, 0])


@pytest.mark.parametrize("prefer", ["last", [1.0, 2.0], [np.nan, 0, 0, 0]])
def test_wrong_preferences_are_refused(prefer):
    with pytest.raises(ValueError, match="prefer"):
        CorrelatedColumns(prefer=prefer).fit(chain())


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_pairwise_correlations_are_those_of_pandas(method):
    X = with_gaps()
    expected = X.corr(method=method).to_numpy()
    none = np.zeros(30, dtype=bool)
    R = associations(X.to_numpy(), none, ranks=method == "spearman")
    assert_allclose(R, expected, rtol=0, atol=1e-12)
    est = CorrelatedColumns(0.9, method=method, missing="pairwise").fit(X)
    assert est.groups_
    for j in range(30):
        owner = est.representative_[j]
        assert est.correlation_[j] == pytest.approx(expected[j, owner], abs=1e-12)
    kept = est.get_support(indices=True)
    assert (np.abs(expected[np.ix_(kept, kept)]) - np.eye(len(kept))).max() < 0.9
    assert est.transform(X).shape == (569, len(kept))


def test_gaps_of_every_form():
    X = with_gaps()
    expected = CorrelatedColumns(missing="pairwise").fit(X).ranking_
    polars = pl.from_pandas(X)
    for form in (X.to_numpy(), polars, polars.lazy(), sp.csr_array(X.to_numpy())):
        assert_array_equal(CorrelatedColumns(missing="pairwise").fit(form).ranking_, expected)
    with pytest.raises(DataError, match=r"missing values.*'mean"):
        CorrelatedColumns().fit(X)
    X.iloc[0, 3] = np.inf
    with pytest.raises(DataError, match=r"infinite values.*'mean area'"):
        CorrelatedColumns(missing="pairwise").fit(X)


def test_two_common_rows_are_no_correlation():
    X = np.array([[1.0, np.nan], [2, 5], [3, 7], [1, np.nan], [np.nan, 1], [np.nan, 2]])
    assert CorrelatedColumns(missing="pairwise").fit(X).get_support().all()


def test_a_table_without_gaps_is_the_same_pairwise():
    X = cancer()
    expected = CorrelatedColumns().fit(X).ranking_
    assert_array_equal(CorrelatedColumns(missing="pairwise").fit(X).ranking_, expected)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_inflation_factors_of_kept_columns_are_below(form):
    X = cancer().to_numpy()
    est = CorrelatedColumns(0.95, vif=5.0).fit(form(X))
    kept = est.get_support(indices=True)
    assert inflation_factors(X[:, kept]).max() < 5
    assert inflation_factors(X[:, CorrelatedColumns(0.95).fit(X).get_support()]).max() > 5
    R = np.corrcoef(X.T)
    for j in np.setdiff1d(np.arange(30), kept):
        owner = est.representative_[j]
        assert owner in kept
        assert est.correlation_[j] == pytest.approx(R[j, owner], abs=1e-9)


def test_a_sum_of_columns_is_dropped_and_protected_ones_stay():
    A = np.random.RandomState(0).standard_normal((100, 3))
    X = np.column_stack([A, A.sum(axis=1)])
    assert CorrelatedColumns(vif=10).fit(X).get_support().sum() == 3
    est = CorrelatedColumns(vif=10, keep=[3, 2]).fit(X)
    assert est.get_support()[[2, 3]].all()
    assert est.get_support().sum() == 3
    with pytest.raises(DataError, match="columns of keep have variance inflation factors"):
        CorrelatedColumns(vif=10, keep=[0, 1, 2, 3]).fit(X)


def people():
    rng = np.random.RandomState(0)
    city = rng.choice(["Delft", "Gent", "Lyon", "Lille"], 80)
    land = {"Delft": "NL", "Gent": "BE", "Lyon": "FR", "Lille": "FR"}
    frame = pd.DataFrame({"city": city, "age": rng.randint(20, 60, 80)})
    frame["land"] = frame.city.map(land).astype("category")
    frame["price"] = frame.land.map({"NL": 3.0, "BE": 5.0, "FR": 9.0}).astype(float)
    frame["price"] += rng.random_sample(80)
    frame["sex"] = rng.choice(["f", "m"], 80)
    return frame


def test_associations_of_text_and_numbers():
    frame = people()
    codes = frame.apply(lambda c: pd.factorize(c)[0] if c.name not in ("age", "price") else c)
    is_text = np.array([True, False, True, False, True])
    R = associations(codes.to_numpy(dtype=float), is_text)
    for a, b in ((0, 2), (0, 4), (2, 4)):
        table = pd.crosstab(frame.iloc[:, a], frame.iloc[:, b]).to_numpy()
        assert R[a, b] == pytest.approx(association(table, method="cramer"), abs=1e-12)
    for text in ("city", "sex"):
        means = frame.groupby(text)["age"].transform("mean")
        expected = np.sqrt(means.var() / frame.age.var())
        assert R[1, frame.columns.get_loc(text)] == pytest.approx(expected, abs=1e-12)
    assert_array_equal(R, R.T)


@pytest.mark.parametrize("form", [lambda f: f, pl.from_pandas, lambda f: pl.from_pandas(f).lazy()])
def test_frames_with_text(form):
    frame = form(people())
    est = CorrelatedColumns(0.9).fit(frame)
    assert est.get_feature_names_out().tolist() == ["city", "age", "sex"]
    assert {k: set(v) for k, v in est.groups_.items()} == {0: {2, 3}}
    est.set_output(transform="polars")
    assert est.transform(frame).columns == ["city", "age", "sex"]
    with pytest.raises(DataError, match="vif needs columns of numbers"):
        CorrelatedColumns(vif=5).fit(frame)


def test_text_with_gaps():
    frame = people()
    frame.loc[:3, "land"] = None
    with pytest.raises(DataError, match=r"missing values.*'land'"):
        CorrelatedColumns().fit(frame)
    est = CorrelatedColumns(prefer="fewest_missing", missing="pairwise").fit(frame)
    assert est.get_feature_names_out().tolist() == ["city", "age", "sex"]


def test_identifiers_and_columns_of_both_kinds():
    frame = people().assign(id=[f"p{i}" for i in range(80)])
    with pytest.warns(DataWarning, match="another value in most rows: 'id'"):
        CorrelatedColumns().fit(frame)
    frame["age"] = frame["age"].astype(object)
    frame.loc[3, "age"] = "n/a"
    with pytest.raises(DataError, match="'age' of X holds text and other values"):
        CorrelatedColumns().fit(frame)
