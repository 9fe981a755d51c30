"""Whole variables of a mixed table: the definition, and that a text column counts once."""

from itertools import combinations, islice

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from sksieve import MixedColumns
from sksieve.exceptions import DataError
from sksieve.io import numeric_table
from sksieve.selection._mixed import _Search


def mixed(seed=0, n=80):
    rng = np.random.RandomState(seed)
    kind = rng.choice(list("abcde"), n)
    size = rng.standard_normal(n)
    return pd.DataFrame(
        {
            "kind": kind,
            "group": np.where(np.isin(kind, ["a", "b"]), "low", "high"),
            "size": size,
            "weight": 3 * size + rng.standard_normal(n),
            "other": rng.choice(["u", "v", "w"], n),
            "noise": rng.standard_normal(n),
        }
    )


def explained(table, variables):
    """Mean over the variables of the share that least squares explains, each of variance 1."""
    groups = np.array(table.groups)
    Z = table.X[:, np.isin(groups, variables)]
    shares = []
    for name in dict.fromkeys(groups):
        Y = table.X[:, groups == name]
        rest = Y - LinearRegression().fit(Z, Y).predict(Z)
        shares.append(1 - np.sum(rest**2) / np.sum((Y - Y.mean(axis=0)) ** 2))
    return np.mean(shares)


def degrees_of_freedom(table, variables):
    """Columns that the variables add to a regression with an intercept."""
    ranks = []
    for name in variables:
        Z = table.X[:, np.array(table.groups) == name]
        ranks.append(np.linalg.matrix_rank(Z - Z.mean(axis=0)))
    return sum(ranks)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_nothing_explains_more_for_its_degrees_of_freedom(k):
    """As the adjusted R2 has it: what is left over the degrees of freedom that are left."""
    for seed in range(4):
        table = numeric_table(mixed(seed), encode="onehot")
        est = MixedColumns(k, groups=table.groups).fit(table.X)

        def left(S, table=table):
            free = len(table.X) - 1 - degrees_of_freedom(table, S)
            return (1 - explained(table, S)) / free

        best = min(left(S) for S in combinations(dict.fromkeys(table.groups), k))
        assert est.adds_.sum() == pytest.approx(explained(table, est.variables_))
        assert left(est.variables_) == pytest.approx(best)


def test_what_is_reported_of_each_variable():
    table = numeric_table(mixed(), encode="onehot")
    est = MixedColumns(3, groups=table.groups).fit(table.X)
    assert np.mean(list(est.variable_explained_.values())) == pytest.approx(est.adds_.sum())
    assert est.variable_explained_["group"] == pytest.approx(1)  # a function of kind
    for name, unique in zip(est.variables_, est.unique_):
        others = [other for other in est.variables_ if other != name]
        groups = np.array(table.groups)
        Z, Y = table.X[:, np.isin(groups, others)], table.X[:, groups == name]
        rest = Y - LinearRegression().fit(Z, Y).predict(Z)
        assert unique == pytest.approx(np.sum(rest**2) / np.sum((Y - Y.mean(axis=0)) ** 2))
    assert 0 < est.random_explained_ < est.adds_.sum()


def test_text_with_many_values_weighs_no_more_than_a_number():
    rng = np.random.RandomState(1)
    frame = pd.DataFrame({"code": rng.choice(list("abcdefghijkl"), 200), "x": rng.randn(200)})
    table = numeric_table(frame, encode="onehot")
    est = MixedColumns(1, groups=table.groups).fit(table.X)
    assert est.adds_[0] == pytest.approx(0.5, abs=0.05)


