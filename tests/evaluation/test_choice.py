"""The choice of columns for a purpose: the method of each, and never less than random columns."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer

from sksieve import AlignedColumns, ColumnChoice, IteratedLocalSearchCSS, IterFS
from sksieve.evaluation import explained
from sksieve.exceptions import DataError, DataWarning
from sksieve.metrics import HeldOut

X = load_breast_cancer().data[:200]


def chosen(est):
    return list(map(int, est.ranking_[: est.n_features_to_select_]))


def seed_of(random_state):
    return int(np.random.RandomState(random_state).randint(2**31 - 1))


@pytest.mark.parametrize("use", ["any", "groups"])
def test_columns_of_the_structure_target(use):
    choice = ColumnChoice(5, use=use, random_state=3).fit(X)
    alone = IterFS(5, init="greedy", scale="standard", random_state=seed_of(3))
    alone.fit(X, target="structure")
    assert (choice.method_, choice.estimator_.target_) == ("iterfs", "structure")
    assert chosen(choice) == chosen(alone)
    assert [record["method"] for record in choice.compared_] == ["iterfs", "random"]


def test_reconstruction_is_local_search():
    choice = ColumnChoice(5, use="reconstruct", random_state=3).fit(X)
    alone = IteratedLocalSearchCSS(5, scale="standard", random_state=seed_of(3)).fit(X)
    assert choice.method_ == "local_search"
    assert chosen(choice) == chosen(alone)


def test_neighbors_are_kept_by_the_better_of_two():
    choice = ColumnChoice(5, use="neighbors", random_state=3).fit(X)
    kept = {r["method"]: r["neighbors"] for r in choice.compared_ if r["method"] != "random"}
    assert set(kept) == {"local_search", "aligned"}
    assert choice.method_ == max(kept, key=kept.__getitem__)
    kinds = {"local_search": IteratedLocalSearchCSS, "aligned": AlignedColumns}
    assert isinstance(choice.estimator_, kinds[choice.method_])


def test_numbers_are_the_held_out_shares():
    choice = ColumnChoice(4, random_state=0).fit(X)
    first, random = choice.compared_
    assert first["columns"] == chosen(choice)
    assert first["explained"] == explained(X, first["columns"])
    assert random["explained"] == HeldOut(X).random(4)[-1]


def test_never_less_than_random_columns(monkeypatch):
    """Local search answers where the structure target falls behind, and a warning says so."""
    monkeypatch.setattr(HeldOut, "random", lambda self, k: np.full(k, 0.99))
    with pytest.warns(DataWarning) as caught:
        choice = ColumnChoice(3, random_state=0).fit(X)
    assert "no more than random columns; local search answers." in str(caught[0].message)
    assert "explain less than random columns on rows not used" in str(caught[1].message)
    assert choice.method_ == "local_search"
    assert [record["method"] for record in choice.compared_] == ["iterfs", "local_search", "random"]


def test_sparse_tables():
    counts = np.random.default_rng(0).poisson(0.5, (60, 12)).astype(float)
    choice = ColumnChoice(3, random_state=0).fit(sp.csr_array(counts))
    assert choice.compared_[0]["explained"] == pytest.approx(
        explained(counts, choice.compared_[0]["columns"]), rel=1e-9
    )


def test_the_number_may_be_asked_of_the_table():
    from sksieve.suggest import suggest_n_columns

    choice = ColumnChoice("auto", random_state=0).fit(X)
    assert choice.n_features_to_select_ == suggest_n_columns(X, random_state=0).n


def test_all_columns_and_constant_ones():
    table = np.column_stack([X[:, :3], np.ones(len(X))])
    choice = ColumnChoice(3, random_state=0).fit(table)
    assert sorted(chosen(choice)) == [0, 1, 2]
    assert choice.compared_[0]["explained"] == 1.0
    with pytest.raises(DataError, match="Every column of X is constant"):
        ColumnChoice(1).fit(np.ones((9, 2)))
