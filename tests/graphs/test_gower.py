"""Gower's distance by its definition, and what is made from it."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from sksieve import ClusterChoice
from sksieve.exceptions import DataError
from sksieve.graphs import gower_columns, gower_coordinates, gower_graph, gower_shares
from sksieve.io import numeric_table
from sksieve.suggest import suggest_n_clusters


def people(n=60, seed=0):
    rng = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "city": rng.choice(["Delft", "Gent", "Lyon"], n),
            "sex": rng.choice(["f", "m"], n),
            "age": rng.randint(20, 90, n).astype(float),
            "pay": rng.lognormal(size=n),
        }
    )


def gower(frame):
    """The mean over the columns, pair by pair."""
    parts = []
    for name in frame:
        a = frame[name].to_numpy()
        if a.dtype == object:
            parts.append((a[:, None] != a).astype(float))
        else:
            parts.append(np.abs(a[:, None] - a) / np.ptp(a))
    return np.mean(parts, axis=0)


@pytest.fixture
def table():
    return numeric_table(people(), encode="onehot")


def test_the_definition(table):
    W = gower_columns(table.X, table.groups)
    np.testing.assert_allclose(cdist(W, W, "cityblock"), gower(people()), atol=1e-12)


def test_units_and_scaling_do_not_matter(table):
    W = gower_columns(table.X, table.groups)
    Z = (table.X - table.X.mean(axis=0)) / table.X.std(axis=0)
    np.testing.assert_allclose(gower_columns(Z, table.groups), W, atol=1e-12)


def test_coordinates_keep_the_distances(table):
    W = gower_columns(table.X, table.groups)
    Y = gower_coordinates(W, len(W))
    np.testing.assert_allclose(cdist(Y, Y, "sqeuclidean"), gower(people()), atol=1e-9)
    few = gower_coordinates(W, 3)
    np.testing.assert_allclose(np.abs(few), np.abs(Y[:, :3]), atol=1e-6)
    assert (np.diff(Y.var(axis=0)) <= 1e-12).all()


def test_shares_of_the_mean_distance(table):
    shares = gower_shares(gower_columns(table.X, table.groups), table.groups)
    frame = people()
    total = gower(frame).mean()
    for name in frame:
        own = gower(frame[[name]]).mean() / frame.shape[1]
        assert shares[name] == pytest.approx(own / total)


def test_the_graph_joins_the_nearest():
    frame = people(40, seed=1)
    table = numeric_table(frame, encode="onehot", drop="sex,city")
    D = gower(frame[["age", "pay"]])
    np.fill_diagonal(D, np.inf)
    nearest = np.argsort(D, axis=1)[:, :4]
    A = np.zeros(D.shape)
    A[np.arange(40)[:, None], nearest] = 1
    graph = gower_graph(gower_columns(table.X, table.groups), 4)
    np.testing.assert_array_equal(graph.toarray(), np.maximum(A, A.T))


def test_groups_of_a_mixed_table():
    rng = np.random.RandomState(0)
    which = np.repeat([0, 1, 2], 30)
    frame = pd.DataFrame(
        {
            "color": np.array(["red", "blue", "red"])[which],
            "size": which.clip(0, 1) * 5.0 + rng.standard_normal(90),
            "age": (which == 2) * 6.0 + rng.standard_normal(90),
        }
    )
    table = numeric_table(frame, encode="onehot")
    est = ClusterChoice(3, groups=table.groups, random_state=0).fit(table.X)
    assert list(est.modularities_) == ["spectral", "k_means", "ward"]
    agreement = pd.crosstab(est.labels_, which).to_numpy()
    assert agreement.max(axis=1).sum() >= 86
    assert suggest_n_clusters(table.X, groups=table.groups, random_state=0).n == 3
    assert ClusterChoice(groups=table.groups, random_state=0).fit(table.X).n_clusters_ == 3


def test_refusals():
    with pytest.raises(DataError, match="groups has 1 entries for the 2 columns"):
        gower_columns(np.ones((3, 2)), ["a"])
    with pytest.raises(DataError, match="Every column of X is constant"):
        suggest_n_clusters(np.ones((30, 2)), groups=[0, 1])
