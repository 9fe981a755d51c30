"""Leading eigenpairs: dense, Lanczos with repeated eigenvalues, block steps."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

from sksieve.graphs import knn_graph, laplacian, normalized_adjacency
from sksieve.linalg import (
    _eig,
    block_rayleigh_ritz,
    count_positive,
    eigenpairs_between,
    fix_signs,
    leading_eigenpairs,
    leading_eigenvalues,
    leading_ritz_pairs,
    orthonormalize,
)


def sparse_symmetric(n, seed):
    A = sp.random_array((n, n), density=8 / n, format="csr", random_state=seed)
    return sp.csr_array(A + A.T)


def subspace_distance(U, V):
    return np.linalg.norm(U - V @ (V.T @ U))


@pytest.mark.parametrize("form", [lambda A: A, sp.csr_array.toarray, aslinearoperator])
@pytest.mark.parametrize("n", [60, 1200])
def test_leading_eigenpairs_in_every_form(form, n):
    A = sparse_symmetric(n, 0)
    values, vectors = leading_eigenpairs(form(A), 5)
    want, basis = np.linalg.eigh(A.toarray())
    np.testing.assert_allclose(values, want[::-1][:5], rtol=1e-12)
    assert subspace_distance(vectors, basis[:, -5:]) < 1e-9
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-12)


def test_copies_of_an_eigenvalue_are_not_missed():
    block = sparse_symmetric(300, 1)
    G = sp.csr_array(sp.block_diag([block] * 4))
    values, vectors = leading_eigenpairs(G, 10)
    want = np.sort(np.tile(np.linalg.eigvalsh(block.toarray()), 4))[::-1]
    np.testing.assert_allclose(values, want[:10], rtol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(10), atol=1e-12)
    np.testing.assert_allclose(G @ vectors, vectors * values, atol=1e-11)


@pytest.mark.parametrize("m", [9, 12, 20])
@pytest.mark.parametrize("k", [9, 20])
def test_many_copies_of_many_eigenvalues(m, k):
    A = knn_graph(np.random.RandomState(0).standard_normal((100, 2)), 5)
    M = normalized_adjacency(A)
    G = sp.csr_array(sp.block_diag([M] * m))
    want = np.sort(np.tile(np.linalg.eigvalsh(M.toarray()), m))[::-1]
    np.testing.assert_allclose(leading_eigenpairs(G, k)[0], want[:k], atol=1e-12)


def test_a_start_that_spans_the_answer_for_another_matrix_does_no_harm():
    A = sparse_symmetric(1000, 2)
    values, vectors = leading_eigenpairs(A, 6)
    again, same = leading_eigenpairs(A, 6, start=vectors)
    np.testing.assert_allclose(again, values, rtol=1e-12)
    np.testing.assert_allclose(same, vectors, atol=1e-8)
    B = A + sp.diags_array(np.linspace(0, 5, 1000))
    moved, _ = leading_eigenpairs(B, 6, start=vectors)
    np.testing.assert_allclose(moved, np.linalg.eigvalsh(B.toarray())[::-1][:6], rtol=1e-12)


def test_start_saves_products():
    A = sparse_symmetric(2000, 3)
    B = A + 1e-6 * sparse_symmetric(2000, 4)
    counts = []
    for start in (None, leading_eigenpairs(A, 4)[1]):
        n = [0]

        def product(x, n=n):
            n[0] += 1
            return B @ x

        operator = aslinearoperator(B)
        operator = type(operator).__mro__[1](B.shape, matvec=product, dtype=B.dtype)
        leading_eigenpairs(operator, 4, start=start)
        counts.append(n[0])
    assert counts[1] < counts[0]


def path(n):
    """Eigenvalues ``cos(pi j / (n + 1))``: the leading ones closer and closer as n grows."""
    half = np.full(n - 1, 0.5)
    return sp.diags_array([half, half], offsets=[-1, 1], format="csr")


@pytest.mark.parametrize("copies", [1, 3])
def test_eigenvalues_too_close_for_lanczos(copies):
    n = 9000 // copies
    G = sp.csr_array(sp.block_diag([path(n)] * copies))
    values, vectors = leading_eigenpairs(G, 6)
    want = np.cos(np.pi * (1 + np.arange(6) // copies) / (n + 1))
    np.testing.assert_allclose(1 - values, 1 - want, rtol=1e-6)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-12)
    np.testing.assert_allclose(G @ vectors, vectors * values, atol=1e-12)


def test_an_operator_too_close_for_lanczos_is_refused_when_it_is_large():
    with pytest.raises(
        np.linalg.LinAlgError, match="did not converge on an operator of order 9000"
    ):
        leading_eigenpairs(aslinearoperator(path(9000)), 6)


@pytest.mark.parametrize("form", [lambda A: A, sp.csr_array.toarray])
def test_zero_and_identity(form):
    for G, value in ((sp.csr_array((1000, 1000)), 0.0), (sp.eye_array(1000).tocsr(), 1.0)):
        values, vectors = leading_eigenpairs(form(sp.csr_array(G)), 4)
        np.testing.assert_allclose(values, value, rtol=1e-14)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-12)


def test_part_of_a_spectrum_equal_up_to_rounding():
    """LAPACK's routine for a part of it gives up on about one such matrix in twenty."""
    rng = np.random.RandomState(0)
    for _ in range(100):
        noise = 1e-18 * rng.standard_normal((4, 4))
        G = np.diag([1500.0, 0.015, 0.015, 0.015]) + noise + noise.T
        values, V = eigenpairs_between(G, 0, 3)
        assert np.abs(values - 0.015).max() < 1e-12
        assert np.abs(V.T @ V - np.eye(3)).max() < 1e-12
        assert np.abs(G @ V - V * values).max() < 1e-12
        values, V = eigenpairs_between(G, 3, 4)
        assert values == pytest.approx([1500.0])
        assert abs(V[0, 0]) == pytest.approx(1.0)


