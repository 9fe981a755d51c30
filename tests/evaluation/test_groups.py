"""Groups in detail: columns that separate them, weakest members, links, a map."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve.evaluation._groups import (
    group_links,
    principal_plane,
    separating_columns,
    weakest_members,
)

from ..report.pages import separated_table


def test_separating_columns():
    X, y = separated_table()
    found = separating_columns(X, y, 5)
    assert set(found.columns[:2]) == {0, 1}
    assert 2 not in found.columns  # constant
    for j, share, means in zip(found.columns, found.shares, found.means):
        groups = [X[y == k, j] for k in range(3)]
        within = sum(((g - g.mean()) ** 2).sum() for g in groups)
        assert share == pytest.approx(1 - within / ((X[:, j] - X[:, j].mean()) ** 2).sum())
        assert means == pytest.approx([g.mean() for g in groups])
    sparse = separating_columns(sp.csr_array(X), y, 5)
    np.testing.assert_array_equal(sparse.columns, found.columns)
    np.testing.assert_allclose(sparse.shares, found.shares)


def test_rounding_is_no_variance_and_no_mean():
    X = np.column_stack([np.full(90, 0.1), np.full(90, 1e5 + 0.1), np.arange(90) // 45])
    found = separating_columns(X, np.arange(90) // 45, 3)
    assert found.columns.tolist() == [2]
    X = np.array([[0.1, 0.2, -0.3, 5.0, 5.1, 4.9]]).T
    found = separating_columns(X, np.repeat([0, 1], 3), 1)
    assert found.means[0, 0] == 0.0
    assert found.means[0, 1] == pytest.approx(5.0)


def test_weakest_members_and_links():
    A = np.zeros((5, 5))
    for i, j, w in [(0, 1, 2.0), (1, 2, 3.0), (2, 3, 1.0), (3, 4, 4.0)]:
        A[i, j] = A[j, i] = w
    labels = np.array([0, 0, 1, 1, 1])
    found = weakest_members(A, labels, 3)
    assert found.members.tolist() == [2, 1]
    assert found.shares.tolist() == [0.25, 0.4]
    assert found.drawn_to.tolist() == [0, 1]
    assert found.outside == 2
    W = np.array([[4.0, 3.0, 0.0], [3.0, 2.0, 1.0], [0.0, 1.0, 0.0]])
    assert group_links(W, 5) == [(0, 1, pytest.approx(6 / 14)), (1, 2, pytest.approx(2 / 14))]


def test_map_holds_the_two_largest_directions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * [5, 3, 0.1, 0.1]
    places, groups, share = principal_plane(X, np.arange(60) % 2)
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    assert share == pytest.approx(s[:2].sum() / s.sum())
    assert places.min() == 0
    assert places.max() == 1
    assert groups.tolist() == (np.arange(60) % 2).tolist()
    assert principal_plane(X[:, :1], np.zeros(60, dtype=int))[2] == pytest.approx(1.0)
