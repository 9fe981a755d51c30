"""LSDCL: descent, gradients, the published updates beside the repaired ones, odd data."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_wine

from sksieve import LSDCL
from sksieve.exceptions import DataError, DataWarning
from sksieve.graphs import LocalCorrentropy, knn_graph, mean_squared_distance
from sksieve.prox import prox_l21_nonneg
from sksieve.selection._lsdcl_multiplicative import MultiplicativeConcepts
from sksieve.selection._lsdcl_problem import DualConcepts, State, spectral_norm2
from sksieve.selection._lsdcl_start import largest_lam2, scaled_columns, start, unit_rows_on_average

from . import lsdcl_twin as twin


def data(seed, mixed):
    rng = np.random.RandomState(seed)
    n, d = rng.randint(8, 20), rng.randint(4, 20)
    X = rng.standard_normal((n, 3)) @ rng.standard_normal((3, d)) + rng.standard_normal((n, d))
    X = X if mixed else np.abs(X)
    X[rng.random_sample(X.shape) < rng.choice([0, 0.5])] = 0
    return unit_rows_on_average(X)


def problem(X, *, coupled=False, lam1=None, lam2=None, seed=0, r=3, **kind):
    """The problem with random weights, and a random or a k-means start."""
    rng = np.random.RandomState(seed)
    dense = X.toarray() if sp.issparse(X) else X
    cim = LocalCorrentropy(knn_graph(dense, 3), gamma=rng.choice([0.05, 0.25, 2]))
    made = (MultiplicativeConcepts if kind else DualConcepts)(X, cim, lam1=0.0, lam2=0.0, **kind)
    T = rng.random_sample((X.shape[0], r))
    state = State(T / T.sum(axis=0), rng.random_sample((X.shape[1], r)), np.inf)
    if not coupled:
        cim.delta2 = cim.width(X @ state.V)
    made.lam1 = 10 ** rng.uniform(-3, 1) if lam1 is None else lam1
    made.lam2 = 10 ** rng.uniform(-4, 0) * largest_lam2(made, state) if lam2 is None else lam2
    return made, state


def assert_descends(made, state, n_sweeps=4):
    value = made.objective(state)
    for _ in range(n_sweeps):
        for update in (made.update_T, made.update_V):
            state = update(state)
            new = made.objective(state)
            assert new <= value + 1e-9 * max(abs(value), 1)
            value = new
            assert_allclose(state.T.sum(axis=0), 1, atol=1e-12)
            assert state.T.min() >= 0
            assert state.V.min() >= 0
    return state


@pytest.mark.parametrize("coupled", [False, True], ids=["frozen", "coupled"])
@pytest.mark.parametrize("mixed", [False, True], ids=["nonnegative", "mixed"])
def test_proximal_passes_never_go_uphill(mixed, coupled):
    for seed in range(10):
        X = data(seed, mixed)
        dense = assert_descends(*problem(X, coupled=coupled, seed=seed))
        sparse = assert_descends(*problem(sp.csr_array(X), coupled=coupled, seed=seed))
        assert_allclose(sparse.V, dense.V, atol=1e-12 * max(1, dense.V.max()))
        assert_allclose(sparse.T, dense.T, atol=1e-12)


@pytest.mark.parametrize("rule", ["sqrt", "root"])
def test_multiplicative_passes_never_go_uphill(rule):
    for seed in range(10):
        X = data(seed, mixed=False)
        dense = assert_descends(*problem(X, seed=seed, rule=rule))
        sparse = assert_descends(*problem(sp.csr_array(X), seed=seed, rule=rule))
        assert_allclose(sparse.V, dense.V, atol=1e-12 * max(1, dense.V.max()))


def test_normalising_without_the_penalties_share_goes_uphill():
    """Deviation D7: the plain update of T, brought back to the simplex, raises the objective."""
    for seed in range(2):
        X = data(seed, mixed=False) + 0.01
        made, state = problem(X, seed=seed, rule="sqrt", lam1=0.1)
        made.lam2 = 0.3 * largest_lam2(made, state)
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
def test_gradients_the_blocks_use(coupled, form, monkeypatch):
    """What the updates hand to the solver, against differences of the objective."""
    made, state = problem(form(data(3, mixed=True)), coupled=coupled, lam2=0.0)
    seen = []

    def watch(value, value_and_gradient, penalty, prox, x, **_):
        seen.append((value, value_and_gradient))
        return x, 1.0

    monkeypatch.setattr("sksieve.selection._lsdcl_problem.accelerated_proximal_gradient", watch)
    made.update_T(state)
    made.update_V(state)

    dense = made.X if form is np.asarray else made.X.toarray()

    def fit(T):
        return float(((dense - (dense @ state.V) @ (dense.T @ T).T) ** 2).sum())

    def whole(V):
        return made.objective(state._replace(V=V))

    for (value, both), true, at in zip(seen, (fit, whole), (state.T, state.V), strict=True):
        f, g = both(at)
        assert_allclose(f, true(at), rtol=1e-10)
        assert_allclose(value(at), true(at), rtol=1e-10)
        assert_allclose(g, numeric_gradient(true, at), atol=1e-6 * np.abs(g).max())


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


def test_three_factors_and_their_normalised_form_fit_alike():
    rng = np.random.RandomState(0)
    X = wine()
    U, S, V = (rng.random_sample(shape) for shape in ((len(X), 4), (4, 3), (X.shape[1], 3)))
    made, _ = problem(X)
    T, sums = U @ S / (U @ S).sum(axis=0), (U @ S).sum(axis=0)
    printed = np.linalg.norm(X.T - X.T @ U @ S @ (X @ V).T) ** 2  # (opt_usv), first term
    assert_allclose(made.fit(T, V * sums), printed, rtol=1e-12)


def test_published_updates_collapse_and_the_repaired_do_not():
    """Deviation D1: ||V|| runs to zero, U S to infinity, and the fit goes on improving."""
    X = wine()
    A = knn_graph(X, 5)
    made = MultiplicativeConcepts(
        X, LocalCorrentropy(A, gamma=0.25, delta2=1.0), lam1=0.0, lam2=0.0, rule="sqrt"
    )
    state = start(made, 3, np.random.RandomState(0))
    made.correntropy.delta2 = made.correntropy.width(X @ state.V)
    made.lam1 = made.norm2 / A.sum()
    made.lam2 = 0.1 * largest_lam2(made, state)
    first = np.linalg.norm(state.V, axis=1).sum()
    U, S, V = state.T, np.eye(3) + 0.2, state.V
    sizes, fits, penalised = [first], [], []
    for n_iter in range(600):
        delta2 = 0.25 * mean_squared_distance(X @ V)
        U = twin.update_U(X.T, U, S, V)
        S = twin.update_S(X.T, U, S, V)
        V = twin.update_V(
            X.T, U, S, V, A=A.toarray(), lam1=made.lam1, lam2=made.lam2, delta2=delta2,
            constants=False,
        )  # fmt: skip
        state = made.step(state)
        if n_iter % 200 == 199:
            sizes.append(np.linalg.norm(V, axis=1).sum())
            fits.append(made.fit(U @ S, V))
            penalised.append(np.linalg.norm(state.V, axis=1).sum())
    assert (np.diff(sizes) < 0).all()
    assert sizes[-1] < 0.05 * first
    assert (np.diff(fits) < 0).all()
    assert (U @ S).sum(axis=0).min() > 10
    assert min(penalised) > 0.2 * first
    assert_allclose(penalised[-1], penalised[-2], rtol=0.2)


def test_one_step_is_the_published_one_with_its_constants():
    """V in one step, all penalties on; T in one step without penalties (deviation D7)."""
    X = np.abs(data(5, mixed=False)) + 0.01
    made, state = problem(X, rule="sqrt", lam1=0.7)
    A = knn_graph(X, 3).toarray()
    T, V, _ = state
    with_constants = twin.update_V(
        X.T, T, np.eye(3), V, A=A, lam1=made.lam1, lam2=made.lam2,
        delta2=made.correntropy.delta2, constants=True,
    )  # fmt: skip
    assert_allclose(made.update_V(state).V, with_constants, rtol=1e-12)
    made.lam1 = made.lam2 = 0.0
    U = twin.update_U(X.T, T, np.eye(3), V)
    stepped = made.update_T(state)
    assert_allclose(stepped.T, U / U.sum(axis=0), rtol=1e-12)
    assert_allclose(stepped.V, V * U.sum(axis=0), rtol=1e-12)


@pytest.fixture(scope="module")
def counts():
    """Sparse small counts with many ties and a few copies, as word counts are."""
    rng = np.random.RandomState(0)
    X = rng.poisson(0.08, (120, 300)).astype(float)
    X[:60, :40] += rng.poisson(0.5, (60, 40))
    X[:, 200:203] = 0
    X[:, 203] = rng.randint(1, 4, 120)  # a column without zeros
    X[7] = X[8]
    return X


@pytest.mark.parametrize("solver", ["prox", "mu", "mu_root"])
def test_sparse_and_dense_give_the_same_weights(counts, solver):
    dense = LSDCL(random_state=0, solver=solver).fit(counts)
    sparse = LSDCL(random_state=0, solver=solver).fit(sp.csr_array(counts))
    assert_allclose(sparse.V_, dense.V_, atol=1e-10)
    assert_allclose(sparse.T_, dense.T_, atol=1e-10)
    assert_allclose(sparse.scores_, dense.scores_, atol=1e-10)
    assert_array_equal(dense.V_[200:203], 0)
    assert_array_equal(dense.scores_[200:203], 0)


@pytest.mark.parametrize("scale", ["minmax", "none"])
def test_sparse_and_dense_where_ties_abound(scale):
    """Few columns of small counts, nearly as many concepts: k-means++ chooses among equals."""
    for seed in range(12):
        X = np.random.RandomState(seed).poisson(0.5, (50, 12)).astype(float)
        dense, sparse = (
            LSDCL(random_state=seed, scale=scale, max_iter=4).fit(form(X))
            for form in (np.asarray, sp.csr_array)
        )
        assert_allclose(sparse.V_, dense.V_, atol=1e-10)


def test_word_counts_as_csr(real_data):
    X = np.asarray(real_data("BASEHOCK").X, dtype=float)[::8]
    dense = LSDCL(random_state=0, max_iter=3).fit(X)
    sparse = LSDCL(random_state=0, max_iter=3).fit(sp.csr_array(X))
    assert_allclose(sparse.V_, dense.V_, atol=1e-10)


def test_fitted_attributes():
    X = load_digits().data[:300]
    est = LSDCL(random_state=0).fit(X)
    scaled = unit_rows_on_average(scaled_columns(X, "minmax"))
    assert_allclose((scaled**2).sum(), 300, rtol=1e-12)
    assert_allclose(est.sample_concepts_, scaled.T @ est.T_)
    assert_allclose(est.feature_concepts_, scaled @ est.V_)
    assert est.V_.shape == (64, 10)
    assert_allclose(est.T_.sum(axis=0), 1, atol=1e-12)
    assert est.objective_ == est.history_[-1]["objective"]
    assert_allclose(est.scores_, np.linalg.norm(est.V_, axis=1) * scaled.std(axis=0), rtol=1e-10)
    norm = LSDCL(random_state=0, scoring="norm").fit(X)
    assert_allclose(norm.scores_, np.linalg.norm(est.V_, axis=1), rtol=1e-10)


@pytest.mark.parametrize("scale", ["standard", "none"])
@pytest.mark.parametrize("seed", range(5))
def test_mixed_signs_give_a_ranking(scale, seed):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((60, 4)) @ rng.standard_normal((4, 30))
    X += 0.3 * rng.standard_normal((60, 30))
    est = LSDCL(scale=scale, random_state=0).fit(X)
    assert (est.scores_ > 0).sum() >= 5
    assert not np.array_equal(est.ranking_, np.arange(30))
    assert est.history_[-1]["objective"] < 60


def test_features_that_carry_the_groups_come_first():
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], 40)
    X = rng.random_sample((120, 40))
    X[:, :9] = 0.2 * X[:, :9] + 0.8 * (y[:, None] == np.arange(9) % 3)
    est = LSDCL(n_features_to_select=9, random_state=0).fit(X)
    assert set(est.ranking_[:9]) == set(range(9))


def test_negative_values_and_multiplicative_updates():
    X = np.random.RandomState(0).standard_normal((30, 6))
    with pytest.raises(DataError, match=r'need X >= 0.*solver="prox"'):
        LSDCL(solver="mu", scale="standard").fit(X)
    with pytest.raises(DataError, match=r'need X >= 0.*solver="prox"'):
        LSDCL(solver="mu_root", scale="none").fit(sp.csr_array(X))
    assert LSDCL(solver="mu").fit(X).V_.any(), "min-max scaled they are no longer negative"


def test_what_does_not_go_together():
    X = load_wine().data
    with pytest.raises(ValueError, match=r'delta="coupled" needs solver="prox"'):
        LSDCL(solver="mu", delta="coupled").fit(X)
    with pytest.raises(DataError, match="fill in"):
        LSDCL(scale="standard").fit(sp.csr_array(X))
    with pytest.raises(DataError, match="only where X >= 0"):
        LSDCL().fit(sp.csr_array(X - 5))
    with pytest.raises(DataError, match="negative values"):
        LSDCL(scale="none").fit(-1 - np.random.RandomState(0).random_sample((20, 5)))
    with pytest.raises(DataError, match="constant or zero"):
        LSDCL().fit(np.full((10, 4), 7.0))


@pytest.mark.parametrize("shape", [(40, 3), (4, 30), (2, 2), (40, 1), (6, 1)])
@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_more_concepts_than_rows_or_columns(shape, scale):
    X = np.random.RandomState(0).random_sample(shape)
    few = shape[0] < 6
    with pytest.warns(DataWarning, match="n_neighbors=") if few else no_warning():
        est = LSDCL(n_features_to_select=1, scale=scale, random_state=0).fit(X)
    assert est.V_.shape == (shape[1], min(10, *shape))
    assert np.isfinite(est.scores_).all()
    assert est.scores_.max() > 0


def no_warning():
    import warnings

    context = warnings.catch_warnings()
    warnings.simplefilter("error", DataWarning)
    return context


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_one_concept(scale):
    est = LSDCL(n_concepts=1, scale=scale, random_state=0).fit(load_wine().data)
    assert est.scores_.max() > 0


def test_copies_of_a_few_rows():
    X = np.repeat(np.random.RandomState(0).random_sample((3, 8)), 20, axis=0)
    est = LSDCL(random_state=0).fit(X)
    assert np.isfinite(est.scores_).all()
    assert (np.diff([record["objective"] for record in est.history_]) <= 1e-9).all()


@pytest.mark.parametrize("solver", ["prox", "mu", "mu_root"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_float32(solver, form):
    X = load_digits().data[:200]
    single = LSDCL(random_state=0, solver=solver).fit(form(X.astype(np.float32)))
    double = LSDCL(random_state=0, solver=solver).fit(form(X))
    for name in ("V_", "T_", "sample_concepts_", "feature_concepts_", "scores_"):
        assert getattr(single, name).dtype == np.float32, name
    assert_allclose(single.objective_, double.objective_, rtol=1e-2)


@pytest.mark.parametrize("scale", ["minmax", "standard", "none"])
def test_the_input_is_left_alone(scale):
    X = load_wine().data
    kept = X.copy()
    LSDCL(scale=scale, random_state=0, max_iter=2).fit(X)
    assert_array_equal(X, kept)
    if scale != "standard":
        S = sp.csr_array(X)
        LSDCL(scale=scale, random_state=0, max_iter=2).fit(S)
        assert_array_equal(S.toarray(), kept)