def test_part_of_a_spectrum_of_blocks():
    """Two blocks of equal entries, as copies of samples give: none was found of two pairs."""
    block = np.repeat([0, 1], [50, 100])
    S = np.where(np.equal.outer(block, block), 2.0, 1.0)
    for A in (S, 200 * np.eye(150) - np.diag(S.sum(axis=1)) + S, np.ones((150, 150))):
        values, V = eigenpairs_between(A, 148, 150)
        assert values == pytest.approx(np.linalg.eigvalsh(A)[-2:], abs=1e-9)
        assert np.abs(A @ V - V * values).max() < 1e-9


def test_float32_stays_float32():
    A = sparse_symmetric(900, 5).astype(np.float32)
    for form in (A, A.toarray()):
        values, vectors = leading_eigenpairs(form, 3)
        assert values.dtype == vectors.dtype == np.float32


def test_signs_are_fixed_when_the_largest_entries_tie():
    v = np.array([[1.0], [-1.0 - 1e-12], [0.3]])
    np.testing.assert_array_equal(fix_signs(v), v)
    np.testing.assert_array_equal(fix_signs(-v), v)


@pytest.mark.parametrize("seed", range(5))
def test_block_steps_never_fall_and_arrive(seed):
    rng = np.random.RandomState(seed)
    K = rng.standard_normal((80, 80))
    K = K + K.T
    want = np.linalg.eigvalsh(K)[-4:].sum()
    Y = orthonormalize(rng.standard_normal((80, 4)))
    traces = [np.trace(Y.T @ K @ Y)]
    for steps in range(0, 60, 2):
        values, Z = block_rayleigh_ritz(lambda V: K @ V, Y, max_steps=steps)
        np.testing.assert_allclose(Z.T @ Z, np.eye(4), atol=1e-12)
        np.testing.assert_allclose(Z.T @ K @ Z, np.diag(values), atol=1e-10)
        traces.append(values.sum())
    assert np.diff(traces).min() >= -1e-11 * abs(want)
    assert traces[-1] == pytest.approx(want, rel=1e-10)


def test_block_steps_leave_an_eigenspace_alone():
    K = np.diag(np.arange(10.0))
    Y = np.eye(10)[:, 8:]
    calls = []
    values, Z = block_rayleigh_ritz(lambda V: calls.append(1) or K @ V, Y)
    np.testing.assert_allclose(values, [9, 8])
    np.testing.assert_allclose(np.abs(Z), Y[:, ::-1])
    assert len(calls) == 1


def test_block_steps_fill_the_whole_space():
    K = np.diag([3.0, 2.0, 1.0])
    values, _ = block_rayleigh_ritz(lambda V: K @ V, orthonormalize(np.ones((3, 2)) + np.eye(3, 2)))
    np.testing.assert_allclose(values, [3, 2], atol=1e-10)


