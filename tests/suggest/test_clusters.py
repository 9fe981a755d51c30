"""How many groups a table has, and whether it is one lump."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import cut_tree, ward
from sklearn.datasets import load_iris, load_wine, make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from sksieve.exceptions import DataError
from sksieve.suggest import one_lump_p_value, suggest_n_clusters
from sksieve.suggest._clusters import _adjusted_rand, _cuts, _sentence
from sksieve.suggest._one_lump import (
    _graph,
    _OneLump,
    _reaches,
    _second_eigenvalue,
    critical_bandwidth,
)


@pytest.mark.parametrize("centers", [2, 4, 7])
def test_blobs_are_counted(centers):
    X, _ = make_blobs(240, centers=centers, n_features=6, random_state=1)
    count = suggest_n_clusters(X, random_state=0)
    assert (count.kind, count.n) == ("guess", centers)
    assert count.evidence["p_value"] == 0.01
    assert f"{centers} groups are a guess" in count.sentence


def test_real_tables():
    assert suggest_n_clusters(load_wine().data, random_state=0).n == 3
    assert suggest_n_clusters(load_iris().data, random_state=0).n in (2, 3)
    assert one_lump_p_value(load_iris().data, random_state=0) == 0.01


def test_few_other_numbers_are_named_and_many_are_a_range():
    assert _sentence(4, [3, 5, 6], 0.01).endswith("of two. Also reasonable: 3, 5, 6.")
    assert _sentence(4, [12, 15, 3, 45], 0.01).endswith(
        "4 groups are a guess: the table has no clear number, and 4 others from 3 to 45 are as "
        "reasonable."
    )


def test_candidates_agree_nearly_as_well():
    X = np.repeat([[0.0], [4.0]], 100, axis=0) + np.random.RandomState(0).standard_normal((200, 3))
    count = suggest_n_clusters(X, random_state=0)
    least = 0.9 * max(count.evidence["agreement"].values())
    near = {c for c, value in count.evidence["agreement"].items() if value >= least}
    assert near == set(count.evidence["candidates"])
    assert count.interval == (min(near), max(near))
    modularity = count.evidence["modularity"]
    assert modularity[count.n] == max(modularity[c] for c in near)
    assert max(count.evidence["agreement"]) == 50
    assert max(suggest_n_clusters(X[:60], random_state=0).evidence["agreement"]) == 15


def test_clouds_are_one_lump():
    p_values = [
        one_lump_p_value(np.random.RandomState(seed).standard_normal((150, d)), random_state=0)
        for seed in range(5)
        for d in (2, 8)
    ]
    assert min(p_values) > 0.05
    cloud = np.random.RandomState(0).standard_normal((150, 4)) @ np.diag([1, 2, 5, 0.1])
    count = suggest_n_clusters(cloud @ np.random.RandomState(1).standard_normal((4, 4)))
    assert (count.kind, count.n, count.interval) == ("none", None, None)
    assert count.sentence.startswith("No groups found: the table looks like one lump (p = ")


def test_a_skewed_margin_is_one_lump_and_moons_are_not():
    rng = np.random.RandomState(0)
    assert one_lump_p_value(rng.gamma(5, size=(200, 2)), random_state=0) > 0.05
    assert one_lump_p_value(make_moons(200, noise=0.05, random_state=0)[0], random_state=0) == 0.01


def test_a_disconnected_graph_is_counted_before_any_eigenvalue():
    X = np.concatenate([np.zeros((30, 2)), np.ones((30, 2))])
    X = X + 1e-3 * np.random.RandomState(0).standard_normal(X.shape)
    assert one_lump_p_value(X, n_copies=19, random_state=0) == 0.05


def test_a_factorization_decides_what_the_second_eigenvalue_reaches():
    for seed, n in enumerate((12, 60, 200)):
        A = _graph(np.random.RandomState(seed).standard_normal((n, 2)))
        value = _second_eigenvalue(A)
        assert 0 < value < 1
        assert _reaches(A, value - 1e-9)
        assert not _reaches(A, value + 1e-9)
        assert _reaches(A, -0.1)
        assert not _reaches(A, 1.0)
    apart = _graph(np.repeat([[0.0], [9.0]], 30, axis=0) + np.random.RandomState(0).rand(60, 1))
    assert _reaches(apart, 1.0)


@pytest.mark.parametrize("n_distinct", [5, 12, 80])
def test_cuts_are_those_of_the_tree(n_distinct):
    rng = np.random.RandomState(n_distinct)
    X = np.round(rng.standard_normal((n_distinct, 2)), 1)[rng.randint(n_distinct, size=80)]
    tree, numbers = ward(X), list(range(2, 21))
    cuts = _cuts(tree, numbers)
    for labels, c in zip(cut_tree(tree, numbers).T, numbers, strict=True):
        assert len(np.unique(cuts[c])) == c
        assert _adjusted_rand(cuts[c], labels) == 1.0


def test_agreement_is_the_adjusted_rand_index():
    rng = np.random.RandomState(0)
    for n in (1, 2, 9, 40):
        for c in (1, 2, 6):
            a, b = rng.randint(c, size=n), rng.randint(3, size=n)
            assert _adjusted_rand(a, b) == adjusted_rand_score(a, b)
            assert _adjusted_rand(a, a) == 1.0


def test_critical_bandwidth_is_the_smallest_with_one_mode():
    x = np.concatenate([np.linspace(-4, -3, 20), np.linspace(2, 3, 30)])
    h = critical_bandwidth(x)
    grid = np.linspace(-8, 8, 4000)

    def modes(bandwidth):
        density = np.exp(-0.5 * ((grid[:, None] - x) / bandwidth) ** 2).sum(axis=1)
        return int(np.sum((density[1:-1] > density[:-2]) & (density[1:-1] > density[2:])))

    assert modes(1.02 * h) == 1
    assert modes(0.97 * h) == 2


def test_copies_keep_spread_and_correlation():
    rng = np.random.RandomState(0)
    Z = rng.gamma(5, size=(4000, 2))
    Z[:, 1] += Z[:, 0]
    copy = _OneLump(Z).draw(rng)
    np.testing.assert_allclose(copy.mean(axis=0), Z.mean(axis=0), atol=0.1)
    np.testing.assert_allclose(copy.std(axis=0), Z.std(axis=0), rtol=0.1)
    np.testing.assert_allclose(np.corrcoef(copy.T)[0, 1], np.corrcoef(Z.T)[0, 1], atol=0.1)


def test_sparse_is_dense_units_do_not_matter_and_seeds_repeat():
    X, _ = make_blobs(90, centers=3, n_features=5, random_state=0)
    X[X < 0] = 0
    plain = suggest_n_clusters(X, random_state=0)
    assert suggest_n_clusters(sp.csr_array(X), random_state=0) == plain
    other = np.column_stack([X * 2.0**7, np.full(90, 3.0)])
    assert suggest_n_clusters(other, random_state=0) == plain


def test_repeated_rows_and_many_columns():
    X = np.repeat(np.eye(4), 10, axis=0)
    assert suggest_n_clusters(X, random_state=0).n == 4
    wide, _ = make_blobs(40, centers=2, n_features=300, random_state=0)
    count = suggest_n_clusters(wide, random_state=0)
    assert (count.n, count.kind) == (2, "guess")


def test_refusals():
    X = np.random.RandomState(0).standard_normal((30, 3))
    with pytest.raises(DataError, match="X has 19 rows; at least 20"):
        suggest_n_clusters(X[:19])
    with pytest.raises(DataError, match="Every column of X is constant"):
        suggest_n_clusters(np.ones((30, 3)))
    with pytest.raises(DataError, match="n_copies must be at least 1"):
        one_lump_p_value(X, n_copies=0)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        suggest_n_clusters(X)


def test_a_value_so_rare_that_the_sample_of_the_test_misses_it():
    X = np.random.RandomState(0).standard_normal((900, 3))
    rare = np.zeros((900, 1))
    rare[[5, 17]] = 1  # constant in most samples of 400 rows
    for seed in range(4):
        p_value = one_lump_p_value(np.hstack([X, rare]), n_copies=3, random_state=seed)
        assert 0 < p_value <= 1
    assert suggest_n_clusters(np.hstack([X, rare]), random_state=2).evidence["p_value"] > 0
