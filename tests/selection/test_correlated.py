"""One column of each correlated group: the definition, both correlations, sparse tables."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer

from sksieve import CorrelatedColumns
from sksieve.exceptions import DataError
from sksieve.selection import _correlated


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
