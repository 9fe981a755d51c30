"""The choice among three clusterings, by modularity in the neighbor graph."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import fcluster, ward
from scipy.spatial.distance import cdist, pdist
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from sksieve import ClusterChoice, SpectralGraph
from sksieve.clustering import _choice
from sksieve.graphs import number_by_first
from sksieve.metrics import modularity


def iris():
    return StandardScaler().fit_transform(load_iris().data)


def test_the_largest_modularity_is_taken():
    X = (load_iris().data - load_iris().data.mean(0)) / load_iris().data.std(0)
    est = ClusterChoice(3, random_state=0).fit(X)
    assert list(est.modularities_) == ["spectral", "k_means", "ward"]
    assert est.modularities_[est.method_] == max(est.modularities_.values())
    assert est.method_ == "k_means"
    assert modularity(est.affinity_, est.labels_) == pytest.approx(est.modularities_["k_means"])
    spectral = SpectralGraph(3, random_state=0).fit(X)
    value = modularity(est.affinity_, spectral.labels_)
    assert value == pytest.approx(est.modularities_["spectral"])


def test_ties_go_to_spectral_clustering():
    X, y = make_blobs(90, centers=3, cluster_std=0.3, random_state=1)
    est = ClusterChoice(random_state=0).fit(X)
    assert len(set(np.round(list(est.modularities_.values()), 12))) == 1
    assert est.method_ == "spectral"
    assert adjusted_rand_score(y, est.labels_) == 1


def test_curved_groups_are_found_by_the_graph():
    X, y = make_moons(200, noise=0.05, random_state=0)
    est = ClusterChoice(2, random_state=0).fit(X)
    assert est.method_ == "spectral"
    assert adjusted_rand_score(y, est.labels_) == 1


def test_ward_needs_few_dense_rows(monkeypatch):
    X, _ = make_blobs(60, centers=3, random_state=1)
    assert "ward" not in ClusterChoice(3, random_state=0).fit(sp.csr_array(X)).modularities_
    monkeypatch.setattr(_choice, "WARD_ROWS", 59)
    assert list(ClusterChoice(3, random_state=0).fit(X).modularities_) == ["spectral", "k_means"]


def test_sparse_tables_with_wide_indices():
    X = sp.csr_array(iris())
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    labels = ClusterChoice(3, random_state=0).fit(wide).labels_
    est = ClusterChoice(3, random_state=0).fit(X)
    np.testing.assert_array_equal(labels, est.labels_)
    np.testing.assert_array_equal(est.predict(wide), est.predict(X))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, np.float32])
def test_predict_of_k_means_gives_the_labels_of_the_fit(kind):
    X = kind(iris())
    est = ClusterChoice(3, random_state=0).fit(X)
    assert est.method_ == "k_means"
    np.testing.assert_array_equal(est.predict(X), est.labels_)
    np.testing.assert_array_equal(est.predict(est.cluster_centers_), [0, 1, 2])


def test_predict_of_ward_uses_the_means_of_the_groups(monkeypatch):
    X = iris()
    monkeypatch.setattr(_choice, "modularity", lambda A, y: float((y == y_ward).all()))
    y_ward = number_by_first(fcluster(ward(pdist(X)), 3, "maxclust"))
    est = ClusterChoice(3, random_state=0).fit(X)
    assert est.method_ == "ward"
    means = np.array([X[est.labels_ == group].mean(axis=0) for group in range(3)])
    np.testing.assert_allclose(est.cluster_centers_, means, atol=1e-14)
    np.testing.assert_array_equal(est.predict(X), cdist(X, means).argmin(axis=1))


def test_predict_is_refused_where_there_are_no_centers():
    X, _ = make_moons(200, noise=0.05, random_state=0)
    est = ClusterChoice(2, random_state=0)
    with pytest.raises(NotFittedError):
        est.predict  # noqa: B018
    est.fit(X)
    assert est.cluster_centers_ is None
    assert not hasattr(est, "predict")
    with pytest.raises(AttributeError, match="spectral clustering gave the labels"):
        est.predict  # noqa: B018
    mixed = ClusterChoice(2, groups=["a", "b"], random_state=0).fit(X)
    with pytest.raises(AttributeError, match="with groups has no predict"):
        mixed.predict  # noqa: B018
    with pytest.raises(ValueError, match="expecting 4 features"):
        ClusterChoice(3, random_state=0).fit(iris()).predict(X)
