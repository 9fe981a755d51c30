"""What every graph clusterer inherits: precomputed graphs, components, numbering, refusals."""

from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_blobs

from sksieve import (
    SDP1,
    SLSA,
    SPMA,
    SRSG,
    ClusterChoice,
    SpectralCommunities,
    SpectralGraph,
)
from sksieve.clustering import BaseGraphClusterer
from sksieve.exceptions import DataError, DataWarning
from sksieve.graphs import NeighborGraph, knn_graph, number_by_first, unit_rows
from sksieve.metrics import clustering_accuracy
from sksieve.solvers import Stopping


class Halving:
    """The smallest problem there can be."""

    def start(self, rng):
        return 1.0

    def step(self, x):
        return x / 2

    def objective(self, x):
        return x


class Fixed(BaseGraphClusterer):
    """The smallest clusterer there can be; loops once so that callbacks have something to see."""

    _parameter_constraints: ClassVar = {
        **BaseGraphClusterer._parameter_constraints,
        "affinity": [str],
    }

    def __init__(self, n_clusters=2, *, affinity="knn", n_init=5, random_state=None):
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_init = n_init
        self.random_state = random_state

    def _prepare(self, X):
        return unit_rows(X)

    def _affinity(self, X, rng):
        run = self._run(Halving(), 1.0, stopping=Stopping(max_iter=50, tol=0.5))
        return run.state * knn_graph(X, 3)


def rays(n=60, seed=0):
    """Two bundles of directions; lengths say nothing."""
    rng = np.random.RandomState(seed)
    y = np.arange(n) % 2
    X = np.eye(3)[y] + 0.05 * rng.standard_normal((n, 3))
    return X * rng.uniform(1, 20, size=(n, 1)), y


def cliques(*sizes):
    return sp.csr_array(sp.block_diag([np.ones((n, n)) - np.eye(n) for n in sizes]))


def precomputed(n_clusters, **given):
    return SpectralGraph(n_clusters, affinity="precomputed", random_state=0, **given)


def test_a_subclass_needs_its_affinity_only():
    X, y = rays()
    seen = []
    est = Fixed(random_state=0).set_callbacks(lambda record, state: seen.append(record["n_iter"]))
    assert est.fit(X) is est
    assert clustering_accuracy(y, est.labels_) == 1
    assert est.n_iter_ == len(est.history_) == len(seen) == 1
    assert est.converged_
    assert est.stop_reason_ == "tolerance"
    assert est.affinity_.shape == (60, 60)
    assert est.embedding_.shape == (60, 2)
    assert est.n_features_in_ == 3
    np.testing.assert_array_equal(clone(est).fit_predict(X), est.labels_)


def test_labels_are_numbered_by_first_occurrence():
    X, _ = rays()
    for seed in range(5):
        labels = Fixed(random_state=seed).fit_predict(X)
        np.testing.assert_array_equal(labels, number_by_first(labels))
        assert labels.dtype == np.intp


def test_small_components_join_what_they_are_nearest_to_in_the_prepared_space():
    X, y = rays(40)
    X = np.vstack([X, 200 * np.array([[1.0, 0.6, 0], [1, 0.61, 0], [1, 0.6, 0.01], [1, 0.59, 0]])])
    est = Fixed(random_state=0).fit(X)
    assert est.n_components_ == 3
    np.testing.assert_array_equal(est.labels_[40:], est.labels_[0])
    assert clustering_accuracy(y, est.labels_[:40]) == 1
    apart = Fixed(3, random_state=0).fit(X)  # 4 of 44 vertices are above a quarter of 44 / 3
    np.testing.assert_array_equal(apart.labels_[40:], 2)


@pytest.mark.parametrize("form", [lambda A: A, sp.csr_array.toarray, sp.csr_matrix, sp.coo_array])
def test_precomputed_in_every_form(form):
    A = cliques(5, 4, 6)
    est = precomputed(3).fit(form(A))
    np.testing.assert_array_equal(est.labels_, np.repeat([0, 1, 2], [5, 4, 6]))
    assert est.n_components_ == 3
    np.testing.assert_array_equal(est.affinity_.toarray(), A.toarray())
    assert isinstance(est.affinity_, sp.csr_array)


def test_precomputed_may_be_whole_numbers_and_float32():
    A = cliques(5, 4).toarray()
    np.testing.assert_array_equal(precomputed(2).fit_predict(A.astype(int)), [0] * 5 + [1] * 4)
    est = precomputed(2).fit(A.astype(np.float32))
    assert est.affinity_.dtype == est.embedding_.dtype == np.float32


