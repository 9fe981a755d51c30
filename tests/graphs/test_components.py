"""Small components join what they are nearest to."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from sksieve.graphs import (
    _components,
    components,
    large_components,
    number_by_first,
    representatives_by_similarity,
)


def literal(X, labels, n_groups, rho):
    """The rule, written out: returns the group of every vertex (as a set of vertices)."""
    groups = [set(np.flatnonzero(labels == c)) for c in range(labels.max() + 1)]
    D = cdist(X, X)
    least = max(rho * len(labels) / n_groups, 2)
    while len(groups) > 1:
        smallest = min(groups, key=lambda g: (len(g), min(g)))
        if len(groups) <= n_groups and len(smallest) >= least:
            break
        outside = [j for j in range(len(labels)) if j not in smallest]
        _, _, j = min((D[i, j], i, j) for i in smallest for j in outside)
        other = next(g for g in groups if j in g)
        groups = [g for g in groups if g is not smallest and g is not other] + [smallest | other]
    return groups


@given(
    st.integers(0, 100_000),
    st.integers(2, 25),
    st.integers(1, 10),
    st.integers(1, 5),
    st.sampled_from([0.0, 0.25, 1.0]),
)
def test_groups_are_those_of_the_rule(seed, n, n_components, n_groups, rho):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((n, 2))
    labels = number_by_first(rng.randint(n_components, size=n))
    n_groups = min(n_groups, n)
    representative = representatives_by_similarity(X, labels, n_groups, rho)
    groups = literal(X, labels, n_groups, rho)
    size = np.bincount(labels)
    for group in groups:
        members = np.array(sorted(group))
        inside = np.unique(labels[members])
        root = max(inside, key=lambda c: (size[c], -c))
        stays = members[labels[members] == root]
        np.testing.assert_array_equal(representative[stays], stays)
        assert set(labels[representative[members]]) == {root}
    for c in range(labels.max() + 1):
        own = labels == c
        if (representative[own] != np.flatnonzero(own)).any():
            assert len(set(representative[own])) == 1


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_chain_stands_with_the_end_of_the_large_component(form, monkeypatch):
    x = np.array([0, 1, 2, 3, 4, 10, 10.5, 14, 14.5, 14.6, 40, 41, 42, 43, 44.0])[:, None]
    labels = np.array([0] * 5 + [1] * 2 + [2] * 3 + [3] * 5)
    monkeypatch.setattr(_components, "BLOCK_BYTES", 1)
    representative = representatives_by_similarity(form(x), labels, 2, 0.5)
    np.testing.assert_array_equal(
        representative, [0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 10, 11, 12, 13, 14]
    )


def test_of_equally_near_samples_the_first_counts():
    X = np.array([0.0, 0.5, 1, 7, 7.5, 8, 6, 2])[:, None]  # 6 is as near to 7 as 2 is to 1
    representative = representatives_by_similarity(X, np.array([0, 0, 0, 1, 1, 1, 2, 2]), 2, 0.25)
    np.testing.assert_array_equal(representative, [0, 1, 2, 3, 4, 5, 3, 3])


def test_samples_far_from_the_origin():
    X = np.array([0.0, 1, 2, 9, 8, 7, 3])[:, None]
    labels = np.array([0, 0, 0, 1, 1, 1, 2])
    representative = representatives_by_similarity(X + 1e9, labels, 2, 0.25)
    np.testing.assert_array_equal(representative, [0, 1, 2, 3, 4, 5, 2])


def test_nothing_moves_without_need():
    X = np.arange(12.0)[:, None]
    labels = np.repeat([0, 1, 2], 4)
    np.testing.assert_array_equal(representatives_by_similarity(X, labels, 3, 0.25), np.arange(12))


def test_single_vertices_always_join():
    X = np.array([[0.0], [1.0], [1.2], [9.0], [9.5]])
    representative = representatives_by_similarity(X, np.array([0, 1, 1, 2, 2]), 3, 0.0)
    np.testing.assert_array_equal(representative, [1, 1, 2, 3, 4])


def test_many_single_vertices_are_fast_and_end_in_the_wanted_number_of_groups():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((600, 3))
    representative = representatives_by_similarity(X, np.arange(600), 4, 0.25)
    assert (representative[representative] == representative).all()
    groups = literal(X[:60], np.arange(60), 4, 0.25)
    assert len(np.unique(representatives_by_similarity(X[:60], np.arange(60), 4, 0.25))) == len(
        groups
    )


def test_the_largest_components():
    A = sp.csr_array(
        sp.block_diag([np.ones((2, 2)), np.zeros((1, 1)), np.ones((3, 3)), 9 * np.ones((2, 2))])
    )
    labels = components(A)
    np.testing.assert_array_equal(labels, [0, 0, 1, 2, 2, 2, 3, 3])
    two, eight = large_components(A, labels, 2, 0.25), large_components(A, labels, 8, 0.25)
    np.testing.assert_array_equal(two, [0, 0, 0, 1, 1, 1, 1, 1])
    np.testing.assert_array_equal(eight, [1, 1, 0, 1, 1, 1, 1, 1])
    large = large_components(A, labels, 2, 0.75)  # at least three vertices, and two groups of them
    np.testing.assert_array_equal(large, [0, 0, 0, 1, 1, 1, 1, 1])


def test_components_of_dense_and_sparse():
    A = np.zeros((5, 5))
    A[0, 3] = A[3, 0] = -1.0
    A[1, 4] = A[4, 1] = 1e-300
    for form in (A, sp.csr_array(A)):
        np.testing.assert_array_equal(components(form), [0, 1, 2, 0, 1])