def with_noise(seed, n=120):
    """Three factors behind twelve numbers and three text columns, and text columns of noise."""
    rng = np.random.RandomState(seed)
    factors = rng.standard_normal((n, 3))
    frame = pd.DataFrame(
        {f"x{j}": factors[:, j % 3] + 0.5 * rng.standard_normal(n) for j in range(12)}
    )
    for j in range(3):
        frame[f"text{j}"] = np.array(list("abcd"))[np.digitize(factors[:, j], [-0.7, 0, 0.7])]
    for n_levels in (2, 5, n // 10, n // 4, n // 2):
        frame[f"noise{n_levels}"] = [f"v{value}" for value in rng.randint(n_levels, size=n)]
    return frame


@pytest.mark.parametrize("seed", range(10))
def test_text_of_noise_is_never_among_the_first(seed):
    table = numeric_table(with_noise(seed), encode="onehot")
    est = MixedColumns(3, groups=table.groups).fit(table.X)
    assert not [name for name in est.variables_ if name.startswith("noise")]


def test_the_columns_of_a_variable_stay_together():
    table = numeric_table(mixed(), encode="onehot")
    est = MixedColumns(2, groups=table.groups).fit(table.X)
    groups = np.array(table.groups)
    assert set(groups[est.get_support()]) == set(est.variables_)
    assert est.get_support().sum() == sum(np.sum(groups == name) for name in est.variables_)
    changes = np.count_nonzero(groups[est.ranking_][1:] != groups[est.ranking_][:-1])
    assert changes == len(set(groups)) - 1


def test_exchanges_only_raise_what_is_explained():
    for seed in range(5):
        X = np.random.RandomState(seed).standard_normal((40, 12)) ** 3
        X[:, 6:] += X[:, :6] @ np.random.RandomState(seed).standard_normal((6, 6))
        problem = _Search.of(X, [np.array([j]) for j in range(12)])
        forward = [b for b, _ in islice(problem.forward(), 4)]
        after = problem.exchanged(list(forward))
        assert problem.explained(after) >= problem.explained(forward) - 1e-12


@pytest.mark.parametrize("kind", ["pandas", "categories", "polars", "arrow"])
def test_a_data_frame_with_text_is_taken_as_it_is(kind):
    people = mixed().assign(id=range(80), kind2=["y", "n"] * 40)
    table = numeric_table(people, encode="onehot", include=["id"])
    expected = MixedColumns(3, groups=table.groups).fit(table.X)
    frame = people
    if kind == "categories":
        frame = people.astype({"kind": "category", "other": "category"})
    elif kind == "polars":
        frame = pytest.importorskip("polars").from_pandas(people)
    elif kind == "arrow":
        frame = pytest.importorskip("pyarrow").Table.from_pandas(people)
    est = MixedColumns(3).fit(frame)
    assert est.variables_ == expected.variables_
    np.testing.assert_allclose(est.adds_, expected.adds_)
    assert est.n_features_in_ == 8
    assert est.n_features_to_select_ == 3
    assert set(est.get_feature_names_out()) == set(est.variables_)
    assert [people.columns[j] for j in est.ranking_[:3]] == est.variables_
    names = [name for name in people.columns if name in est.variables_]
    assert est.transform(frame).tolist() == people[names].to_numpy().tolist()
    if kind != "arrow":
        kept = est.set_output(transform="polars" if kind == "polars" else "pandas").transform(frame)
        assert type(kept) is type(frame)
        assert list(kept.columns) == names
    with pytest.raises(ValueError, match="feature names"):
        est.transform(frame[["kind", "size"]] if kind != "arrow" else frame.select(["kind"]))


def test_a_data_frame_with_text_and_gaps_is_refused():
    frame = mixed()
    frame.loc[3, "size"] = np.nan
    with pytest.raises(DataError, match="1 missing value in 1 column: 'size'"):
        MixedColumns(2).fit(frame)
    with pytest.raises(ValueError, match="n_features_to_select=7 is more than the n_features=6"):
        MixedColumns(7).fit(mixed())
    rows = mixed().assign(unnamed_0=[f"row {i}" for i in range(80)])
    with pytest.raises(DataError, match="columns that name the rows: 'unnamed_0'"):
        MixedColumns(2).fit(rows)


def test_refusals():
    table = numeric_table(mixed(), encode="onehot")
    with pytest.raises(DataError, match="groups has 2 entries for the 12 columns"):
        MixedColumns(1, groups=["a", "b"]).fit(table.X)
    with pytest.raises(ValueError, match="n_features_to_select=7 is more than the n_features=6"):
        MixedColumns(7, groups=table.groups).fit(table.X)
    with pytest.raises(DataError, match="the 1 variables of X that vary"):
        MixedColumns(2).fit(np.column_stack([np.arange(5.0), np.ones(5)]))
