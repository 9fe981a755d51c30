"""LSDCL's blocks: descent, gradients, the published updates beside the repaired ones."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine

from sksieve import LSDCL
from sksieve.graphs import LocalCorrentropy, knn_graph, laplacian, mean_squared_distance
from sksieve.papers import LSDCLVariants
from sksieve.papers._lsdcl_factored import FactoredConcepts
from sksieve.papers._lsdcl_literal import LiteralConcepts
from sksieve.papers._lsdcl_multiplicative import (
    FactoredMultiplicative,
    MultiplicativeConcepts,
    _on_simplex,
    signed,
)
from sksieve.prox import prox_l21_nonneg
from sksieve.selection._lsdcl_problem import (
    DualConcepts,
    FactoredState,
    PlainConcepts,
    State,
    spectral_norm2,
)
from sksieve.selection._lsdcl_start import largest_lam2, scaled_columns, start, unit_rows_on_average

from . import lsdcl_twin as twin


def data(seed, mixed):
    rng = np.random.RandomState(seed)
    n, d = rng.randint(8, 20), rng.randint(4, 20)
    X = rng.standard_normal((n, 3)) @ rng.standard_normal((3, d)) + rng.standard_normal((n, d))
    X = X if mixed else np.abs(X)
    X[rng.random_sample(X.shape) < rng.choice([0, 0.5])] = 0
    return unit_rows_on_average(X)


def problem(
    X, *, coupled=False, lam1=None, lam2=None, seed=0, r=3, rule=None, k=None, variant="full"
):
    """The solver, its model with random weights, and a random start."""
    rng = np.random.RandomState(seed)
    dense = X.toarray() if sp.issparse(X) else X
    A = knn_graph(dense, 3)
    cim = LocalCorrentropy(A, gamma=rng.choice([0.05, 0.25, 2]))
    kind = PlainConcepts if variant in ("m1", "m3") else DualConcepts
    if variant in ("m1", "m2"):
        model = kind(X, None, lam1=0.0, lam2=0.0, laplacian=laplacian(A))
    else:
        model = kind(X, cim, lam1=0.0, lam2=0.0)
    T = rng.random_sample((X.shape[0], r))
    state = State(T / T.sum(axis=0), rng.random_sample((X.shape[1], r)))
    if k:
        U, S = rng.random_sample((X.shape[0], k)), rng.random_sample((k, r))
        U, S = U / U.sum(axis=0), S / S.sum(axis=0)
        state = FactoredState(U @ S, state.V, 0.0, 0.0, U, S)
    if not coupled:
        cim.delta2 = cim.bandwidth2(X @ state.V)
    model.lam1 = 10 ** rng.uniform(-3, 1) if lam1 is None else lam1
    model.lam2 = 10 ** rng.uniform(-4, 0) * largest_lam2(model, state) if lam2 is None else lam2
    if rule:
        return (
            (FactoredMultiplicative if k else MultiplicativeConcepts)(model, rule=rule),
            model,
            state,
        )
    return FactoredConcepts(model) if k else model, model, state


def assert_descends(solver, model, state, n_sweeps=4):
    value = model.objective(state)
    factored = hasattr(state, "S")
    for _ in range(n_sweeps):
        for block in ("U", "S", "V") if factored else ("T", "V"):
            state = getattr(solver, f"update_{block}")(state)
            new = model.objective(state)
            assert new <= value + 1e-9 * max(abs(value), 1)
            value = new
        for weights in (state.T, state.U, state.S) if factored else (state.T,):
            assert_allclose(weights.sum(axis=0), 1, atol=1e-12)
            assert weights.min() >= 0
        if factored:
            assert_allclose(state.T, state.U @ state.S, atol=1e-14)
        assert state.V.min() >= 0
    return state


@pytest.mark.parametrize("coupled", [False, True], ids=["frozen", "coupled"])
@pytest.mark.parametrize("mixed", [False, True], ids=["nonnegative", "mixed"])
def test_proximal_passes_never_go_uphill(mixed, coupled):
    """Dense and CSR take the same steps; the coupled width has a jump at V = 0, so not there."""
    for seed in range(30):
        X = data(seed, mixed)
        solver, model, state = problem(X, coupled=coupled, seed=seed)
        later = assert_descends(solver, model, state)
        sparse, _, _ = problem(sp.csr_array(X), coupled=coupled, seed=seed)
        assert_descends(sparse, sparse, state)
        if coupled and model.lam2 > 0.9 * largest_lam2(model, state):
            continue
        for at in (state, later):
            assert_allclose(sparse.update_T(at).T, model.update_T(at).T, atol=1e-12)
            V = model.update_V(at).V
            assert_allclose(sparse.update_V(at).V, V, atol=1e-12 * max(1, V.max()))


@pytest.mark.parametrize("mixed", [False, True], ids=["nonnegative", "mixed"])
@pytest.mark.parametrize("rule", ["sqrt", "root"])
def test_multiplicative_passes_never_go_uphill(rule, mixed):  # Theorem 4
    for seed in range(10):
        X = data(seed, mixed)
        dense = assert_descends(*problem(X, seed=seed, rule=rule))
        sparse = assert_descends(*problem(sp.csr_array(X), seed=seed, rule=rule))
        assert_allclose(sparse.V, dense.V, atol=1e-12 * max(1, dense.V.max()))


@pytest.mark.parametrize("mixed", [False, True], ids=["nonnegative", "mixed"])
@pytest.mark.parametrize("k", [None, 2, 5])
@pytest.mark.parametrize("variant", ["full", "m1", "m2", "m3"])
def test_variants_and_factors_never_go_uphill(variant, k, mixed):
    for seed in range(8):
        X = data(seed, mixed)
        assert_descends(*problem(X, seed=seed, k=k, variant=variant), n_sweeps=6)
        if variant in ("full", "m3"):
            rule = ("sqrt", "root")[seed % 2]
            assert_descends(*problem(X, seed=seed, k=k, variant=variant, rule=rule), n_sweeps=6)


@pytest.mark.parametrize("rule", ["sqrt", "root"])
@pytest.mark.parametrize("k", [None, 5])
def test_multiplicative_passes_never_go_uphill_when_warm(k, rule):
    """Near a minimum wrong constants show that a cold start hides."""
    for seed in range(4):
        solver, model, state = problem(data(seed, mixed=False), seed=seed, rule=rule, k=k)
        for _ in range(150):
            state = solver.step(state)
        assert_descends(solver, model, state)


def test_variants_by_their_formulas():
    X = data(3, mixed=True)
    Y_edges = knn_graph(X, 3).toarray()
    for variant in ("full", "m1", "m2", "m3"):
        _, model, state = problem(X, variant=variant, seed=3)
        T, V = state.T, state.V
        plain = variant in ("m1", "m3")
        fit = np.linalg.norm(X - T @ V.T if plain else X.T - (X.T @ T) @ (X @ V).T) ** 2
        if variant in ("m1", "m2"):
            local = np.trace(T.T @ (np.diag(Y_edges.sum(axis=1)) - Y_edges) @ T)
        else:
            Y = X @ V
            square = ((Y[:, None] - Y) ** 2).sum(axis=2)
            local = (Y_edges * (1 - np.exp(-square / model.correntropy.delta2))).sum()
        whole = fit + model.lam1 * local + model.lam2 * np.linalg.norm(V, axis=1).sum()
        assert_allclose(model.objective(state), whole, rtol=1e-12)


def test_signed_products():
    rng = np.random.RandomState(0)
    A, B, C = (rng.standard_normal(shape) for shape in ((4, 5), (5, 3), (3, 2)))
    for form in (np.asarray, sp.csr_array):
        product = signed(form(A)) @ signed(B) @ signed(C)
        assert min(product.plus.min(), product.minus.min()) >= 0
        assert_allclose(product.plus - product.minus, A @ B @ C, atol=1e-14)
    assert signed(np.abs(A)).minus is None


def test_normalizing_without_the_penalties_share_goes_uphill():
    """Deviation D7: the plain update of T, brought back to the simplex, raises the objective."""
    for seed in range(2):
        X = data(seed, mixed=False) + 0.01
        made, model, state = problem(X, seed=seed, rule="sqrt", lam1=0.1)
        model.lam2 = 0.3 * largest_lam2(model, state)
        for _ in range(200):
            state = made.step(state)
        U = twin.update_U(X.T, state.T, np.eye(3), state.V)
        sums = U.sum(axis=0)
        plain = made.objective(state._replace(T=U / sums, V=state.V * sums))
        here = made.objective(state)
        assert plain > here * (1 + 1e-6)
        assert made.objective(made.update_T(state)) <= here * (1 + 1e-12)


def numeric_gradient(f, M, h=1e-5):
    g = np.zeros_like(M)
    for i in np.ndindex(M.shape):
        E = np.zeros_like(M)
        E[i] = h
        g[i] = (f(M + E) - f(M - E)) / (2 * h)
    return g


@pytest.mark.parametrize("coupled", [False, True], ids=["frozen", "coupled"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("variant", ["full", "m1", "m2", "m3"])
def test_gradients_the_blocks_use(variant, coupled, form, monkeypatch):
    """What the updates hand to the solver, against differences of the objective."""
    X = form(data(3, mixed=True))
    _, made, state = problem(X, coupled=coupled, lam2=0.0, variant=variant)
    seen = []

    def watch(parts, x, u, **_):
        seen.append((parts, x, u))
        return x, u, 1.0

    monkeypatch.setattr("sksieve.selection._lsdcl_problem.spectral_proximal_gradient", watch)
    made.step(state)

    def of_T(T):  # the correntropy does not depend on T
        cim = 0 if made.correntropy is None else made.correntropy.value(X @ state.V)
        return made.objective(state._replace(T=T)) - made.lam1 * cim

    def of_V(V):
        rough = 0 if made.laplacian is None else np.vdot(state.T, made.laplacian @ state.T)
        return made.objective(state._replace(V=V)) - made.lam1 * rough

    for (parts, at, image), true in zip(seen, (of_T, of_V), strict=True):
        assert_allclose(parts.image(at), image, rtol=1e-12)
        assert_allclose(parts.value(at, image), true(at), rtol=1e-10)
        g = parts.gradient(at, image)
        assert_allclose(g, numeric_gradient(true, at), atol=1e-6 * np.abs(g).max())


@pytest.mark.parametrize("fraction", [0.1, 0.5])
def test_V_is_stationary_with_the_whole_penalty(fraction):
    """At the minimum over V >= 0 the slope of the smooth part balances lam2 times the row norms."""
    X = data(3, False)
    _, model, state = problem(X, lam1=0.1, seed=3)
    model.lam2 = fraction * largest_lam2(model, state)
    for _ in range(400):
        state = model.update_V(state)
    smooth = copy.copy(model)
    smooth.lam2 = 0.0
    V, h = state.V, 1e-6
    slope = np.empty_like(V)
    for at in np.ndindex(V.shape):
        step = np.zeros_like(V)
        step[at] = h
        up, down = (smooth.objective(state._replace(V=V + sign * step)) for sign in (1, -1))
        slope[at] = (up - down) / (2 * h)
    norms = np.linalg.norm(V, axis=1)
    zero = norms == 0
    assert zero.any()
    assert not zero.all()
    tolerance = 1e-4 * np.abs(slope).max()
    pull = np.linalg.norm(np.maximum(-slope[zero], 0), axis=1)
    assert pull.max() <= model.lam2 + tolerance
    balance = slope[~zero] + model.lam2 * V[~zero] / norms[~zero, None]
    positive = V[~zero] > 0
    assert_allclose(balance[positive], 0, atol=tolerance)
    assert balance.min() >= -tolerance


def test_prox_of_the_penalty_by_definition():
    rng = np.random.RandomState(0)
    M, t = rng.standard_normal((6, 3)), 0.4

    def cost(V):
        return 0.5 * ((V - M) ** 2).sum() + t * np.linalg.norm(V, axis=1).sum()

    best = prox_l21_nonneg(M, t)
    for _ in range(500):
        rival = np.maximum(best + rng.choice([1e-4, 1e-2, 1]) * rng.standard_normal(M.shape), 0)
        assert cost(best) <= cost(rival) + 1e-12


def test_spectral_norm_is_not_underestimated():
    for seed in range(10):
        X = data(seed, mixed=True)
        assert np.linalg.norm(X, 2) ** 2 <= spectral_norm2(X) <= 1.05 * np.linalg.norm(X, 2) ** 2


def wine():
    return unit_rows_on_average(scaled_columns(load_wine().data, "minmax"))


def test_three_factors_and_their_normalized_form_fit_alike():
    rng = np.random.RandomState(0)
    X = wine()
    U, S, V = (rng.random_sample(shape) for shape in ((len(X), 4), (4, 3), (X.shape[1], 3)))
    _, made, _ = problem(X)
    T, sums = U @ S / (U @ S).sum(axis=0), (U @ S).sum(axis=0)
    printed = np.linalg.norm(X.T - X.T @ U @ S @ (X @ V).T) ** 2  # (opt_usv), first term
    assert_allclose(made.fit(T, V * sums), printed, rtol=1e-12)


def test_published_updates_collapse_and_the_repaired_do_not():
    """Deviation D1: ||V|| runs to zero, U S to infinity, and the fit goes on improving."""
    X = wine()
    A = knn_graph(X, 5)
    made = DualConcepts(X, LocalCorrentropy(A, gamma=0.25, delta2=1.0), lam1=0.0, lam2=0.0)
    repaired = MultiplicativeConcepts(made, rule="sqrt")
    state = start(made, 3, np.random.RandomState(0))
    made.correntropy.delta2 = made.correntropy.bandwidth2(X @ state.V)
    made.lam1 = made.norm2 / A.sum()
    made.lam2 = 0.1 * largest_lam2(made, state)
    first = np.linalg.norm(state.V, axis=1).sum()
    U, S, V = state.T, np.eye(3) + 0.2, state.V
    sizes, fits, penalized = [first], [], []
    for n_iter in range(600):
        delta2 = 0.25 * mean_squared_distance(X @ V)
        U = twin.update_U(X.T, U, S, V)
        S = twin.update_S(X.T, U, S, V)
        V = twin.update_V(
            X.T, U, S, V, A=A.toarray(), lam1=made.lam1, lam2=made.lam2, delta2=delta2,
            constants=False,
        )  # fmt: skip
        state = repaired.step(state)
        if n_iter % 200 == 199:
            sizes.append(np.linalg.norm(V, axis=1).sum())
            fits.append(made.fit(U @ S, V))
            penalized.append(np.linalg.norm(state.V, axis=1).sum())
    assert (np.diff(sizes) < 0).all()
    assert sizes[-1] < 0.05 * first
    assert (np.diff(fits) < 0).all()
    assert (U @ S).sum(axis=0).min() > 10
    assert min(penalized) > 0.2 * first
    assert_allclose(penalized[-1], penalized[-2], rtol=0.2)


def test_one_step_is_the_published_one_with_its_constants():
    """V in one step, all penalties on; T in one step without penalties (deviation D7)."""
    X = np.abs(data(5, mixed=False)) + 0.01
    made, model, state = problem(X, rule="sqrt", lam1=0.7)
    A = knn_graph(X, 3).toarray()
    T, V = state.T, state.V
    with_constants = twin.update_V(
        X.T, T, np.eye(3), V, A=A, lam1=model.lam1, lam2=model.lam2,
        delta2=model.correntropy.delta2, constants=True,
    )  # fmt: skip
    assert_allclose(made.update_V(state).V, with_constants, rtol=1e-12)
    model.lam1 = model.lam2 = 0.0
    U = twin.update_U(X.T, T, np.eye(3), V)
    stepped = made.update_T(state)
    assert_allclose(stepped.T, U / U.sum(axis=0), rtol=1e-12)
    assert_allclose(stepped.V, V * U.sum(axis=0), rtol=1e-12)


def test_a_column_that_vanishes_keeps_its_weights_and_sum():
    before = np.array([[0.25, 0.5], [0.75, 0.5]])
    T, sums = _on_simplex(np.array([[0.0, 3.0], [0.0, 1.0]]), before)
    assert_allclose(T, [[0.25, 0.75], [0.75, 0.25]])
    assert_allclose(sums, [1, 4])


@pytest.mark.parametrize("kind", [DualConcepts, PlainConcepts])
def test_bound_of_the_curvature_in_T(kind):
    """The Laplacian of a star has an eigenvalue above its largest degree."""
    X = data(0, mixed=True)
    n, d = X.shape
    A = np.zeros((n, n))
    A[0, 1:] = A[1:, 0] = 1
    model = kind(X, None, lam1=0.7, lam2=0.0, laplacian=laplacian(sp.csr_array(A)))
    V = np.random.RandomState(0).random_sample((d, 3))
    parts, bound = model.T_parts(V, X @ V)
    corner = np.eye(3 * n)[:, :, None].reshape(3 * n, n, 3)
    H = [(parts.gradient(D, model.K(D)) - parts.gradient(0 * D, 0 * D)).ravel() for D in corner]
    assert bound >= np.linalg.eigvalsh(H)[-1]
    nothing = model.T_parts(0 * V, X @ (0 * V))[1]
    assert nothing >= 2 * 0.7 * n, "n is the eigenvalue"


def literal(seed, mixed):
    """Algorithm 1 as printed on random data, a random start, and the graph as an array."""
    X = data(seed, mixed)
    rng = np.random.RandomState(seed)
    A = knn_graph(X, 3, weights="binary")
    model = DualConcepts(X, None, lam1=0.3, lam2=0.2)
    solver = LiteralConcepts(model, A, gamma=0.5)
    n, d = X.shape
    state = solver.start((rng.random_sample((n, 3)), rng.random_sample((d, 3))))
    return X, A.toarray(), solver, state


@pytest.mark.parametrize("seed", range(4))
def test_literal_pass_is_algorithm_1(seed):
    """On non-negative data, where the printed updates need no split."""
    X, A, solver, s = literal(seed, mixed=False)
    for _ in range(3):
        U = twin.update_U(X.T, s.U, s.S, s.V)
        S = twin.update_S(X.T, U, s.S, s.V)
        V = twin.update_V(X.T, U, S, s.V, A=A, lam1=0.3, lam2=0.2, delta2=s.delta2, constants=False)
        s = solver.step(s)
        assert_allclose(s.U, U, rtol=1e-10)
        assert_allclose(s.S, S, rtol=1e-10)
        assert_allclose(s.V, V, rtol=1e-9)
        assert s.delta2 == pytest.approx(0.5 * mean_squared_distance(X @ V))
        assert_allclose(s.T, U @ S, rtol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_literal_factors_descend_for_any_sign(seed):  # Theorem 2
    """U and S have no constants to miss; the split by sign is that of the Gram matrices."""
    X, _, solver, s = literal(seed, mixed=True)
    K = X @ X.T
    plus, minus = np.maximum(K, 0), np.maximum(-K, 0)
    G = s.S @ s.V.T @ X.T @ X @ s.V @ s.S.T
    H = K @ X @ s.V @ s.S.T
    up = plus @ s.U @ np.maximum(-G, 0) + minus @ s.U @ np.maximum(G, 0) + np.maximum(H, 0)
    down = plus @ s.U @ np.maximum(G, 0) + minus @ s.U @ np.maximum(-G, 0) + np.maximum(-H, 0)
    assert_allclose(solver.update_U(s).U, s.U * np.sqrt(up / down), rtol=1e-10)
    for _ in range(5):
        for update in (solver.update_U, solver.update_S):
            new = update(s)
            assert solver.objective(new) <= solver.objective(s) * (1 + 1e-10)
            s = new
        s = solver.step(s)


def test_literal_fit_is_offered_where_algorithm_1_is_defined():
    X = load_wine().data
    shared = {"max_iter": 300, "tol": None, "lam2": 0.1, "random_state": 0}
    est = LSDCLVariants(4, solver="literal", **shared).fit(X)
    repaired = LSDCL(4, **shared).fit(X)
    assert est.T_.sum(axis=0).max() > 5, "nothing holds the columns on the simplex"
    assert_allclose(repaired.T_.sum(axis=0), 1)
    assert est.delta2_ == pytest.approx(est.gamma * mean_squared_distance(est.feature_concepts_))
    for given in ({"variant": "m3"}, {"n_sample_concepts": 4}):
        with pytest.raises(ValueError, match="literal"):
            LSDCLVariants(4, solver="literal", **given).fit(X)
