"""Adaptive rows: neighbors in the projection with ties by the distance of the samples."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sksieve.graphs import nearest_neighbors
from sksieve.selection import _adaptive_rows
from sksieve.selection._adaptive_rows import _nearest_with_ties


@pytest.mark.parametrize("n_tied", [2, 11])
def test_a_few_tied_rows_are_compared_in_both(monkeypatch, n_tied):
    """Equal rows of the projection, told apart by the samples; the others are not looked at."""
    rng = np.random.RandomState(1)
    Z = rng.standard_normal((120, 2))
    at = rng.choice(120, n_tied, replace=False)
    Z[at] = Z[at[0]]
    X = 1e-6 * rng.standard_normal((120, 60))
    expected = nearest_neighbors(np.hstack([Z, X]), 5)[0]
    sizes = []
    search = _adaptive_rows.find_neighbors
    monkeypatch.setattr(
        _adaptive_rows, "find_neighbors", lambda Z, *args: sizes.append(len(Z)) or search(Z, *args)
    )
    near = _nearest_with_ties(Z, X, np.linalg.norm(X), 5, "exact")
    assert_array_equal(np.sort(near), np.sort(expected))
    assert sizes[0] == 120
    assert all(size < 60 for size in sizes[1:])


@pytest.mark.parametrize("values", [None, 40, 3, 1])
def test_ties_go_by_the_other_columns_however_many_there_are(values):
    """Continuous projections, and ones with few different values: then most rows are tied."""
    rng = np.random.RandomState(0)
    Z = rng.standard_normal((120, 2))
    if values is not None:
        Z = np.round(rng.random_sample((120, 2)) * values)
    X = 1e-6 * rng.standard_normal((120, 60))
    expected = nearest_neighbors(np.hstack([Z, X]), 5)[0]
    near = _nearest_with_ties(Z, X, np.linalg.norm(X), 5, "exact")
    assert_array_equal(np.sort(near), np.sort(expected))
