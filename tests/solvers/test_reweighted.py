"""Row-sparse subspaces: descent, the slope of the penalty, and what large weights do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from sksieve.linalg import SignedGram
from sksieve.solvers import ReweightedSubspace, row_weights, smoothed_l2p
from sksieve.testing import check_block_descent, check_pure_step, check_resume


def gram(seed=0, n=30, d=12, sign=1):
    return SignedGram(np.random.RandomState(seed).standard_normal((n, d)), sign)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("p", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("n", [4, 30])
@pytest.mark.parametrize("g", [1e-2, 1.0, 100.0])
def test_it_descends(sign, p, n, g):
    problem = ReweightedSubspace(gram(n=n, sign=sign), g, 3, p=p)
    check_block_descent(problem, n_sweeps=15)


def test_steps_are_pure():
    problem = ReweightedSubspace(gram(), 1.0, 3)
    check_pure_step(problem, problem.start())
    check_resume(problem, problem.start(), 3, 4)


@given(st.floats(0.1, 1.0), st.integers(0, 100))
def test_weights_are_slopes_of_an_upper_bound(p, seed):
    rng = np.random.RandomState(seed)
    W, V = rng.standard_normal((2, 5, 2))
    q = row_weights(W, p)
    bound = smoothed_l2p(W, p) + q @ ((V**2).sum(axis=1) - (W**2).sum(axis=1))
    assert smoothed_l2p(V, p) <= bound + 1e-12 * abs(bound)


def test_large_weight_picks_the_smallest_of_the_diagonal():
    M = gram()
    problem = ReweightedSubspace(M, 1e4, 3)
    s = problem.start(q=M.diagonal())
    for _ in range(30):
        s = problem.step(s)
    kept = np.flatnonzero(np.linalg.norm(s.W, axis=1) > 1e-3)
    assert_allclose(kept, np.sort(np.argsort(M.diagonal())[:3]))
