"""Number of clusters from the data: n_clusters="auto"."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from sksieve import PPMA, SpectralCommunities, SpectralGraph
from sksieve.exceptions import DataError, DataWarning
from sksieve.suggest import suggest_n_clusters

from .rpma_cases import ONE_START


def planted_graph(sizes, seed=0):
    rng = np.random.RandomState(seed)
    group = np.repeat(np.arange(len(sizes)), sizes)
    rate = np.where(group[:, None] == group, 0.5, 0.02)
    upper = np.triu(rng.random_sample(rate.shape) < rate, 1)
    return (upper | upper.T).astype(float), group


def test_tables():
    X, y = make_blobs(150, centers=4, n_features=5, random_state=2)
    est = SpectralGraph("auto", random_state=0).fit(X)
    assert est.n_clusters_ == suggest_n_clusters(X, random_state=0).n == 4
    assert adjusted_rand_score(y, est.labels_) == 1
    assert est.n_clusters == "auto"
    assert clone(est).get_params()["n_clusters"] == "auto"
    assert_array_equal(est.labels_, SpectralGraph(4, random_state=0).fit(X).labels_)


@pytest.mark.parametrize("cls", [SpectralGraph, SpectralCommunities, PPMA])
def test_graphs(cls):
    A, group = planted_graph([30, 30, 30])
    given = {"starts": ONE_START} if cls is PPMA else {}
    est = cls("auto", affinity="precomputed", random_state=0, **given).fit(A)
    assert est.n_clusters_ == 3
    assert adjusted_rand_score(group, est.labels_) > 0.9


def test_a_given_number_is_kept():
    X, _ = make_blobs(60, centers=4, random_state=2)
    assert SpectralGraph(3).fit(X).n_clusters_ == 3


def test_one_lump_is_divided_with_a_warning():
    X = np.random.RandomState(0).standard_normal((100, 3))
    with pytest.warns(DataWarning, match=r"No groups found.*are used"):
        est = SpectralGraph("auto", random_state=0).fit(X)
    assert est.n_clusters_ >= 2


def test_refusals():
    A, _ = planted_graph([40])
    with pytest.raises(DataError, match="one community only"):
        SpectralGraph("auto", affinity="precomputed").fit(A)
    with pytest.raises(DataError, match="at least 20"):
        SpectralGraph("auto").fit(np.random.RandomState(0).standard_normal((10, 2)))
    with pytest.raises(ValueError, match="n_clusters"):
        SpectralGraph("some").fit(np.eye(30))
