"""Adaptive rows: neighbors in the projection with ties by the distance of the samples."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sksieve.graphs import nearest_neighbors
from sksieve.selection._adaptive_rows import _nearest_with_ties


@pytest.mark.parametrize("values", [None, 40, 3, 1])
def test_ties_go_by_the_other_columns_however_many_there_are(values):
    """Continuous projections, and ones with few different values: then most rows are tied."""
    rng = np.random.RandomState(0)
    Z = rng.standard_normal((120, 2))
    if values is not None:
        Z = np.round(rng.random_sample((120, 2)) * values)
    X = 1e-6 * rng.standard_normal((120, 60))
    expected = nearest_neighbors(np.hstack([Z, X]), 5)[0]
    assert_array_equal(_nearest_with_ties(Z, X, 5, "exact"), expected)
