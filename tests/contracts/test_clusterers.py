"""What every clusterer promises: labels, an affinity one can look at, precomputed graphs."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from sksieve.exceptions import DataWarning

from .cases import N_CLUSTERS, cases, depends_on_seed, every_clusterer, make, table


def two_cliques(n=12):
    """Two complete graphs and one edge between them."""
    W = np.kron(np.eye(2), np.ones((n // 2, n // 2)))
    W[0, -1] = W[-1, 0] = 1
    np.fill_diagonal(W, 0)
    return W


def blobs():
    rng = np.random.RandomState(0)
    truth = np.arange(60) % N_CLUSTERS
    return 10 * np.eye(N_CLUSTERS)[truth] + 0.3 * rng.standard_normal((60, N_CLUSTERS)), truth


@every_clusterer
def test_labels(method):
    X = table()
    est = make(method).fit(X)
    assert est.labels_.shape == (60,)
    assert est.labels_.dtype.kind == "i"
    assert set(est.labels_) <= set(range(N_CLUSTERS))
    assert_array_equal(make(method).fit_predict(X), est.labels_)


@every_clusterer
def test_clusters_that_are_there_are_found(method):
    X, truth = blobs()
    assert adjusted_rand_score(make(method).fit(X).labels_, truth) > 0.95


@every_clusterer
def test_affinity_is_symmetric_and_not_negative(method):
    W = make(method).fit(table()).affinity_
    assert W.shape == (60, 60)
    assert isinstance(W, sp.csr_array)
    W = W.toarray()
    assert_allclose(W, W.T, atol=1e-12)
    assert W.min() >= 0
    assert np.isfinite(W).all()


@every_clusterer
def test_float32_stays_float32(method):
    est = make(method).fit(table().astype(np.float32))
    for name in ("affinity_", "codes_", "embedding_", "U_", "cluster_matrix_"):
        if hasattr(est, name):
            assert getattr(est, name).dtype == np.float32, name


@cases("clusterer", needs=("affinity", "n_clusters"))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_precomputed_graph(method, form):
    W = two_cliques()
    est = make(method, affinity="precomputed", n_clusters=2).fit(form(W))
    assert adjusted_rand_score(est.labels_, np.repeat([0, 1], 6)) == 1


@cases("clusterer", needs=("affinity",))
def test_precomputed_graph_must_be_square(method):
    with pytest.raises(ValueError, match=r"precomputed|square|affinity"):
        make(method, affinity="precomputed").fit(table())


@every_clusterer
def test_order_of_samples_is_only_a_name(method):
    X, _ = blobs()
    if depends_on_seed(method, X):
        pytest.skip(f"{method.class_name} draws random numbers that matter here")
    p = np.random.RandomState(1).permutation(60)
    plain, permuted = make(method).fit(X).labels_, make(method).fit(X[p]).labels_
    assert adjusted_rand_score(plain[p], permuted) == 1


@cases("clusterer", needs=("n_clusters",))
def test_more_clusters_than_samples(method):
    with pytest.raises(ValueError, match="n_clusters"):
        make(method, n_clusters=61).fit(table())


@cases("clusterer", needs=("affinity", "n_clusters"))
def test_an_isolated_vertex_is_a_group_of_its_own(method):
    W = two_cliques(14)
    W[6, :] = W[:, 6] = 0
    est = make(method, affinity="precomputed", n_clusters=2)
    with pytest.warns(DataWarning, match="1 vertices of the affinity lie in 1 components without"):
        est.fit(W)
    assert_array_equal(est.labels_, [0] * 6 + [1] + [2] * 7)
