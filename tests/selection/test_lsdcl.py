"""LSDCL: attributes, sparse and dense, signs, variants, odd data."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_wine

from sksieve import LSDCL, config_context
from sksieve.exceptions import DataError, DataWarning, TooLargeError
from sksieve.graphs import knn_graph
from sksieve.papers import LSDCLVariants
from sksieve.selection._lsdcl_start import scaled_columns, unit_rows_on_average


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
    dense = LSDCLVariants(random_state=0, solver=solver).fit(counts)
    sparse = LSDCLVariants(random_state=0, solver=solver).fit(sp.csr_array(counts))
    assert_allclose(sparse.components_, dense.components_, atol=1e-10)
    assert_allclose(sparse.T_, dense.T_, atol=1e-10)
    assert_allclose(sparse.scores_, dense.scores_, atol=1e-10)
    assert_array_equal(dense.components_[:, 200:203], 0)
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
        assert_allclose(sparse.components_, dense.components_, atol=1e-10)


def test_word_counts_as_csr(real_data):
    X = np.asarray(real_data("BASEHOCK").X, dtype=float)[::8]
    dense = LSDCL(random_state=0, max_iter=3).fit(X)
    sparse = LSDCL(random_state=0, max_iter=3).fit(sp.csr_array(X))
    assert_allclose(sparse.components_, dense.components_, atol=1e-10)


def test_fitted_attributes():
    X = load_digits().data[:300]
    est = LSDCL(random_state=0).fit(X)
    scaled = unit_rows_on_average(scaled_columns(X, "minmax"))
    assert_allclose((scaled**2).sum(), 300, rtol=1e-12)
    assert_allclose(est.sample_concepts_, scaled.T @ est.T_)
    assert_allclose(est.feature_concepts_, scaled @ est.components_.T)
    assert est.components_.shape == (10, 64)
    assert_allclose(est.T_.sum(axis=0), 1, atol=1e-12)
    assert est.objective_ == est.history_[-1]["objective"]
    weighted = LSDCLVariants(random_state=0, scoring="weighted").fit(X)
    norm = LSDCLVariants(random_state=0, scoring="norm").fit(X)
    lengths = np.linalg.norm(est.components_, axis=0)
    assert_allclose(norm.scores_, lengths, rtol=1e-10)
    assert_allclose(weighted.scores_, lengths * scaled.std(axis=0), rtol=1e-10)


def test_factors_of_the_sample_concepts():
    X = load_digits().data[:200]
    for solver in ("prox", "mu"):
        est = LSDCLVariants(random_state=0, n_concepts=6, n_sample_concepts=15, solver=solver).fit(
            X
        )
        assert est.U_.shape == (200, 15)
        assert est.S_.shape == (15, 6)
        assert_allclose(est.T_, est.U_ @ est.S_, atol=1e-14)
        assert est.components_.shape == (6, 64)
        assert est.objective_ < est.history_[0]["objective"]
    few = LSDCLVariants(random_state=0, n_sample_concepts=500).fit(X[:30])
    assert few.U_.shape == (30, 30)


@pytest.mark.parametrize("variant", ["m1", "m2", "m3", "full"])
def test_variants_rank_the_columns_that_carry_the_groups(variant):
    X = grouped()
    est = LSDCLVariants(variant=variant, lam1=0.01, scoring="weighted", random_state=0).fit(X)
    assert len(set(est.ranking_[:9]) & set(range(9))) >= 7
    assert hasattr(est, "delta2_") == (variant in ("full", "m3"))


def test_relative_lam1_is_the_raw_one_that_the_docstring_gives():
    """With X scaled to n: ``lam1 ||X||^2 / sum(A)``, or ``/ (2 tr(T'DT))`` with T at the start."""
    X = np.random.RandomState(0).random_sample((40, 8))
    A = knn_graph(X, 5)
    for variant in ("full", "m2"):
        sel = LSDCLVariants(2, variant=variant, lam1=0.3, random_state=0)
        problem, _, state = sel._model(unit_rows_on_average(X), A, np.random.RandomState(0))
        T, D = state.T, np.diag(A.sum(axis=1))
        most = A.sum() if variant == "full" else 2 * np.trace(T.T @ D @ T)
        assert problem.lam1 == pytest.approx(0.3 * 40 / most)


def test_one_fit_serves_every_number_of_columns():
    X = load_digits().data[:150]
    whole = LSDCL(random_state=0).fit(X)
    for k in (1, 7, 64):
        few = LSDCL(n_features_to_select=k, random_state=0).fit(X)
        assert set(few.get_support(indices=True)) == set(whole.ranking_[:k])


@pytest.mark.parametrize("scale", ["standard", "none"])
@pytest.mark.parametrize("seed", range(5))
def test_mixed_signs_give_a_ranking(scale, seed):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((60, 4)) @ rng.standard_normal((4, 30))
    X += 0.3 * rng.standard_normal((60, 30))
    est = LSDCL(scale=scale, gamma=0.25, random_state=0).fit(X)
    assert (est.scores_ > 0).sum() >= 5
    assert not np.array_equal(est.ranking_, np.arange(30))
    assert est.history_[-1]["objective"] < 60


def grouped():
    """Nine columns that tell three groups, and 31 of noise."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], 40)
    X = rng.random_sample((120, 40))
    X[:, :9] = 0.2 * X[:, :9] + 0.8 * (y[:, None] == np.arange(9) % 3)
    return X


@pytest.mark.parametrize("scoring", ["norm", "weighted"])
def test_features_that_carry_the_groups_come_first(scoring):
    est = LSDCLVariants(n_features_to_select=9, scoring=scoring, random_state=0).fit(grouped())
    assert set(est.ranking_[:9]) == set(range(9))


@pytest.mark.parametrize("solver", ["mu", "mu_root"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_negative_values_and_multiplicative_updates(solver, form):
    """X is split by sign: descent, and a V that nothing has locked at zero."""
    X = np.random.RandomState(0).standard_normal((60, 3)) @ np.eye(3, 12).repeat(2, axis=1)[:, :12]
    X += 0.2 * np.random.RandomState(1).standard_normal(X.shape)
    est = LSDCLVariants(solver=solver, scale="none", random_state=0, max_iter=200, tol=None).fit(
        form(X)
    )
    objective = np.array([record["objective"] for record in est.history_])
    assert (np.diff(objective) <= 1e-9 * objective[0]).all()
    assert objective[-1] < 0.95 * objective[0]
    assert est.components_.any(axis=0).sum() >= 6


def test_what_does_not_go_together():
    X = load_wine().data
    with pytest.raises(ValueError, match=r'delta="coupled" needs solver="prox"'):
        LSDCLVariants(solver="mu", delta="coupled").fit(X)
    with pytest.raises(ValueError, match=r'delta="coupled" needs .*variant="full" or "m3"'):
        LSDCLVariants(variant="m2", delta="coupled").fit(X)
    with pytest.raises(ValueError, match=r'solver="mu" needs .*use solver="prox" for variant="m1"'):
        LSDCLVariants(variant="m1", solver="mu").fit(X)
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
    assert est.components_.shape == (min(10, *shape), shape[1])
    assert np.isfinite(est.scores_).all()
    assert est.scores_.max() > 0


def no_warning():
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
    single = LSDCLVariants(random_state=0, solver=solver).fit(form(X.astype(np.float32)))
    double = LSDCLVariants(random_state=0, solver=solver).fit(form(X))
    for name in ("components_", "T_", "sample_concepts_", "feature_concepts_", "scores_"):
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


@pytest.mark.parametrize("solver", ["mu", "mu_root"])
def test_a_large_lam2_sends_V_to_zero_and_not_to_nan(solver):
    X = np.abs(np.random.RandomState(0).standard_normal((14, 30)))
    est = LSDCLVariants(3, lam2=1e7, solver=solver, max_iter=30, tol=None, random_state=0).fit(X)
    assert est.stop_reason_ == "max_iter"
    assert not est.components_.any()
    assert np.isfinite(est.T_).all()


@pytest.mark.parametrize("scale", ["none", "minmax"])
def test_sparse_matrix_and_sparse_array_agree(scale):
    """Sums of a sparse matrix are matrices; pandas' sparse columns become one."""
    X = sp.random_array((30, 9), density=0.4, random_state=np.random.default_rng(0), format="csr")
    expected = LSDCL(3, scale=scale, random_state=0, max_iter=5).fit(X)
    actual = LSDCL(3, scale=scale, random_state=0, max_iter=5).fit(sp.csr_matrix(X))
    assert_array_equal(actual.ranking_, expected.ranking_)


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_extreme_numbers_are_scaled_or_refused(size):
    X = size * np.random.default_rng(0).normal(size=(20, 6))
    LSDCL(2, n_concepts=2, random_state=0).fit(X)
    with pytest.raises(DataError, match="Multiply X by a constant"):
        LSDCL(2, n_concepts=2, scale="none", random_state=0).fit(X)


def test_the_literal_solver_counts_its_copies_of_the_table():
    """Four of X, and three of n x n and d x d: 10^5 numbers, 800 kB, for 100 x 100."""
    X = np.random.RandomState(0).uniform(size=(100, 100))
    literal = LSDCLVariants(5, solver="literal", n_concepts=3, max_iter=1, random_state=0)
    with config_context(memory_limit=0.99 * 8e5), pytest.raises(TooLargeError, match="100 columns"):
        literal.fit(X)