def test_isolated_vertices_are_groups_of_their_own():
    A = sp.csr_array(sp.block_diag([np.zeros((1, 1)), cliques(4, 7), np.zeros((2, 2))]))
    with pytest.warns(DataWarning, match="3 vertices of the affinity lie in 3 components"):
        labels = precomputed(2).fit_predict(A)
    np.testing.assert_array_equal(labels, [0] + [1] * 4 + [2] * 7 + [3, 4])


def test_components_beyond_the_largest_are_groups_of_their_own():
    with pytest.warns(DataWarning, match="beyond the n_clusters=2 largest"):
        labels = precomputed(2).fit_predict(cliques(3, 6, 8))
    np.testing.assert_array_equal(labels, [0] * 3 + [1] * 6 + [2] * 8)


def test_small_components_are_apart_and_the_large_one_is_divided():
    halves = cliques(20, 20).tolil()
    halves[0, 20] = halves[20, 0] = 1
    A = sp.csr_array(sp.block_diag([cliques(3), halves, cliques(2)]))
    est = precomputed(2)
    with pytest.warns(DataWarning, match="5 vertices of the affinity lie in 2 components"):
        est.fit(A)
    np.testing.assert_array_equal(est.labels_, [0] * 3 + [1] * 20 + [2] * 20 + [3] * 2)
    assert est.n_clusters_ == 2
    assert not est.embedding_[[0, 1, 2, 43, 44]].any()


def test_fewer_vertices_with_an_edge_than_clusters():
    A = sp.csr_array(sp.block_diag([cliques(2), np.zeros((6, 6))]))
    with pytest.warns(DataWarning, match="6 vertices"):
        labels = precomputed(4).fit_predict(A)
    np.testing.assert_array_equal(labels, range(8))


def test_loops_do_not_matter():
    A = cliques(5, 6).toarray()
    A[0, 6] = A[6, 0] = 1
    want = precomputed(2).fit(A)
    got = precomputed(2).fit(A + 50 * np.eye(11))
    np.testing.assert_array_equal(got.labels_, want.labels_)
    np.testing.assert_allclose(got.embedding_, want.embedding_, atol=1e-9)
    sparse = precomputed(2).fit(sp.csr_array(A + 50 * np.eye(11)))
    np.testing.assert_allclose(sparse.embedding_, want.embedding_, atol=1e-9)


def test_rounding_is_no_asymmetry():
    A = cliques(5, 6).toarray()
    A[0, 1] += 1e-13
    est = precomputed(2).fit(A)
    assert not (est.affinity_ != est.affinity_.T).nnz


def changed(at, value, A=None):
    A = cliques(5, 6).toarray() if A is None else A
    for i, j in at:
        A[i, j] = value
    return A


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize(
    ("A", "error", "words"),
    [
        (np.ones((4, 3)), ValueError, r"affinity='precomputed' needs a square .* \(4, 3\)"),
        (changed([(0, 1)], 2.0), ValueError, "affinity='precomputed' needs a symmetric"),
        (changed([(0, 1), (1, 0)], -0.5), ValueError, "needs weights >= 0; .* -0.5"),
        (changed([(0, 1), (1, 0)], np.nan), DataError, r"X contains missing values \(NaN\)"),
        (np.zeros((4, 4)), DataError, "affinity='precomputed' was given a graph without any edge"),
        (np.eye(4), DataError, "given a graph without any edge between two vertices"),
        (
            1e160 * cliques(5, 6).toarray(),
            DataError,
            r"1e\+160 in magnitude; .* float64. Multiply X",
        ),
        (np.ones((1, 1)), ValueError, "minimum of 2 is required"),
    ],
)
def test_what_is_no_affinity_is_refused(form, A, error, words):
    with pytest.raises(error, match=words):
        precomputed(2).fit(form(A))


@pytest.mark.parametrize("unit", [1e-150, 1e-10, 1e10, 1e150])
def test_the_unit_of_the_samples_does_not_matter(unit):
    X = make_blobs(60, 5, centers=3, cluster_std=0.4, random_state=0)[0]
    want = SpectralGraph(3, random_state=0).fit(X)
    got = SpectralGraph(3, random_state=0).fit(unit * X)
    np.testing.assert_array_equal(got.affinity_.toarray(), want.affinity_.toarray())
    np.testing.assert_array_equal(got.labels_, want.labels_)


