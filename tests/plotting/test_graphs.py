"""Figures of graphs: the order, the cells, the neighbors and their weights."""

from __future__ import annotations

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve.plotting import plot_adjacency, plot_neighbors

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture
def est():
    """Five samples; the code of sample 0 has three entries, one of them negative."""
    Z = np.zeros((5, 5))
    Z[1, 0], Z[3, 0], Z[4, 0], Z[0, 2] = 0.2, -0.7, 0.4, 1.0
    return SimpleNamespace(
        codes_=sp.csc_array(Z),
        affinity_=sp.csr_array(abs(Z) + abs(Z.T)),
        labels_=np.array([0, 0, 1, 1, 0]),
    )


def test_vertices_are_ordered_by_cluster():
    A = np.zeros((4, 4))
    A[0, 2] = A[2, 0] = 3.0
    ax = plot_adjacency(A, [1, 0, 1, 0])
    drawn = np.zeros((4, 4))
    drawn[2, 3] = drawn[3, 2] = 3.0
    np.testing.assert_array_equal(ax.images[0].get_array(), drawn)
    assert [line.get_xdata().tolist() for line in ax.lines] == [[2, 2], [0, 4]]
    assert ax.images[0].get_extent() == [0, 4, 4, 0]
    assert ax.images[0].get_clim() == (0.0, 3.0)


def test_it_draws_on_the_axes_it_is_given():
    _, ax = plt.subplots()
    assert plot_adjacency(np.ones((3, 3)), [0, 0, 1], ax=ax) is ax


def test_a_large_sparse_graph_is_never_filled_in():
    n = 50_000
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, n, (2, 400_000))
    A = sp.csr_array((np.ones(len(i)), (i, j)), shape=(n, n))
    tracemalloc.start()
    ax = plot_adjacency(A + A.T, rng.integers(0, 5, n))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ax.images[0].get_array().shape == (600, 600)
    assert peak < 200e6  # n x n booleans alone would be 2.5e9


def test_neighbors_are_the_entries_of_the_code(est):
    ax = plot_neighbors(est, 0)
    assert [bar.get_width() for bar in ax.patches] == [-0.7, 0.4, 0.2]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["3", "4", "1"]
    colors = [bar.get_facecolor() for bar in ax.patches]
    assert colors[1] == colors[2] != colors[0]  # sample 3 is of another cluster
    assert ax.get_xlabel() == "weight in the code"


def test_a_sample_is_no_neighbor_of_its_own():
    affinity = np.array([[5.0, 1.0, 0.0], [1.0, 5.0, 2.0], [0.0, 2.0, 5.0]])
    est = SimpleNamespace(affinity_=affinity, labels_=np.array([0, 0, 1]))
    ax = plot_neighbors(est, 1)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["2", "0"]


def test_names_and_number_of_neighbors(est):
    ax = plot_neighbors(est, 0, names=list("abcde"), n_neighbors=2)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["d", "e"]
    assert ax.get_title() == "a, cluster 0"


def test_without_codes_the_graph_serves(est):
    del est.codes_
    ax = plot_neighbors(est, 2)
    assert [bar.get_width() for bar in ax.patches] == [1.0]
    assert ax.get_xlabel() == "weight"


def test_neighbors_as_images(est):
    X = np.arange(30.0).reshape(5, 6)
    ax = plot_neighbors(est, 0, X=X, image_shape=(2, 3))
    displayed = [np.asarray(image.get_array()) for image in ax.images]
    assert len(displayed) == 4
    for image, row in zip(displayed, [0, 3, 4, 1]):
        np.testing.assert_array_equal(image, X[row].reshape(2, 3))
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["sample 0, cluster 0", "-0.70", "3", "+0.40", "4", "+0.20", "1"]
    assert {image.get_clim() for image in ax.images} == {(0.0, 29.0)}
    assert len(ax.patches) == 3


def test_what_cannot_be_drawn_is_refused(est):
    with pytest.raises(ValueError, match="there are samples 0 to 4"):
        plot_neighbors(est, 5)
    with pytest.raises(ValueError, match="image_shape needs X"):
        plot_neighbors(est, 0, image_shape=(2, 3))
    with pytest.raises(ValueError, match=r"has 6 pixels, X has 7 columns"):
        plot_neighbors(est, 0, X=np.ones((5, 7)), image_shape=(2, 3))
    with pytest.raises(ValueError, match="a row and a column"):
        plot_adjacency(np.ones((3, 3)), [0, 1])
