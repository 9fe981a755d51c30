"""Projection matrix approximation: the estimators, what they promise and what they refuse."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris

from sksieve import BPMA, PPMA, RPMA, SDP1, SDP2, SLSA, SPMA, SpectralCommunities
from sksieve.clustering import Bounded, Huber, Starts
from sksieve.clustering._rpma_problem import ProjectionProblem, mean_off_diagonal
from sksieve.datasets import make_sbm
from sksieve.exceptions import DataError, DataWarning
from sksieve.graphs import gaussian_affinity
from sksieve.metrics import clustering_accuracy, projector_distance
from sksieve.papers import CurvilinearRPMA, PerturbedRPMA, PlainSPMA, SplittingRPMA

from .rpma_cases import (
    ONE_START,
    PENALTIES,
    blobs,
    every_model,
    fitted_penalty,
    written_out,
)

every_algorithm = pytest.mark.parametrize(
    "cls", [RPMA, CurvilinearRPMA, PerturbedRPMA, SplittingRPMA]
)
every_class = pytest.mark.parametrize(
    "model", [SPMA, PPMA, BPMA, RPMA, SLSA, SDP1, SDP2, SpectralCommunities]
)


@every_model
def test_answer_does_not_depend_on_scale_and_shift(model):
    """(A + cI) and (cA, c lam) have the minimizers of A."""
    X, _ = blobs()
    A = gaussian_affinity(X)
    options = {"affinity": "precomputed", "random_state": 0, "tol": 1e-9}
    base = model(3, **options).fit(A)
    for other in (1e-6 * A, 1e5 * A, A + 7 * np.eye(60)):
        est = model(3, **options).fit(other)
        assert projector_distance(est.U_, base.U_) < 1e-6
        assert_array_equal(est.labels_, base.labels_)
        assert est.converged_


@every_model
def test_attributes_are_those_of_the_answer(model):
    X, _ = blobs()
    est = model(3, random_state=0).fit(X)
    p = ProjectionProblem(gaussian_affinity(X), 3, fitted_penalty(est), est.lam_)
    assert_allclose(est.objective_, written_out(p, est.U_), rtol=1e-10)
    assert est.kkt_ <= 1e-6
    assert_allclose(est.U_.T @ est.U_, np.eye(3), atol=1e-10)
    assert est.objective_ <= min(s["objective"] for s in est.starts_) + 1e-9 * abs(est.objective_)
    assert {"path", "spectral", "round"} >= {s["start"] for s in est.starts_}


@every_model
def test_no_penalty_is_spectral_clustering(model):
    X, _ = blobs()
    est = model(3, lam=0, random_state=0).fit(X)
    vectors = np.linalg.eigh(gaussian_affinity(X))[1]
    assert projector_distance(est.U_, vectors[:, -3:]) < 1e-6


def test_units_of_the_paper():
    X, _ = blobs()
    relative = SPMA(3, random_state=0).fit(X)
    delta = relative.penalty_["delta"]
    assert_allclose(delta, 0.02 * 3 / 60)
    assert_allclose(relative.lam_, 0.6 * mean_off_diagonal(relative.affinity_))
    plain = PlainSPMA(3, lam=relative.lam_, delta=delta, random_state=0).fit(X)
    for est in (plain, RPMA(3, random_state=0).fit(X)):
        assert_allclose(est.objective_, relative.objective_, rtol=1e-12)
    bounded = BPMA(3, random_state=0).fit(X)
    named = RPMA(3, penalty=Bounded(), random_state=0).fit(X)
    assert bounded.objective_ == named.objective_
    assert_allclose(bounded.lam_, 8 * mean_off_diagonal(bounded.affinity_) * 60 / 3)
    assert bounded.penalty_["beta"] == 3 / 60


def test_units_of_the_paper_need_a_weight():
    with pytest.raises(ValueError, match="PlainSPMA needs lam as a number"):
        PlainSPMA(3).fit(blobs()[0])


@every_algorithm
def test_every_solver_serves_the_estimator(cls):
    X, y = blobs(spread=0.6)
    given = {"penalty": Bounded(), "starts": Starts(n_rounds=1), "random_state": 0}
    est = cls(3, **given).fit(X)
    assert clustering_accuracy(y, est.labels_) == 1


@every_algorithm
def test_float32_stays_float32(cls):
    X, _ = blobs()
    est = cls(3, penalty=Bounded(), tol=1e-4, random_state=0).fit(X.astype(np.float32))
    assert est.affinity_.dtype == est.U_.dtype == np.float32
    assert est.converged_
    double = cls(3, penalty=Bounded(), tol=1e-4, random_state=0).fit(X)
    assert_allclose(est.objective_, double.objective_, rtol=1e-4)


def test_dense_and_sparse_agree():
    A, _ = make_sbm(80, 2, 0.4, 0.1, random_state=0)
    options = {"affinity": "precomputed", "random_state": 0, "tol": 1e-8}
    a, b = (BPMA(2, **options).fit(form(A)) for form in (sp.csr_array, lambda A: A.toarray()))
    assert projector_distance(a.U_, b.U_) < 1e-6


def test_more_starts_never_end_higher():
    X, _ = blobs(90, spread=1.8)
    one = PPMA(3, starts=ONE_START, random_state=0).fit(X)
    many = PPMA(3, starts=Starts(n_partitions=4), random_state=0).fit(X)
    assert len(one.starts_) == 1
    assert len(many.starts_) >= 7
    assert many.objective_ <= one.objective_ * (1 + 1e-9)


@pytest.mark.parametrize(("K", "n_partitions"), [(5, 0), (6, 6)])
def test_many_clusters_have_more_starts(K, n_partitions):
    est = SPMA(K, starts=Starts(n_rounds=0), random_state=0).fit(blobs()[0])
    assert [s["start"] for s in est.starts_].count("partition") == n_partitions


def test_gap_closes_where_the_convex_problem_is_tight():
    X, _ = blobs(spread=0.3)
    est = BPMA(3, lam=1.0, random_state=0).fit(X)
    assert -1e-8 <= est.gap_ <= 1e-3 * abs(est.objective_)
    none = BPMA(3, lam=0, random_state=0).fit(X)
    assert abs(none.gap_) <= 1e-8 * abs(none.objective_)


def test_gap_is_for_small_problems():
    A, _ = make_sbm(310, 2, 0.3, 0.1, random_state=0)
    est = BPMA(2, affinity="precomputed", random_state=0).fit(A)
    with pytest.raises(AttributeError, match="up to 300 samples; there are 310"):
        est.gap_  # noqa: B018


def two_triangles(extra=0):
    A = np.zeros((6 + extra, 6 + extra))
    A[:3, :3] = A[3:6, 3:6] = 1
    np.fill_diagonal(A, 0)
    return A


@every_class
def test_bad_input_is_refused_in_a_sentence(model):
    A = two_triangles()
    est = model(2, affinity="precomputed")
    crooked = A.copy()
    crooked[0, 1] = 2
    with pytest.raises(ValueError, match="symmetric"):
        est.fit(crooked)
    with pytest.raises(ValueError, match="weights >= 0"):
        est.fit(A - 2)
    with pytest.raises(ValueError, match="NaN"):
        est.fit(A * np.nan)
    with pytest.raises(DataError, match="without any edge"):
        est.fit(0 * A)
    with pytest.raises(ValueError, match="n_clusters=7 is more than"):
        model(7, affinity="precomputed").fit(A)
    with pytest.raises(ValueError, match=r"n_clusters.*\[1, inf\)"):
        model(0).fit(A)
    with pytest.raises(ValueError, match=r"n_clusters=1 puts every vertex .* ask for 2 or more"):
        model(1, affinity="precomputed").fit(A)


@every_model
def test_one_cluster_of_samples_holds_everything(model):
    """As scikit-learn's own clusterers have it, and its checks ask for; a graph is refused."""
    est = model(1, random_state=0).fit(blobs()[0])
    assert_array_equal(est.labels_, 0)
    assert est.U_.shape == (60, 1)


