"""The base class of column subsets, seen through the smallest methods one can write."""

import inspect
import pickle
import pydoc
import warnings
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from sksieve.columns import BaseColumnSubset, ExactCSS, GreedyCSS, IterFS, Selected
from sksieve.exceptions import DataError, RankDeficiencyWarning


class FirstColumns(BaseColumnSubset):
    """The first k columns that are linearly independent; how often it was asked is counted."""

    nested: ClassVar[bool] = True
    asked = 0

    def __init__(self, n_features_to_select=None, *, scale="unit"):
        super().__init__(n_features_to_select, scale=scale)

    def _select(self, problem, k, rng):
        self.asked += 1
        S = problem.independent(np.arange(problem.n_columns), k)
        return Selected({size: S[:size] for size in range(1, len(S) + 1)})


class WrongWayRound(FirstColumns):
    """As a set, not nested: the order is the base's business."""

    nested: ClassVar[bool] = False

    def _select(self, problem, k, rng):
        return Selected({k: np.arange(k)[::-1]})


X = np.random.RandomState(0).standard_normal((30, 6)) * [1, 5, 2, 4, 3, 0.5]


def test_unfitted_says_so():
    with pytest.raises(NotFittedError, match="FirstColumns"):
        FirstColumns().transform(X)
    assert not hasattr(FirstColumns(), "ranking_")


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
    assert abs(sel.objective_ - (left**2).sum()) < 1e-9 * sel.error_path_[0]
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


def test_a_column_that_adds_next_to_nothing_is_last_among_the_chosen():
    """Beside a near copy it leaves less than a pivot may have; the method chose it all the same."""
    Z = X[:, [3, 3, 0]] + np.column_stack([np.zeros(30), 5e-6 * X[:, 2], np.zeros(30)])
    sel = WrongWayRound(3, scale="none").fit(Z)
    assert sel.ranking_[1] == 2
    assert sorted(sel.ranking_) == [0, 1, 2]
    assert_array_equal(sel.coef_[sel.ranking_], np.eye(3))


def test_what_is_kept_is_reconstructed_without_rounding():
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
    with pytest.raises(DataError, match=r"centering \(constant\)"):
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


def test_an_unproven_answer_is_reported_where_the_user_is():
    with pytest.warns(UserWarning, match="Not proven") as caught:
        ExactCSS(3, max_iter=1).fit(np.random.RandomState(0).rand(30, 20))
    assert {w.filename for w in caught} == {__file__}


def test_help_lists_the_attributes():
    text = pydoc.plain(pydoc.render_doc(IterFS))
    for name in ("ranking_", "path_", "objective_", "n_evaluations_", "history_", "moments_"):
        assert f"\n |  {name}\n" in text
    doc = inspect.getdoc(IterFS)
    assert doc.count("\nAttributes\n") == 1
    assert doc.index("n_evaluations_ : int") < doc.index("ranking_ : ndarray of shape")
    assert doc.index("Parameters\n") < doc.index("Attributes\n") < doc.index("Notes\n")


def test_attributes_cannot_be_set_and_others_do_not_exist():
    sel = GreedyCSS(2).fit(X)
    with pytest.raises(AttributeError, match="ranking_ is computed by fit"):
        sel.ranking_ = np.arange(6)
    assert not hasattr(sel, "history_")
    assert sel.candidates_.dtype.kind == "i"


def test_a_failed_fit_leaves_no_earlier_answer():
    sel = FirstColumns(2).fit(X)
    with pytest.raises(ValueError, match="NaN"):
        sel.fit(np.where(X > 1, np.nan, X))
    assert not hasattr(sel, "ranking_")


def test_a_fit_survives_pickling_while_rows_are_added():
    sel = pickle.loads(pickle.dumps(GreedyCSS(2).partial_fit(X)))
    assert_array_equal(sel.ranking_, GreedyCSS(2).fit(X).ranking_)
