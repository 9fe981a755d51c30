"""One meaning of each scale, one rule for constant columns, one check of extreme numbers."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import minmax_scale, normalize

from sksieve.exceptions import DataError
from sksieve.metrics import reconstruction_error, redundancy
from sksieve.selection import LaplacianScore, RandomRank
from sksieve.selection._standardized import Standardized
from sksieve.tables import (
    SCALES,
    centered_columns,
    constant_columns,
    gram,
    moments,
    refuse_extremes,
    scale_columns,
    varying_columns,
)

every_form = pytest.mark.parametrize("form", [np.array, sp.csr_array], ids=["dense", "CSR"])


@every_form
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scale", [0.0, 0.2, 0.8])
def test_squares_of_what_passes_differ(form, dtype, scale):
    """`scale` is the part of the exponents' range between smallest and largest."""
    number = np.finfo(dtype)
    low, high = 1024 * np.sqrt(number.tiny), np.sqrt(number.max / 6)
    X = np.array([[1.0, 0.0, -0.25], [0.0, 0.001, 1.0]]) * low * (high / low) ** scale * 1.001
    refuse_extremes(form(X.astype(dtype)))
    squares = X.astype(dtype) ** 2
    assert np.isfinite(squares.sum())
    assert squares[1, 1] > 0


@every_form
@pytest.mark.parametrize("size", [1e-160, 1e160, -1e160])
def test_beyond_is_refused_whatever_the_sign(form, size):
    with pytest.raises(DataError, match=r"1e[+-]160 in magnitude.*float64.*Multiply X"):
        refuse_extremes(form(np.array([[size, 0.0], [0.0, size / 2]])))
    small = 1e-30 if abs(size) < 1 else 1e30
    with pytest.raises(DataError, match="float32"):
        refuse_extremes(form(np.array([[small, 0.0]], dtype=np.float32)))


@every_form
def test_zeros_pass(form):
    refuse_extremes(form(np.zeros((3, 2))))


def by_definition(X, scale):
    if scale in ("standard", "correlation"):
        Z = X - X.mean(axis=0)
        return Z / (Z.std(axis=0) if scale == "standard" else np.linalg.norm(Z, axis=0))
    if scale == "unit":
        return X / np.linalg.norm(X, axis=0)
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / (high - low) if scale == "minmax" else X


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_names_mean_what_the_table_says(scale, dtype):
    X = (
        np.random.RandomState(0).random_sample((50, 4)) * [1, 1e-3, 5, 1e3] + [0, 1, 0, -3]
    ).astype(dtype)
    A, center, divisor = scale_columns(X, scale)
    assert A.dtype == dtype
    tolerance = 1e-12 if dtype == np.float64 else 1e-3
    assert_allclose(A, by_definition(X.astype(float), scale), atol=tolerance)
    assert_allclose((X - center) / divisor, A, atol=tolerance)
    assert len(center) == len(divisor) == 4


