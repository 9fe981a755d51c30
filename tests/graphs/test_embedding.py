"""Eigenvectors by component: no copy of an eigenvalue is missed, ties and signs are settled."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sksieve.graphs import (
    _embedding,
    component_eigenpairs,
    components,
    degrees,
    graph_eigenpairs,
    knn_graph,
    laplacian,
    laplacian_eigenvectors,
    normalized_adjacency,
    number_by_first,
    spectral_embedding,
)


def random_graph(n, seed, density=0.3):
    """Connected with overwhelming probability."""
    A = np.triu(np.random.RandomState(seed).uniform(size=(n, n)), 1)
    A *= A < density
    A += np.diag(np.full(n - 1, 0.1), 1)
    return A + A.T


def several(sizes, seed=0):
    return sp.csr_array(sp.block_diag([random_graph(n, seed + i) for i, n in enumerate(sizes)]))


@pytest.mark.parametrize("form", [sp.csr_array.toarray, lambda A: A])
@pytest.mark.parametrize("k", [1, 3, 5, 8, 30])
def test_are_the_leading_eigenpairs(form, k):
    A = several([7, 12, 1, 9, 4])
    pairs = graph_eigenpairs(form(A), k)
    M = normalized_adjacency(A).toarray()
    want = np.linalg.eigvalsh(M)[::-1][:k]
    np.testing.assert_allclose(pairs.values, want, atol=1e-12)
    np.testing.assert_allclose(M @ pairs.vectors, pairs.vectors * pairs.values, atol=1e-12)
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(k), atol=1e-12)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.integers(0, 1000), st.booleans())
def test_every_vector_lives_on_its_component(sizes, seed, given_volume):
    A = several(sizes, seed)
    order = np.random.RandomState(seed).permutation(A.shape[0])
    A = A[order][:, order]
    label = components(A)
    k = (A.shape[0] + 1) // 2
    pairs = component_eigenpairs(A, k) if given_volume else graph_eigenpairs(A, k)
    for vector, owner in zip(pairs.vectors.T, pairs.component):
        assert not vector[label != owner].any()
    M = A if given_volume else normalized_adjacency(A)
    np.testing.assert_allclose(pairs.values, np.linalg.eigvalsh(M.toarray())[::-1][:k], atol=1e-10)


def test_the_space_of_eigenvalue_1_is_that_of_the_components():
    A = several([5, 8, 6])
    pairs = graph_eigenpairs(A, 3)
    np.testing.assert_array_equal(pairs.values, 1)
    volume = [degrees(A)[s].sum() for s in (slice(0, 5), slice(5, 13), slice(13, 19))]
    np.testing.assert_array_equal(pairs.component, np.argsort(volume)[::-1])
    d = degrees(A)
    for vector, owner in zip(pairs.vectors.T, pairs.component):
        inside = components(A) == owner
        want = np.where(inside, np.sqrt(d), 0)
        np.testing.assert_allclose(vector, want / np.linalg.norm(want), rtol=1e-14)


def test_more_components_than_vectors_largest_volume_first():
    A = sp.csr_array(sp.block_diag([np.ones((n, n)) - np.eye(n) for n in (2, 4, 3, 4)]))
    np.testing.assert_array_equal(graph_eigenpairs(A, 3).component, [1, 3, 2])
    np.testing.assert_array_equal(graph_eigenpairs(1e-9 * A, 3).component, [1, 3, 2])


@pytest.mark.parametrize("scale", [1e-150, 1e-12, 1e12, 1e150])
def test_the_unit_of_the_weights_does_not_decide_what_is_a_tie(scale):
    A = several([7, 12, 9])
    want, got = component_eigenpairs(A, 6), component_eigenpairs(scale * A, 6)
    np.testing.assert_allclose(got.values, scale * want.values, rtol=1e-10)
    np.testing.assert_array_equal(got.component, want.component)
    np.testing.assert_allclose(
        laplacian_eigenvectors(scale * A, 6), laplacian_eigenvectors(A, 6), atol=1e-8
    )


@pytest.mark.parametrize("k", [1, 2, 3, 5, 9])
def test_laplacian_eigenvectors_begin_with_the_components(k, monkeypatch):
    A = several([7, 30, 9])
    volume = [degrees(A)[s].sum() for s in (slice(0, 7), slice(7, 37), slice(37, 46))]
    indicators = np.eye(3)[components(A)] / np.sqrt([7, 30, 9])
    values = np.linalg.eigvalsh(laplacian(A).toarray())
    if k <= 3:
        monkeypatch.setattr(_embedding, "leading_eigenpairs", None)  # nothing to compute
    V = laplacian_eigenvectors(A, k)
    first = min(k, 3)
    np.testing.assert_allclose(V[:, :first], indicators[:, np.argsort(volume)[::-1][:first]])
    np.testing.assert_allclose(V.T @ V, np.eye(k), atol=1e-12)
    np.testing.assert_allclose(np.diag(V.T @ laplacian(A) @ V), values[:k], atol=1e-9)


def test_volumes_equal_up_to_rounding_are_equal():
    path = np.diag([0.1, 0.2], 1)
    pair = np.diag([0.3], 1)
    A = sp.csr_array(sp.block_diag([pair + pair.T, path + path.T]))
    assert degrees(A)[2:].sum() > degrees(A)[:2].sum(), "by rounding alone"
    assert graph_eigenpairs(A, 1).component == [0]


def test_equal_components_are_taken_in_turn():
    block = random_graph(30, 3)
    A = sp.csr_array(sp.block_diag([block] * 4))
    pairs = graph_eigenpairs(A, 10)
    np.testing.assert_array_equal(pairs.component, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
    first = pairs.vectors[:30, 4]
    for c in range(1, 4):
        np.testing.assert_allclose(pairs.vectors[30 * c : 30 * c + 30, 4 + c], first, atol=1e-8)


def test_isolated_vertices_come_last_and_have_eigenvalue_0():
    A = several([6, 1, 1])
    pairs = graph_eigenpairs(A, 8)
    np.testing.assert_allclose(pairs.values[pairs.component > 0], 0)
    embedding = spectral_embedding(A, 2)
    np.testing.assert_array_equal(embedding[6:], 0)
    np.testing.assert_allclose(np.linalg.norm(embedding[:6], axis=1), 1)


def test_large_components_by_lanczos():
    rng = np.random.RandomState(0)
    X = np.vstack([rng.standard_normal((900, 3)) + shift for shift in (0, 100)])
    A = knn_graph(X, 6)
    assert components(A).max() == 1
    pairs = graph_eigenpairs(A, 7)
    M = normalized_adjacency(A)
    want = np.sort(
        np.concatenate(
            [np.linalg.eigvalsh(M[s][:, s].toarray()) for s in (slice(900), slice(900, 1800))]
        )
    )[::-1]
    np.testing.assert_allclose(pairs.values, want[:7], atol=1e-12)
    np.testing.assert_allclose(M @ pairs.vectors, pairs.vectors * pairs.values, atol=1e-10)


def test_signs_do_not_depend_on_the_order_of_the_other_components():
    a, b = random_graph(40, 1), random_graph(25, 2)
    one = graph_eigenpairs(sp.csr_array(sp.block_diag([a, b])), 6)
    two = graph_eigenpairs(sp.csr_array(sp.block_diag([b, a])), 6)
    np.testing.assert_allclose(np.roll(two.vectors, 40, axis=0), one.vectors, atol=1e-9)


def test_float32_stays_float32():
    A = several([30, 20]).astype(np.float32)
    pairs = graph_eigenpairs(A, 4)
    assert pairs.values.dtype == pairs.vectors.dtype == spectral_embedding(A, 4).dtype == np.float32
    assert spectral_embedding(A.toarray(), 4).dtype == np.float32


@pytest.mark.parametrize("k", [0, 4])
def test_impossible_numbers_are_refused(k):
    with pytest.raises(ValueError, match=rf"k={k} .* 3 vertices has 1 to 3"):
        graph_eigenpairs(np.ones((3, 3)), k)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=20))
def test_numbering_by_first_occurrence(labels):
    labels = np.array(labels)
    numbers = number_by_first(labels)
    seen = []
    for label, number in zip(labels, numbers):
        if label not in seen:
            seen.append(label)
        assert seen.index(label) == number
