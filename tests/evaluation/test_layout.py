"""Places of the vertices of a small graph in the plane."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sksieve.evaluation._layout import LARGEST, graph_layout, majorized


def path(n):
    return sp.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1]).tocsr()


def test_a_path_is_drawn_as_a_line():
    places, edges = graph_layout(path(10))
    assert edges.tolist() == [[i, i + 1] for i in range(9)]
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert places[:, 0].min() == pytest.approx(0)
    assert places[:, 0].max() == pytest.approx(1)
    assert ((places >= 0) & (places <= 1)).all()
    far = np.linalg.norm(places[0] - places[-1])
    assert far == pytest.approx(steps.sum(), rel=0.1)


def stress(D, X):
    return np.sum((D - cdist(X, X)) ** 2)


def test_every_step_lowers_the_stress():
    rng = np.random.RandomState(0)
    D = cdist(*[rng.standard_normal((20, 5))] * 2)
    X = rng.standard_normal((20, 2))
    for _ in range(20):
        before, X = stress(D, X), majorized(D, X)
        assert stress(D, X) <= before + 1e-9


def test_components_and_equal_vertices_have_places_of_their_own():
    A = np.zeros((8, 8))
    A[0, 1:4] = A[1:4, 0] = 1  # a star: its leaves have equal distances
    A[4, 5] = A[5, 4] = 1
    places, _ = graph_layout(A)
    assert np.isfinite(places).all()
    distances = cdist(places, places) + np.eye(8)
    assert distances.min() > 1e-3


def test_large_graphs_and_graphs_without_edges_are_not_drawn():
    assert graph_layout(path(LARGEST)) is not None
    assert graph_layout(path(LARGEST + 1)) is None
    assert graph_layout(np.ones((100, 100))) is None
    assert graph_layout(np.zeros((4, 4))) is None