@every_model
def test_rounding_is_no_asymmetry(model):
    """The answer is that of the symmetric matrix, not of one triangle."""
    A = gaussian_affinity(blobs()[0])
    crooked = A * (1 + 1e-9 * np.triu(np.random.RandomState(0).standard_normal(A.shape), 1))
    options = {"affinity": "precomputed", "random_state": 0, "tol": 1e-9}
    est, one = model(3, **options).fit(crooked), model(3, **options).fit((crooked + crooked.T) / 2)
    assert not (est.affinity_ != est.affinity_.T).nnz
    assert_array_equal(est.U_, one.U_)
    assert projector_distance(est.U_, model(3, **options).fit(A).U_) < 1e-6
    assert_array_equal(est.labels_, one.labels_)


@every_class
def test_isolated_vertices_are_counted_and_told(model):
    est = model(2, affinity="precomputed", random_state=0)
    with pytest.warns(DataWarning, match="3 vertices"):
        est.fit(two_triangles(extra=3))
    assert_array_equal(est.labels_, [0, 0, 0, 1, 1, 1, 2, 3, 4])
    assert est.n_components_ == 5
    assert len(est.embedding_) == 9
    if hasattr(est, "U_"):
        assert len(est.U_) == 6


@every_class
@pytest.mark.parametrize("form", [sp.csr_array, lambda A: A.toarray()], ids=["CSR", "dense"])
def test_more_components_than_clusters(model, form):
    A = form(sp.block_diag([np.ones((k, k)) - np.eye(k) for k in (6, 5, 3)]))
    est = model(2, affinity="precomputed", random_state=0)
    with pytest.warns(DataWarning, match="3 vertices"):
        est.fit(A)
    assert_array_equal(est.labels_, [0] * 6 + [1] * 5 + [2] * 3)
    assert est.n_components_ == 3


