"""The lasso path of MCFS: conditions of optimality at the knot, and scikit-learn's path."""

import numpy as np
import pytest
from sklearn.linear_model import lars_path_gram

from sksieve.selection._mcfs import lars_knot


def problem(seed):
    """Gram matrix of unit columns that depend on each other, so that coefficients also leave."""
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((40, 12)) @ (np.eye(12) + 0.6 * rng.standard_normal((12, 12)))
    X /= np.linalg.norm(X, axis=0)
    return X.T @ X, X.T @ rng.standard_normal(40)


@pytest.mark.parametrize("seed", range(30))
def test_the_knot_is_optimal_for_its_weight(seed):
    G, r = problem(seed)
    for m in (1, 3, 6, 10):
        a = lars_knot(G, r, m, 40)
        gradient = r - G @ a
        weight = np.abs(gradient).max()
        active = a != 0
        assert active.sum() == m
        assert (
            np.abs(gradient[active] - weight * np.sign(a[active])).max() < 1e-10 * np.abs(r).max()
        )


@pytest.mark.parametrize("seed", range(30))
def test_the_knot_is_the_first_of_scikit_learn_s_path_with_as_many(seed):
    G, r = problem(seed)
    _, _, path = lars_path_gram(r, G, n_samples=1, method="lasso")
    for m in (1, 4, 8):
        first = np.argmax((path != 0).sum(axis=0) == m)
        np.testing.assert_allclose(lars_knot(G, r, m, 40), path[:, first], atol=1e-9)


def test_copies_of_a_column_enter_together():
    G, r = problem(0)
    twice = np.r_[np.arange(12), np.argmax(np.abs(r))]
    a = lars_knot(G[np.ix_(twice, twice)], r[twice], 3, 40)
    copy = a[[np.argmax(np.abs(r)), 12]]
    alone = lars_knot(G, r, 3, 40)[np.argmax(np.abs(r))]
    assert copy.sum() == pytest.approx(alone)
