"""The choice repeated on halves of the rows."""

import numpy as np

from sksieve.evaluation import half_groups, half_samples


def table(n=200):
    rng = np.random.RandomState(0)
    X = rng.randn(n, 6)
    X[:, 3] = -X[:, 0] + 0.1 * rng.randn(n)  # a stand-in for 0
    return X


NAMES = [f"c{j}" for j in range(6)]


def test_a_column_or_its_stand_in_counts():
    X, drawn = table(), []

    def choose(rows):
        drawn.append(rows)
        i = len(drawn)
        return np.array([0 if i % 2 else 3, 1 if i <= 4 else 5])

    again = half_samples(X, np.array([0, 1, 2]), NAMES, choose)
    assert again.n_subsets == len(drawn) == 20
    assert {len(rows) for rows in drawn} == {100}
    assert all(len(np.unique(rows)) == 100 for rows in drawn)
    assert len({tuple(rows) for rows in drawn}) == 20
    assert again.names == ["c0", "c1", "c2"]
    assert again.counts == [20, 4, 0]
    assert again.stand_ins == ["c3", "", ""]


def test_the_sentence_names_what_is_uncertain():
    X = table()
    certain = half_samples(X, np.array([1, 2]), NAMES, lambda rows: np.array([1, 2]))
    assert certain.sentence == (
        "On 20 random halves of the rows, 2 of 2 columns are chosen again, or a stand-in, at "
        "least 15 times."
    )
    calls = iter(range(20))
    doubtful = half_samples(
        X, np.array([1, 2]), NAMES, lambda rows: np.array([1, 2 if next(calls) < 9 else 5])
    )
    assert doubtful.counts == [20, 9]
    assert "Less than half of the time: 'c2'." in doubtful.sentence


def test_the_same_seed_draws_the_same_halves():
    X, seen = table(), []
    for seed in (0, 0, 1):
        drawn = []
        half_samples(
            X, np.array([1]), NAMES, lambda rows, drawn=drawn: drawn.append(rows) or [1],
            random_state=seed,
        )  # fmt: skip
        seen.append(np.concatenate(drawn))
    np.testing.assert_array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[0], seen[2])


def test_groups_are_compared_on_the_rows_of_the_half():
    labels = np.repeat([0, 1], 50)
    same = half_groups(labels, lambda rows: 1 - labels[rows])
    assert (same.n_subsets, same.mean, same.lowest) == (20, 1.0, 1.0)
    assert "low" not in same.sentence.replace("lowest", "")
    one = half_groups(labels, lambda rows: np.zeros(len(rows)))
    assert (one.mean, one.lowest) == (0.0, 0.0)
    assert "That is low" in one.sentence
    calls = iter(range(20))
    mixed = half_groups(labels, lambda rows: labels[rows] if next(calls) else np.zeros(len(rows)))
    assert (mixed.mean, mixed.lowest) == (0.95, 0.0)
