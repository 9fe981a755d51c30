"""POCSS, Theorem 1: its factor by brute force, and the bound of it that `guarantee_` is."""

from itertools import combinations

import numpy as np
import pytest

from sksieve import POCSS
from sksieve.columns._pocss import guarantee


def explained(A, S):
    """g(S) = ||A||^2 - f(S)."""
    return float(np.sum((A[:, S] @ np.linalg.pinv(A[:, S]) @ A) ** 2)) if len(S) else 0.0


def submodularity_ratio(A, k):
    """min over |U| = k - 1, |S| <= k of (sum of single gains) / (gain of S)."""
    n = A.shape[1]
    ratios = []
    for U in combinations(range(n), k - 1):
        base, rest = explained(A, list(U)), [j for j in range(n) if j not in U]
        for size in range(1, k + 1):
            for S in combinations(rest, size):
                gain = explained(A, [*U, *S]) - base
                if gain > 1e-9:
                    singles = sum(explained(A, [*U, j]) - base for j in S)
                    ratios.append(singles / gain)
    return min(ratios)


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_is_below_theorem_1_and_the_answer_above(seed):  # Theorem 1
    rng = np.random.RandomState(seed)
    n, k = 6, 2 + seed % 2
    A = rng.standard_normal((20, n))
    A[:, 1:] += rng.random_sample() * A[:, :-1]
    A /= np.linalg.norm(A, axis=0)
    bound = guarantee(A.T @ A)
    assert 0 < bound <= -np.expm1(-submodularity_ratio(A, k)) + 1e-12
    selector = POCSS(k, scale="unit", random_state=seed).fit(A)
    best = max(explained(A, list(S)) for S in combinations(range(n), k))
    assert explained(A, np.flatnonzero(selector.get_support()).tolist()) >= bound * best
    assert selector.guarantee_ == pytest.approx(bound)


def test_dependent_columns_have_no_guarantee():
    A = np.random.RandomState(0).standard_normal((30, 4))
    assert POCSS(2).fit(np.c_[A, A[:, 0] + A[:, 1]]).guarantee_ < 1e-7
    assert guarantee(np.zeros((3, 3))) == 0.0


def test_orthogonal_columns_have_that_of_submodular_functions():
    Q = np.linalg.qr(np.random.RandomState(0).standard_normal((30, 4)))[0]
    assert POCSS(2, scale="unit").fit(Q).guarantee_ == pytest.approx(1 - np.exp(-1))
