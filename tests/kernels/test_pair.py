"""Pairs against what they stand for: tables, moves and greedy steps by QR on the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sksieve.columns._pair import PairProblem, tables, without
from sksieve.columns._problem import GramProblem
from sksieve.columns.search._swaps import REFRESH, SwapProblem, shrunk, workspace
from sksieve.kernels._pair import best_column, search, shuffled
from sksieve.solvers._forward import greedy

NO_WORDS = np.zeros(4, np.uint64)


def data(seed, m=30, n=14, p=9):
    """A table, a target with the same rows, and a random order of the columns."""
    rng = np.random.RandomState(seed)
    A = rng.randn(m, n) * np.exp(rng.randn(n))
    return A, rng.randn(m, p), rng.permutation(n)


def pair_of(A, T, rows=False):
    W = A.T @ T
    G = A.T @ A
    return PairProblem((G + G.T) / 2, W @ W.T, (T**2).sum(), rows=W if rows else None)


def plain(A):
    G = A.T @ A
    return GramProblem((G + G.T) / 2)


def rng_state(seed):
    return np.random.RandomState(seed).randint(0, 2**64, size=4, dtype=np.uint64)


def left(A, T, S):
    """What the columns S leave of T."""
    if not len(S):
        return T
    Q = np.linalg.qr(A[:, S])[0]
    R = T - Q @ (Q.T @ T)
    return R - Q @ (Q.T @ R)


def error(A, T, S):
    """f(S) by QR on the data, the pair unused."""
    return float(np.sum(left(A, T, S) ** 2))


def swaps(S, n):
    for p in range(len(S)):
        for j in np.setdiff1d(np.arange(n), S):
            yield p, j, np.concatenate([S[:p], [j], S[p + 1 :]]).astype(int)


def assert_tables(tab, A, T):
    """Against QR on the data: the inverse of a Gram matrix is too inexact a judge."""
    S = tab.S
    Q, upper = np.linalg.qr(A[:, S])
    inverse = np.linalg.inv(upper)
    E, B = left(A, A, S), left(A, T, S)
    inner = inverse @ (Q.T @ T)
    Y, N = inner @ (T.T @ E), np.einsum("ij,ij->j", B.T @ E, B.T @ E)
    outside = np.setdiff1d(np.arange(A.shape[1]), S)
    Y[:, S] = N[S] = 0

    def close(actual, expected):
        np.testing.assert_allclose(actual, expected, rtol=1e-8, atol=1e-11 * np.abs(expected).max())

    close(tab.H, inverse @ inverse.T)
    H, F = np.abs(inverse @ inverse.T), np.abs(A[:, S].T @ T @ T.T @ A[:, S])
    scale = (H @ F @ H).max()  # of the terms that H F_SS H sums
    np.testing.assert_allclose(tab.K, inner @ inner.T, rtol=1e-8, atol=1e-13 * scale)
    close(tab.V, inverse @ (Q.T @ A))
    scale = np.abs(inner @ (T.T @ A)).max()
    np.testing.assert_allclose(tab.Y, Y, rtol=1e-8, atol=1e-10 * scale)
    np.testing.assert_allclose(tab.r, (E**2).sum(axis=0), rtol=1e-9, atol=1e-12 * (A**2).max())
    np.testing.assert_allclose(tab.N, N, rtol=1e-9, atol=1e-11 * ((A.T @ T) ** 2).sum(axis=1).max())
    assert tab.f[0] == pytest.approx(error(A, T, S), rel=1e-10, abs=1e-12 * (T**2).sum())
    assert np.isinf(tab.bar[S]).all()
    np.testing.assert_array_equal(tab.bar[outside], tab.floor[outside])


every_kind = pytest.mark.parametrize("kind", ["plain", "target", "target with rows"])


def problem(kind, seed, **shape):
    A, T, order = data(seed, **shape)
    if kind == "plain":
        return A, A, plain(A), order
    return A, T, pair_of(A, T, rows=kind == "target with rows"), order


@every_kind
@pytest.mark.parametrize("seed", range(5))
def test_tables_from_scratch_and_after_exchanges(kind, seed):
    A, T, pair, order = problem(kind, seed)
    tab, W, generator = tables(pair, order[:5]), workspace(14, 5), rng_state(seed)
    assert_tables(tab, A, T)
    for _ in range(10):
        search(pair.products, tab, W, -1, generator, 1, 0.0, 0, 0, 0)
        assert_tables(tab, A, T)


@every_kind
@pytest.mark.parametrize("seed", range(5))
def test_every_swap_value_is_the_error_after_the_swap(kind, seed):
    A, T, pair, order = problem(kind, seed)
    S = order[:5]
    tab, gain = tables(pair, S), np.empty(14)
    f = error(A, T, S)
    for p in range(5):
        values = {j: error(A, T, new) for q, j, new in swaps(S, 14) if q == p}
        h = tab.H[p, p]
        loss = tab.K[p, p] / h
        assert f + loss == pytest.approx(error(A, T, np.delete(S, p)), rel=1e-10)
        j = best_column.py_func(
            tab.V[p], tab.Y[p], h, loss, tab.r, tab.N, tab.bar, tab.cost, 0.0, gain
        )
        assert j == min(values, key=values.get)
        for j, value in values.items():
            assert f + loss - gain[j] == pytest.approx(value, rel=1e-9)


@every_kind
def test_adding_and_dropping(kind):
    A, T, pair, order = problem(kind, 3)
    swap_problem, S = SwapProblem(pair), order[:5]
    tab = swap_problem.tables(S)
    f = tab.f[0]
    for j in order[5:]:
        expected = error(A, T, np.append(S, j))
        assert f - tab.N[j] / tab.r[j] == pytest.approx(expected, rel=1e-10)
    larger = swap_problem.grown(tab)
    assert_tables(larger, A, T)
    values = {j: error(A, T, np.append(S, j)) for j in order[5:]}
    assert larger.S.tolist() == [*S, min(values, key=values.get)]
    smaller = shrunk(larger)
    assert len(smaller.S) == 5
    assert_tables(smaller, A, T)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 14), st.booleans(), st.data())
def test_no_swap_improves_the_end(seed, n, with_rows, draw):
    k = draw.draw(st.integers(1, n))
    m = draw.draw(st.integers(n + 4, 24))
    A, T, order = data(seed, m=m, n=n)
    swap_problem = SwapProblem(pair_of(A, T, rows=with_rows))
    start = order[:k].copy()
    S, f, n_evaluations = swap_problem.polish(start)
    assert n_evaluations >= k * (n - k)
    assert len(set(S.tolist())) == k
    rounding = 1e-11 * (T**2).sum()
    assert f == pytest.approx(error(A, T, S), abs=rounding)
    assert f <= error(A, T, start) + rounding
    assert f <= min((error(A, T, new) for _, _, new in swaps(S, n)), default=np.inf) + rounding


@every_kind
def test_each_visit_takes_the_best_column(kind):
    A, T, pair, order = problem(kind, 1)
    S = order[:5]
    for first in range(5):
        tab = tables(pair, S)
        search(
            pair.products, tab, workspace(14, 5), -1, NO_WORDS, 0,
            1e-12 * pair.target_norm2, first, 1, 10**6,
        )  # fmt: skip
        at = {j: error(A, T, new) for p, j, new in swaps(S, 14) if p == first}
        best = min(at, key=at.get)
        assert tab.S[first] == (best if at[best] < error(A, T, S) else S[first])
        np.testing.assert_array_equal(np.delete(tab.S, first), np.delete(S, first))


def test_limits():
    A, _, order = data(1, n=30, m=40)
    pair = plain(A)
    for visits, most in ((3, 10**6), (1000, 2)):
        tab = tables(pair, order[:8])
        n_swaps, n_visits, done = search(
            pair.products, tab, workspace(30, 8), -1, NO_WORDS, 0,
            1e-12 * pair.target_norm2, 0, visits, most,
        )  # fmt: skip
        assert (n_visits == 3) if visits == 3 else (n_swaps == 2)
        assert not done


def test_ties_go_to_the_smaller_index():
    pair = GramProblem(np.diag([1.0, 4.0, 4.0, 4.0, 1.0]))
    S, f, _ = SwapProblem(pair).polish(np.array([0]))
    assert S.tolist() == [1]
    assert f == pytest.approx(10.0)
    assert pair.greedy_order(np.arange(5), 3)[0].tolist() == [1, 2, 3]


@every_kind
@pytest.mark.parametrize("seed", range(3))
def test_kicks_exchange_as_many_positions_as_asked(kind, seed):
    A, T, pair, order = problem(kind, seed)
    for n_kicks in range(6):
        tab, generator = tables(pair, order[:5]), rng_state(seed)
        search(
            pair.products, tab, workspace(14, 5), -1, generator, n_kicks,
            1e-12 * pair.target_norm2, 0, 0, 0,
        )  # fmt: skip
        assert (tab.S != order[:5]).sum() == n_kicks
        assert len(set(tab.S.tolist())) == 5
        assert_tables(tab, A, T)
        assert (n_kicks == 0) == (generator == rng_state(seed)).all()


def test_shuffled_is_a_permutation_and_uniform():
    generator, order = rng_state(0), np.empty(4, np.intp)
    orders = np.array([(shuffled(order, generator), order.copy())[1] for _ in range(24_000)])
    assert (np.sort(orders, axis=1) == np.arange(4)).all()
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 24
    assert ((counts - 1000) ** 2 / 1000).sum() < 50  # chi2(23): 49.7 is the 0.1 % point


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 6),
    st.sampled_from([0.0, 1e-9, 1e-6, 1e-3]),
    st.sampled_from(["plain", "target", "target with rows"]),
)
def test_nearly_dependent_columns_give_no_false_gain(seed, rank, noise, kind):
    rng = np.random.RandomState(seed)
    A = rng.randn(20, rank) @ rng.randn(rank, 12) + noise * rng.randn(20, 12)
    A[:, 3] = 0.0
    A[:, 5] = A[:, 1]
    A[:, 7] = A[:, 2] + noise * rng.randn(20)
    T = A if kind == "plain" else rng.randn(20, 4)
    pair = plain(A) if kind == "plain" else pair_of(A, T, rows=kind == "target with rows")
    S = pair.independent(rng.permutation(12), 6)
    assert 3 not in S
    assert not {1, 5} <= set(S.tolist())
    assert len(S) >= min(rank, 6) - 1
    end, f, _ = SwapProblem(pair).polish(S)
    assert 3 not in end
    # G holds a residual of noise^2 to eps / noise^2, and a target may lie along it.
    along = np.finfo(float).eps / noise**2 if noise > 1e-8 else 0.0
    rounding = (1e-9 if kind == "plain" else max(1e-5, along)) * pair.target_norm2
    assert error(A, T, end) <= error(A, T, S) + rounding
    assert f == pytest.approx(error(A, T, end), abs=rounding)


def test_independent_keeps_the_order_and_leaves_out_the_rest():
    A = data(0)[0]
    A[:, 4] = A[:, 0] + A[:, 1]
    A[:, 6] = 0.0
    pair = plain(A)
    np.testing.assert_array_equal(pair.independent([6, 0, 1, 4, 2, 3], 4), [0, 1, 2, 3])
    np.testing.assert_array_equal(pair.independent(np.arange(14), 3), [0, 1, 2])


@pytest.mark.parametrize("kind", ["plain", "target with rows"])
def test_long_searches_stay_exact(kind):
    """As many exchanges in a row as are made before the tables are computed from scratch."""
    rng = np.random.RandomState(0)
    A = rng.randn(150, 12) @ rng.randn(12, 300) + 0.3 * rng.randn(150, 300)
    T = A if kind == "plain" else rng.randn(150, 40)
    pair = plain(A) if kind == "plain" else pair_of(A, T, rows=True)
    tab, W, generator, exchanges = (
        tables(pair, np.arange(100)),
        workspace(300, 100),
        rng_state(0),
        0,
    )
    while exchanges < REFRESH:
        exchanges += 8
        exchanges += search(
            pair.products, tab, W, -1, generator, 8, 1e-12 * pair.target_norm2, 0, 10**6, 10
        )[0]
    assert_tables(tab, A, T)


@every_kind
def test_greedy_takes_the_best_column_at_each_step(kind):
    A, T, pair, _ = problem(kind, 4)
    S, errors = pair.greedy_order(np.arange(14), 14)
    assert len(S) == 14
    for i in range(14):
        values = {
            j: error(A, T, np.append(S[:i], j).astype(int))
            for j in np.setdiff1d(np.arange(14), S[:i])
        }
        assert values[S[i]] <= min(values.values()) + 1e-10 * pair.target_norm2
        assert errors[i + 1] == pytest.approx(values[S[i]], abs=1e-11 * pair.target_norm2)
    np.testing.assert_allclose(pair.prefix_errors(S), errors[1:], atol=1e-11 * pair.target_norm2)
    some = np.array([2, 5, 7])
    assert set(pair.greedy_order(some, 3)[0]) == {2, 5, 7}


@every_kind
def test_without_is_the_same_problem_after_a_choice(kind):
    A, T, pair, order = problem(kind, 5)
    chosen, rest = order[:3], order[3:]
    smaller = without(pair, chosen)
    assert smaller.target_norm2 == pytest.approx(error(A, T, chosen), rel=1e-11)
    for size in (1, 4, 11):
        expected = error(A, T, order[: 3 + size])
        assert smaller.error(rest[:size]) == pytest.approx(expected, abs=1e-10 * pair.target_norm2)
    assert set(greedy(smaller, 14, np.ones(14, bool))[0]) == set(rest)


@every_kind
def test_factor_and_bounds(kind):
    A, T, pair, _ = problem(kind, 6)
    C, X = pair.factor
    np.testing.assert_allclose(C.T @ C, pair.G, atol=1e-12 * pair.G.max())
    np.testing.assert_allclose(C.T @ X @ C, pair.F, atol=1e-10 * pair.F.max())
    Q = np.linalg.qr(A)[0]
    values = np.linalg.svd(Q.T @ T, compute_uv=False) ** 2
    values = np.append(values, np.zeros(14))[:14]
    bounds = PairProblem.svd_errors(pair, 14)
    expected = pair.target_norm2 - np.append(0, np.cumsum(values))
    np.testing.assert_allclose(bounds, np.maximum(expected, 0), atol=1e-11 * pair.target_norm2)
    found, V = pair.leading_eigenpairs(4)
    np.testing.assert_allclose(found, values[:4], rtol=1e-8)
    inner = V * np.sqrt(found)  # A'U scaled: no sign of its own
    U = np.linalg.svd(Q @ (Q.T @ T), full_matrices=False)[0][:, :4]
    np.testing.assert_allclose(
        np.abs(inner / np.sqrt(found)), np.abs(A.T @ U / np.sqrt(found)), atol=1e-7
    )


def test_budget():
    """Swaps stay within the budget, greedy goes by gain per cost."""
    A, T, _ = data(7)
    cost = np.random.RandomState(7).uniform(1, 3, 14)
    W = A.T @ T
    pair = PairProblem(A.T @ A, W @ W.T, (T**2).sum(), rows=W, cost=cost, budget=9.0)
    S, errors = pair.greedy_order(np.arange(14), 14)
    assert cost[S].sum() <= 9
    for i in range(len(S)):
        fits = [j for j in range(14) if j not in S[:i] and cost[j] + cost[S[:i]].sum() <= 9]
        gain = {j: (errors[i] - error(A, T, [*S[:i], j])) / cost[j] for j in fits}
        assert gain[S[i]] == pytest.approx(max(gain.values()))
    end, f, _ = SwapProblem(pair).polish(S)
    assert cost[end].sum() <= 9
    assert f <= errors[-1] + 1e-12
    for _, j, new in swaps(end, 14):
        assert cost[new].sum() > 9 or error(A, T, new) >= f - 1e-9, j


def test_moves_keep_count_of_the_budget():
    A, T, order = data(8)
    cost = np.random.RandomState(8).uniform(1, 3, 14)
    W = A.T @ T
    pair = PairProblem(A.T @ A, W @ W.T, (T**2).sum(), rows=W, cost=cost, budget=13.0)
    moves = SwapProblem(pair)

    def count(tab):
        assert tab.spare[0] == pytest.approx(13 - cost[tab.S].sum(), abs=1e-12)
        assert tab.spare[0] >= -1e-12
        return tab

    tab = count(moves.tables(pair.independent(order, 4)))
    larger = count(moves.grown(tab))
    assert len(larger.S) == 5
    assert len(count(shrunk(larger)).S) == 4
    moved, _ = moves.searched(larger, rng_state=rng_state(0), n_kicks=3)
    assert set(count(moved).S) != set(larger.S)
    while (full := count(moves.grown(larger))) is not larger:
        larger = full
    assert (cost[np.setdiff1d(np.arange(14), full.S)] > full.spare[0]).all()
    chosen = larger.S[:2]
    assert without(pair, chosen).budget == pytest.approx(13 - cost[chosen].sum())


def test_a_budget_may_be_spent_to_the_last():
    A, _, order = data(9)
    pair = PairProblem(A.T @ A, (A.T @ A) @ (A.T @ A), (A**2).sum(), cost=np.ones(14), budget=3.0)
    assert pair.independent(order, 14).tolist() == order[:3].tolist()
    assert len(pair.greedy_order(np.arange(14), 14)[0]) == 3


def test_columns_that_depend_on_those_chosen_for_good_become_zero():
    A, T, _ = data(10)
    A[:, 6] = A[:, 0] - 2 * A[:, 1]
    rest = without(pair_of(A, T, rows=True), np.array([0, 1]))
    for j in (0, 1, 6):
        assert not rest.G[j].any()
        assert not rest.F[j].any()
        assert not rest.rows[j].any()
    assert (np.diagonal(rest.G)[[2, 3, 4, 5, 7]] > 0).all()


def test_columns_passed_over_at_one_position_may_stand_in_the_next():
    """Where the tables of nearly dependent columns are rounding, a column is barred for a while."""
    for seed in range(20):
        rng = np.random.RandomState(seed)
        A = rng.randn(20, 4) @ rng.randn(4, 12) + 1e-6 * rng.randn(20, 12)
        A[:, 5] = A[:, 1]
        pair = plain(A)
        tab = tables(pair, pair.independent(rng.permutation(12), 6))
        search(
            pair.products, tab, workspace(12, len(tab.S)), -1, NO_WORDS, 0,
            1e-12 * pair.target_norm2, 0, 1000, 1000,
        )  # fmt: skip
        outside = np.setdiff1d(np.arange(12), tab.S)
        np.testing.assert_array_equal(tab.bar[outside], tab.floor[outside])
        assert np.isinf(tab.bar[tab.S]).all()
