"""BLSFE: its blocks descend for a fixed pace, and its weights collapse as said."""

import warnings

import numpy as np
import pytest

from sksieve import BLSFE
from sksieve.exceptions import DataWarning
from sksieve.selection._blsfe import Ensemble, _warn_if_collapsed
from sksieve.testing import check_block_descent, check_pure_step, check_resume


def table(n, d, seed=0):
    rng = np.random.RandomState(seed)
    centres = 3 * rng.standard_normal((3, d))
    return centres[np.arange(n) % 3] + rng.standard_normal((n, d))


def ensemble(n, d):
    rng = np.random.RandomState(1)
    X = table(n, d)
    V = rng.random_sample((4, d))
    labels = np.array([rng.randint(3, size=n) for _ in range(4)])
    labels[0] = np.arange(n) % 3
    return Ensemble(X / X.std(axis=0), V / V.sum(axis=1, keepdims=True), labels, 3)


@pytest.mark.parametrize(("n", "d"), [(30, 8), (15, 25)])
def test_every_block_descends_and_stays_feasible(n, d):
    problem = ensemble(n, d)
    check_block_descent(problem, n_sweeps=4)
    check_pure_step(problem, problem.start())
    check_resume(problem, problem.start(), 3, 4)
    s = problem.start()
    for _ in range(6):
        s = problem.step(s)
    for weights in (s.v, s.a, s.b):
        assert weights.sum() == pytest.approx(1)
        assert (weights >= 0).all()
    assert (s.S >= 0).all()
    assert (s.S <= 1).all()
    np.testing.assert_allclose(s.S, s.S.T, atol=1e-12)


def test_model_is_degenerate_any_single_base_costs_nothing():
    """Deviation D2 (i): the term of the rankings is 0 at v = v_k, a = e_k, and positive between."""
    problem = ensemble(30, 8)

    def term(v, a):
        return float(a**2 @ ((v - problem.V) ** 2).sum(axis=1))

    for k, v in enumerate(problem.V):
        assert term(v, np.eye(4)[k]) == 0
    assert term(problem.V.mean(axis=0), np.full(4, 0.25)) > 0


def test_collapse_is_said():
    with pytest.warns(DataWarning, match="number 1 counts 0.80"):
        _warn_if_collapsed(np.array([0.1, 0.8, 0.1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _warn_if_collapsed(np.full(4, 0.25))
        _warn_if_collapsed(np.ones(1))


def test_consensus_of_real_bases():
    est = BLSFE(4, n_clusters=3, n_bases=4, max_iter=3, random_state=0).fit(table(60, 12))
    assert est.scores_.sum() == pytest.approx(1)
    assert est.base_weights_.sum() == pytest.approx(1)