@pytest.mark.parametrize("scale", SCALES)
def test_columns_far_apart_in_magnitude(scale):
    X = np.random.RandomState(0).random_sample((20, 2)) + 1
    A = scale_columns(X * [1e-140, 1e140], scale).X
    if scale == "none":
        A = A * [1e140, 1e-140]
    assert_allclose(A, by_definition(X, scale), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("scale", ["unit", "minmax", "none"])
def test_sparse_is_dense(scale):
    X = np.random.RandomState(0).poisson(1.0, (30, 5)).astype(float)
    X[:, 2], X[:, 3], X[:, 4] = 0, 7, X[:, 4] + 1
    before = sp.csr_array(X)
    A = scale_columns(before, scale).X
    assert sp.issparse(A)
    assert_allclose(A.toarray(), scale_columns(X, scale).X, atol=1e-15)
    assert_array_equal(before.toarray(), X)


def test_scales_that_would_fill_sparse_tables_in():
    X = sp.csr_array(np.eye(3) - 0.5 * np.eye(3, k=1))
    for scale in ("standard", "correlation"):
        with pytest.raises(DataError, match="would fill in sparse X"):
            scale_columns(X, scale)
    with pytest.raises(DataError, match="only where X >= 0"):
        scale_columns(X, "minmax")


N = 5000
#: Rounding of one number; and small changes that are none.
CONSTANT = [0.0, 0.1, -1e9 / 3, 1e-12, np.where(np.arange(N) % 2, 0.3, 0.1 + 0.2)]
VARYING = [1e9 + np.arange(N), 1 + 1e-12 * np.arange(N), np.eye(N)[7] * 1e-9, 1e-20 * np.arange(N)]


@every_form
def test_one_rule_for_constant_columns(form):
    X = np.column_stack([np.broadcast_to(c, N) for c in CONSTANT + VARYING])
    constant = np.arange(X.shape[1]) < len(CONSTANT)
    X = form(X)
    assert_array_equal(constant_columns(X), constant)
    assert_array_equal(Standardized(X).norms == 0, constant)
    assert_array_equal(RandomRank(random_state=0).fit(X[:50]).scores_ < 0, constant_columns(X[:50]))
    no_variance = np.diagonal(gram(moments(X), "standard")[0]) == 0
    assert no_variance[constant].all()
    if not sp.issparse(X):  # the sums of sparse rows are around 0, and lose small variances
        assert_array_equal(no_variance, constant)


def test_the_same_rule_in_selectors_and_metrics():
    X = np.column_stack([np.broadcast_to(c, N) for c in CONSTANT + VARYING])[:400]
    constant = np.arange(X.shape[1]) < len(CONSTANT)
    assert_array_equal(varying_columns(X, "standard")[1], ~constant)
    with pytest.warns(UserWarning, match="neighbors"):
        scores = LaplacianScore(1).fit(X).scores_
    assert_array_equal(scores == -2, constant)
    d = X.shape[1]
    assert_allclose(reconstruction_error(X, [], scale="standard"), (~constant).sum())
    for j in np.flatnonzero(constant):
        assert redundancy(X, [j, d - 1]) == 0


def test_products_of_more_numbers_have_a_smaller_range():
    refuse_extremes(np.array([[1e60, 1.0]]), degree=4)
    refuse_extremes(np.array([[1e-60, 0.0]]), degree=4)
    for size in (1e100, 1e-100):
        refuse_extremes(np.array([[size, 0.0]]))
        with pytest.raises(DataError, match="products of 4"):
            refuse_extremes(np.array([[size, 0.0]]), degree=4)


def far_apart_table():
    return np.random.RandomState(0).random_sample((50, 4)) * [1.0, 1e-90, 1e9, 1e90] + [
        0,
        0,
        1e9,
        0,
    ]


@pytest.mark.parametrize(
    ("how", "rival"),
    [
        ("standard", lambda X: (X - X.mean(axis=0)) / X.std(axis=0)),
        ("minmax", minmax_scale),
        ("correlation", lambda X: normalize(X - X.mean(axis=0), axis=0)),
        ("unit", lambda X: normalize(X, axis=0)),
    ],
)
def test_columns_in_units_far_apart(how, rival):
    X = far_apart_table()
    Z, varies = varying_columns(X, how)
    assert varies.all()
    assert_allclose(Z[:, [0, 2]], rival(X[:, [0, 2]]), atol=1e-12)
    assert_allclose(Z[:, [1, 3]], rival(X[:, [1, 3]] * [1e90, 1e-90]), atol=1e-12)


def test_constant_up_to_rounding_does_not_vary():
    """Ten times 0.1 has not the mean 0.1 in floating point; a change of 1e-9 in 1 is a change."""
    constants = np.full((10, 3), [0.1, 1e9 / 3, 0.0])
    little = 1 + 1e-9 * np.arange(10.0)
    assert (constants - constants.mean(axis=0)).any()
    Z, varies = centered_columns(np.column_stack([constants, little]))
    assert_array_equal(varies, [False, False, False, True])
    assert Z.shape == (10, 1)
