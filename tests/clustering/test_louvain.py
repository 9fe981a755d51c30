"""Louvain's method of networkx as a clusterer."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.metrics import adjusted_rand_score

from sksieve import Leiden, Louvain
from sksieve.datasets import make_sbm
from sksieve.exceptions import DataError
from sksieve.metrics import modularity
from sksieve.suggest import suggest_n_communities

networkx = pytest.importorskip("networkx")


def fitted(graph, **given):
    return Louvain(affinity="precomputed", random_state=0, **given).fit(graph)


def test_planted_groups_and_their_number():
    A, y = make_sbm(300, 5, 0.4, 0.02, random_state=0)
    est = fitted(A)
    assert est.n_clusters_ == 5
    assert adjusted_rand_score(y, est.labels_) == 1
    assert "n_clusters" not in est.get_params()


def test_modularity_is_that_of_networkx():
    graph = networkx.karate_club_graph()
    A = networkx.to_scipy_sparse_array(graph)
    est = fitted(graph)
    expected = networkx.community.modularity(
        graph, [set(np.flatnonzero(est.labels_ == k)) for k in range(est.n_clusters_)]
    )
    assert modularity(A, est.labels_) == pytest.approx(expected)
    assert expected > 0.41
    assert_array_equal(fitted(A.toarray()).labels_, est.labels_)


def test_resolution():
    graph = networkx.karate_club_graph()
    few, many = fitted(graph, resolution=0.3), fitted(graph, resolution=3.0)
    assert few.n_clusters_ < fitted(graph).n_clusters_ < many.n_clusters_
    with pytest.raises(ValueError, match="'resolution' parameter"):
        fitted(graph, resolution=0.0)


def test_weights_count_and_loops_do_not():
    A = sp.csr_array(np.kron(np.eye(2), np.ones((5, 5))) + 0.1)
    est = fitted(A)
    assert_array_equal(est.labels_, np.repeat([0, 1], 5))
    assert_array_equal(fitted(A + 50 * sp.eye_array(10)).labels_, est.labels_)


def test_a_vertex_without_an_edge_is_a_community_of_its_own():
    W = np.kron(np.eye(2), np.ones((4, 4)) - np.eye(4))
    W = np.pad(W, ((0, 2), (0, 2)))
    est = fitted(W)
    assert_array_equal(est.labels_, [0, 0, 0, 0, 1, 1, 1, 1, 2, 3])
    assert est.n_clusters_ == 4


def test_without_networkx(monkeypatch):
    A, _ = make_sbm(40, 2, 0.5, 0.1, random_state=0)
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match=r"needs networkx: pip install 'scikit-sieve\[graphs\]'"):
        fitted(A)


def test_the_count_beside_the_bethe_hessian_is_that_of_the_class():
    A, _ = make_sbm(100, 4, 0.5, 0.05, random_state=0)
    count, est = suggest_n_communities(A, random_state=0), fitted(A)
    assert count.evidence["louvain"] == est.n_clusters_ == 4
    alone = sp.csr_array(sp.block_diag([A, sp.csr_array((2, 2))]))
    assert suggest_n_communities(alone, random_state=0).evidence["louvain"] == 4
    assert count.evidence["louvain_modularity"] == pytest.approx(modularity(A, est.labels_))


def test_graph_objects_need_no_word():
    graph = networkx.karate_club_graph()
    A = networkx.to_scipy_sparse_array(graph)
    want = fitted(A).labels_
    for same in (graph, A):
        assert_array_equal(Louvain(random_state=0).fit(same).labels_, want)
    igraph = pytest.importorskip("igraph")
    other = igraph.Graph(n=34, edges=list(graph.edges))
    other.es["weight"] = [weight for _, _, weight in graph.edges(data="weight")]
    assert_array_equal(Louvain(random_state=0).fit(other).labels_, want)
    with pytest.raises(DataError, match=r"symmetric matrix .* If it is a graph"):
        Louvain().fit(A.toarray())


def test_leiden():
    pytest.importorskip("leidenalg")
    A, y = make_sbm(300, 5, 0.4, 0.02, random_state=0)
    est = Leiden(random_state=0).fit(A)
    assert est.n_clusters_ == 5
    assert adjusted_rand_score(y, est.labels_) == 1
    graph = networkx.karate_club_graph()
    louvain, leiden = fitted(graph), Leiden(random_state=0).fit(graph)
    weights = networkx.to_scipy_sparse_array(graph)
    assert modularity(weights, leiden.labels_) >= modularity(weights, louvain.labels_) - 1e-12
    assert_array_equal(Leiden(random_state=0).fit(graph).labels_, leiden.labels_)
    assert Leiden(resolution=3.0, random_state=0).fit(graph).n_clusters_ > leiden.n_clusters_
    W = np.pad(np.kron(np.eye(2), np.ones((4, 4)) - np.eye(4)), ((0, 2), (0, 2)))
    alone = Leiden(affinity="precomputed", random_state=0).fit(W + 9 * np.eye(10))
    assert_array_equal(alone.labels_, [0, 0, 0, 0, 1, 1, 1, 1, 2, 3])


def test_without_leidenalg(monkeypatch):
    monkeypatch.setitem(sys.modules, "leidenalg", None)
    with pytest.raises(ImportError, match=r"scikit-sieve\[graphs\]"):
        Leiden().fit(networkx.karate_club_graph())
