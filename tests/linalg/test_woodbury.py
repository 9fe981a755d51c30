"""diag(q) +- B'B: the cheap forms against the matrices written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sksieve.linalg import RidgeSolver, SignedGram, _woodbury, ridge_coefficients


def matrices(r, d, seed=0):
    rng = np.random.RandomState(seed)
    return rng.standard_normal((r, d)), np.exp(3 * rng.standard_normal(d))


@pytest.fixture(params=[False, True], ids=["reduction", "Lanczos"])
def by_lanczos(request, monkeypatch):
    """Both ways of a matrix that is written out, whatever its size."""
    if request.param:
        monkeypatch.setattr(_woodbury, "_WRITTEN_SIZE", 0)
        monkeypatch.setattr(_woodbury, "_WRITTEN_SHARE", 0)
    return request.param


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("r", "d"), [(30, 1000), (60, 20), (12, 40), (900, 850)])
def test_smallest_eigenvectors(r, d, sign, by_lanczos):
    B, q = matrices(r, d)
    W = SignedGram(B, sign).smallest_eigenvectors(q, 3)
    literal = np.linalg.eigh(np.diag(q) + sign * B.T @ B)[1][:, :3]
    assert_allclose(np.abs(W.T @ literal), np.eye(3), atol=1e-8)
    assert_allclose(np.linalg.norm(W, axis=1), np.linalg.norm(literal, axis=1), atol=1e-8)


def test_no_square_matrix_when_rows_are_few():
    assert SignedGram(np.ones((3, 50))).A is None
    assert SignedGram(np.ones((50, 3))).B is None


@pytest.mark.parametrize(("r", "d"), [(5, 40), (40, 5)])
def test_what_is_known_of_it(r, d):
    B, _ = matrices(r, d)
    W = np.random.RandomState(1).standard_normal((d, 2))
    form = SignedGram(B, -1)
    assert_allclose(form.trace(W), -np.trace(W.T @ B.T @ B @ W))
    assert_allclose(form.diagonal(), np.diag(B.T @ B))
    assert_allclose(form.norm, np.linalg.norm(B, 2) ** 2)
    assert form.rank() == 5
    from_matrix = SignedGram(None, -1, A=B.T @ B)
    assert_allclose(from_matrix.trace(W), form.trace(W))


def test_tiny_diagonal_beside_a_large_gram_matrix(by_lanczos):
    B, q = matrices(900, 850)
    W = SignedGram(1e6 * B).smallest_eigenvectors(1e-8 * q, 2)
    assert_allclose(W.T @ W, np.eye(2), atol=1e-10)
    lowest = np.linalg.eigvalsh(B.T @ B)[:2]
    assert_allclose(np.diag(W.T @ B.T @ B @ W), lowest, rtol=1e-3)


@pytest.mark.parametrize(("n", "d"), [(10, 80), (80, 10), (30, 40)])
def test_ridge_coefficients(n, d):
    X, q = matrices(n, d)
    F = np.random.RandomState(2).standard_normal((n, 3))
    literal = np.linalg.solve(X.T @ X + np.diag(q), X.T @ F)
    assert_allclose(ridge_coefficients(X, q, F), literal, atol=1e-10)


@pytest.mark.parametrize(("n", "d"), [(10, 80), (80, 10), (30, 40)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1e-14])
def test_ridge_residual_is_what_the_coefficients_leave(n, d, weighted, scale):
    """In the space of the samples where the table is wide; q far below the data is singular."""
    X, q = matrices(n, d)
    rng = np.random.RandomState(2)
    F, a = rng.standard_normal((n, 3)), rng.random_sample(n) + 0.5
    ridge = RidgeSolver(X, scale * q, a if weighted else None)
    W = ridge.coefficients(F)
    A = np.diag(a if weighted else np.ones(n))
    if scale == 1:
        literal = np.linalg.solve(X.T @ A @ X + np.diag(q), X.T @ A @ F)
        assert_allclose(W, literal, atol=1e-10)
    assert_allclose(ridge.residual(F), F - X @ W, atol=1e-9)


@pytest.mark.parametrize(("n", "d"), [(10, 80), (80, 10), (30, 40)])
def test_ridge_with_weights_far_below_the_data(n, d):
    """The normal equations are singular to rounding: solved all the same, and to rounding."""
    X, q = matrices(n, d)
    X[: n // 2] *= 1e6
    F = np.random.RandomState(2).standard_normal((n, 3))
    W = ridge_coefficients(X, 1e-10 * q, F)
    literal = np.linalg.lstsq(
        np.vstack([X, np.diag(np.sqrt(1e-10 * q))]), np.vstack([F, np.zeros((d, 3))]), rcond=None
    )[0]

    def value(W):
        return np.sum((X @ W - F) ** 2) + np.sum(1e-10 * q[:, None] * W**2)

    assert value(W) <= value(literal) * (1 + 1e-6)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("n", [30, 80])
def test_a_step_never_rises_and_steps_end_at_the_eigenvectors(monkeypatch, sign, n):
    monkeypatch.setattr("sksieve.linalg._woodbury._STEP_SIZE", 0)
    rng = np.random.RandomState(0)
    form = SignedGram(rng.standard_normal((n, 80)), sign)
    q = 0.1 + 100 * rng.random_sample(80)
    M = sign * form.B.T @ form.B if form.low_rank else sign * form.A
    M = M + np.diag(q)
    W = np.linalg.qr(rng.standard_normal((80, 3)))[0]
    value = np.trace(W.T @ M @ W)
    for _ in range(60):
        W = form.step_to_smallest(q, W)
        new = np.trace(W.T @ M @ W)
        assert new <= value + 1e-10 * abs(value)
        value = new
        assert_allclose(W.T @ W, np.eye(3), atol=1e-12)
    assert_allclose(value, np.linalg.eigvalsh(M)[:3].sum(), rtol=1e-6)
