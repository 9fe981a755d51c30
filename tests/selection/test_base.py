"""The base classes, seen through the smallest selectors one can write."""

import warnings
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from sksieve.exceptions import DataError, RankDeficiencyWarning
from sksieve.selection import BLUFS, SOGFS, BaseColumnSubset, BaseSelector, ExactCSS, LaplacianScore
from sksieve.selection._base import rank_by
from sksieve.solvers import Stopping


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


class Loading(BaseSelector):
    """A loop: loadings on the first principal direction, by power iteration from a random start."""

    def __init__(self, n_features_to_select=None, *, max_iter=50, tol=1e-10, random_state=None):
        self.n_features_to_select = n_features_to_select
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _fit(self, X, rng):
        G = X.T @ X

        def step(s):
            v = G @ s.v
            return Power(v / np.linalg.norm(v))

        run = self._run(
            step,
            Power(rng.standard_normal(len(G))),
            objective=lambda s: -float(s.v @ G @ s.v),
            stopping=Stopping(self.max_iter, self.tol),
        )
        return np.abs(run.state.v)


class FirstColumns(BaseColumnSubset):
    """The first k columns that are linearly independent; how often it was asked is counted."""

    nested: ClassVar[bool] = True
    asked = 0

    def __init__(self, n_features_to_select=None, *, scale="unit"):
        self.n_features_to_select = n_features_to_select
        self.scale = scale

    def _select(self, problem, k, rng):
        self.asked += 1
        S = problem.independent(np.arange(problem.n_columns), k)
        return {size: S[:size] for size in range(1, len(S) + 1)}


class WrongWayRound(FirstColumns):
    """As a set, not nested: the order is the base's business."""

    nested: ClassVar[bool] = False

    def _select(self, problem, k, rng):
        return {k: np.arange(k)[::-1]}


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
    for est in (Variance(), FirstColumns()):
        with pytest.raises(NotFittedError, match=type(est).__name__):
            est.transform(X)
        assert not hasattr(est, "ranking_")


def test_sparse_only_where_said():
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        Variance().fit(sp.csr_array(X))
    assert_array_equal(SparseSum().fit(sp.coo_array(X)).ranking_, SparseSum().fit(X).ranking_)
    assert SparseSum().__sklearn_tags__().input_tags.sparse
    assert not Variance().__sklearn_tags__().input_tags.sparse


def test_labels_are_ignored():
    assert_array_equal(Variance().fit(X, np.arange(30)).ranking_, Variance().fit(X).ranking_)


def test_columns_are_chosen_once_and_late():
    sel = FirstColumns(2).fit(X)
    assert sel.asked == 1
    assert_array_equal(sel.path_[2], sel.ranking_[:2])
    sel.partial_fit(X)
    sel.partial_fit(X)
    assert sel.asked == 1, "nobody has asked yet"
    assert sel.error_path_[2] >= 0
    assert sel.explained_by_.shape == (6,)
    assert sel.asked == 2


def test_a_set_is_put_in_order_of_gain():
    sel = WrongWayRound(3, scale="none").fit(X)
    assert sorted(sel.ranking_[:3]) == [0, 1, 2]
    assert_array_equal(sel.ranking_[:3], [1, 2, 0], "by what each adds, not as they came")


def test_what_the_first_columns_leave():
    sel = FirstColumns(2, scale="none").fit(X)
    left = X - X[:, :2] @ np.linalg.lstsq(X[:, :2], X)[0]
    assert abs(sel.error_ - (left**2).sum()) < 1e-9 * sel.error_path_[0]
    rest = np.argsort(-(left**2).sum(axis=0))[:4]
    assert_array_equal(sel.ranking_, [0, 1, *rest])


def test_rank_is_said_where_the_user_is():
    Z = np.column_stack([X[:, :2], X[:, 0] - X[:, 1]])
    with pytest.warns(RankDeficiencyWarning, match="numerical rank 2") as caught:
        FirstColumns(3).fit(Z)
    assert caught[0].filename == __file__
    late = FirstColumns(3).partial_fit(Z)
    with pytest.warns(RankDeficiencyWarning, match="n_features_to_select=3") as caught:
        late.transform(Z)
    assert late.n_features_to_select_ == 2


def test_columns_far_from_zero_are_told_what_to_do():
    with pytest.warns(RankDeficiencyWarning, match='numerical rank 1: .*scale="standard"'):
        FirstColumns(3).fit(X + 1e6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FirstColumns(3, scale="standard").fit(X + 1e6)
    with pytest.warns(RankDeficiencyWarning) as caught:
        FirstColumns(5).fit(np.column_stack([X[:, :2] + 10, np.zeros((30, 4))]))
    assert "standard" not in str(caught[0].message)


@pytest.mark.parametrize(
    ("selector", "n", "words"),
    [
        (LaplacianScore(2), 4, "n_neighbors=3 is used"),
        (BLUFS(2, n_clusters=2), 4, "n_neighbors=3 is used"),
        (SOGFS(2, n_clusters=2), 4, "n_neighbors=3 is used"),
        (ExactCSS(3, max_nodes=1), 30, "Not proven"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_warnings_stand_where_the_user_is(selector, n, words):
    with pytest.warns(UserWarning, match=words) as caught:
        selector.fit(X[:n] if n < 30 else np.random.RandomState(0).rand(30, 20))
    assert {w.filename for w in caught} == {__file__}


def test_a_column_that_adds_next_to_nothing_is_last_among_the_chosen():
    """Beside a near copy it leaves less than a pivot may have; the method chose it all the same."""
    Z = X[:, [3, 3, 0]] + np.column_stack([np.zeros(30), 5e-6 * X[:, 2], np.zeros(30)])
    sel = WrongWayRound(3, scale="none").fit(Z)
    assert sel.ranking_[1] == 2
    assert sorted(sel.ranking_) == [0, 1, 2]
    assert_array_equal(sel.coef_[:, sel.ranking_], np.eye(3))


def test_what_is_kept_is_rebuilt_without_rounding():
    sel = FirstColumns(6).fit(X)
    assert sel.error_path_[6] == 0
    assert_array_equal(sel.coef_, np.eye(6))


def test_more_rows_may_raise_the_rank_again():
    sel = FirstColumns(3).partial_fit(X[:2])
    with pytest.warns(RankDeficiencyWarning):
        assert sel.transform(X).shape == (30, 2)
    assert sel.partial_fit(X[2:]).transform(X).shape == (30, 3)


def test_zero_tables():
    with pytest.raises(DataError, match="Every column of X is zero; there is nothing"):
        FirstColumns(1).fit(np.zeros((5, 3)))
    with pytest.raises(DataError, match=r"centring \(constant\)"):
        FirstColumns(1, scale="standard").fit(np.full((5, 3), 7.0))


def test_parameters_are_checked_by_partial_fit_too():
    with pytest.raises(ValueError, match="scale"):
        FirstColumns(1, scale="l2").partial_fit(X)
    with pytest.raises(ValueError, match="n_features_to_select=9"):
        FirstColumns(9).partial_fit(X)


def test_names_are_those_of_the_first_block():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcdef"))
    sel = FirstColumns(2).fit(iter([frame[:10], frame[10:]]))
    assert list(sel.get_feature_names_out()) == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"):
        FirstColumns(2).fit(iter([frame[:10], frame[10:].rename(columns={"a": "z"})]))
