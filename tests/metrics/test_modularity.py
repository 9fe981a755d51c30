"""Weights between groups and modularity against the formulas, entry by entry."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve.graphs import gaussian_affinity
from sksieve.metrics import group_weights, modularity


@pytest.fixture
def graph():
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((30, 30)) * (rng.random((30, 30)) < 0.3), 1)
    return A + A.T, rng.integers(0, 4, 30)


def literal_modularity(A, labels):
    d, two_m = A.sum(axis=1), A.sum()
    n = len(A)
    pairs = ((i, j) for i in range(n) for j in range(n) if labels[i] == labels[j])
    return sum(A[i, j] - d[i] * d[j] / two_m for i, j in pairs) / two_m


def test_modularity_is_the_formula(graph):
    A, labels = graph
    assert modularity(A, labels) == pytest.approx(literal_modularity(A, labels), abs=1e-12)


def test_networkx_agrees(graph):
    networkx = pytest.importorskip("networkx")
    A, labels = graph
    groups = [set(np.flatnonzero(labels == c).tolist()) for c in range(4)]
    theirs = networkx.community.modularity(networkx.from_numpy_array(A), groups)
    assert modularity(A, labels) == pytest.approx(theirs, abs=1e-12)


def test_sparse_equals_dense_and_loops_do_not_count(graph):
    A, labels = graph
    W = group_weights(A, labels)
    np.testing.assert_array_equal(W, W.T)
    with_loops = A + np.diag(np.arange(30.0))
    for other in (sp.csr_array(A), sp.csc_array(with_loops), with_loops):
        np.testing.assert_allclose(group_weights(other, labels), W, atol=1e-12)
    for a in range(4):
        for b in range(4):
            assert W[a, b] == pytest.approx(A[np.ix_(labels == a, labels == b)].sum())


def test_names_of_groups_do_not_matter(graph):
    A, labels = graph
    assert modularity(A, np.array(list("zyxw"))[labels]) == pytest.approx(modularity(A, labels))


def test_an_affinity_that_is_not_written_out():
    class Products:
        """Only what such an affinity offers."""

        def __init__(self, A):
            self.matrix, self.shape, self.ndim = A, A.shape, 2

        def __matmul__(self, V):
            return self.matrix @ V

        def diagonal(self):
            return self.matrix.diagonal()

    A = gaussian_affinity(np.random.default_rng(1).normal(size=(12, 2)))
    labels = np.arange(12) % 3
    np.testing.assert_allclose(group_weights(Products(A), labels), group_weights(A, labels))


def test_no_edge_has_no_modularity():
    assert np.isnan(modularity(np.zeros((3, 3)), [0, 1, 1]))


def test_shapes_are_refused():
    with pytest.raises(ValueError, match="A must be square"):
        modularity(np.zeros((2, 3)), [0, 1])
    with pytest.raises(ValueError, match="labels must be one per vertex"):
        modularity(np.zeros((2, 2)), [0, 1, 1])
