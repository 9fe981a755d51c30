"""The l1 graph's codes: optimality conditions, an independent lasso, duplicates and zero rows."""

import numba
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Lasso

from sksieve.graphs import _selfrep
from sksieve.graphs._selfrep import Codes, first_copies, kkt_residual, sparse_codes, unit_rows


def subspaces(rng, n=60, d=12, dim=3, noise=0.02):
    parts = [rng.randn(n // 3, dim) @ rng.randn(dim, d) for _ in range(3)]
    return unit_rows(np.vstack(parts) + noise * rng.randn(n, d))


FORMS = pytest.mark.parametrize("codes", [_selfrep._codes_by_gram, _selfrep._codes_by_blocks])


@FORMS
@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), lam=st.floats(0.02, 0.8))
def test_optimality_conditions_hold(codes, seed, lam):
    X = subspaces(np.random.RandomState(seed), n=30)
    Z = codes(X, lam)
    assert kkt_residual(X, Z, lam).max() <= 1e-12
    assert not Z.diagonal().any()


def test_same_codes_as_an_independent_lasso():
    X = subspaces(np.random.RandomState(3))
    lam = 0.1
    Z = sparse_codes(X, lam).toarray()
    for i in range(0, 60, 7):
        others = np.delete(np.arange(60), i)
        lasso = Lasso(
            alpha=lam / (2 * X.shape[1]), fit_intercept=False, tol=1e-14, max_iter=100_000
        )
        lasso.fit(X[others].T, X[i])
        np.testing.assert_allclose(Z[others, i], lasso.coef_, atol=1e-6)


@FORMS
def test_copies_are_used_once_and_stand_in_for_each_other(codes):
    X = subspaces(np.random.RandomState(0), n=30)
    X[20] = X[4]
    X[25] = X[4]
    X[10] = 0.0
    Z = codes(X, 0.1)
    assert Z[[20], [4]] == pytest.approx(0.95, abs=1e-12)  # 1 - lam/2: its own copy suffices
    assert Z[:, [4]].nnz == 1
    assert Z[:, [20]].nnz == 1
    assert Z[[4], [20]] != 0
    others = [i for i in range(30) if i not in (4, 20, 25)]
    assert Z[[20, 25]][:, others].nnz == 0
    assert Z[:, [10]].nnz == 0
    assert Z[[10]].nnz == 0
    keep = np.array([i for i in range(30) if i not in (20, 25)])
    inner = sp.csc_array(Z[keep][:, keep][:, 5:])
    padded = sp.hstack([sp.csc_array((28, 5)), inner], format="csc")
    assert kkt_residual(X[keep], padded, 0.1)[5:].max() < 1e-12


def test_both_forms_give_the_same_codes(monkeypatch):
    X = subspaces(np.random.RandomState(4), n=120, d=30, dim=6)
    by_gram, by_blocks = _selfrep._codes_by_gram(X, 0.1), _selfrep._codes_by_blocks(X, 0.1)
    assert abs(by_gram - by_blocks).max() <= 1e-10
    monkeypatch.setattr(_selfrep, "_codes_by_gram", None)
    with pytest.raises(TypeError, match="NoneType"):
        sparse_codes(X[:, :29], 0.1)  # few samples
    monkeypatch.setattr(_selfrep, "_FEW_SAMPLES", 119)
    assert sparse_codes(X[:, :29], 0.1).nnz > 0  # 120 > 4 x 29
    with pytest.raises(TypeError, match="NoneType"):
        sparse_codes(X, 0.1)


def clouds(rng, n, d):
    """Near samples lie together: most groups of them cannot hold a violator."""
    return unit_rows(3 * rng.randn(8, d)[rng.randint(8, size=n)] + 0.6 * rng.randn(n, d))


@pytest.mark.parametrize("kind", ["clouds", "one cloud", "subspaces"])
def test_groups_that_are_passed_over_hold_no_violator(kind):
    rng = np.random.RandomState(7)
    X = {
        "clouds": lambda: clouds(rng, 2500, 6),
        "one cloud": lambda: unit_rows(rng.randn(2500, 8)),
        "subspaces": lambda: subspaces(rng, 2502, d=20),
    }[kind]()
    Z = sparse_codes(X, 0.1)
    assert kkt_residual(X, Z, 0.1).max() <= 1e-10


def test_every_turn_visits_groups_anew_where_few_are_visited(monkeypatch):
    """One group a turn, one violator at a time: the same codes by another way."""
    X = clouds(np.random.RandomState(2), 900, 6)
    usual = sparse_codes(X, 0.1)
    monkeypatch.setattr(_selfrep, "_GROUP", 20)
    monkeypatch.setattr(_selfrep, "_VISITS", 1)
    monkeypatch.setattr(_selfrep, "_CANDIDATES", 2)
    monkeypatch.setattr(_selfrep, "_POOL", 50)
    slow = sparse_codes(X, 0.1)
    assert abs(usual - slow).max() <= 1e-9
    assert kkt_residual(X, slow, 0.1).max() <= 1e-10


def test_samples_of_any_length_have_exact_codes():
    """Bounds of products with a change of the residual grow with the samples."""
    rng = np.random.RandomState(0)
    for scale in (0.05, 5.0):
        X = scale * clouds(rng, 1500, 6) * np.exp(rng.randn(1500))[:, None]
        lam = 0.1 * float(np.median((X * X).sum(axis=1)))
        assert kkt_residual(X, sparse_codes(X, lam), lam).max() <= 1e-9 * lam


def test_single_precision_has_codes_of_its_own_samples():
    X = clouds(np.random.RandomState(3), 400, 6).astype(np.float32)
    assert kkt_residual(X, sparse_codes(X, 0.1), 0.1).max() <= 1e-10


def test_threads_do_not_matter(monkeypatch):
    X = subspaces(np.random.RandomState(5), n=1500)
    before = numba.get_num_threads()
    try:
        answers = []
        for threads in (1, min(2, before)):
            numba.set_num_threads(threads)
            monkeypatch.setattr("sksieve._threads.n_threads", lambda threads=threads: threads)
            answers += [sparse_codes(X, 0.1), sparse_codes(X[:300], 0.1)]
    finally:
        numba.set_num_threads(before)
    assert all((one != other).nnz == 0 for one, other in zip(answers[:2], answers[2:]))


def test_padded_form_round_trip():
    A = sp.random_array((7, 9), density=0.3, random_state=np.random.default_rng(0), format="csr")
    A.sort_indices()
    codes = Codes.from_matrix(A)
    assert (codes.with_capacity(3).matrix(9) != A).nnz == 0


def test_first_copies():
    X = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [0.0, 0.0], [3.0, 1.0]])
    np.testing.assert_array_equal(first_copies(X), [0, 1, 0, 1, 4])


def test_rows_of_every_length_become_unit_rows():
    X = np.random.RandomState(0).randn(4, 7)
    far = X * np.array([[1e-170], [1e160], [0.0], [1e-300]])
    got = unit_rows(far)
    np.testing.assert_allclose(got[:2], unit_rows(X)[:2], rtol=1e-12)
    np.testing.assert_array_equal(got[2], 0)
    np.testing.assert_allclose(np.linalg.norm(got, axis=1), [1, 1, 0, 1], rtol=1e-12)
