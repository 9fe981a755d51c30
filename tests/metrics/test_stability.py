"""Nogueira's stability, against its definition, its properties and its authors' numbers."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sksieve.metrics import Stability, jaccard, stability, stability_test

# Random choices of 4 out of 10, with the value and variance that the authors' own code gives in
# the demonstration they publish with the paper.
AUTHORS = [
    [0, 1, 2, 3],
    [3, 5, 6, 7],
    [1, 5, 6, 7],
    [0, 1, 4, 6],
    [1, 2, 4, 5],
    [1, 2, 3, 6],
    [0, 3, 8, 9],
    [3, 5, 6, 7],
    [2, 3, 4, 5],
    [4, 7, 8, 9],
]


@st.composite
def choices(draw):
    M, d = draw(st.integers(2, 8)), draw(st.integers(2, 8))
    bits = st.lists(st.booleans(), min_size=d, max_size=d)
    return np.array([draw(bits) for _ in range(M)])


def literal(Z):
    """Definition 4 and the variance, feature by feature and subset by subset."""
    M, d = Z.shape
    Z = Z.astype(float)
    p = [sum(Z[i, f] for i in range(M)) / M for f in range(d)]
    s2 = [M / (M - 1) * p_f * (1 - p_f) for p_f in p]
    kbar = sum(p)
    bottom = kbar / d * (1 - kbar / d)
    value = 1 - sum(s2) / d / bottom
    phi = []
    for i in range(M):
        k_i = sum(Z[i])
        inner = sum(Z[i, f] * p[f] for f in range(d)) / d - k_i * kbar / d**2
        inner += value / 2 * (2 * kbar * k_i / d**2 - k_i / d - kbar / d + 1)
        phi.append(inner / bottom)
    mean = sum(phi) / M
    return value, 4 / M**2 * sum((x - mean) ** 2 for x in phi)


def test_the_authors_numbers():
    result = stability(AUTHORS, n_features=10)
    assert result.value == pytest.approx(-0.037037037037, abs=1e-12)
    assert result.variance == pytest.approx(0.00516666666667, abs=1e-14)
    assert result.frequencies.tolist() == [0.3, 0.5, 0.4, 0.6, 0.4, 0.5, 0.5, 0.4, 0.2, 0.2]
    assert stability([[0, 1], [1, 2], [0, 2]], n_features=3).value == pytest.approx(-0.5)


@given(choices())
def test_value_and_variance_are_their_formulas(Z):
    result = stability(Z, Z.shape[1])
    if Z.all() or not Z.any():
        assert (result.value, result.variance) == (1.0, 0.0)
        return
    value, variance = literal(Z)
    assert result.value == pytest.approx(value, abs=1e-10)
    assert result.variance == pytest.approx(variance, abs=1e-10)
    assert -1 / (len(Z) - 1) - 1e-9 <= result.value <= 1 + 1e-12
    assert result.n_subsets == len(Z)


@given(choices(), st.randoms(use_true_random=False))
def test_order_of_subsets_and_features_does_not_matter(Z, random):
    rows, columns = list(range(Z.shape[0])), list(range(Z.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    a, b = stability(Z, Z.shape[1]), stability(Z[rows][:, columns], Z.shape[1])
    assert b.value == pytest.approx(a.value, abs=1e-10)
    assert b.variance == pytest.approx(a.variance, abs=1e-10)
    complement = stability(~Z, Z.shape[1])  # what is left out is as stable as what is chosen
    assert complement.value == pytest.approx(a.value, abs=1e-10)


@given(choices())
def test_one_exactly_when_all_subsets_are_the_same(Z):
    same = (Z == Z[0]).all()
    assert (stability(Z, Z.shape[1]).value > 1 - 1e-9) == same
    repeated = stability(np.repeat(Z[:1], 5, axis=0), Z.shape[1])
    assert repeated.value == pytest.approx(1.0, abs=1e-12)
    assert repeated.variance == pytest.approx(0.0, abs=1e-20)


def test_indices_and_masks_are_the_same_thing():
    masks = np.zeros((10, 10), dtype=bool)
    for mask, subset in zip(masks, AUTHORS, strict=True):
        mask[subset] = True
    assert stability(masks, 10).value == stability(AUTHORS, 10).value


def test_equal_sizes_give_kunchevas_index():
    d, k = 10, 4
    pairs = [
        (len(set(a) & set(b)) - k**2 / d) / (k - k**2 / d) for a, b in combinations(AUTHORS, 2)
    ]
    assert stability(AUTHORS, d).value == pytest.approx(np.mean(pairs), abs=1e-12)


def test_random_subsets_are_worth_nothing_on_average():
    rng = np.random.default_rng(0)
    values = [
        stability([rng.choice(30, 8, replace=False) for _ in range(20)], 30).value
        for _ in range(200)
    ]
    assert abs(np.mean(values)) < 4 * np.std(values) / np.sqrt(200)


def test_the_interval_covers_the_true_stability():
    """Features chosen independently with known probabilities: the true value has a closed form."""
    p = np.linspace(0.05, 0.95, 20)
    q = p.mean()
    truth = 1 - np.mean(p * (1 - p)) / (q * (1 - q))
    rng = np.random.default_rng(0)
    results = [stability(rng.random((60, 20)) < p, 20) for _ in range(400)]
    covered = np.mean([r.lower <= truth <= r.upper for r in results])
    assert 0.91 < covered < 0.985  # 0.95, asymptotically; binomial spread 0.011
    spread = np.var([r.value for r in results])
    assert np.mean([r.variance for r in results]) == pytest.approx(spread, rel=0.25)


def test_interval_follows_the_confidence():
    narrow, wide = (stability(AUTHORS, 10, confidence=c) for c in (0.5, 0.99))
    root = np.sqrt(narrow.variance)
    assert narrow.upper - narrow.value == pytest.approx(0.6744897501960817 * root)
    assert wide.value - wide.lower == pytest.approx(2.5758293035489004 * root)


def test_tests_hold_their_level_and_see_differences():
    rng = np.random.default_rng(1)
    p, q = np.repeat([0.9, 0.1], 10), np.repeat([0.7, 0.3], 10)

    def draw(probabilities):
        return stability(rng.random((50, 20)) < probabilities, 20)

    same = [stability_test(draw(p), draw(p)).p_value for _ in range(300)]
    assert np.mean(np.array(same) < 0.05) < 0.09
    other = stability_test(draw(p), draw(q))
    assert other.statistic > 0
    assert other.p_value < 1e-6
    truth = 1 - 0.9 * 0.1 / 0.25
    against = [stability_test(draw(p), truth).p_value for _ in range(300)]
    assert np.mean(np.array(against) < 0.05) < 0.10
    assert stability_test(draw(p), 0.2).p_value < 1e-6
    assert stability_test(draw(q), 0.9).p_value > 0.999


def test_tests_are_symmetric_and_defined_without_variance():
    a, b = stability(AUTHORS, 10), stability(AUTHORS[:5], 10)
    forth, back = stability_test(a, b), stability_test(b, a)
    assert forth.statistic == -back.statistic
    assert forth.p_value == back.p_value
    always = stability([[0, 1]] * 4, 10)
    assert stability_test(always, 0.5) == (np.inf, 0.0)
    assert stability_test(always, always) == (0.0, 1.0)
    assert stability_test(always, 1.0) == (0.0, 0.5)
    assert isinstance(always, Stability)


@given(choices())
def test_jaccard_is_its_definition(Z):
    sets = [set(np.flatnonzero(z)) for z in Z]
    expected = np.mean(
        [len(a & b) / len(a | b) if a | b else 1.0 for a, b in combinations(sets, 2)]
    )
    assert jaccard(Z, Z.shape[1]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("subsets", "message"),
    [
        ([[0, 1]], "needs at least two"),
        ([[0], [5]], r"must lie in 0\.\.4"),
        ([[0, 0], [1]], "twice"),
        (np.zeros((2, 4), dtype=bool), "a mask, has shape"),
    ],
)
def test_stability_refuses(subsets, message):
    with pytest.raises(ValueError, match=message):
        stability(subsets, 5)


def test_confidence_must_be_a_share():
    with pytest.raises(ValueError, match="confidence"):
        stability(AUTHORS, 10, confidence=95)
