"""Tables made numeric from Python: messages name arguments, and what they say helps."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sksieve.exceptions import DataError
from sksieve.io import UnusableTableError, numeric_table, read_table, write_columns

FRAME = pd.DataFrame(
    {
        "age": [31.0, 45.0, np.nan, 22.0],
        "city": ["Rome", "Oslo", "Rome", "Bonn"],
        "height": [1.8, 1.7, 1.6, np.inf],
        "class": list("abab"),
    }
)


def test_all_obstacles_in_one_error_with_arguments_that_remove_them():
    with pytest.raises(UnusableTableError) as caught:
        numeric_table(FRAME)
    text = str(caught.value)
    assert text.startswith("The table cannot be used yet:\n")
    for part in (
        "1 column of 3 does not hold numbers: 'city'",
        'leave it out (numeric_only=True), use one as labels (label_column="city")',
        'fill them in (impute="median", "mean" or "knn")',
        'rows or columns (drop_missing="rows", "columns" or "columns:0.3")',
        "1 infinite value in 1 column: 'height'",
    ):
        assert part in text
    assert "--" not in text
    remedy = caught.value.remedy
    assert remedy == (("drop", "city"), ("drop", "height"), ("impute", "median"))
    numeric = numeric_table(FRAME, drop=["city", "height"], impute="median")
    assert numeric.columns == ["age"]
    np.testing.assert_array_equal(numeric.X, [[31.0], [45.0], [31.0], [22.0]])
    assert pickle.loads(pickle.dumps(caught.value)).remedy == remedy


def test_notes_name_arguments():
    numeric = numeric_table(FRAME, numeric_only=True, drop="height", drop_missing="rows")
    assert numeric.notes == [
        "Left out 'class': its name suggests labels (include=[\"class\"]).",
        "Left out 'city': no numbers (numeric_only=True).",
        '1 of 4 rows left out (drop_missing="rows").',
    ]
    np.testing.assert_array_equal(numeric.rows, [0, 1, 3])
    pd.testing.assert_frame_equal(
        numeric.to_frame(), FRAME[["age"]].dropna(), check_index_type=False
    )


def test_lists_of_names_and_patterns():
    table = {f"{a}{i}": [float(i), 1.0, -i] for a in "ab" for i in range(3)}
    assert numeric_table(table, columns="a*,b1").columns == ["a0", "a1", "a2", "b1"]
    assert numeric_table(table, columns=["a*", "b1"], drop=["a1"]).columns == ["a0", "a2", "b1"]
    with pytest.raises(DataError, match=r"^drop 'c': The table has no such column"):
        numeric_table(table, drop="c")


def test_an_unknown_rule_for_missing_values_is_refused():
    with pytest.raises(ValueError, match=r'^drop_missing="cells": use rows, columns, or'):
        numeric_table(FRAME, drop_missing="cells")


def test_sparse_tables_stay_sparse(tmp_path):
    X = sp.random_array((20, 4), density=0.4, random_state=np.random.default_rng(0), format="csr")
    sp.save_npz(tmp_path / "s.npz", X)
    numeric = numeric_table(read_table(tmp_path / "s.npz"), drop="x1")
    assert sp.issparse(numeric.X)
    frame = numeric.to_frame()
    assert frame.columns.tolist() == ["x0", "x2", "x3"]
    np.testing.assert_array_equal(frame.to_numpy(), X.toarray()[:, [0, 2, 3]])


def test_columns_are_written_as_they_were_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,when\n1.50,007,x\n2.25,010,y\n4.0,3,z\n")
    numeric = numeric_table(read_table(path), label_column="when")
    assert write_columns(tmp_path / "o.csv", numeric, [1]) == []
    assert (tmp_path / "o.csv").read_text() == "b,when\n007,x\n010,y\n3,z\n"
    notes = write_columns(tmp_path / "o.npy", numeric)
    assert notes == [
        f"{tmp_path / 'o.npy'}: NPY holds numbers only: the names of the columns and the label "
        "column 'when' are not in it."
    ]
    np.testing.assert_array_equal(np.load(tmp_path / "o.npy"), [[1.5, 7], [2.25, 10], [4, 3]])
    with pytest.raises(DataError, match=r"the ending \.doc is not one of \.csv"):
        write_columns(tmp_path / "o.doc", numeric)


def test_encoded_columns_know_their_column():
    table = {"city": ["a", "b", "c"] * 4, "size": list(range(3, 15)), "sex": ["m", "f"] * 6}
    numeric = numeric_table(table, encode="onehot")
    assert numeric.columns == ["city=a", "city=b", "city=c", "size", "sex=m"]
    assert numeric.groups == ["city", "city", "city", "size", "sex"]
    assert numeric.is_mixed
    assert numeric_table(table, encode="onehot", drop="size").groups[-1] == "sex"
    plain = numeric_table(table, numeric_only=True)
    assert plain.groups == ["size"]
    assert not plain.is_mixed


def test_dates_become_days():
    days = pd.to_datetime(["2024-03-01", "2024-02-28", None, "2024-02-29 12:00"], format="mixed")
    table = pd.DataFrame({"day": days, "x": [1.0, 2.0, 4.0, 3.0]})
    with pytest.raises(UnusableTableError, match="1 column holds dates: 'day'") as caught:
        numeric_table(table)
    assert ("drop", "day") in caught.value.remedy
    numeric = numeric_table(table, encode="onehot", impute="mean")
    assert numeric.X[[0, 1, 3], 0].tolist() == [2.0, 0.0, 1.5]
    assert numeric.notes[0].startswith("Dates as days since the first one")
    assert not numeric.is_mixed


def test_the_remedy_encodes_few_values_and_drops_many():
    table = pd.DataFrame(
        {
            "name": [f"n{i}" for i in range(12)],
            "kind": ["a", "b", "c"] * 4,
            "x": np.arange(12.0) ** 2,
        }
    )
    with pytest.raises(UnusableTableError, match="'name' has 12 values") as caught:
        numeric_table(table)
    assert caught.value.remedy == (("drop", "name"), ("encode", "onehot"))
    assert numeric_table(table, drop="name", encode="onehot").columns == [
        *("kind=a", "kind=b", "kind=c"),
        "x",
    ]


def test_equal_columns_and_symmetric_matrices_are_reported():
    rng = np.random.RandomState(0)
    x = rng.standard_normal(9)
    notes = numeric_table({"a": x, "b": -x, "c": x, "d": x**2, "e": np.ones(9)}).notes
    assert any(
        note.startswith("2 columns equal to another up to unit and zero point: 'b = -a', 'c = a'")
        for note in notes
    )
    A = rng.standard_normal((5, 5))
    frame = pd.DataFrame(A + A.T, columns=list("abcde"))
    assert any("symmetric matrix (5 x 5)" in note for note in numeric_table(frame).notes)
    frame.insert(0, "unnamed_0", list("abcde"))
    notes = numeric_table(frame).notes
    assert "Left out 'unnamed_0': it names the rows." in notes
    assert not numeric_table(pd.DataFrame(A)).notes


def test_a_column_left_out_for_a_few_cells_is_no_text_column():
    frame = {"city": ["Ulm", "Gent", "Ulm"], "fare": ["7.5", "n/a", "8"], "age": [3.0, 4.0, 8.0]}
    frame["size"] = ["1,5", "2", "2,5"]
    numeric = numeric_table(frame, numeric_only=True)
    assert numeric.columns == ["age"]
    assert numeric.notes == [
        "Left out 'city': no numbers (numeric_only=True).",
        "Left out (numeric_only=True), although column 'fare' is numeric except for 1 cell of 3, "
        "the first in row 2: 'n/a'; correct the cells, or read them as missing values "
        '(missing="n/a").',
        "Left out (numeric_only=True), although the numbers of column 'size' have a decimal comma "
        "('1,5') (decimal=\",\").",
    ]


def test_three_columns_of_many_values_are_named():
    texts = {f"t{j}": [f"v{i}" for i in range(20)] for j in range(4)}
    with pytest.raises(UnusableTableError) as caught:
        numeric_table(pd.DataFrame({"few": list("abcd") * 5, **texts}))
    numbers = str(caught.value).partition("; too many values for that: ")[2]
    assert numbers.startswith("'t0' has 20 values, 't1' has 20 values, 't2' has 20 values")
    assert "'t3'" not in numbers
