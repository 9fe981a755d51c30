"""Stability of a choice: what the metric says of the choices on bootstrap samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from sksieve import GreedyCSS, RandomCSS
from sksieve import metrics as m
from sksieve.evaluation import comparisons, stability
from sksieve.exceptions import DataError

X = load_wine().data


def test_it_is_the_metric_of_the_choices_on_samples_of_the_rows():
    found = stability(X, 3, "greedy", n_bootstrap=10, confidence=0.9, random_state=4)
    rng, subsets = np.random.RandomState(4), []
    for _ in range(10):
        rows, _ = rng.randint(178, size=178), rng.randint(2**31 - 1)
        Z = StandardScaler().fit_transform(X[rows])
        subsets.append(GreedyCSS(3).fit(Z).ranking_[:3])
    expected = m.stability(subsets, 13, confidence=0.9)
    np.testing.assert_array_equal(found.frequencies, expected.frequencies)
    assert found[:5] == expected[:5]
    assert found.frequencies.sum() == pytest.approx(3)


def test_columns_beyond_doubt_are_stable_and_random_ones_are_not():
    rng = np.random.default_rng(0)
    plain = np.hstack([rng.normal(size=(60, 2)), 1e-9 * rng.normal(size=(60, 10))])
    sure = stability(plain, 2, GreedyCSS(scale="none"), n_bootstrap=20, random_state=0)
    np.testing.assert_allclose(sure[:3], 1.0)
    chance = stability(X, 3, RandomCSS(random_state=0), n_bootstrap=60, random_state=0)
    assert chance.lower <= 0.03
    assert abs(chance.value) < 0.1


def test_the_interval_holds_the_value_of_many_samples():
    many = stability(X, 4, "greedy", n_bootstrap=200, random_state=1).value
    inside = 0
    for seed in range(12):
        few = stability(X, 4, "greedy", n_bootstrap=40, random_state=seed + 10)
        inside += few.lower <= many <= few.upper
    assert inside >= 9


def test_same_seed_same_answer_sparse_too_and_with_workers():
    first = stability(X, 3, "random_rank", n_bootstrap=6, random_state=2)
    second = stability(sp.csr_array(X), 3, "random_rank", n_bootstrap=6, random_state=2)
    third = stability(X, 3, "random_rank", n_bootstrap=6, random_state=2, n_jobs=2)
    assert first[:5] == second[:5] == third[:5]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((X, 13, "greedy"), r"k must be in 1\.\.12"),
        ((X, 0, "greedy"), r"k must be in 1\.\.12"),
        ((X[0], 3, "greedy"), "must be a table"),
        ((X, 3, "srsg"), "finds groups of samples"),
        ((X, 3, "gredy"), "no method"),
        ((X[:4], 3, "mcfs"), "MCFS refused a bootstrap sample"),
    ],
)
def test_refusals(arguments, said):
    with pytest.raises(ValueError, match=said):
        stability(*arguments, n_bootstrap=3, random_state=0)
    with pytest.raises(DataError, match="n_bootstrap at least 2"):
        stability(X, 3, n_bootstrap=1)


def test_confidence_is_looked_at_before_anything_is_fitted():
    with pytest.raises(DataError, match="confidence must lie between 0 and 1; got 95"):
        stability(np.full((9, 5), np.nan), 3, confidence=95)


def test_compare_tells_stability_when_asked():
    plain, asked = (
        comparisons(X, 3, ["greedy"], n_bootstrap=b, random_state=0)[0] for b in (0, 10)
    )
    assert plain.stability is None
    assert asked.stability[:5] == stability(X, 3, "greedy", n_bootstrap=10, random_state=0)[:5]
    assert asked.columns == plain.columns


def test_a_method_whose_stability_is_not_known_costs_the_others_nothing():
    Z = np.zeros((6, 4))
    Z[0] = [1, 2, 3, 5]  # a sample without the first row has nothing to choose from
    Z[1] = [1, 0, 2, 0]
    found = {row.method: row for row in comparisons(Z, 2, ["greedy", "variance"], n_bootstrap=20)}
    assert found["greedy"].stability is None
    assert len(found["greedy"].columns) == 2
    (message,) = [text for text in found["greedy"].warnings if "stability" in text]
    assert message.startswith("its stability is not known: GreedyCSS refused a bootstrap sample")
    assert found["variance"].stability.n_subsets == 20
    (whole,) = comparisons(X, 13, ["greedy"], n_bootstrap=3)
    assert whole.stability is None
    assert len(whole.columns) == 13
    assert "k must be in 1..12" in whole.warnings[-1]
    with pytest.raises(ValueError, match="n_bootstrap must be 0, or 2 and more; got 1"):
        comparisons(X, 3, ["greedy"], n_bootstrap=1)
