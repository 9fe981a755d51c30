"""Communities counted by the Bethe Hessian: known graphs, planted ones, invariances."""

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve.datasets import load
from sksieve.graphs import bethe_hessian_count
from sksieve.linalg import _eig


def planted(sizes, inside, between, seed=0):
    rng = np.random.RandomState(seed)
    group = np.repeat(np.arange(len(sizes)), sizes)
    rate = np.where(group[:, None] == group, inside, between)
    upper = np.triu(rng.random_sample(rate.shape) < rate, 1)
    return (upper | upper.T).astype(float)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "count"), [("karate", 2), ("polbooks", 3), ("football", 10), ("polblogs", 7)]
)
def test_known_graphs(name, count):
    data = load(f"graph_{name}")
    assert bethe_hessian_count(data.adjacency) == count


@pytest.mark.parametrize("n_groups", [1, 2, 5, 8])
def test_planted_groups_are_counted(n_groups):
    A = planted([60] * n_groups, 0.3, 0.02)
    assert bethe_hessian_count(A) == n_groups


def test_weights_loops_and_isolated_vertices_do_not_matter():
    A = planted([40, 40, 40], 0.3, 0.02)
    other = np.zeros((123, 123))
    other[:120, :120] = A * np.random.RandomState(0).uniform(0.1, 9)
    np.fill_diagonal(other, 5.0)
    for form in (np.asarray, sp.csr_array, sp.coo_array):
        assert bethe_hessian_count(form(other)) == bethe_hessian_count(A) == 3


def test_entries_stored_in_parts_are_one_edge():
    A = sp.csr_array(planted([30, 30], 0.4, 0.02))
    parts = np.repeat(A.data / 2, 2), np.repeat(A.indices, 2), 2 * A.indptr
    assert bethe_hessian_count(sp.csr_array(parts, shape=A.shape)) == 2


def test_too_few_edges_show_one_community():
    assert bethe_hessian_count(np.zeros((5, 5))) == 1
    assert bethe_hessian_count(np.kron(np.eye(4), np.ones((2, 2)))) == 1


def test_large_graphs_give_the_same_count(monkeypatch):
    A = sp.csr_array(planted([50] * 20, 0.4, 0.005))
    dense = bethe_hessian_count(A)
    monkeypatch.setattr(_eig, "DENSE_SIZE", 10)
    assert bethe_hessian_count(A) == dense == 20


def test_refusals():
    with pytest.raises(ValueError, match=r"square.*\(3, 4\)"):
        bethe_hessian_count(np.ones((3, 4)))
    with pytest.raises(ValueError, match="symmetric"):
        bethe_hessian_count(np.triu(np.ones((4, 4))))
