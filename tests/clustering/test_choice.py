"""The choice among three clusterings, by modularity in the neighbor graph."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from sksieve import ClusterChoice, SpectralGraph
from sksieve.clustering import _choice
from sksieve.metrics import modularity


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
    X = sp.csr_array(make_blobs(60, 4, centers=3, random_state=0)[0])
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    labels = ClusterChoice(3, random_state=0).fit(wide).labels_
    np.testing.assert_array_equal(labels, ClusterChoice(3, random_state=0).fit(X).labels_)
