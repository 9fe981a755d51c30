"""The factored solver on tables with many more columns than its shortlist."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sksieve import AlignedColumns
from sksieve.columns import (
    POCSS,
    GreedyCSS,
    IteratedLocalSearchCSS,
    IterFS,
    LeverageScoreCSS,
    Selected,
)
from sksieve.columns._factored import Factored, FactoredSolver
from sksieve.columns._pair import PairProblem
from sksieve.columns._surrogate import Surrogate, Target, prices
from sksieve.datasets import make_cells
from sksieve.exceptions import DataError, RankDeficiencyWarning
from sksieve.tables import gram, moments
from sksieve.tables._sources import source_of

N = 700
#: The shortlist of large tables.
SHORT = Factored(215)


@pytest.fixture(scope="module")
def cells():
    return make_cells(900, N, 8, mean_counts=150, random_state=0)


@pytest.fixture(scope="module")
def pair(cells):
    G = gram(moments(cells), "standard")[0]
    return G, G @ G


def swap_gains(G, F, S):
    """What each swap lowers the error by, by the definition."""

    def gain(S):
        return np.trace(np.linalg.solve(G[np.ix_(S, S)], F[np.ix_(S, S)]))

    base, best = gain(S), np.full(len(G), -np.inf)
    for j in np.flatnonzero(np.diag(G)):
        if j not in S:
            swapped = [np.append(np.delete(S, p), j) for p in range(len(S))]
            best[j] = max(gain(T) for T in swapped) - base
    return best


def test_prices_are_the_best_swaps(pair):
    G, F = pair
    S = np.flatnonzero(np.diag(G))[[3, 50, 101]]
    price, loss = prices(G[S], F[S], S, np.diag(G), np.diag(F))
    expected = swap_gains(G, F, S)
    alive = np.isfinite(expected)
    np.testing.assert_allclose(price[alive], expected[alive], atol=1e-9 * np.trace(G))
    assert (loss > 0).all()
    assert np.isneginf(price[S]).all()


def test_the_surrogate_has_the_exact_diagonal_and_nearly_that_of_F(cells, pair):
    G, F = pair
    source = source_of(cells, "standard")
    target = Target(float(source.norm2.sum()))
    surrogate = Surrogate(source, target, 96, 128, np.random.RandomState(0))
    C = np.arange(0, N, 7)
    small = surrogate.pair(C, None, np.inf)
    np.testing.assert_allclose(np.diag(small.G), np.diag(G)[C], rtol=1e-6)
    alive = np.diag(F) > 0
    ratio = surrogate.F[alive] / np.diag(F)[alive]
    assert 0.97 < np.median(ratio) < 1.03
    assert np.quantile(abs(ratio - 1), 0.95) < 0.25
    G_S, F_S = surrogate.columns_of(C)
    np.testing.assert_allclose(G_S[:, C], small.G, atol=1e-9)
    np.testing.assert_allclose(F_S[:, C], small.F, atol=1e-8 * small.F.max())


def test_the_fast_greedy_is_greedy_on_the_surrogate(cells):
    source = source_of(cells, "standard")
    weight = np.random.default_rng(0).uniform(0.5, 2, N)
    for w, ridge in ((None, 0.0), (weight, 0.0), (None, 0.3 * float(source.norm2.max()))):
        target = Target(float(source.norm2.sum()), w)
        surrogate = Surrogate(source, target, 60, 64, np.random.RandomState(0), ridge)
        surrogate.e[:] = 0.0  # greedy on a pair takes it off differently
        surrogate.F = surrogate._low_rank_diagonal
        everyone = np.flatnonzero(source.norm2 > 0)
        small = surrogate.pair(everyone, None, np.inf)
        slow = everyone[small.greedy_order(np.arange(len(everyone)), 12)[0]]
        fast = surrogate.greedy(12, source.norm2 > 0, np.empty(0, np.intp), None, np.inf)
        np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize("k", [3, 12])
@pytest.mark.parametrize(
    ("method", "loss"),
    [
        (GreedyCSS(), 1e-12),
        (IterFS(init="greedy", random_state=0), 2e-3),
        (IteratedLocalSearchCSS(max_iter=20, random_state=0), 1e-3),
    ],
    ids=lambda x: type(x).__name__ if hasattr(x, "fit") else "",
)
def test_close_to_all_columns(method, loss, k, cells):
    full, short = (
        clone(method).set_params(n_features_to_select=k, solver=solver).fit(cells)
        for solver in ("gram", SHORT)
    )
    gain = full.error_path_[0] - full.objective_
    assert short.objective_ - full.objective_ <= loss * gain
    assert short.error_path_[0] == pytest.approx(full.error_path_[0], rel=1e-9)
    assert len(short.candidates_) < N / 2
    assert short.error_ratio_ == pytest.approx(
        full.error_ratio_ * short.objective_ / full.objective_, rel=2e-3
    )
    if method.__class__ is GreedyCSS:
        np.testing.assert_array_equal(short.ranking_[:k], full.ranking_[:k])


def test_certified_no_swap_among_all_columns_helps(cells, pair):
    est = IterFS(4, solver=Factored(215, certify=True), init="greedy", random_state=0).fit(cells)
    gains = swap_gains(*pair, est.ranking_[:4])
    assert gains.max() <= 1e-9 * est.objective_
    outside = np.setdiff1d(np.flatnonzero(np.isfinite(gains)), est.candidates_)
    assert est.outside_gain_ == pytest.approx(gains[outside].max(), abs=1e-6)
    assert est.outside_gain_ <= 0


def test_the_front_of_pocss_on_a_shortlist(cells):
    full = POCSS(5, random_state=0, max_iter=20_000).fit(cells)
    short = POCSS(5, random_state=0, max_iter=20_000, solver=SHORT).fit(cells)
    A = cells.toarray().astype(float)
    A = A - A.mean(axis=0)
    length = np.linalg.norm(A, axis=0)
    A = A / np.where(length > 0, length, 1)
    errors = list(short.error_path_.values())
    assert (np.diff(errors) < 0).all()
    for size, S in short.path_.items():
        Q = np.linalg.qr(A[:, S])[0]
        left = ((A - Q @ (Q.T @ A)) ** 2).sum()
        assert short.error_path_[size] == pytest.approx(left, rel=1e-9)
    gain = full.error_path_[0] - full.objective_
    assert abs(short.objective_ - full.objective_) < 0.02 * gain


def test_copies_do_not_fill_the_shortlist():
    """Forty columns, each twenty times: a shortlist of the best by price would hold few."""
    rng = np.random.default_rng(0)
    X = (
        rng.standard_normal((100, 40))
        @ np.diag(np.linspace(3, 1, 40))
        @ rng.standard_normal((40, 40))
    )
    X = np.hstack([X, *[X * (1 + i) for i in range(1, 20)]])
    full = GreedyCSS(10, solver="gram").fit(X)
    short = GreedyCSS(10, solver=Factored(30)).fit(X)
    assert short.objective_ == pytest.approx(full.objective_, rel=1e-9)
    assert len(np.unique(short.candidates_ % 40)) == len(short.candidates_)


def test_a_table_of_low_rank():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6)) @ rng.standard_normal((6, 500))
    with pytest.warns(RankDeficiencyWarning, match="rank 6"):
        est = IterFS(9, solver=Factored(20), random_state=0).fit(X)
    assert est.n_features_to_select_ == 6
    assert est.objective_ <= 1e-9 * est.error_path_[0]


def test_candidates_and_kept_columns_of_a_wide_table(cells):
    est = IterFS(6, solver=SHORT, random_state=0, candidates=np.arange(0, N, 2), keep=[4, 11]).fit(
        cells
    )
    S = est.ranking_[:6]
    assert {4, 11} <= set(S)
    assert all(j % 2 == 0 or j == 11 for j in S)
    full = IterFS(
        6, solver="gram", random_state=0, candidates=np.arange(0, N, 2), keep=[4, 11]
    ).fit(cells)
    assert est.objective_ <= full.objective_ * 1.002


def test_weights_targets_and_ridges_of_a_wide_table(cells):
    rng = np.random.default_rng(1)
    B = cells.toarray()[:, 5:9] + rng.standard_normal((900, 4))
    for parameters, at_fit in [
        ({}, {"column_weight": rng.uniform(0, 2, N)}),
        ({}, {"target": B}),
        ({"ridge": 0.5}, {}),
        ({"budget": 6.0}, {"cost": rng.uniform(0.5, 2, N)}),
    ]:
        full, short = (
            GreedyCSS(5, solver=solver, **parameters).fit(cells, **at_fit)
            for solver in ("gram", SHORT)
        )
        gain = full.error_path_[0] - full.objective_
        assert short.objective_ - full.objective_ <= 5e-3 * gain, (parameters, list(at_fit))


def test_leverage_scores_on_a_shortlist(cells):
    est = LeverageScoreCSS(5, solver=SHORT).fit(cells)
    assert est.objective_ < est.error_path_[0]
    assert est.explained_by_.shape == (N,)


def test_every_source_chooses_the_same(cells, tmp_path):
    X = cells.toarray()
    plain = GreedyCSS(5, solver=SHORT).fit(cells)
    np.save(tmp_path / "X.npy", X)
    tables = {
        "dense": X,
        "memmap": np.load(tmp_path / "X.npy", mmap_mode="r"),
        "csc": sp.csc_array(cells),
    }
    for name, table in tables.items():
        est = GreedyCSS(5, solver=SHORT).fit(table)
        np.testing.assert_array_equal(est.ranking_[:5], plain.ranking_[:5], err_msg=name)
        assert est.objective_ == pytest.approx(plain.objective_, rel=1e-8)


def test_dask_and_files_choose_the_same(cells, tmp_path):
    array = pytest.importorskip("dask.array")
    h5py = pytest.importorskip("h5py")
    X = cells.toarray()
    plain = GreedyCSS(5, solver=SHORT).fit(cells)
    est = GreedyCSS(5, solver=SHORT).fit(array.from_array(X, chunks=(250, 300)))
    np.testing.assert_array_equal(est.ranking_[:5], plain.ranking_[:5])
    with h5py.File(tmp_path / "X.h5", "w") as file:
        file["X"] = X
        for solver in (SHORT, "gram"):
            est = GreedyCSS(5, solver=solver).fit(file["X"])
            np.testing.assert_array_equal(est.ranking_[:5], plain.ranking_[:5])
            assert est.n_samples_seen_ == 900
            assert est.n_features_in_ == N


@pytest.mark.parametrize("library", ["torch", "array_api_strict"])
@pytest.mark.parametrize("target", [None, "structure"])
@pytest.mark.parametrize(
    "est",
    [
        GreedyCSS(5, solver=SHORT),
        GreedyCSS(5, solver="gram"),
        IterFS(5, solver=SHORT, init="greedy", random_state=0),
        IteratedLocalSearchCSS(5, solver=SHORT, max_iter=5, random_state=0),
        AlignedColumns(5),
    ],
    ids=["greedy", "gram", "iterfs", "local search", "aligned"],
)
def test_arrays_of_other_libraries_choose_the_same(cells, library, est, target):
    xp = pytest.importorskip(library)
    X = cells.toarray()
    at_fit = {} if isinstance(est, AlignedColumns) else {"target": target}
    chosen = clone(est).fit(xp.asarray(X), **at_fit).ranking_[:5]
    expected = clone(est).fit(X, **at_fit).ranking_[:5]
    np.testing.assert_array_equal(np.sort(chosen), np.sort(expected))


def test_the_shortlist_of_a_small_table_is_long():
    X = np.random.default_rng(0).standard_normal((30, 2100), dtype=np.float32)
    est = GreedyCSS(2, solver=Factored(max_rounds=0))
    assert len(est.fit(X).candidates_) == 1000
    assert len(est.fit(X[:, :1900]).candidates_) == 1900
    X = np.tile(X, (267, 1))  # a pass with 1000 columns would take 1.7e10 products
    assert len(est.fit(X).candidates_) == 594


def test_the_bound_is_exact_where_all_columns_are_on_the_shortlist(cells):
    weight = np.random.default_rng(1).uniform(0.5, 2, N)
    X = cells.toarray()
    X[:, 3] = 1.0
    for k in (30, 100):
        full, short = (
            GreedyCSS(k, solver=solver).fit(X, column_weight=weight)
            for solver in ("gram", Factored(N))
        )
        np.testing.assert_allclose(
            list(short.svd_error_path_.values()), list(full.svd_error_path_.values()), rtol=1e-9
        )


def test_auto_takes_the_factored_solver_where_the_gram_matrix_is_too_large(cells, monkeypatch):
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", "8e6")
    est = GreedyCSS(5).fit(cells)
    assert est.solver_ == "factored"
    assert est.n_passes_ >= 4


def test_bounds_that_have_not_converged_are_not_reported(cells, monkeypatch):
    monkeypatch.setattr("sksieve.columns._factored.SVD_RTOL", 0.0)
    monkeypatch.setattr("sksieve.columns._factored.SVD_PASSES", 1)
    est = GreedyCSS(5, solver=SHORT)
    with pytest.warns(ConvergenceWarning, match="error_ratio_ is NaN"):
        est.fit(cells)
    assert np.isnan(est.error_ratio_)


def test_settings_of_the_solver_are_an_estimator(cells):
    est = IterFS(4, solver=Factored(n_candidates=30), init="greedy", random_state=0)
    copy = clone(est).set_params(solver__max_rounds=0)
    assert (est.solver.max_rounds, copy.solver.max_rounds, copy.solver.n_candidates) == (2, 0, 30)
    est.fit(cells)
    assert est.solver_ == "factored"
    assert len(copy.fit(cells).candidates_) == 30
    assert len(copy.set_params(solver__n_candidates=50).fit(cells).candidates_) == 50
    with pytest.raises(ValueError, match="'max_rounds' parameter of Factored must be"):
        clone(est).set_params(solver__max_rounds=-1).fit(cells)
    for name in ("certify", "n_candidates", "sketch_size", "max_rounds"):
        with pytest.raises(TypeError, match=name):
            IterFS(4, solver="gram", **{name: 1})


def test_ritz_sums_are_not_above_the_eigenvalues(cells, pair):
    source = source_of(cells, "standard")
    solver = FactoredSolver(
        source,
        Target(float(source.norm2.sum())),
        Factored(),
        candidates=None,
        keep=np.empty(0, np.intp),
        ridge=0.0,
        cost=None,
        budget=np.inf,
        rng=np.random.RandomState(0),
    )
    solver.solve(5, lambda problem, keep: Selected({5: problem.greedy_order(np.arange(200), 5)[0]}))
    assert isinstance(solver.shortlist.pair, PairProblem)
    bounds = solver.svd_errors(5)
    values = np.linalg.eigvalsh(pair[0])[::-1]
    exact = values.sum() - np.append(0, np.cumsum(values[:5]))
    assert (bounds >= exact - 1e-4 * exact).all()
    np.testing.assert_allclose(bounds, exact, rtol=2e-3)


def test_cells_are_seeded_counts():
    a, b = (make_cells(50, 80, 3, mean_counts=40, random_state=1) for _ in range(2))
    assert (a != b).nnz == 0
    assert a.dtype == np.float32
    assert (a.data == np.round(a.data)).all()
    assert a.has_canonical_format


@pytest.mark.parametrize("exponent", [-450, 450, None])
def test_columns_of_extreme_size_are_chosen_as_ordinary_ones(exponent):
    X = np.random.default_rng(3).standard_normal((30, 40)) @ np.random.default_rng(4).random(
        (40, 40)
    )
    exponents = np.linspace(-450, 450, 40).astype(int) if exponent is None else exponent
    ordinary, extreme = (
        IterFS(5, solver=Factored(8), random_state=0).fit(Z) for Z in (X, np.ldexp(X, exponents))
    )
    assert set(extreme.path_[5]) == set(ordinary.path_[5])
    np.testing.assert_allclose(extreme.objective_, ordinary.objective_, rtol=1e-9)


def test_pareto_search_on_a_shortlist_shorter_than_k():
    X = np.random.default_rng(0).standard_normal((30, 12)) * 10.0 ** np.linspace(-8, 8, 12)
    fit = POCSS(5, solver=Factored(3), max_iter=200, scale="none", random_state=0)
    assert len(fit.fit(X).get_support(indices=True)) <= 5


@pytest.mark.parametrize("size", [1e150, 1e-150])
@pytest.mark.parametrize("solver", ["gram", "factored"])
def test_unscaled_tables_whose_gram_matrix_cannot_be_squared_are_refused(solver, size):
    X = np.random.default_rng(0).standard_normal((20, 12))
    with pytest.raises(DataError, match="products of 4"):
        GreedyCSS(3, scale="none", solver=solver).fit(size * X)
    assert len(GreedyCSS(3, solver=solver).fit(size * X).path_) == 3
