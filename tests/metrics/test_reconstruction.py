"""Reconstruction error and error ratio, against pseudo-inverse and singular values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from sksieve import GreedyCSS
from sksieve.datasets import make_low_rank
from sksieve.metrics import error_ratio, reconstruction_error

SCALES = ["unit", "standard", "none"]


def scaled(X, scale):
    A = np.asarray(X, dtype=np.float64)
    if scale == "standard":
        A = A - A.mean(axis=0)
    if scale != "none":
        norms = np.linalg.norm(A, axis=0)
        A = A / np.where(norms > 1e-10, norms, np.inf)
    return A


def literal(X, S, scale):
    A = scaled(X, scale)
    return np.linalg.norm(A - A[:, S] @ np.linalg.pinv(A[:, S], rcond=1e-12) @ A) ** 2


@st.composite
def table_and_columns(draw):
    n, d = draw(st.integers(2, 30)), draw(st.integers(1, 8))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, d)).astype(float)  # ties, zero and dependent columns
    S = rng.permutation(d)[: draw(st.integers(0, d))]
    return X, S


@pytest.mark.parametrize("scale", SCALES)
@given(case=table_and_columns())
def test_error_is_that_of_the_pseudo_inverse(scale, case):
    X, S = case
    expected = literal(X, S, scale)
    size = np.sum(scaled(X, scale) ** 2) + 1e-300
    error = reconstruction_error(X, S, scale=scale)
    assert error == pytest.approx(expected, abs=1e-10 * size)
    sparse = reconstruction_error(sp.csr_array(X), S, scale=scale)
    assert sparse == pytest.approx(error, abs=1e-10 * size)


@pytest.mark.parametrize("scale", SCALES)
@given(case=table_and_columns())
def test_ratio_is_at_least_one(scale, case):
    X, S = case
    assert error_ratio(X, S, scale=scale) >= 1 - 1e-9


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("shape", [(200, 12), (12, 40)])
def test_ratio_is_its_definition(scale, shape):
    X = make_low_rank(*shape, rank=4, noise=0.3, random_state=0) + 2
    S = [1, 5, 7]
    bound = np.sum(np.linalg.svd(scaled(X, scale), compute_uv=False)[3:] ** 2)
    assert error_ratio(X, S, scale=scale) == pytest.approx(literal(X, S, scale) / bound, rel=1e-10)
    mask = np.isin(np.arange(shape[1]), S)
    assert error_ratio(X, mask, scale=scale) == pytest.approx(error_ratio(X, S, scale=scale))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_blocks_of_rows_add_up(scale, kind, monkeypatch):
    """Many small blocks give what one factorization gives."""
    X = make_low_rank(500, 6, rank=3, noise=0.2, random_state=1) + 5
    X[np.abs(X) < 1] = 0
    whole = reconstruction_error(X, [0, 3], scale=scale)
    monkeypatch.setattr("sksieve.metrics._reconstruction.BLOCK_BYTES", 1)
    blocks = reconstruction_error(kind(X), [0, 3], scale=scale)
    assert blocks == pytest.approx(whole, rel=1e-12)
    assert whole == pytest.approx(literal(X, [0, 3], scale), rel=1e-10)


def test_small_errors_keep_their_digits():
    """A'A would lose an error of 1e-12 ||A||^2 altogether: here it keeps six digits."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((50, 3)))[0]
    A = np.column_stack([Q[:, 0], Q[:, 1], Q[:, 0] + Q[:, 1] + 1e-9 * Q[:, 2]])
    assert reconstruction_error(A, [0, 1], scale="none") == pytest.approx(1e-18, rel=1e-5, abs=0)


def test_columns_of_very_different_size_span_what_they_span():
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((30, 3)))[0] * [1e9, 1e-18, 1e-18]
    A = np.column_stack([Q, Q[:, 1]])
    assert reconstruction_error(A, [0, 1], scale="none") == pytest.approx(1e-36, rel=1e-6, abs=0)


def test_at_the_rank_the_ratio_is_one_or_infinite():
    X = make_low_rank(40, 10, rank=3, noise=0.0, random_state=0)
    assert error_ratio(X, [0, 1, 2], scale="none") == 1.0
    X = np.column_stack([X, X[:, 0]])
    assert error_ratio(X, [0, 1, 10], scale="none") == np.inf
    e = np.eye(4)
    nearly = np.column_stack([e[0], 2 * e[0], e[0] + 1e-5 * e[1]])  # 1e-10 is left, not rounding
    assert error_ratio(nearly, [0, 1], scale="none") == np.inf
    assert error_ratio(np.zeros((4, 2)), [0]) == 1.0


def test_no_columns_leave_everything():
    X = np.arange(12.0).reshape(4, 3)
    assert reconstruction_error(X, [], scale="none") == pytest.approx(np.sum(X**2))
    assert error_ratio(X, [], scale="none") == pytest.approx(1.0)


def test_constant_columns_are_zero_when_standardized():
    X = make_low_rank(60, 5, rank=5, noise=0.1, random_state=0)
    with_constant = np.column_stack([X, np.full(60, 1 / 3), np.full(60, 1e8)])
    for S in ([0, 1], [0, 1, 5], [0, 1, 6]):
        error = reconstruction_error(with_constant, S, scale="standard")
        assert error == pytest.approx(reconstruction_error(X, [0, 1], scale="standard"), rel=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_agrees_with_what_the_gram_matrix_gives(scale):
    X = load_wine().data
    chosen = GreedyCSS(n_features_to_select=4, scale=scale).fit(X)
    S = chosen.ranking_[:4]
    assert reconstruction_error(X, S, scale=scale) == pytest.approx(chosen.objective_, rel=1e-6)
    assert error_ratio(X, S, scale=scale) == pytest.approx(chosen.error_ratio_, rel=1e-6)


def test_best_single_column_of_sonar(real_data):
    """Columns brought to [-1, 1], then to unit norm: the smallest ratio of any column is known."""
    X = real_data("sonar").X
    X = 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1
    ratios = [error_ratio(X, [j], scale="unit") for j in range(60)]
    assert min(ratios) == pytest.approx(1.12852, abs=5e-6)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([0, 0], "names a column twice"),
        ([3], r"must lie in 0\.\.2"),
        ([-1], r"must lie in 0\.\.2"),
        ([0.5], "column indices or a mask"),
        ([[0]], "column indices or a mask"),
        ([True, False], "a mask, has shape"),
    ],
)
def test_columns_that_are_none_are_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        reconstruction_error(np.eye(3), columns)


def test_bad_tables_and_scales_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        error_ratio(np.array([[1.0, np.nan], [0.0, 1.0]]), [0])
    with pytest.raises(ValueError, match="scale must be"):
        error_ratio(np.eye(3), [0], scale="minmax")