@pytest.mark.parametrize("n", [40, 900])
@pytest.mark.parametrize("form", [lambda G: G, sp.csr_array])
def test_eigenvalues_of_matrices_that_have_few_different_ones(form, n):
    block = np.kron(np.eye(n // 10), np.ones((10, 10)))
    for G in (np.eye(n), np.diag(np.repeat([1.0, 3.0], n // 2)), block):
        for k in (1, 7, n // 20, n):
            if n > 100 and k == n:
                continue  # the dense case, once is enough
            values = leading_eigenvalues(form(G), k)
            assert values.shape == (k,)
            expected = np.linalg.eigvalsh(G)[::-1][:k]
            np.testing.assert_allclose(values, expected, atol=1e-12 * expected[0])


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e9])
def test_hubs_and_close_eigenvalues_of_a_graph_that_elimination_fills_in(monkeypatch, unit):
    """Few joins of many vertices: the Laplacian's small eigenvalues next to those of its hubs."""
    rng = np.random.RandomState(0)
    n = 1500
    ends = np.where(rng.random_sample((n, 5)) < 0.3, 0, rng.randint(1, n, (n, 5)))
    A = sp.csr_array(
        (unit * rng.random_sample(5 * n), ends.ravel(), 5 * np.arange(n + 1)), shape=(n, n)
    )
    L = laplacian(A)
    assert L.diagonal().max() > 100 * np.median(L.diagonal())
    G = sp.csr_array(2 * L.diagonal().max() * sp.eye_array(n) - L)
    monkeypatch.setattr(_eig, "_eigsh", None)  # no Lanczos
    values, vectors = leading_eigenpairs(G, 4)
    all_values, all_vectors = np.linalg.eigh(G.toarray())
    np.testing.assert_allclose(values, all_values[:-5:-1], rtol=1e-12)
    cosines = np.linalg.svd(all_vectors[:, -4:].T @ vectors)[1]
    np.testing.assert_allclose(cosines, 1, atol=1e-12)
    np.testing.assert_array_equal(leading_eigenpairs(G, 4)[1], vectors)


def spectrum(values, seed):
    """A sparse matrix with these eigenvalues: a product of random rotations of two coordinates."""
    rng, G = np.random.default_rng(seed), sp.diags_array(values).tocsr()
    for _ in range(2):
        pairs, angle = rng.permutation(len(values)).reshape(-1, 2), rng.uniform(0, 7, len(values))
        c, s = np.cos(angle[pairs[:, 0]]), np.sin(angle[pairs[:, 0]])
        rows = np.concatenate([pairs[:, 0], pairs[:, 0], pairs[:, 1], pairs[:, 1]])
        columns = np.concatenate([pairs[:, 0], pairs[:, 1], pairs[:, 0], pairs[:, 1]])
        Q = sp.csr_array((np.concatenate([c, s, -s, c]), (rows, columns)))
        G = Q @ G @ Q.T
    return sp.csr_array((G + G.T) / 2)


@pytest.mark.parametrize(
    "positive",
    [[], [1e-3], [5.0] * 7, list(np.linspace(0.01, 3, 40)), [50.0, 1e-4, 1e-4], [1.0] * 200],
    ids=["none", "one, small", "repeated", "many", "small beside large", "more than a tenth"],
)
def test_signs_are_counted_right(positive):
    rest = -np.random.default_rng(0).uniform(1e-5, 8, 1000 - len(positive))
    rest[:5] = 0.0
    assert count_positive(spectrum(np.concatenate([positive, rest]), 1)) == len(positive)


@pytest.mark.parametrize("form", [lambda G: G, aslinearoperator])
@pytest.mark.parametrize("case", ["noise", "decay", "identity"])
def test_leading_ritz_pairs_reach_the_sum(form, case):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((1500, 1000))
    if case == "decay":
        A = A * np.arange(1, 1001) ** -1.0
    G = np.eye(1000) if case == "identity" else A.T @ A
    want = np.linalg.eigvalsh(G)[::-1][:20]
    errors = []
    for tol in (1e-3, 1e-9):
        values, V = leading_ritz_pairs(form(G), 20, tol=tol)
        np.testing.assert_allclose(V.T @ V, np.eye(20), atol=1e-12)
        np.testing.assert_allclose(np.einsum("ij,ij->j", V, G @ V), values, rtol=1e-9)
        assert np.all(values <= want * (1 + 1e-12))
        errors.append(1 - values.sum() / want.sum())
    assert errors[0] <= 1e-2
    assert errors[1] <= 1e-8


def test_leading_ritz_pairs_of_low_rank():
    B = np.random.default_rng(1).standard_normal((1000, 4))
    values, V = leading_ritz_pairs(B @ B.T, 10, tol=1e-9)
    np.testing.assert_allclose(values[:4], np.linalg.eigvalsh(B.T @ B)[::-1], rtol=1e-10)
    np.testing.assert_allclose(values[4:], 0, atol=1e-9 * values[0])
    np.testing.assert_allclose(V.T @ V, np.eye(10), atol=1e-12)
