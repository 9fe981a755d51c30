"""Spectral clustering: graphs that fall apart, real data, variants."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine, make_moons
from sklearn.preprocessing import normalize

from sksieve import SpectralCommunities, SpectralGraph
from sksieve.datasets import make_sbm
from sksieve.graphs import NeighborGraph, knn_graph, normalized_adjacency
from sksieve.metrics import clustering_accuracy, nmi
from sksieve.papers import AffinityEigenvectors


def naive(A, c, seed):
    """One Krylov space for the whole graph, as it is usually done."""
    M = normalized_adjacency(A)
    v0 = np.random.RandomState(seed).uniform(-1, 1, M.shape[0])
    vectors = eigsh(M, c, which="LA", v0=v0)[1]
    return KMeans(c, n_init=20, random_state=0).fit_predict(normalize(vectors))


def test_twelve_objects_that_fall_apart(real_data):
    data = real_data("COIL20")
    y = data.y - data.y.min()
    X, y = data.X[y < 12], y[y < 12]
    X = normalize(X.astype(float))
    est = SpectralGraph(12, n_neighbors=2, random_state=0).fit(X)
    assert est.n_components_ == 12
    assert clustering_accuracy(y, est.labels_) == 1
    A = knn_graph(X, 2)
    for seed in range(2):
        try:
            assert clustering_accuracy(y, naive(A, 12, seed)) < 0.8
        except ArpackNoConvergence:
            continue


def test_coil20_with_ten_neighbors(real_data):
    data = real_data("COIL20")
    X = data.X.astype(float)
    est = SpectralGraph(20, n_neighbors=10, random_state=0).fit(X)
    assert clustering_accuracy(data.y, est.labels_) >= 0.78
    assert nmi(data.y, est.labels_) >= 0.86
    again = SpectralGraph(20, n_neighbors=10, random_state=0).fit(X)
    np.testing.assert_array_equal(again.labels_, est.labels_)
    np.testing.assert_array_equal(again.embedding_, est.embedding_)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_by_angle_small_components_join_by_angle(form):
    near, far = np.eye(3)[:2]
    between = [[1.0, 0.6, 0], [1, 0.61, 0], [1, 0.6, 0.01], [1, 0.59, 0]]
    noise = 0.01 * np.random.RandomState(0).standard_normal((64, 3))
    X = np.vstack([np.tile(near, (30, 1)), np.tile(far, (30, 1)), normalize(between)]) + noise
    X[30:] *= 200  # the four lie nearer to the second thirty, at a wider angle
    given = {"n_neighbors": 3, "random_state": 0}
    est = SpectralGraph(2, graph=NeighborGraph("cosine"), **given).fit(form(X))
    np.testing.assert_array_equal(est.labels_, [0] * 30 + [1] * 30 + [0] * 4)
    by_distance = SpectralGraph(2, **given).fit(form(X))
    np.testing.assert_array_equal(by_distance.labels_[60:], 1)


def test_twenty_perfect_components():
    n, c = 20_000, 20
    y = np.arange(n) % c
    rows, columns = [], []
    for label in range(c):
        ring = np.flatnonzero(y == label)
        for step in (1, 2, 3):
            rows.append(ring)
            columns.append(np.roll(ring, step))
    i, j = np.concatenate(rows), np.concatenate(columns)
    A = sp.csr_array((np.ones(len(i)), (i, j)), shape=(n, n))
    est = SpectralGraph(c, affinity="precomputed", random_state=0).fit(A + A.T)
    assert est.n_components_ == c
    np.testing.assert_array_equal(est.labels_, y)


@pytest.mark.parametrize(
    ("load", "accuracy"), [(load_iris, 0.887), (load_wine, 0.691)], ids=["iris", "wine"]
)
def test_eigenvectors_of_the_gaussian_affinity(load, accuracy):
    X, y = load(return_X_y=True)
    est = AffinityEigenvectors(3, affinity="gaussian", random_state=0).fit(X)
    assert clustering_accuracy(y, est.labels_) == pytest.approx(accuracy, abs=5e-4)


def test_uneven_degrees_need_unit_rows_and_a_regularized_matrix(real_data):
    data = real_data("graph_polblogs")
    A = data.adjacency
    label = sp.csgraph.connected_components(A)[1]
    main = np.flatnonzero(label == np.bincount(label).argmax())
    A, y = A[main][:, main], data.y[main]

    class PlainRows(SpectralGraph):
        _unit_rows = False

    score = [
        clustering_accuracy(y, cls(2, affinity="precomputed", random_state=0).fit_predict(A))
        for cls in (SpectralCommunities, AffinityEigenvectors, PlainRows)
    ]
    assert len(main) == 1222
    assert score[0] >= 0.94
    assert score[1] < 0.7
    assert score[2] < 0.6


@pytest.mark.parametrize("weights", ["binary", "heat", "cosine"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_weights_and_forms(weights, form):
    rng = np.random.RandomState(0)
    y = np.arange(90) % 3
    X = np.abs(4 * np.eye(3)[y] + 0.5 * rng.standard_normal((90, 3)))
    est = SpectralGraph(3, graph=NeighborGraph(weights), random_state=0).fit(form(X))
    assert clustering_accuracy(y, est.labels_) == 1


def test_moons_and_kinds_of_numbers():
    X, y = make_moons(300, noise=0.06, random_state=1)
    for cls in (SpectralGraph, SpectralCommunities):
        for dtype in (np.float32, np.float64):
            heat = NeighborGraph(sigma="mean_knn")
            est = cls(2, graph=heat, random_state=0)
            est.fit(X.astype(dtype))
            assert est.affinity_.dtype == est.embedding_.dtype == dtype
            assert clustering_accuracy(y, est.labels_) >= 0.99


def test_spectral_communities_raises_the_degrees():
    A, _ = make_sbm(100, 2, 0.2, 0.02, random_state=0)
    est = SpectralCommunities(2, affinity="precomputed", random_state=0).fit(A)
    degree = np.asarray(A.sum(axis=1)).ravel()
    root = 1 / np.sqrt(degree + degree.mean())
    vectors = np.linalg.eigh(root[:, None] * A.toarray() * root)[1][:, -2:]
    want = normalize(vectors)
    np.testing.assert_allclose(est.embedding_ @ est.embedding_.T, want @ want.T, atol=1e-8)
