"""Columns brought to one scale; which of them count as constant, and where those end."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import minmax_scale, normalize

from sksieve.selection._columns_that_vary import (
    centered_columns,
    put_back,
    rows_put_back,
    varying_columns,
)


def table():
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
def test_scales(how, rival):
    X = table()
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


def test_what_does_not_vary_is_last():
    varies = np.array([True, False, True])
    assert_array_equal(put_back(np.array([0.0, 2.0]), varies), [0, -1, 2])
    assert_array_equal(rows_put_back(np.ones((2, 2)), varies), [[1, 1], [0, 0], [1, 1]])
