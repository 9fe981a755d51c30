"""Synthetic data: each maker does what its definition says."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sksieve.datasets import (
    load,
    make_informative_plus_noise,
    make_low_rank,
    make_redundant_table,
    make_sbm,
    make_shape,
    make_subspaces,
)
from sksieve.datasets._sbm import _unrank
from sksieve.metrics import reconstruction_error

MAKERS = [
    make_sbm,
    make_subspaces,
    make_informative_plus_noise,
    make_low_rank,
    make_redundant_table,
    lambda random_state: make_shape("banana", random_state=random_state),
]


def _arrays(made):
    parts = made.values() if hasattr(made, "values") else made
    parts = [parts] if isinstance(parts, np.ndarray) else parts
    return [part.toarray() if hasattr(part, "toarray") else np.asarray(part) for part in parts]


@pytest.mark.parametrize("maker", MAKERS)
def test_same_seed_same_data_and_the_global_generator_is_left_alone(maker):
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    once, again, other = (_arrays(maker(random_state=seed)) for seed in (0, 0, 1))
    assert all(np.array_equal(a, b) for a, b in zip(once, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(once, other, strict=True))
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@given(st.integers(1, 4), st.integers(0, 20), st.integers(0, 10**6))
def test_sbm_is_a_simple_undirected_graph(n_blocks, extra, seed):
    n = n_blocks + extra
    A, y = make_sbm(n, n_blocks, 0.5, 0.3, random_state=seed)
    A = A.toarray()
    assert A.shape == (n, n)
    np.testing.assert_array_equal(A, A.T)
    assert not A.diagonal().any()
    assert set(np.unique(A)) <= {0.0, 1.0}
    assert np.ptp(np.bincount(y, minlength=n_blocks)) <= 1


@given(st.integers(1, 60))
def test_sbm_decodes_every_pair_once(n):
    A, _ = make_sbm(n, 1, 1.0, 0.0)
    np.testing.assert_array_equal(A.toarray(), 1 - np.eye(n))


@pytest.mark.parametrize("i", [2, 10**3, 10**8 + 1, 10**9 + 7, 2**31 - 1])
def test_pairs_of_huge_blocks_are_decoded_exactly(i):
    first = i * (i - 1) // 2
    codes = np.array([first - 1, first, first + 1, first + i - 1])
    expected = [[i - 1, i, i, i], [i - 2, 0, 1, i - 1]]
    assert _unrank(codes).tolist() == expected


def test_sbm_pairs_are_joined_with_the_given_probabilities():
    n_draws, n = 400, 12
    rng = np.random.RandomState(0)
    mean = sum(make_sbm(n, 2, 0.65, 0.4, random_state=rng)[0].toarray() for _ in range(n_draws))
    mean = mean / n_draws
    y = make_sbm(n, 2)[1]
    same = (y[:, None] == y) & ~np.eye(n, dtype=bool)
    other = y[:, None] != y
    bound = 4.5 * np.sqrt(0.25 / n_draws)  # of one pair: none favored, none left out
    assert np.abs(mean[same] - 0.65).max() < bound
    assert np.abs(mean[other] - 0.40).max() < bound
    assert abs(mean[same].mean() - 0.65) < 0.02
    assert abs(mean[other].mean() - 0.40) < 0.02


def test_sbm_sizes_and_scale():
    A, y = make_sbm(100_000, 3, 1e-4, 0.0, sizes=[50_000, 30_000, 20_000], random_state=0)
    assert np.bincount(y).tolist() == [50_000, 30_000, 20_000]
    expected = 1e-4 * sum(s * (s - 1) for s in (50_000, 30_000, 20_000))
    assert abs(A.nnz - expected) < 5 * np.sqrt(2 * expected)
    i, j = A.nonzero()
    np.testing.assert_array_equal(y[i], y[j])


@pytest.mark.parametrize(
    "wrong",
    [
        {"p_in": 1.2},
        {"sizes": [3, 3]},
        {"sizes": [40]},
        {"sizes": [40, 0]},
        {"n_blocks": 41},
        {"n_blocks": 0},
        {"n_blocks": -1},
    ],
)
def test_sbm_refuses(wrong):
    message = (
        "p_in and p_out must lie in" if "p_in" in wrong else "of at least one node must hold 40"
    )
    with pytest.raises(ValueError, match=message):
        make_sbm(**wrong)


def test_subspaces_have_their_dimension_and_differ():
    X, y = make_subspaces(4, dim=3, n_features=20, n_samples=50, noise=0.0, random_state=0)
    assert np.bincount(y).tolist() == [13, 13, 12, 12]
    ranks = [np.linalg.matrix_rank(X[y == c]) for c in range(4)]
    assert ranks == [3] * 4
    assert np.linalg.matrix_rank(X) == 12
    noisy, _ = make_subspaces(1, 3, 20, 4000, noise=0.1, random_state=0)
    tail = np.linalg.svd(noisy, compute_uv=False)[3:]
    assert np.sum(tail**2) == pytest.approx(0.01 * 17 * 4000, rel=0.03)
    with pytest.raises(ValueError, match="dim=5 exceeds"):
        make_subspaces(dim=5, n_features=4)
    for wrong in ({"n_samples": 3}, {"n_subspaces": 0}):
        with pytest.raises(ValueError, match=r"n_subspaces must lie in 1\.\.n_samples"):
            make_subspaces(**wrong)


@pytest.mark.parametrize("base", ["Dartboard1", "Banana", "Diamond9", "moons", "spirals"])
def test_informative_columns_are_the_shape_and_noise_gives_nothing_away(base):
    X, y, informative = make_informative_plus_noise(base, n_noise=7, random_state=3)
    assert X.shape[1] == 9
    assert len(informative) == 2
    signal = X[:, informative]
    noise = np.delete(X, informative, axis=1)
    shape, labels = make_shape(base, len(X), random_state=3)
    np.testing.assert_array_equal(np.sort(signal, axis=1), np.sort(shape, axis=1))
    np.testing.assert_array_equal(y, labels)
    low, high = signal.std(axis=0).min(), signal.std(axis=0).max()
    assert np.all(noise.std(axis=0) > 0.85 * low)
    assert np.all(noise.std(axis=0) < 1.15 * high)
    like = signal.mean(axis=0)
    off = np.abs(noise.mean(axis=0)[:, None] - like).min(axis=1)  # from the nearer of the two
    assert off.max() < 4 * high / np.sqrt(len(X))
    correlation = np.corrcoef(np.column_stack([noise, y == 0]), rowvar=False)
    assert np.abs(correlation - np.eye(8)).max() < 5 / np.sqrt(len(X))


def test_order_of_the_columns_depends_on_the_seed():
    places = {tuple(make_informative_plus_noise("moons", random_state=s)[2]) for s in range(20)}
    assert len(places) > 5


@pytest.mark.parametrize(
    ("name", "same"),
    [("Dartboard1", 0.999), ("Diamond9", 0.99), ("Banana", 0.999), ("moons", 0.99)],
)
def test_clusters_of_a_shape_are_apart(name, same):
    X, y = make_shape(name, random_state=0)
    squared = np.sum((X[:, None] - X) ** 2, axis=2)
    np.fill_diagonal(squared, np.inf)
    assert np.mean(y[squared.argmin(axis=1)] == y) > same


def test_shapes_follow_their_formulas():
    X, y = make_shape("dartboard1", 40)
    np.testing.assert_allclose(np.hypot(*(X - [-0.5, 0.5]).T), 0.4 - 0.1 * y)
    X, y = make_shape("DIAMOND9", 900, random_state=0)
    center = np.column_stack([2 * (y % 3) - 1, 2 * (y // 3)])
    reach = np.abs(X - center).sum(axis=1)
    assert reach.max() <= 1
    assert np.mean(reach < np.sqrt(0.5)) == pytest.approx(0.5, abs=0.06)  # evenly filled
    X, y = make_shape("spirals", 4000, random_state=0)
    radius = np.hypot(*X.T)
    assert np.mean(radius**2) == pytest.approx((0.1**2 + 1) / 2 + 2 * 0.02**2, rel=0.03)
    turn = (np.arctan2(X[:, 1], X[:, 0]) - 3 * np.pi * radius - np.pi * y) / (2 * np.pi)
    off = np.abs(turn - np.round(turn))[radius > 0.5]
    assert np.mean(off < 0.1) > 0.95  # on its arm
    with pytest.raises(ValueError, match="no shape 'heart'"):
        make_shape("heart")


def test_dartboard_is_the_file(real_data):
    file = real_data("Dartboard1")
    X, y = make_shape("Dartboard1")
    squared = np.sum((X[:, None] - file.X) ** 2, axis=2)
    nearest = squared.argmin(axis=1)
    assert len(np.unique(nearest)) == len(file.X) == len(X)
    assert np.sqrt(squared.min(axis=1)).max() < 1e-6
    np.testing.assert_array_equal(y, file.y[nearest])


def test_diamonds_are_filled_like_the_file(real_data):
    def quantiles(X, y):
        center = np.column_stack([2 * (y % 3) - 1, 2 * (y // 3)])
        return np.quantile(np.abs(X - center).sum(axis=1), [0.1, 0.25, 0.5, 0.75, 0.9, 1.0])

    file = real_data("Diamond9")
    made = make_shape("Diamond9", len(file.X), random_state=0)
    np.testing.assert_allclose(quantiles(*made), quantiles(file.X, file.y), atol=0.03)


def test_bananas_lie_where_the_file_has_them(real_data):
    file = real_data("Banana")
    X, y = make_shape("Banana", 4811, random_state=0)
    squared = np.sum((X[::5, None] - file.X) ** 2, axis=2)
    np.testing.assert_array_equal(y[::5], file.y[squared.argmin(axis=1)])
    assert np.median(np.sqrt(squared.min(axis=1))) < 0.01


def test_low_rank_signal_and_noise():
    X = make_low_rank(400, 300, rank=3, noise=0.0, random_state=0)
    sigma = np.linalg.svd(X, compute_uv=False)
    assert sigma[3] < 1e-12 * sigma[0]
    assert X.var() == pytest.approx(1.0, rel=0.15)
    sigma = np.linalg.svd(make_low_rank(400, 300, 3, noise=0.5, random_state=0), compute_uv=False)
    assert sigma[2] > 5 * sigma[3]
    assert sigma[3] < 1.05 * 0.5 * (np.sqrt(400) + np.sqrt(300))  # edge of the noise
    with pytest.raises(ValueError, match=r"rank must lie in 1\.\.5"):
        make_low_rank(10, 5, rank=6)


def test_redundant_table_has_the_answer_it_states():
    table = make_redundant_table(200, (4, 3, 1), noise=0.4, random_state=0)
    d = len(table.groups)
    assert table.X.shape == (200, d) == (200, 8)
    assert np.bincount(table.groups).tolist() == [4, 3, 1]
    assert table.groups[table.representatives].tolist() == [0, 1, 2]
    factors = table.X[:, table.representatives]
    np.testing.assert_allclose(factors.T @ factors, 200 * np.eye(3), atol=1e-10)
    np.testing.assert_allclose(factors.mean(axis=0), 0, atol=1e-12)
    correlation = np.abs(np.corrcoef(table.X, rowvar=False))
    same = table.groups[:, None] == table.groups
    assert correlation[same].min() > 0.75
    assert correlation[~same].max() < 0.25
    errors = {
        S: reconstruction_error(table.X, S, scale="standard") for S in combinations(range(d), 3)
    }
    assert min(errors, key=errors.get) == tuple(sorted(table.representatives))
    assert all(f"group{g}_" in name for g, name in zip(table.groups, table.feature_names))


def test_redundant_table_refuses_empty_groups_and_too_few_rows():
    for wrong in ((3, 0), (2.5, 1), ()):
        with pytest.raises(ValueError, match="at least one column"):
            make_redundant_table(50, wrong)
    with pytest.raises(ValueError, match="more than 2 samples"):
        make_redundant_table(2, (3, 1))


def test_iris_is_at_hand_for_examples():
    assert load("iris").X.shape == (150, 4)
