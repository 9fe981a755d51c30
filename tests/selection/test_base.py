"""The base class of selectors, seen through the smallest selectors one can write."""

from typing import ClassVar, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from sksieve.exceptions import DataError
from sksieve.selection import BLUFS, SOGFS, BaseSelector, LaplacianScore
from sksieve.selection._base import expand_rows, expand_scores, rank_by


class Variance(BaseSelector):
    """Closed form: the column's variance."""

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _fit(self, X, rng):
        return X.var(axis=0)


class SparseSum(Variance):
    _accept_sparse: ClassVar[bool] = True

    def _fit(self, X, rng):
        return np.asarray(X.sum(axis=0)).ravel()


class Power(NamedTuple):
    v: np.ndarray


class PowerIteration:
    def __init__(self, G):
        self.G = G

    def start(self, rng):
        return Power(rng.standard_normal(len(self.G)))

    def step(self, s):
        v = self.G @ s.v
        return Power(v / np.linalg.norm(v))

    def objective(self, s):
        return -float(s.v @ self.G @ s.v)


class Loading(BaseSelector):
    """A loop: loadings on the first principal direction, by power iteration from a random start."""

    def __init__(self, n_features_to_select=None, *, max_iter=50, tol=1e-10, random_state=None):
        self.n_features_to_select = n_features_to_select
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _fit(self, X, rng):
        problem = PowerIteration(X.T @ X)
        return np.abs(self._run(problem, problem.start(rng)).state.v)


X = np.random.RandomState(0).standard_normal((30, 6)) * [1, 5, 2, 4, 3, 0.5]


@given(st.lists(st.sampled_from([0.0, 1.0, -2.0, 0.5]), min_size=1, max_size=20))
def test_ties_go_to_the_smaller_index(scores):
    order = rank_by(np.array(scores))
    assert list(order) == sorted(range(len(scores)), key=lambda j: (-scores[j], j))


def test_not_a_number_is_last():
    assert_array_equal(rank_by(np.array([np.nan, -np.inf, 3.0])), [2, 1, 0])


def test_scores_become_ranking_and_support():
    sel = Variance(2).fit(X)
    assert_array_equal(sel.ranking_, [1, 3, 4, 2, 0, 5])
    assert_array_equal(sel.scores_, X.var(axis=0))
    assert_array_equal(sel.get_support(indices=True), [1, 3])
    assert_array_equal(sel.transform(X), X[:, [1, 3]])
    assert sel.n_features_to_select_ == 2


def test_half_by_default_and_at_least_one():
    assert Variance().fit(X).n_features_to_select_ == 3
    assert Variance().fit(X[:, :1]).n_features_to_select_ == 1


def test_too_many_wanted():
    with pytest.raises(ValueError, match=r"n_features_to_select=7 .* n_features=6 .*6 or fewer"):
        Variance(7).fit(X)


def test_closed_forms_have_no_history():
    sel = Variance().fit(X)
    for name in ("history_", "n_iter_", "converged_", "stop_reason_"):
        assert not hasattr(sel, name)


def test_loops_keep_theirs():
    sel = Loading(random_state=0).fit(X)
    assert sel.stop_reason_ == "tolerance"
    assert sel.converged_
    assert sel.n_iter_ == len(sel.history_) < 50
    short = Loading(max_iter=3, random_state=0).fit(X)
    assert (short.stop_reason_, short.converged_, short.n_iter_) == ("max_iter", False, 3)
    assert short.history_[0]["objective"] == sel.history_[0]["objective"]


def test_random_state_is_drawn_once_in_fit():
    a, b = (Loading(max_iter=1, random_state=seed).fit(X).scores_ for seed in (0, 1))
    assert not np.array_equal(a, b)
    rng = np.random.RandomState(7)
    first, second = (Loading(max_iter=1, random_state=rng).fit(X).scores_ for _ in range(2))
    assert not np.array_equal(first, second), "a generator goes on from fit to fit"


def test_callbacks_reach_the_loop():
    seen = []
    sel = Loading(random_state=0).set_callbacks(lambda record, state: seen.append(state))
    sel.fit(X)
    assert len(seen) == sel.n_iter_
    assert isinstance(seen[0], Power)


def test_unfitted_says_so():
    with pytest.raises(NotFittedError, match="Variance"):
        Variance().transform(X)
    assert not hasattr(Variance(), "ranking_")


def test_sparse_only_where_said():
    with pytest.raises(DataError, match="does not take sparse X"):
        Variance().fit(sp.csr_array(X))
    assert_array_equal(SparseSum().fit(sp.coo_array(X)).ranking_, SparseSum().fit(X).ranking_)
    assert SparseSum().__sklearn_tags__().input_tags.sparse
    assert not Variance().__sklearn_tags__().input_tags.sparse


def test_labels_are_ignored():
    assert_array_equal(Variance().fit(X, np.arange(30)).ranking_, Variance().fit(X).ranking_)


@pytest.mark.parametrize(
    ("selector", "n", "words"),
    [
        (LaplacianScore(2), 4, "n_neighbors=3 is used"),
        (BLUFS(2, n_clusters=2), 4, "n_neighbors=3 is used"),
        (SOGFS(2, n_clusters=2), 4, "n_neighbors=3 is used"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_warnings_stand_where_the_user_is(selector, n, words):
    with pytest.warns(UserWarning, match=words) as caught:
        selector.fit(X[:n])
    assert {w.filename for w in caught} == {__file__}


def test_what_does_not_vary_is_last():
    varies = np.array([True, False, True])
    assert_array_equal(expand_scores(np.array([0.0, 2.0]), varies), [0, -1, 2])
    assert_array_equal(expand_rows(np.ones((2, 2)), varies), [[1, 1], [0, 0], [1, 1]])