@pytest.mark.parametrize(
    ("unit", "dtype"), [(1e-170, float), (1e160, float), (1e-25, np.float32), (1e25, np.float32)]
)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_samples_whose_squares_are_no_numbers_are_refused(unit, dtype, form):
    X = form(unit * rays()[0]).astype(dtype)
    with pytest.raises(DataError, match=r"largest entry of X is .* underflow in float.* Multiply"):
        SpectralGraph(2).fit(X)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 61}, "n_clusters=61 is more than the n_samples=60"),
        ({"n_init": 0}, "n_init"),
        ({"random_state": "x"}, "random_state"),
    ],
)
def test_parameters_are_refused_by_name(change, words):
    with pytest.raises(ValueError, match=words):
        Fixed(**change).fit(rays()[0])


def test_tags():
    assert precomputed(2).__sklearn_tags__().input_tags.pairwise
    assert not SpectralGraph().__sklearn_tags__().input_tags.pairwise
    assert SpectralGraph().__sklearn_tags__().input_tags.sparse


def test_as_many_clusters_as_samples_and_one_cluster():
    X = np.array([[0.0], [1.0], [5.0], [6.5]])
    est = SpectralGraph(4, n_neighbors=2, random_state=0).fit(X)
    np.testing.assert_array_equal(np.sort(est.labels_), [0, 1, 2, 3])
    assert set(SpectralGraph(1, n_neighbors=2).fit_predict(X)) == {0}


@pytest.mark.parametrize(
    "warned",
    [
        lambda: precomputed(2).fit(sp.block_diag([[[0.0]], cliques(4, 7)])),
        lambda: SRSG(2, random_state=0).fit_predict(np.eye(4, 5) + 0.5),
    ],
)
def test_warnings_name_the_line_that_asked(warned):
    with pytest.warns(DataWarning) as caught:
        warned()
    message = [warning for warning in caught if warning.category is DataWarning]
    assert [warning.filename for warning in message] == [__file__]


def in_parts(A):
    """The same CSR with every entry stored as three parts, the first of which is too large."""
    A = sp.csr_array(A)
    data = np.outer(A.data, [2.0, -3.0, 2.0]).ravel()
    return sp.csr_array((data, np.repeat(A.indices, 3), 3 * A.indptr), shape=A.shape)


@pytest.mark.parametrize("weights", ["binary", "heat", "cosine"])
def test_entries_stored_in_parts_count_as_their_sum(weights):
    X, _ = rays(40)
    X = np.vstack([X, 200 * np.array([[1.0, 0.6, 0], [1, 0.61, 0], [1, 0.6, 0.01], [1, 0.59, 0]])])
    given = {"n_neighbors": 3, "graph": NeighborGraph(weights), "random_state": 0}
    parts = in_parts(X)
    want, got = SpectralGraph(2, **given).fit(X), SpectralGraph(2, **given).fit(parts)
    np.testing.assert_allclose(got.affinity_.toarray(), want.affinity_.toarray(), atol=1e-12)
    np.testing.assert_array_equal(got.labels_, want.labels_)
    assert parts.nnz == 3 * np.count_nonzero(X), "X is left as it was"
    np.testing.assert_array_equal(
        precomputed(2).fit_predict(in_parts(cliques(5, 4))), [0] * 5 + [1] * 4
    )
    with pytest.raises(DataError, match="without any edge between two"):
        precomputed(2).fit(in_parts(np.eye(4)))


@pytest.mark.parametrize("cls", [SpectralCommunities, SpectralGraph, SPMA, SDP1, SLSA])
def test_a_graph_of_networkx_needs_no_word(cls):
    networkx = pytest.importorskip("networkx")
    graph = networkx.barbell_graph(8, 0)
    est = cls(2, random_state=0).fit(graph)
    np.testing.assert_array_equal(est.labels_, [0] * 8 + [1] * 8)
    A = networkx.to_scipy_sparse_array(graph)
    if cls._for_graphs:
        np.testing.assert_array_equal(cls(2, random_state=0).fit(A).labels_, est.labels_)
        with pytest.raises(DataError, match=r"symmetric matrix .* If it is a graph"):
            cls(2).fit(A.toarray())


@pytest.mark.parametrize("cls", [SRSG, ClusterChoice])
def test_classes_for_tables_name_those_for_graphs(cls):
    networkx = pytest.importorskip("networkx")
    with pytest.raises(DataError, match=r"X is a graph and .* needs a table. Use Spectral"):
        cls(2).fit(networkx.barbell_graph(8, 0))


def test_predict_is_refused_with_a_sentence():
    est = SpectralGraph(2)
    assert not hasattr(est, "predict")
    with pytest.raises(AttributeError, match="SpectralGraph has no predict: its groups are those"):
        est.predict  # noqa: B018