@pytest.mark.parametrize("anywhere", [False, True])
def test_a_callback_that_may_stop_anywhere_ends_the_search_for_a_start(anywhere):
    X, _ = blobs()

    class Stop:
        asked = 0

        def __call__(self, record, state):
            self.asked += 1
            return True

    stop = Stop()
    stop.anywhere = anywhere
    est = SPMA(3, starts=Starts(n_partitions=3), random_state=0, tol=0).set_callbacks(stop).fit(X)
    assert est.stop_reason_ == "callback"
    assert est.n_iter_ == 1
    steps = [start["n_iter"] for start in est.starts_]
    if anywhere:
        assert stop.asked == 1 + sum(steps)
        assert len(steps) <= sum(steps) <= 4 * len(steps)  # a step for each penalty of a path
    else:
        assert stop.asked == 1
        assert max(steps) > 10


def test_bounds_are_refused_in_the_unit_they_were_given_in():
    with pytest.raises(ValueError, match=r"alpha < beta.* got alpha=2, beta=1\.0"):
        BPMA(2, alpha=2).fit(np.arange(12.0)[:, None])


@every_model
def test_presets_are_penalties(model):
    X = load_iris().data
    named = RPMA(3, penalty=PENALTIES[model](), starts=ONE_START, random_state=0).fit(X)
    short = model(3, starts=ONE_START, random_state=0).fit(X)
    assert named.objective_ == short.objective_
    assert_array_equal(named.labels_, short.labels_)


def test_nested_parameters():
    est = RPMA(3, penalty=Bounded(), starts=Starts(), random_state=0)
    est.set_params(penalty__beta=2.0, starts__n_rounds=0)
    assert clone(est).fit(blobs()[0]).penalty_ == {"alpha": 0.0, "beta": 2 * 3 / 60}
    with pytest.raises(ValueError, match="'n_rounds' parameter of Starts"):
        est.set_params(starts__n_rounds=-1).fit(blobs()[0])
    with pytest.raises(ValueError, match="'delta' parameter of Huber"):
        RPMA(3, penalty=Huber(-1.0)).fit(blobs()[0])


@every_model
def test_a_sparse_graph_has_its_degrees_divided_out(model):
    A, _ = make_sbm(120, 2, 0.2, 0.02, random_state=0)
    d = np.asarray(A.sum(axis=1)).ravel()
    root = 1 / np.sqrt(d + d.mean())
    M = root[:, None] * A.toarray() * root
    for form in (sp.csr_array, sp.csr_array.toarray):
        est = model(2, affinity="precomputed", random_state=0).fit(form(A))
        p = ProjectionProblem(M, 2, fitted_penalty(est), est.lam_)
        assert_allclose(est.objective_, written_out(p, est.U_), rtol=1e-10)
        assert_allclose(np.linalg.norm(est.embedding_, axis=1), 1)
    dense = make_sbm(120, 2, 0.6, 0.3, random_state=0)[0]
    est = model(2, affinity="precomputed", random_state=0).fit(dense)
    assert_array_equal(est.embedding_, est.U_)
