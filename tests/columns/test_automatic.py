"""Number of columns from the table itself: "auto" and a share."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_wine

from sksieve import POCSS, GreedyCSS, IteratedLocalSearchCSS
from sksieve.exceptions import DataError
from sksieve.suggest import suggest_n_columns

X = load_wine().data


@pytest.mark.parametrize("cls", [GreedyCSS, IteratedLocalSearchCSS, POCSS])
def test_auto_is_the_suggestion(cls):
    given = {} if cls is GreedyCSS else {"random_state": 0, "max_iter": 50}
    est = cls("auto", **given).fit(X)
    k = suggest_n_columns(X, random_state=0).n
    assert est.n_features_to_select_ == k == 3
    assert est.n_features_to_select == "auto"
    assert_array_equal(est.ranking_, cls(k, **given).fit(X).ranking_)
    assert clone(est).get_params()["n_features_to_select"] == "auto"


@pytest.mark.parametrize("share", [0.8, 0.9, np.float32(0.95)])
def test_a_share_is_enough_columns(share):
    est = GreedyCSS(share).fit(X)
    assert est.n_features_to_select_ == suggest_n_columns(X, random_state=0).enough(share)


def test_frames_and_sparse_tables():
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(13)])
    assert GreedyCSS("auto").fit(frame).get_feature_names_out().shape == (3,)
    assert GreedyCSS("auto").fit(sp.csr_array(X)).n_features_to_select_ == 3


def test_another_table_another_number():
    rng = np.random.RandomState(0)
    Y = rng.standard_normal((200, 5)) @ rng.standard_normal((5, 20))
    Y += 0.5 * rng.standard_normal(Y.shape)
    est = GreedyCSS("auto").fit(X)
    assert est.n_features_to_select_ == 3
    assert est.fit(Y).n_features_to_select_ == 5
    assert est.partial_fit(Y[:50]).n_features_to_select_ == 5


def test_refusals():
    noise = np.random.RandomState(0).standard_normal((100, 8))
    with pytest.raises(DataError, match=r"n_features_to_select='auto': No structure"):
        GreedyCSS("auto").fit(noise)
    with pytest.raises(DataError, match=r"n_features_to_select=0\.9: No structure"):
        GreedyCSS(0.9).fit(noise)
    for blocks in (iter([X[:90], X[90:]]), iter([X])):
        with pytest.raises(DataError, match="needs the whole table at once"):
            GreedyCSS("auto").fit(blocks)
    with pytest.raises(DataError, match="needs the whole table at once"):
        GreedyCSS(0.5).partial_fit(X)
    for k in (0.0, 1.0, 1.5, "some"):
        with pytest.raises(ValueError, match="n_features_to_select"):
            GreedyCSS(k).fit(X)
    Z = X.copy()
    Z[3, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        GreedyCSS("auto").fit(Z)
