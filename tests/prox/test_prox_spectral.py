"""Polar factor, nearest projector, positive semidefinite part, Fantope."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sksieve.linalg import orthonormalize
from sksieve.prox import nearest_projector, project_fantope, project_psd, project_stiefel

seeds = st.integers(0, 10_000)


def symmetric(seed, n=6):
    A = np.random.RandomState(seed).standard_normal((n, n))
    return A + A.T


def some_projectors(seed, n, k, around=None):
    """Random rank-k projectors: anywhere, and close to a given one."""
    rng = np.random.RandomState(seed)
    for size in (1e-4, 1e-2, 1.0, 100.0):
        for _ in range(20):
            start = 0 if around is None else around
            U = orthonormalize(start + size * rng.standard_normal((n, k)))
            yield U


@given(seeds)
def test_polar_is_the_nearest(seed):
    rng = np.random.RandomState(seed)
    M = rng.standard_normal((7, 3))
    Y = project_stiefel(M)
    np.testing.assert_allclose(Y.T @ Y, np.eye(3), atol=1e-12)
    for Z in some_projectors(seed, 7, 3, around=Y):
        assert np.linalg.norm(Z - M) >= np.linalg.norm(Y - M) - 1e-12
    S = Y.T @ M
    np.testing.assert_allclose(S, S.T, atol=1e-12)
    assert np.linalg.eigvalsh(S).min() >= -1e-12
    np.testing.assert_allclose(project_stiefel(Y), Y, atol=1e-12)


def test_polar_of_a_matrix_without_full_rank():
    M = np.outer(np.arange(1.0, 5), [1.0, 1.0])
    Y = project_stiefel(M)
    np.testing.assert_allclose(Y.T @ Y, np.eye(2), atol=1e-12)
    assert np.trace(Y.T @ M) == pytest.approx(np.linalg.norm(M))  # the nuclear norm
    assert project_stiefel(M.astype(np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match="M must have at least as many rows"):
        project_stiefel(M.T)


@given(seeds, st.integers(1, 5))
def test_nearest_projector(seed, k):
    A = symmetric(seed)
    U = nearest_projector(A, k)
    best = np.linalg.norm(A - U @ U.T)
    for Z in some_projectors(seed, 6, k, around=U):
        assert np.linalg.norm(A - Z @ Z.T) >= best - 1e-12
    again = nearest_projector(U @ U.T, k)
    np.testing.assert_allclose(again @ again.T, U @ U.T, atol=1e-12)
    shifted = nearest_projector(sp.csr_array(A + 9 * np.eye(6)), k)
    np.testing.assert_allclose(shifted @ shifted.T, U @ U.T, atol=1e-9)


@given(seeds)
def test_positive_semidefinite_part(seed):
    A = symmetric(seed)
    P = project_psd(A)
    assert np.linalg.eigvalsh(P).min() >= -1e-12
    np.testing.assert_allclose(project_psd(P), P, atol=1e-12)
    # Moreau: A = P - N with P, N positive semidefinite and P N = 0
    assert np.linalg.eigvalsh(P - A).min() >= -1e-12
    np.testing.assert_allclose(P @ (P - A), 0, atol=1e-11)


@given(seeds, st.integers(1, 5))
def test_fantope(seed, k):
    A = symmetric(seed)
    X = project_fantope(A, k)
    values = np.linalg.eigvalsh(X)
    assert values.min() >= -1e-12
    assert values.max() <= 1 + 1e-12
    assert np.trace(X) == pytest.approx(k)
    # the variational inequality <A - X, Z - X> <= 0 at the extreme points Z
    for U in some_projectors(seed, 6, k):
        assert np.sum((A - X) * (U @ U.T - X)) <= 1e-10
    U = nearest_projector(A, k)
    np.testing.assert_allclose(project_fantope(U @ U.T, k), U @ U.T, atol=1e-12)
