"""Columns that repeat another: equal, in another unit, or with the rest of 1."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sksieve.io import numeric_table
from sksieve.io._repeats import repeats


def found(X):
    return [(pair.j, pair.i) for pair in repeats(X)]


def test_another_unit_a_complement_and_a_duplicate():
    rng = np.random.RandomState(0)
    celsius, male = 20 * rng.rand(200) - 5, rng.randint(2, size=200).astype(float)
    X = np.column_stack([celsius, rng.randn(200), 1.8 * celsius + 32, male, 1 - male, celsius])
    pairs = repeats(X)
    assert [(pair.j, pair.i) for pair in pairs] == [(2, 0), (4, 3), (5, 0)]
    names = ["C", "x", "F", "male", "female", "again"]
    assert [pair.text(names) for pair in pairs] == [
        "F = 1.8 C + 32",
        "female = 1 - male",
        "again = C",
    ]
    (pair,) = repeats(np.array([[1.0, 0.5], [2.0, -2.0], [3.0, -4.5]]))
    assert pair.text("ab") == "b = 3 - 2.5 a"
    assert found(sp.csr_array(X)) == found(X)
    assert found(X.astype(np.float32)) == [(4, 3), (5, 0)]  # rounded, 1.8 C + 32 is another


def test_what_is_nearly_a_copy_is_none():
    rng = np.random.RandomState(1)
    x = rng.randn(500)
    X = np.column_stack([x, x + 1e-6 * rng.randn(500), x**3, np.ones(500), np.zeros(500), -x + 1e9])
    assert (1, 0) not in found(X)
    assert found(np.column_stack([np.ones(9), np.ones(9), np.arange(9) % 2, np.arange(9)])) == []


@pytest.mark.parametrize("impute", ["median", "mean", "knn"])
def test_gaps_in_other_rows_hide_no_copy(impute):
    rng = np.random.RandomState(2)
    frame = pd.DataFrame(rng.randn(60, 3), columns=list("abc"))
    frame["inches"] = 2.54 * frame.a
    frame.loc[3:9, "a"] = np.nan
    frame.loc[20:23, "inches"] = np.nan
    frame.loc[2, "b"] = np.nan
    notes = numeric_table(frame, impute=impute).notes
    assert (
        "1 column equal to another up to unit and zero point: 'inches = 2.54 a'. It counts twice; "
        'to leave it out: drop=["inches"].' in notes
    )


def test_few_common_rows_are_no_evidence():
    rng = np.random.RandomState(3)
    X = rng.randint(2, size=(40, 2)).astype(float)
    X[:4, 0] = X[:4, 1] = [0, 1, 0, 1]
    X[4:22, 0] = X[22:, 1] = np.nan
    assert found(X) == []


def test_two_valued_text_is_compared_and_text_of_many_values_is_not():
    rng = np.random.RandomState(4)
    male = rng.rand(50) < 0.5
    frame = pd.DataFrame({"x": rng.randn(50), "sex": np.where(male, "m", "f"), "is_male": male})
    frame["city"] = rng.choice(["a", "b", "c"], 50)
    frame["at_a"] = (frame.city == "a").astype(float)
    text = " ".join(numeric_table(frame, encode="onehot").notes)
    assert "1 column equal to another: 'is_male = sex'" in text
    assert "at_a" not in text


def test_many_columns_cost_no_pairs():
    X = np.random.RandomState(5).randn(50, 20_000)
    X[:, 19_999] = 3 - 2 * X[:, 7]
    assert found(X) == [(19_999, 7)]
    assert found(np.repeat(X[:, :1], 9_000, axis=1)) == [(j, 0) for j in range(1, 9_000)]
