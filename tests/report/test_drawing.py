"""The drawing of a small graph, and groups beyond the eighth."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sksieve import SpectralCommunities
from sksieve.datasets import make_sbm
from sksieve.report import clustering_report
from sksieve.report._drawing import LARGEST, drawing, majorized, stress


def path(n):
    return sp.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1]).tocsr()


def test_a_path_is_drawn_as_a_line():
    places, edges = drawing(path(10))
    assert edges.tolist() == [[i, i + 1] for i in range(9)]
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert places[:, 0].min() == pytest.approx(0)
    assert places[:, 0].max() == pytest.approx(1)
    assert ((places >= 0) & (places <= 1)).all()
    far = np.linalg.norm(places[0] - places[-1])
    assert far == pytest.approx(steps.sum(), rel=0.1)


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
    places, _ = drawing(A)
    assert np.isfinite(places).all()
    distances = cdist(places, places) + np.eye(8)
    assert distances.min() > 1e-3


def test_large_graphs_and_graphs_without_edges_are_not_drawn():
    assert drawing(path(LARGEST)) is not None
    assert drawing(path(LARGEST + 1)) is None
    assert drawing(np.ones((100, 100))) is None
    assert drawing(np.zeros((4, 4))) is None


def test_the_page_has_every_vertex_and_marks_more_groups_than_colors():
    A, _ = make_sbm(60, 10, 0.9, 0.01, random_state=0)
    est = SpectralCommunities(10, affinity="precomputed", random_state=0).fit(A)
    html = clustering_report(est, A).html
    assert html.count('<i class="vertex ') == 60
    assert html.count("l1") > html.count("community 8,") >= 1
    for k in range(10):
        style = f"vertex d{k % 8} l{k // 8}"
        assert html.count(f'<i class="{style}"') == np.sum(est.labels_ == k)
    assert 'class="dots core1"' in html or "Map of" not in html
