"""Eigenvalues of a compressed diagonal matrix, against LAPACK."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sksieve.kernels._secular import compressed_eigenvalue_sums


def compressed(d, q):
    """Eigenvalues of diag(d) on the complement of the unit vector q, descending."""
    basis = np.linalg.svd(q[None, :])[2][1:]
    return np.sort(np.linalg.eigvalsh(basis * d @ basis.T))[::-1]


@given(
    st.integers(2, 12), st.integers(0, 2**31 - 1), st.sampled_from([0, 1]), st.sampled_from([1, 9])
)
def test_equals_lapack(r, seed, digits, power):
    """Also with repeated eigenvalues (rounding), zero and hugely unequal weights."""
    rng = np.random.RandomState(seed)
    d = np.sort(rng.exponential(size=r) ** 2)[::-1]
    d = np.sort(np.round(d, 1))[::-1].copy() if digits else d
    Q = rng.normal(size=(4, r)) ** power * (rng.uniform(size=(4, r)) < 0.7)
    Q[0] = np.eye(r)[rng.randint(r)]
    Q[np.linalg.norm(Q, axis=1) == 0, 0] = 1.0
    Q /= np.linalg.norm(Q, axis=1)[:, None]
    expected = np.array([compressed(d, q) for q in Q])
    first, last = sorted(rng.randint(0, r, size=2))
    sums = compressed_eigenvalue_sums(np.ascontiguousarray(d), Q**2, first, last)
    scale = max(d[0], 1e-300)
    np.testing.assert_allclose(
        sums / scale, expected[:, first:last].sum(axis=1) / scale, atol=5e-15 * r
    )


def test_all_of_them_are_the_trace():
    rng = np.random.RandomState(0)
    d = np.sort(rng.exponential(size=40))[::-1].copy()
    P = rng.dirichlet(np.ones(40), size=5)
    sums = compressed_eigenvalue_sums(d, P, 0, 39)
    np.testing.assert_allclose(sums, d.sum() - P @ d, rtol=1e-13)


def test_none_of_them_is_zero():
    sums = compressed_eigenvalue_sums(np.array([2.0, 1.0]), np.array([[0.5, 0.5]]), 1, 1)
    assert sums == pytest.approx([0.0])
