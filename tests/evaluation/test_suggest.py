"""How many columns: the knee of the error path, and when the data do not decide."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve.evaluation import suggest_k
from sksieve.exceptions import DataError


def test_the_number_of_columns_behind_a_table():
    rng = np.random.RandomState(1)
    X = rng.randn(80, 4) @ rng.randn(4, 15) + 0.01 * rng.randn(80, 15)
    found = suggest_k(X, n_bootstrap=20, random_state=0)
    again = suggest_k(X, n_bootstrap=20, random_state=0)
    assert found.low <= found.k <= found.high <= 15
    assert abs(found.k - 4) <= 1
    assert found.decided
    assert (found.knees == again.knees).all()


def test_data_that_do_not_decide_are_called_so():
    X = np.random.RandomState(0).randn(400, 12)
    found = suggest_k(X, n_bootstrap=20, random_state=0)
    assert not found.decided
    assert found.said.startswith("The data do not decide")


def test_the_knee_is_furthest_below_the_chord_and_the_first_among_equals():
    from sksieve.evaluation._suggest import knee

    k, distance = knee(np.array([8.0, 5.0, 2.0, 1.0, 0.0]))
    assert (k, distance) == (2, pytest.approx(1 - 2 / 4 - 2 / 8))
    for K in range(2, 40):  # straight: all are equal, but for rounding
        k, distance = knee(np.linspace(1.0, 0.1, K + 1))
        assert k == 1
        assert distance == pytest.approx(0, abs=1e-12)
    assert knee(np.ones(5)) == (1, 0.0)


def test_a_wide_interval_does_not_decide_whatever_the_knee():
    from sksieve.evaluation._suggest import _verdict

    said, decided = _verdict(5, 2, 12, 24, 0.4)
    assert (decided, "the knee is at 5, but bootstrap interval 2 to 12 of 24" in said) == (
        False,
        True,
    )
    assert _verdict(5, 2, 10, 24, 0.4) == (
        "5 columns (bootstrap interval 2 to 10): after them more columns add little.",
        True,
    )
    assert not _verdict(5, 5, 5, 24, 0.09)[1]


def test_the_choice_of_k_of_a_sparse_table_is_that_of_the_dense_one():
    X = np.random.RandomState(2).poisson(0.7, (60, 8)).astype(float)
    dense, sparse = (suggest_k(Z, n_bootstrap=10, random_state=0) for Z in (X, sp.coo_array(X)))
    np.testing.assert_allclose(sparse.errors, dense.errors, atol=1e-12)
    assert sparse.knees.tolist() == dense.knees.tolist()


def test_the_choice_of_k_refuses():
    X = np.zeros((6, 3))
    X[0] = 1  # a sample without the first row has nothing to choose from
    with pytest.raises(DataError, match=r"bootstrap sample of the rows was refused: Every column"):
        suggest_k(X, n_bootstrap=20, random_state=0)
    X = np.eye(5)
    with pytest.raises(DataError, match=r"max_k must be in 1\.\.5"):
        suggest_k(X, max_k=6)
    with pytest.raises(DataError, match="not a column subset method"):
        suggest_k(X, method="pocss")
