"""Projection matrix approximation: gradient, penalties, solvers, invariances, starts, answers."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from sksieve import BPMA, PPMA, RPMA, SPMA, SpectralGraph
from sksieve.clustering import Bounded, Huber, Penalty, Positive
from sksieve.clustering._rpma_problem import (
    ProjectionProblem,
    fantope_bound,
    indicator,
    mean_off_diagonal,
)
from sksieve.clustering._rpma_search import Search
from sksieve.clustering._rpma_solvers import ADMM, SOLVERS, PerturbedSearch
from sksieve.datasets import largest_component, load, make_sbm
from sksieve.exceptions import DataError, DataWarning
from sksieve.graphs import gaussian_affinity
from sksieve.linalg import cayley, leading_eigenpairs
from sksieve.metrics import clustering_accuracy, nmi, projector_distance
from sksieve.solvers import CurvilinearSearch, Stopping, iterate
from sksieve.testing import check_prox, check_pure_step, check_resume

MODELS = {"sparse": SPMA, "positive": PPMA, "bounded": BPMA}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
every_solver = pytest.mark.parametrize("solver", SOLVERS)


def penalties(n, K):
    typical = K / n
    return [
        (Huber(0.02 * typical), 0.5),
        (Huber(0.5 * typical), 2.0),
        (Positive(), 32 / typical),
        (Bounded(0.0, typical), 8 / typical),
        (Bounded(-0.1 * typical, 2 * typical), 8 / typical),
    ]


def blobs(n=60, K=3, seed=0, spread=1.2):
    rng = np.random.RandomState(seed)
    y = np.arange(n) % K
    return 2.5 * np.eye(K, 4)[y] + spread * rng.standard_normal((n, 4)), y


def problem(which=3, n=60, K=3, seed=0):
    A = gaussian_affinity(blobs(n, K, seed)[0])
    penalty, lam = penalties(n, K)[which]
    return ProjectionProblem(A, K, penalty, lam * mean_off_diagonal(A))


def random_point(n, K, seed=1):
    return np.linalg.qr(np.random.RandomState(seed).standard_normal((n, K)))[0]


def spectral(p):
    return leading_eigenpairs(p.A, p.K)[1]


def solve(p, name, U, tol=1e-6, max_iter=5000):
    solver = SOLVERS[name](p, 0)
    return iterate(
        solver.step,
        solver.start(U),
        objective=lambda s: s.f,
        change=solver.change,
        stopping=Stopping(max_iter=max_iter, tol=tol),
    )


def written_out(p, U):
    """F by its definition."""
    A = p.A.toarray() if sp.issparse(p.A) else p.A
    X = U @ U.T
    return ((A - X) ** 2).sum() + p.lam * p.penalty.value(X).sum()


# Problem


@pytest.mark.parametrize("which", range(5))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_objective_is_its_definition(which, form):
    p = problem(which)
    p = ProjectionProblem(form(p.A), p.K, p.penalty, p.lam)
    U = random_point(60, 3)
    assert_allclose(p.F(U), written_out(p, U), rtol=1e-12)


@pytest.mark.parametrize("which", range(5))
def test_gradient_along_tangents(which):
    p = problem(which)
    U = random_point(60, 3)
    D = np.random.RandomState(2).standard_normal(U.shape)
    D -= U @ (U.T @ D)
    _, G = p.fg(U)
    h = 1e-5
    forward, backward = (p.fg(np.linalg.qr(U + t * D)[0])[0] for t in (h, -h))
    assert_allclose((forward - backward) / (2 * h), np.vdot(G, D), rtol=1e-6)
    assert_allclose(U.T @ G, G.T @ U, atol=1e-10 * np.abs(G).max())  # canonical = Euclidean


def test_own_penalty_goes_in_blocks():
    class Quartic(Penalty):
        lipschitz = 3.0

        def value(self, X):
            return X**4

        def grad(self, X):
            return 4 * X**3

        def prox(self, V, t):
            raise NotImplementedError

    p = problem()
    p = ProjectionProblem(p.A, 3, Quartic(), 1000.0)
    U = random_point(60, 3)
    assert_allclose(p.F(U), written_out(p, U), rtol=1e-12)
    run = solve(p, "lbfgs", spectral(p))
    assert run.reason == "tolerance"
    X, _ = blobs()
    est = RPMA(3, penalty=Quartic(), lam=50.0, random_state=0).fit(X)
    assert est.converged_
    assert est.penalty_.lipschitz == 3.0


@pytest.mark.parametrize("penalty", [Huber(0.3), Positive(), Bounded(-0.5, 1.0)])
def test_prox_is_the_minimiser(penalty):
    V = 2 * np.random.RandomState(0).standard_normal((6, 5))
    for t in (0.01, 0.4, 3.0):
        check_prox(penalty.prox, lambda X: float(penalty.value(X).sum()), V, t)
    grid = np.linspace(-8, 8, 160001)
    for v in (-3.0, -0.31, 0.1, 0.7, 2.5):
        best = grid[(0.5 * (grid - v) ** 2 + 0.4 * penalty.value(grid)).argmin()]
        assert_allclose(penalty.prox(np.array([v]), 0.4), best, atol=1e-4)


@pytest.mark.parametrize("penalty", [Huber(0.3), Positive(), Bounded(-0.5, 1.0)])
def test_gradient_and_lipschitz_constant_of_penalties(penalty):
    x = np.linspace(-2, 2, 4001)
    h = 1e-6
    numeric = (penalty.value(x + h) - penalty.value(x - h)) / (2 * h)
    assert_allclose(penalty.grad(x), numeric, atol=1e-5)
    slopes = np.diff(penalty.grad(x)) / np.diff(x)
    assert_allclose(slopes.max(), penalty.lipschitz, rtol=1e-6)


def test_bounds_and_delta_are_checked():
    with pytest.raises(ValueError, match="alpha < beta"):
        Bounded(1.0, 0.0)
    with pytest.raises(ValueError, match="one of them finite"):
        Bounded(-np.inf, np.inf)
    with pytest.raises(ValueError, match="delta must be > 0"):
        Huber(0.0)


# Solvers


@pytest.mark.parametrize(
    ("solver", "which"),
    [(s, w) for s in SOLVERS for w in (0, 2, 3) if (s, w) != ("admm", 2)],  # it crawls there
)
def test_solvers_end_at_stationary_points(solver, which):
    p = problem(which)
    run = solve(p, solver, spectral(p))
    assert run.reason == "tolerance"
    U = run.state.U
    assert p.kkt(U) <= 1e-6
    assert_allclose(U.T @ U, np.eye(p.K), atol=1e-10)
    assert_allclose(run.state.f + p.constant, written_out(p, U), rtol=1e-10)


@pytest.mark.parametrize("solver", ["lbfgs", "curvilinear", "projection", "perturbed"])
def test_no_step_raises_the_objective(solver):
    p = problem(2)
    run = solve(p, solver, random_point(60, 3), max_iter=200)
    values = [r["objective"] for r in run.history]
    assert all(b <= a + 1e-12 * abs(a) for a, b in itertools.pairwise(values))


@every_solver
def test_steps_are_pure_and_resume(solver):
    p = problem(0)
    s = SOLVERS[solver](p, 3)
    check_pure_step(s, s.start(random_point(60, 3)))
    check_resume(s, s.start(random_point(60, 3)), 8, 12)


def test_same_optimum_as_scipy():
    """X = Z (Z'Z)^-1 Z' over all Z of full rank, from the same start."""
    for which in (0, 3):
        p = problem(which, n=36)
        U0 = leading_eigenpairs(p.A, 3)[1]

        def fun(z, p=p):
            Z = z.reshape(-1, 3)
            U, R = np.linalg.qr(Z)
            f, G = p.fg(U)
            return f, (np.linalg.solve(R, (G - U @ (U.T @ G)).T).T).ravel()

        options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-9}
        rival = minimize(fun, U0.ravel(), jac=True, method="L-BFGS-B", options=options)
        ours = solve(p, "lbfgs", U0, tol=1e-8)
        assert_allclose(ours.state.f, rival.fun, rtol=1e-7)


def test_same_optimum_as_pymanopt():
    pymanopt = pytest.importorskip("pymanopt")
    p = problem(3)
    manifold = pymanopt.manifolds.Grassmann(60, 3)

    @pymanopt.function.numpy(manifold)
    def cost(U):
        return p.fg(U)[0]

    @pymanopt.function.numpy(manifold)
    def gradient(U):
        return p.fg(U)[1]

    task = pymanopt.Problem(manifold, cost, euclidean_gradient=gradient)
    optimizer = pymanopt.optimizers.ConjugateGradient(verbosity=0, min_gradient_norm=1e-6)
    U0 = spectral(p)
    rival = optimizer.run(task, initial_point=U0)
    assert_allclose(solve(p, "lbfgs", U0).state.f, rival.cost, rtol=1e-7)


def test_woodbury_is_the_cayley_transform():
    """(17)-(22): the n x n curve written out."""
    p = problem(0, n=30)
    U = random_point(30, 3)
    _, G = p.fg(U)
    H = G - U @ (U.T @ G)
    W = H @ U.T - U @ H.T
    for t in (1e-4, 1e-2, 0.3):
        literal = np.linalg.solve(np.eye(30) + t / 2 * W, (np.eye(30) - t / 2 * W) @ U)
        assert_allclose(cayley(U, H, t), literal, atol=1e-12)


def test_algorithm_3_is_algorithm_1_at_half_the_step():
    p = problem(0, n=30)
    U = random_point(30, 3)
    _, G = p.fg(U)
    X, H = U @ U.T, G - U @ (U.T @ G)
    gradient = -2 * p.A + p.lam * p.penalty.grad(X)  # of X
    W = gradient @ X - X @ gradient
    for t in (1e-4, 1e-2, 0.3):
        Q = np.linalg.solve(np.eye(30) + t / 2 * W, np.eye(30) - t / 2 * W)
        half = cayley(U, H, t / 2)
        assert_allclose(Q @ X @ Q.T, half @ half.T, atol=1e-12)
    one, three = CurvilinearSearch(p.fg), CurvilinearSearch(p.fg, speed=0.5)
    a, b = one.start(U), three.start(U)
    for _ in range(15):
        a, b = one.step(a), three.step(b)
        assert_allclose(a.U, b.U, atol=1e-12)
        assert_allclose(b.t, 2 * a.t, rtol=1e-9)


@pytest.mark.parametrize("which", range(5))
def test_lagrangian_falls_and_the_multiplier_is_the_gradient(which):
    """Lemma 2 at rho = 3 lam l, and Lam = lam g'(Y) after every update of Y."""
    p = problem(which)
    solver = ADMM(p, rho=3 * p.lam * p.penalty.lipschitz)
    s = solver.start(random_point(60, 3))
    for _ in range(30):
        middle = solver.update_X(s)
        assert solver.lagrangian(middle) <= solver.lagrangian(s) + 1e-10 * abs(s.f)
        new = solver.step(s)
        stored = solver.multiplier(s.Y) + s.rho * (new.U @ new.U.T - new.Y)
        assert_allclose(stored, solver.multiplier(new.Y), atol=1e-10 * p.lam)
        assert solver.lagrangian(new) <= solver.lagrangian(s) + 1e-10 * abs(s.f)
        s = new


def test_perturbation_leaves_a_saddle():
    """At the eigenvectors 2 and 3 of A (lam = 0) the gradient is zero and F is not lowest."""
    A = np.diag([5.0, 4.0, 3.0, 1.0, 0.5])
    p = ProjectionProblem(A, 2, Positive(), 0.0)
    U = np.eye(5)[:, 1:3]
    assert p.kkt(U) == 0
    stuck = solve(p, "curvilinear", U)
    assert_allclose(stuck.state.f + p.constant, p.F(U))
    free = solve(p, "perturbed", U)
    assert free.reason == "tolerance"
    assert_allclose(free.state.f + p.constant, p.F(np.eye(5)[:, :2]), rtol=1e-10)


def test_perturbation_decays_and_the_best_is_kept():
    p = problem(3)
    search = PerturbedSearch(p, c=0.5)
    assert search.angle(0) == 0.5
    assert search.angle(200) == 0
    run = solve(p, "perturbed", spectral(p))
    assert run.state.f <= min(r["objective"] for r in run.history) + 1e-9


# Estimators


@every_model
def test_answer_does_not_depend_on_scale_and_shift(model):
    """(A + cI) and (cA, c lam) have the minimisers of A."""
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
    p = ProjectionProblem(gaussian_affinity(X), 3, est.penalty_, est.lam_)
    assert_allclose(est.F_, written_out(p, est.U_), rtol=1e-10)
    assert est.kkt_ <= 1e-6
    assert_allclose(est.U_.T @ est.U_, np.eye(3), atol=1e-10)
    assert est.F_ <= min(s["F"] for s in est.starts_) + 1e-9 * abs(est.F_)
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
    delta = relative.penalty_.delta
    assert_allclose(delta, 0.02 * 3 / 60)
    assert_allclose(relative.lam_, 0.5 * mean_off_diagonal(relative.affinity_))
    plain = SPMA(3, lam=relative.lam_, delta=delta, units="paper", random_state=0).fit(X)
    general = RPMA(3, penalty=Huber(delta), lam=relative.lam_, units="paper", random_state=0).fit(X)
    for est in (plain, general, RPMA(3, random_state=0).fit(X)):
        assert_allclose(est.F_, relative.F_, rtol=1e-12)
    bounded = BPMA(3, random_state=0).fit(X)
    named = RPMA(3, penalty="bounded", random_state=0).fit(X)
    assert bounded.F_ == named.F_
    assert_allclose(bounded.lam_, 8 * mean_off_diagonal(bounded.affinity_) * 60 / 3)
    assert bounded.penalty_.beta == 3 / 60


@pytest.mark.parametrize(
    "est",
    [
        SPMA(3, units="paper"),
        SPMA(3, units="paper", lam=1.0),
        BPMA(3, units="paper", lam=1.0),
        RPMA(3, units="paper", lam=1.0),
    ],
)
def test_units_of_the_paper_need_all_numbers(est):
    with pytest.raises(ValueError, match="units='paper' needs"):
        est.fit(blobs()[0])


@every_solver
def test_every_solver_serves_the_estimator(solver):
    X, y = blobs(spread=0.6)
    est = BPMA(3, solver=solver, n_rounds=1, random_state=0).fit(X)
    assert clustering_accuracy(y, est.labels_) == 1


def test_float32_stays_float32():
    X, _ = blobs()
    est = BPMA(3, tol=1e-4, random_state=0).fit(X.astype(np.float32))
    assert est.affinity_.dtype == est.U_.dtype == np.float32
    assert est.converged_
    double = BPMA(3, tol=1e-4, random_state=0).fit(X)
    assert_allclose(est.F_, double.F_, rtol=1e-4)


def test_dense_and_sparse_agree():
    A, _ = make_sbm(80, 2, 0.4, 0.1, random_state=0)
    options = {"affinity": "precomputed", "random_state": 0, "tol": 1e-8}
    a, b = (BPMA(2, **options).fit(form(A)) for form in (sp.csr_array, lambda A: A.toarray()))
    assert projector_distance(a.U_, b.U_) < 1e-6


# Starts


def test_indicator_is_orthonormal_also_with_empty_clusters():
    fill = random_point(10, 3)
    labels = np.array([0, 0, 0, 2, 2, 2, 2, 0, 0, 0])
    U = indicator(labels, fill)
    assert U.shape == (10, 3)
    assert_allclose(U.T @ U, np.eye(3), atol=1e-12)
    assert_allclose(U[labels == 2, 1], 0.5)


def test_paths_end_at_the_problem():
    lam, penalty = Positive().path(3.0, 0.1)[-1]
    assert (lam, type(penalty)) == (3.0, Positive)
    assert [lam for lam, _ in Positive().path(64.0, 0.1)] == [1, 4, 16, 64]
    path = Huber(0.001).path(3.0, 0.1)
    deltas = [penalty.delta for _, penalty in path]
    assert deltas[0] == 0.1
    assert deltas[-1] == 0.001
    assert deltas == sorted(deltas, reverse=True)
    assert all(lam == 3.0 for lam, _ in path)
    assert len(Huber(1.0).path(3.0, 0.1)) == 1


def test_path_is_not_worse_than_direct_on_average():
    """BPMA, F of the path beside F of one descent from the eigenvectors."""
    better = []
    for seed in range(12):
        A, _ = make_sbm(40, 2, 0.65, 0.40, random_state=seed)
        m = mean_off_diagonal(A)
        p = ProjectionProblem(A, 2, Bounded(0.0, 2 / 40), 8 * m * 40 / 2)
        search = Search(p, SOLVERS["lbfgs"], np.random.RandomState(0), tol=1e-6, max_iter=500)
        U = spectral(p)
        better.append(search.descend("spectral", U).F - search.along_path(U).F)
    assert np.mean(better) >= 0


def test_more_starts_never_end_higher():
    X, _ = blobs(90, spread=1.8)
    one = PPMA(3, starts="spectral", n_rounds=0, random_state=0).fit(X)
    many = PPMA(3, n_partitions=4, random_state=0).fit(X)
    assert len(one.starts_) == 1
    assert len(many.starts_) >= 7
    assert many.F_ <= one.F_ * (1 + 1e-9)


# Certificate


@pytest.mark.parametrize("which", [0, 2, 3])
def test_bound_is_below_every_projector(which):
    p = problem(which, n=24)
    U = solve(p, "lbfgs", spectral(p)).state.U
    bound = fantope_bound(p, U)
    for seed in range(5):
        start = random_point(24, 3, seed)
        assert bound <= p.F(start)
        assert bound <= p.F(solve(p, "lbfgs", start, tol=1e-4, max_iter=100).state.U) + 1e-9


def test_gap_closes_where_the_convex_problem_is_tight():
    X, _ = blobs(spread=0.3)
    est = BPMA(3, lam=1.0, random_state=0).fit(X)
    assert -1e-8 <= est.gap_ <= 1e-3 * abs(est.F_)
    none = BPMA(3, lam=0, random_state=0).fit(X)
    assert abs(none.gap_) <= 1e-8 * abs(none.F_)


def test_gap_is_for_small_problems():
    A, _ = make_sbm(310, 2, 0.3, 0.1, random_state=0)
    est = BPMA(2, affinity="precomputed", random_state=0).fit(A)
    with pytest.raises(AttributeError, match="up to 300 samples; there are 310"):
        est.gap_  # noqa: B018


# Refusals


def two_triangles(extra=0):
    A = np.zeros((6 + extra, 6 + extra))
    A[:3, :3] = A[3:6, 3:6] = 1
    np.fill_diagonal(A, 0)
    return A


@every_model
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


@every_model
def test_one_cluster_holds_everything(model):
    est = model(1, random_state=0).fit(blobs()[0])
    assert_array_equal(est.labels_, 0)
    assert est.U_.shape == (60, 1)


def test_rounding_is_no_asymmetry():
    A = gaussian_affinity(blobs()[0])
    A[0, 1] *= 1 + 1e-14
    BPMA(3, affinity="precomputed", random_state=0).fit(A)


@every_model
def test_isolated_vertices_are_counted_and_told(model):
    est = model(2, affinity="precomputed", random_state=0)
    with pytest.warns(DataWarning, match="3 vertices"):
        est.fit(two_triangles(extra=3))
    assert_array_equal(est.labels_[:6], [0, 0, 0, 1, 1, 1])
    assert est.n_components_ == 5
    assert len(est.embedding_) == 9
    assert len(est.U_) == 6


def test_more_components_than_clusters():
    A = sp.csr_array(sp.block_diag([np.ones((k, k)) - np.eye(k) for k in (6, 5, 3)]))
    est = SPMA(2, affinity="precomputed", random_state=0)
    with pytest.warns(DataWarning, match="3 vertices"):
        est.fit(A)
    assert_array_equal(est.labels_[:11], [0] * 6 + [1] * 5)


# Quality


def test_iris():
    iris = load("iris")
    est = BPMA(3, random_state=0).fit(iris.X)
    assert clustering_accuracy(iris.y, est.labels_) >= 0.92


def test_digits():
    digits = load("digits")
    X, y = digits.X[digits.y < 5], digits.y[digits.y < 5]
    est = SPMA(5, lam=0.75, n_rounds=1, tol=1e-4, random_state=0).fit(X)
    assert clustering_accuracy(y, est.labels_) >= 0.905
    assert nmi(y, est.labels_) >= 0.79


def test_political_blogs(real_data):
    graph = largest_component(real_data("graph_polblogs"))
    est = BPMA(2, affinity="precomputed", matrix="regularized", unit_rows=True, random_state=0).fit(
        graph.adjacency
    )
    assert clustering_accuracy(graph.y, est.labels_) >= 0.95
    assert nmi(graph.y, est.labels_) >= 0.72


def test_block_models_gain():
    gain = []
    for seed in range(5):
        A, y = make_sbm(200, 4, 0.4, 0.2, random_state=seed)
        options = {"affinity": "precomputed", "random_state": seed}
        plain = SpectralGraph(4, matrix="affinity", unit_rows=False, **options).fit(A)
        est = BPMA(4, **options).fit(A)
        gain.append(clustering_accuracy(y, est.labels_) - clustering_accuracy(y, plain.labels_))
    assert np.mean(gain) > 0
