"""How many columns: planted dimensions, pure noise, invariances, paths, refusals."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine

from sksieve import GreedyCSS, IteratedLocalSearchCSS
from sksieve.exceptions import DataError, TooLargeError
from sksieve.suggest import suggest_n_columns
from sksieve.suggest._noise import Spectrum, count_dimensions, noise_edge
from sksieve.suggest._standard_rows import StandardRows


def planted(n, d, r, noise, seed, n_noise=0):
    """r columns and noisy combinations of them, and columns of pure noise; columns shuffled."""
    rng = np.random.RandomState(seed)
    S = rng.standard_normal((n, r))
    W = rng.standard_normal((r, d - r - n_noise))
    W /= np.linalg.norm(W, axis=0)
    parts = [
        S + 0.1 * rng.standard_normal((n, r)),
        S @ W + noise * rng.standard_normal((n, d - r - n_noise)),
        rng.standard_normal((n, n_noise)),
    ]
    return np.hstack(parts)[:, rng.permutation(d)]


NOISE = {
    "normal": lambda rng, n, d: rng.standard_normal((n, d)),
    "uniform": lambda rng, n, d: rng.random_sample((n, d)),
    "Poisson": lambda rng, n, d: rng.poisson(2.0, (n, d)),
    "rare counts": lambda rng, n, d: rng.poisson(0.05, (n, d)),
    "negative binomial": lambda rng, n, d: rng.negative_binomial(0.5, 0.1, (n, d)),
    "lognormal": lambda rng, n, d: np.exp(rng.standard_normal((n, d))),
    "Student t3": lambda rng, n, d: rng.standard_t(3, (n, d)),
    "mixed": lambda rng, n, d: np.where(
        np.arange(d) % 2, rng.exponential(size=(n, d)), rng.random_sample((n, d)) < 0.1
    ),
    "elliptical": lambda rng, n, d: (
        rng.standard_normal((n, d)) * np.exp(0.5 * rng.standard_normal((n, 1)))
    ),
}


def answer(suggestion):
    return (
        suggestion.kind,
        suggestion.n,
        suggestion.evidence["dimensions"],
        suggestion.interval,
        suggestion.evidence["half_dimensions"],
        [suggestion.enough(share) for share in (0.8, 0.9, 0.95)],
    )


@pytest.mark.parametrize(
    ("n", "d", "r", "noise"),
    [(200, 20, 3, 0.5), (300, 40, 8, 0.5), (100, 150, 4, 0.7), (60, 300, 2, 1.0), (500, 10, 1, 1)],
)
def test_planted_dimensions_are_counted(n, d, r, noise):
    for seed in range(3):
        suggestion = suggest_n_columns(planted(n, d, r, noise, seed), random_state=0)
        assert (suggestion.kind, suggestion.n) == ("count", r)
        assert suggestion.evidence["dimensions"] == r
        assert suggestion.interval[0] <= r <= suggestion.interval[1]
        assert suggestion.evidence["gap"] > 1.2


def test_columns_of_noise_are_not_counted():
    X = planted(400, 60, 5, 0.5, 0, n_noise=20)
    suggestion = suggest_n_columns(X, random_state=0)
    assert suggestion.n == 5
    assert suggestion.enough(0.9) < 12, "of the variance it would be about 30"


@pytest.mark.parametrize("kind", NOISE)
def test_noise_is_called_noise(kind):
    found = [
        suggest_n_columns(NOISE[kind](np.random.RandomState(seed), 150, 20), random_state=0)
        for seed in range(12)
    ]
    assert sum(suggestion.kind != "none" for suggestion in found) <= 1
    nothing = next(suggestion for suggestion in found if suggestion.kind == "none")
    assert (nothing.n, nothing.evidence["dimensions"], nothing.interval) == (None, 0, None)
    assert nothing.enough(0.9) is None
    assert nothing.sentence.startswith("No structure: ")


@pytest.mark.parametrize("d", [10, 80])
def test_the_limit_does_not_move_the_answer(d):
    X = load_breast_cancer().data if d == 10 else planted(150, d, 4, 0.6, 3)
    free = suggest_n_columns(X, random_state=0)
    largest = min(X.shape[1], 30)
    for max_k in (free.n, free.n + 1, largest):
        limited = suggest_n_columns(X, max_k=max_k, random_state=0)
        assert (limited.kind, limited.n) == (free.kind, free.n)
        assert limited.evidence["half_dimensions"] == free.evidence["half_dimensions"]
        for k, share in limited.shares.items():
            assert share == free.shares[k]
    beyond = suggest_n_columns(X, max_k=free.n - 1, random_state=0)
    assert (beyond.kind, beyond.n) == ("beyond", free.n - 1)
    assert "Raise max_k" in beyond.sentence


def test_a_structure_that_fades_is_a_share_and_not_a_count():
    rng = np.random.RandomState(0)
    strength = 0.95 ** np.arange(40)
    X = (rng.standard_normal((500, 40)) * strength) @ rng.standard_normal((40, 40))
    suggestion = suggest_n_columns(X + 0.3 * rng.standard_normal(X.shape), random_state=0)
    assert suggestion.kind == "share"
    assert suggestion.n == suggestion.enough(0.9)
    low, high = suggestion.interval
    assert low <= suggestion.n <= high
    assert suggestion.sentence.startswith("The data give no sharp number: ")
    assert f"{suggestion.n} columns carry 90 %" in suggestion.sentence


def test_repeated_rows_do_not_make_an_answer_more_certain():
    X = planted(80, 12, 3, 1.2, 0)
    once = suggest_n_columns(X, random_state=0)
    for copies in (2, 5):
        repeated = suggest_n_columns(np.vstack([X] * copies), random_state=0)
        assert answer(repeated) == answer(once)
        assert_allclose(list(repeated.shares.values()), list(once.shares.values()), atol=1e-9)
    noise = np.random.RandomState(1).standard_normal((60, 20))
    assert suggest_n_columns(np.vstack([noise] * 10), random_state=0).kind == "none"


@pytest.mark.parametrize("shape", [(120, 15), (25, 60)], ids=["tall", "wide"])
def test_sparse_is_dense(shape):
    rng = np.random.RandomState(0)
    rates = np.exp(0.7 * rng.standard_normal((shape[0], 2)) @ rng.standard_normal((2, shape[1])))
    X = rng.poisson(0.3 * rates).astype(float)
    dense = suggest_n_columns(X, random_state=0)
    for form in (sp.csr_array(X), sp.coo_array(X), sp.csc_matrix(X)):
        assert answer(suggest_n_columns(form, random_state=0)) == answer(dense)
    stored = sp.csr_array(X)
    stored.data[:3] = 0
    assert answer(suggest_n_columns(stored, random_state=0)) == answer(
        suggest_n_columns(stored.toarray(), random_state=0)
    )


def test_units_shifts_and_constant_columns_do_not_matter():
    X = load_wine().data
    plain = suggest_n_columns(X, random_state=0)
    other = np.column_stack([1000 - 7 * X[:, :6], np.full(len(X), 3.0), X[:, 6:] * 1e-6 + 5])
    moved = suggest_n_columns(other, random_state=0)
    assert answer(moved) == answer(plain)
    assert_array_equal(list(moved.shares), list(plain.shares))


def test_same_seed_same_answer():
    X = load_breast_cancer().data
    first, second = (suggest_n_columns(X, random_state=3) for _ in range(2))
    assert dataclasses.asdict(first) == dataclasses.asdict(second)


def test_a_path_is_measured_as_it_is():
    X = load_wine().data
    default = suggest_n_columns(X, random_state=0)
    greedy = GreedyCSS(13, scale="standard").fit(X)
    by_ranking = suggest_n_columns(X, greedy.ranking_, random_state=0)
    by_subsets = suggest_n_columns(X, greedy.path_, random_state=0)
    for k, share in default.shares.items():
        assert_allclose(by_ranking.shares[k], share, rtol=1e-9)
        assert_allclose(by_subsets.shares[k], share, rtol=1e-9)
    assert by_ranking.n == by_subsets.n == default.n == 3
    assert_allclose(by_ranking.evidence["unexplained"], default.evidence["unexplained"])
    worst = suggest_n_columns(X, greedy.ranking_[::-1], random_state=0)
    assert worst.shares[3] < default.shares[3]
    assert worst.enough(0.9) > default.enough(0.9)


def test_a_path_of_subsets_need_not_be_nested():
    X = load_breast_cancer().data
    path = IteratedLocalSearchCSS(12, scale="standard", max_iter=1, random_state=0).fit(X).path_
    suggestion = suggest_n_columns(X, path, random_state=0)
    assert list(suggestion.shares) == list(range(1, 13))
    assert suggestion.evidence["dimensions"] > 12
    assert (suggestion.kind, suggestion.n) == ("beyond", 12)


def test_unexplained_is_that_of_the_columns():
    X = load_wine().data
    suggestion = suggest_n_columns(X, random_state=0)
    greedy = GreedyCSS(3, scale="standard").fit(X)
    expected = greedy.objective_ / greedy.error_path_[0]
    assert_allclose(suggestion.evidence["unexplained"], expected, rtol=1e-9)


def test_shares_are_those_of_the_formula():
    """Against the conditional covariance of a factor model, computed with d x d matrices."""
    from sksieve.suggest._columns import _loadings

    half = StandardRows(planted(200, 9, 2, 0.5, 0), np.random.RandomState(0)).whole()
    model = _loadings(half.spectrum(), 2)
    signal = model.L @ model.L.T
    for S in ([4], [0, 5, 7], list(range(9))):
        inner = signal[np.ix_(S, S)] + np.diag(model.noise[S])
        left = signal - signal[:, S] @ np.linalg.solve(inner, signal[S])
        expected = 1 - np.trace(left) / np.trace(signal)
        assert_allclose(model.carried_by(np.array(S)), expected, rtol=1e-9)
        assert_allclose([share for _, share in model.along(S)][-1], expected, rtol=1e-9)


@pytest.mark.parametrize("shape", [(90, 7), (20, 30)], ids=["tall", "wide"])
def test_halves_are_halves(shape):
    """Every half against its rows, standardized by themselves."""
    X = np.random.RandomState(0).standard_normal(shape) * np.arange(1, shape[1] + 1) + 5
    X[:, 2] = 4
    table = StandardRows(X, np.random.RandomState(1))
    assert table.d == shape[1] - 1
    for half in [table.whole(), *table.halves()]:
        spectrum = half.spectrum()
        assert_allclose(spectrum.totals, half.n)
        assert_allclose(spectrum.s2.sum(), half.n * table.d)
        assert_allclose(spectrum.V.T @ spectrum.V, np.eye(len(spectrum.s2)), atol=1e-9)
    halves = list(table.halves())
    assert [half.n for half in halves] == [shape[0] // 2] * 6
    side = np.random.RandomState(1).permutation(shape[0]) % 2
    Y = np.delete(X[side == 0], 2, axis=1)
    Y = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    expected = np.linalg.svd(Y, compute_uv=False) ** 2
    s2 = halves[0].spectrum().s2
    assert_allclose(s2[: len(expected) - 1], expected[: len(s2)][: len(expected) - 1], rtol=1e-8)


def test_forward_selection_is_that_of_the_package():
    for X in (load_wine().data, np.random.RandomState(0).standard_normal((12, 30))):
        whole = StandardRows(X, np.random.RandomState(0)).whole()
        greedy = GreedyCSS(8, scale="standard").fit(X)
        order = whole.forward()
        assert_array_equal([next(order) for _ in range(8)], greedy.ranking_[:8])


def test_the_edge_is_that_of_marchenko_and_pastur():
    for c in (0.01, 0.5, 2.0):
        assert_allclose(noise_edge(np.full(100, 3.0), 1e9, c * 1e9), 3 * (1 + c**0.5) ** 2, 1e-4)
    rng = np.random.RandomState(0)
    tops = [np.linalg.norm(rng.standard_normal((300, 100)), 2) ** 2 / 300 for _ in range(200)]
    above = np.mean(np.array(tops) > noise_edge(np.ones(100), 300, 100))
    assert above <= 0.03
    assert np.max(tops) > 0.9 * noise_edge(np.ones(100), 300, 100)


def test_a_dimension_after_a_failure_must_be_sure():
    """Patience once counted 31 dimensions where 20 had been planted."""
    n, d = 2000, 100
    rng = np.random.RandomState(0)
    X = planted(n, d, 5, 0.5, 0)
    spectrum = StandardRows(X, rng).whole().spectrum()
    assert isinstance(spectrum, Spectrum)
    assert count_dimensions(spectrum, lambda r: 1.0) == 5
    assert count_dimensions(spectrum, lambda r: 1e9) == 0


def test_twenty_dimensions_of_a_large_table():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((8_000, 20)) @ rng.standard_normal((20, 400))
    X += np.sqrt(20) * rng.standard_normal(X.shape)
    suggestion = suggest_n_columns(X, random_state=0)
    assert (suggestion.kind, suggestion.n, suggestion.interval) == ("count", 20, (20, 20))


def test_rows_in_order_are_reported():
    rng = np.random.RandomState(0)
    walk = suggest_n_columns(np.cumsum(rng.standard_normal((300, 10)), axis=0), random_state=0)
    assert "time series" in walk.notes[0]
    assert suggest_n_columns(rng.standard_normal((300, 10)), random_state=0).notes == ()
    assert suggest_n_columns(load_wine().data, random_state=0).notes == ()


def test_sentences():
    several = suggest_n_columns(load_wine().data, random_state=0)
    assert several.sentence == (
        "3 columns: the table has 3 dimensions above its noise (halves of the rows show 3), and "
        "the next one is 1.6 times weaker. They leave 43 % of the variance of these rows "
        "unexplained (more of new rows) and carry 85 % of what all columns share."
    )
    one = suggest_n_columns(planted(500, 10, 1, 1, 0), random_state=0).sentence
    assert one.startswith("1 column: the table has 1 dimension above its noise")
    assert "It leaves " in one
    assert " and carries " in one
    beyond = suggest_n_columns(load_wine().data, max_k=1, random_state=0).sentence
    assert beyond.startswith("More than 1 column is needed: the table has 3 dimensions above its ")


def test_texts_and_record():
    suggestion = suggest_n_columns(load_wine().data, random_state=0)
    assert repr(suggestion) == "Suggestion(kind='count', n=3, interval=(3, 3))"
    assert str(suggestion) == suggestion.sentence
    assert suggestion.record()["dimensions"] == 3
    assert suggestion.record()["n"] == 3


def test_refusals():
    X = load_wine().data
    missing = X.copy()
    missing[3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        suggest_n_columns(missing)
    with pytest.raises(DataError, match=r"max_k must lie in 1\.\.13; got 14"):
        suggest_n_columns(X, max_k=14)
    with pytest.raises(DataError, match="distinct columns of X, numbered 0 to 12"):
        suggest_n_columns(X, [0, 0, 1])
    with pytest.raises(DataError, match="numbered 0 to 12"):
        suggest_n_columns(X, [0, 13])
    with pytest.raises(DataError, match="must hold column indices"):
        suggest_n_columns(X, ["a"])
    with pytest.raises(DataError, match="a subset of that size"):
        suggest_n_columns(X, {2: [1]})
    with pytest.raises(DataError, match="no subset of at most 2 columns"):
        suggest_n_columns(X, {3: [1, 2, 3]}, max_k=2)
    with pytest.raises(DataError, match="5 distinct rows and 13 columns"):
        suggest_n_columns(np.vstack([X[:5]] * 4))
    with pytest.raises(DataError, match="1 columns that vary"):
        suggest_n_columns(np.column_stack([X[:, 0], np.ones(len(X))]))
    with pytest.raises(ValueError, match="share must lie between 0 and 1"):
        suggest_n_columns(X, random_state=0).enough(1.5)
    with pytest.raises(DataError, match=r"Multiply X"):
        suggest_n_columns(X * 1e160)


def test_tables_too_large_in_both_directions_are_refused():
    with pytest.raises(TooLargeError, match="Take a sample of the rows or drop columns"):
        suggest_n_columns(sp.eye_array(30_000, format="csr"))
