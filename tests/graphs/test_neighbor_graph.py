"""The graph of nearest neighbors as a parameter."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from sksieve import MCFS, LaplacianScore
from sksieve.graphs import NeighborGraph, find_neighbors, knn_graph


def table(n=40, d=6):
    return np.random.RandomState(0).standard_normal((n, d)) + 2


@pytest.mark.parametrize("weights", ["heat", "binary", "cosine"])
def test_is_the_graph_of_the_function(weights):
    X = table()
    graph = NeighborGraph(weights)
    points = graph.points(X)
    A = graph.affinity(points, find_neighbors(points, 4))
    expected = knn_graph(X, 4, weights=weights, sigma="mean_all")
    assert abs(A - expected).max() < 1e-12
    assert abs(LaplacianScore(2, n_neighbors=4, graph=graph).fit(X).affinity_ - A).max() == 0


def test_nested_parameters_are_set_in_a_grid():
    est = clone(MCFS(2, n_clusters=2, graph=NeighborGraph()))
    grid = ParameterGrid({"graph__weights": ["heat"], "graph__sigma": [0.5, "mean_knn"]})
    entries = [est.set_params(**point).fit(table()).affinity_.sum() for point in grid]
    assert entries[0] < 0.5 * entries[1]


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (NeighborGraph("gauss"), "The 'weights' parameter of NeighborGraph must be"),
        (NeighborGraph(sigma=-1.0), "The 'sigma' parameter of NeighborGraph must be"),
        (NeighborGraph(sigma=1e200), "The 'sigma' parameter of NeighborGraph must be"),
        (NeighborGraph("binary", sigma=0.5), "sigma=0.5 is the bandwidth of weights='heat'"),
        ("heat", "The 'graph' parameter of LaplacianScore must be"),
    ],
)
def test_what_has_no_meaning_is_refused(graph, message):
    with pytest.raises(ValueError, match=message):
        LaplacianScore(2, graph=graph).fit(table())
