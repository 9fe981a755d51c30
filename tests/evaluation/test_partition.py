"""What is said of a partition without labels, against the definitions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import silhouette_samples

from sksieve.datasets import make_sbm
from sksieve.evaluation import _partition, inside_shares, partition
from sksieve.evaluation._binned import binned_adjacency, darkest
from sksieve.graphs import gaussian_affinity
from sksieve.metrics import modularity


@pytest.fixture
def graph():
    A, y = make_sbm(60, 3, 0.4, 0.05, random_state=1)
    A = A.tolil()
    A[:, 7] = 0
    A[7, :] = 0  # a vertex without an edge
    return sp.csr_array(A), y


def test_densities_and_shares(graph):
    A, y = graph
    found, dense = partition(A, y), A.toarray()
    same = y[:, None] == y
    np.fill_diagonal(same, False)
    assert found.share_inside == pytest.approx(dense[same].sum() / dense.sum())
    assert found.density_within == pytest.approx(dense[same].mean())
    assert found.density_between == pytest.approx(dense[y[:, None] != y].mean())
    assert found.modularity == pytest.approx(modularity(A, y))
    for k in range(3):
        rows = dense[y == k]
        assert found.inside[k] == pytest.approx(rows[:, y == k].sum() / rows.sum())
        assert found.densities[k, 0] == pytest.approx(
            rows[:, y == 0].mean() if k else rows[:, y == 0].sum() / (20 * 19)
        )
    assert found.n_edges == dense.sum() / 2
    assert found.n_isolated == 1
    assert found.component_sizes.tolist() == [59, 1]
    assert found.silhouettes is None


def test_dense_is_as_sparse(graph):
    A, y = graph
    a, b = partition(A, y), partition(A.toarray(), y)
    np.testing.assert_allclose(a.weights, b.weights)
    assert (a.n_edges, a.n_isolated) == (b.n_edges, b.n_isolated)


def test_groups_of_one_and_groups_without_an_edge():
    A = np.zeros((3, 3))
    A[0, 1] = A[1, 0] = 1
    found = partition(A, [0, 0, 1])
    assert np.isnan(found.inside[1])
    assert np.isnan(found.densities[1, 1])
    assert found.density_within == 1.0
    alone = partition(A, [0, 1, 2])
    assert np.isnan(alone.density_within)


def test_silhouettes(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) + 4 * (np.arange(50) % 2)[:, None]
    y = np.arange(50) % 2
    A = gaussian_affinity(X)
    found, each = partition(A, y, X), silhouette_samples(X, y)
    assert found.silhouette == pytest.approx(each.mean())
    assert found.silhouettes == pytest.approx([each[y == 0].mean(), each[y == 1].mean()])
    assert found.n_sampled == 50
    monkeypatch.setattr(_partition, "SAMPLED", 20)
    sampled = partition(A, y, X)
    assert sampled.n_sampled == 20
    assert sampled.silhouette == partition(A, y, X).silhouette
    assert sampled.silhouette == pytest.approx(found.silhouette, abs=0.1)


def test_silhouettes_need_two_groups_among_the_rows_that_are_sampled():
    n = 3001  # one row more than are sampled, the only one of its group
    unseen = np.random.RandomState(0).permutation(n)[-1]
    labels = (np.arange(n) == unseen).astype(int)
    chain = sp.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1], format="csr")
    facts = partition(chain, labels, X=np.ones((n, 1)))
    assert facts.sizes.tolist() == [n - 1, 1]
    assert facts.silhouettes is None


def test_inside_shares(graph):
    A, y = graph
    share, strongest = inside_shares(A, y)
    dense = A.toarray()
    for v in range(60):
        to = np.array([dense[v, y == k].sum() for k in range(3)])
        if v == 7:
            assert np.isnan(share[v])
            assert strongest[v] == y[v]
            continue
        assert share[v] == pytest.approx(to[y[v]] / to.sum())
        assert to[strongest[v]] == to.max()


def test_loops_do_not_count_and_a_vertex_between_groups_is_its_own_s(graph):
    A, y = graph
    loops = sp.csr_array(A + sp.diags_array(np.arange(60.0)))
    for form in (loops, loops.toarray()):
        np.testing.assert_allclose(inside_shares(form, y)[0], inside_shares(A, y)[0])
        assert partition(form, y).n_edges == partition(A, y).n_edges
        np.testing.assert_allclose(partition(form, y).weights, partition(A, y).weights)
    between = np.array([[0, 0, 2, 2], [0, 0, 0, 0], [2, 0, 0, 0], [2, 0, 0, 0]])
    assert inside_shares(between, [1, 0, 0, 1])[1].tolist() == [1, 0, 1, 1]


class Products:
    """What an affinity offers that is not written out."""

    ndim = 2

    def __init__(self, A):
        self.matrix, self.shape = A, A.shape

    def __matmul__(self, V):
        return self.matrix @ V

    def diagonal(self):
        return self.matrix.diagonal()


def test_an_affinity_that_is_not_written_out_joins_every_pair():
    A = gaussian_affinity(np.random.default_rng(1).normal(size=(12, 2))) + np.diag(np.arange(12.0))
    labels = np.arange(12) % 3
    found, dense = partition(Products(A), labels), partition(A, labels)
    np.testing.assert_allclose(found.weights, dense.weights)
    assert (found.n_edges, found.n_isolated) == (dense.n_edges, dense.n_isolated) == (66, 0)
    assert found.component_sizes.tolist() == [12]
    np.testing.assert_allclose(inside_shares(Products(A), labels)[0], inside_shares(A, labels)[0])
    for n_bins in (5, 12):
        means, edges = binned_adjacency(Products(A), labels, n_bins)
        expected = binned_adjacency(A, labels, n_bins)
        np.testing.assert_allclose(means, expected[0], atol=1e-12)
        assert edges.tolist() == expected[1].tolist() == [4, 8]


class TestBinned:
    def test_small_graphs_are_shown_entry_by_entry(self, graph):
        A, y = graph
        labels = (y + 1) % 3
        means, edges = binned_adjacency(A, labels)
        order = np.argsort(labels, kind="stable")
        np.testing.assert_array_equal(means, A.toarray()[np.ix_(order, order)])
        assert edges.tolist() == [20, 40]

    @pytest.mark.parametrize("n_bins", [1, 7, 59])
    def test_cells_hold_the_mean_over_their_pairs(self, graph, n_bins):
        A, y = graph
        dense = A.toarray() + np.diag(np.arange(60.0))  # loops do not count
        cell = np.arange(60) * n_bins // 60
        order = np.argsort(y, kind="stable")
        P = A.toarray()[np.ix_(order, order)]
        expected = np.zeros((n_bins, n_bins))
        for a in range(n_bins):
            for b in range(n_bins):
                block = P[np.ix_(cell == a, cell == b)]
                pairs = block.size - (len(block) if a == b else 0)
                expected[a, b] = block.sum() / max(pairs, 1)
        for given in (sp.csr_array(dense), dense):
            np.testing.assert_allclose(binned_adjacency(given, y, n_bins)[0], expected)

    def test_darkest_is_a_quantile_of_what_is_there(self):
        assert darkest(np.zeros((3, 3))) == 1.0
        means = np.zeros((20, 20))
        means[0] = 2.0
        assert darkest(means) == 2.0

    def test_shapes_are_refused(self):
        with pytest.raises(ValueError, match="a row and a column for each of the 3 labels"):
            binned_adjacency(np.zeros((2, 2)), [0, 1, 1])


def test_a_sample_without_two_rows_of_one_group_has_no_silhouettes(monkeypatch):
    """More rows than the sample, two of them in one group: these are not drawn."""
    monkeypatch.setattr(_partition, "SAMPLED", 20)
    labels = np.arange(60)
    i, j = sorted(np.random.RandomState(0).permutation(60)[-2:])
    labels[j] = i
    labels = np.unique(labels, return_inverse=True)[1]
    found = partition(sp.eye_array(60, format="csr"), labels, np.linspace(0, 1, 60)[:, None])
    assert found.silhouettes is None
    assert len(found.sizes) == 59
