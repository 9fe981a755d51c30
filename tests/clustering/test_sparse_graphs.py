"""The sparse-graph family: optimality, controls, edge cases, and the figures on real data."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from sksieve import SMCE, SRSG, L1Graph, LaplacianL1Graph
from sksieve.clustering import Sparsifier
from sksieve.clustering._lr_l1 import SmoothCodes
from sksieve.clustering._smce import direction_codes
from sksieve.clustering._srsg import SupportRegularizedCodes
from sksieve.datasets import make_subspaces
from sksieve.exceptions import DataError, DataWarning
from sksieve.graphs import kkt_residual, knn_graph, sparse_codes, unit_rows
from sksieve.metrics import clustering_accuracy, nmi
from sksieve.papers import GradientSRSG
from sksieve.testing import check_pure_step, check_resume

FAMILY = [L1Graph, SRSG, LaplacianL1Graph, SMCE]


@pytest.mark.parametrize("method", [L1Graph, SRSG, LaplacianL1Graph])
def test_union_of_subspaces_is_found(method):
    X, y = make_subspaces(5, 4, 50, 200, 0.01, random_state=1)
    assert clustering_accuracy(y, method(5, random_state=0).fit(X).labels_) == 1.0


@pytest.mark.parametrize("method", FAMILY)
def test_affinity_is_made_of_the_codes(method):
    X, _ = make_subspaces(3, 2, 10, 40, 0.05, random_state=0)
    est = method(3, random_state=0).fit(X)
    assert isinstance(est.affinity_, sp.csr_array)
    assert isinstance(est.codes_, sp.csc_array)
    expected = (abs(est.codes_) + abs(est.codes_.T)) / 2
    assert abs(est.affinity_ - expected).max() < 1e-15
    assert not est.codes_.diagonal().any()
    assert est.labels_[0] == 0


def test_codes_of_the_estimator_satisfy_the_optimality_conditions():
    X, _ = make_subspaces(4, 3, 20, 120, 0.1, random_state=0)
    est = L1Graph(4, random_state=0).fit(X)
    assert kkt_residual(unit_rows(X), est.codes_, 0.1).max() <= 1e-8


def test_sparsifiers_are_what_they_say():
    Z = sp.random_array((30, 30), density=0.4, random_state=np.random.default_rng(0), format="csc")
    dense = Z.toarray()
    np.testing.assert_array_equal(
        Sparsifier(threshold=0.5).sparsify(Z).toarray(), np.where(np.abs(dense) >= 0.5, dense, 0)
    )
    top = Sparsifier(top=3).sparsify(Z).toarray()
    assert ((top != 0).sum(axis=0) <= 3).all()
    for column, kept in zip(dense.T, top.T):
        left = np.abs(column[kept == 0]).max(initial=0)
        assert np.abs(kept[kept != 0]).min(initial=np.inf) >= left
    np.testing.assert_allclose(Sparsifier(power=2).sparsify(-Z).toarray(), -(dense**2))


def test_ties_among_the_largest_go_to_the_smaller_row():
    Z = sp.csc_array(np.array([[0, 1.0, 2], [1, 0, 2], [1, 1, 0]]))
    largest = Sparsifier(top=1).sparsify(Z).toarray()
    np.testing.assert_array_equal(largest, [[0, 1, 2], [1, 0, 0], [0, 0, 0]])


def test_a_huge_weight_leaves_the_nearest_sample():
    X = np.random.RandomState(0).standard_normal((40, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Z = SMCE(3, lam=1e8, random_state=0).fit(X).codes_
    nearest = knn_graph(X, 1, symmetrize="none").toarray()
    np.testing.assert_allclose(Z.toarray().T, nearest, atol=1e-6)


def test_power_beyond_the_range_of_numbers():
    Z = sp.csc_array(np.array([[0.0, 3.0], [0.5, 0.0]]))
    with pytest.raises(DataError, match=r"power=1000 raises codes of magnitude 3 .* lower power"):
        Sparsifier(power=1000.0).sparsify(Z)
    assert Sparsifier(power=1000.0).sparsify(0.1 * Z).nnz == 0, "what underflows is not stored"


@pytest.mark.parametrize("growth", [False, True])
def test_a_sweep_is_pure_and_never_raises_the_objective(growth):
    X = unit_rows(make_subspaces(3, 3, 12, 60, 0.2, random_state=0)[0])
    S = knn_graph(X, 5, symmetrize="none")
    problem = SupportRegularizedCodes(X, S, gamma=0.05, growth=growth)
    start = problem.start(sparse_codes(X, 0.1))
    check_pure_step(problem.step, start)
    check_resume(problem.step, start, 2, 3)
    state = start
    for _ in range(4):
        new = problem.step(state)
        assert new.L <= state.L * (1 + 1e-9)
        state = new


@pytest.mark.parametrize(("cls", "gamma"), [(SRSG, 0.075 / 4), (GradientSRSG, 0.1)])
def test_the_weight_of_the_regularizer_where_none_is_given(cls, gamma):
    X, _ = make_subspaces(3, 2, 10, 40, 0.05, random_state=0)
    given = {"n_neighbors": 4, "random_state": 0}
    own = cls(3, **given).fit(X)
    assert own.objective_ == cls(3, gamma=gamma, **given).fit(X).objective_
    assert own.objective_ != cls(3, gamma=0.9 * gamma, **given).fit(X).objective_


def test_growth_makes_room_for_itself():
    X = unit_rows(np.random.RandomState(0).randn(8, 5))
    S = knn_graph(X, 5, symmetrize="none")
    Z = np.zeros((8, 8))
    Z[0, 1:] = 0.5  # all are coded by sample 0 ...
    Z[1, 0] = 0.5
    Z[0, 5], Z[2, 5] = 0.0, 0.5  # ... but for sample 5
    problem = SupportRegularizedCodes(X, S, gamma=1e-6, growth=True)
    start = problem.start(sp.csc_array(Z))
    start = start._replace(support=start.support[:, :1].copy(), value=start.value[:, :1].copy())
    grown = problem.step(start)
    assert start.support.shape[1] == 1
    assert set(grown.support[5, : grown.size[5]]) == {0, 2}
    assert grown.L < start.L


@pytest.mark.parametrize("n_copies", [0, 7])
def test_laplacian_l1_reaches_the_optimum_of_its_convex_problem(n_copies):
    X = unit_rows(make_subspaces(2, 2, 6, 24, 0.2, random_state=0)[0])
    X = np.vstack([X, np.repeat(X[:1], n_copies, axis=0)])
    n, lam, gamma = len(X), 0.1, 0.3
    A = knn_graph(X, 4, symmetrize="none")
    P = sp.csr_array((A + A.T) / 2)
    problem = SmoothCodes(X, P, lam=lam, gamma=gamma)
    state = problem.start(sparse_codes(X, lam))
    values = [problem.objective(state)]
    for _ in range(60):
        state = problem.step(state)
        values.append(problem.objective(state))
    assert (np.diff(values) <= 1e-12).all()
    L = np.diag(np.asarray(P.sum(axis=1)).ravel()) - P.toarray()
    K = X @ X.T
    Z = np.zeros((n, n))  # FISTA, literally
    Y, t = Z, 1.0
    step = 1 / (2 * np.linalg.eigvalsh(K)[-1] + 2 * gamma * np.linalg.eigvalsh(L)[-1])
    for _ in range(4000):
        V = Y - step * (2 * (K @ Y - K) + 2 * gamma * Y @ L)
        new = np.sign(V) * np.maximum(np.abs(V) - lam * step, 0)
        np.fill_diagonal(new, 0)
        t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
        Y, Z, t = new + (t - 1) / t_new * (new - Z), new, t_new
    rival = (
        np.linalg.norm(X.T - X.T @ Z) ** 2 + lam * np.abs(Z).sum() + gamma * np.trace(Z @ L @ Z.T)
    )
    assert values[-1] == pytest.approx(rival, rel=1e-8)
    assert problem.matrix(state).toarray() == pytest.approx(Z, abs=1e-4)


def test_direction_codes_reach_the_optimum():
    rng = np.random.RandomState(0)
    D = rng.randn(4, 6, 5)
    D /= np.linalg.norm(D, axis=2, keepdims=True)
    G, q = D @ D.transpose(0, 2, 1), rng.rand(4, 6) + 0.1
    c = direction_codes(G, q, 0.3)
    np.testing.assert_allclose(c.sum(axis=1), 1, atol=1e-6)
    for G_i, q_i, c_i in zip(G, q, c):

        def value(parts, G_i=G_i, q_i=q_i):
            positive, negative = np.split(parts, 2)
            z = positive - negative
            return 0.3 * q_i @ (positive + negative) + z @ G_i @ z / 2

        rival = minimize(
            value,
            np.r_[np.full(6, 1 / 6), np.zeros(6)],
            bounds=[(0, None)] * 12,
            constraints={"type": "eq", "fun": lambda p: p[:6].sum() - p[6:].sum() - 1},
            options={"ftol": 1e-14, "maxiter": 500},
        )
        own = np.r_[np.maximum(c_i, 0), np.maximum(-c_i, 0)]
        assert value(own) <= rival.fun + 1e-7


def test_smce_links_copies_to_each_other_alone():
    X = 0.01 * np.random.RandomState(0).standard_normal((30, 3))
    X = np.vstack([X, X[:1], X[:1]])
    Z = SMCE(2, n_neighbors=6, random_state=0).fit(X).codes_
    np.testing.assert_allclose(Z.sum(axis=0), 1, rtol=1e-12)
    want = np.zeros(32)
    want[[30, 31]] = 0.5
    np.testing.assert_array_equal(Z[:, [0]].toarray().ravel(), want)


def test_directions_are_made_in_blocks():
    X = np.random.RandomState(0).standard_normal((300, 4000))
    tracemalloc.start()
    SMCE(2, random_state=0).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * X.nbytes, "all directions together are 20 times the samples"


@pytest.mark.parametrize("method", FAMILY)
def test_copies_and_zero_rows_are_defined(method):
    X, y = make_subspaces(3, 2, 20, 150, 0.02, random_state=0)
    X = np.vstack([X, X[:5], np.zeros((2, X.shape[1]))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        labels = method(3, random_state=0).fit(X).labels_
    assert set(labels) <= {0, 1, 2}
    if method is not SMCE:  # it does not promise subspaces
        np.testing.assert_array_equal(labels[150:155], labels[:5])
        assert clustering_accuracy(y, labels[:150]) >= 0.99


@pytest.mark.parametrize("method", FAMILY)
def test_one_column_and_two_samples(method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        line = method(2, random_state=0).fit(np.array([[1.0], [2.0], [-1.0], [-3.0]]))
        pair = method(2, random_state=0).fit(np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert len(line.labels_) == 4
    assert sorted(pair.labels_) == [0, 1]


@pytest.mark.parametrize("method", FAMILY)
def test_refusals_name_the_trouble(method):
    with pytest.raises(ValueError, match="n_clusters=9 is more than the n_samples=4"):
        method(9).fit(np.eye(4, 5))
    with pytest.raises(DataError, match="Every row of X is zero"):
        method(2).fit(np.zeros((5, 3)))
    with pytest.raises(TypeError, match=r"takes dense X.*GB.*TruncatedSVD.*SpectralGraph"):
        method(2).fit(sp.csr_array(np.eye(5, 6)))


def test_codes_that_are_all_empty_are_told():
    X, _ = make_subspaces(3, 2, 10, 40, 0.05, random_state=0)
    with pytest.warns(DataWarning, match=r"No sample is coded .* L1Graph has no edge .* Lower lam"):
        est = L1Graph(3, lam=2.0, random_state=0).fit(X)
    assert not est.affinity_.nnz


def test_too_few_samples_for_the_neighbors_is_told():
    with pytest.warns(DataWarning, match="n_neighbors=3 is used"):
        SRSG(2, random_state=0).fit(np.eye(4, 5) + 0.5)


def test_single_precision_agrees():
    X, _ = make_subspaces(3, 3, 20, 60, 0.02, random_state=0)
    for method in FAMILY:
        one = method(3, random_state=0).fit(X).labels_
        two = method(3, random_state=0).fit(X.astype(np.float32)).labels_
        assert clustering_accuracy(one, two) == 1.0


@pytest.mark.parametrize(
    ("c", "accuracy", "information"), [(4, 1, 1), (8, 0.7986, 0.8950), (12, 0.7697, 0.8960)]
)
def test_l1_graph_repeats_the_paper_on_coil20(real_data, c, accuracy, information):
    data = real_data("COIL20")
    chosen = data.y < c
    labels = L1Graph(c, random_state=0).fit(data.X[chosen]).labels_
    assert clustering_accuracy(data.y[chosen], labels) == pytest.approx(accuracy, abs=5e-5)
    assert nmi(data.y[chosen], labels) == pytest.approx(information, abs=5e-5)


def test_all_of_coil20(real_data):
    data = real_data("COIL20")
    l1 = L1Graph(20, random_state=0).fit(data.X).labels_
    assert clustering_accuracy(data.y, l1) == pytest.approx(0.7854, abs=5e-5)
    assert nmi(data.y, l1) == pytest.approx(0.9148, abs=5e-5)
    assert clustering_accuracy(data.y, SRSG(20, random_state=0).fit(data.X).labels_) >= 0.85


@pytest.mark.parametrize(("c", "floor"), [(8, 0.96), (12, 0.95), (16, 0.89)])
def test_srsg_mends_the_l1_graph_on_coil20(real_data, c, floor):
    data = real_data("COIL20")
    chosen = data.y < c
    labels = SRSG(c, random_state=0).fit(data.X[chosen]).labels_
    assert clustering_accuracy(data.y[chosen], labels) >= floor


def test_ten_faces(real_data):
    data = real_data("YaleB")
    chosen = data.y < 10
    labels = SRSG(10, random_state=0).fit(data.X[chosen]).labels_
    assert clustering_accuracy(data.y[chosen], labels) >= 0.86
