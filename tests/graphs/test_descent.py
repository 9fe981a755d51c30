"""Nearest-neighbor descent: deterministic, full lists, candidates of any quality."""

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from sksieve.graphs import nearest_neighbors
from sksieve.graphs._descent import _leaves, descend, descend_from


def share(indices, X, k):
    exact = nearest_neighbors(X, k)[0]
    return np.mean([len(set(a) & set(b)) for a, b in zip(indices, exact)]) / k


@pytest.mark.parametrize("n", [2, 17, 128, 129, 700])
def test_lists_are_full_of_different_other_rows(n):
    X = np.random.RandomState(n).standard_normal((n, 6))
    m = min(15, n - 1)
    near = descend(X, m)
    assert near.shape == (n, m)
    assert all(len({i, *row}) == m + 1 and min(row) >= 0 for i, row in enumerate(near))
    assert share(near, X, min(10, m)) > 0.97


def test_leaves_have_all_rows_and_one_size():
    Z = np.random.RandomState(0).standard_normal((1000, 5)).astype(np.float32)
    leaves = _leaves(Z, 64, np.random.RandomState(0))
    assert leaves.shape == (16, 63)
    assert set(leaves.ravel()) == set(range(1000))
    spread = np.mean([Z[leaf].var(axis=0).sum() for leaf in leaves])
    assert spread < 0.75 * Z.var(axis=0).sum()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rounds_repair_random_candidates(form):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((1200, 3))
    start = (np.arange(1200)[:, None] + 1 + np.arange(8) * 140) % 1200
    assert share(start, X, 8) < 0.1
    assert share(descend_from(form(X), start, 8), X, 8) > 0.95


def test_offset_unit_and_threads_change_nothing():
    X = np.random.RandomState(0).standard_normal((900, 8)).round(3)
    near = descend(X, 15)
    with threadpool_limits(2):
        np.testing.assert_array_equal(descend(X, 15), near)
    np.testing.assert_array_equal(descend(2.0**200 * X, 15), near)
    assert share(descend(X + 2.0**20, 15), X, 10) > 0.97
