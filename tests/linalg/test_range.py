"""What can be squared, summed and told apart."""

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve.exceptions import DataError
from sksieve.linalg import refuse_extremes

every_form = pytest.mark.parametrize("form", [np.array, sp.csr_array], ids=["dense", "CSR"])


@every_form
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scale", [0.0, 0.2, 0.8])
def test_squares_of_what_passes_can_be_told_apart(form, dtype, scale):
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
