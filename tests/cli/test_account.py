"""What each column adds and how unique it is, against the definitions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sksieve import GreedyCSS, TwoStageCSS
from sksieve.cli._account import account, contributions, uniqueness
from sksieve.cli._fit import Fitted
from sksieve.metrics import reconstruction_error


def fitted(est, X) -> Fitted:
    return Fitted(est.fit(X), X, 0.0, False, ())


@given(st.integers(0, 2**31), st.integers(1, 6))
def test_contributions_are_differences_of_rebuild_errors(seed, k):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(9, 7)) * rng.uniform(0.1, 10, size=7)
    A[:, 5] = A[:, 1] - 2 * A[:, 0]  # dependent
    S = rng.permutation(7)[:k]
    adds = contributions(A[:, S].T @ A, S, np.sum(A**2, axis=0))
    errors = [np.sum(A**2)]
    for i in range(k):
        B = A[:, S[: i + 1]]
        errors.append(np.sum((A - B @ np.linalg.lstsq(B, A)[0]) ** 2))
    np.testing.assert_allclose(adds, -np.diff(errors), atol=1e-9 * errors[0])


@given(st.integers(0, 2**31), st.integers(2, 6))
def test_uniqueness_is_what_the_others_leave(seed, k):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(9, k)) * rng.uniform(1e-4, 1e4, size=k)
    for j, share in enumerate(uniqueness(B.T @ B)):
        rest = np.delete(B, j, axis=1)
        left = B[:, j] - rest @ np.linalg.lstsq(rest, B[:, j])[0]
        assert share == pytest.approx(left @ left / (B[:, j] @ B[:, j]), rel=1e-6, abs=1e-10)


def test_dependent_and_zero_columns_are_not_unique():
    B = np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0], [1.0, 2.0, 1.0, 0.0]])
    first, second, third, zero = uniqueness(B.T @ B)
    assert first == pytest.approx(0.0, abs=1e-9)
    assert second == pytest.approx(0.0, abs=1e-9)
    assert 0.9 < third <= 1.0
    assert zero == 0.0


@pytest.mark.parametrize("scale", ["unit", "standard", "none"])
@pytest.mark.parametrize("method", [GreedyCSS, TwoStageCSS])
def test_column_subset_methods(values, scale, method):
    worth = account(fitted(method(3, scale=scale), values), "columns")
    error = reconstruction_error(values, worth.chosen, scale=scale)
    assert worth.error == pytest.approx(error, rel=1e-9)
    assert worth.explained == pytest.approx(worth.adds.sum(), rel=1e-12)
    assert [point.k for point in worth.path][-1] == 3


@pytest.mark.parametrize("sparse", [False, True])
def test_other_selectors_are_judged_by_their_data(values, sparse):
    """A selector without path and Gram matrix gets the same figures as a method that has them."""
    est = GreedyCSS(3, scale="none").fit(values)
    X = sp.csr_array(values) if sparse else values
    theirs = account(Fitted(est, values, 0.0, False, ()), "columns")
    ours = account(Fitted(est, X, 0.0, False, ()), "selector")
    assert ours.path == ()
    for name in ("total", "error", "ratio", "explained"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-7)
    np.testing.assert_allclose(ours.adds, theirs.adds, rtol=1e-9)
    np.testing.assert_allclose(ours.unique, theirs.unique, rtol=1e-7)
