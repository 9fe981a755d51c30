"""How neighbors are searched: rules, approximate search, transformers, and the attribute."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.neighbors import KNeighborsTransformer

import sksieve
from sksieve import config_context
from sksieve.exceptions import DataError, DataWarning
from sksieve.graphs import (
    _neighbors,
    _search,
    find_neighbors,
    knn_graph,
    mean_distance,
    nearest_among,
    nearest_neighbors,
)


def clouds(n=1500, d=30, seed=0):
    rng = np.random.RandomState(seed)
    centers = 4 * rng.standard_normal((6, 8))
    Z = centers[rng.randint(6, size=n)] + rng.standard_normal((n, 8))
    return Z @ rng.standard_normal((8, d)) + 0.1 * rng.standard_normal((n, d))


def by_definition(X, k):
    squared = (X * X).sum(axis=1)
    D = squared[:, None] + squared - 2 * X @ X.T
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("n", [700, 4500])  # without and with first limits from a sample
def test_tiles_decide_as_float64_does(n):
    X = clouds(n)
    np.testing.assert_array_equal(nearest_neighbors(X, 7)[0], by_definition(X, 7))


def test_rows_that_float32_cannot_tell_apart_are_decided_in_float64():
    """Two tight clouds far from each other, and duplicates in some rows."""
    rng = np.random.RandomState(0)
    X = 1e-7 * rng.standard_normal((1200, 5)) + np.where(np.arange(1200)[:, None] < 600, 0.0, 1.0)
    rest = _neighbors._search_by_tiles(X, np.empty((1200, 4), int), np.empty((1200, 4)))
    assert len(rest) == 1200
    indices, distances = nearest_neighbors(X, 4)
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    np.testing.assert_array_equal(indices, np.argsort(D, axis=1, kind="stable")[:, :4])
    np.testing.assert_allclose(distances, np.sort(D, axis=1)[:, :4], rtol=1e-9)


def test_some_undecided_rows_among_decided_ones():
    X = clouds(1300)
    X[200:500] = X[200]
    rest = _neighbors._search_by_tiles(X, np.empty((1300, 5), int), np.empty((1300, 5)))
    assert set(range(200, 500)) <= set(rest)
    assert len(rest) < 600
    indices, distances = nearest_neighbors(X, 5)
    np.testing.assert_array_equal(indices[200], [201, 202, 203, 204, 205])
    np.testing.assert_array_equal(distances[200:500], 0)


def test_candidates_of_any_order_and_too_few():
    X = clouds(300)
    want = nearest_neighbors(X, 4)
    rng = np.random.RandomState(1)
    extra = rng.randint(-1, 300, size=(300, 6))
    given = np.hstack([want[0], extra, want[0], np.arange(300)[:, None]])
    given = np.array([rng.permutation(row) for row in given])
    given[17] = -1
    for got, expected in zip(nearest_among(X, given, 4), want):
        np.testing.assert_array_equal(got, expected)


def test_mean_distance_of_a_sample_of_rows():
    X = clouds(900)
    assert mean_distance(X, 900) == mean_distance(X)
    assert mean_distance(X, 300) == pytest.approx(mean_distance(X), rel=0.05)


@pytest.mark.parametrize("k", [1, 5])
def test_descent_among_copies_of_few_rows(k):
    X = np.repeat(np.random.RandomState(0).standard_normal((6, 3)), 12, axis=0)  # copies
    found, exact = find_neighbors(X, k, "approximate"), find_neighbors(X, k, "exact")
    assert (found.indices >= 0).all()
    assert (found.indices != np.arange(len(X))[:, None]).all()
    np.testing.assert_array_equal(found.distances, exact.distances)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_approximate_neighbors_are_nearly_all_right(form):
    X = form(np.maximum(clouds(d=120), 0))
    exact, found = find_neighbors(X, 8, "exact"), find_neighbors(X, 8, "approximate")
    assert exact.exact
    assert not found.exact
    recall = np.mean([len(set(a) & set(b)) for a, b in zip(exact.indices, found.indices)]) / 8
    assert recall >= 0.99
    again = find_neighbors(X, 8, "approximate")
    np.testing.assert_array_equal(found.indices, again.indices)
    same = exact.indices == found.indices
    np.testing.assert_array_equal(found.distances[same], exact.distances[same])


def test_the_rule_follows_the_size(monkeypatch):
    X = clouds(200)
    assert find_neighbors(X, 3).exact
    monkeypatch.setattr(_search, "EXACT_WORK", 200 * 200 * 30 - 1)
    assert not find_neighbors(X, 3).exact


def test_a_transformer_finds_them():
    X = clouds(250)
    given = KNeighborsTransformer(n_neighbors=2, mode="connectivity")
    found = find_neighbors(X, 6, given)
    np.testing.assert_array_equal(found.indices, nearest_neighbors(X, 6)[0])
    assert found.exact
    assert given.n_neighbors == 2
    assert not find_neighbors(X, 6, KNeighborsTransformer(metric="cosine")).exact


class Broken(TransformerMixin, BaseEstimator):
    def __init__(self, kind="dense"):
        self.kind = kind

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        n = len(X)
        return np.eye(n) if self.kind == "dense" else sp.csr_array(np.eye(n, k=1))


def test_transformers_that_give_something_else():
    with pytest.raises(DataError, match=r"neighbor_search=Broken must give a sparse matrix"):
        find_neighbors(clouds(50), 1, Broken())
    with pytest.raises(DataError, match=r"gives 0 neighbors of sample 49, where n_neighbors=1"):
        find_neighbors(clouds(50), 1, Broken("few"))


def test_graphs_take_neighbors_of_an_earlier_search():
    X = clouds(120)
    found = find_neighbors(X, 5)
    for weights in ("binary", "heat"):
        A, B = knn_graph(X, found, weights=weights), knn_graph(X, 5, weights=weights)
        np.testing.assert_array_equal(A.toarray(), B.toarray())


def test_the_setting_is_the_default_of_the_function():
    X = clouds(90)
    with config_context(neighbor_search=KNeighborsTransformer(metric="manhattan")):
        assert not find_neighbors(X, 3).exact
        assert find_neighbors(X, 3, "exact").exact
    assert find_neighbors(X, 3).exact


@pytest.mark.parametrize("name", ["LaplacianScore", "MCFS", "BLUFS", "SOGFS", "UDFS"])
def test_selectors_agree_with_a_transformer(name):
    X = clouds(90, 12)
    X /= X.std(axis=0)
    cls = getattr(sksieve, name)
    plain = cls(4).fit(X)
    with config_context(neighbor_search=KNeighborsTransformer(metric="manhattan")):
        assert not cls(4).fit(X).neighbors_exact_
    with config_context(neighbor_search=KNeighborsTransformer()):
        given = cls(4).fit(X)
    assert plain.neighbors_exact_
    assert given.neighbors_exact_
    np.testing.assert_array_equal(plain.ranking_, given.ranking_)


@pytest.mark.parametrize("name", ["SpectralGraph", "SMCE", "SRSG", "BPMA"])
def test_clusterers_say_that_the_search_was_approximate(name):
    X = clouds(150, 12)
    more = {"affinity": "knn"} if name == "BPMA" else {}
    with config_context(neighbor_search="approximate"):
        est = getattr(sksieve, name)(3, random_state=0, **more).fit(X)
    assert not est.neighbors_exact_


def counts(n=2000, d=600, seed=0):
    """Sparse counts, the columns of which hardly go together: 50 components show little of them."""
    rng = np.random.RandomState(seed)
    X = rng.poisson(1.0, (n, d)) * (rng.random_sample((n, d)) < 0.02)
    return sp.csr_array(X.astype(float))


def share(distances, exact):
    return (distances <= exact.distances[:, -1:]).mean()


@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_array.toarray])
def test_where_components_show_little_all_columns_are_searched(form):
    X = form(counts())
    exact, found = find_neighbors(X, 10, "exact"), find_neighbors(X, 10, "approximate")
    of_components = nearest_among(X, _search.descend(_search._components(X), 30), 10)
    assert share(of_components[1], exact) < 0.8
    assert share(found.distances, exact) > 0.95
    rows = np.arange(0, 2000, 40)
    kth = _neighbors.distance_of_kth(X, rows, 10)
    np.testing.assert_array_equal(kth, exact.distances[rows, -1])


def test_a_search_that_finds_too_few_says_so(monkeypatch):
    monkeypatch.setattr(_search, "_share_of_nearest", lambda X, distances: 0.25)
    with pytest.warns(DataWarning, match=r"finds 25.0 % of the 5 nearest neighbors.*'exact'"):
        find_neighbors(clouds(), 5, "approximate")
