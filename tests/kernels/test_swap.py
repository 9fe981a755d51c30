"""The tables of the swap search against what they stand for, the search against all swaps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sksieve.kernels._swap import _best, _residual, build, exchange, independent, iterfs


def problem(seed, m=30, n=14, k=5):
    rng = np.random.RandomState(seed)
    A = rng.randn(m, n) * np.exp(rng.randn(n))
    G = A.T @ A
    return A, G, G @ G, 1e-10 * np.diag(G), rng.permutation(n)[:k]


def error(A, S):
    """f(S) by QR on the data, the Gram matrix unused."""
    Q = np.linalg.qr(A[:, S])[0]
    R = A - Q @ (Q.T @ A)
    return float(np.sum((R - Q @ (Q.T @ R)) ** 2))


def swaps(S, n):
    for p in range(len(S)):
        for j in np.setdiff1d(np.arange(n), S):
            yield p, j, np.concatenate([S[:p], [j], S[p + 1 :]]).astype(int)


def assert_tables(T, G):
    S = T.S
    H = np.linalg.inv(G[np.ix_(S, S)])
    V = H @ G[S]
    R = G - G[:, S] @ V
    scale = np.abs(G).max()
    np.testing.assert_allclose(T.H, H, rtol=1e-8, atol=1e-12 * np.abs(H).max())
    np.testing.assert_allclose(T.V, V, rtol=1e-8, atol=1e-10 * np.abs(V).max())
    np.testing.assert_allclose(T.Y, V @ R, rtol=1e-8, atol=1e-10 * scale * np.abs(V).max())
    np.testing.assert_allclose(T.r, np.diag(R), rtol=1e-9, atol=1e-12 * scale)
    np.testing.assert_allclose(T.N, np.diag(R @ R), rtol=1e-9, atol=1e-11 * scale**2)
    assert np.isinf(T.bar).sum() == len(S)
    assert np.isinf(T.bar[S]).all()


@pytest.mark.parametrize("seed", range(5))
def test_tables_from_scratch_and_after_exchanges(seed):
    _, G, F, floor, S = problem(seed)
    rng = np.random.RandomState(seed)
    T = build(G, F, S, floor)
    assert_tables(T, G)
    for _ in range(20):
        p, j = rng.randint(5), rng.choice(np.setdiff1d(np.arange(14), T.S))
        want = T.S.copy()
        want[p] = j
        col = _residual(G, T, j) + T.V[p, j] / T.H[p, p] * T.V[p]
        exchange(F, T, p, j, col)
        np.testing.assert_array_equal(T.S, want)
        assert_tables(T, G)


@pytest.mark.parametrize("seed", range(5))
def test_every_swap_value_is_the_error_after_the_swap(seed):
    A, G, F, floor, S = problem(seed)
    T = build(G, F, S, floor)
    f = error(A, S)
    assert T.r.sum() == pytest.approx(f, rel=1e-11)
    for p in range(len(S)):
        values = {j: error(A, new) for q, j, new in swaps(S, 14) if q == p}
        j, gain, loss = _best(T, p)
        assert j == min(values, key=values.get)
        assert f + loss - gain == pytest.approx(values[j], rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 14), st.data())
def test_no_swap_improves_the_answer(seed, n, data):
    k = data.draw(st.integers(1, n))
    A, G, F, floor, S = problem(seed, m=data.draw(st.integers(n, 20)), n=n, k=k)
    start = S.copy()
    T, f, n_evaluations = iterfs(G, F, S, floor, 1e-12 * np.trace(G), 1000)
    np.testing.assert_array_equal(S, start)
    assert len(set(T.tolist())) == k
    assert f == pytest.approx(error(A, T), rel=1e-8, abs=1e-11 * np.trace(G))
    assert f <= error(A, S) * (1 + 1e-9) + 1e-11 * np.trace(G)
    assert n_evaluations % (n - k) == 0 if n > k else n_evaluations == 0
    best = min((error(A, new) for _, _, new in swaps(T, n)), default=np.inf)
    assert f <= best * (1 + 1e-9) + 1e-11 * np.trace(G)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([0.0, 1e-9, 1e-6, 1e-3]))
def test_nearly_dependent_columns_give_no_false_gain(seed, rank, noise):
    rng = np.random.RandomState(seed)
    A = rng.randn(20, rank) @ rng.randn(rank, 12) + noise * rng.randn(20, 12)
    A[:, 3] = 0.0
    A[:, 5] = A[:, 1]
    A[:, 7] = A[:, 2] + noise * rng.randn(20)
    G = A.T @ A
    floor = 1e-10 * np.diag(G)
    S = independent(G, rng.permutation(12), 6, floor)
    assert 3 not in S
    assert not {1, 5} <= set(S.tolist())
    assert len(S) >= min(rank, 6) - 1
    T, f, _ = iterfs(G, G @ G, S, floor, 1e-12 * np.trace(G), 1000)
    assert 0 <= f < np.inf
    assert 3 not in T
    assert len(T) == len(S)
    assert f == pytest.approx(error(A, T), abs=1e-9 * np.trace(G))
    assert error(A, T) <= error(A, S) + 1e-9 * np.trace(G)


def test_a_dependent_start_is_thinned():
    A = problem(0)[0]
    A[:, 4] = A[:, 0] + A[:, 1]
    G = A.T @ A
    S, f, _ = iterfs(G, G @ G, np.array([0, 1, 4, 2]), 1e-10 * np.diag(G), 0.0, 0)
    np.testing.assert_array_equal(S, [0, 1, 2])
    assert f == pytest.approx(error(A, S), rel=1e-10)


def test_ties_go_to_the_smaller_index():
    A = np.zeros((5, 5))
    A[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]] = [1.0, 2.0, 2.0, 2.0, 1.0]
    G = A.T @ A
    S, f, _ = iterfs(G, G @ G, np.array([0]), 1e-10 * np.diag(G), 1e-12, 100)
    assert S.tolist() == [1]
    assert f == pytest.approx(10.0)


def test_long_searches_stay_exact():
    """Some hundred exchanges in one go, across several refreshes."""
    rng = np.random.RandomState(0)
    A = rng.randn(150, 12) @ rng.randn(12, 300) + 0.3 * rng.randn(150, 300)
    G = A.T @ A
    start = rng.permutation(300)[:100]
    S, f, n_evaluations = iterfs(G, G @ G, start, 1e-10 * np.diag(G), 1e-12 * np.trace(G), 10**6)
    assert n_evaluations > 3 * 100 * 200
    assert f == pytest.approx(error(A, S), rel=1e-10)
