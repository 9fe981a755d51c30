"""Least squares with few nonzero rows: every number against a dense refit."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sksieve.solvers import exchange_rows, fit_rows, forward_rows


class Dense:
    """``tr(W'AW) - 2 tr(W'B)`` from arrays."""

    def __init__(self, seed, d=9, c=2):
        rng = np.random.RandomState(seed)
        M = rng.standard_normal((14, d))
        M[:, 1] = M[:, 0] + 0.1 * M[:, 1]  # two rows that can stand for each other
        self.A = M.T @ M + 0.5 * np.eye(d)
        self.B = M.T @ rng.standard_normal((14, c))
        self.curvature_bound = 0.8 * np.diagonal(self.A)

    def gram(self, S):
        return self.A[np.ix_(S, S)]

    def diagonal(self, J):
        return np.diagonal(self.A)[J]

    def target(self, S):
        return self.B[S]

    def gradient(self, S, W):
        return self.A[:, S] @ W - self.B

    def value(self, S):
        """From scratch."""
        S = np.asarray(S, dtype=int)
        return -np.trace(self.B[S].T @ np.linalg.solve(self.A[np.ix_(S, S)], self.B[S]))


seeds = st.integers(0, 10**6)


@given(seeds)
def test_fit_and_losses_are_exact(seed):
    problem = Dense(seed)
    fit = fit_rows(problem, np.array([7, 0, 3, 1]))
    assert_array_equal(fit.S, [0, 1, 3, 7])
    assert_allclose(fit.value, problem.value(fit.S), rtol=1e-9)
    assert_allclose(problem.gradient(fit.S, fit.W)[fit.S], 0, atol=1e-8)
    for i, loss in enumerate(fit.loss):
        assert_allclose(loss, problem.value(np.delete(fit.S, i)) - fit.value, rtol=1e-7)


@given(seeds)
def test_exchange_never_rises_and_keeps_the_number(seed):
    problem = Dense(seed)
    start = fit_rows(problem, np.array([0, 1, 2]))
    values = [exchange_rows(problem, start, rounds).value for rounds in range(6)]
    assert values[0] == start.value
    assert (np.diff(values) <= 0).all()
    best = exchange_rows(problem, start)
    assert len(set(best.S)) == 3
    assert_allclose(best.value, problem.value(best.S), rtol=1e-9)


def test_exchange_stops_where_no_single_swap_of_the_extremes_helps():
    """At the end the best gain, in place of the least loss, does not lower the value."""
    for seed in range(40):
        problem = Dense(seed)
        end = exchange_rows(problem, fit_rows(problem, np.array([0, 1, 2])), 50)
        gain = (problem.gradient(end.S, end.W) ** 2).sum(axis=1) / np.diagonal(problem.A)
        gain[end.S] = 0
        if gain.max() > end.loss.min():
            swapped = np.append(np.delete(end.S, end.loss.argmin()), gain.argmax())
            assert problem.value(swapped) >= end.value - 1e-9
        best = min(problem.value(S) for S in combinations(range(9), 3))
        assert end.value >= best - 1e-9


def greedy(X, Y, lam, s):
    """Forward selection by refitting."""

    def value(S):
        A = X[:, S].T @ X[:, S] + lam * np.eye(len(S))
        B = X[:, S].T @ Y
        return -np.trace(B.T @ np.linalg.solve(A, B))

    order, gains = [], []
    for _ in range(s):
        before = value(order) if order else 0.0
        falls = [-np.inf if j in order else before - value([*order, j]) for j in range(X.shape[1])]
        order.append(int(np.argmax(falls)))
        gains.append(max(falls))
    return order, gains


@given(seeds, st.sampled_from([1e-3, 1.0, 100.0]))
def test_forward_is_greedy(seed, lam):
    rng = np.random.RandomState(seed)
    X, Y = rng.standard_normal((15, 8)), rng.standard_normal((15, 2))
    order, gain = forward_rows(lambda J: X.T @ X[:, J], (X * X).sum(0), X.T @ Y, lam, 6)
    expected, gains = greedy(X, Y, lam, 6)
    assert_array_equal(order, expected)
    assert_allclose(gain[order], gains, rtol=1e-7)
    rest = np.setdiff1d(np.arange(8), order)
    seventh = greedy(X, Y, lam, 7)
    assert rest[gain[rest].argmax()] == seventh[0][-1]
    assert_allclose(gain[rest].max(), seventh[1][-1], rtol=1e-6)


def test_forward_reads_the_data_in_batches():
    rng = np.random.RandomState(0)
    X, Y = rng.standard_normal((300, 400)), rng.standard_normal((300, 3))
    asked = []

    def products(J):
        asked.append(len(J))
        return X.T @ X[:, J]

    order, _ = forward_rows(products, (X * X).sum(0), X.T @ Y, 300.0, 60)
    assert len(asked) < 20, "far fewer passes than 60"
    assert len(set(order)) == 60


@pytest.mark.parametrize("s", [1, 4])
def test_forward_ties_go_to_the_smaller_index(s):
    X = np.tile(np.eye(5)[:, :2], 2)  # columns 2 and 3 are copies of 0 and 1
    Y = np.eye(5)[:, :2]
    order, gain = forward_rows(lambda J: X.T @ X[:, J], (X * X).sum(0), X.T @ Y, 1.0, s)
    assert_array_equal(order, [0, 1, 2, 3][:s])
    assert (gain >= 0).all()


def test_zero_columns_come_last():
    X = np.column_stack([np.zeros(6), np.arange(6.0), np.zeros(6), np.ones(6)])
    Y = np.arange(6.0)[:, None]
    order, gain = forward_rows(lambda J: X.T @ X[:, J], (X * X).sum(0), X.T @ Y, 1.0, 4)
    assert_array_equal(order, [1, 3, 0, 2])
    assert_array_equal(gain[[0, 2]], 0)


def test_copies_go_by_index_whatever_the_rounding():
    """Twins that agree up to the last digits: the first is taken, no swap prefers one."""
    rng = np.random.RandomState(0)
    X = np.repeat(rng.standard_normal((60, 5)), 2, axis=1)
    Y = X[:, ::2] @ rng.standard_normal((5, 2)) + rng.standard_normal((60, 2))
    ends = set()
    for seed in range(6):
        noise = np.random.RandomState(seed).standard_normal(X.shape)
        M = X * (1 + 1e-15 * noise)
        order, _ = forward_rows(lambda J, M=M: M.T @ M[:, J], (M * M).sum(0), M.T @ Y, 5.0, 4)
        assert (order % 2 == 0).all()
        problem = Dense(0)
        problem.A, problem.B = M.T @ M + 5 * np.eye(10), M.T @ Y
        problem.curvature_bound = np.diagonal(problem.A)
        fit = exchange_rows(problem, fit_rows(problem, np.arange(4)))
        ends.add(tuple(fit.S))
        twins = fit.S ^ 1
        stays = exchange_rows(problem, fit_rows(problem, twins))
        assert_array_equal(stays.S, np.sort(twins), err_msg="equal values are no reason to swap")
    assert len(ends) == 1, "rounding decided"
