"""The tables of the swap search against what they stand for, the search against all swaps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sksieve.kernels._swap import _best, _column, _exchange, search, shuffled
from sksieve.kernels._swap_tables import build, independent

NO_WORDS = np.zeros(4, np.uint64)


def problem(seed, m=30, n=14, k=5):
    rng = np.random.RandomState(seed)
    A = rng.randn(m, n) * np.exp(rng.randn(n))
    G = A.T @ A
    return A, G, G @ G, 1e-10 * np.diag(G), rng.permutation(n)[:k]


def local_search(G, F, S, floor, max_visits=1000):
    """From S, no kicks: the tables at the end, and what `search` answers."""
    T = build(G, F, S, floor)
    return T, search(G, F, T, -1, NO_WORDS, 0, 1e-12 * np.trace(G), 0, max_visits, 10**6)


def words(seed):
    return np.random.RandomState(seed).randint(0, 2**64, size=4, dtype=np.uint64)


def error(A, S):
    """f(S) by QR on the data, the Gram matrix unused."""
    Q = np.linalg.qr(A[:, S])[0]
    R = A - Q @ (Q.T @ A)
    return float(np.sum((R - Q @ (Q.T @ R)) ** 2))


def swaps(S, n):
    for p in range(len(S)):
        for j in np.setdiff1d(np.arange(n), S):
            yield p, j, np.concatenate([S[:p], [j], S[p + 1 :]]).astype(int)


def assert_tables(T, A):
    """Against QR on the data: the inverse of a Gram matrix is too inexact a judge."""
    S = T.S
    Q, upper = np.linalg.qr(A[:, S])
    inverse = np.linalg.inv(upper)
    H, V = inverse @ inverse.T, inverse @ (Q.T @ A)
    E = A - Q @ (Q.T @ A)
    E -= Q @ (Q.T @ E)
    R = E.T @ E
    scale = np.sum(A**2, axis=0).max()
    np.testing.assert_allclose(T.H, H, rtol=1e-8, atol=1e-12 * np.abs(H).max())
    np.testing.assert_allclose(T.V, V, rtol=1e-8, atol=1e-10 * np.abs(V).max())
    np.testing.assert_allclose(T.Y, V @ R, rtol=1e-8, atol=1e-10 * scale * np.abs(V).max())
    np.testing.assert_allclose(T.r, np.diag(R), rtol=1e-9, atol=1e-12 * scale)
    np.testing.assert_allclose(T.N, np.diag(R @ R), rtol=1e-9, atol=1e-11 * scale**2)
    assert np.isinf(T.bar).sum() == len(S)
    assert np.isinf(T.bar[S]).all()
    outside = np.setdiff1d(np.arange(A.shape[1]), S)
    np.testing.assert_array_equal(T.bar[outside], T.floor[outside])


@pytest.mark.parametrize("seed", range(5))
def test_tables_from_scratch_and_after_exchanges(seed):
    A, G, F, floor, S = problem(seed)
    rng = np.random.RandomState(seed)
    T = build(G, F, S, floor)
    assert_tables(T, A)
    col = np.empty(14)
    for _ in range(10):
        p, j = rng.randint(5), rng.choice(np.setdiff1d(np.arange(14), T.S))
        want = T.S.copy()
        want[p] = j
        assert _column.py_func(G, T, p, j, col)
        rest = np.delete(T.S, p)
        R = G - G[:, rest] @ np.linalg.solve(G[np.ix_(rest, rest)], G[rest])
        np.testing.assert_allclose(col, R[j], atol=1e-11 * np.abs(G).max())
        _exchange.py_func(F, T, p, j, col)
        np.testing.assert_array_equal(T.S, want)
        assert_tables(T, A)


@pytest.mark.parametrize("seed", range(5))
def test_every_swap_value_is_the_error_after_the_swap(seed):
    A, G, F, floor, S = problem(seed)
    T = build(G, F, S, floor)
    f = error(A, S)
    assert T.r.sum() == pytest.approx(f, rel=1e-11)
    gain = np.empty(14)
    for p in range(len(S)):
        values = {j: error(A, new) for q, j, new in swaps(S, 14) if q == p}
        j, most, loss = _best.py_func(T, p, gain)
        assert j == min(values, key=values.get)
        for j, value in values.items():
            assert f + loss - gain[j] == pytest.approx(value, rel=1e-9)
        assert most == gain.max()


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 14), st.data())
def test_no_swap_improves_the_end(seed, n, data):
    k = data.draw(st.integers(1, n))
    A, G, F, floor, S = problem(seed, m=data.draw(st.integers(n + 4, 24)), n=n, k=k)
    start = S.copy()
    T, (n_swaps, n_visits, done) = local_search(G, F, S, floor)
    np.testing.assert_array_equal(S, start)
    assert done
    assert n_swaps + k <= n_visits
    assert len(set(T.S.tolist())) == k
    assert_tables(T, A)
    f, rounding = error(A, T.S), 1e-11 * np.trace(G)
    assert f <= error(A, S) + rounding
    assert f <= min((error(A, new) for _, _, new in swaps(T.S, n)), default=np.inf) + rounding


def test_each_visit_takes_the_best_column():
    A, G, F, floor, S = problem(1)
    for first in range(5):
        T = build(G, F, S, floor)
        search(G, F, T, -1, NO_WORDS, 0, 1e-12 * np.trace(G), first, 1, 10**6)
        at = {j: error(A, new) for p, j, new in swaps(S, 14) if p == first}
        best = min(at, key=at.get)
        assert T.S[first] == (best if at[best] < error(A, S) else S[first])
        np.testing.assert_array_equal(np.delete(T.S, first), np.delete(S, first))


def test_limits():
    _, G, F, floor, S = problem(1, n=30, m=40, k=8)
    T, (n_swaps, n_visits, done) = local_search(G, F, S, floor, max_visits=3)
    assert n_visits == 3
    assert not done
    T = build(G, F, S, floor)
    n_swaps, _, done = search(G, F, T, -1, NO_WORDS, 0, 1e-12 * np.trace(G), 0, 1000, 2)
    assert n_swaps == 2
    assert not done


def test_ties_go_to_the_smaller_index():
    G = np.diag([1.0, 4.0, 4.0, 4.0, 1.0])
    T, _ = local_search(G, G @ G, np.array([0]), 1e-10 * np.diag(G))
    assert T.S.tolist() == [1]
    assert T.r.sum() == pytest.approx(10.0)


@pytest.mark.parametrize("seed", range(5))
def test_an_empty_position_gets_the_best_column(seed):
    A, G, F, floor, S = problem(seed)
    full = build(G, F, S, floor)
    H = np.zeros((6, 6))
    H[:5, :5], H[5, 5] = full.H, 1.0
    V, Y = (np.vstack([M, np.zeros((1, 14))]) for M in (full.V, full.Y))
    T = full._replace(S=np.append(S, S[0]), H=H, V=V, Y=Y)
    assert search(G, F, T, 5, NO_WORDS, 0, 1e-12 * np.trace(G), 0, 0, 0)[0] == 0
    errors = {j: error(A, [*S, j]) for j in np.setdiff1d(np.arange(14), S)}
    assert T.S.tolist() == [*S, min(errors, key=errors.get)]
    assert_tables(T, A)


@pytest.mark.parametrize("seed", range(5))
def test_kicks_exchange_as_many_positions_as_asked(seed):
    A, G, F, floor, S = problem(seed)
    for n_kicks in range(6):
        T, generator = build(G, F, S, floor), words(seed)
        search(G, F, T, -1, generator, n_kicks, 1e-12 * np.trace(G), 0, 0, 0)
        assert (T.S != S).sum() == n_kicks
        assert len(set(T.S.tolist())) == 5
        assert_tables(T, A)
        assert (n_kicks == 0) == (generator == words(seed)).all()


def test_shuffled_is_a_permutation_and_uniform():
    generator = words(0)
    orders = np.array([shuffled(4, generator) for _ in range(24_000)])
    assert (np.sort(orders, axis=1) == np.arange(4)).all()
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 24
    assert ((counts - 1000) ** 2 / 1000).sum() < 50  # chi2(23): 49.7 is the 0.1 % point


@settings(max_examples=60)
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
    T, (_, _, done) = local_search(G, G @ G, S, floor)
    assert done
    assert 3 not in T.S
    assert error(A, T.S) <= error(A, S) + 1e-9 * np.trace(G)
    again = build(G, G @ G, T.S, floor)
    assert again.r.sum() == pytest.approx(error(A, T.S), abs=1e-9 * np.trace(G))


def test_independent_keeps_the_order_and_leaves_out_the_rest():
    A = problem(0)[0]
    A[:, 4] = A[:, 0] + A[:, 1]
    A[:, 6] = 0.0
    G = A.T @ A
    S = independent(G, np.array([6, 0, 1, 4, 2, 3]), 4, 1e-10 * np.diag(G))
    np.testing.assert_array_equal(S, [0, 1, 2, 3])
    np.testing.assert_array_equal(independent(G, np.arange(14), 3, 1e-10 * np.diag(G)), [0, 1, 2])


def test_long_searches_stay_exact():
    """Some hundred exchanges in one go, without the tables being made again."""
    rng = np.random.RandomState(0)
    A = rng.randn(150, 12) @ rng.randn(12, 300) + 0.3 * rng.randn(150, 300)
    G = A.T @ A
    T, generator, exchanges = build(G, G @ G, np.arange(100), 1e-10 * np.diag(G)), words(0), 0
    for _ in range(15):
        exchanges += 8
        md = 1e-12 * np.trace(G)
        exchanges += search(G, G @ G, T, -1, generator, 8, md, 0, 10**6, 10**6)[0]
    assert exchanges > 300
    assert T.r.sum() == pytest.approx(error(A, T.S), rel=1e-11)
    assert_tables(T, A)
