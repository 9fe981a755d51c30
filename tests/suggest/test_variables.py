"""How many variables of a mixed table: planted factors, noise of all kinds, what is reported."""

import numpy as np
import pandas as pd
import pytest

from sksieve import MixedColumns
from sksieve.exceptions import DataError
from sksieve.io import numeric_table
from sksieve.metrics import HeldOut
from sksieve.suggest import suggest_n_variables
from sksieve.suggest._variables import LEVEL, Blocks, blocks_of


def noise(rng, n):
    """Numbers and text columns that are independent of everything."""
    frame = {f"v{j}": [f"v{x}" for x in rng.randint(j, size=n)] for j in (2, 5, n // 10, n // 3)}
    return pd.DataFrame(
        frame | {"normal": rng.randn(n), "heavy": rng.standard_t(2, n), "log": np.exp(rng.randn(n))}
    )


def planted(seed, n=150):
    """Three factors, each behind three numbers and a text column, and columns of noise."""
    rng = np.random.RandomState(seed)
    factors = rng.standard_normal((n, 3))
    frame = noise(rng, n)
    for j in range(9):
        frame[f"x{j}"] = factors[:, j % 3] + 0.4 * rng.standard_normal(n)
    for j in range(3):
        frame[f"text{j}"] = np.array(list("abcd"))[np.digitize(factors[:, j], [-0.7, 0, 0.7])]
    return frame


def coded(frame):
    table = numeric_table(frame, encode="onehot")
    return table.X, table.groups


def test_planted_factors_are_counted_and_noise_is_never_chosen():
    for seed in range(20):
        frame = planted(seed)
        suggestion = suggest_n_variables(*coded(frame))
        assert (suggestion.kind, suggestion.n) == ("guess", 3), seed
        est = MixedColumns("auto").fit(frame)
        assert sorted(
            {name[-1] if name[0] == "t" else str(int(name[-1]) % 3) for name in est.variables_}
        ) == ["0", "1", "2"]
        assert not set(est.variables_) & set(noise(np.random, 30).columns)


def test_noise_alone_shows_no_structure():
    answers = [
        suggest_n_variables(*coded(noise(np.random.RandomState(seed), 120))).kind
        for seed in range(40)
    ]
    assert answers.count("none") >= 39


def test_the_probability_of_chance_is_uniform_for_independent_variables():
    """Also where the other variables are correlated, which widens what chance explains."""
    chances = []
    for seed in range(300):
        rng = np.random.RandomState(seed)
        x = rng.randn(100, 1) + 0.3 * rng.randn(100, 5)
        frame = pd.DataFrame(x, columns=list("abcde")).assign(text=rng.choice(list("uvwx"), 100))
        X, groups = coded(frame)
        problem = Blocks.of(X, blocks_of(groups)[1])
        chances.append(problem.gains(problem.G, []).chance[-1])
    for level in (0.05, 0.25, 0.5):
        assert np.mean(np.array(chances) < level) == pytest.approx(level, abs=0.06)
    assert np.mean(np.array(chances) < LEVEL) < 0.03


def test_shares_are_those_of_rows_not_used():
    frame = planted(1)
    X, groups = coded(frame)
    suggestion = suggest_n_variables(X, groups)
    judge = HeldOut(X, groups=groups)
    est = MixedColumns("auto", groups=groups).fit(X)
    explained = judge.explained(np.flatnonzero(est.get_support()))
    assert suggestion.evidence["explained"] == pytest.approx(explained)
    assert f"{100 * explained:.0f} % of the table on rows not used" in suggestion.sentence
    half = MixedColumns(0.5, groups=groups).fit(X)
    assert len(half.variables_) == suggestion.enough(0.5)
    assert judge.explained(np.flatnonzero(half.get_support())) >= 0.5
    assert suggestion.shares[len(half.variables_) - 1] < 0.5


def test_refusals():
    frame = noise(np.random.RandomState(0), 120)
    with pytest.raises(DataError, match="n_features_to_select='auto': No structure: no variable"):
        MixedColumns("auto").fit(frame)
    with pytest.raises(DataError, match="X has 5 rows and 3 varying variables; at least 8 rows"):
        suggest_n_variables(np.random.RandomState(0).randn(5, 3), "abc")
    with pytest.raises(DataError, match="1 varying variable;"):
        suggest_n_variables(np.random.RandomState(0).randn(9, 2), "aa")
